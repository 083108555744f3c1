// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/symbol_cache.h"

#include <stdbool.h>
#include <string.h>
#include "base/hash.h"

#define PLACE_BITS 18 /* of a slot: the place of its text; the others are the hash's */

struct symbol_cache_text {
	uint32_t symbol;
	uint16_t len;
	uint8_t salt;
	char bytes[];
};

static const struct symbol_cache_text *text_of(const struct symbol_cache *c, uint32_t slot)
{
	return (const void *)&c->texts[(slot & ((1u << PLACE_BITS) - 1)) - 1];
}

static size_t first_slot(uint64_t hash)
{
	return hash % SYMBOL_CACHE_SLOTS;
}

static size_t next_slot(size_t slot)
{
	return (slot + 1) % SYMBOL_CACHE_SLOTS;
}

static bool may_be(uint32_t slot, uint64_t hash)
{
	return !((slot ^ hash >> 32) >> PLACE_BITS);
}

uint32_t symbol_cache_get(const struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt)
{
	uint64_t hash = hash_bytes(bytes, len, salt);

	for (size_t s = first_slot(hash); c->slots[s]; s = next_slot(s)) {
		const struct symbol_cache_text *t = text_of(c, c->slots[s]);

		if (may_be(c->slots[s], hash) && t->len == len && t->salt == salt &&
		    hash_same_bytes(t->bytes, bytes, len))
			return t->symbol;
	}
	return SYMBOL_CACHE_NONE;
}

void symbol_cache_put(struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt, uint32_t symbol)
{
	uint64_t hash = hash_bytes(bytes, len, salt);
	size_t words = (offsetof(struct symbol_cache_text, bytes) + len + 7) / 8, s = first_slot(hash);
	struct symbol_cache_text *t = (void *)&c->texts[c->used];

	if (len > UINT16_MAX || words > SYMBOL_CACHE_WORDS - c->used || c->n == SYMBOL_CACHE_SLOTS / 2)
		return;
	while (c->slots[s])
		s = next_slot(s);
	c->slots[s] = (uint32_t)(hash >> 32) >> PLACE_BITS << PLACE_BITS | (c->used + 1);
	c->used += (uint32_t)words;
	c->n++;
	t->symbol = symbol;
	t->len = (uint16_t)len;
	t->salt = salt;
	memcpy(t->bytes, bytes, len);
}
