// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report and perf script: one profile, or two side by side. */
#include <errno.h>
#include <string.h>
#include "perfparse/cost_render.h"
#include "perfparse/diff_render.h"
#include "perfparse/difftext.h"
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
	return filter_refuse_tid(f, kind) ? -EINVAL : report_read(p, lines, &report, f->d);
}

static int read_facilities(struct filter *f)
{
	const char *before = f->reading;
	int err;

	f->reading = f->o->facilities;
	err = facilities_read(&f->facilities, f->o->facilities, f->d);
	if (!err)
		f->reading = before;
	return err;
}

static int read_second(struct filter *f, struct linescan *lines, struct profile *p)
{
	const char *text;
	enum text_kind kind;
	size_t len;
	int err = linescan_peek(lines, &text, &len, f->d);

	if (err)
		return err;
	kind = text_kind_guess(text, len);
	if (kind != TEXT_REPORT && kind != TEXT_SCRIPT)
		return diag_set(f->d, -EINVAL, "not the text of perf report or perf script");
	return read_text(f, kind, lines, p);
}

int filter_read_table(struct filter *f, const char *path, double base_ns, struct profile *p, struct cost_table *t)
{
	FILE *in = fopen(path, "re");
	struct linescan lines;
	int err;

	f->reading = path;
	if (!in)
		return diag_set(f->d, -errno, "%s", strerror(errno));
	linescan_init(&lines, in);
	lines.worn = &f->worn;
	err = read_second(f, &lines, p);
	linescan_release(&lines);
	fclose(in);
	if (!err && !f->facilities)
		err = read_facilities(f);
	return err ? err : cost_table_build(t, p, f->facilities, base_ns, f->d);
}

static double second_base_ns(const struct options *o)
{
	return o->pps2 > 0 ? 1e9 / o->pps2 : o->ns2;
}

static int read_difference(struct filter *f)
{
	double base_ns = second_base_ns(f->o);
	int err;

	err = filter_read_table(f, f->o->diff, base_ns, &f->profile2, &f->table2);
	f->reading = err ? f->reading : f->o->renames;
	if (!err)
		err = symkeys_read(&f->keys, f->o->renames, f->d);
	return err ? err : diff_build(&f->diff, &f->table, &f->table2, f->keys, f->d);
}

int filter_read_profile(struct filter *f, struct linescan *lines)
{
	int err = filter_need_base(f, filter_base_ns(f->o));

	if (!err)
		err = read_facilities(f);
	if (!err)
		err = read_text(f, f->kind, lines, &f->profile);
	if (!err)
		err = cost_table_build(&f->table, &f->profile, f->facilities, filter_base_ns(f->o), f->d);
	return err || !f->o->diff ? err : read_difference(f);
}

int filter_read_difference(struct filter *f, struct linescan *lines)
{
	double base_ns = filter_base_ns(f->o), new_ns = second_base_ns(f->o);
	int err = filter_need_base(f, base_ns);

	if (!err && f->o->diff)
		return filter_misuse(f, "the text of perf diff holds both sides; leave --diff out");
	if (!err && !(new_ns > 0))
		return diag_set(f->d, -EINVAL,
				"the text of perf diff has two sides; what did a packet cost on the second? "
				"give --pps2 or --ns2");
	if (!err)
		err = facilities_read(&f->facilities, f->o->facilities, f->d);
	if (!err)
		err = symkeys_read(&f->keys, f->o->renames, f->d);
	if (!err)
		err = difftext_read(&f->profile, &f->profile2, lines, f->o->event, f->d);
	if (!err)
		err = cost_table_build(&f->table, &f->profile, f->facilities, base_ns, f->d);
	if (!err)
		err = cost_table_build(&f->table2, &f->profile2, f->facilities, new_ns, f->d);
	return err ? err : diff_build(&f->diff, &f->table, &f->table2, f->keys, f->d);
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

	if (f->o->diff || f->kind == TEXT_DIFF)
		return render_difference(f, out);
	if (!strcmp(f->o->format, "json"))
		return filter_print_json(cost_render_json(&r), out);
	if (!strcmp(f->o->format, "csv"))
		return cost_render_csv(&r, out);
	if (!strcmp(f->o->format, "folded"))
		return cost_render_folded(&r, out);
	return cost_render_text(&r, out);
}
