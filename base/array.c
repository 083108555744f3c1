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
