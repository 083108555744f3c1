// SPDX-License-Identifier: GPL-2.0-or-later
/* One command at a time in the lab, or several that share it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "user/machine/locks.h"
#include "user/bed/rig.h"

#define RIG_LOCK "/run/xdpzoom-lab.lock"

int rig_lock(bool alone, struct diag *d)
{
	int fd = open(RIG_LOCK, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);

	char words[200] = "another xdpzoom";
	pid_t pid;

	if (fd < 0 && errno == EACCES)
		return diag_set(d, -EPERM, "the lab needs root, because it is made of network namespaces");
	if (fd < 0 && (errno == EROFS || errno == ENOENT))
		return diag_set(d, -EOPNOTSUPP, "the lab needs a /run that can be written: %s", strerror(errno));
	if (fd < 0)
		return diag_set(d, -errno, "cannot open " RIG_LOCK ": %s", strerror(errno));
	if (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB)) {
		close(fd);
		pid = lock_holder(RIG_LOCK);
		if (pid)
			lock_words(words, sizeof(words), pid);
		return diag_set(d, -EBUSY, "the lab is in use by %s", words);
	}
	return fd;
}

bool rig_in_use(void)
{
	return lock_holder(RIG_LOCK);
}
