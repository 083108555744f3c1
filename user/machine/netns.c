// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/ethtool.h>
#include <linux/net_namespace.h>
#include <netlink/route/link.h>
#include <sys/mount.h>
#include "user/machine/machine.h"

/* ---- namespaces ---- */

#define NETNS_DIR "/run/netns"

bool netns_exists(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	return access(path, F_OK) == 0;
}

int netns_add(const char *name, struct diag *d)
{
	int fd, status, err;
	char path[256];
	pid_t pid;

	/*
	 * Makes /run/netns a shared mount, as ip netns does. Other mount namespaces see a namespace's bind mount only
	 * when the mount above it is shared.
	 */
	if (mkdir(NETNS_DIR, 0755) && errno != EEXIST)
		return diag_set(d, -errno, "cannot make " NETNS_DIR ": %s", strerror(errno));
	if (mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL)) {
		if (errno != EINVAL)
			return diag_set(d, -errno, "cannot share " NETNS_DIR ": %s", strerror(errno));
		if (mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL) ||
		    mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
			return diag_set(d, -errno, "cannot mount " NETNS_DIR ": %s", strerror(errno));
	}
	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0)
		return diag_set(d, -errno, "cannot make network namespace %s: %s", name, strerror(errno));
	close(fd);
	/* A child process makes the namespace, so that the caller stays in its own. */
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (pid == 0) {
		if (unshare(CLONE_NEWNET) || mount("/proc/self/ns/net", path, "none", MS_BIND, NULL))
			_exit(errno < 255 ? errno : 255);
		_exit(0);
	}
	if (!err) {
		status = child_wait(pid);
		err = WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
	}
	if (err) {
		unlink(path);
		return diag_set(d, err, "cannot make network namespace %s: %s", name, strerror(-err));
	}
	return 0;
}

int netns_remove(const char *name, struct diag *d)
{
	char path[256];

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	umount2(path, MNT_DETACH);
	if (unlink(path) && errno != ENOENT)
		return diag_set(d, -errno, "cannot remove network namespace %s: %s", name, strerror(errno));
	return 0;
}

int netns_open(const char *name, struct diag *d)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_set(d, -errno, "no network namespace %s: %s", name, strerror(errno));
	return fd;
}

/* To enter the namespace that one is in takes no capability. */
int netns_enter_fd(int fd)
{
	struct stat there, here;

	if (!fstat(fd, &there) && !stat("/proc/thread-self/ns/net", &here) && there.st_dev == here.st_dev &&
	    there.st_ino == here.st_ino)
		return 0;
	return setns(fd, CLONE_NEWNET);
}

int netns_enter(const char *name, struct diag *d)
{
	int fd, err = 0;

	if (!name || !name[0])
		return 0;
	fd = netns_open(name, d);
	if (fd < 0)
		return fd;
	if (netns_enter_fd(fd))
		err = diag_set(d, -errno, "cannot enter network namespace %s: %s", name,
			       errno == EINVAL ? "it is being removed" : strerror(errno));
	close(fd);
	return err;
}

static int open_this(struct diag *d)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? diag_set(d, -errno, "cannot open this network namespace: %s", strerror(errno)) : fd;
}

int netns_visit(const char *name, int *saved, struct diag *d)
{
	int err;

	*saved = open_this(d);
	if (*saved < 0)
		return *saved;
	err = netns_enter(name, d);
	if (err) {
		close(*saved);
		*saved = -1;
	}
	return err;
}

int netns_visit_fd(int fd, int *saved, struct diag *d)
{
	int err = 0;

	*saved = open_this(d);
	if (*saved < 0)
		return *saved;
	if (netns_enter_fd(fd)) {
		err = diag_set(d, -errno, "cannot enter a network namespace: %s", strerror(errno));
		close(*saved);
		*saved = -1;
	}
	return err;
}

int netns_make(int *fd, struct diag *d)
{
	int here = open_this(d);

	*fd = -1;
	if (here < 0)
		return here;
	if (unshare(CLONE_NEWNET)) {
		close(here);
		return diag_set(d, -errno, "cannot make a network namespace: %s", strerror(errno));
	}
	*fd = open_this(d);
	netns_back(&here);
	return *fd < 0 ? *fd : 0;
}

#define BACK_TRIES 1000 /* of a ms: the kernel allocates memory for it, which it may lack for a while */

void netns_back(int *saved)
{
	int tries = 0;

	if (*saved < 0)
		return;
	while (netns_enter_fd(*saved)) {
		if (++tries == BACK_TRIES)
			abort(); /* in the wrong namespace, this process would change other people's devices */
		usleep(1000);
	}
	close(*saved);
	*saved = -1;
}

unsigned int netns_inum(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
}

unsigned long long netns_cookie(void)
{
	unsigned long long cookie = 0;
	socklen_t size = sizeof(cookie);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size))
		cookie = 0;
	fd_close(fd);
	return cookie;
}

static int take_id(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[NETNSA_MAX + 1];

	if (!nlmsg_parse(nlmsg_hdr(msg), sizeof(struct rtgenmsg), attrs, NETNSA_MAX, NULL) && attrs[NETNSA_NSID])
		*(int *)arg = (int)nla_get_u32(attrs[NETNSA_NSID]);
	return NL_OK;
}

int netns_id(struct nl_sock *sk, int fd)
{
	struct rtgenmsg head = {.rtgen_family = AF_UNSPEC};
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNSID, 0);
	int id = -1;

	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, take_id, &id);
	if (msg && !nlmsg_append(msg, &head, sizeof(head), NLMSG_ALIGNTO) && !nla_put_u32(msg, NETNSA_FD, fd) &&
	    nl_send_auto(sk, msg) >= 0 && !nl_recvmsgs_default(sk))
		nl_wait_for_ack(sk);
	nlmsg_free(msg);
	return id;
}

/* A namespace that is looked for: by its id in this one (RTM_GETNSID), or by its inode number. */
struct wanted {
	struct nl_sock *sk; /* NULL: by the inode number */
	int id;
	unsigned int inum;
};

/* A descriptor of the namespace that this file is of, if it is the wanted one; -ENODEV. */
static int look_at(const struct wanted *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat there;

	if (fd >= 0 && (w->sk ? netns_id(w->sk, fd) == w->id : !fstat(fd, &there) && there.st_ino == w->inum))
		return fd;
	fd_close(fd);
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
		fd = look_at(w, path);
		snprintf(name, 64, "%.63s", e->d_name);
	}
	if (names)
		closedir(names);
	return fd;
}

int netns_visit_inum(unsigned int inum, int *saved, struct diag *d)
{
	const struct wanted w = {.inum = inum};
	char name[64];
	int fd, err;

	*saved = -1;
	if (netns_inum() == inum)
		return 0;
	fd = look_in(&w, NETNS_DIR, "", false, name);
	if (fd < 0)
		fd = look_in(&w, "/proc", "/ns/net", true, name);
	if (fd < 0)
		return diag_set(d, -ENOENT, "network namespace %u no longer exists", inum);
	err = netns_visit_fd(fd, saved, d);
	close(fd);
	return err;
}

int netns_sysfs(struct diag *d)
{
	int fs, mnt = -1, err;

	fs = fsopen("sysfs", FSOPEN_CLOEXEC);
	if (fs < 0 && errno == EPERM) /* who may not mount is in no other namespace than that of /sys */
		return open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fs < 0)
		return diag_set(d, -errno, "cannot open a sysfs of this network namespace: %s", strerror(errno));
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	err = -errno;
	close(fs);
	if (mnt < 0)
		return diag_set(d, err, "cannot open a sysfs of this network namespace: %s", strerror(-err));
	return mnt;
}

/* ---- veth ---- */

bool veth_is(const struct netdev *nd)
{
	return !strcmp(nd->driver, "veth");
}

/* Fills run with what a shell's commands begin with for the wanted namespace. */
static int look_for(const struct wanted *w, char *run, size_t size)
{
	char name[64] = "", session[40];
	int fd = look_in(w, NETNS_DIR, "", false, name);

	if (fd >= 0) {
		snprintf(run, size, "ip netns exec %s ", SHELL_NAME(name));
		return fd;
	}
	run[0] = 0;
	fd = look_at(w, "/proc/1/ns/net");
	snprintf(session, sizeof(session), "/proc/%d/ns/net", getsid(0)); /* the shell that we were started from */
	if (fd < 0)
		fd = look_at(w, session);
	if (fd >= 0)
		return fd;
	fd = look_in(w, "/proc", "/ns/net", true, name);
	if (fd >= 0)
		snprintf(run, size, "nsenter -t %s -n ", name);
	return fd;
}

int veth_peer_find(const struct netdev *nd, struct veth_peer *p)
{
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	struct ethtool_channels q = {.cmd = ETHTOOL_GCHANNELS};
	struct wanted w = {.inum = netns_inum()};
	struct rtnl_link *link = NULL;
	int fd = -ENODEV, err = -ENODEV, index = 0, saved;
	struct netdev peer;

	*p = (struct veth_peer){};
	if (sk && !rtnl_link_get_kernel(sk, nd->ifindex, NULL, &link)) {
		if (!rtnl_link_get_link_netnsid(link, &w.id))
			w.sk = sk;
		index = rtnl_link_get_link(link);
		fd = look_for(&w, p->run, sizeof(p->run));
		rtnl_link_put(link);
	}
	if (fd >= 0)
		err = netns_visit_fd(fd, &saved, NULL);
	if (fd >= 0 && !err) {
		err = if_indextoname(index, p->name) ? netdev_open(&peer, p->name, NULL) : -ENODEV;
		p->up = !err && peer.up;
		p->mtu = err ? 0 : peer.mtu;
		p->tx_queues = err || netdev_ethtool(p->name, &q) ? 0 : q.tx_count + q.combined_count;
		netns_back(&saved);
	}
	fd_close(fd);
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
	struct wanted here = {.inum = netns_inum()};
	struct veth_peer p = {};
	int fd;

	words[0] = 0;
	if (!veth_is(nd) || ethtool_feature_get(nd->name, "rx-gro", &gro) || gro.active)
		return;
	fd = look_for(&here, p.run, sizeof(p.run));
	fd_close(fd);
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
