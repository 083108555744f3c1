// SPDX-License-Identifier: GPL-2.0-or-later
/* What a share of samples is worth. Apart from stats.c, so that programs that need no more do not need GSL. */
#include "base/base.h"

void stats_wilson(double p, double n, double ci[2])
{
	double z2 = STATS_Z95 * STATS_Z95, middle, half;

	ci[0] = ci[1] = NAN;
	if (!(n > 0))
		return;
	middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	half = STATS_Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
	ci[0] = p > 0 ? fmax(0, middle - half) : 0; /* exactly: rounding must not leave a speck */
	ci[1] = p < 1 ? fmin(1, middle + half) : 1;
}

double stats_unseen(double n)
{
	return n > 3 ? 3 / n : 1;
}
