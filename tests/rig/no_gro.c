// SPDX-License-Identifier: GPL-2.0-or-later
/* Preloaded: the kernel seems to have no UDP_GRO. */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int (*real)(int, int, int, const void *, socklen_t) =
		(int (*)(int, int, int, const void *, socklen_t))dlsym(RTLD_NEXT, "setsockopt");

	if (level == IPPROTO_UDP && name == UDP_GRO) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return real(fd, level, name, value, len);
}
