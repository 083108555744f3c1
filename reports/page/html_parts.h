/*
 * html_parts - the parts of a page; nobody outside of reports/ includes this
 *
 * in:    what was analysed and compared, borrowed
 * out:   HTML into the page's stream; the script (assets/page.js) draws charts from its tables, and from the numbers in
 *        the "data-" attributes of figures
 * units: as the headings say
 * law:   nothing here computes a fact. Every value goes through markup(). Words and tables are whole without scripts:
 *        a figure says in words what its chart shows
 * error: sticky in the stream; -ENOMEM from what builds rows
 */
#ifndef REPORTS_HTML_PARTS_H
#define REPORTS_HTML_PARTS_H

#include <stdio.h>
#include "base/sheet/json_out.h"
#include "base/sheet/rows.h"
#include "reports/compare/overview.h"
#include "reports/document/document.h"
#include "reports/page/flame.h"
#include "reports/format/format.h"

/* ---- the page around ---- */
#define HTML_COSTS "Costs are ns/packet; ± is a 95 % interval."
#define HTML_COUNTS                                                                                                    \
	"Instructions and calls per packet, counted under emulation. ± is how far a window is off the model at most, " \
	"or moves it; a count without ± is exact."

void html_begin(FILE *out, const char *title);
/* line: what was measured or counted, and on what. */
void html_top(FILE *out, const char *what, const char *line);
/* The command that made the page, and where the data can be saved. Section and content are open; they end here. */
void html_page_command(FILE *out, const struct render_options *o);
/* The data of the page, which is taken over, for those who want to go on with it. words: what the numbers are. */
int html_end(FILE *out, const struct json_out *w, json_t *data, const char *words);

/* The style sheet and the script, built in, without escaping: neither holds "</" of its own element, nor "]]>". */
struct html_asset {
	const char *text, *digest; /* digest: "sha256-...", with which a page runs these and nothing else */
};

extern const struct html_asset html_page_css, html_page_js;

/* ---- tables: "-" where a number is not known; the whole number goes along for scripts ---- */
/* The names of the columns "base_..." and "new_..." on a page that compares. */
struct html_names {
	const char *base, *new;
};
/* "native" and "generic" where the two sides differ in nothing else, else "base" and "new". */
void html_short_sides(const struct compare *c, const char **base, const char **new);
void html_short_exact_sides(const struct exact_diff *d, const char **base, const char **new);

/* How rows are laid out; only class has to be there. */
struct html_table {
	const char *class;
	const struct html_names *names; /* NULL: the heads of the columns */
	const struct html_names *sides; /* what the column "side" calls rows of the classes "base" and "new" */
	const char *chart;              /* what the script draws in the table */
	const char *link;               /* the column whose cells lead to the id in the row's column "to" */
	const struct rows *foot;        /* of the same columns, below the table */
};
/* Writes nothing if the rows hold nothing for people. */
void html_table(FILE *out, const struct rows *r, const struct html_table *how);
/* The tables in the cells of a row, with their heads: those of the keys, which end with NULL; keys NULL: all. */
void html_tables(FILE *out, const struct rows *r, size_t row, const char *const *keys, const struct html_names *names);
/* The symbols of a comparison, and the sum of their changes. */
int html_changes_table(FILE *out, const struct rows *diff, const struct html_names *names);
/* in: IN_FACTS or IN_PLAIN. */
void html_facts(FILE *out, const struct rows *r, size_t row, unsigned int in);

/* "all 24 quality gates are ok", or how many are not, as a paragraph that leads to the table. */
void html_gates_verdict(FILE *out, const struct document *d);
void html_gates_section(FILE *out, const struct document *d);

void html_environment(FILE *out, const struct run *r);

/* ---- figures: tables and words; the script draws beside them ---- */
int html_overview_table(FILE *out, const struct overview *v);
int html_waterfall(FILE *out, const struct compare *c);
/* Both sides as bars, of the waterfall in the same section. */
void html_bars(FILE *out, const struct compare *c);
/* steps: of each variant, the step to it from the rung below, or NULL. They lead to "step-0", ..., "stage-0", ... */
int html_rungs(FILE *out, const struct analysis *a, const struct analysis_variant *only,
	       const struct compare *const *steps);
/* Windows over the time of the run, turns and polls as histograms. v: the overview of a report, else empty. */
bool html_has_polls(const struct document *d, const struct overview *v);
int html_run_sections(FILE *out, const struct document *d, const struct overview *v);

/* ---- flame graphs ---- */
/*
 * 1, 2 or 5 times a power of ten, so that at most n of them fit below top. NaN, which ends every loop over ticks: top
 * is infinite, or so small that nothing is between it and 0.
 */
double html_tick_step(double top, int n);
/* With what it shows, in words, and a place for what is under the pointer. Nothing where a flame has no frames. */
void html_flame_figure(FILE *out, const struct flame *f);

#endif
