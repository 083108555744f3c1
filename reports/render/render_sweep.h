/*
 * render_sweep - a sweep as a table
 *
 * in:    a sweep, borrowed
 * out:   text: a row for each point and variant, then lines
 *        where a law is expected, such as ns = a + b·bytes, then the parameters by how much they matter. CSV and
 *        JSON Lines: the same rows
 * units: ns per packet, millions of packets per second
 * law:   all layouts show the same rows in the same order; what is not known is "-", empty or null
 * error: -errno of the stream, -ENOMEM
 */
#ifndef REPORTS_RENDER_SWEEP_H
#define REPORTS_RENDER_SWEEP_H

#include <stdio.h>
#include "reports/sweep/sweep.h"

extern const char render_sweep_rank_words[]; /* a heading */

int render_sweep_text(FILE *out, const struct sweep *s);
int render_sweep_csv(FILE *out, const struct sweep *s);
int render_sweep_jsonl(FILE *out, const struct sweep *s);

#endif
