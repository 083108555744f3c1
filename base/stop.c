// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

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
