/*
 * report_words - sentences about a run and its variants that every layout shows
 *
 * in:    a run or an analysed variant, borrowed
 * out:   text in the caller's buffer
 * units: ns per frame that the second stage took up
 * law:   a cost that is not known is named as such, never left out
 * error: none; what does not fit is cut
 */
#ifndef REPORTS_REPORT_WORDS_H
#define REPORTS_REPORT_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "reports/analysis/analysis.h"

/* "veth0 (veth), Linux 6.18.0, Some CPU, cpu-clock at 397 Hz, 36 blocks, 2026-01-02T03:04:05Z" */
void run_words(const struct run *r, char *line, size_t size);

/* What is known of a second stage: "89 ± 16 ns per frame: what it is; 0.2 % of the frames dropped before it" */
void stage_words(const struct analysis_variant *v, char *line, size_t size);

/*
 * What of the kernels of two runs differs: options of their configurations, the mode of preemption, boot parameters
 * that change costs. An option that one kernel does not have counts as off; where one side is not known, nothing is
 * said.
 * False: nothing differs.
 */
bool config_words(const struct run *base, const struct run *new, char *line, size_t size);

#endif
