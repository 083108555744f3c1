// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/printable.h"
#include "user/machine/machine.h"
#include "user/record/progress.h"

#define SILENT_NS 60000000000ULL /* the longest time without a line in a log */

static int terminal_columns(void)
{
	struct winsize size = {};

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

void progress_begin(struct progress *p, int total, double limit_s, bool quiet)
{
	*p = (struct progress){.terminal = isatty(STDERR_FILENO),
			       .quiet = quiet,
			       .columns = terminal_columns(),
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

/* Leaves the last column free: a line that fills it wraps on some terminals, and \r cannot redraw a wrapped line. */
static void redraw(const struct progress *p, const char *line)
{
	fputs("\r\033[K", stderr);
	printable_printf(stderr, "%.*s", p->columns - 1, line);
	fflush(stderr);
}

void progress_now(struct progress *p, const char *what)
{
	char line[256], left[32] = "";

	if (p->quiet || !p->terminal)
		return;
	if (p->done)
		snprintf(left, sizeof(left), ", %.0f s left", seconds_left(p));
	snprintf(line, sizeof(line), "[%d/%d] %s%s", p->done + 1, p->total, what, left);
	redraw(p, line);
}

/* Rounds are added to total while it runs. A tenth that was told is not told again. */
static bool worth_a_line(struct progress *p)
{
	int tenth = p->done >= p->total ? 10 : (int)(10LL * p->done / p->total);
	bool next = tenth > p->tenth;

	if (next)
		p->tenth = tenth;
	return next || p->done <= 2 || now_ns() - p->told_ns >= SILENT_NS;
}

void progress_block(struct progress *p, const char *variant, double pps, double ns_per_packet)
{
	char line[256];

	p->done++;
	if (p->quiet || (!p->terminal && !worth_a_line(p)))
		return;
	snprintf(line, sizeof(line), "block %d of %d: %-26s %9.0f pps %7.1f ns, %.0f s left", p->done, p->total,
		 variant, pps, ns_per_packet, seconds_left(p));
	if (p->terminal)
		redraw(p, line);
	else
		printable_printf(stderr, "%s\n", line);
	p->told_ns = now_ns();
}

void progress_end(struct progress *p)
{
	if (!p->quiet && p->terminal)
		fprintf(stderr, "\r\033[K");
	p->quiet = true;
}
