// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/ethtool.h>
#include <netinet/in.h>
#include "user/machine/machine.h"

/* ---- ethtool ---- */

int ethtool_feature_index(const char *dev, const char *name)
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
	int index = ethtool_feature_index(dev, name), err;
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

int ethtool_rss_table(const char *dev, struct ethtool_rxfh_indir **table)
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
	int err = ethtool_rss_table(dev, &table) ?: netdev_ethtool(dev, &rings) ?: netdev_ethtool(dev, table);

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

static void fill_flow(struct ethtool_rx_flow_spec *fs, const struct flow *f)
{
	memset(fs, 0, sizeof(*fs));
	if (f->family == AF_INET6) {
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
	} else {
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
		const struct ethtool_tcpip4_spec *a4 = &one.fs.h_u.tcp_ip4_spec, *b4 = &want.h_u.tcp_ip4_spec;
		const struct ethtool_tcpip6_spec *a6 = &one.fs.h_u.tcp_ip6_spec, *b6 = &want.h_u.tcp_ip6_spec;

		if (netdev_ethtool(dev, &one) || one.fs.flow_type != want.flow_type)
			continue;
		/* Only the fields that fill_flow() sets: drivers report masks and unset fields in different ways. */
		if (f->family == AF_INET6 ? memcmp(a6->ip6src, b6->ip6src, 16) || memcmp(a6->ip6dst, b6->ip6dst, 16) ||
						    a6->psrc != b6->psrc || a6->pdst != b6->pdst
					  : a4->ip4src != b4->ip4src || a4->ip4dst != b4->ip4dst ||
						    a4->psrc != b4->psrc || a4->pdst != b4->pdst)
			continue;
		*queue = (uint32_t)one.fs.ring_cookie;
		*location = one.fs.location;
		found = 0;
	}
	free(list);
	return found;
}

int ethtool_rule_set(const char *dev, const struct flow *f, int64_t queue, int64_t location)
{
	struct ethtool_rxnfc rule = {.cmd = queue < 0 ? ETHTOOL_SRXCLSRLDEL : ETHTOOL_SRXCLSRLINS}, *list;
	uint32_t was, at = (uint32_t)location;
	int err = 0;

	if (location < 0)
		err = ethtool_rule_get(dev, f, &was, &at);
	if (err == -ENOENT && queue < 0)
		return 0;
	if (err == -ENOENT) {
		err = list_rules(dev, &list);
		if (err)
			return err;
		at = list->data & RX_CLS_LOC_SPECIAL ? RX_CLS_LOC_ANY : 0;
		for (__u32 i = 0; i < list->rule_cnt && at != RX_CLS_LOC_ANY; i++)
			if (list->rule_locs[i] == at) {
				at++;
				i = (__u32)-1; /* the locations are not sorted, so begin again */
			}
		err = at == RX_CLS_LOC_ANY || at < list->data ? 0 : -ENOSPC;
		free(list);
	}
	if (err)
		return err;
	if (queue >= 0) {
		fill_flow(&rule.fs, f);
		rule.fs.ring_cookie = queue;
	}
	rule.fs.location = at;
	return netdev_ethtool(dev, &rule);
}

/* ---- native_xdp ---- */

/* A page less headroom (256), struct skb_shared_info (320), and what the driver adds; of Intel's, a buffer of 3072. */
static const struct native_limit limits[] = {
	{"veth", 3506, true, "veth_xdp_set(), of the peer's MTU"},
	{"virtio_net", 3506, true, "virtnet_xdp_set()"},
	{"ena", 3498, false, "ena_xdp_allowed()"},
	{"gve", 2032, false, "gve_verify_xdp_configuration()"},
	{"bnxt_en", 3502, true, "bnxt_xdp_set()"},
	{"i40e", 3046, true, "i40e_xdp_setup()"},
	{"ice", 3046, true, "ice_xdp_setup_prog()"},
	{"ixgbe", 3050, false, "ixgbe_xdp_setup()"},
	{"ixgbevf", 3050, false, "ixgbevf_xdp_setup()"},
	{"igb", 3046, false, "igb_xdp_setup()"},
	{"igc", 1500, false, "igc_xdp_set_prog()"},
	{"mlx4_en", 3498, false, "mlx4_en_check_xdp_mtu()"},
	{"mlx4_core", 3498, false, "mlx4_en_check_xdp_mtu()"},
	{"mlx5_core", 3498, true, "mlx5e_params_validate_xdp()"},
	{"mvneta", 3520, true, "mvneta_xdp_setup()"},
	{"mvpp2", 3552, false, "mvpp2_xdp_setup()"},
	{"rvu_nicpf", 1508, false, "otx2_xdp_setup()"},
	{"rvu_nicvf", 1508, false, "otx2_xdp_setup()"},
	{"mtk_soc_eth", 3520, false, "mtk_xdp_setup()"},
	{"mana", 3506, false, "mana_xdp_set()"},
	{"ionic", 3502, true, "ionic_xdp_is_valid_mtu()"},
	{"netsec", 1500, false, "netsec_xdp_setup()"},
	{"st_gmac", 1500, false, "stmmac_xdp_set_prog()"},
	{"st_xgmac", 1500, false, "stmmac_xdp_set_prog()"},
	{"st_mac100", 1500, false, "stmmac_xdp_set_prog()"},
	{"sfc", 3530, false, "efx_xdp_max_mtu(), of EF10"},
	{"sfc_ef100", 3522, false, "efx_xdp_max_mtu()"},
	{"sfc_siena", 3528, false, "efx_siena_xdp_max_mtu()"},
	{"funeth", 3566, false, "fun_xdp_setup()"},
	{"thunder-nicvf", 1508, false, "nicvf_xdp_setup()"},
	{"atlantic", 2048, true, "aq_xdp_setup()"},
	{"vmxnet3", 3494, false, "vmxnet3_xdp_set()"},
	{"hv_netvsc", 3506, false, "netvsc_xdp_set()"},
	{"vif", 3840, false, "xennet_xdp_set()"},
};

/* Features with which the driver refuses. */
static const struct {
	const char *check, *feature, *driver, *source;
} merging[] = {
	{"lro", "rx-lro", "mlx5_core", "mlx5e_xdp_allowed()"},
	{"lro", "rx-lro", "hv_netvsc", "netvsc_xdp_set()"},
	{"lro", "rx-lro", "ixgbe", "ixgbe_xdp_setup(), ring_is_rsc_enabled()"},
	{"gro-hw", "rx-gro-hw", "mlx5_core", "mlx5e_xdp_allowed()"},
	{"gro-hw", "rx-gro-hw", "gve", "gve_verify_xdp_configuration()"},
};

/*
 * Queues that XDP needs. HALF: as many again as there are; HALF_EQUAL: and as many RX as TX; COMBINED: none that only
 * receive or send; PER_CPU: so many TX queues for each CPU; SHARED: no more of both than there may be of one.
 */
enum need { HALF, HALF_EQUAL, COMBINED, PER_CPU, SHARED };

static const struct {
	const char *driver;
	enum need need;
	unsigned int n;
	const char *source;
} queues[] = {
	{"ena", HALF, 0, "ena_xdp_legal_queue_count()"},   {"gve", HALF_EQUAL, 0, "gve_verify_xdp_configuration()"},
	{"bnxt_en", COMBINED, 0, "bnxt_xdp_set()"},        {"mvpp2", PER_CPU, 2, "mvpp2_xdp_setup()"},
	{"thunder-nicvf", SHARED, 0, "nicvf_xdp_setup()"},
};

const struct native_limit *native_limit_of(const char *driver)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (!strcmp(driver, limits[i].driver))
			return &limits[i];
	return NULL;
}

#define SAY(to, ...) snprintf(to, sizeof(to), __VA_ARGS__)

static bool queues_refused(const struct netdev *nd, struct native_refusal *r)
{
	unsigned int cpus = (unsigned int)cpu_possible(), now, most, rx;
	struct ethtool_channels q = {.cmd = ETHTOOL_GCHANNELS};
	size_t i = 0;
	struct veth_peer p;

	if (veth_is(nd)) {
		if (netdev_ethtool(nd->name, &q) || veth_peer_find(nd, &p) || !p.tx_queues)
			return false;
		rx = q.rx_count + q.combined_count;
		if (rx >= p.tx_queues)
			return false;
		SAY(r->why, "its peer %s has more TX queues (%u) than this device RX queues (%u)", p.name, p.tx_queues,
		    rx);
		SAY(r->fix, "%sethtool -L %s tx %u", p.run, SHELL_NAME(p.name), rx);
		return true;
	}
	while (i < sizeof(queues) / sizeof(*queues) && strcmp(nd->driver, queues[i].driver))
		i++;
	if (i == sizeof(queues) / sizeof(*queues) || netdev_ethtool(nd->name, &q))
		return false;
	now = q.tx_count + q.combined_count;
	most = q.max_tx + q.max_combined;
	if (queues[i].need == SHARED && q.rx_count + q.tx_count > q.max_rx) {
		SAY(r->why, "%u RX and %u TX queues are more than %u, of which XDP takes some", q.rx_count, q.tx_count,
		    q.max_rx);
		SAY(r->fix, "ethtool -L %s rx %u tx %u", SHELL_NAME(nd->name), q.max_rx / 2, q.max_rx / 2);
		return true;
	}
	if (queues[i].need == HALF_EQUAL && q.rx_count != q.tx_count) {
		unsigned int n = q.rx_count < most / 2 ? q.rx_count : most / 2;

		SAY(r->why, "%u RX queues are not as many as TX queues, %u", q.rx_count, q.tx_count);
		SAY(r->fix, "ethtool -L %s rx %u tx %u", SHELL_NAME(nd->name), n, n);
		return true;
	}
	if (queues[i].need == COMBINED && q.rx_count + q.tx_count > 0) {
		SAY(r->why, "%u queues only receive and %u only send", q.rx_count, q.tx_count);
		SAY(r->fix, "ethtool -L %s rx 0 tx 0 combined %u", SHELL_NAME(nd->name), q.rx_count);
		return true;
	}
	if (queues[i].need == PER_CPU && now < queues[i].n * cpus) {
		SAY(r->why, "%u TX queues are fewer than %u for each of %u CPUs", now, queues[i].n, cpus);
		SAY(r->fix, "use a NIC with more queues");
		return true;
	}
	if (queues[i].need > HALF_EQUAL || 2 * now <= most)
		return false;
	SAY(r->why, "%u of %u queues are in use, and XDP needs as many again", now, most);
	if (q.combined_count) {
		SAY(r->fix, "ethtool -L %s combined %u", SHELL_NAME(nd->name), most / 2);
		SAY(r->kind, "queues");
		SAY(r->name, "combined");
		SAY(r->value, "%u", most / 2);
	} else {
		SAY(r->fix, "ethtool -L %s rx %u tx %u", SHELL_NAME(nd->name), most / 2, most / 2);
	}
	return true;
}

bool native_refused(const struct netdev *nd, const char *check, bool frags, struct native_refusal *r)
{
	*r = (struct native_refusal){};
	if (!strcmp(check, "mtu")) {
		const struct native_limit *l = native_limit_of(nd->driver);
		struct veth_peer p = {.mtu = nd->mtu};
		bool veth = veth_is(nd);

		if (!l || (veth && veth_peer_find(nd, &p)) || p.mtu <= l->mtu || (frags && l->frags))
			return false;
		if (veth) {
			SAY(r->why, "the MTU of its peer %s is %d, and at most %d is taken", p.name, p.mtu, l->mtu);
			SAY(r->fix, "%sip link set %s mtu 1500", p.run, SHELL_NAME(p.name));
			return true;
		}
		SAY(r->why, "its MTU is %d, and at most %d is taken", p.mtu, l->mtu);
		SAY(r->fix, "ip link set %s mtu 1500", SHELL_NAME(nd->name));
		SAY(r->kind, "mtu");
		SAY(r->value, "1500");
		return true;
	}
	if (!strcmp(check, "queues"))
		return queues_refused(nd, r);
	struct ethtool_feature f;
	for (size_t i = 0; i < sizeof(merging) / sizeof(*merging); i++) {
		if (strcmp(check, merging[i].check) || strcmp(nd->driver, merging[i].driver) ||
		    ethtool_feature_get(nd->name, merging[i].feature, &f) || !f.active)
			continue;
		SAY(r->why, "%s is on", merging[i].feature);
		SAY(r->fix, "ethtool -K %s %s off", SHELL_NAME(nd->name), merging[i].feature);
		SAY(r->kind, "feature");
		SAY(r->name, "%s", merging[i].feature);
		SAY(r->value, "off");
		return true;
	}
	return false;
}

/* The feature bits of a virtio NIC that virtnet_xdp_set() in drivers/net/virtio_net.c tests. */
static const struct {
	int bit;
	const char *word;
} guest_offloads[] = {
	{1, "guest_csum"}, {7, "guest_tso4"},  {8, "guest_tso6"},  {9, "guest_ecn"},
	{10, "guest_ufo"}, {54, "guest_uso4"}, {55, "guest_uso6"},
};

enum { CTRL_GUEST_OFFLOADS = 2, MRG_RXBUF = 15, ANY_LAYOUT = 27, VERSION_1 = 32 };

static bool has_bit(const char *bits, int bit)
{
	return (int)strlen(bits) > bit && bits[bit] == '1';
}

bool native_refused_virtio(const char *bits, struct native_refusal *r)
{
	char on[160] = "", host[200] = "";

	*r = (struct native_refusal){};
	for (size_t i = 0; i < sizeof(guest_offloads) / sizeof(*guest_offloads); i++) {
		if (!has_bit(bits, guest_offloads[i].bit))
			continue;
		listed_add(on, sizeof(on), ", ", "%s", guest_offloads[i].word);
		listed_add(host, sizeof(host), ",", "%s=off", guest_offloads[i].word);
	}
	if (on[0] && !has_bit(bits, CTRL_GUEST_OFFLOADS)) {
		SAY(r->why, "%s are on and only the host can switch them off", on);
		SAY(r->fix, "on the host, give the NIC ctrl_guest_offloads=on or %s (QEMU: -device virtio-net-pci,%s)",
		    host, host);
		return true;
	}
	if (has_bit(bits, MRG_RXBUF) && !has_bit(bits, ANY_LAYOUT) && !has_bit(bits, VERSION_1)) {
		SAY(r->why,
		    "the host puts the header into a buffer of its own (mergeable buffers without any_header_sg)");
		SAY(r->fix,
		    "on the host, give the NIC VIRTIO_F_VERSION_1 or VIRTIO_F_ANY_LAYOUT (QEMU: disable-legacy=on)");
		return true;
	}
	SAY(r->why, "%s", on);
	return false;
}
