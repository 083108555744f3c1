// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/shell_word.h"
#include "user/machine/machine.h"
#include "user/settings/settings.h"

/* A rule that brings a flow to a queue; name: "udp4 SRC SPORT DST DPORT", value: "queue Q at LOCATION" or "none". */

static const struct {
	const char *word;
	uint8_t family, protocol;
} flow_kinds[] = {
	{"udp4", AF_INET, IPPROTO_UDP},
	{"tcp4", AF_INET, IPPROTO_TCP},
	{"udp6", AF_INET6, IPPROTO_UDP},
	{"tcp6", AF_INET6, IPPROTO_TCP},
};

#define NFLOW_KINDS (sizeof(flow_kinds) / sizeof(*flow_kinds))

static const char *flow_word(const struct flow *f)
{
	for (size_t i = 0; i < NFLOW_KINDS; i++)
		if (flow_kinds[i].family == f->family && flow_kinds[i].protocol == f->protocol)
			return flow_kinds[i].word;
	return "none";
}

void setting_name_flow(char *name, size_t size, const struct flow *f)
{
	char src[INET6_ADDRSTRLEN] = "", dst[INET6_ADDRSTRLEN] = "";

	inet_ntop(f->family, f->src, src, sizeof(src));
	inet_ntop(f->family, f->dst, dst, sizeof(dst));
	snprintf(name, size, "%s %s %u %s %u", flow_word(f), src, ntohs(f->src_port), dst, ntohs(f->dst_port));
}

static int parse_flow(const char *name, struct flow *f)
{
	char word[8], src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	unsigned int src_port, dst_port;

	memset(f, 0, sizeof(*f));
	if (sscanf(name, "%7s %45s %u %45s %u", word, src, &src_port, dst, &dst_port) != 5)
		return -EINVAL;
	for (size_t i = 0; i < NFLOW_KINDS; i++) {
		if (strcmp(word, flow_kinds[i].word))
			continue;
		f->family = flow_kinds[i].family;
		f->protocol = flow_kinds[i].protocol;
		f->src_port = htons(src_port);
		f->dst_port = htons(dst_port);
		return inet_pton(f->family, src, f->src) == 1 && inet_pton(f->family, dst, f->dst) == 1 ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static int rule_get(const struct setting *s, char *value, size_t size)
{
	uint32_t queue, location;
	struct flow f;
	int err = parse_flow(s->name, &f) ?: ethtool_rule_get(s->dev, &f, &queue, &location);

	if (!err)
		snprintf(value, size, "queue %u at %u", queue, location);
	else
		snprintf(value, size, "none");
	return err == -ENOENT ? 0 : err;
}

static int rule_set(const struct setting *s, const char *value)
{
	long long location = -1;
	unsigned int queue;
	struct flow f;
	int err = parse_flow(s->name, &f);

	if (err)
		return err;
	if (!strcmp(value, "none"))
		return ethtool_rule_delete(s->dev, &f);
	if (sscanf(value, "queue %u at %lld", &queue, &location) < 1)
		return -EINVAL;
	return ethtool_rule_set(s->dev, &f, queue, location);
}

static void rule_command(const struct setting *s, char *command, size_t size)
{
	unsigned int src_port, dst_port, queue = 0;
	char word[8] = "", src[48] = "", dst[48] = "";
	int n;

	sscanf(s->value, "queue %u", &queue);
	if (sscanf(s->name, "%7s %47s %u %47s %u", word, src, &src_port, dst, &dst_port) != 5)
		src_port = dst_port = 0;
	n = snprintf(command, size, "ethtool -N %s flow-type %s src-ip %s dst-ip %s", SHELL_NAME(s->dev), word, src,
		     dst);
	if (src_port && n < (int)size)
		n += snprintf(command + n, size - n, " src-port %u", src_port);
	if (dst_port && n < (int)size)
		n += snprintf(command + n, size - n, " dst-port %u", dst_port);
	if (n < (int)size)
		snprintf(command + n, size - n, " action %u", queue);
}

const struct setting_kind setting_rule_kinds[] = {
	{"rule", rule_get, rule_set, NULL, rule_command},
	{},
};
