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
#include "base/sheet/json_out.h"
#include "reports/format/format.h"
#include "reports/sweep/sweep.h"

/* A parameter for which a line is expected: its law, the unit of b, and b's decimals. */
struct render_sweep_fit {
	const char *name, *law, *unit;
	int decimals;
};

extern const struct render_sweep_fit render_sweep_fits[]; /* the last one has no name */

int render_sweep_text(FILE *out, const struct sweep *s);
int render_sweep_csv(FILE *out, const struct sweep *s);
int render_sweep_jsonl(FILE *out, const struct sweep *s);
/* page/page_sweep.c: one page. */
int render_sweep_html(FILE *out, const struct sweep *s, const struct render_options *o);
/* The object of a row, owned by the caller. */
json_t *render_sweep_row(struct json_out *w, const struct sweep_row *row);
/* "flows=16,rate=100000": the row's point without parameter p. */
void render_sweep_others(const struct sweep_row *row, size_t p, char name[SWEEP_NAME]);
/* "42.1 ± 1.2"; half NaN: "42.1" */
const char *render_sweep_half(double value, double half, int decimals, char text[64]);

#endif
