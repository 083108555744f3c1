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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Both halves of the product: every bit of v reaches low bits as well as high ones. */
static inline uint64_t hash_mix(uint64_t v, uint64_t k)
{
	unsigned __int128 product = (unsigned __int128)v * k;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes at a time; the last eight overlap with those before. */
static inline uint64_t hash_bytes(const void *data, size_t len, uint64_t h)
{
	const unsigned char *s = data, *end = s + len;
	uint64_t w = 0;

	h ^= (len + 1) * 0x9e3779b97f4a7c15ull;
	if (len >= 8) {
		for (; end - s > 8; s += 8) {
			memcpy(&w, s, 8);
			h = hash_mix(h ^ w, 0xff51afd7ed558ccdull);
		}
		memcpy(&w, end - 8, 8);
	} else {
		for (; s < end; s++)
			w = w << 8 | *s;
	}
	return hash_mix(h ^ w, 0xc4ceb9fe1a85ec53ull);
}

/* memcmp() == 0 for names: a few words, compared where they stand. */
static inline bool hash_same_bytes(const void *a, const void *b, size_t len)
{
	const char *s = a, *t = b, *end = s + len;
	uint64_t v, w;

	if (len < 8)
		return !memcmp(s, t, len);
	for (; end - s > 8; s += 8, t += 8) {
		memcpy(&v, s, 8);
		memcpy(&w, t, 8);
		if (v != w)
			return false;
	}
	memcpy(&v, end - 8, 8);
	memcpy(&w, t + (end - s) - 8, 8);
	return v == w;
}

#endif
