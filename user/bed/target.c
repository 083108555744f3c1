// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/bed/bed.h"

void target_init(struct target *t)
{
	memset(t, 0, sizeof(*t));
	t->lock_fd = t->home_fd = t->device_fd = -1;
}

/*
 * A lab that a command made for itself has this file. A command that was killed leaves both behind; the lock, which the
 * kernel takes from the dead, tells that nobody uses the lab any more.
 */
#define LAB_MARK "/run/xdpzoom-lab.temporary"

static int open_lab(struct target *t, int rx_cpu, bool alone, struct diag *d)
{
	int orphan = access(LAB_MARK, F_OK) ? -1 : rig_lock(true, NULL), err;

	/* The lab of a command that was killed goes; < 0: there is no mark, or that command lives. */
	if (orphan >= 0) {
		if (rig_exists()) {
			complain("removed the lab that a killed command had made for itself");
			rig_down(NULL);
		}
		unlink(LAB_MARK);
		close(orphan);
	}
	t->lock_fd = rig_lock(alone, d);
	if (t->lock_fd < 0)
		return t->lock_fd;
	rig_arms_sweep();
	t->made_lab = !rig_exists();
	if (t->made_lab) {
		int fd = open(LAB_MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

		fd_close(fd);
	}
	err = rig_up(rx_cpu, 0, d);
	if (err && t->made_lab)
		unlink(LAB_MARK);
	if (err)
		t->made_lab = false;
	return err;
}

int target_open(struct target *t, const char *name, const char *netns, int rx_cpu, bool alone, struct diag *d)
{
	int err = 0;

	t->lab = !strcmp(name, "lab");
	if (t->lab) {
		err = open_lab(t, rx_cpu, alone, d);
		name = RIG_RX_DEV;
		netns = RIG_RX_NETNS;
	}
	if (!err)
		err = netns_visit(netns, &t->home_fd, d) ?: netdev_open(&t->nd, name, d);
	if (!err && !t->lab)
		err = lock_device(&t->device_fd, t->nd.ifindex, name, d);
	if (err)
		target_release(t);
	return err;
}

void target_release(struct target *t)
{
	netns_back(&t->home_fd);
	fd_close(t->device_fd);
	if (t->made_lab && !rig_down(NULL))
		unlink(LAB_MARK);
	fd_close(t->lock_fd);
	target_init(t);
}

bool target_is_away(const struct target *t)
{
	struct stat home;

	return fstat(t->home_fd, &home) || home.st_ino != netns_inum();
}

bool target_lab_orphaned(void)
{
	return !access(LAB_MARK, F_OK) && rig_exists() && !rig_in_use();
}

void target_keep_lab(void)
{
	unlink(LAB_MARK);
}
