// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/format.h"

const struct format formats[] = {
	{.name = "text",
	 .use = "for people: on a terminal, in a mail",
	 .write = format_text,
	 .of = OF_ALL,
	 .joins = true},
	{.name = "ladder",
	 .use = "one line per variant, with the step from the variant before it and its largest parts",
	 .write = format_ladder,
	 .of = KIND(DOCUMENT_REPORT)},
	{.name = "json", .use = "for scripts: everything, with a schema", .write = format_json, .of = OF_ALL},
	{.name = "csv",
	 .use = "for spreadsheets: base, components and symbols as one table",
	 .write = format_csv,
	 .of = OF_BOTH | OF_LISTS},
	{.name = "markdown",
	 .use = "to paste into an issue or a review",
	 .write = format_markdown,
	 .of = OF_ALL,
	 .joins = true},
	{.name = "changelog",
	 .use = "for the message of a commit: 72 columns, before and after, how to repeat it",
	 .write = format_changelog,
	 .of = OF_DIFFS},
	{.name = "folded",
	 .use = "for flamegraph.pl: call paths in ps per packet; diff has two columns",
	 .write = format_folded,
	 .of = OF_BOTH,
	 .stacks = true},
	{.name = "pprof",
	 .use = "for go tool pprof: call paths in ps per packet; -diff_base works",
	 .write = format_pprof,
	 .of = KIND(DOCUMENT_REPORT),
	 .stacks = true,
	 .binary = true},
	{.name = "ktap",
	 .use = "for readers of kernel selftests: checks as passed, failed and skipped",
	 .write = format_ktap,
	 .of = OF_MEASURED | KIND(DOCUMENT_EXACT) | OF_CHECKS},
	{.name = "html",
	 .use = "for looking and sending around: one page, no network",
	 .write = format_html,
	 .of = OF_ALL,
	 .stacks = true},
	{.name = "ladder-html",
	 .use = "the ladder as a page: bars, steps, and the functions of each step",
	 .write = format_ladder_html,
	 .of = KIND(DOCUMENT_REPORT)},
	{.name = "svg",
	 .use = "charts of a run or sweep, flame graph of an exact run or a diff",
	 .write = format_svg,
	 .of = OF_BOTH | KIND(DOCUMENT_SWEEP),
	 .stacks = true,
	 .picture = true},
	{.name = "gnuplot",
	 .use = "the script of svg's charts with its data, to be changed: gnuplot writes the picture",
	 .of = KIND(DOCUMENT_REPORT) | KIND(DOCUMENT_SWEEP),
	 .picture = true},
};
_Static_assert(sizeof(formats) / sizeof(formats[0]) <= FORMATS_MAX, "the help of report would leave formats out");
const size_t nformats = sizeof(formats) / sizeof(formats[0]);

const char *format_names(unsigned int of, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & of)
			listed_add(buf, size, ", ", "%s", formats[i].name);
	return buf;
}

int format_of(const struct format **f, const char *name, unsigned int of, struct diag *d)
{
	struct nearest near = {};
	char names[256];

	for (size_t i = 0; i < nformats; i++) {
		if (!(formats[i].of & of))
			continue;
		*f = &formats[i];
		if (!strcmp(formats[i].name, name))
			return 0;
		nearest_try(&near, name, formats[i].name);
	}
	if (near.word)
		return diag_set(d, -EINVAL, "--format %.32s: did you mean %s?", name, near.word);
	return diag_set(d, -EINVAL, "--format %.32s: there is %s", name, format_names(of, names, sizeof(names)));
}

int format_write(const struct format *f, FILE *out, struct document *d, int err, const struct render_options *o)
{
	if (!err)
		err = f->write(out, d, o);
	document_release(d);
	return err;
}
