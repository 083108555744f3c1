// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include "perfparse/folded.h"
#include "base/printable.h"

void folded_name(FILE *out, const char *s)
{
	char c[PRINTABLE_BYTES];

	while (*s) {
		printable_next(&s, c);
		fputs(*c == ';' ? ":" : *c == ' ' ? "_" : c, out);
	}
}

long long folded_thousandths(double cost, double *carry)
{
	double thousandths = cost * 1000 + *carry, whole = floor(thousandths + 0.5);

	if (!(fabs(whole) < 0x1p63))
		return 0;
	*carry = thousandths - whole;
	return (long long)whole;
}
