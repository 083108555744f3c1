/*
 * symbol_cache - symbols of a profile by the raw bytes that stood for them in the text
 *
 * in:    bytes of a line (symbol, offset, DSO as printed), and a salt for what else decided
 * out:   the symbol's index in its profile
 * law:   a hit is certain, bytes are compared; the size is fixed, so memory does not grow with the
 *        text
 * error: SYMBOL_CACHE_NONE where the bytes are not known (any more)
 */
#ifndef PERFPARSE_SYMBOL_CACHE_H
#define PERFPARSE_SYMBOL_CACHE_H

#include <stddef.h>
#include <stdint.h>

#define SYMBOL_CACHE_SLOTS 8192u
#define SYMBOL_CACHE_BYTES 118u
#define SYMBOL_CACHE_NONE  UINT32_MAX

struct symbol_cache_slot {
	uint32_t symbol;
	uint8_t len, salt; /* len 0: empty */
	char bytes[SYMBOL_CACHE_BYTES];
};

/* All zero is an empty cache. Tags are the hashes of slots, in an array of their own that stays
 * near the CPU. */
struct symbol_cache {
	uint32_t tags[SYMBOL_CACHE_SLOTS];
	struct symbol_cache_slot slots[SYMBOL_CACHE_SLOTS];
};

/* hash is for symbol_cache_put() after a miss. */
uint32_t symbol_cache_get(const struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint64_t *hash);
void symbol_cache_put(struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint64_t hash,
		      uint32_t symbol);

#endif
