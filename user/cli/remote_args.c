// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "user/cli/remote_args.h"
#include "base/complain.h"
#include "base/shell_word.h"

#define SSH_PREFIX       "ssh:"
#define LEAST_IPV6_BYTES 78 /* the headers and pktgen's own header behind them */

static int remote_args_take(char *to, size_t size, const char *word, const char *option, struct diag *d)
{
	if (!word[0] || strlen(word) >= size)
		return diag_set(d, -EINVAL, "--%s '%s': empty, or too long", option, word);
	strcpy(to, word);
	return 0;
}

int remote_args_apply(const struct remote_args *a, struct gen_options *g, struct diag *d)
{
	const char *tool = a->tool ? a->tool : "pktgen";
	int err;

	if (!a->generator && (a->dev || a->tool || a->dst_ip || a->threads))
		return diag_set(d, -EINVAL,
				"--generator-... and --dst-ip need a generator on another machine; name it with "
				"--generator ssh:HOST");
	if (!a->generator)
		return 0;
	if (strncmp(a->generator, SSH_PREFIX, strlen(SSH_PREFIX)))
		return diag_set(d, -EINVAL, "--generator %s: only ssh:HOST is supported", a->generator);
	if (!a->dev)
		return diag_set(d, -EINVAL, "--generator needs --generator-dev, the sending device on that machine");
	if (!strcmp(tool, "gen") && (a->dst_ip || a->threads > 1))
		return diag_set(d, -EINVAL, "--generator-threads and --dst-ip work with pktgen only");
	err = remote_args_take(g->host, sizeof(g->host), a->generator + strlen(SSH_PREFIX), "generator", d);
	if (!err)
		err = remote_args_take(g->dev, sizeof(g->dev), a->dev, "generator-dev", d);
	if (!err && a->dst_ip)
		err = remote_args_take(g->dst_ip, sizeof(g->dst_ip), a->dst_ip, "dst-ip", d);
	if (!err && g->batch)
		err = diag_set(d, -EINVAL, "--batch is for a generator on this machine");
	strcpy(g->tool, tool);
	g->threads = a->threads ? a->threads : 1;
	if (strchr(g->dst_ip, ':') && g->bytes < LEAST_IPV6_BYTES)
		g->bytes = LEAST_IPV6_BYTES;
	return err;
}

/* With pause frames, a slow receiver stops the sender instead of dropping frames, so its CPU is never saturated. */
static void warn_of_pause(const char *where, const char *dev, const char *pause)
{
	if (strstr(pause, ":on"))
		complain("%s%s uses Ethernet pause frames (%s), so a slow receiver slows the sender; switch them off "
			 "there with: ethtool -A %s autoneg off rx off tx off",
			 where, dev, pause, SHELL_NAME(dev));
}

void remote_warn(const struct session *s)
{
	const struct gen_options *g = &s->o.load;
	char where[sizeof(g->host) + 8], pause[32];
	const char *there = json_string_value(json_object_get(s->remote, "pause"));

	if (!s->remote)
		return;
	snprintf(where, sizeof(where), "%s: ", g->host);
	warn_of_pause(where, g->dev, there ? there : "");
	netdev_pause(s->target.nd.name, pause, sizeof(pause));
	warn_of_pause("", s->target.nd.name, pause);
}
