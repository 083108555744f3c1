/*
 * fuzz - what the fuzz targets of perfparse share
 *
 * in:    bytes from libFuzzer
 * out:   a scanner over them; a broken law ends the program
 * law:   whatever the bytes are: a sentence for every refusal, and what is accepted keeps the laws
 *        of its header
 * error: none
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sheet/sheet.h"
#include "perfparse/perfparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_law(int holds, const char *law)
{
	if (holds)
		return;
	fprintf(stderr, "broken law: %s\n", law);
	abort();
}

/* fmemopen() refuses nothing to read. */
static inline FILE *fuzz_open(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	fuzz_law(in != NULL, "memory can be opened");
	return in;
}

static inline void fuzz_refusal(int err, const struct diag *d)
{
	fuzz_law(err <= 0, "0 or -errno");
	fuzz_law(!err == !d->text[0], "a sentence for every refusal, and only then");
}

/* Rows as JSON and CSV; they are released. */
static inline void fuzz_rows(struct rows *r, FILE *out)
{
	struct json_out w = {};
	json_t *o = json_object();

	fuzz_law(!rows_error(r), "rows have all columns that are filled");
	json_rows_put(&w, o, r, 0);
	fuzz_law(!json_out_write(&w, o, out, 0), "every value has a form in JSON");
	csv_rows(out, r, 15);
	rows_release(r);
}

/* Everything that can be printed of a profile, and the closure of its costs. */
static inline void fuzz_costs(struct profile *p, struct components *f)
{
	struct cost_render r = {.profile = p, .components = f, .symbols = true};
	struct diag d = {""};
	struct cost_table t;
	double sum_ns = 0;
	struct rows rows;
	FILE *out;
	size_t i;
	int err = cost_table_build(&t, p, f, 100, &d);

	fuzz_refusal(err, &d);
	if (err)
		return;
	for (i = 0; i < t.nrows; i++)
		sum_ns += t.rows[i].self_pct >= 0 ? t.rows[i].self_ns : 0;
	if (!isnan(t.unattributed_ns))
		fuzz_law(fabs(sum_ns + t.unattributed_ns - 100) < 1e-6, "self costs and the rest are the base");
	out = fopen("/dev/null", "w");
	r.table = &t;
	r.children = t.nrows % 2;
	cost_render_text(&r, out);
	cost_render_folded(&r, out);
	cost_render_rows(&rows, &r);
	fuzz_rows(&rows, out);
	fclose(out);
	cost_table_release(&t);
}

#endif
