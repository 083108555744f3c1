// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: counts per packet. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "perfparse/filter.h"
#include "perfparse/perfstat_render.h"

/* The number of packets while perf counted: --packets, or the rate times the time. */
static int find_packets(struct filter *f)
{
	const struct options *o = f->o;

	f->window_s = o->window_s > 0 ? o->window_s : f->stat.elapsed_s;
	if (o->packets > 0) {
		f->packets = o->packets;
		return 0;
	}
	if (isnan(f->window_s))
		return diag_set(f->d, -EINVAL,
				"how long did perf stat count? its \"seconds time elapsed\" is missing; "
				"give --window, or --packets");
	f->packets = f->window_s * 1e9 / filter_base_ns(o);
	return 0;
}

static int check_shown(struct filter *f)
{
	const struct perfstat_render r = {&f->stat, f->packets, f->window_s, f->o->cpu, f->o->event};
	size_t i;

	for (i = 0; i < f->stat.ncounts; i++)
		if (perfstat_render_shows(&r, &f->stat.counts[i]))
			return 0;
	return diag_set(f->d, -EINVAL,
			f->o->cpu >= 0 ? "no count of that CPU; run perf stat with -A" : "no count of that event");
}

int filter_read_stat(struct filter *f, struct linescan *lines)
{
	int err = perfstat_read(&f->stat, lines, f->o->separator ? *f->o->separator : 0, f->d);

	if (!err)
		err = find_packets(f);
	return err ? err : check_shown(f);
}

int filter_render_stat(const struct filter *f, FILE *out)
{
	const struct perfstat_render r = {&f->stat, f->packets, f->window_s, f->o->cpu, f->o->event};

	if (!strcmp(f->o->format, "json"))
		return filter_print_json(perfstat_render_json(&r), out);
	if (!strcmp(f->o->format, "csv"))
		return perfstat_render_csv(&r, out);
	if (!strcmp(f->o->format, "text"))
		return perfstat_render_text(&r, out);
	return diag_set(f->d, -EINVAL, "counts have no folded form");
}
