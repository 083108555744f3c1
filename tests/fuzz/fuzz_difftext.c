// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

static void compare(const struct cost_table *t, const struct cost_table *u, struct components *f)
{
	struct diff_render r = {.components = f, .symbols = true};
	struct diag d = {""};
	struct diff x;
	struct rows rows;
	FILE *out;
	int err = diff_build(&x, t, u, NULL, &d);

	fuzz_refusal(err, &d);
	if (err)
		return;
	fuzz_law(fabs(x.sum_delta_ns + x.residual_ns - 100) < 1e-6, "differences and the rest are the difference");
	out = fopen("/dev/null", "w");
	r.diff = &x;
	diff_render_text(&r, out);
	diff_render_rows(&rows, &r);
	fuzz_rows(&rows, out);
	fclose(out);
	diff_release(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct components *f;
	struct profile base, new;
	struct cost_table t, u;
	struct diag d = {""};
	struct undress worn = {};
	struct linescan lines;
	FILE *in = fuzz_open(data, size);
	int err;

	if (!f)
		components_read(&f, NULL, NULL);
	lines = (struct linescan){.in = in, .worn = &worn};
	err = difftext_read(&base, &new, &lines, size && data[0] == 'c' ? "cycles" : NULL,
			    size > 1 && data[1] == 't' ? 2 : 0, &d);
	fuzz_refusal(err, &d);
	if (!err) {
		fuzz_costs(&base, f);
		fuzz_costs(&new, f);
		u = (struct cost_table){};
		if (!cost_table_build(&t, &base, f, 100, &d) && !cost_table_build(&u, &new, f, 200, &d))
			compare(&t, &u, f);
		cost_table_release(&t);
		cost_table_release(&u);
	}
	profile_release(&base);
	profile_release(&new);
	linescan_release(&lines);
	fclose(in);
	return 0;
}
