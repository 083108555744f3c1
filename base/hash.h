/*
 * hash - bytes to 64 bits, for hash tables
 *
 * in:    bytes, and a seed
 * out:   64 bits; a table may use the low ones alone, because every input bit changes them
 * law:   the same bytes and the same seed give the same value within one process
 * error: none
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* XOR of both halves of the product: every bit of v changes low bits as well as high bits. */
static inline uint64_t hash_mix(uint64_t v, uint64_t k)
{
	unsigned __int128 product = (unsigned __int128)v * k;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_load(const void *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof(w));
	return w;
}

/* Mixes two words: together 16 bytes, loaded independently of each other. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b, uint64_t h)
{
	return hash_mix(a ^ 0xff51afd7ed558ccdull, b ^ h);
}

/* Most names have 8 to 32 bytes. For these there is no loop: the words from both ends may overlap. */
static inline uint64_t hash_bytes(const void *data, size_t len, uint64_t h)
{
	const char *s = data, *end = s + len;
	uint64_t w = 0;

	h ^= (len + 1) * 0x9e3779b97f4a7c15ull;
	if (len < 8) {
		for (; s < end; s++)
			w = w << 8 | (unsigned char)*s;
		return hash_pair(w, 0xc4ceb9fe1a85ec53ull, h);
	}
	for (; end - s > 32; s += 16)
		h = hash_pair(hash_load(s), hash_load(s + 8), h);
	if (end - s > 16)
		h = hash_pair(hash_load(s), hash_load(s + 8), h) ^
		    hash_mix(hash_load(end - 16) ^ 0xc4ceb9fe1a85ec53ull, hash_load(end - 8) ^ h);
	else
		h = hash_pair(hash_load(s), hash_load(end - 8), h);
	return hash_mix(h, 0x9fb21c651e98df25ull);
}

/* memcmp() == 0, fast for names: it compares the same words that hash_bytes() loads. */
static inline bool hash_same_bytes(const void *a, const void *b, size_t len)
{
	const char *s = a, *t = b, *end = s + len, *t_end = t + len;
	uint64_t differ;

	if (len < 8)
		return !memcmp(s, t, len);
	for (; end - s > 32; s += 16, t += 16)
		if ((hash_load(s) ^ hash_load(t)) | (hash_load(s + 8) ^ hash_load(t + 8)))
			return false;
	differ = (hash_load(s) ^ hash_load(t)) | (hash_load(end - 8) ^ hash_load(t_end - 8));
	if (end - s > 16)
		differ |= (hash_load(s + 8) ^ hash_load(t + 8)) | (hash_load(end - 16) ^ hash_load(t_end - 16));
	return !differ;
}

#endif
