// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/steps.h"

#include <stdio.h>
#include <unistd.h>
#include "user/machine/clock.h"

static const struct {
	const char *what;
	double seconds; /* of this step and of the steps after it, up to the first window */
} table[] = {
	[STEP_FETCH] = {"fetching the kernel, this once", 75},
	[STEP_BOOT] = {"booting, this once", 25},
	[STEP_START] = {"the virtual machine starts", 5},
};

static void show(struct steps *p, const char *text, double left_s, bool always)
{
	bool tty = isatty(STDERR_FILENO);

	if (p->quiet || (!tty && !always))
		return;
	fprintf(stderr, "%s%s, about %.0f s left%s", tty ? "\r\033[K" : "", text, left_s, tty ? "" : "\n");
	p->open = tty;
}

void steps_enter(struct steps *p, enum step step)
{
	show(p, table[step].what, table[step].seconds + p->variant_s * (double)p->nvariants + p->later_s, true);
}

void steps_window(struct steps *p, size_t n, size_t all, const char *variant)
{
	double left_s = p->variant_s * (double)p->nvariants;
	char text[128];

	if (n == 1)
		p->first_window_ns = now_ns();
	else
		left_s = (double)(now_ns() - p->first_window_ns) / 1e9 / (double)(n - 1) * (double)(all - n + 1);
	snprintf(text, sizeof(text), "window %zu of %zu: %s", n, all, variant);
	show(p, text, left_s + p->later_s, n == 1 || n == all);
}

void steps_end(struct steps *p)
{
	if (p->open)
		fprintf(stderr, "\r\033[K");
	p->open = false;
}
