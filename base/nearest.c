// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#define EDITS   2
#define LONGEST 64

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment distance, by three rows of its matrix.
 * src: Damerau, "A technique for computer detection and correction of spelling errors", CACM 7 (1964)
 */
static size_t edits_between(const char *a, const char *b)
{
	size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (size_t k = 0; k <= m; k++)
		last[k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t *free_row = before;

		row[0] = i;
		for (size_t k = 1; k <= m; k++) {
			row[k] = smaller(smaller(last[k], row[k - 1]) + 1, last[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = smaller(row[k], before[k - 2] + 1);
		}
		before = last;
		last = row;
		row = free_row;
	}
	return last[m];
}

void nearest_try(struct nearest *n, const char *typed, const char *word)
{
	size_t edits = edits_between(typed, word);

	if (edits > EDITS || 2 * edits >= strlen(word) || (n->word && edits >= n->edits))
		return;
	*n = (struct nearest){word, edits};
}

const char *nearest_word(const char *typed, const char *const *words)
{
	struct nearest n = {};

	for (; *words; words++)
		nearest_try(&n, typed, *words);
	return n.word;
}
