/*
 * hash - bytes to 64 bits, for hash tables
 *
 * in:    bytes, and a value to go on from
 * out:   64 bits whose low ones are good
 * law:   the same bytes and the same seed give the same value within one process
 * error: none
 */
#ifndef PERFPARSE_HASH_H
#define PERFPARSE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Eight bytes at a time, mixed by a multiplication whose high half is folded back; the last eight overlap. */
static inline uint64_t hash_bytes(const void *data, size_t len, uint64_t h)
{
	const unsigned char *s = data, *end = s + len;
	uint64_t w = 0;

	h ^= len * 0x9e3779b97f4a7c15ull;
	if (len >= 8) {
		for (; end - s > 8; s += 8) {
			memcpy(&w, s, 8);
			h = (h ^ w) * 0xff51afd7ed558ccdull;
			h ^= h >> 32;
		}
		memcpy(&w, end - 8, 8);
	} else {
		for (; s < end; s++)
			w = w << 8 | *s;
	}
	h = (h ^ w) * 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 29;
}

#endif
