// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfstat_render r = {.packets = 1000, .window_s = 1, .cpu = -1};
	struct diag d = {""};
	struct undress worn = {};
	struct linescan lines;
	struct perfstat s;
	struct rows rows;
	FILE *in = fuzz_open(data, size), *out;
	size_t i;
	int err;

	lines = (struct linescan){.in = in, .worn = &worn};
	err = perfstat_read(&s, &lines, 0, &d);
	fuzz_refusal(err, &d);
	for (i = 0; i < s.ncounts; i++)
		fuzz_law((s.counts[i].state == PERFSTAT_COUNTED) == !isnan(s.counts[i].value),
			 "a value where it was counted, and only there");
	if (!err) {
		r.stat = &s;
		out = fopen("/dev/null", "w");
		perfstat_render_text(&r, out);
		perfstat_render_rows(&rows, &r);
		fuzz_rows(&rows, out);
		fclose(out);
	}
	perfstat_release(&s);
	linescan_release(&lines);
	fclose(in);
	return 0;
}
