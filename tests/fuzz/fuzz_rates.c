// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/import/rates.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rates r;
	size_t n = 0;

	if (rates_find(&r, (const char *)data, size))
		return 0;
	for (size_t i = 0; i < r.ngroups; i++) {
		fuzz_law(r.groups[i].n > 0 && r.groups[i].first == n, "groups are in order, and none is empty");
		n += r.groups[i].n;
	}
	fuzz_law(n == r.npps, "every rate is in a group");
	for (size_t i = 0; i < n; i++)
		fuzz_law(r.pps[i] > 0 && isfinite(r.pps[i]), "a rate is above 0");
	rates_release(&r);
	return 0;
}
