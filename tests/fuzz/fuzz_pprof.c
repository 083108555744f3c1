// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct components *f;
	const struct script_filter all = {.cpu = -1, .tid = -1, .event = size % 3 ? NULL : "cycles"};
	struct diag d = {""};
	struct profile p;
	double weight = 0;
	FILE *in = fuzz_open(data, size);
	bool begins = pprof_begins(in);
	int err;

	if (!f)
		components_read(&f, NULL, NULL);
	fuzz_law(!size || getc(in) == data[0], "nothing is taken from the stream");
	rewind(in);
	err = pprof_read(&p, in, &all, &d);
	fuzz_refusal(err, &d);
	for (size_t i = 0; i < p.nstacks; i++)
		weight += p.stacks[i].weight;
	fuzz_law(fabs(weight - p.weight) <= 1e-9 * weight, "the stacks' weights are the profile's");
	if (!err)
		fuzz_costs(&p, f);
	profile_release(&p);
	fclose(in);
	return begins ? 0 : -1; /* what begins otherwise is not kept */
}
