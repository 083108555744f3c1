/*
 * render - what was analysed and compared, as text for people and JSON for scripts
 *
 * in:    struct analysis, struct compare, struct overview; borrowed
 * out:   written to the caller's stream; text is UTF-8, prose in 80 columns; JSON is
 *        one object with a schema, "xdpzoom.report/1" or "xdpzoom.diff/1"; unknown numbers are null
 * units: in headings and member names
 * law:   renderers lay out and never compute: text and JSON show the same numbers
 * error: -EIO (or what errno says, -ENOSPC) when the stream failed, -ENOMEM
 */
#ifndef REPORTS_RENDER_H
#define REPORTS_RENDER_H

#include <stdio.h>
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "reports/compare/overview.h"
#include "reports/document/document.h"

#define RENDER_SYMBOLS 12 /* symbols that text shows; the others are summed up */

struct render_options {
	bool colour;         /* the caller knows about terminals and NO_COLOR */
	size_t max_symbols;  /* 0: RENDER_SYMBOLS */
	size_t columns;      /* width of the text; 0: as wide as its tables are, names are never cut */
	const char *command; /* the command line that made the report; NULL: not known */
	/* For the commands to type next: this program and the run directory. dir NULL: not known. */
	const char *program, *dir;
	/* The same variants when their frames came from another CPU, for the summary; NULL: not measured. */
	const struct analysis *crossing;
};

typedef int format_fn(FILE *out, const struct document *d, const struct render_options *o);

format_fn format_json, format_csv;

/* only: one variant instead of all; NULL: all. formats.h has a line for each. */
typedef int render_report(FILE *out, const struct analysis *a, const struct analysis_variant *only,
			  const struct render_options *o);
typedef int render_diff(FILE *out, const struct compare *c, const struct render_options *o);

render_report render_report_text, render_report_summary, render_report_ladder, render_report_ladder_html,
	render_report_markdown, render_report_folded, render_report_speedscope, render_report_pprof,
	render_report_benchstat, render_report_openmetrics, render_report_jsonl, render_report_html, render_report_svg;
render_diff render_diff_text, render_diff_markdown, render_diff_folded, render_diff_html, render_diff_svg;

/* Exact counts (reports/exact/): instructions instead of ns. */
typedef int render_exact(FILE *out, const struct exact *e, const struct exact_variant *only,
			 const struct render_options *o);
typedef int render_exact_diff(FILE *out, const struct exact_diff *d, const struct render_options *o);

render_exact render_exact_text, render_exact_markdown, render_exact_folded, render_exact_openmetrics,
	render_exact_callgrind, render_exact_html, render_exact_svg;
render_exact_diff render_exact_diff_text, render_exact_diff_markdown, render_exact_diff_folded, render_exact_diff_html,
	render_exact_diff_svg;

/* Measured ns beside exact counts (reports/explain/). */
typedef int render_explain(FILE *out, const struct explain *e, const struct render_options *o);

render_explain render_explain_text, render_explain_markdown, render_explain_html;

/* What was measured and on what, then native beside skb. */
int render_overview_text(FILE *out, const struct overview *v, const struct render_options *o);
/* Only the table of render_overview_text(). */
int render_overview_table(FILE *out, const struct overview *v, const struct render_options *o);

#endif
