// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/formats.h"

#include <errno.h>
#include <string.h>
#include "base/listed.h"

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
	{.name = "changelog",
	 .use = "for the message of a commit: 72 columns, before and after, how to repeat it",
	 .write = format_changelog,
	 .of = OF(DOCUMENT_DIFF) | OF(DOCUMENT_EXACT_DIFF),
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
	{.name = "firefox",
	 .use = "for profiler.firefox.com: call paths in ns per packet",
	 .write = format_firefox,
	 .of = OF(DOCUMENT_REPORT),
	 .stacks = true},
	{.name = "perfetto",
	 .use = "for ui.perfetto.dev: windows, samples and a dump's intervals on one timeline",
	 .write = format_perfetto,
	 .of = OF(DOCUMENT_REPORT)},
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
	{.name = "ktap",
	 .use = "for readers of kernel selftests: quality gates as passed, failed and skipped",
	 .write = format_ktap,
	 .of = OF_MEASURED | OF(DOCUMENT_EXACT),
	 .rows_alone = true},
	{.name = "html",
	 .use = "for looking and sending around: one page, no network",
	 .write = format_html,
	 .of = OF_ALL,
	 .stacks = true},
	{.name = "ladder-html",
	 .use = "the ladder as a page: bars, steps, and the functions of each step",
	 .write = format_ladder_html,
	 .of = OF(DOCUMENT_REPORT)},
	{.name = "svg",
	 .use = "a flame graph in ns/packet or instructions/packet, to be opened in a browser",
	 .write = format_svg,
	 .of = OF_BOTH,
	 .stacks = true},
	{.name = "callgrind",
	 .use = "for callgrind_annotate and KCachegrind: exact counts with their call graph",
	 .write = format_callgrind,
	 .of = OF(DOCUMENT_EXACT)},
};
_Static_assert(sizeof(formats) / sizeof(formats[0]) <= FORMATS_MAX, "the help of report would leave formats out");
const size_t nformats = sizeof(formats) / sizeof(formats[0]);

bool format_fits(const struct format *f, enum document_kind of)
{
	enum document_kind exact = of == DOCUMENT_REPORT ? DOCUMENT_EXACT
				   : of == DOCUMENT_DIFF ? DOCUMENT_EXACT_DIFF
							 : of;

	return f->of & (OF(of) | OF(exact));
}

/* "text, json, csv" */
static const char *format_names(enum document_kind of, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < nformats; i++)
		if (format_fits(&formats[i], of))
			listed_add(buf, size, ", ", "%s", formats[i].name);
	return buf;
}

int format_find(const struct format **f, const char *name, enum document_kind of, struct diag *d)
{
	char names[256];

	for (size_t i = 0; i < nformats; i++) {
		*f = &formats[i];
		if (!strcmp(formats[i].name, name) && format_fits(&formats[i], of))
			return 0;
	}
	return diag_set(d, -EINVAL, "--format %.32s: %s writes %s", name, document_names[of],
			format_names(of, names, sizeof(names)));
}

int format_write(const struct format *f, FILE *out, struct document *d, int err, const struct render_options *o)
{
	if (!err)
		err = f->write(out, d, o);
	document_release(d);
	return err;
}
