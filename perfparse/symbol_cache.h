/*
 * symbol_cache - finds a symbol of a profile by the bytes that perf printed for it
 *
 * in:    bytes of a line (symbol, offset, DSO as printed); a salt: a number for all other facts that decide which
 *        symbol the bytes mean
 * out:   the symbol's index in its profile
 * law:   a hit is certain, because the bytes are compared; the size is fixed, so the memory does not grow with the
 *        text. What comes first stays: the symbols that come often are among the first
 * error: SYMBOL_CACHE_NONE where the bytes are not in the cache
 */
#ifndef PERFPARSE_SYMBOL_CACHE_H
#define PERFPARSE_SYMBOL_CACHE_H

#include <stddef.h>
#include <stdint.h>

#define SYMBOL_CACHE_SLOTS 16384u
#define SYMBOL_CACHE_BYTES (1u << 20)
#define SYMBOL_CACHE_NONE  UINT32_MAX

/*
 * All zero is an empty cache. The texts stand one behind the other, each behind its symbol, length and salt, so that
 * those of a usual profile, and the slots, fit into the CPU's cache together.
 */
struct symbol_cache {
	uint16_t slots[SYMBOL_CACHE_SLOTS]; /* where in texts, in units of 16 bytes from 1 on; 0: empty */
	uint32_t n, used;                   /* texts, and their units */
	_Alignas(16) char texts[SYMBOL_CACHE_BYTES];
};

uint32_t symbol_cache_get(const struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt);
/* For bytes that symbol_cache_get() did not find. */
void symbol_cache_put(struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint32_t symbol);

#endif
