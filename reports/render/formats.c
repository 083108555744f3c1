// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/render/formats.h"

#include <errno.h>
#include <string.h>

const struct format formats[] = {
	{.name = "text",
	 .use = "for people: on a terminal, in a mail",
	 .report = render_report_text,
	 .diff = render_diff_text,
	 .exact = render_exact_text,
	 .exact_diff = render_exact_diff_text,
	 .explain = render_explain_text,
	 .rows_alone = true},
	{.name = "summary",
	 .use = "one screen of 80 x 40: overview, largest differences, how far to trust them",
	 .report = render_report_summary},
	{.name = "ladder",
	 .use = "one line per variant, with the step from the variant before it and its largest parts",
	 .report = render_report_ladder},
	{.name = "json",
	 .use = "for scripts: everything, with a schema",
	 .report = render_report_json,
	 .diff = render_diff_json,
	 .exact = render_exact_json,
	 .exact_diff = render_exact_diff_json,
	 .explain = render_explain_json,
	 .rows_alone = true},
	{.name = "csv",
	 .use = "for spreadsheets: base, facilities and symbols as one table",
	 .report = render_report_csv,
	 .diff = render_diff_csv,
	 .exact = render_exact_csv,
	 .exact_diff = render_exact_diff_csv,
	 .rows_alone = true},
	{.name = "markdown",
	 .use = "to paste into an issue or a review",
	 .report = render_report_markdown,
	 .diff = render_diff_markdown,
	 .exact = render_exact_markdown,
	 .exact_diff = render_exact_diff_markdown,
	 .explain = render_explain_markdown,
	 .rows_alone = true},
	{.name = "folded",
	 .use = "for flamegraph.pl: call paths in ps per packet; diff has two columns",
	 .report = render_report_folded,
	 .diff = render_diff_folded,
	 .exact = render_exact_folded,
	 .exact_diff = render_exact_diff_folded,
	 .stacks = true},
	{.name = "speedscope",
	 .use = "for speedscope.app: call paths in ns per packet",
	 .report = render_report_speedscope,
	 .stacks = true},
	{.name = "pprof",
	 .use = "for go tool pprof: call paths in ps per packet; -diff_base works",
	 .report = render_report_pprof,
	 .stacks = true,
	 .binary = true},
	{.name = "benchstat",
	 .use = "for benchstat: a line of a Go benchmark per block",
	 .report = render_report_benchstat},
	{.name = "openmetrics",
	 .use = "for Prometheus: a file for node_exporter's textfile collector",
	 .report = render_report_openmetrics,
	 .exact = render_exact_openmetrics},
	{.name = "jsonl",
	 .use = "for DuckDB, ClickHouse, pandas: a JSON line per symbol and block",
	 .report = render_report_jsonl},
	{.name = "html",
	 .use = "for looking and sending around: one page, no network",
	 .report = render_report_html,
	 .diff = render_diff_html,
	 .exact = render_exact_html,
	 .exact_diff = render_exact_diff_html,
	 .explain = render_explain_html,
	 .stacks = true},
	{.name = "ladder-html",
	 .use = "the ladder as a page: bars, steps, and the functions of each step",
	 .report = render_report_ladder_html},
	{.name = "svg",
	 .use = "a flame graph in ns/packet or instructions/packet, to be opened in a browser",
	 .report = render_report_svg,
	 .diff = render_diff_svg,
	 .exact = render_exact_svg,
	 .exact_diff = render_exact_diff_svg,
	 .stacks = true},
	{.name = "callgrind",
	 .use = "for callgrind_annotate and KCachegrind: exact counts with their call graph",
	 .exact = render_exact_callgrind},
};
_Static_assert(sizeof(formats) / sizeof(formats[0]) <= FORMATS_MAX, "the help of report would leave formats out");
const size_t nformats = sizeof(formats) / sizeof(formats[0]);

bool format_fits(const struct format *f, enum format_of of)
{
	if (of == FORMAT_OF_EXPLAIN)
		return f->explain;
	return of == FORMAT_OF_REPORT ? f->report || f->exact : f->diff || f->exact_diff;
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
