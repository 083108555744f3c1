// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

/* Below this size an array has no room to spare, so that a sanitizer sees what is read or written behind its end. */
#ifdef __SANITIZE_ADDRESS__
#define SPARE_FROM 64
#else
#define SPARE_FROM 1
#endif

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size)
{
	size_t want = used + n < SPARE_FROM ? used + n : *cap < 64 ? 64 : *cap;
	void *old, *new;

	if (used + n <= *cap)
		return true;
	while (want < used + n)
		want *= 2;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, want * size);
	if (!new)
		return false;
	memcpy(array, &new, sizeof(new));
	*cap = want;
	return true;
}

void *array_add(void *array, size_t *n, size_t size)
{
	char *elements, *grown;

	memcpy(&elements, array, sizeof(elements));
	if (*n < SPARE_FROM || (*n & (*n - 1)) == 0) {
		grown = reallocarray(elements, *n < SPARE_FROM ? *n + 1 : 2 * *n, size);
		if (!grown)
			return NULL;
		elements = grown;
		memcpy(array, &elements, sizeof(elements));
	}
	return memset(elements + (*n)++ * size, 0, size);
}
