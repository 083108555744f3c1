// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ntuple - an imitation of a driver with ntuple rules, for want of a NIC that has them: preloaded, it answers the
 * ioctls about rules of the device $NTUPLE_DEV from files in $NTUPLE_DIR, one for each rule, named by its location. All
 * else goes to the kernel. ethtool(8) runs with it as well as xdpzoom does, so that each reads what the other wrote.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 8

static int rule_file(unsigned int location, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%u", getenv("NTUPLE_DIR"), location);
	return open(path, flags | O_CLOEXEC, 0600);
}

static int read_rule(unsigned int location, struct ethtool_rx_flow_spec *fs)
{
	int fd = rule_file(location, O_RDONLY), ok;

	if (fd < 0)
		return -1;
	ok = read(fd, fs, sizeof(*fs)) == sizeof(*fs);
	close(fd);
	fs->location = location;
	return ok ? 0 : -1;
}

/* Without its location, so that rules can be compared with cmp(1). */
static int write_rule(const struct ethtool_rx_flow_spec *fs)
{
	struct ethtool_rx_flow_spec copy = *fs;
	int fd, ok;

	if (fs->location >= SIZE)
		return errno = EINVAL, -1;
	fd = rule_file(fs->location, O_WRONLY | O_CREAT | O_TRUNC);
	copy.location = 0;
	ok = fd >= 0 && write(fd, &copy, sizeof(copy)) == sizeof(copy);
	close(fd);
	return ok ? 0 : -1;
}

static int delete_rule(unsigned int location)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%u", getenv("NTUPLE_DIR"), location);
	return unlink(path);
}

static int list_rules(struct ethtool_rxnfc *nfc)
{
	struct ethtool_rx_flow_spec fs;
	unsigned int n = 0;

	for (unsigned int i = 0; i < SIZE; i++) {
		if (read_rule(i, &fs))
			continue;
		if (nfc->cmd == ETHTOOL_GRXCLSRLALL && n >= nfc->rule_cnt)
			return errno = EMSGSIZE, -1;
		if (nfc->cmd == ETHTOOL_GRXCLSRLALL)
			nfc->rule_locs[n] = i;
		n++;
	}
	nfc->rule_cnt = n;
	nfc->data = nfc->cmd == ETHTOOL_GRXCLSRLALL ? SIZE : 0;
	return 0;
}

static int answer(struct ethtool_rxnfc *nfc)
{
	switch (nfc->cmd) {
	case ETHTOOL_GRXRINGS:
		nfc->data = 3;
		return 0;
	case ETHTOOL_GRXCLSRLCNT:
	case ETHTOOL_GRXCLSRLALL:
		return list_rules(nfc);
	case ETHTOOL_GRXCLSRULE:
		return read_rule(nfc->fs.location, &nfc->fs) ? (errno = ENOENT, -1) : 0;
	case ETHTOOL_SRXCLSRLINS:
		return write_rule(&nfc->fs);
	case ETHTOOL_SRXCLSRLDEL:
		return delete_rule(nfc->fs.location);
	}
	return 1;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
	const char *dev = getenv("NTUPLE_DEV");
	void *arg;
	va_list args;
	int done = 1;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == SIOCETHTOOL && dev && !strcmp(((struct ifreq *)arg)->ifr_name, dev))
		done = answer((void *)((struct ifreq *)arg)->ifr_data);
	return done <= 0 ? done : next(fd, request, arg);
}
