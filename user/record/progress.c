// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "user/machine/cpu.h"
#include "user/record/progress.h"

void progress_begin(struct progress *p, int total, double limit_s, bool quiet)
{
	*p = (struct progress){.terminal = isatty(STDERR_FILENO),
			       .quiet = quiet,
			       .total = total,
			       .start_ns = now_ns(),
			       .limit_s = limit_s};
}

static double seconds_left(const struct progress *p)
{
	double spent = (now_ns() - p->start_ns) / 1e9;

	double left = p->done ? spent / p->done * (p->total - p->done) : 0;

	return p->limit_s > 0 && left > p->limit_s - spent ? fmax(0, p->limit_s - spent) : left;
}

void progress_now(struct progress *p, const char *what)
{
	if (p->quiet || !p->terminal)
		return;
	fprintf(stderr, "\r\033[K[%d/%d] %s", p->done + 1, p->total, what);
	if (p->done)
		fprintf(stderr, ", %.0f s left", seconds_left(p));
	fflush(stderr);
}

void progress_block(struct progress *p, const char *variant, double pps, double ns_per_packet)
{
	p->done++;
	if (p->quiet)
		return;
	if (p->terminal)
		fprintf(stderr, "\r\033[K");
	fprintf(stderr, "block %d of %d: %-26s %9.0f pps %7.1f ns, %.0f s left%s", p->done, p->total, variant, pps,
		ns_per_packet, seconds_left(p), p->terminal ? "" : "\n");
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (!p->quiet && p->terminal)
		fprintf(stderr, "\r\033[K");
	p->quiet = true;
}
