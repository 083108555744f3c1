// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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

int lock_file(const char *path)
{
	int fd;

	if (mkdir(LOCK_DIR, 0755) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int lock_device(int *fd, int ifindex, const char *name, struct diag *d)
{
	char path[80], words[200] = "another xdpzoom";
	pid_t pid;

	snprintf(path, sizeof(path), LOCK_DIR "/device-%u-%d", netns_inum(), ifindex);
	*fd = lock_file(path);
	if (*fd >= 0 && !flock(*fd, LOCK_EX | LOCK_NB))
		return 0;
	pid = lock_holder(path);
	if (*fd < 0 && !pid) {
		*fd = -1;
		return 0;
	}
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	if (pid)
		lock_words(words, sizeof(words), pid);
	return diag_set(d, -EBUSY, "%s is in use by %s", name, words);
}
