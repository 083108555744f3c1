/*
 * sending - what a rung that sends asks of the kernel besides time: system calls and completions
 *
 * in:    an analysed variant
 * out:   sums over its used blocks, per frame that the kernel took; calls also per KiB of frames
 * units: calls, completions; a KiB is 1024 bytes of whole frames without FCS
 * law:   false: the variant sends nothing by itself, or its blocks do not know
 */
#ifndef REPORTS_SENDING_H
#define REPORTS_SENDING_H

#include <stdbool.h>
#include <stddef.h>
#include "reports/analysis/analysis.h"

struct sending {
	double calls, calls_kib; /* calls_kib NaN: the length of the frames is not known */
	double ns_kib;           /* NaN: its packets are no segments of TCP */
	double completions;      /* that came */
	double owed;             /* that did not come */
	double copied;           /* part of those that came, 0 .. 1; NaN: none came */
};

bool sending_of(struct sending *s, const struct analysis_variant *v);
/* "1.000 system calls per packet, 16.0 per KiB; 1.000 completions per packet, 100 % of them of a copy" */
void sending_words(const struct sending *s, char *text, size_t size);

#endif
