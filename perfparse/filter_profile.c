// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report and perf script: one profile, or two side by side. */
#include <errno.h>
#include <string.h>
#include "perfparse/cost_render.h"
#include "perfparse/diff_render.h"
#include "perfparse/filter.h"
#include "perfparse/report.h"
#include "perfparse/script.h"

static int read_text(struct filter *f, enum text_kind kind, struct linescan *lines, struct profile *p)
{
	const struct options *o = f->o;
	struct report_filter report = {o->event, o->cpu, o->separator ? *o->separator : 0};
	struct script_filter script = {.cpu = o->cpu, .tid = o->tid, .event = o->event};

	if (kind == TEXT_SCRIPT)
		return script_read_lines(p, lines, &script, f->d);
	if (o->tid >= 0)
		return diag_set(f->d, -EINVAL, "--tid is for perf script; run perf report with --tid");
	return report_read(p, lines, &report, f->d);
}

static int need_base(struct filter *f, double base_ns)
{
	if (base_ns > 0)
		return 0;
	return diag_set(f->d, -EINVAL, "how long did the packets take? --packets needs --window");
}

static int read_second(struct filter *f, const char *path, struct linescan *lines, struct profile *p)
{
	const char *text;
	enum text_kind kind;
	size_t len;
	int err = linescan_peek(lines, &text, &len, f->d);

	if (err)
		return err;
	kind = text_kind_guess(text, len);
	if (kind != TEXT_REPORT && kind != TEXT_SCRIPT)
		return diag_set(f->d, -EINVAL, "%s: not the text of perf report or perf script", path);
	return read_text(f, kind, lines, p);
}

int filter_read_table(struct filter *f, const char *path, double base_ns, struct profile *p, struct cost_table *t)
{
	FILE *in = fopen(path, "re");
	struct linescan lines;
	int err;

	if (!in)
		return diag_set(f->d, -errno, "%s: %s", path, strerror(errno));
	linescan_init(&lines, in);
	err = read_second(f, path, &lines, p);
	linescan_release(&lines);
	fclose(in);
	if (!err && !f->facilities)
		err = facilities_read(&f->facilities, f->o->facilities, f->d);
	return err ? err : cost_table_build(t, p, f->facilities, base_ns, f->d);
}

static int read_difference(struct filter *f)
{
	double base_ns = f->o->pps2 > 0 ? 1e9 / f->o->pps2 : f->o->ns2;
	int err;

	if (!(base_ns > 0))
		return diag_set(f->d, -EINVAL, "--diff needs --pps2 or --ns2");
	err = filter_read_table(f, f->o->diff, base_ns, &f->profile2, &f->table2);
	if (!err)
		err = symkeys_read(&f->keys, f->o->renames, f->d);
	return err ? err : diff_build(&f->diff, &f->table, &f->table2, f->keys, f->d);
}

int filter_read_profile(struct filter *f, struct linescan *lines)
{
	int err = need_base(f, filter_base_ns(f->o));

	if (!err)
		err = facilities_read(&f->facilities, f->o->facilities, f->d);
	if (!err)
		err = read_text(f, f->kind, lines, &f->profile);
	if (!err)
		err = cost_table_build(&f->table, &f->profile, f->facilities, filter_base_ns(f->o), f->d);
	return err || !f->o->diff ? err : read_difference(f);
}

static int render_difference(const struct filter *f, FILE *out)
{
	const struct diff_render r = {&f->diff, f->facilities, !f->o->no_symbols};

	if (!strcmp(f->o->format, "json"))
		return filter_print_json(diff_render_json(&r), out);
	if (!strcmp(f->o->format, "csv"))
		return diff_render_csv(&r, out);
	if (!strcmp(f->o->format, "text"))
		return diff_render_text(&r, out);
	return diag_set(f->d, -EINVAL, "a difference has no folded form");
}

int filter_render_profile(const struct filter *f, FILE *out)
{
	const struct cost_render r = {
		.table = &f->table,
		.profile = &f->profile,
		.facilities = f->facilities,
		.pps = f->o->pps,
		.children = f->o->children,
		.symbols = !f->o->no_symbols,
	};

	if (f->o->diff)
		return render_difference(f, out);
	if (!strcmp(f->o->format, "json"))
		return filter_print_json(cost_render_json(&r), out);
	if (!strcmp(f->o->format, "csv"))
		return cost_render_csv(&r, out);
	if (!strcmp(f->o->format, "folded"))
		return cost_render_folded(&r, out);
	return cost_render_text(&r, out);
}
