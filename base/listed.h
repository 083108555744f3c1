/*
 * listed - a list in words, in a buffer of fixed size
 *
 * in:    a buffer that holds a text, or "" before the first part; a separator, which stands before all others
 * law:   a part is there whole or not at all, so that no number loses its last digits
 * error: false, and the text is as before: the part does not fit
 */
#ifndef BASE_LISTED_H
#define BASE_LISTED_H

#include <stdbool.h>
#include <stddef.h>

bool listed_add(char *list, size_t size, const char *separator, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
