/*
 * span - a part of a text that is read where it stands, and what readers of lines do with such parts
 *
 * in:    a text that the caller owns, up to its end; no NUL has to follow
 * out:   pointers into it
 * law:   nothing behind the end is read. Blanks are spaces and tabs
 * error: none
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *s;
	size_t len;
};

static inline bool span_is(const struct span *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->s, text, w->len);
}

static inline bool span_begins(const char *s, size_t len, const char *head)
{
	size_t n = strlen(head);

	return len >= n && !memcmp(s, head, n);
}

static inline bool span_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline const char *span_skip_blanks(const char *s, const char *end)
{
	while (s < end && span_is_blank(*s))
		s++;
	return s;
}

static inline const char *span_skip_word(const char *s, const char *end)
{
	while (s < end && !span_is_blank(*s))
		s++;
	return s;
}

/* The next word from *s on; false: there is none. */
static inline bool span_next_word(const char **s, const char *end, struct span *w)
{
	w->s = span_skip_blanks(*s, end);
	*s = span_skip_word(w->s, end);
	w->len = (size_t)(*s - w->s);
	return w->len > 0;
}

/* As much as there is room for, and a NUL behind it. */
static inline void span_copy(char *to, size_t size, const char *s, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, s, len);
	to[len] = '\0';
}

#endif
