// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

int symjoin_room(struct symjoin *j, size_t most)
{
	j->n = 0;
	j->entries = calloc(most + 1, sizeof(*j->entries));
	j->sorted = calloc(most + 1, sizeof(*j->sorted));
	j->longer = calloc(most + 1, sizeof(*j->longer));
	if (j->entries && j->sorted && j->longer)
		return 0;
	symjoin_release(j);
	return -ENOMEM;
}

void symjoin_release(struct symjoin *j)
{
	free(j->entries);
	free(j->sorted);
	free(j->longer);
	j->entries = NULL;
	j->sorted = NULL;
	j->longer = NULL;
	j->n = 0;
}

void symjoin_add(struct symjoin *j, bool is_new, const void *row, const char *name, const char *dso)
{
	struct symjoin_entry *e = &j->entries[j->n];

	e->row = row;
	e->name = name;
	e->dso = dso;
	e->is_new = is_new;
	e->index = j->n++;
	symkey(j->keys, name, dso, e->key);
}

static int symjoin_by_name(const void *pa, const void *pb)
{
	const struct symjoin_entry *const *a = pa, *const *b = pb;

	return strcmp((*a)->name, (*b)->name);
}

/*
 * The first of the entries whose name is longer than that of sorted[at], and begins with it; NULL: none. Names with the
 * same beginning are side by side, so all of these walks together take no more steps than the names have bytes.
 */
static const struct symjoin_entry *first_longer(const struct symjoin_entry *const *sorted, size_t n, size_t at)
{
	const struct symjoin_entry *first = NULL;
	const char *name = sorted[at]->name;
	size_t len = strlen(name);

	for (; at < n && !strncmp(sorted[at]->name, name, len); at++)
		if (sorted[at]->name[len] && (!first || sorted[at]->index < first->index))
			first = sorted[at];
	return first;
}

/* Only a name with a part of the tag can say which program it is. */
static void join_cut_programs(struct symjoin *j)
{
	const struct symjoin_entry **sorted = j->sorted, **longer = j->longer;

	for (size_t i = 0; i < j->n; i++)
		sorted[i] = &j->entries[i];
	qsort(sorted, j->n, sizeof(*sorted), symjoin_by_name);
	for (size_t i = 0; i < j->n; i++) {
		if (i && !strcmp(sorted[i - 1]->name, sorted[i]->name))
			longer[sorted[i]->index] = longer[sorted[i - 1]->index];
		else if (symkey_has_tag(sorted[i]->name))
			longer[sorted[i]->index] = first_longer(sorted, j->n, i);
	}
	for (size_t i = 0; i < j->n; i++)
		if (longer[i])
			memcpy(j->entries[i].key, longer[i]->key, sizeof(j->entries[i].key));
}

static int by_index(const void *pa, const void *pb)
{
	const struct symjoin_entry *a = pa, *b = pb;

	return ORDER(a->index, b->index);
}

static int by_key_and_side(const void *pa, const void *pb)
{
	const struct symjoin_entry *a = pa, *b = pb;

	return strcmp(a->key, b->key) ?: a->is_new - b->is_new ?: ORDER(a->index, b->index);
}

/* 0 for two entries of one group. */
static int order(const struct symjoin *j, const struct symjoin_entry *a, const struct symjoin_entry *b)
{
	int by_key = strcmp(a->key, b->key);

	return by_key || !j->apart ? by_key : j->apart(a->row, b->row);
}

static int by_group(const void *pa, const void *pb, void *j)
{
	const struct symjoin_entry *a = pa, *b = pb;

	return order(j, a, b) ?: a->is_new - b->is_new ?: ORDER(a->index, b->index);
}

void symjoin_sort(struct symjoin *j)
{
	/* Takes the renames back of a key under which one side has several names. */
	char key[2][SYMKEY_BYTES];
	size_t from, to, i;
	bool apart;

	if (j->keys) {
		qsort(j->entries, j->n, sizeof(*j->entries), by_key_and_side);
		for (from = 0; from < j->n; from = to) {
			apart = false;
			for (to = from + 1; to < j->n && !strcmp(j->entries[to].key, j->entries[from].key); to++) {
				const struct symjoin_entry *e = &j->entries[to];

				if (apart || e->is_new != e[-1].is_new || !strcmp(e->name, e[-1].name))
					continue;
				symkey(NULL, e->name, e->dso, key[0]);
				symkey(NULL, e[-1].name, e[-1].dso, key[1]);
				apart = strcmp(key[0], key[1]) != 0;
			}
			for (i = from; apart && i < to; i++)
				symkey(NULL, j->entries[i].name, j->entries[i].dso, j->entries[i].key);
		}
		qsort(j->entries, j->n, sizeof(*j->entries), by_index);
	}
	join_cut_programs(j);
	qsort_r(j->entries, j->n, sizeof(*j->entries), by_group, j);
}

size_t symjoin_end(const struct symjoin *j, size_t from)
{
	size_t to = from + 1;

	while (to < j->n && !order(j, &j->entries[from], &j->entries[to]))
		to++;
	return to;
}
