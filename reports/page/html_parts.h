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
#include "reports/compare/compare.h"
#include "reports/page/flame.h"
#include "reports/compare/overview.h"
#include "reports/page/timeline.h"
#include "base/sheet/json_out.h"
#include "reports/render/render.h"
#include "base/sheet/rows.h"

/* Which of two colours a variant has: base (native, or the first of two) or new. */
enum html_side { HTML_BASE, HTML_NEW };

const char *html_side_class(enum html_side side); /* "base" "new" */
/* "native" and "generic" where they differ in nothing else, else "base" and "new". */
void html_short_sides(const struct compare *c, const char **base, const char **new);
void html_short_exact_sides(const struct exact_diff *d, const char **base, const char **new);

/* ---- the page around ---- */
void html_begin(FILE *out, const char *title);
/* line: what was measured or counted, and on what. */
void html_top(FILE *out, const char *what, const char *line);
/* The command that made the page, and where the data can be saved. The section is open; it ends here. */
void html_page_command(FILE *out, const struct render_options *o);
/* The data of the page, for those who want to go on with it. Takes o over. */
int html_embed(FILE *out, const struct json_out *w, json_t *o);
/* words: what the numbers are, in a sentence. */
void html_end(FILE *out, const char *words);

/* ---- tables: "-" where a number is not known; the whole number goes along for scripts ---- */
/* The names of the columns "base_..." and "new_..." on a page that compares. */
struct html_names {
	const char *base, *new;
};
/* How rows are laid out; only class has to be there. */
struct html_table {
	const char *class;
	const struct html_names *names; /* NULL: the heads of the columns */
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
void html_facts(FILE *out, const struct rows *r, size_t row);

struct html_gates {
	const struct quality *lists[64];
	size_t nlists;
};
/* "all 24 quality gates are ok", or how many are not, as a paragraph that leads to the table. */
void html_gates_verdict(FILE *out, const struct html_gates *g);
void html_gates_add(struct html_gates *g, const struct quality *q);
void html_gates_section(FILE *out, const struct html_gates *g);

void html_environment(FILE *out, const struct run *r);

/* ---- figures: tables and words; the script draws beside them ---- */
int html_overview_table(FILE *out, const struct overview *v);
int html_waterfall(FILE *out, const struct compare *c);
/* Both sides as bars, of the waterfall in the same section. */
void html_bars(FILE *out, const struct compare *c);
/* A rung of a ladder, and the step to it from the rung below; step NULL: there is none. */
struct html_rung {
	const struct analysis_variant *v;
	const struct compare *step;
};
/* Steps lead to the sections "step-0", "step-1", ... and of second stages "stage-0", ... */
int html_rungs(FILE *out, const struct html_rung *rungs, size_t n);
/* Histograms of single turns or windows, and of packets per poll; nothing where there are none. */
void html_spread(FILE *out, const struct analysis_variant *v, enum html_side side);
void html_polls(FILE *out, const struct analysis_variant *v, enum html_side side);
/* The windows of two variants (one may be NULL) over the time of a run, block by block. */
int html_strip(FILE *out, const struct timeline *t, const struct analysis_variant *base,
	       const struct analysis_variant *new);

/* ---- flame graphs ---- */
/*
 * 1, 2 or 5 times a power of ten, so that at most n of them fit below top. NaN, which ends every loop over ticks: top
 * is infinite, or so small that nothing is between it and 0.
 */
double html_tick_step(double top, int n);
/* One <svg>. alone: with its colours, for viewers that know no style sheets. */
void html_flame_svg(FILE *out, const struct flame *f, const char *label, bool alone);
unsigned int html_flame_height_px(const struct flame *f);
/* html_stage.c: of v's second stage; nothing where its task has no samples, or no call paths. */
int html_stage_flame(FILE *out, const struct analysis_variant *v);
/* What differs between both second stages, by facility, symbol and call path; nothing where one of them has none. */
int html_stage_difference(FILE *out, const struct compare *c);
/* With what it shows, in words, and a place for what is under the pointer. Nothing where a flame has no frames. */
void html_flame_figure(FILE *out, const struct flame *f);
void html_flame_difference_figure(FILE *out, const struct flame *f);

#endif
