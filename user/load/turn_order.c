// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/load/turn_order.h"

#include "base/random.h"

size_t turn_group(size_t arms)
{
	return 2 * arms;
}

/* Entry n of the Thue-Morse sequence is the parity of the ones in n. The seed chooses which arm is 0. */
static void fill_two(uint8_t *order, size_t size, uint64_t seed)
{
	for (size_t i = 0; i < size; i++)
		order[i] = (uint8_t)((__builtin_popcountll(i) + (seed >> 7)) & 1);
}

static void fill_balanced(uint8_t *order, size_t size, size_t arms, uint64_t seed)
{
	uint64_t random = seed ? seed : 1;

	for (uint8_t *row = order; row < order + size; row += 2 * arms) {
		for (size_t i = 0; i < arms; i++)
			row[i] = (uint8_t)i;
		for (size_t i = arms; i > 1; i--) {
			size_t j = random_below(&random, i);
			uint8_t swap = row[i - 1];

			row[i - 1] = row[j];
			row[j] = swap;
		}
		for (size_t i = 0; i < arms; i++)
			row[2 * arms - 1 - i] = row[i];
	}
}

size_t turn_order_fill(uint8_t *order, size_t size, size_t arms, uint64_t seed)
{
	size -= size % turn_group(arms);
	if (arms == 2)
		fill_two(order, size, seed);
	else
		fill_balanced(order, size, arms, seed);
	return size;
}

const char *turn_order_name(size_t arms)
{
	return arms == 2 ? "thue-morse" : "balanced";
}
