// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include "base/array.h"

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size)
{
	size_t want = *cap ? *cap : 64;
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
	if ((*n & (*n - 1)) == 0) {
		grown = reallocarray(elements, *n ? 2 * *n : 1, size);
		if (!grown)
			return NULL;
		elements = grown;
		memcpy(array, &elements, sizeof(elements));
	}
	return memset(elements + (*n)++ * size, 0, size);
}
