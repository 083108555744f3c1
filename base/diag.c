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

int diag_replace(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return err;
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	va_end(ap);
	return err;
}
