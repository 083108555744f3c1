/* format.h - a document in each format: text and exports */
#ifndef REPORTS_FORMAT_FORMAT_H
#define REPORTS_FORMAT_FORMAT_H

#include "base/sheet/sheet.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "reports/document/document.h"
#include "reports/exact/exact.h"

/*
 * format - a document in each format
 *
 * units: in headings and member names
 * law:   renderers lay out and never compute: text and JSON show the same numbers
 */

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
	format_changelog, format_folded, format_pprof, format_ktap, format_html, format_ladder_html, format_svg;

/* What format_json() writes. Failures are kept in w. */
json_t *document_json(struct json_out *w, const struct document *d);

/*
 * exact_stacks - the call paths of exact counts, in the form that flame graphs and folded stacks take
 *
 * units: cost: instructions of the innermost function per packet, as fitted; samples: its instructions in all windows
 * law:   the sum of the rows' cost is the variant's instructions per packet, to rounding
 */

int exact_stacks_build(struct stacks *s, const struct exact_variant *v);
int exact_stacks_diff_build(struct stacks_diff *paths, const struct exact_diff *d);

/* Sets of kinds of documents. */
#define KIND(kind)  (1U << (kind))
#define OF_MEASURED (KIND(DOCUMENT_REPORT) | KIND(DOCUMENT_DIFF))
#define OF_EXACT    (KIND(DOCUMENT_EXACT) | KIND(DOCUMENT_EXACT_DIFF))
#define OF_BOTH     (OF_MEASURED | OF_EXACT)
#define OF_DIFFS    (KIND(DOCUMENT_DIFF) | KIND(DOCUMENT_EXACT_DIFF))
#define OF_REPORTS  (OF_BOTH & ~OF_DIFFS)
#define OF_ALL      (KIND(DOCUMENT_KINDS) - 1)
#define OF_LISTS    (OF_ALL & ~(KIND(DOCUMENT_LISTS) - 1))
#define OF_CHECKS   (KIND(DOCUMENT_CHECK) | KIND(DOCUMENT_EXACT_CHECK) | KIND(DOCUMENT_SELFTEST))

struct format {
	const char *name;
	const char *use; /* what it is for, one line */
	format_fn *write;
	unsigned int of; /* the kinds that it can write */
	bool stacks;     /* call paths have to be kept: analysis_options.stacks */
	bool binary;     /* not to be written to a terminal */
	bool joins;      /* several documents can follow each other */
	bool picture;    /* of a measured run: drawn by a plot (page.h); write may be NULL */
};

#define FORMATS_MAX 24 /* room for the names of all */
extern const struct format formats[];
extern const size_t nformats;

/* of: a set, KIND(...). */
int format_of(const struct format **f, const char *name, unsigned int of, struct diag *d);
const char *format_names(unsigned int of, char *buf, size_t size); /* "text, json, csv" */
/* Writes a document and releases it. err: what building it came to; it is returned. */
int format_write(const struct format *f, FILE *out, struct document *d, int err, const struct render_options *o);

/*
 * trust - the verdict of the quality gates of many variants and comparisons, for a reader who does not know the gates
 *
 * law:   a gate of several variants counts once, with its worst verdict. A gate that cannot tell, or whose value is
 *        not known, is not counted as holding; one that is not known for a single variant is not known
 */

struct trust {
	struct quality rows; /* variant: the name that readers see; "" for a run's */
};

/* Rows without a variant get the name. */
int trust_add(struct trust *trust, const struct quality *q, enum quality_gate first, enum quality_gate last,
	      const char *name);
/*
 * Prints at most `lines` lines, 3 or more. Failed checks that do not fit are counted. SIZE_MAX: no limit, and the
 * names of what is inconclusive or not available.
 */
int trust_render(const struct text *t, const struct trust *trust, size_t lines);
/* The checks with a verdict, by name: each once, even if several variants have it. */
void trust_list(const struct text *t, const struct quality *q, enum quality_verdict verdict, const char *label);
/* may be called twice */

#endif
