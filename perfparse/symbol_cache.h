/*
 * symbol_cache - finds a symbol of a profile by the bytes that perf printed for it
 *
 * in:    bytes of a line (symbol, offset, DSO as printed); a salt: a number for all other facts that decide which
 *        symbol the bytes mean
 * out:   the symbol's index in its profile
 * law:   a hit is certain, because the bytes are compared; the size is fixed, so the memory does not grow with the
 *        text
 * error: SYMBOL_CACHE_NONE where the bytes are not in the cache, or not any more
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

/*
 * All zero is an empty cache. tags[] holds the hashes of the slots in an array of its own, which fits into the
 * CPU's cache.
 */
struct symbol_cache {
	uint32_t tags[SYMBOL_CACHE_SLOTS];
	struct symbol_cache_slot slots[SYMBOL_CACHE_SLOTS];
};

/* *hash: the value that symbol_cache_put() needs after a miss. */
uint32_t symbol_cache_get(const struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint64_t *hash);
void symbol_cache_put(struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint64_t hash,
		      uint32_t symbol);

#endif
