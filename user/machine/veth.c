// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <linux/rtnetlink.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/shell_word.h"
#include "user/machine/machine.h"

bool veth_is(const struct netdev *nd)
{
	return !strcmp(nd->driver, "veth");
}

/* A namespace is looked for: the one with this id (RTM_GETNSID), or this process's own one. */
struct wanted {
	struct nl_sock *sk; /* NULL: its own */
	int id;
};

static bool veth_is_wanted(const struct wanted *w, int fd)
{
	struct stat there, here;

	if (w->sk)
		return netns_id(w->sk, fd) == w->id;
	return !fstat(fd, &there) && !stat("/proc/thread-self/ns/net", &here) && there.st_dev == here.st_dev &&
	       there.st_ino == here.st_ino;
}

/* A descriptor of the namespace that this file is of, if it is the wanted one; -ENODEV. */
static int veth_look_at(const struct wanted *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && veth_is_wanted(w, fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENODEV;
}

/* Looks at dir/NAME and the rest of the path, for every name or, with numbers, for every process. Fills name. */
static int look_in(const struct wanted *w, const char *dir, const char *rest, bool numbers, char name[64])
{
	DIR *names = opendir(dir);
	int fd = -ENODEV;
	struct dirent *e;
	char path[300];

	while (names && fd < 0 && (e = readdir(names))) {
		if (e->d_name[0] == '.' || (numbers && (!atoi(e->d_name) || atoi(e->d_name) == getpid())))
			continue;
		snprintf(path, sizeof(path), "%s/%.200s%s", dir, e->d_name, rest);
		fd = veth_look_at(w, path);
		snprintf(name, 64, "%.63s", e->d_name);
	}
	if (names)
		closedir(names);
	return fd;
}

/* Fills run with what a shell's commands begin with for the wanted namespace. */
static int look_for(const struct wanted *w, char *run, size_t size)
{
	char name[64] = "", session[40];
	int fd = look_in(w, "/run/netns", "", false, name);

	if (fd >= 0) {
		snprintf(run, size, "ip netns exec %s ", SHELL_NAME(name));
		return fd;
	}
	run[0] = 0;
	fd = veth_look_at(w, "/proc/1/ns/net");
	snprintf(session, sizeof(session), "/proc/%d/ns/net", getsid(0)); /* the shell that we were started from */
	if (fd < 0)
		fd = veth_look_at(w, session);
	if (fd >= 0)
		return fd;
	fd = look_in(w, "/proc", "/ns/net", true, name);
	if (fd >= 0)
		snprintf(run, size, "nsenter -t %s -n ", name);
	return fd;
}

static int name_peer(struct veth_peer *p, int index, int netns_fd)
{
	struct ethtool_queues q = {};
	struct netdev nd;
	int saved, err = netns_visit_fd(netns_fd, &saved, NULL);

	if (err)
		return err;
	err = if_indextoname(index, p->name) ? netdev_open(&nd, p->name, NULL) : -ENODEV;
	p->up = !err && nd.up;
	p->mtu = err ? 0 : nd.mtu;
	p->tx_queues = err || ethtool_queues_get(p->name, &q) ? 0 : q.tx.now + q.combined.now;
	netns_back(&saved);
	return err;
}

int veth_peer_find(const struct netdev *nd, struct veth_peer *p)
{
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	struct wanted w = {.id = -1};
	struct rtnl_link *link = NULL;
	int fd = -ENODEV, err = -ENODEV;

	*p = (struct veth_peer){};
	if (sk && !rtnl_link_get_kernel(sk, nd->ifindex, NULL, &link)) {
		if (!rtnl_link_get_link_netnsid(link, &w.id))
			w.sk = sk;
		fd = look_for(&w, p->run, sizeof(p->run));
		if (fd >= 0)
			err = name_peer(p, rtnl_link_get_link(link), fd);
		rtnl_link_put(link);
	}
	if (fd >= 0)
		close(fd);
	nl_socket_free(sk);
	return err;
}

void veth_peer_needs(const struct netdev *nd, char *words, size_t size)
{
	struct veth_peer p;

	if (veth_peer_find(nd, &p))
		snprintf(words, size, "its peer needs an XDP program, or gro on");
	else if (!p.up)
		snprintf(words, size, "its peer %s is down: %sip link set %s up", p.name, p.run, SHELL_NAME(p.name));
	else
		snprintf(words, size, "its peer %s needs an XDP program, or gro on: %sethtool -K %s gro on", p.name,
			 p.run, SHELL_NAME(p.name));
}

void veth_needs(const struct netdev *nd, char *words, size_t size)
{
	struct ethtool_feature gro;
	struct wanted here = {};
	struct veth_peer p = {};
	int fd;

	words[0] = 0;
	if (!veth_is(nd) || ethtool_feature_get(nd->name, "rx-gro", &gro) || gro.active)
		return;
	fd = look_for(&here, p.run, sizeof(p.run));
	if (fd >= 0)
		close(fd);
	snprintf(words, size, "gro on (%sethtool -K %s gro on)", p.run, SHELL_NAME(nd->name));
}

int veth_no_packets(const struct netdev *nd, bool skb, struct diag *d)
{
	char needs[VETH_WORDS] = "";

	if (skb)
		veth_needs(nd, needs, sizeof(needs));
	if (needs[0])
		return diag_set(d, -ETIMEDOUT,
				"no packets arrive at %s; in skb mode a veth takes XDP frames only with %s", nd->name,
				needs);
	return diag_set(d, -ETIMEDOUT, "no packets arrive at %s; is the generator sending to it?", nd->name);
}
