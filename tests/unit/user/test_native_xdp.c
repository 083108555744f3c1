// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a driver refuses native XDP, by its words, and the limits of MTUs. The words are those of Linux 7.3. */
#include "user/machine/machine.h"
#include "tests/unit/unit.h"

/* No such device is here, so only the driver's words tell. */
static void test_words(void **state)
{
	static const struct {
		const char *words, *why, *mend;
	} cases[] = {
		{"virtio_net: XDP expects header/data in single page, any_header_sg required", "buffer of its own",
		 "VIRTIO_F_VERSION_1"},
		{"gve: XDP is not supported for Rx buf len 4096, only 2048 supported.", "2048 bytes",
		 "rx-buf-len 2048"},
		{"gve: XDP is not supported when header-data split is enabled.", "header and data",
		 "tcp-data-split off"},
		{"mvpp2: Per CPU Pools required for XDP", "jumbo frames", "mtu 1500"},
		{"mtk_soc_eth: XDP not supported with HWLRO", "LRO", "skb mode"},
		{"fsl_enetc: Reserving 4 XDP TXQs leaves under 1 for stack (total 4)", "TX queue", "ethtool -L"},
		{"fbnic: MTU too high, or HDS threshold is too low for single buffer XDP", "split", "hds-thresh"},
		{"nfp: MTU too large w/ XDP enabled", "MTU", "mtu 1500"},
		{"fsl_dpa: MTU too large for XDP", "MTU", "mtu 1500"},
		{"bond0: No native XDP support for the current bonding mode", "mode of the bond", "active-backup"},
		{"(slave eth1): Slave device does not support XDP", "no native XDP", "skb mode"},
		{"ice: Not enough Tx resources for XDP", "TX queues", "ethtool -L"},
	};
	struct netdev nd = {.name = "no-such-dev0", .mtu = 1500};
	struct native_refusal r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(native_why(&nd, false, cases[i].words, &r));
		assert_non_null(strstr(r.why, cases[i].why));
		assert_non_null(strstr(r.mend, cases[i].mend));
	}
	assert_false(native_why(&nd, false, "a kernel of tomorrow refuses for another reason", &r));
}

/* A page of 4096, less what each driver's source takes from it. */
static void test_limits(void **state)
{
	const int page = 4096, info = 320, eth = 14, vlan = 4, fcs = 4;
	const struct {
		const char *driver;
		int mtu;
	} cases[] = {
		{"virtio_net", page - 256 - info - eth},
		{"ena", page - 256 - info - eth - vlan - fcs},
		{"bnxt_en", page - 256 - info - eth - vlan},
		{"ionic", page - 256 - info - eth - vlan},
		{"mlx4_en", page - 256 - info - eth - 2 * vlan},
		{"mvneta", page - 256 - info},
		{"mvpp2", page - 224 - info},
		{"funeth", page - 192 - info - eth - vlan},
		{"sfc", page - 128 - info - 40 - 64 - 14},
		{"sfc_ef100", page - 128 - info - 40 - 64 - 22},
		{"sfc_siena", page - 128 - info - 40 - 64 - 16},
		{"ixgbe", 3072 - eth - vlan - fcs},
		{"igb", 3072 - eth - 2 * vlan - fcs},
	};
	struct netdev nd = {.name = "no-such-dev0"};
	struct native_refusal r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(nd.driver, cases[i].driver);
		nd.mtu = cases[i].mtu;
		assert_false(native_refused(&nd, "mtu", false, &r));
		nd.mtu++;
		assert_true(native_refused(&nd, "mtu", false, &r));
		assert_int_equal(native_refused(&nd, "mtu", true, &r), !native_limit_of(nd.driver)->frags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
