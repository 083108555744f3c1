// SPDX-License-Identifier: GPL-2.0-or-later
/* perfparse: perf's text in, nanoseconds per packet out. */
#include <errno.h>
#include <string.h>
#include "perfparse/options.h"
#include "perfparse/render.h"
#include "perfparse/report.h"
#include "perfparse/script.h"
#include "perfparse/text_kind.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };

struct job {
	struct options o;
	struct facilities *facilities;
	struct profile profile;
	struct cost_table table;
	struct diag diag;
};

static double base_ns_of(const struct options *o)
{
	if (o->pps > 0)
		return 1e9 / o->pps;
	return o->ns > 0 ? o->ns : o->window_s * 1e9 / o->packets;
}

static int kind_of_input(const struct options *o, struct linescan *lines, enum text_kind *kind,
			 struct diag *d)
{
	const char *text;
	size_t len;
	int err;

	*kind = !strcmp(o->input, "report")   ? TEXT_REPORT
		: !strcmp(o->input, "script") ? TEXT_SCRIPT
					      : TEXT_UNKNOWN;
	if (*kind != TEXT_UNKNOWN)
		return 0;
	err = linescan_peek(lines, &text, &len, d);
	if (err)
		return err;
	*kind = text_kind_guess(text, len);
	if (*kind == TEXT_UNKNOWN)
		return diag_set(d, -EINVAL, len ? "this is not perf's text" : "the input is empty");
	return 0;
}

static int read_profile(struct job *j, struct linescan *lines)
{
	const struct options *o = &j->o;
	struct report_filter report = {o->event, (int)o->cpu, o->separator ? *o->separator : 0};
	struct script_filter script = {.cpu = (int)o->cpu, .tid = (int)o->tid, .event = o->event};
	enum text_kind kind;
	int err;

	err = kind_of_input(o, lines, &kind, &j->diag);
	if (err)
		return err;
	switch (kind) {
	case TEXT_REPORT:
		return report_read(&j->profile, lines, &report, &j->diag);
	case TEXT_SCRIPT:
		return script_read_lines(&j->profile, lines, &script, &j->diag);
	case TEXT_STAT:
	case TEXT_ANNOTATE:
	case TEXT_UNKNOWN:
		break;
	}
	return diag_set(&j->diag, -EINVAL, "only perf report and perf script are read");
}

static int read_file(struct job *j, const char *path)
{
	FILE *in = path ? fopen(path, "re") : stdin;
	struct linescan lines;
	int err;

	if (!in)
		return diag_set(&j->diag, -errno, "%s", strerror(errno));
	linescan_init(&lines, in);
	err = read_profile(j, &lines);
	linescan_release(&lines);
	if (path)
		fclose(in);
	return err;
}

static int render_as_json(const struct render *r, FILE *out)
{
	json_t *json = render_json(r);
	int err = json ? json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : -1;

	json_decref(json);
	fputc('\n', out);
	return err ? -EIO : 0;
}

static int render_table(const struct job *j, FILE *out)
{
	const struct render r = {
		.table = &j->table,
		.profile = &j->profile,
		.facilities = j->facilities,
		.pps = j->o.pps,
		.children = j->o.children > 0,
		.symbols = !(j->o.no_symbols > 0),
	};

	if (!strcmp(j->o.format, "json"))
		return render_as_json(&r, out);
	if (!strcmp(j->o.format, "csv"))
		return render_csv(&r, out);
	if (!strcmp(j->o.format, "folded"))
		return render_folded(&r, out);
	return render_text(&r, out);
}

/* Nothing is written before all was read: half a table never looks whole. */
static int write_table(struct job *j)
{
	FILE *out = j->o.output ? fopen(j->o.output, "we") : stdout;
	int err;

	if (!out)
		return diag_set(&j->diag, -errno, "%s: %s", j->o.output, strerror(errno));
	errno = 0;
	err = render_table(j, out);
	if (fflush(out) && !err)
		err = -errno;
	if (j->o.output && fclose(out) && !err)
		err = -errno;
	return err ? diag_set(&j->diag, err, "%s: %s", j->o.output ? j->o.output : "stdout",
			      strerror(-err))
		   : 0;
}

static int run(struct job *j)
{
	int err = facilities_read(&j->facilities, j->o.facilities, &j->diag);

	if (!err)
		err = read_file(j, j->o.file);
	if (!err)
		err = cost_table_build(&j->table, &j->profile, j->facilities, base_ns_of(&j->o),
				       &j->diag);
	if (!err)
		err = write_table(j);
	cost_table_release(&j->table);
	profile_release(&j->profile);
	facilities_free(j->facilities);
	return err;
}

int main(int argc, char **argv)
{
	struct job j = {.diag = {""}};

	if (options_read(&j.o, argc, argv, &j.diag)) {
		fprintf(stderr, "perfparse: %s\nperfparse --help lists the options\n", j.diag.text);
		return EXIT_USAGE;
	}
	if (j.o.help > 0) {
		options_print_help(stdout);
		return EXIT_OK;
	}
	if (j.o.version > 0) {
		puts("perfparse " XDPZOOM_VERSION);
		return EXIT_OK;
	}
	profile_init(&j.profile);
	cost_table_init(&j.table);
	if (run(&j)) {
		fprintf(stderr, "perfparse: %s%s%s\n", j.o.file ? j.o.file : "",
			j.o.file ? ": " : "", j.diag.text);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
