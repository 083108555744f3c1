/*
 * format - a document in each format
 *
 * in:    struct document, of one of the kinds that formats.c names; borrowed
 * out:   written to the caller's stream; text is UTF-8, prose in 80 columns; JSON is
 *        one object with a schema, such as "xdpzoom.report/1"; unknown numbers are null
 * units: in headings and member names
 * law:   renderers lay out and never compute: text and JSON show the same numbers
 * error: -EIO (or what errno says, -ENOSPC) when the stream failed, -ENOMEM
 */
#ifndef REPORTS_FORMAT_H
#define REPORTS_FORMAT_H

#include <stdio.h>
#include "base/sheet/json_out.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "reports/compare/overview.h"
#include "reports/document/document.h"

#define RENDER_SYMBOLS 12 /* symbols that text shows; the others are summed up */

/* Text: all; the answer in SHORT_LINES; that and facts and functions. */
enum text_detail { TEXT_FULL, TEXT_SHORT, TEXT_VERBOSE };
#define SHORT_LINES 24

struct render_options {
	enum text_detail detail;
	size_t lines;        /* of short text; 0: SHORT_LINES */
	bool colour;         /* the caller knows about terminals and NO_COLOR */
	size_t max_symbols;  /* 0: RENDER_SYMBOLS */
	size_t columns;      /* width of the text; 0: as wide as its tables are, names are never cut */
	const char *command; /* the command line that made the report; NULL: not known */
	/* For the commands to type next: this program and the run directory. dir NULL: none is to be shown. */
	const char *program, *dir;
	/* The same variants when their frames came from another CPU, for the summary; NULL: not measured. */
	const struct analysis *crossing;
};

typedef int format_fn(FILE *out, const struct document *d, const struct render_options *o);

format_fn format_text, format_short, format_summary, format_ladder, format_json, format_csv, format_markdown,
	format_changelog, format_folded, format_pprof, format_benchstat, format_openmetrics, format_jsonl, format_ktap,
	format_html, format_ladder_html, format_svg;

/* What format_json() writes, as an object that the caller owns. Failures are kept in w. */
json_t *document_json(struct json_out *w, const struct document *d);

/* The table of an overview: native beside skb. */
int render_overview_table(FILE *out, const struct overview *v, const struct render_options *o);

#endif
