// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "perfparse/report_cell.h"

struct cell cell_trimmed(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return (struct cell){from, (size_t)(to - from)};
}

bool cell_is(const struct cell *c, const char *text)
{
	return c->len == strlen(text) && !memcmp(c->s, text, c->len);
}

bool cell_next(const char **s, const char *end, char separator, struct cell *cell)
{
	const char *from, *to;

	if (separator) {
		if (*s > end)
			return false;
		to = memchr(*s, separator, (size_t)(end - *s));
		if (!to)
			to = end;
		*cell = cell_trimmed(*s, to);
		*s = to + 1;
		return true;
	}
	for (from = *s; from < end && *from == ' '; from++)
		;
	if (from >= end)
		return false;
	for (to = from; (to = memchr(to, ' ', (size_t)(end - to))); to++)
		if (to + 1 == end || to[1] == ' ')
			break;
	if (!to)
		to = end;
	*cell = (struct cell){from, (size_t)(to - from)};
	*s = to;
	return true;
}
