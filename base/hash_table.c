// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

static int rehash(struct hash_table *t, size_t n)
{
	size_t nslots = t->nslots ? t->nslots * 2 : 256;
	uint32_t *slots = calloc(nslots, sizeof(*slots));
	size_t i, s;

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		for (s = t->hashes[i] & (nslots - 1); slots[s]; s = (s + 1) & (nslots - 1))
			;
		slots[s] = (uint32_t)i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = nslots;
	return 0;
}

int hash_table_reserve(struct hash_table *t, size_t n)
{
	if (!array_grow(&t->hashes, &t->nhashes, n, 1, sizeof(*t->hashes)))
		return -ENOMEM;
	return (n + 1) * 3 < t->nslots * 2 ? 0 : rehash(t, n);
}

void hash_table_put(struct hash_table *t, size_t slot, uint32_t hash, size_t element)
{
	t->slots[slot] = (uint32_t)element + 1;
	t->hashes[element] = hash;
}

void hash_table_release(struct hash_table *t)
{
	free(t->slots);
	free(t->hashes);
	memset(t, 0, sizeof(*t));
}
