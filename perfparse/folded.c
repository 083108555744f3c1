// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include "perfparse/folded.h"

void folded_name(FILE *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		fputc(c == ';' ? ':' : c == ' ' ? '_' : c < ' ' || c == 0x7f ? '?' : c, out);
	}
}

long long folded_ps(double ns, double *carry)
{
	double ps = ns * 1000 + *carry, whole = floor(ps + 0.5);

	*carry = ps - whole;
	return (long long)whole;
}
