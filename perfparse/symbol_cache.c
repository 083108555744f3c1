// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>
#include "perfparse/hash.h"
#include "perfparse/symbol_cache.h"

static size_t first_way(uint64_t hash)
{
	return hash % (SYMBOL_CACHE_SLOTS / SYMBOL_CACHE_WAYS) * SYMBOL_CACHE_WAYS;
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static bool is_it(const struct symbol_cache_slot *s, const char *bytes, size_t len, uint8_t salt)
{
	return s->len == len && s->salt == salt && len && hash_same_bytes(s->bytes, bytes, len);
}

uint32_t symbol_cache_get(const struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt,
			  uint64_t *hash)
{
	uint64_t h = hash_bytes(bytes, len, salt);
	size_t at = first_way(h), end = at + SYMBOL_CACHE_WAYS;
	uint32_t tag = tag_of(h);

	*hash = h;
	for (; at < end; at++)
		if (c->tags[at] == tag && is_it(&c->slots[at], bytes, len, salt))
			return c->slots[at].symbol;
	return SYMBOL_CACHE_NONE;
}

/* An empty way, or one that the hash picks: nothing has to be counted to throw something out. */
void symbol_cache_put(struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt,
		      uint64_t hash, uint32_t symbol)
{
	size_t at = first_way(hash), end = at + SYMBOL_CACHE_WAYS;
	struct symbol_cache_slot *s;

	if (len > SYMBOL_CACHE_BYTES)
		return;
	while (at < end && c->slots[at].len)
		at++;
	if (at == end)
		at = first_way(hash) + (hash >> 32) % SYMBOL_CACHE_WAYS;
	s = &c->slots[at];
	c->tags[at] = tag_of(hash);
	s->symbol = symbol;
	s->len = (uint8_t)len;
	s->salt = salt;
	memcpy(s->bytes, bytes, len);
}
