// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct annotate_render r = {.symbol_ns = 10, .base_ns = 100};
	struct diag d = {""};
	struct annotate_list l;
	struct rows rows;
	struct undress worn = {};
	struct linescan lines;
	FILE *in = fuzz_open(data, size), *out;
	double sum_pct;
	size_t i, k;
	int err;

	lines = (struct linescan){.in = in, .worn = &worn};
	err = annotate_read(&l, &lines, &d);
	fuzz_refusal(err, &d);
	out = fopen("/dev/null", "w");
	for (i = 0; i < l.n; i++) {
		for (sum_pct = 0, k = 0; k < l.symbols[i].nrows; k++)
			sum_pct += l.symbols[i].rows[k].pct;
		fuzz_law(sum_pct < 100.6, "shares are of one whole");
		r.symbol = &l.symbols[i];
		annotate_render_text(&r, 1, out);
		annotate_render_rows(&rows, &r, 1);
		fuzz_rows(&rows, out);
	}
	fclose(out);
	annotate_list_release(&l);
	linescan_release(&lines);
	fclose(in);
	return 0;
}
