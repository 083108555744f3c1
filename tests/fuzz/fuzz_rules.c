// SPDX-License-Identifier: GPL-2.0-or-later
/* Rule files of people: facilities, asked about a few stacks. */
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct facility_rules r;
	struct diag d = {""};
	FILE *in = fuzz_open(data, size);
	int err = facility_rules_read(&r, in, "rules", &d);
	size_t i;

	fuzz_refusal(err, &d);
	if (!err)
		fuzz_law(r.nfacilities > 0 && !strcmp(r.facilities[0].name, "rest"), "facility 0 is rest");
	for (i = 0; i < r.nrules; i++)
		fuzz_law(r.rules[i].facility < r.nfacilities && r.rules[i].nplaces > 0 &&
				 r.rules[i].first + r.rules[i].nplaces <= r.nplaces,
			 "rules point at what is there");
	for (i = 0; i < r.nplaces; i++)
		fuzz_law(r.places[i].n > 0 && r.places[i].first + r.places[i].n <= r.nwords, "places hold globs");
	for (i = 0; i < r.nhelpers; i++)
		fuzz_law(r.helpers[i].glob < r.nglobs && r.helpers[i].alone < r.nfacilities,
			 "helpers point at what is there");
	facility_rules_release(&r);
	fclose(in);
	return 0;
}
