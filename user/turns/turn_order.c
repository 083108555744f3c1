// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/turns/turns.h"

size_t turn_group(size_t arms)
{
	return 2 * arms;
}

size_t turn_order_fill(uint8_t *order, size_t size, size_t arms, uint64_t seed)
{
	uint64_t random = seed ? seed : 1;
	size_t shuffled[UINT8_MAX];

	size -= size % turn_group(arms);
	if (arms == 2) {
		/* Entry n of the Thue-Morse sequence is the parity of n's ones. The seed chooses which arm is 0. */
		for (size_t i = 0; i < size; i++)
			order[i] = (uint8_t)((__builtin_popcountll(i) + (seed >> 7)) & 1);
		return size;
	}
	for (uint8_t *row = order; row < order + size; row += 2 * arms) {
		for (size_t i = 0; i < arms; i++)
			shuffled[i] = i;
		random_shuffle(&random, shuffled, arms);
		for (size_t i = 0; i < arms; i++)
			row[i] = row[2 * arms - 1 - i] = (uint8_t)shuffled[i];
	}
	return size;
}
