// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/settings/settings.h"

#include <linux/ethtool.h>
#include <sys/ioctl.h>

#define BUDGET_FILE      "/proc/sys/net/core/netdev_budget"
#define LINK_PATIENCE_NS 10000000000ULL
#define LINK_LOOK_NS     20000000ULL

static const struct rx_row {
	const char *option, *not_in_the_lab, *kind, *format;
	size_t at; /* in struct rx_settings */
} rows[] = {
	{"ring", "its devices are veth, whose ring has one size", "ring", "%d", offsetof(struct rx_settings, ring)},
	{"coalesce", "its devices are veth, which have no interrupts", "coalesce", "adaptive-rx off rx-usecs %d",
	 offsetof(struct rx_settings, coalesce_us)},
	{"queues", "its devices have one queue each", "queues", "%d", offsetof(struct rx_settings, queues)},
	{"budget", "it polls in a thread or when a batch ends, which no budget limits", "file", "%d",
	 offsetof(struct rx_settings, budget)},
};

#define NROWS (sizeof(rows) / sizeof(*rows))

/* -1: it is left as it is. */
#define VALUE_OF(o, row) (*(const int *)((const char *)(o) + (row)->at))

bool rx_settings_wanted(const struct rx_settings *o)
{
	for (size_t i = 0; i < NROWS; i++)
		if (VALUE_OF(o, &rows[i]) >= 0)
			return true;
	return false;
}

int rx_settings_check(const struct rx_settings *o, const char *dev, struct diag *d)
{
	for (size_t i = 0; i < NROWS && !strcmp(dev, "lab"); i++)
		if (VALUE_OF(o, &rows[i]) >= 0)
			return diag_set(d, -EOPNOTSUPP, "--tune %s: the lab cannot do this: %s", rows[i].option,
					rows[i].not_in_the_lab);
	return 0;
}

int rx_settings_begin(const struct rx_settings *o, const struct netdev *nd, struct diag *d)
{
	struct ethtool_channels q = {.cmd = ETHTOOL_GCHANNELS};
	char to[40], now[sizeof(((struct setting *)0)->value)];
	struct patience patience;
	struct ifreq ifr = {};
	struct setting want;
	struct diag why = {};

	if (!rx_settings_wanted(o))
		return 0;
	for (size_t i = 0; i < NROWS; i++) {
		const struct rx_row *r = &rows[i];
		bool file = !strcmp(r->kind, "file");
		const char *name = file ? BUDGET_FILE : "";
		int value = VALUE_OF(o, r), err;

		if (value < 0)
			continue;
		/* a device has queues that receive and send, or queues that receive alone */
		if (!strcmp(r->kind, "queues"))
			name = !netdev_ethtool(nd->name, &q) && !q.max_combined && q.max_rx ? "rx" : "combined";
		snprintf(to, sizeof(to), r->format, value);
		setting_fill(&want, r->kind, file ? "" : nd->name, name, "%s", to);
		err = setting_get(&want, now, sizeof(now));
		if (err)
			return diag_set(d, -EOPNOTSUPP, "--tune %s: %s (driver %s) has no such setting: %s", r->option,
					nd->name, nd->driver, strerror(-err));
		err = changes_make(&want, true, NULL, &why);
		if (err)
			return diag_set(d, err, "--tune %s=%d: %s", r->option, value, why.text);
		if (!setting_get(&want, now, sizeof(now)) && strcmp(now, want.value) != 0)
			return diag_set(d, -EINVAL,
					"--tune %s=%d: the device makes \"%s\" of it; name a value that it takes",
					r->option, value, now);
	}
	/* A NIC may lose its link when its rings or queues change. */
	for (patience = patience_of(LINK_PATIENCE_NS); !stop_requested; sleep_until_ns(now_ns() + LINK_LOOK_NS)) {
		if (!netdev_ioctl(nd->name, SIOCGIFFLAGS, &ifr) && ifr.ifr_flags & IFF_RUNNING)
			return 0;
		if (patience_ends(&patience))
			return diag_set(d, -ENETDOWN, "%s has no link after its settings changed", nd->name);
	}
	return stopped(d);
}
