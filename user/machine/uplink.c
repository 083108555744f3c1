// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "user/machine/machine.h"

#define NEST_MAX      8 /* devices upon devices: a VLAN of a bridge of a bond ... */
#define ANCESTORS_MAX 64
#define ADDRESS       80

/* Is dev the device named above, or one that this device sends through? sysfs lists these as lower_NAME. */
static bool is_below(const char *dev, const char *above, int sysfs, int depth)
{
	char path[64];
	struct dirent *e;
	bool found = false;
	DIR *dir;
	int fd;

	if (!strcmp(dev, above))
		return true;
	if (!depth || strlen(above) >= IF_NAMESIZE)
		return false;
	snprintf(path, sizeof(path), "class/net/%s", above);
	fd = openat(sysfs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !dir)
		close(fd);
	while (dir && !found && (e = readdir(dir)))
		if (!strncmp(e->d_name, "lower_", 6))
			found = is_below(dev, e->d_name + 6, sysfs, depth - 1);
	if (dir)
		closedir(dir);
	return found;
}

/* The device of a default route in a line of /proc/net/route or /proc/net/ipv6_route; false: it is another route. */
static bool default_route(const char *line, bool v6, char dev[IF_NAMESIZE])
{
	unsigned int to, mask, flags;
	char to6[33];

	if (v6)
		return sscanf(line, "%32s %x %*s %*s %*s %*s %*s %*s %x %15s", to6, &mask, &flags, dev) == 4 &&
		       strspn(to6, "0") == 32 && !mask && (flags & 1) && strcmp(dev, "lo");
	return sscanf(line, "%15s %x %*x %x %*d %*d %*d %x", dev, &to, &flags, &mask) == 4 && !to && !mask &&
	       (flags & 1);
}

static bool has_default_route(const char *dev, int sysfs)
{
	static const char *const files[] = {"/proc/thread-self/net/route", "/proc/thread-self/net/ipv6_route"};
	char line[512], of[IF_NAMESIZE];
	bool found = false;

	for (int i = 0; i < 2; i++) {
		FILE *f = fopen(files[i], "re");

		while (f && !found && fgets(line, sizeof(line), f))
			found = default_route(line, i, of) && is_below(dev, of, sysfs, NEST_MAX);
		if (f)
			fclose(f);
	}
	return found;
}

bool uplink_has_address(const char *dev, const char *address)
{
	char plain[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN];
	struct ifaddrs *all, *a;
	bool found = false;

	if (!strncmp(address, "::ffff:", 7))
		address += 7;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(address, " %"), address);
	if (!plain[0] || getifaddrs(&all))
		return false;
	for (a = all; a && !found; a = a->ifa_next) {
		int family = a->ifa_addr ? a->ifa_addr->sa_family : AF_UNSPEC;
		const void *raw;

		if ((family != AF_INET && family != AF_INET6) || strcmp(a->ifa_name, dev))
			continue;
		raw = family == AF_INET ? (void *)&((struct sockaddr_in *)a->ifa_addr)->sin_addr
					: (void *)&((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr;
		found = inet_ntop(family, raw, text, sizeof(text)) && !strcmp(text, plain);
	}
	freeifaddrs(all);
	return found;
}

/* This machine's end of the ssh session, from the environment that a process was started with. */
static bool ssh_address_of(int pid, char address[ADDRESS])
{
	static const char want[] = "SSH_CONNECTION=";
	char path[32], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "proc/%d/environ", pid);
	f = facts_file(&facts_here, path);
	while (f && !found && getdelim(&line, &size, 0, f) > 0)
		found = !strncmp(line, want, strlen(want)) && sscanf(line + strlen(want), "%*s %*s %79s", address) == 1;
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool ssh_address(char address[ADDRESS])
{
	struct process_stat s;
	int pid = getpid();

	for (int i = 0; i < ANCESTORS_MAX && pid > 0; i++) {
		if (ssh_address_of(pid, address))
			return true;
		pid = facts_process_stat(&facts_here, pid, &s) ? 0 : s.parent;
	}
	return false;
}

static bool carries_address(const char *dev, const char *address, int sysfs)
{
	struct if_nameindex *all = if_nameindex();
	bool found = false;

	for (struct if_nameindex *i = all; i && i->if_index && !found; i++)
		found = uplink_has_address(i->if_name, address) && is_below(dev, i->if_name, sysfs, NEST_MAX);
	if_freenameindex(all);
	return found;
}

int uplink_check(const char *dev, struct diag *d)
{
	const char *what = NULL;
	char address[ADDRESS];
	int sysfs = netns_sysfs(NULL);

	if (ssh_address(address) && carries_address(dev, address, sysfs))
		what = "this ssh session goes over it";
	else if (has_default_route(dev, sysfs))
		what = "this machine's default route goes over it";
	if (sysfs >= 0)
		close(sysfs);
	return what ? diag_set(d, -EBUSY, "%s: %s; --allow-management-interface takes it all the same", dev, what) : 0;
}
