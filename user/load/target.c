// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "user/machine/netns.h"
#include "user/load/rig.h"
#include "user/load/target.h"

void target_init(struct target *t)
{
	memset(t, 0, sizeof(*t));
	t->lock_fd = t->home_fd = -1;
}

static int open_lab(struct target *t, int rx_cpu, bool alone, struct diag *d)
{
	int err;

	t->lock_fd = rig_lock(alone, d);
	if (t->lock_fd < 0)
		return t->lock_fd;
	t->made_lab = !rig_exists();
	err = rig_up(rx_cpu, d);
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
		err = netns_visit(netns, &t->home_fd, d);
	if (!err)
		err = netdev_open(&t->nd, name, d);
	if (err)
		target_release(t);
	return err;
}

void target_release(struct target *t)
{
	netns_back(&t->home_fd);
	if (t->made_lab)
		rig_down(NULL);
	if (t->lock_fd >= 0)
		close(t->lock_fd);
	target_init(t);
}
