// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include "base/listed.h"
#include "base/shell_word.h"
#include "user/machine/machine.h"

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

static void mend_by(struct native_refusal *r, const char *kind, const char *name, unsigned int value)
{
	SAY(r->kind, "%s", kind);
	SAY(r->name, "%s", name);
	SAY(r->value, "%u", value);
}

static bool mtu_refused(const struct netdev *nd, bool frags, struct native_refusal *r)
{
	const struct native_limit *l = native_limit_of(nd->driver);
	struct veth_peer p = {.mtu = nd->mtu};
	bool veth = veth_is(nd);

	if (!l || (veth && veth_peer_find(nd, &p)) || p.mtu <= l->mtu || (frags && l->frags))
		return false;
	if (veth) {
		SAY(r->why, "the MTU of its peer %s is %d, and at most %d is taken", p.name, p.mtu, l->mtu);
		SAY(r->mend, "%sip link set %s mtu 1500", p.run, SHELL_NAME(p.name));
		return true;
	}
	SAY(r->why, "its MTU is %d, and at most %d is taken", p.mtu, l->mtu);
	SAY(r->mend, "ip link set %s mtu 1500", SHELL_NAME(nd->name));
	mend_by(r, "mtu", "", 1500);
	return true;
}

static bool merging_refused(const struct netdev *nd, const char *check, struct native_refusal *r)
{
	struct ethtool_feature f;

	for (size_t i = 0; i < sizeof(merging) / sizeof(*merging); i++) {
		if (strcmp(check, merging[i].check) || strcmp(nd->driver, merging[i].driver) ||
		    ethtool_feature_get(nd->name, merging[i].feature, &f) || !f.active)
			continue;
		SAY(r->why, "%s is on", merging[i].feature);
		SAY(r->mend, "ethtool -K %s %s off", SHELL_NAME(nd->name), merging[i].feature);
		SAY(r->kind, "feature");
		SAY(r->name, "%s", merging[i].feature);
		SAY(r->value, "off");
		return true;
	}
	return false;
}

static bool veth_queues_refused(const struct netdev *nd, struct native_refusal *r)
{
	struct ethtool_queues q;
	struct veth_peer p;
	unsigned int rx;

	if (ethtool_queues_get(nd->name, &q) || veth_peer_find(nd, &p) || !p.tx_queues)
		return false;
	rx = q.rx.now + q.combined.now;
	if (rx >= p.tx_queues)
		return false;
	SAY(r->why, "its peer %s has more TX queues (%u) than this device RX queues (%u)", p.name, p.tx_queues, rx);
	SAY(r->mend, "%sethtool -L %s tx %u", p.run, SHELL_NAME(p.name), rx);
	return true;
}

static bool queues_refused(const struct netdev *nd, struct native_refusal *r)
{
	unsigned int cpus = (unsigned int)cpu_possible(), now, most;
	struct ethtool_queues q;
	size_t i = 0;

	if (veth_is(nd))
		return veth_queues_refused(nd, r);
	while (i < sizeof(queues) / sizeof(*queues) && strcmp(nd->driver, queues[i].driver))
		i++;
	if (i == sizeof(queues) / sizeof(*queues) || ethtool_queues_get(nd->name, &q))
		return false;
	now = q.tx.now + q.combined.now;
	most = q.tx.max + q.combined.max;
	if (queues[i].need == SHARED && q.rx.now + q.tx.now > q.rx.max) {
		SAY(r->why, "%u RX and %u TX queues are more than %u, of which XDP takes some", q.rx.now, q.tx.now,
		    q.rx.max);
		SAY(r->mend, "ethtool -L %s rx %u tx %u", SHELL_NAME(nd->name), q.rx.max / 2, q.rx.max / 2);
		return true;
	}
	if (queues[i].need == HALF_EQUAL && q.rx.now != q.tx.now) {
		unsigned int n = q.rx.now < most / 2 ? q.rx.now : most / 2;

		SAY(r->why, "%u RX queues are not as many as TX queues, %u", q.rx.now, q.tx.now);
		SAY(r->mend, "ethtool -L %s rx %u tx %u", SHELL_NAME(nd->name), n, n);
		return true;
	}
	if (queues[i].need == COMBINED && q.rx.now + q.tx.now > 0) {
		SAY(r->why, "%u queues only receive and %u only send", q.rx.now, q.tx.now);
		SAY(r->mend, "ethtool -L %s rx 0 tx 0 combined %u", SHELL_NAME(nd->name), q.rx.now);
		return true;
	}
	if (queues[i].need == PER_CPU && now < queues[i].n * cpus) {
		SAY(r->why, "%u TX queues are fewer than %u for each of %u CPUs", now, queues[i].n, cpus);
		SAY(r->mend, "use a NIC with more queues");
		return true;
	}
	if (queues[i].need > HALF_EQUAL || 2 * now <= most)
		return false;
	SAY(r->why, "%u of %u queues are in use, and XDP needs as many again", now, most);
	if (q.combined.now) {
		SAY(r->mend, "ethtool -L %s combined %u", SHELL_NAME(nd->name), most / 2);
		mend_by(r, "queues", "combined", most / 2);
	} else {
		SAY(r->mend, "ethtool -L %s rx %u tx %u", SHELL_NAME(nd->name), most / 2, most / 2);
	}
	return true;
}

bool native_refused(const struct netdev *nd, const char *check, bool frags, struct native_refusal *r)
{
	*r = (struct native_refusal){};
	if (!strcmp(check, "mtu"))
		return mtu_refused(nd, frags, r);
	return !strcmp(check, "queues") ? queues_refused(nd, r) : merging_refused(nd, check, r);
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
		SAY(r->mend, "on the host, give the NIC ctrl_guest_offloads=on or %s (QEMU: -device virtio-net-pci,%s)",
		    host, host);
		return true;
	}
	if (has_bit(bits, MRG_RXBUF) && !has_bit(bits, ANY_LAYOUT) && !has_bit(bits, VERSION_1)) {
		SAY(r->why,
		    "the host puts the header into a buffer of its own (mergeable buffers without any_header_sg)");
		SAY(r->mend,
		    "on the host, give the NIC VIRTIO_F_VERSION_1 or VIRTIO_F_ANY_LAYOUT (QEMU: disable-legacy=on)");
		return true;
	}
	SAY(r->why, "%s", on);
	return false;
}

bool native_why(const struct netdev *nd, bool frags, struct native_refusal *r)
{
	static const char *const checks[] = {"queues", "mtu", "lro", "gro-hw"};

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (native_refused(nd, checks[i], frags, r))
			return true;
	return false;
}
