/*
 * hash_table - finds the elements of a growing array by their hash
 *
 * in:    a hash (hash.h) and the number of each element, which are 0, 1, 2, ...
 * out:   the numbers of the elements that may have a hash; the caller compares them
 * law:   open addressing with linear probing; the table stays less than two thirds full. It keeps the hash of each
 *        element, so that it can grow without reading the elements. All bytes 0 is an empty table
 * error: -ENOMEM
 */
#ifndef BASE_HASH_TABLE_H
#define BASE_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hash_table {
	uint32_t *slots;  /* the number of an element + 1; 0: none */
	uint32_t *hashes; /* indexed by element */
	size_t nslots, nhashes;
};

/* Makes room for element number n, before it is looked for. */
int hash_table_reserve(struct hash_table *t, size_t n);
void hash_table_put(struct hash_table *t, size_t slot, uint32_t hash, size_t element);
void hash_table_release(struct hash_table *t);

/*
 * for (size_t s = hash_table_first(t, h, &i); t->slots[s]; s = hash_table_next(t, s, h, &i)): i is an element with this
 * hash. Behind the loop, s is the slot of a new element with this hash.
 */
static inline size_t hash_table_at(const struct hash_table *t, size_t s, uint32_t hash, size_t *i)
{
	while (t->slots[s] && t->hashes[t->slots[s] - 1] != hash)
		s = (s + 1) & (t->nslots - 1);
	*i = (size_t)t->slots[s] - 1;
	return s;
}

static inline size_t hash_table_first(const struct hash_table *t, uint32_t hash, size_t *i)
{
	return hash_table_at(t, hash & (t->nslots - 1), hash, i);
}

static inline size_t hash_table_next(const struct hash_table *t, size_t s, uint32_t hash, size_t *i)
{
	return hash_table_at(t, (s + 1) & (t->nslots - 1), hash, i);
}

#endif
