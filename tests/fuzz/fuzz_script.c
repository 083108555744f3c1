// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct script_span spans[] = {{0, 1000000000000ull}, {2000000000000ull, UINT64_MAX}};
	uint8_t pick = size ? data[size - 1] : 0;
	struct script_filter filter = {.cpu = -1, .tid = -1};
	static struct components *f;
	struct diag d = {""};
	struct linescan lines;
	struct profile p;
	uint64_t samples = 0;
	double weight = 0;
	FILE *in = fuzz_open(data, size);
	size_t i;
	int err;

	if (!f)
		components_read(&f, NULL, NULL);
	/* Texts end in a newline, so nearly all are read without a filter. */
	if (pick != '\n') {
		filter.spans = pick & 1 ? spans : NULL;
		filter.nspans = 2;
		filter.cpu = pick & 2 ? 1 : -1;
		filter.event = pick & 4 ? "cycles" : NULL;
	}
	lines = (struct linescan){.in = in};
	err = script_read_lines(&p, &lines, &filter, &d);
	linescan_release(&lines);
	fuzz_refusal(err, &d);
	for (i = 0; i < p.nstacks; i++) {
		samples += p.stacks[i].samples;
		weight += p.stacks[i].weight;
		fuzz_law(p.stacks[i].depth > 0 && p.stacks[i].first + p.stacks[i].depth <= p.nframes,
			 "frames of a stack are there");
	}
	fuzz_law(samples == p.samples, "samples of stacks are all samples");
	fuzz_law(fabs(weight - p.weight) <= 1e-9 * weight, "weights of stacks are all weight");
	if (!err)
		fuzz_costs(&p, f);
	profile_release(&p);
	fclose(in);
	return 0;
}
