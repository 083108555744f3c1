// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

/* The first byte picks the filter. */
static struct text_pick filter_of(uint8_t byte)
{
	return (struct text_pick){
		.event = byte & 1 ? "cycles" : NULL, .cpu = byte & 2 ? byte >> 4 : -1, .separator = byte & 4 ? ',' : 0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_pick filter = filter_of(size ? data[size - 1] & 7 : 0);
	static struct components *f;
	struct diag d = {""};
	struct undress worn = {};
	struct linescan lines;
	struct profile p;
	FILE *in = fuzz_open(data, size);
	int err;

	if (!f)
		components_read(&f, NULL, NULL);
	/* Texts end in a newline, so nearly all are read without a filter. */
	if (size && data[size - 1] == '\n')
		filter = filter_of(0);
	lines = (struct linescan){.in = in, .worn = &worn};
	err = report_read(&p, &lines, &filter, &d);
	fuzz_refusal(err, &d);
	if (!err)
		fuzz_costs(&p, f);
	profile_release(&p);
	linescan_release(&lines);
	fclose(in);
	return 0;
}
