// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#define UNIT 16u

struct symbol_cache_text {
	uint32_t symbol;
	uint16_t len;
	uint8_t salt;
	char bytes[];
};

/* memcmp() == 0, fast for names: the words from both ends may overlap, as in hash_bytes(). */
static bool same_bytes(const char *a, const char *b, size_t len)
{
	if (len < 8)
		return !memcmp(a, b, len);
	for (size_t i = 0; i + 8 < len; i += 8)
		if (hash_load(a + i) != hash_load(b + i))
			return false;
	return hash_load(a + len - 8) == hash_load(b + len - 8);
}

static size_t first_slot(uint64_t hash)
{
	return hash % SYMBOL_CACHE_SLOTS;
}

static size_t next_slot(size_t slot)
{
	return (slot + 1) % SYMBOL_CACHE_SLOTS;
}

uint32_t symbol_cache_get(const struct symbol_cache *c, struct span bytes, uint8_t salt)
{
	uint64_t hash = hash_bytes(bytes.s, bytes.len, salt);

	for (size_t s = first_slot(hash); c->slots[s]; s = next_slot(s)) {
		const struct symbol_cache_text *t = (const void *)&c->texts[(c->slots[s] - 1) * UNIT];

		if (t->len == bytes.len && t->salt == salt && same_bytes(t->bytes, bytes.s, bytes.len))
			return t->symbol;
	}
	return SYMBOL_CACHE_NONE;
}

void symbol_cache_put(struct symbol_cache *c, struct span bytes, uint8_t salt, uint32_t symbol)
{
	size_t units = (offsetof(struct symbol_cache_text, bytes) + bytes.len + UNIT - 1) / UNIT;
	size_t s = first_slot(hash_bytes(bytes.s, bytes.len, salt));
	struct symbol_cache_text *t = (void *)&c->texts[c->used * UNIT];

	if (units > SYMBOL_CACHE_BYTES / UNIT - 1 - c->used || bytes.len > UINT16_MAX || c->n == SYMBOL_CACHE_SLOTS / 2)
		return;
	while (c->slots[s])
		s = next_slot(s);
	c->slots[s] = (uint16_t)(c->used + 1);
	c->used += (uint32_t)units;
	c->n++;
	t->symbol = symbol;
	t->len = (uint16_t)bytes.len;
	t->salt = salt;
	memcpy(t->bytes, bytes.s, bytes.len);
}
