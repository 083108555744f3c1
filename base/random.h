/*
 * random - numbers that look random and are the same on every machine: xorshift64
 *
 * in:    random: the state; it must not be 0
 * out:   random_below(): the next number, from 0 to n - 1; random_shuffle(): order[0..n) in one of its orders, all
 *        equally likely (Fisher and Yates). The state moves on
 * law:   a state gives the same numbers everywhere. Of 2^64 - 1 states each comes once before the first comes again
 * error: none; n 0 is a bug of the caller
 * src:   George Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8/14, 2003, with the shifts 13, 7, 17
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline size_t random_below(uint64_t *random, size_t n)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random % n;
}

static inline void random_shuffle(uint64_t *random, size_t *order, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(random, i), swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}

#endif
