// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/import/import.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rates r;

	if (rates_find(&r, (const char *)data, size))
		return 0;
	for (size_t i = 0; i < r.ngroups; i++) {
		fuzz_law(r.groups[i].n > 0, "no group is empty");
		for (size_t k = 0; k < r.groups[i].n; k++) {
			const struct rates_reading *one = &r.groups[i].readings[k];

			fuzz_law(one->received > 0 || one->sent > 0, "one of two rates is above 0");
			fuzz_law(!isinf(one->received) && !isinf(one->sent), "none is infinite");
			fuzz_law(!(one->received < 0) && !(one->sent < 0), "none is below 0");
		}
	}
	rates_release(&r);
	return 0;
}
