// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/ioctl.h>
#include "user/record/record.h"

#define SILENT_NS 60000000000ULL /* the longest time without a line in a log */
#define TICK_NS   1000000000ULL

void progress_begin(struct progress *p, int total, double limit_s, bool quiet)
{
	struct winsize size = {};
	bool wide = !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col;

	*p = (struct progress){.terminal = isatty(STDERR_FILENO),
			       .quiet = quiet,
			       .columns = wide ? size.ws_col : 80,
			       .total = total,
			       .start_ns = now_ns(),
			       .limit_s = limit_s};
}

/* Blocks that there will be in the end: where a limit comes first, those that fit before it. */
static int expected(const struct progress *p)
{
	double spent = (double)(p->block_ns - p->start_ns) / 1e9;

	if (!p->done || !(p->limit_s > 0) || !(spent > 0))
		return p->total;
	return (int)fmax(p->done, fmin(p->total, p->done * p->limit_s / spent));
}

/* It falls while a block is measured: blocks to come take as long as those before. */
static double seconds_left(const struct progress *p)
{
	double spent = (double)(now_ns() - p->start_ns) / 1e9, of_blocks = (double)(p->block_ns - p->start_ns) / 1e9;
	double left = p->done ? of_blocks / p->done * p->total - spent : 0;

	if (p->limit_s > 0 && left > p->limit_s - spent)
		left = p->limit_s - spent;
	return fmax(0, left);
}

void progress_now(struct progress *p, const char *what)
{
	char line[320], left[32] = "";

	if (what != p->what)
		snprintf(p->what, sizeof(p->what), "%s", what);
	if (p->quiet || !p->terminal)
		return;
	if (p->done)
		snprintf(left, sizeof(left), "%.0f s left; ", seconds_left(p));
	snprintf(line, sizeof(line), "[%d/%d] %s%s%s", p->done, expected(p), left, p->result, what);
	if (*p->result && text_width(line) >= (size_t)p->columns) /* the step has no room */
		line[strlen(line) - strlen(what) - 2] = '\0';
	/* The last column stays free: some terminals wrap a line that fills it, and \r cannot redraw that. */
	fputs("\r\033[K", stderr);
	printable_printf(stderr, "%.*s", p->columns - 1, line);
	fflush(stderr);
	p->shown_ns = now_ns();
}

void progress_tick(struct progress *p)
{
	if (p->what[0] && now_ns() - p->shown_ns >= TICK_NS)
		progress_now(p, p->what);
}

void progress_block(struct progress *p, const char *variant, double pps, double ns_per_packet, double half)
{
	char line[256], so_far[48];
	int all, tenth;
	bool next;

	p->done++;
	p->block_ns = now_ns();
	if (isnan(half))
		snprintf(so_far, sizeof(so_far), "%.1f ns", ns_per_packet);
	else
		snprintf(so_far, sizeof(so_far), "%.1f ± %.1f ns", ns_per_packet, half);
	snprintf(p->result, sizeof(p->result), "%s %.2f Mpps %s; ", variant, pps / 1e6, so_far);
	if (p->terminal)
		progress_now(p, *p->what ? p->what : variant);
	if (p->quiet || p->terminal)
		return;
	/* Rounds are added to total while it runs. A tenth that was told is not told again. */
	all = expected(p);
	tenth = p->done >= all ? 10 : (int)(10LL * p->done / all);
	next = tenth > p->tenth;
	if (next)
		p->tenth = tenth;
	if (!next && p->done > 2 && now_ns() - p->told_ns < SILENT_NS)
		return;
	snprintf(line, sizeof(line), "block %d of %d: %-26s %9.0f pps %s, %.0f s left", p->done, all, variant, pps,
		 so_far, seconds_left(p));
	printable_printf(stderr, "%s\n", line);
	p->told_ns = now_ns();
}

void progress_end(struct progress *p)
{
	if (!p->quiet && p->terminal)
		fprintf(stderr, "\r\033[K");
	p->quiet = true;
}
