/* document.h - a result of any kind as one document of rows, for every format; its answer */
#ifndef REPORTS_DOCUMENT_DOCUMENT_H
#define REPORTS_DOCUMENT_DOCUMENT_H

#include "base/sheet/sheet.h"
#include "reports/compare/compare.h"
#include "reports/exact/exact.h"
#include "reports/explain/explain.h"
#include "reports/history/history.h"
#include "reports/run/run.h"
#include "reports/sweep/sweep.h"
#include "reports/why/why.h"

/*
 * sentence - the result of a comparison in one sentence
 *
 * units: ns per packet; instructions per packet for exact counts
 * law:   the sentence is "do not differ measurably" exactly if the interval of the difference contains zero, and both
 *        sides were equally busy (compare_busy_alike()). It names only the modes if the variants differ in nothing else
 */

struct sentence {
	char before[360 + 2 * RUN_ID_BYTES], number[64], after[360 + 2 * RUN_ID_BYTES];
};

#define SENTENCE_BYTES sizeof(struct sentence) /* room for the three parts as one text */

void sentence_of_difference(struct sentence *s, const struct compare *c);
/* Adds ", with what waking up costs: ..." where a receiver slept (analysis_sleeps()) and s does not say so. */
void sentence_add_waking(struct sentence *s, const struct compare *c);

void sentence_of_exact(struct sentence *s, const struct exact_diff *d);

/* Names of two sides: their modes ("generic" for skb) if they differ in nothing else, or their ids; is it the modes? */
bool sentence_sides(const char *base_id, const char *new_id, const char **base, const char **new);

/*
 * The largest parts of the difference: "+84.9 stack entry, +81.4 skb free, -21.1 page recycling". Contains at most max
 * components, largest first, and only those whose change chance does not explain; "": there are none.
 */
void sentence_of_parts(const struct compare *c, size_t max, char *line, size_t size);

/*
 * document - a result of any kind, as all formats show it: an answer in a sentence, facts, tables, gates
 *
 * units: as the heads and notes of the rows say
 * law:   all that is computed or worded for more than one format is in here. A format that needs more, such as call
 *        paths, takes it from what the document was made of; nothing is in here for the sake of one format
 */

enum document_kind {
	DOCUMENT_REPORT,
	DOCUMENT_DIFF,
	DOCUMENT_EXACT,
	DOCUMENT_EXACT_DIFF,
	DOCUMENT_EXPLAIN,
	DOCUMENT_WHY,
	DOCUMENT_LISTS, /* what follows are tables alone, and the answer below them */
	DOCUMENT_HISTORY = DOCUMENT_LISTS,
	DOCUMENT_CHECK,
	DOCUMENT_EXACT_CHECK,
	DOCUMENT_SELFTEST,
	DOCUMENT_SWEEP,
	DOCUMENT_MATRIX,
	DOCUMENT_KINDS
};
extern const char *const document_names[DOCUMENT_KINDS]; /* "report", "exact diff" */

/* What people read under one heading: facts and tables, which are the cells of a row, and gates. */
struct section {
	const char *title; /* the id of a variant; NULL: of the result as a whole */
	const struct rows *rows;
	size_t row;
	const struct quality *gates; /* NULL: it has none */
	bool empty;                  /* it has no facts and no tables; of a variant: there is no block with packets */
	size_t times;                /* so many times as many rows of its tables are shown as of a variant's */
	/* The variant, as far as it was measured or counted; NULL: it was not, or this is the whole. */
	const struct analysis_variant *measured;
	const struct exact_variant *counted;
};

#define SWEEP_COLUMNS 16

struct document {
	enum document_kind kind;
	const char *schema;       /* of its JSON */
	char line[2][800];        /* what was measured or counted, and on what; the second run of two, or "" */
	struct sentence answer;   /* of what compares; else empty */
	const char *ids[2];       /* of what compares two variants: base and new; else NULL */
	const char *sides[2];     /* what heads call them: as sentence_sides(), but "base" and "new" for long ids */
	const char *second;       /* how a page introduces line[1]; NULL: "against" */
	const char *units;        /* what a page says of its numbers; NULL: that they are costs, or exact counts */
	const char *check;        /* of a list: what KTAP calls the check of each variant; NULL: the rows name theirs */
	const char *whole;        /* what the cost of a variant as a whole is called: "base", "total" */
	struct rows rows;         /* one row; its table "variants" holds the variants of a result that has several */
	struct rows symbols;      /* of a report, whose run may have no variants: the columns of a table "symbols" */
	struct section *sections; /* the whole, then the variants */
	size_t nsections;

	/* What it was made of: the members of its kind, the others are NULL. only: one variant instead of all. */
	const struct analysis *analysis;
	const struct analysis_variant *only;
	struct overview overview; /* of a report */
	const struct compare *compare;
	const struct exact *exact;
	const struct exact_variant *exact_only;
	const struct exact_diff *exact_diff;
	const struct explain *explain;
	const struct why *why;
	const struct sweep *sweep;
	const struct matrix *matrix;
	struct column columns[SWEEP_COLUMNS]; /* of a sweep's points */
};

/* Variants of a report, or of exact counts, that are held against each other; of one variant alone none. */
struct match {
	size_t number; /* of the row of the overview; of the layer; of the native variant of exact counts */
	struct compare compare;
	struct exact_diff exact; /* of counts, instead */
};

struct matches {
	struct match *list;
	size_t n;
};

/* ALL: also those of which one had no packets. LAYERS: each with the last layer below it that is no branch. */
enum matches_of { MATCHES_MEASURED, MATCHES_ALL, MATCHES_LAYERS };
int matches_build(struct matches *p, const struct document *d, enum matches_of of);
const struct match *matches_find(const struct matches *p, size_t number); /* NULL: there is none */
void matches_release(struct matches *p);                                  /* may be called twice */

int document_of_report(struct document *d, const struct analysis *a, const struct analysis_variant *only);
int document_of_diff(struct document *d, const struct compare *c);
int document_of_exact(struct document *d, const struct exact *e, const struct exact_variant *only);
int document_of_exact_diff(struct document *d, const struct exact_diff *diff);
int document_of_explain(struct document *d, const struct explain *e);
int document_of_why(struct document *d, const struct why *w);
int document_of_history(struct document *d, const struct history_list *l);
/* all: the history of both runs, of which the changes at this run are shown; empty: none are. */
int document_of_check(struct document *d, const struct regression *c, const struct history_list *all, int64_t run);
int document_of_exact_check(struct document *d, const struct exact_check *c, const struct history_list *all,
			    int64_t run);
int document_of_matrix(struct document *d, const struct matrix *m);
int document_of_sweep(struct document *d, const struct sweep *s);
int document_of_selftest(struct document *d, const struct checks *c);
void document_release(struct document *d); /* may be called twice */

/*
 * document_rows - what documents are filled with: each kind of result as rows, and sentences that every layout shows
 *
 * units: ns per packet; of a second stage, per frame that it took up. Instructions, calls, loads, stores and lines of
 *        64 bytes per packet; instructions per poll and per wakeup. Other units stand in heads and notes. Changes are
 *        new minus base. ± of a count is the largest deviation of a window from the model, or of the model without it,
 *        and no interval
 * law:   as rows.h. Whether chance explains a change is decided here, once for every layout. A count that a run did not
 *        take is not known, never 0; a cost that is not known is named as such, never left out
 */

/*
 * One row: the variants in a table, and what is known of the run as a whole. only: one variant; NULL: all, and native
 * beside skb.
 */
int report_rows(struct rows *r, const struct analysis *a, const struct analysis_variant *only,
		const struct overview *v);
/* Adds a table of these keys for each kind: a row for each row of the overview. */
void overview_rows(struct rows *parent, const struct overview *v);
extern const char *const overview_keys[OVERVIEW_KINDS];
/* The layers of a report, each with the step to it from the layer below, and its second stage. */
int ladder_rows(struct rows *r, const struct document *d, const struct matches *steps);
int exact_rows(struct rows *r, const struct exact *e, const struct exact_variant *only);
/* A row per variant: where it was counted, and its cost as a whole. */
int exact_overview_rows(struct rows *r, const struct exact *e, const struct exact_variant *only);
/* The columns of a report's symbols, also of a run without variants. */
void report_symbol_columns(struct rows *r);

/* One row: the sides, and the changes of components, symbols, ... base, new: what the sides are called. */
int diff_rows(struct rows *r, const struct compare *c, const char *base, const char *new);
/*
 * The steps from one base to the other, "delta_ns", as a waterfall shows them: the base, whose row has the class
 * "whole"; the components that cost less in the new variant; those that cost more (both from the largest change down);
 * the unattributed part; the new base, likewise "whole". The steps add up to it.
 */
int diff_step_rows(struct rows *r, const struct compare *c, const char *base, const char *new);
int exact_diff_rows(struct rows *r, const struct exact_diff *d);

int explain_rows(struct rows *r, const struct explain *e);

int why_rows(struct rows *r, const struct why *w);

/* One row, whose tables are the list: of a result that is judged "variants" or "checks". */
int history_rows(struct rows *r, const struct history_list *l);
int check_rows(struct rows *r, const struct regression *c, const struct history_list *all, int64_t run);
int exact_check_rows(struct rows *r, const struct exact_check *c, const struct history_list *all, int64_t run);
int matrix_rows(struct rows *r, const struct matrix *m);
int sweep_rows(struct rows *r, const struct sweep *s, struct column columns[SWEEP_COLUMNS]);
int selftest_rows(struct rows *r, const struct checks *c);

/* "veth0 (veth), Linux 6.18.0, Some CPU, cpu-clock at 397 Hz, 36 blocks, 2026-01-02T03:04:05Z" */
void run_words(const struct run *r, char *line, size_t size);
/* "veth, Linux 6.12.117, counted by QEMU 7.2.22, 2026-01-02T03:04:05Z" */
void exact_words(const struct exact *e, char *line, size_t size);
/* What is known of a second stage: "89 ± 16 ns per frame: what it is; 0.2 % of the frames dropped before it" */
void stage_words(const struct analysis_variant *v, char *line, size_t size);
/* Options, preemption and boot parameters that differ; an option that one kernel lacks is off. False: none is known. */
bool config_words(const struct run *base, const struct run *new, char *line, size_t size);

/* ---- what the files that fill rows share */

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

/* What no function accounts for, as CSV has it. */
void variant_rest_row(struct rows *parent, const struct analysis_variant *v);
void variant_component_rows(struct rows *parent, const char *key, const struct analysis_variant *v);
void variant_tag_rows(struct rows *parent, const struct analysis_variant *v);
void variant_symbol_rows(struct rows *parent, const char *key, const struct analysis_variant *v);
void variant_line_rows(struct rows *parent, const struct analysis_variant *v);
void variant_block_rows(struct rows *parent, const struct analysis_variant *v);
void variant_cpu_rows(struct rows *parent, const struct analysis_variant *v);
void variant_counter_rows(struct rows *parent, const struct analysis_variant *v);
void variant_stage_rows(struct rows *parent, const struct analysis_variant *v);
void variant_sending_rows(struct rows *parent, const struct analysis_variant *v);
void quality_rows(struct rows *parent, const char *key, const struct quality *q);

/* Rows of a report's columns in a cell, and a row of numbers alone, without tables, for one side of a comparison. */
struct rows *report_rows_table(struct rows *parent, const char *key);
void report_rows_side(struct rows *r, const struct analysis_variant *v, const char *side);

/* What a variant was measured or counted with: kernel's compiler, program under test, emulator. */
#define MADE_COLUMNS                                                                                                   \
	{"program_tag", NULL, CELL_WORDS, IN_JSON}, {"program_instructions", NULL, CELL_COUNT, IN_JSON},               \
		{"program_bytes", NULL, CELL_COUNT, IN_JSON},                                                          \
	{                                                                                                              \
		"made_words", "made with", CELL_WORDS, IN_FACTS                                                        \
	}
void made_rows_put(struct rows *r, const struct made *m);
/* Puts "made_words" if something differs, and returns whether. */
bool made_rows_change(struct rows *r, const struct made *base, const char *base_id, const struct made *new,
		      const char *new_id);

#endif
