// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

bool listed_add(char *list, size_t size, const char *separator, const char *fmt, ...)
{
	size_t was = strlen(list), n = was + (was ? strlen(separator) : 0);
	int put = 0;
	va_list args;

	if (n < size) {
		va_start(args, fmt);
		put = vsnprintf(list + n, size - n, fmt, args);
		va_end(args);
	}
	if (n >= size || put < 0 || (size_t)put >= size - n) {
		list[was] = '\0';
		return false;
	}
	memcpy(list + was, separator, n - was);
	return true;
}
