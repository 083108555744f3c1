// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/ladder/ladder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "user/gen/gen.h"
#include "user/machine/machine.h"

#define FILLING 64

static int bind_to_port(int *fd)
{
	struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(RUNG_PORT)};

	*fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return *fd < 0 || bind(*fd, (struct sockaddr *)&port, sizeof(port)) ? -errno : 0;
}

/* ---- is the port free? --------------------------------------------------------------------------------------- */

/* The inode of a socket at the port in a file like /proc/net/udp; 0: there is none. */
static unsigned long inode_in(const char *path)
{
	unsigned long inode = 0, found;
	unsigned int port;
	char line[512];
	FILE *f = fopen(path, "re");

	while (f && !inode && fgets(line, sizeof(line), f))
		if (sscanf(line, " %*[^:]: %*[0-9A-Fa-f]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &port, &found) == 2 &&
		    port == RUNG_PORT)
			inode = found;
	if (f)
		fclose(f);
	return inode;
}

static int refuse_used(struct diag *d)
{
	unsigned long inode = inode_in("/proc/thread-self/net/udp") ?: inode_in("/proc/thread-self/net/udp6");
	struct fd_owner owner;
	char link[40];

	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	if (inode && fd_owner_find(link, NULL, &owner))
		return diag_set(d, -EADDRINUSE, "%s (process %d) has UDP port %d, which the frames go to", owner.comm,
				(int)owner.pid, RUNG_PORT);
	return diag_set(d, -EADDRINUSE, "UDP port %d, which the frames go to, is in use", RUNG_PORT);
}

static int rung_udp_refuse(int err, struct diag *d)
{
	if (err == -EADDRINUSE)
		return refuse_used(d);
	if (err == -EACCES)
		return diag_set(d, -EOPNOTSUPP, "binding to UDP port %d needs CAP_NET_BIND_SERVICE", RUNG_PORT);
	return diag_set(d, err, "cannot bind to UDP port %d: %s", RUNG_PORT, strerror(-err));
}

int rung_udp_port_free(struct diag *d)
{
	int fd, err = bind_to_port(&fd);

	if (fd >= 0)
		close(fd);
	return err ? rung_udp_refuse(err, d) : 0;
}

/* ---- the device's address ------------------------------------------------------------------------------------ */

bool rung_udp_address(const char *dev, char words[64])
{
	struct ifaddrs *all, *a;
	bool found = false, preferred = false;
	char address[INET_ADDRSTRLEN];

	if (getifaddrs(&all))
		return false;
	for (a = all; a && !preferred; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET || strcmp(a->ifa_name, dev) != 0)
			continue;
		inet_ntop(AF_INET, &((struct sockaddr_in *)a->ifa_addr)->sin_addr, address, sizeof(address));
		preferred = !strcmp(address, GEN_DST_IP);
		if (!found || preferred)
			strcpy(words, address);
		found = true;
	}
	freeifaddrs(all);
	return found;
}

/* ---- a full socket ------------------------------------------------------------------------------------------- */

/* The kernel gives it room for some 2 KiB, which it fills with datagrams to itself. */
int rung_udp_full_socket(int *fd, struct diag *d)
{
	struct sockaddr_in self = {
		.sin_family = AF_INET, .sin_port = htons(RUNG_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int least = 0, err = bind_to_port(fd);

	if (err)
		return rung_udp_refuse(err, d);
	if (setsockopt(*fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)))
		return diag_set(d, -errno, "cannot make the socket's buffer small: %s", strerror(errno));
	for (int i = 0; i < FILLING; i++)
		if (sendto(*fd, "", 1, MSG_DONTWAIT, (struct sockaddr *)&self, sizeof(self)) < 0)
			return diag_set(d, errno == ENETUNREACH ? -EOPNOTSUPP : -errno,
					"cannot fill the socket through the loopback device: %s", strerror(errno));
	return 0;
}

/* ---- what the kernel counts ---------------------------------------------------------------------------------- */

/* The number of the column with this name, from 0; -1: there is none. */
static int column_of(char *line, const char *name)
{
	int column = 0;

	for (char *rest = line, *word; (word = strtok_r(rest, " \n", &rest)); column++)
		if (!strcmp(word, name))
			return column;
	return -1;
}

static uint64_t number_in(char *line, int column)
{
	char *rest = line, *word = NULL;

	for (int i = 0; i <= column; i++)
		word = strtok_r(rest, " \n", &rest);
	return word ? strtoull(word, NULL, 10) : 0;
}

/* Two lines begin with "Udp:": the names of the columns, and then their values (proc(5), /proc/net/snmp). */
int rung_udp_count(const char *column, uint64_t *frames, struct diag *d)
{
	FILE *f = fopen("/proc/thread-self/net/snmp", "re");
	char line[1024];
	int number = -1;
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "Udp:", 4))
			continue;
		found = number >= 0;
		if (found)
			*frames = number_in(line, number);
		else
			number = column_of(line, column);
	}
	if (f)
		fclose(f);
	return found ? 0 : diag_set(d, -EOPNOTSUPP, "this kernel does not count %s", column);
}
