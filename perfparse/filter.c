// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_text.h"
#include "perfparse/filter.h"

void filter_init(struct filter *f, const struct options *o, struct diag *d)
{
	memset(f, 0, sizeof(*f));
	f->o = o;
	f->d = d;
	profile_init(&f->profile);
	profile_init(&f->profile2);
	cost_table_init(&f->table);
	cost_table_init(&f->table2);
	diff_init(&f->diff);
	perfstat_init(&f->stat);
	annotate_list_init(&f->annotated);
	f->window_s = NAN;
}

void filter_release(struct filter *f)
{
	diff_release(&f->diff);
	cost_table_release(&f->table);
	cost_table_release(&f->table2);
	profile_release(&f->profile);
	profile_release(&f->profile2);
	perfstat_release(&f->stat);
	free(f->parts);
	f->parts = NULL;
	annotate_list_release(&f->annotated);
	symkeys_free(f->keys);
	f->keys = NULL;
	facilities_free(f->facilities);
	f->facilities = NULL;
}

double filter_base_ns(const struct options *o)
{
	if (o->pps > 0)
		return 1e9 / o->pps;
	if (o->ns > 0)
		return o->ns;
	return o->packets > 0 && o->window_s > 0 ? o->window_s * 1e9 / o->packets : 0;
}

int filter_misuse(struct filter *f, const char *sentence)
{
	f->misuse = true;
	f->reading = NULL;
	return diag_set(f->d, -EINVAL, "%s", sentence);
}

int filter_refuse_tid(struct filter *f, enum text_kind kind)
{
	if (kind == TEXT_SCRIPT || f->o->tid < 0)
		return 0;
	return filter_misuse(f, "--tid is for perf script; run perf report with --tid");
}

int filter_need_base(struct filter *f, double base_ns)
{
	return base_ns > 0 ? 0 : filter_misuse(f, "how long did the packets take? --packets needs --window");
}

static enum text_kind kind_named(const char *name)
{
	static const char *const names[] = {"auto", "report", "script", "stat", "annotate", "diff"};
	size_t i;

	for (i = 1; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return (enum text_kind)i;
	return TEXT_UNKNOWN;
}

static int find_kind(struct filter *f, struct linescan *lines)
{
	const char *text;
	size_t len;
	int err;

	f->kind = kind_named(f->o->input);
	if (f->kind != TEXT_UNKNOWN)
		return 0;
	err = linescan_peek(lines, &text, &len, f->d);
	if (err)
		return err;
	f->kind = text_kind_guess(text, len);
	if (f->kind == TEXT_UNKNOWN)
		return diag_set(f->d, -EINVAL,
				len ? "this is not the text of perf report, script, stat, annotate or diff"
				    : "the input is empty");
	return 0;
}

/* Options that this kind of text has no use for. */
static int check_options(struct filter *f)
{
	const struct options *o = f->o;

	if (f->kind != TEXT_ANNOTATE && (o->symbol || o->share > 0 || o->profile))
		return filter_misuse(f, "--symbol, --share and --profile are for perf annotate");
	if (filter_refuse_tid(f, f->kind))
		return -EINVAL;
	if ((f->kind == TEXT_ANNOTATE || f->kind == TEXT_DIFF) && o->cpu >= 0)
		return filter_misuse(f, "--cpu is for perf report, perf script and perf stat");
	if ((f->kind == TEXT_ANNOTATE || f->kind == TEXT_STAT) && o->diff)
		return filter_misuse(f, "--diff is for perf report and perf script");
	if (f->kind != TEXT_DIFF && !o->diff && (o->pps2 > 0 || o->ns2 > 0))
		return filter_misuse(f, "two bases and one profile; give the second profile with --diff");
	return 0;
}

static int read_lines(struct filter *f, struct linescan *lines)
{
	int err = find_kind(f, lines);

	if (!err)
		err = check_options(f);
	if (err)
		return err;
	switch (f->kind) {
	case TEXT_STAT:
		return filter_read_stat(f, lines);
	case TEXT_ANNOTATE:
		return filter_read_annotate(f, lines);
	case TEXT_DIFF:
		return filter_read_difference(f, lines);
	case TEXT_REPORT:
	case TEXT_SCRIPT:
	case TEXT_UNKNOWN:
		break;
	}
	return filter_read_profile(f, lines);
}

/* With --pps and --pps2 and nothing that names an input, the program prints only the difference of the two bases. */
static bool is_bases_only(const struct options *o)
{
	return (o->pps2 > 0 || o->ns2 > 0) && !o->diff && !o->file && !strcmp(o->input, "auto");
}

int filter_read(struct filter *f)
{
	FILE *in = f->o->file ? fopen(f->o->file, "re") : stdin;
	struct linescan lines;
	int err;

	if (is_bases_only(f->o))
		return 0;
	f->reading = f->o->file;
	if (!in)
		return diag_set(f->d, -errno, "%s", strerror(errno));
	linescan_init(&lines, in);
	lines.worn = &f->worn;
	err = read_lines(f, &lines);
	linescan_release(&lines);
	if (f->o->file)
		fclose(in);
	return err;
}

int filter_print_json(json_t *json, FILE *out)
{
	int err;

	if (!json)
		return -ENOMEM;
	err = json_text_write(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	json_decref(json);
	fputc('\n', out);
	return err ? -EIO : 0;
}

static int render_bases(const struct options *o, FILE *out)
{
	double base = filter_base_ns(o), new = o->pps2 > 0 ? 1e9 / o->pps2 : o->ns2;

	if (!strcmp(o->format, "json"))
		return filter_print_json(
			json_pack("{s:f, s:f, s:f}", "base_ns", base, "new_ns", new, "delta_ns", new - base), out);
	fprintf(out, "# base: %.2f ns/packet, new: %.2f ns/packet, difference: %+.2f ns/packet\n", base, new,
		new - base);
	return 0;
}

int filter_render(const struct filter *f, FILE *out)
{
	if (is_bases_only(f->o))
		return render_bases(f->o, out);
	switch (f->kind) {
	case TEXT_STAT:
		return filter_render_stat(f, out);
	case TEXT_ANNOTATE:
		return filter_render_annotate(f, out);
	case TEXT_DIFF:
	case TEXT_REPORT:
	case TEXT_SCRIPT:
	case TEXT_UNKNOWN:
		break;
	}
	return filter_render_profile(f, out);
}
