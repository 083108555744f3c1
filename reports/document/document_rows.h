/*
 * document_rows - what documents are filled with: each kind of result as rows, and sentences that every layout shows
 *
 * in:    what was analysed, compared or counted; borrowed, must outlive the rows
 * out:   rows, owned by the caller; text in the caller's buffer
 * units: ns per packet; of a second stage, per frame that it took up. Instructions, calls, loads, stores and lines of
 *        64 bytes per packet; instructions per poll and per wakeup. Other units stand in heads and notes. Changes are
 *        new minus base. ± of a count is the largest deviation of a window from the model, or of the model without it,
 *        and no interval
 * law:   as rows.h. Whether chance explains a change is decided here, once for every layout. A count that a run did not
 *        take is not known, never 0; a cost that is not known is named as such, never left out
 * error: -ENOMEM; the rows are to be released all the same. Text that does not fit is cut
 */
#ifndef REPORTS_DOCUMENT_ROWS_H
#define REPORTS_DOCUMENT_ROWS_H

#include <stdbool.h>
#include "base/sheet/rows.h"
#include "reports/compare/compare.h"
#include "reports/exact/exact_diff.h"
#include "reports/explain/explain.h"
#include "reports/why/why.h"

/* One row: the variants in a table, and what is known of the run as a whole. only: one variant; NULL: all. */
int report_rows(struct rows *r, const struct analysis *a, const struct analysis_variant *only);
int exact_rows(struct rows *r, const struct exact *e, const struct exact_variant *only);
/* A row per variant: where it was counted, and its cost as a whole. */
int exact_overview_rows(struct rows *r, const struct exact *e, const struct exact_variant *only);
/* The columns of a report's symbols, also of a run without variants. */
void report_symbol_columns(struct rows *r);

/* One row: the sides, and the changes of facilities, symbols, ... base, new: what the sides are called. */
int diff_rows(struct rows *r, const struct compare *c, const char *base, const char *new);
/*
 * The steps from one base to the other, "delta_ns", as a waterfall shows them: the base, whose row has the class
 * "whole"; the facilities that cost less in the new variant; those that cost more (both from the largest change down);
 * the unattributed part; the new base, likewise "whole". The steps add up to it.
 */
int diff_step_rows(struct rows *r, const struct compare *c, const char *base, const char *new);
int exact_diff_rows(struct rows *r, const struct exact_diff *d);

/* One row: the coefficients, what carries each difference, functions that do not fit, and the variants. */
int explain_rows(struct rows *r, const struct explain *e);

/* One row: the verdict, its evidence, the ledger, and what changed. */
int why_rows(struct rows *r, const struct why *w);

/* "veth0 (veth), Linux 6.18.0, Some CPU, cpu-clock at 397 Hz, 36 blocks, 2026-01-02T03:04:05Z" */
void run_words(const struct run *r, char *line, size_t size);
/* "veth, Linux 6.12.117, counted by QEMU 7.2.22, 2026-01-02T03:04:05Z" */
void exact_words(const struct exact *e, char *line, size_t size);
/* What is known of a second stage: "89 ± 16 ns per frame: what it is; 0.2 % of the frames dropped before it" */
void stage_words(const struct analysis_variant *v, char *line, size_t size);
/*
 * What of the kernels of two runs differs: options of their configurations, the mode of preemption, boot parameters
 * that change costs. An option that one kernel does not have counts as off; where one side is not known, nothing is
 * said. False: nothing differs.
 */
bool config_words(const struct run *base, const struct run *new, char *line, size_t size);

#endif
