// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

/* Below this size an array has no room to spare, so that a sanitizer sees what is read or written behind its end. */
#ifdef __SANITIZE_ADDRESS__
#define SPARE_FROM 64
#else
#define SPARE_FROM 1
#endif

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size)
{
	size_t want = used + n < SPARE_FROM ? used + n : *cap < 64 ? 64 : *cap;
	void *old, *new;

	if (used + n <= *cap)
		return true;
	while (want < used + n)
		want *= 2;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, want * size);
	if (!new)
		return false;
	memcpy(array, &new, sizeof(new));
	*cap = want;
	return true;
}

void *array_add(void *array, size_t *n, size_t size)
{
	char *elements, *grown;

	memcpy(&elements, array, sizeof(elements));
	if (*n < SPARE_FROM || (*n & (*n - 1)) == 0) {
		grown = reallocarray(elements, *n < SPARE_FROM ? *n + 1 : 2 * *n, size);
		if (!grown)
			return NULL;
		elements = grown;
		memcpy(array, &elements, sizeof(elements));
	}
	return memset(elements + (*n)++ * size, 0, size);
}

int hash_table_reserve(struct hash_table *t, size_t n)
{
	if (!array_grow(&t->hashes, &t->nhashes, n, 1, sizeof(*t->hashes)))
		return -ENOMEM;
	if ((n + 1) * 3 < t->nslots * 2)
		return 0;
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
