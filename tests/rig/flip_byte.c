// SPDX-License-Identifier: GPL-2.0-or-later
/* Preloaded: a read of a relay's buffer, which has this length, now and then returns one bit that nobody sent. */
#include <dlfcn.h>
#include <unistd.h>

#define RELAY_BYTES (16 * 1448)

ssize_t read(int fd, void *to, size_t bytes)
{
	static ssize_t (*next)(int, void *, size_t);
	static int times;
	ssize_t n;

	if (!next)
		next = dlsym(RTLD_NEXT, "read");
	n = next(fd, to, bytes);
	if (n == RELAY_BYTES && bytes == RELAY_BYTES && ++times % 100 == 0)
		((char *)to)[RELAY_BYTES - 1] ^= 1;
	return n;
}
