// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/symjoin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int symjoin_room(struct symjoin *j, size_t most)
{
	j->n = 0;
	j->entries = calloc(most + 1, sizeof(*j->entries));
	return j->entries ? 0 : -ENOMEM;
}

void symjoin_release(struct symjoin *j)
{
	free(j->entries);
	j->entries = NULL;
	j->n = 0;
}

void symjoin_add(struct symjoin *j, bool is_new, const void *row, const char *name, const char *dso)
{
	struct symjoin_entry *e = &j->entries[j->n];

	e->row = row;
	e->name = name;
	e->is_new = is_new;
	e->index = j->n++;
	symkey(j->keys, name, dso, e->key);
}

/* Only a name with a part of the tag can say which program it is. */
static void join_cut_programs(struct symjoin *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct symjoin_entry *cut = &j->entries[i];
		size_t len = strlen(cut->name), k = 0;

		if (!symkey_has_tag(cut->name))
			continue;
		while (k < j->n && (strncmp(cut->name, j->entries[k].name, len) || !j->entries[k].name[len]))
			k++;
		if (k < j->n)
			memcpy(cut->key, j->entries[k].key, sizeof(cut->key));
	}
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
	int by = order(j, a, b);

	if (!by)
		by = a->is_new - b->is_new;
	return by ? by : (a->index > b->index) - (a->index < b->index);
}

void symjoin_sort(struct symjoin *j)
{
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
