// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/locks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
#include "user/machine/netns.h"

void lock_words(char *out, size_t size, pid_t pid)
{
	char path[40], command[120];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(command, 1, sizeof(command) - 1, f);
		fclose(f);
	}
	while (n && !command[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!command[i])
			command[i] = ' ';
	command[n] = '\0';
	if (n)
		snprintf(out, size, "process %d (%s)", (int)pid, command);
	else
		snprintf(out, size, "process %d", (int)pid);
}

pid_t lock_holder(const char *path)
{
	unsigned int major_of, minor_of;
	unsigned long long inode;
	char line[256];
	struct stat st;
	FILE *f = fopen("/proc/locks", "re");
	int pid = 0, one;

	while (f && !pid && !stat(path, &st) && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*[^:]: FLOCK %*s %*s %d %x:%x:%llu", &one, &major_of, &minor_of, &inode) == 4 &&
		    inode == st.st_ino && makedev(major_of, minor_of) == st.st_dev)
			pid = one;
	if (f)
		fclose(f);
	return pid > 0 ? pid : 0;
}

static bool shares_user_namespace(pid_t pid)
{
	struct stat mine, theirs;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	return !stat("/proc/self/ns/user", &mine) && !stat(path, &theirs) && mine.st_dev == theirs.st_dev &&
	       mine.st_ino == theirs.st_ino;
}

static bool has_net_admin(pid_t pid)
{
	unsigned long long caps = 0;
	char path[40], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps >> CAP_NET_ADMIN & 1;
}

/*
 * Only who may change devices keeps others from it: a name can be taken by any process. In a user namespace of its own,
 * any process has all capabilities, over nothing but that. Of a process of another PID namespace the user is known.
 */
static bool may_change_devices(const struct ucred *who)
{
	if (!who->pid)
		return who->uid == 0;
	return has_net_admin(who->pid) && (who->uid == 0 || shares_user_namespace(who->pid));
}

/* Who listens at this name; pid 0: a process of another PID namespace. */
static int ask_holder(const struct sockaddr_un *at, socklen_t len, struct ucred *who)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = 0;
	socklen_t size = sizeof(*who);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)at, len) && errno != EAGAIN)
		err = -errno;
	if (!err && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, who, &size))
		err = -errno;
	close(fd);
	return err;
}

static int tell_holder(pid_t pid, const char *name, struct diag *d)
{
	char words[200];

	if (!pid)
		return diag_set(d, -EBUSY, "%s is in use by an xdpzoom of another container", name);
	lock_words(words, sizeof(words), pid);
	return diag_set(d, -EBUSY, "%s is in use by %s", name, words);
}

static int tell_stranger(pid_t pid, const char *name, struct diag *d)
{
	char words[200] = "a process of another container";

	if (pid)
		lock_words(words, sizeof(words), pid);
	return diag_set(d, -EBUSY, "%s cannot be locked: %s holds the name of its lock, and may not change devices",
			name, words);
}

/* Takes the name of the device's lock: a descriptor; -EBUSY: who has it; another error: there are no names. */
static int take_name(int ifindex, struct ucred *who)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), err = -ENOTSUP;
	socklen_t len;

	/* A name that begins with a NUL is no file, and vanishes with its socket. */
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			  snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "xdpzoom/device/%d", ifindex));
	for (int tries = 0; fd >= 0 && tries < 3; tries++) {
		if (!bind(fd, (struct sockaddr *)&at, len) && !listen(fd, 1))
			return fd;
		if (errno != EADDRINUSE)
			break;
		if (!ask_holder(&at, len, who)) { /* else it has ended meanwhile, or is about to listen */
			err = -EBUSY;
			break;
		}
	}
	if (fd >= 0)
		close(fd);
	return err;
}

int lock_file(void)
{
	int fd;

	if (mkdir(LOCK_DIR, 0755) && errno != EEXIST)
		return -errno;
	fd = open(LOCK_DIR "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* One byte of the file stands for a device: an index in a network namespace. */
static int take_byte(int ifindex)
{
	struct flock byte = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)netns_inum() << 31 | ifindex, .l_len = 1};
	int fd = lock_file(), err;

	if (fd < 0 || !fcntl(fd, F_OFD_SETLK, &byte))
		return fd;
	err = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	close(fd);
	return err;
}

int lock_device(struct device_lock *l, int ifindex, const char *name, struct diag *d)
{
	struct ucred who = {};
	int err = 0;

	l->file = -1;
	l->name = take_name(ifindex, &who);
	if (l->name == -EBUSY && may_change_devices(&who))
		return tell_holder(who.pid, name, d);
	l->file = take_byte(ifindex);
	if (l->file == -EBUSY)
		err = diag_set(d, -EBUSY, "%s is in use by another xdpzoom", name);
	else if (l->file < 0 && l->name == -EBUSY)
		err = tell_stranger(who.pid, name, d);
	if (err)
		lock_release(l);
	return err;
}

void lock_release(struct device_lock *l)
{
	if (l->name >= 0)
		close(l->name);
	if (l->file >= 0)
		close(l->file);
	*l = (struct device_lock){-1, -1};
}
