// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/ethtool.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "user/machine/machine.h"

#define FEATURE_BLOCKS 8 /* of 32 features each; kernels have some 70 features */

/* The number of the feature with this name; -EOPNOTSUPP: this kernel has no such feature. */
static int feature_index(const char *dev, const char *name)
{
	struct {
		struct ethtool_sset_info info;
		__u32 count;
	} sset = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES}};
	struct ethtool_gstrings *names;
	int err = netdev_ethtool(dev, &sset), index = -EOPNOTSUPP;

	if (err || !sset.info.sset_mask)
		return err ? err : -EOPNOTSUPP;
	names = calloc(1, sizeof(*names) + (size_t)sset.count * ETH_GSTRING_LEN);
	if (!names)
		return -ENOMEM;
	*names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES, .len = sset.count};
	err = netdev_ethtool(dev, names);
	for (__u32 i = 0; i < sset.count && !err && index < 0; i++)
		if (!strncmp((char *)names->data + (size_t)i * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN))
			index = (int)i;
	free(names);
	return index < FEATURE_BLOCKS * 32 ? index : -EOPNOTSUPP;
}

int ethtool_feature_get(const char *dev, const char *name, struct ethtool_feature *f)
{
	struct {
		struct ethtool_gfeatures head;
		struct ethtool_get_features_block blocks[FEATURE_BLOCKS];
	} get = {.head = {.cmd = ETHTOOL_GFEATURES, .size = FEATURE_BLOCKS}};
	const struct ethtool_get_features_block *b;
	int index = feature_index(dev, name), err;
	__u32 bit;

	if (index < 0)
		return index;
	err = netdev_ethtool(dev, &get);
	if (err)
		return err;
	b = &get.blocks[index / 32];
	bit = 1u << index % 32;
	f->requested = b->requested & bit;
	f->active = b->active & bit;
	f->fixed = !(b->available & bit) || (b->never_changed & bit);
	return 0;
}

int ethtool_feature_set(const char *dev, const char *name, bool on)
{
	struct {
		struct ethtool_sfeatures head;
		struct ethtool_set_features_block blocks[FEATURE_BLOCKS];
	} set = {.head = {.cmd = ETHTOOL_SFEATURES}};
	int index = feature_index(dev, name), err;
	struct ethtool_feature f;

	if (index < 0)
		return index;
	set.head.size = index / 32 + 1;
	/* The kernel accepts only its own number of blocks (-EINVAL for any other), so try all from the smallest on. */
	for (err = -EINVAL; err == -EINVAL && set.head.size <= FEATURE_BLOCKS; set.head.size++) {
		set.blocks[index / 32].valid = 1u << index % 32;
		set.blocks[index / 32].requested = on ? 1u << index % 32 : 0;
		err = netdev_ethtool(dev, &set);
	}
	if (!err)
		err = ethtool_feature_get(dev, name, &f);
	return err ? err : f.requested == on ? 0 : -EOPNOTSUPP;
}

int ethtool_ring_get(const char *dev, struct ethtool_amount *rx)
{
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
	int err = netdev_ethtool(dev, &ring);

	*rx = (struct ethtool_amount){ring.rx_pending, ring.rx_max_pending};
	return err;
}

int ethtool_ring_set(const char *dev, uint32_t rx)
{
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
	int err = netdev_ethtool(dev, &ring);

	ring.cmd = ETHTOOL_SRINGPARAM;
	ring.rx_pending = rx;
	return err ? err : netdev_ethtool(dev, &ring);
}

int ethtool_queues_get(const char *dev, struct ethtool_queues *q)
{
	struct ethtool_channels ch = {.cmd = ETHTOOL_GCHANNELS};
	int err = netdev_ethtool(dev, &ch);

	*q = (struct ethtool_queues){
		{ch.rx_count, ch.max_rx}, {ch.tx_count, ch.max_tx}, {ch.combined_count, ch.max_combined}};
	return err;
}

int ethtool_queues_set(const char *dev, const char *kind, uint32_t n)
{
	struct ethtool_channels ch = {.cmd = ETHTOOL_GCHANNELS};
	int err = netdev_ethtool(dev, &ch);

	ch.cmd = ETHTOOL_SCHANNELS;
	*(!strcmp(kind, "rx") ? &ch.rx_count : !strcmp(kind, "tx") ? &ch.tx_count : &ch.combined_count) = n;
	return err ? err : netdev_ethtool(dev, &ch);
}

int ethtool_coalescing_get(const char *dev, struct ethtool_coalescing *c)
{
	struct ethtool_coalesce now = {.cmd = ETHTOOL_GCOALESCE};
	int err = netdev_ethtool(dev, &now);

	*c = (struct ethtool_coalescing){now.use_adaptive_rx_coalesce != 0, now.rx_coalesce_usecs};
	return err;
}

int ethtool_coalescing_set(const char *dev, const struct ethtool_coalescing *c)
{
	struct ethtool_coalesce set = {.cmd = ETHTOOL_GCOALESCE};
	int err = netdev_ethtool(dev, &set);

	set.cmd = ETHTOOL_SCOALESCE;
	set.use_adaptive_rx_coalesce = c->adaptive_rx;
	set.rx_coalesce_usecs = c->rx_usecs;
	return err ? err : netdev_ethtool(dev, &set);
}

int ethtool_pause_get(const char *dev, struct ethtool_pause *p)
{
	struct ethtool_pauseparam pause = {.cmd = ETHTOOL_GPAUSEPARAM};
	int err = netdev_ethtool(dev, &pause);

	*p = (struct ethtool_pause){pause.autoneg != 0, pause.rx_pause != 0, pause.tx_pause != 0};
	return err;
}

int ethtool_pause_set(const char *dev, const struct ethtool_pause *p)
{
	struct ethtool_pauseparam pause = {
		.cmd = ETHTOOL_SPAUSEPARAM, .autoneg = p->autoneg, .rx_pause = p->rx, .tx_pause = p->tx};

	return netdev_ethtool(dev, &pause);
}

/* Allocates *table with room for the device's RSS table; the caller frees it. -EOPNOTSUPP: the device has no table. */
static int rss_table(const char *dev, struct ethtool_rxfh_indir **table)
{
	struct ethtool_rxfh_indir size = {.cmd = ETHTOOL_GRXFHINDIR};
	int err = netdev_ethtool(dev, &size);

	*table = NULL;
	if (err || !size.size)
		return err ? err : -EOPNOTSUPP;
	*table = calloc(1, sizeof(size) + size.size * sizeof(__u32));
	if (!*table)
		return -ENOMEM;
	**table = size;
	return 0;
}

int ethtool_rss_get(const char *dev, struct ethtool_rss *rss)
{
	struct ethtool_rxnfc rings = {.cmd = ETHTOOL_GRXRINGS};
	struct ethtool_rxfh_indir *table;
	uint32_t n = 1, ours;
	int err = rss_table(dev, &table) ?: netdev_ethtool(dev, &rings) ?: netdev_ethtool(dev, table);

	if (err)
		goto out;
	while (n < table->size && table->ring_index[n] != table->ring_index[0])
		n++;
	for (uint32_t i = 0; i < table->size && !err; i++)
		err = table->ring_index[i] == table->ring_index[0] + i % n ? 0 : -EDOM;
	ours = rings.data < table->size ? rings.data : table->size;
	*rss = (struct ethtool_rss){table->ring_index[0], n, table->ring_index[0] == 0 && n == ours};
out:
	free(table);
	return err;
}

int ethtool_rss_set(const char *dev, const struct ethtool_rss *rss)
{
	struct ethtool_rxfh_indir *table;
	int err = rss_table(dev, &table);

	if (err)
		return err;
	table->cmd = ETHTOOL_SRXFHINDIR;
	for (uint32_t i = 0; i < table->size; i++)
		table->ring_index[i] = rss->first + i % rss->queues;
	if (rss->usual)
		table->size = 0; /* means to the kernel: restore the driver's own table */
	err = netdev_ethtool(dev, table);
	free(table);
	return err;
}

static void fill_ip4(struct ethtool_rx_flow_spec *fs, const struct flow *f)
{
	struct ethtool_tcpip4_spec *h = &fs->h_u.tcp_ip4_spec, *m = &fs->m_u.tcp_ip4_spec;

	fs->flow_type = f->protocol == IPPROTO_UDP ? UDP_V4_FLOW : TCP_V4_FLOW;
	memcpy(&h->ip4src, f->src, 4);
	memcpy(&h->ip4dst, f->dst, 4);
	h->psrc = f->src_port;
	h->pdst = f->dst_port;
	m->ip4src = m->ip4dst = 0xffffffff;
	m->psrc = f->src_port ? 0xffff : 0;
	m->pdst = f->dst_port ? 0xffff : 0;
}

static void fill_ip6(struct ethtool_rx_flow_spec *fs, const struct flow *f)
{
	struct ethtool_tcpip6_spec *h = &fs->h_u.tcp_ip6_spec, *m = &fs->m_u.tcp_ip6_spec;

	fs->flow_type = f->protocol == IPPROTO_UDP ? UDP_V6_FLOW : TCP_V6_FLOW;
	memcpy(h->ip6src, f->src, 16);
	memcpy(h->ip6dst, f->dst, 16);
	h->psrc = f->src_port;
	h->pdst = f->dst_port;
	memset(m->ip6src, 0xff, 16);
	memset(m->ip6dst, 0xff, 16);
	m->psrc = f->src_port ? 0xffff : 0;
	m->pdst = f->dst_port ? 0xffff : 0;
}

static void fill_flow(struct ethtool_rx_flow_spec *fs, const struct flow *f)
{
	memset(fs, 0, sizeof(*fs));
	if (f->family == AF_INET6)
		fill_ip6(fs, f);
	else
		fill_ip4(fs, f);
}

/*
 * The existing rules: rule_cnt locations in rule_locs. data: the number of rules that are possible, and the flag
 * RX_CLS_LOC_SPECIAL when the driver chooses the locations. The caller frees *list.
 */
static int list_rules(const char *dev, struct ethtool_rxnfc **list)
{
	struct ethtool_rxnfc count = {.cmd = ETHTOOL_GRXCLSRLCNT}, *l;
	int err = netdev_ethtool(dev, &count);

	*list = NULL;
	if (err)
		return err;
	l = calloc(1, sizeof(*l) + (count.rule_cnt + 1) * sizeof(__u32));
	if (!l)
		return -ENOMEM;
	l->cmd = ETHTOOL_GRXCLSRLALL;
	l->rule_cnt = count.rule_cnt;
	err = netdev_ethtool(dev, l);
	if (err) {
		free(l);
		return err;
	}
	/* Some drivers set RX_CLS_LOC_SPECIAL only in the answer to ETHTOOL_GRXCLSRLCNT. */
	l->data |= count.data & RX_CLS_LOC_SPECIAL;
	*list = l;
	return 0;
}

/* Compares only the fields that fill_flow() sets: drivers report masks and unset fields in different ways. */
static bool same_flow(const struct ethtool_rx_flow_spec *a, const struct ethtool_rx_flow_spec *b)
{
	const struct ethtool_tcpip4_spec *a4 = &a->h_u.tcp_ip4_spec, *b4 = &b->h_u.tcp_ip4_spec;
	const struct ethtool_tcpip6_spec *a6 = &a->h_u.tcp_ip6_spec, *b6 = &b->h_u.tcp_ip6_spec;

	if (a->flow_type != b->flow_type)
		return false;
	if (a->flow_type == UDP_V4_FLOW || a->flow_type == TCP_V4_FLOW)
		return a4->ip4src == b4->ip4src && a4->ip4dst == b4->ip4dst && a4->psrc == b4->psrc &&
		       a4->pdst == b4->pdst;
	return !memcmp(a6->ip6src, b6->ip6src, 16) && !memcmp(a6->ip6dst, b6->ip6dst, 16) && a6->psrc == b6->psrc &&
	       a6->pdst == b6->pdst;
}

int ethtool_rule_get(const char *dev, const struct flow *f, uint32_t *queue, uint32_t *location)
{
	struct ethtool_rx_flow_spec want;
	struct ethtool_rxnfc *list;
	int err = list_rules(dev, &list), found = -ENOENT;

	if (err)
		return err;
	fill_flow(&want, f);
	for (__u32 i = 0; i < list->rule_cnt && found; i++) {
		struct ethtool_rxnfc one = {.cmd = ETHTOOL_GRXCLSRULE, .fs.location = list->rule_locs[i]};

		if (netdev_ethtool(dev, &one) || !same_flow(&one.fs, &want))
			continue;
		*queue = (uint32_t)one.fs.ring_cookie;
		*location = one.fs.location;
		found = 0;
	}
	free(list);
	return found;
}

static int free_location(const char *dev, uint32_t *location)
{
	struct ethtool_rxnfc *list;
	int err = list_rules(dev, &list);
	uint32_t at = 0;

	if (err)
		return err;
	if (list->data & RX_CLS_LOC_SPECIAL) {
		*location = RX_CLS_LOC_ANY;
		free(list);
		return 0;
	}
	for (__u32 i = 0; i < list->rule_cnt; i++)
		if (list->rule_locs[i] == at) {
			at++;
			i = (__u32)-1; /* the locations are not sorted, so begin again */
		}
	err = at < list->data ? 0 : -ENOSPC;
	*location = at;
	free(list);
	return err;
}

int ethtool_rule_set(const char *dev, const struct flow *f, uint32_t queue, int64_t location)
{
	struct ethtool_rxnfc rule = {.cmd = ETHTOOL_SRXCLSRLINS};
	uint32_t was, at = (uint32_t)location;
	int err = 0;

	if (location < 0)
		err = ethtool_rule_get(dev, f, &was, &at);
	if (err == -ENOENT)
		err = free_location(dev, &at);
	if (err)
		return err;
	fill_flow(&rule.fs, f);
	rule.fs.ring_cookie = queue;
	rule.fs.location = at;
	return netdev_ethtool(dev, &rule);
}

int ethtool_rule_delete(const char *dev, const struct flow *f)
{
	struct ethtool_rxnfc rule = {.cmd = ETHTOOL_SRXCLSRLDEL};
	uint32_t queue;
	int err = ethtool_rule_get(dev, f, &queue, &rule.fs.location);

	if (err)
		return err == -ENOENT ? 0 : err;
	return netdev_ethtool(dev, &rule);
}
