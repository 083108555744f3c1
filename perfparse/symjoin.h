/*
 * symjoin - joins the symbols of two sides by their keys
 *
 * in:    rows of the base and of the new side, each with the name and the DSO of its symbol; all borrowed. keys: the
 *        renames, NULL: none. apart: orders two rows (as qsort() does) that may not be joined although their keys are
 *        equal; NULL: equal keys are enough
 * out:   after symjoin_sort(), entries in groups: a group holds all rows of both sides that belong together. The base's
 *        rows come first, and the rows of a side are in the order in which they were added. Groups are in the order of
 *        their keys, and within a key in the order of apart
 * law:   every row is in exactly one group. Where a side has a function under both its former and its new name, they are
 *        two functions, and no rename joins them. The name of a BPF program whose tag was cut ("bpf_prog_662b9cae", by a
 *        narrow column or a person) belongs to the longer name that begins so
 * error: -ENOMEM; the join is then empty
 *
 *     for (size_t from = 0, to; from < j.n; from = to) {
 *             to = symjoin_end(&j, from);
 *             ... entries from .. to - 1 are a group
 *     }
 */
#ifndef PERFPARSE_SYMJOIN_H
#define PERFPARSE_SYMJOIN_H

#include <stdbool.h>
#include <stddef.h>
#include "perfparse/symkey.h"

struct symjoin_entry {
	const void *row;
	const char *name, *dso;
	size_t index; /* how many were added before it */
	bool is_new;
	char key[SYMKEY_BYTES];
};

struct symjoin {
	const struct symkeys *keys;
	int (*apart)(const void *row, const void *other);
	struct symjoin_entry *entries;
	const struct symjoin_entry **sorted, **longer; /* private: room for symjoin_sort() */
	size_t n;
};

/* Makes room for so many rows at most. The members keys and apart are the caller's, and stay. */
int symjoin_room(struct symjoin *j, size_t most);
void symjoin_release(struct symjoin *j); /* may be called twice */
void symjoin_add(struct symjoin *j, bool is_new, const void *row, const char *name, const char *dso);
void symjoin_sort(struct symjoin *j);
size_t symjoin_end(const struct symjoin *j, size_t from);

#endif
