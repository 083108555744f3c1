// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

int diag_set(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	if (!d || d->text[0])
		return err;
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	va_end(ap);
	return err;
}

void complain(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, fmt);
	printable_vprintf(stderr, false, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

int complain_of(const struct diag *d, int err)
{
	complain("%s", d->text[0] ? d->text : strerror(-err));
	return err == -EPERM || err == -EOPNOTSUPP ? EXIT_LACKS : EXIT_FAILED;
}

volatile sig_atomic_t stop_requested;

static void on_stop(int sig)
{
	stop_requested = sig;
}

void stop_on_signals(void)
{
	struct sigaction stop = {.sa_handler = on_stop};

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int stopped(struct diag *d)
{
	return stop_requested ? diag_set(d, -EINTR, "stopped by a signal") : 0;
}
