// SPDX-License-Identifier: GPL-2.0-or-later
/* The names that drivers give to their counters; counters.h has the contract. */
#include <fnmatch.h>
#include "reports/run/run.h"

/*
 * For each role, the first line that matches a counter of the device is used. The values of all counters that this line
 * matches are added, so a line matches either the queues' counters or their total, never both. Globs with +( | ) as in
 * bash.
 */
static const struct {
	enum counter_role role;
	enum counter_source source;
	const char *glob;
} roles[] = {
	{COUNTER_XDP_SEEN, COUNTER_ETHTOOL, "rx_queue_+([0-9])_xdp_packets"}, /* veth, virtio_net */
	{COUNTER_XDP_SEEN, COUNTER_ETHTOOL, "rx+([0-9])_xdp_packets"},        /* virtio_net from 6.10 on */
	{COUNTER_XDP_SEEN, COUNTER_ETHTOOL, "xdp packets"},                   /* vmxnet3 */
	{COUNTER_XDP_TX, COUNTER_ETHTOOL, "rx_queue_+([0-9])_xdp_tx"},
	{COUNTER_XDP_TX, COUNTER_ETHTOOL, "rx+([0-9])_xdp_tx"},
	{COUNTER_XDP_TX, COUNTER_ETHTOOL, "rx_xdp_tx_xmit"}, /* mlx5, mvneta */
	{COUNTER_XDP_TX, COUNTER_ETHTOOL, "rx_xdp_tx"},      /* mlx4 */
	{COUNTER_XDP_TX, COUNTER_ETHTOOL, "xdp tx"},
	{COUNTER_XDP_TX, COUNTER_ETHTOOL, "queue_+([0-9])_rx_xdp_tx"}, /* ena */
	{COUNTER_XDP_TX_LOST, COUNTER_ETHTOOL, "rx_queue_+([0-9])_xdp_tx_errors"},
	{COUNTER_XDP_TX_LOST, COUNTER_ETHTOOL, "tx_queue_+([0-9])_xdp_tx_drops"},
	{COUNTER_XDP_TX_LOST, COUNTER_ETHTOOL, "tx+([0-9])_xdp_tx_drops"},
	{COUNTER_XDP_TX_LOST, COUNTER_ETHTOOL, "rx_xdp_tx_@(full|err)"}, /* mlx5, mlx4 */
	{COUNTER_XDP_TX_LOST, COUNTER_ETHTOOL, "*xdp_tx_@(err|fail|drop)*"},
	{COUNTER_XDP_REDIRECTED, COUNTER_ETHTOOL, "rx_queue_+([0-9])_xdp_redirect"}, /* veth */
	{COUNTER_XMIT_TAKEN, COUNTER_ETHTOOL, "tx_queue_+([0-9])_xdp_xmit"},
	{COUNTER_XMIT_TAKEN, COUNTER_ETHTOOL, "tx_xdp_xmit"},
	{COUNTER_XMIT_TAKEN, COUNTER_ETHTOOL, "xdp xmit"},
	{COUNTER_XMIT_REFUSED, COUNTER_ETHTOOL, "tx_queue_+([0-9])_xdp_xmit_errors"},
	{COUNTER_XMIT_REFUSED, COUNTER_ETHTOOL, "tx_xdp_@(full|err)"},
	{COUNTER_XMIT_REFUSED, COUNTER_ETHTOOL, "xdp xmit err"},
	{COUNTER_RX_DROPS, COUNTER_ETHTOOL, "rx_queue_+([0-9])_drops"},
	{COUNTER_RX_DROPS, COUNTER_ETHTOOL, "rx+([0-9])_drops"},
	{COUNTER_XDP_DROPS, COUNTER_ETHTOOL, "rx_queue_+([0-9])_xdp_drops"},
	{COUNTER_XDP_DROPS, COUNTER_ETHTOOL, "rx+([0-9])_xdp_drops"},
	{COUNTER_LINK_TX, COUNTER_LINK, "tx_packets"},
	{COUNTER_LINK_TX_LOST, COUNTER_LINK, "tx_dropped"},
};

/* The meaning of a counter is in the first line that matches its name. */
static const struct {
	const char *glob, *meaning;
} meanings[] = {
	{"*cache_reuse*", "RX pages used again"},
	{"*cache_@(full|empty|busy|waive)*", "RX pages that were not used again"},
	{"*alloc_fast", "pages from the pool's cache"},
	{"*alloc_refill", "refills of the pool's cache from its ring"},
	{"*alloc_empty", "the pool's ring was empty"},
	{"*alloc_slow*", "pages from the page allocator"},
	{"*alloc_waive", "recycled pages of the wrong NUMA node"},
	{"*recycle_cached", "pages put back into the pool's cache"},
	{"*recycle_cache_full", "the pool's cache was full"},
	{"*recycle_ring", "pages put back into the pool's ring"},
	{"*recycle_ring_full", "the pool's ring was full: pages freed"},
	{"*recycle_released*", "pages still in use elsewhere: freed"},
	{"*out_of_buffer*", "dropped: no RX descriptor was free"},
	{"*discards_phy", "dropped in the NIC: its buffer was full"},
	{"*prio*_discards", "dropped in the NIC: its buffer was full"},
	{"*@(no_dma|rx_no_buffer|alloc_fail|buff_alloc_err|rx_alloc)*", "dropped: no memory for RX"},
	{"*missed*", "dropped in the NIC"},
	{"*csum_complete*", "checksum summed up by the NIC"},
	{"*csum_unnecessary*", "checksum checked by the NIC"},
	{"*csum_none*", "checksum not checked by the NIC"},
	{"*csum*err*", "checksum wrong"},
	{"*xdp_tx_@(err|full|drop|fail)*", "XDP_TX that did not leave"},
	{"*xdp_xmit_err*", "dropped: the receiver's ring is full"},
	{"*tx_xdp_@(err|full)", "dropped: the ring is full"},
	{"*pause*", "Ethernet pause frames"},
};

int64_t counters_sum(const struct counters *c, enum counter_role role)
{
	for (size_t r = 0; r < sizeof(roles) / sizeof(roles[0]); r++) {
		int64_t sum = -1;

		for (size_t i = 0; i < c->n && roles[r].role == role; i++) {
			const struct counter *one = &c->list[i];

			int differs = one->source != roles[r].source ? FNM_NOMATCH
								     : fnmatch(roles[r].glob, one->name, FNM_EXTMATCH);

			if (differs == FNM_NOMATCH)
				continue;
			if (differs || !one->known) /* else there is no memory to compare them */
				return -1;
			if (one->value > INT64_MAX ||
			    __builtin_add_overflow(sum < 0 ? 0 : sum, (int64_t)one->value, &sum))
				return -1;
		}
		if (sum >= 0)
			return sum;
	}
	return -1;
}

bool counter_is_loss(const struct counter *c)
{
	static const char loss[] =
		"*@(drop|discard|miss|out_of_buffer|no_buf|alloc_fail|_err|error|overrun|_full|fifo)*";
	static const char none[] = "@(*xdp_drop*|*cache_full|*ring_full|*xdp drop*)"; /* verdicts; page pools */

	return c->source != COUNTER_PAGE_POOL && !fnmatch(loss, c->name, FNM_EXTMATCH) &&
	       fnmatch(none, c->name, FNM_EXTMATCH);
}

const char *counter_meaning(const struct counter *c)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (!fnmatch(meanings[i].glob, c->name, FNM_EXTMATCH))
			return meanings[i].meaning;
	return "";
}
