// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_manager(const char *words)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t length = path ? strlen(path) : 0;
	int fd;

	if (length < 2 || length >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, length);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, words, strlen(words), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(fd);
}
