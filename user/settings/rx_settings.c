// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/settings/settings.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include "base/base.h"
#include "user/machine/machine.h"

#define BUDGET_FILE      "/proc/sys/net/core/netdev_budget"
#define LINK_PATIENCE_NS 10000000000ULL
#define LINK_LOOK_NS     20000000ULL

enum { RING, COALESCE, QUEUES, BUDGET, NSETTINGS };

static const struct {
	const char *option, *not_in_the_lab;
} words[NSETTINGS] = {
	[RING] = {"ring", "its devices are veth, whose ring has one size"},
	[COALESCE] = {"coalesce", "its devices are veth, which have no interrupts"},
	[QUEUES] = {"queues", "its devices have one queue each"},
	[BUDGET] = {"budget", "it polls in a thread or when a batch ends, which no budget limits"},
};

static int value_of(const struct rx_settings *o, int which)
{
	return which == RING ? o->ring : which == COALESCE ? o->coalesce_us : which == QUEUES ? o->queues : o->budget;
}

bool rx_settings_wanted(const struct rx_settings *o)
{
	return o->ring >= 0 || o->coalesce_us >= 0 || o->queues >= 0 || o->budget >= 0;
}

int rx_settings_check(const struct rx_settings *o, const char *dev, struct diag *d)
{
	for (int i = 0; i < NSETTINGS && !strcmp(dev, "lab"); i++)
		if (value_of(o, i) >= 0)
			return diag_set(d, -EOPNOTSUPP, "--tune %s: the lab cannot do this: %s", words[i].option,
					words[i].not_in_the_lab);
	return 0;
}

/* A device has queues that receive and send, or queues that receive alone. */
static const char *queue_kind(const char *dev)
{
	struct ethtool_channels q = {.cmd = ETHTOOL_GCHANNELS};

	return !netdev_ethtool(dev, &q) && !q.max_combined && q.max_rx ? "rx" : "combined";
}

static int change(int which, int value, const struct netdev *nd, struct diag *d)
{
	struct setting want;
	struct diag why = {};
	char now[sizeof(want.value)];
	int err;

	if (which == RING)
		setting_fill(&want, "ring", nd->name, "", "%d", value);
	else if (which == COALESCE)
		setting_fill(&want, "coalesce", nd->name, "", "adaptive-rx off rx-usecs %d", value);
	else if (which == QUEUES)
		setting_fill(&want, "queues", nd->name, queue_kind(nd->name), "%d", value);
	else
		setting_fill(&want, "file", "", BUDGET_FILE, "%d", value);
	err = setting_get(&want, now, sizeof(now));
	if (err)
		return diag_set(d, -EOPNOTSUPP, "--tune %s: %s (driver %s) has no such setting: %s",
				words[which].option, nd->name, nd->driver, strerror(-err));
	err = changes_make(&want, true, NULL, &why);
	if (err)
		return diag_set(d, err, "--tune %s=%d: %s", words[which].option, value, why.text);
	if (!setting_get(&want, now, sizeof(now)) && strcmp(now, want.value) != 0)
		return diag_set(d, -EINVAL, "--tune %s=%d: the device makes \"%s\" of it; name a value that it takes",
				words[which].option, value, now);
	return 0;
}

/* A NIC may lose its link when its rings or queues change. */
static int await_link(const char *dev, struct diag *d)
{
	struct patience patience = patience_of(LINK_PATIENCE_NS);
	struct ifreq ifr = {};

	while (!stop_requested) {
		if (!netdev_ioctl(dev, SIOCGIFFLAGS, &ifr) && ifr.ifr_flags & IFF_RUNNING)
			return 0;
		if (patience_ends(&patience))
			return diag_set(d, -ENETDOWN, "%s has no link after its settings changed", dev);
		sleep_until_ns(now_ns() + LINK_LOOK_NS);
	}
	return stopped(d);
}

int rx_settings_begin(const struct rx_settings *o, const struct netdev *nd, struct diag *d)
{
	int err = 0;

	if (!rx_settings_wanted(o))
		return 0;
	for (int i = 0; i < NSETTINGS && !err; i++)
		if (value_of(o, i) >= 0)
			err = change(i, value_of(o, i), nd, d);
	return err ? err : await_link(nd->name, d);
}

int rx_settings_end(const struct rx_settings *o, struct diag *d)
{
	size_t n;

	return rx_settings_wanted(o) ? changes_undo(CHANGES_OWN, NULL, &n, d) : 0;
}
