// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"
#include "base/printable.h"

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
