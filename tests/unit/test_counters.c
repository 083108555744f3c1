// SPDX-License-Identifier: GPL-2.0-or-later
/* How counters grow: what wraps, goes back, comes, vanishes or has a namesake; and what drivers' names mean. */
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static void put(struct counters *c, const char *name, uint64_t value)
{
	assert_int_equal(counters_append(c, COUNTER_ETHTOOL, name, strlen(name), value, true), 0);
}

/* Growth of one counter; UINT64_MAX: changed, but not known by how much. */
static uint64_t growth(uint64_t before, uint64_t after)
{
	struct counters from = {NULL, 0}, to = {NULL, 0}, grown;
	uint64_t value = 0;

	put(&from, "n", before);
	put(&to, "n", after);
	assert_int_equal(counters_growth(&grown, &from, &to, false), 0);
	assert_true(grown.n <= 1);
	if (grown.n)
		value = grown.list[0].known ? grown.list[0].value : UINT64_MAX;
	counters_release(&from);
	counters_release(&to);
	counters_release(&grown);
	return value;
}

static void test_wrap(void **state)
{
	assert_true(growth(5, 12) == 7);
	assert_true(growth(5, 5) == 0);
	assert_true(growth(UINT32_MAX - 1, 3) == 5);                    /* a counter of 32 bits */
	assert_true(growth(UINT32_MAX, (uint64_t)UINT32_MAX + 2) == 2); /* no counter of 32 bits */
	assert_true(growth(UINT64_MAX - 1, 3) == 5);
	assert_true(growth(1000, 10) == UINT64_MAX); /* was reset */
	/* too large for 32 bits, too small for 64 */
	assert_true(growth(UINT64_C(5000000000), 10) == UINT64_MAX);
	assert_true(growth(UINT32_MAX, UINT32_MAX - 1) == UINT64_MAX);
}

static void test_come_and_go(void **state)
{
	struct counters from = {NULL, 0}, to = {NULL, 0}, grown;
	const struct counter *c;

	put(&from, "still", 7);
	put(&from, "gone", 7);
	put(&from, "moved", 7);
	put(&to, "still", 7);
	put(&to, "moved", 9);
	put(&to, "new", 3);
	assert_int_equal(counters_growth(&grown, &from, &to, false), 0);
	assert_int_equal(grown.n, 3);
	c = counter_of(&grown, COUNTER_ETHTOOL, "moved");
	assert_true(c && c->known && c->value == 2);
	c = counter_of(&grown, COUNTER_ETHTOOL, "gone");
	assert_true(c && !c->known);
	c = counter_of(&grown, COUNTER_ETHTOOL, "new");
	assert_true(c && !c->known);
	assert_null(counter_of(&grown, COUNTER_LINK, "moved"));
	counters_release(&grown);
	assert_int_equal(counters_growth(&grown, &from, &to, true), 0);
	c = counter_of(&grown, COUNTER_ETHTOOL, "still");
	assert_true(grown.n == 4 && c && c->known && c->value == 0);
	counters_release(&grown);
	counters_release(&from);
	counters_release(&to);
}

/* As vmxnet3 does: each queue has counters of the same names, indented. */
static void test_namesakes(void **state)
{
	struct counters from = {NULL, 0}, to = {NULL, 0}, grown;
	char raw[32] = {' ', 'r', 'x', '\t', (char)0xff, ' ', 'z'}; /* 32 bytes, no need of a NUL */

	put(&from, "  pkts", 10);
	put(&from, "  pkts", 20);
	put(&to, "  pkts", 11);
	put(&to, "  pkts", 25);
	assert_int_equal(counters_growth(&grown, &from, &to, false), 0);
	assert_int_equal(grown.n, 1);
	assert_string_equal(grown.list[0].name, "pkts");
	assert_true(grown.list[0].value == 6);
	counters_release(&grown);
	assert_int_equal(counters_append(&to, COUNTER_ETHTOOL, raw, sizeof(raw), 1, true), 0);
	assert_string_equal(to.list[2].name, "rx?? z");
	counters_release(&from);
	counters_release(&to);
	counters_release(&to);
}

static int64_t sum_of(enum counter_role role, const char *const names[])
{
	struct counters c = {NULL, 0};
	uint64_t value = 1;
	int64_t sum;

	for (; *names; names++, value *= 10)
		put(&c, *names, value);
	sum = counters_sum(&c, role);
	counters_release(&c);
	return sum;
}

#define SUM(role, ...) sum_of(role, (const char *const[]){__VA_ARGS__, NULL})

static void test_roles(void **state)
{
	struct counters c = {NULL, 0};

	/* veth */
	assert_int_equal(SUM(COUNTER_XDP_TX, "rx_queue_0_xdp_tx", "rx_queue_0_xdp_tx_errors", "rx_queue_12_xdp_tx"),
			 101);
	assert_int_equal(SUM(COUNTER_XDP_TX_LOST, "rx_queue_0_xdp_tx", "rx_queue_0_xdp_tx_errors"), 10);
	assert_int_equal(SUM(COUNTER_RX_DROPS, "rx_queue_0_drops", "rx_queue_0_xdp_drops"), 1);
	assert_int_equal(SUM(COUNTER_XMIT_TAKEN, "tx_queue_0_xdp_xmit", "tx_queue_0_xdp_xmit_errors"), 1);
	assert_int_equal(SUM(COUNTER_XMIT_REFUSED, "tx_queue_0_xdp_xmit", "tx_queue_0_xdp_xmit_errors"), 10);
	/* virtio_net: total and queues are not added */
	assert_int_equal(SUM(COUNTER_XDP_TX_LOST, "tx_xdp_tx_drops", "tx0_xdp_tx_drops", "tx1_xdp_tx_drops"), 110);
	/* mlx5: likewise, and what failed in two ways */
	assert_int_equal(SUM(COUNTER_XDP_TX, "rx_xdp_tx_xmit", "rx3_xdp_tx_xmit", "rx_packets"), 1);
	assert_int_equal(SUM(COUNTER_XDP_TX_LOST, "rx_xdp_tx_full", "rx_xdp_tx_err", "rx3_xdp_tx_err"), 11);
	/* vmxnet3 */
	assert_int_equal(SUM(COUNTER_XDP_SEEN, "  xdp packets", "  xdp packets", "  xdp drops"), 11);
	/* a driver that does not say */
	assert_int_equal(counters_rx_lost(&c), -1);
	assert_int_equal(SUM(COUNTER_XDP_TX, "rx_packets", "tx_packets"), -1);
	assert_int_equal(SUM(COUNTER_LINK_TX, "tx_packets"), -1); /* the driver's, not the link's */
	assert_int_equal(counters_append(&c, COUNTER_LINK, "tx_packets", 10, 77, true), 0);
	assert_int_equal(counters_sum(&c, COUNTER_LINK_TX), 77);
	put(&c, "rx_queue_0_drops", 3); /* veth: lost, and apart from them what XDP dropped */
	put(&c, "rx_queue_0_xdp_drops", 200);
	assert_int_equal(counters_rx_lost(&c), 3);
	c.list[1].value = 203; /* virtio_net: together */
	assert_int_equal(counters_rx_lost(&c), 3);
	c.list[0].value = UINT64_MAX; /* no sum has room for it, nor for two halves of it */
	assert_int_equal(counters_sum(&c, COUNTER_LINK_TX), -1);
	c.list[1].value = INT64_MAX;
	put(&c, "rx_queue_1_drops", 1);
	assert_int_equal(counters_rx_lost(&c), -1);
	c.list[0].known = false;
	assert_int_equal(counters_sum(&c, COUNTER_LINK_TX), -1);
	counters_release(&c);
}

static void test_meanings(void **state)
{
	struct counter c = {COUNTER_ETHTOOL, "rx3_cache_reuse", 1, true};

	assert_non_null(strstr(counter_meaning(&c), "used again"));
	strcpy(c.name, "rx_discards_phy");
	assert_non_null(strstr(counter_meaning(&c), "buffer was full"));
	strcpy(c.name, "rx_out_of_buffer");
	assert_non_null(strstr(counter_meaning(&c), "descriptor"));
	strcpy(c.name, "rx_csum_complete");
	assert_non_null(strstr(counter_meaning(&c), "checksum"));
	strcpy(c.name, "rx_pp_alloc_fast");
	assert_non_null(strstr(counter_meaning(&c), "pool's cache"));
	strcpy(c.name, "rx_packets");
	assert_string_equal(counter_meaning(&c), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),  cmocka_unit_test(test_come_and_go), cmocka_unit_test(test_namesakes),
		cmocka_unit_test(test_roles), cmocka_unit_test(test_meanings),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
