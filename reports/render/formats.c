// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/render/formats.h"

#include <errno.h>
#include <string.h>

/* The functions of a format that still has one for each kind. */
struct by_kind {
	render_report *report;
	render_diff *diff;
	render_exact *exact;
	render_exact_diff *exact_diff;
	render_explain *explain;
};

static int write_by_kind(FILE *out, const struct document *d, const struct render_options *o, const struct by_kind *w)
{
	switch (d->kind) {
	case DOCUMENT_REPORT:
		return w->report(out, d->analysis, d->only, o);
	case DOCUMENT_DIFF:
		return w->diff(out, d->compare, o);
	case DOCUMENT_EXACT:
		return w->exact(out, d->exact, d->exact_only, o);
	case DOCUMENT_EXACT_DIFF:
		return w->exact_diff(out, d->exact_diff, o);
	default:
		return w->explain(out, d->explain, o);
	}
}

#define BY_KIND(name, ...)                                                                                             \
	static int name(FILE *out, const struct document *d, const struct render_options *o)                           \
	{                                                                                                              \
		return write_by_kind(out, d, o, &(struct by_kind){__VA_ARGS__});                                       \
	}

BY_KIND(html, render_report_html, render_diff_html, render_exact_html, render_exact_diff_html, render_explain_html)
BY_KIND(svg, render_report_svg, render_diff_svg, render_exact_svg, render_exact_diff_svg)
BY_KIND(ladder_html, render_report_ladder_html)

const struct format formats[] = {
	{.name = "text",
	 .use = "for people: on a terminal, in a mail",
	 .write = format_text,
	 .of = OF_ALL,
	 .rows_alone = true},
	{.name = "summary",
	 .use = "one screen of 80 x 40: overview, largest differences, how far to trust them",
	 .write = format_summary,
	 .of = OF(DOCUMENT_REPORT)},
	{.name = "ladder",
	 .use = "one line per variant, with the step from the variant before it and its largest parts",
	 .write = format_ladder,
	 .of = OF(DOCUMENT_REPORT)},
	{.name = "json",
	 .use = "for scripts: everything, with a schema",
	 .write = format_json,
	 .of = OF_ALL,
	 .rows_alone = true},
	{.name = "csv",
	 .use = "for spreadsheets: base, facilities and symbols as one table",
	 .write = format_csv,
	 .of = OF_BOTH,
	 .rows_alone = true},
	{.name = "markdown",
	 .use = "to paste into an issue or a review",
	 .write = format_markdown,
	 .of = OF_ALL,
	 .rows_alone = true},
	{.name = "folded",
	 .use = "for flamegraph.pl: call paths in ps per packet; diff has two columns",
	 .write = format_folded,
	 .of = OF_BOTH,
	 .stacks = true},
	{.name = "speedscope",
	 .use = "for speedscope.app: call paths in ns per packet",
	 .write = format_speedscope,
	 .of = OF(DOCUMENT_REPORT),
	 .stacks = true},
	{.name = "pprof",
	 .use = "for go tool pprof: call paths in ps per packet; -diff_base works",
	 .write = format_pprof,
	 .of = OF(DOCUMENT_REPORT),
	 .stacks = true,
	 .binary = true},
	{.name = "benchstat",
	 .use = "for benchstat: a line of a Go benchmark per block",
	 .write = format_benchstat,
	 .of = OF(DOCUMENT_REPORT)},
	{.name = "openmetrics",
	 .use = "for Prometheus: a file for node_exporter's textfile collector",
	 .write = format_openmetrics,
	 .of = OF(DOCUMENT_REPORT) | OF(DOCUMENT_EXACT)},
	{.name = "jsonl",
	 .use = "for DuckDB, ClickHouse, pandas: a JSON line per symbol and block",
	 .write = format_jsonl,
	 .of = OF(DOCUMENT_REPORT)},
	{.name = "html",
	 .use = "for looking and sending around: one page, no network",
	 .write = html,
	 .of = OF_ALL,
	 .stacks = true},
	{.name = "ladder-html",
	 .use = "the ladder as a page: bars, steps, and the functions of each step",
	 .write = ladder_html,
	 .of = OF(DOCUMENT_REPORT)},
	{.name = "svg",
	 .use = "a flame graph in ns/packet or instructions/packet, to be opened in a browser",
	 .write = svg,
	 .of = OF_BOTH,
	 .stacks = true},
	{.name = "callgrind",
	 .use = "for callgrind_annotate and KCachegrind: exact counts with their call graph",
	 .write = format_callgrind,
	 .of = OF(DOCUMENT_EXACT)},
};
_Static_assert(sizeof(formats) / sizeof(formats[0]) <= FORMATS_MAX, "the help of report would leave formats out");
const size_t nformats = sizeof(formats) / sizeof(formats[0]);

bool format_fits(const struct format *f, enum format_of of)
{
	static const unsigned int kinds[] = {
		[FORMAT_OF_REPORT] = OF(DOCUMENT_REPORT) | OF(DOCUMENT_EXACT),
		[FORMAT_OF_DIFF] = OF(DOCUMENT_DIFF) | OF(DOCUMENT_EXACT_DIFF),
		[FORMAT_OF_EXPLAIN] = OF(DOCUMENT_EXPLAIN),
	};

	return f->of & kinds[of];
}

const char *format_names(enum format_of of, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < nformats && n < size; i++)
		if (format_fits(&formats[i], of))
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", formats[i].name);
	return buf;
}

int format_find(const struct format **f, const char *name, enum format_of of, struct diag *d)
{
	static const char *const commands[] = {"report", "diff", "explain"};
	char names[256];

	for (size_t i = 0; i < nformats; i++) {
		*f = &formats[i];
		if (!strcmp(formats[i].name, name) && format_fits(&formats[i], of))
			return 0;
	}
	return diag_set(d, -EINVAL, "--format %.32s: %s writes %s", name, commands[of],
			format_names(of, names, sizeof(names)));
}

int format_write(const struct format *f, FILE *out, struct document *d, int err, const struct render_options *o)
{
	if (!err)
		err = f->write(out, d, o);
	document_release(d);
	return err;
}
