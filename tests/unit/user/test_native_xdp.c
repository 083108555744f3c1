// SPDX-License-Identifier: GPL-2.0-or-later
/* The largest MTU with which each driver takes native XDP, of Linux 7.3. */
#include "user/machine/machine.h"
#include "tests/unit/unit.h"

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
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
