/*
 * document - a result of any kind, as all formats show it: an answer in a sentence, facts, tables, gates
 *
 * in:    what was analysed, counted or compared; borrowed, must outlive the document
 * out:   struct document, owned by the caller: one row that holds all members of the result's JSON, and the sections of
 *        what people read. A format is one function over it
 * units: as the heads and notes of the rows say
 * law:   all that is computed or worded for more than one format is in here. A format that needs more, such as call
 *        paths, takes it from what the document was made of; nothing is in here for the sake of one format
 * error: -ENOMEM; the document is to be released all the same
 *
 * To add a kind: its line in enum document_kind and in document_names[], and a function document_of_...(). Text, JSON,
 * Markdown and a page show it then; other formats, if they have its bit.
 */
#ifndef REPORTS_DOCUMENT_H
#define REPORTS_DOCUMENT_H

#include "base/sheet/rows.h"
#include "reports/compare/compare.h"
#include "reports/document/sentence.h"
#include "reports/exact/exact_diff.h"
#include "reports/explain/explain.h"
#include "reports/why/why.h"

enum document_kind {
	DOCUMENT_REPORT,
	DOCUMENT_DIFF,
	DOCUMENT_EXACT,
	DOCUMENT_EXACT_DIFF,
	DOCUMENT_EXPLAIN,
	DOCUMENT_WHY,
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

struct document {
	enum document_kind kind;
	const char *schema;       /* of its JSON */
	char line[2][800];        /* what was measured or counted, and on what; the second run of two, or "" */
	struct sentence answer;   /* of what compares; else empty */
	const char *ids[2];       /* of what compares two variants: base and new; else NULL */
	const char *second;       /* how a page introduces line[1]; NULL: "against" */
	const char *units;        /* what a page says of its numbers; NULL: that they are costs, or exact counts */
	const char *whole;        /* what the cost of a variant as a whole is called: "base", "total" */
	struct rows rows;         /* one row; its table "variants" holds the variants of a result that has several */
	struct rows symbols;      /* of a report, whose run may have no variants: the columns of a table "symbols" */
	struct section *sections; /* the whole, then the variants */
	size_t nsections;

	/* What it was made of: the members of its kind, the others are NULL. only: one variant instead of all. */
	const struct analysis *analysis;
	const struct analysis_variant *only;
	const struct compare *compare;
	const struct exact *exact;
	const struct exact_variant *exact_only;
	const struct exact_diff *exact_diff;
	const struct explain *explain;
	const struct why *why;
};

/* only: one variant instead of all; NULL: all. */
int document_of_report(struct document *d, const struct analysis *a, const struct analysis_variant *only);
int document_of_diff(struct document *d, const struct compare *c);
int document_of_exact(struct document *d, const struct exact *e, const struct exact_variant *only);
int document_of_exact_diff(struct document *d, const struct exact_diff *diff);
int document_of_explain(struct document *d, const struct explain *e);
int document_of_why(struct document *d, const struct why *w);
void document_release(struct document *d); /* may be called twice */

#endif
