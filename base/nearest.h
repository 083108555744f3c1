/*
 * nearest - "did you mean": the known word that somebody most likely meant
 *
 * in:    what was typed, and the words there are
 * law:   a word is at most two edits away (a letter inserted, left out, replaced, or two swapped) and by fewer than half
 *        of its letters; of several as near, the first
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* NULL: none so far */
	size_t edits;
};

/* Keeps the word if it is nearer than the one before. */
void nearest_try(struct nearest *n, const char *typed, const char *word);
/* words: ends with NULL. NULL: none is near. */
const char *nearest_word(const char *typed, const char *const *words);

#endif
