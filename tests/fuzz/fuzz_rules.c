// SPDX-License-Identifier: GPL-2.0-or-later
/* Rule files of people: components, asked about a few stacks. */
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct component_rules r;
	struct diag d = {""};
	FILE *in = fuzz_open(data, size);
	int err = component_rules_read(&r, in, "rules", &d);
	size_t i;

	fuzz_refusal(err, &d);
	if (!err)
		fuzz_law(r.ncomponents > 0 && !strcmp(r.components[0].name, "rest"), "component 0 is rest");
	for (i = 0; i < r.nrules; i++)
		fuzz_law(r.rules[i].component < r.ncomponents && r.rules[i].nplaces > 0 &&
				 r.rules[i].first + r.rules[i].nplaces <= r.nplaces,
			 "rules point at what is there");
	for (i = 0; i < r.nplaces; i++)
		fuzz_law(r.places[i].n > 0 && r.places[i].first + r.places[i].n <= r.nwords, "places hold globs");
	for (i = 0; i < r.nhelpers; i++)
		fuzz_law(r.helpers[i].glob < r.nglobs && r.helpers[i].alone < r.ncomponents,
			 "helpers point at what is there");
	component_rules_release(&r);
	fclose(in);
	return 0;
}
