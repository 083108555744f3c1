// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <linux/ethtool.h>

#define LEAST_IPV6_BYTES 78 /* the headers and pktgen's own header behind them */

static int take(char *to, size_t size, const char *from, size_t length, const char *what, struct diag *d)
{
	if (!length || length >= size)
		return diag_set(d, -EINVAL, "--generator: the %s is empty, or too long", what);
	memcpy(to, from, length);
	to[length] = '\0';
	return 0;
}

/* "HOST/DEV" */
static int take_remote(struct gen_options *g, const char *host, const struct generator_args *a, struct diag *d)
{
	const char *slash = strrchr(host, '/');
	int err;

	if (!slash)
		return diag_set(d, -EINVAL, "--generator ssh:%s: wants ssh:HOST/DEV, with the device that sends there",
				host);
	strcpy(g->tool, a->tool ? a->tool : "pktgen");
	g->threads = a->threads ? a->threads : 1;
	if (!strcmp(g->tool, "gen") && (a->dst || g->threads > 1))
		return diag_set(d, -EINVAL, "--generator: threads and dst work with tool=pktgen only");
	err = take(g->host, sizeof(g->host), host, (size_t)(slash - host), "name of a host", d);
	if (!err)
		err = take(g->dev, sizeof(g->dev), slash + 1, strlen(slash + 1), "name of a device", d);
	if (!err && a->dst)
		err = take(g->dst_ip, sizeof(g->dst_ip), a->dst, strlen(a->dst), "address", d);
	if (strchr(g->dst_ip, ':') && g->bytes < LEAST_IPV6_BYTES)
		g->bytes = LEAST_IPV6_BYTES;
	return err;
}

int generator_apply(const struct generator_args *a, bool lab, struct session_options *o, struct diag *d)
{
	bool remote = a->where && !strncmp(a->where, "ssh:", 4), local = a->where && !strncmp(a->where, "local:", 6);

	o->own_load = lab || a->where;
	if (a->where && !remote && !local)
		return diag_set(d, -EINVAL, "--generator %s: wants local:DEV[@NETNS] or ssh:HOST/DEV", a->where);
	if (a->where && lab)
		return diag_set(d, -EINVAL,
				"--generator: the lab has its own generator, of which cpu= alone is chosen");
	if (!remote && (a->tool || a->threads || a->dst))
		return diag_set(d, -EINVAL, "--generator: tool, threads and dst are of a generator ssh:HOST/DEV");
	if (a->cpu >= 0 && (remote || !o->own_load))
		return diag_set(d, -EINVAL, "--generator: cpu is of the lab's generator and of local:DEV");
	if (remote && o->load.batch)
		return diag_set(d, -EINVAL, "--generator: batch is of a generator on this machine");
	if (local) { /* "DEV@NETNS" or "DEV" */
		const char *dev = a->where + 6, *at = strchr(dev, '@');
		int err = take(o->load.dev, sizeof(o->load.dev), dev, strcspn(dev, "@"), "name of a device", d);

		return err || !at ? err
				  : take(o->load.netns, sizeof(o->load.netns), at + 1, strlen(at + 1),
					 "network namespace", d);
	}
	return remote ? take_remote(&o->load, a->where + 4, a, d) : 0;
}

/* With pause frames, a slow receiver stops the sender instead of dropping frames, so its CPU is never saturated. */
void remote_warn(const struct session *s)
{
	const struct gen_options *g = &s->o.load;
	const char *there = json_string_value(json_object_get(s->remote, "pause"));
	const char *const devs[] = {g->dev, s->target.nd.name};
	struct ethtool_pauseparam p = {.cmd = ETHTOOL_GPAUSEPARAM};
	char here[32] = "";
	const char *const pause[] = {there ? there : "", here};

	if (!s->remote)
		return;
	if (!netdev_ethtool(s->target.nd.name, &p))
		snprintf(here, sizeof(here), "rx:%s tx:%s", p.rx_pause ? "on" : "off", p.tx_pause ? "on" : "off");
	for (int i = 0; i < 2; i++)
		if (strstr(pause[i], ":on"))
			complain("%s%s%s uses Ethernet pause frames (%s), so a slow receiver slows the sender; switch "
				 "them off there with: ethtool -A %s autoneg off rx off tx off",
				 i ? "" : g->host, i ? "" : ": ", devs[i], pause[i], SHELL_NAME(devs[i]));
}
