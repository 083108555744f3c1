// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "perfparse/hash.h"
#include "perfparse/symbol_cache.h"

static int is_it(const struct symbol_cache_slot *s, const char *bytes, size_t len, uint8_t salt,
		 uint64_t hash)
{
	return s->hash == hash && s->len == len && s->salt == salt && len &&
	       !memcmp(s->bytes, bytes, len);
}

/* Two places for each hash: side by side in memory. */
uint32_t symbol_cache_get(const struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt,
			  uint64_t *hash)
{
	uint64_t h = hash_bytes(bytes, len, salt);
	size_t at = h % SYMBOL_CACHE_SLOTS;

	*hash = h;
	if (is_it(&c->slots[at], bytes, len, salt, h))
		return c->slots[at].symbol;
	if (is_it(&c->slots[at ^ 1], bytes, len, salt, h))
		return c->slots[at ^ 1].symbol;
	return SYMBOL_CACHE_NONE;
}

void symbol_cache_put(struct symbol_cache *c, const char *bytes, size_t len, uint8_t salt,
		      uint64_t hash, uint32_t symbol)
{
	size_t at = hash % SYMBOL_CACHE_SLOTS;
	struct symbol_cache_slot *s = &c->slots[c->slots[at].len ? at ^ 1 : at];

	if (len > SYMBOL_CACHE_BYTES)
		return;
	s->hash = hash;
	s->symbol = symbol;
	s->len = (uint8_t)len;
	s->salt = salt;
	memcpy(s->bytes, bytes, len);
}
