// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/bed/bed.h"

int target_open(struct target *t, const char *name, const char *netns, int rx_cpu, bool alone, struct diag *d)
{
	int orphan, err = 0;

	t->lab = !strcmp(name, "lab");
	if (t->lab) {
		/* The lab of a command that was killed goes; < 0: there is no mark, or that command lives. */
		orphan = access(LAB_MARK, F_OK) ? -1 : rig_lock(true, NULL);
		if (orphan >= 0) {
			if (rig_exists()) {
				complain("removed the lab that a killed command had made for itself");
				rig_down(NULL);
			}
			unlink(LAB_MARK);
			close(orphan);
		}
		t->lock_fd = rig_lock(alone, d);
		err = t->lock_fd < 0 ? t->lock_fd : 0;
		name = RIG_RX_DEV;
		netns = RIG_RX_NETNS;
	}
	if (t->lab && !err) {
		rig_arms_left(true);
		t->made_lab = !rig_exists();
		if (t->made_lab)
			fd_close(open(LAB_MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
		err = rig_up(rx_cpu, 0, d);
		if (err && t->made_lab)
			unlink(LAB_MARK);
		if (err)
			t->made_lab = false;
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
	*t = NO_TARGET;
}
