// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "perfparse/perfparse.h"

static bool is_suffix_word(const char *s, size_t len)
{
	static const char *const words[] = {"isra",     "constprop",  "part",  "cold", "llvm",
					    "lto_priv", "localalias", "clone", "warm", "hot"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return true;
	return false;
}

/* Cuts at the first ".word" that a compiler adds; numbers and more words may follow this word. */
size_t symname_fold(const char *name, size_t len)
{
	const char *end = name + len, *dot = name, *next;

	while ((dot = memchr(dot, '.', (size_t)(end - dot)))) {
		next = memchr(dot + 1, '.', (size_t)(end - dot - 1));
		if (!next)
			next = end;
		if (dot > name && is_suffix_word(dot + 1, (size_t)(next - dot - 1)))
			return (size_t)(dot - name);
		dot++;
	}
	return len;
}

/* Greedy; a mismatch goes back to the last star only, so there is no recursion and the time stays bounded. */
bool symname_glob(const char *glob, const char *s, size_t len)
{
	const char *end = s + len, *star = NULL, *star_s = NULL;

	while (s < end) {
		if (*glob == '*') {
			star = ++glob;
			star_s = s;
		} else if (*glob && (*glob == '?' || *glob == *s)) {
			glob++;
			s++;
		} else if (star) {
			glob = star;
			s = ++star_s;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}
