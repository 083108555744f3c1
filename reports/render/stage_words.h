/*
 * stage_words - what is known of a variant's second stage, in one line
 *
 * in:    an analysed variant that redirects, borrowed
 * out:   "89 ± 16 ns per frame, ...: what it is; 0.2 % of the frames dropped before it"
 * units: ns per frame that the second stage took up
 * law:   says of what it costs that it is not known rather than nothing
 * error: none; what does not fit is cut
 */
#ifndef REPORTS_STAGE_WORDS_H
#define REPORTS_STAGE_WORDS_H

#include "reports/analysis/analysis.h"

void stage_words(const struct analysis_variant *v, char *line, size_t size);

#endif
