// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

static int read_with(struct profile *p, const char *text, size_t len, const struct text_pick *f, struct diag *d)
{
	FILE *in = fuzz_open((const uint8_t *)text, len);
	struct linescan lines;
	int err;

	lines = (struct linescan){.in = in};
	err = report_read(p, &lines, f, d);
	linescan_release(&lines);
	fclose(in);
	return err;
}

/* What was kept of a table is the table. */
static void read_table(const char *text, size_t len, int table, struct components *f)
{
	struct report_text kept = {};
	const struct text_pick one = {.cpu = -1, .table = table, .kept = &kept}, all = {.cpu = -1};
	struct diag d = {""};
	struct profile p, again;
	int err = read_with(&p, text, len, &one, &d);

	fuzz_refusal(err, &d);
	if (!err) {
		fuzz_costs(&p, f);
		fuzz_law(!read_with(&again, kept.text, kept.len, &all, &d), "what was kept can be read");
		fuzz_law(again.nrows == p.nrows, "as the same rows");
		for (size_t i = 0; i < p.nrows; i++)
			fuzz_law(p.rows[i].self_pct == again.rows[i].self_pct, "of the same shares");
		profile_release(&again);
	}
	profile_release(&p);
	free(kept.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct components *f;
	struct report_tables t = {};
	const struct text_pick every = {.cpu = -1, .list = &t};
	struct diag d = {""};
	uint64_t behind = 0;
	struct profile p;

	if (!f)
		components_read(&f, NULL, NULL);
	fuzz_refusal(read_with(&p, (const char *)data, size, &every, &d), &d);
	for (size_t i = 0; i < t.n; i++) {
		fuzz_law(t.list[i].first_line > behind && t.list[i].first_line <= t.list[i].last_line,
			 "tables in order");
		behind = t.list[i].last_line;
		if (i < 4)
			read_table((const char *)data, size, (int)i + 1, f);
	}
	free(t.list);
	return 0;
}
