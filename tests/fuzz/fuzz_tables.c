// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/report.h"
#include "perfparse/tables.h"
#include "tests/fuzz/fuzz.h"

/* A table lies in the text and behind the one before; report_read() may refuse it, but with a sentence. */
static void read_table(const char *text, const struct table_place *t, struct facilities *f)
{
	const struct report_filter all = {.cpu = -1};
	FILE *in = fmemopen((void *)(text + t->from), t->to - t->from, "r");
	struct diag d = {""};
	struct linescan lines;
	struct profile p;
	int err;

	fuzz_law(in != NULL, "a table is not empty");
	linescan_init(&lines, in);
	err = report_read(&p, &lines, &all, &d);
	fuzz_refusal(err, &d);
	if (!err)
		fuzz_costs(&p, f);
	profile_release(&p);
	linescan_release(&lines);
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct facilities *f;
	struct tables t;
	size_t behind = 0, i;

	if (!f)
		facilities_read(&f, NULL, NULL);
	if (tables_find(&t, (const char *)data, size))
		return 0;
	for (i = 0; i < t.n; i++) {
		fuzz_law(t.list[i].from >= behind && t.list[i].from < t.list[i].to && t.list[i].to <= size,
			 "tables in order");
		fuzz_law(t.list[i].rows >= 2 && t.list[i].first_line < t.list[i].last_line, "two rows or more");
		behind = t.list[i].to;
		read_table((const char *)data, &t.list[i], f);
	}
	tables_release(&t);
	return 0;
}
