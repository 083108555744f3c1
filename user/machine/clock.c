// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>
#include "user/machine/machine.h"

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void sleep_until_ns(uint64_t t_ns)
{
	struct timespec ts = {t_ns / 1000000000ULL, t_ns % 1000000000ULL};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

struct patience patience_of(uint64_t ns)
{
	return (struct patience){ns, now_ns()};
}

bool patience_ends(struct patience *p)
{
	uint64_t now = now_ns(), step = now - p->looked_ns;

	step = step < PATIENCE_STEP_NS ? step : PATIENCE_STEP_NS;
	p->looked_ns = now;
	p->left_ns -= step < p->left_ns ? step : p->left_ns;
	return !p->left_ns;
}
