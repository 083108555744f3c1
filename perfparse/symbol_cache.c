// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>
#include "base/hash.h"
#include "perfparse/symbol_cache.h"

/*
 * Each hash has two slots, far from each other. The first one nearly always matches, so the CPU predicts the
 * branch well.
 */
static size_t first_place(uint64_t hash)
{
	return hash % SYMBOL_CACHE_SLOTS;
}

static size_t second_place(uint64_t hash)
{
	return (hash >> 16) % SYMBOL_CACHE_SLOTS;
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static bool is_it(const struct symbol_cache *c, size_t at, uint64_t hash, const char *bytes, size_t len, uint8_t salt)
{
	const struct symbol_cache_slot *s = &c->slots[at];

	return c->tags[at] == tag_of(hash) && s->len == len && s->salt == salt && len &&
	       hash_same_bytes(s->bytes, bytes, len);
}

uint32_t symbol_cache_get(const struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint64_t *hash)
{
	uint64_t h = hash_bytes(bytes, len, salt);

	*hash = h;
	if (is_it(c, first_place(h), h, bytes, len, salt))
		return c->slots[first_place(h)].symbol;
	if (is_it(c, second_place(h), h, bytes, len, salt))
		return c->slots[second_place(h)].symbol;
	return SYMBOL_CACHE_NONE;
}

void symbol_cache_put(struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint64_t hash,
		      uint32_t symbol)
{
	size_t at = c->slots[first_place(hash)].len ? second_place(hash) : first_place(hash);
	struct symbol_cache_slot *s = &c->slots[at];

	if (len > SYMBOL_CACHE_BYTES)
		return;
	c->tags[at] = tag_of(hash);
	s->symbol = symbol;
	s->len = (uint8_t)len;
	s->salt = salt;
	memcpy(s->bytes, bytes, len);
}
