/*
 * sending - in words: what a rung that sends asks of the kernel besides time
 *
 * in:    what the analysis found; its system calls are known
 * out:   "1.000 system calls per packet, 16.0 per KiB; 1.000 completions per packet, 100 % of them of a copy"
 * units: those of struct analysis_sending
 * law:   the text ends within size
 */
#ifndef REPORTS_SENDING_H
#define REPORTS_SENDING_H

#include <stddef.h>
#include "reports/analysis/analysis.h"

void sending_words(const struct analysis_sending *s, char *text, size_t size);

#endif
