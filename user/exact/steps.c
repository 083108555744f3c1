// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "base/printable.h"
#include "user/machine/machine.h"

#define START_S 4   /* from its start to the first window */
#define END_S   0.5 /* from the last window on */

static const struct {
	const char *what;
	double seconds; /* of this step and of the steps after it, up to the first window */
} table[] = {
	[STEP_BUILD] = {"building the kernel", NAN},
	[STEP_FETCH] = {"fetching the kernel, this once", 50 + 12 + START_S},
	[STEP_BOOT] = {"booting, this once", 12 + START_S},
	[STEP_START] = {"the virtual machine starts", START_S},
};

/* What the known machine needs for this, in seconds of this one. */
static double here(const struct steps *p, double seconds)
{
	return seconds * (p->slower > 0 ? p->slower : 1);
}

static void steps_show(struct steps *p, const char *text, double left_s, bool always)
{
	bool tty = isatty(STDERR_FILENO);

	if (p->quiet || (!tty && !always))
		return;
	fputs(tty ? "\r\033[K" : "", stderr);
	printable_put(stderr, text);
	if (!isnan(left_s))
		fprintf(stderr, ", about %.0f s left", left_s);
	fputs(tty ? "" : "\n", stderr);
	p->open = tty;
}

void steps_enter(struct steps *p, enum step step)
{
	if (step == STEP_START)
		p->start_ns = now_ns();
	steps_show(p, table[step].what, here(p, table[step].seconds + p->variant_s * (double)p->nvariants + END_S),
		   true);
}

void steps_window(struct steps *p, size_t n, size_t all, const char *variant)
{
	double left_s;
	char text[128]; /* the variant's name comes from the guest */

	if (n == 1) {
		p->first_window_ns = now_ns();
		p->slower = (double)(p->first_window_ns - p->start_ns) / 1e9 / START_S;
		left_s = here(p, p->variant_s * (double)p->nvariants);
	} else {
		left_s = (double)(now_ns() - p->first_window_ns) / 1e9 / (double)(n - 1) * (double)(all - n + 1);
	}
	snprintf(text, sizeof(text), "window %zu of %zu: %s", n, all, variant);
	steps_show(p, text, left_s + here(p, END_S), n == 1 || n == all);
}

void steps_end(struct steps *p)
{
	if (p->open)
		fprintf(stderr, "\r\033[K");
	p->open = false;
}
