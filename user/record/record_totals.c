// SPDX-License-Identifier: GPL-2.0-or-later
/* What a block adds up to, by the program, the devices and the second stage. record_parts.h has the contract. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include "user/machine/cpu.h"
#include "user/machine/netns.h"
#include "user/record/record_parts.h"
#include "user/load/rig.h"

#define DRAIN_STILL_NS    10000000ULL
#define DRAIN_PATIENCE_NS 1000000000ULL

void block_drain(const struct recorder *r, const struct block *b)
{
	uint64_t give_up = now_ns() + DRAIN_PATIENCE_NS, still_since = now_ns(), seen, seen_before = 0;

	while (now_ns() - still_since < DRAIN_STILL_NS && now_ns() < give_up) {
		seen = block_seen(r, b) + (uint64_t)stage_frames(&b->stage); /* each only grows, and -1 stays */
		if (seen != seen_before)
			still_since = now_ns();
		seen_before = seen;
		sleep_until_ns(now_ns() + 1000000);
	}
}

/*
 * Frames that came back to the sender so far: by the lab's sink, else by what the sending device received. -1: the
 * sender is not ours, or on another machine, which says so at the end.
 */
int64_t block_frames_back(const struct recorder *r)
{
	const struct gen_options *g = &r->o->load;
	int64_t frames;
	int saved;

	if (r->target->lab)
		return rig_sink_frames();
	if (!r->o->own_load || g->host[0] || netns_visit(g->netns, &saved, NULL))
		return -1;
	if (!g->netns[0] && g->netns_fd >= 0 && setns(g->netns_fd, CLONE_NEWNET)) {
		netns_back(&saved);
		return -1;
	}
	frames = netdev_rx_packets(r->o->load.dev);
	netns_back(&saved);
	return frames;
}

int64_t block_verdicts(const struct block *b, int verdict)
{
	int64_t sum = 0;

	for (int cpu = 0; cpu < b->bench.ncpus; cpu++)
		sum += b->to.counts[cpu].verdicts[verdict];
	return sum;
}

/*
 * veth counts a redirect that failed at once among its drops, though the program has seen the packet: such drops are
 * behind the program, and the second stage's counters have them.
 */
static int64_t late_drops(const struct recorder *r, const struct block *b, const struct counters *growth)
{
	int64_t redirected = counters_sum(growth, COUNTER_XDP_REDIRECTED);

	/* Under a load of others the two were not read at one moment. */
	if (b->stage.kind == RUN_STAGE_NONE || strcmp(b->rb->mode_found, "native") || redirected < 0 || !r->o->own_load)
		return 0;
	return block_verdicts(b, RUN_REDIRECT) - redirected;
}

/* A load of others goes on, so the program is taken off first: then all that it redirected can arrive. */
static void totals_of_stage(struct recorder *r, struct block *b)
{
	struct run_totals *t = &b->rb->totals;

	if (b->stage.kind == RUN_STAGE_NONE)
		return;
	if (!r->o->own_load) {
		bench_detach(&b->bench);
		block_drain(r, b);
		block_counts(r, b, b->to.counts);
	}
	t->redirected = block_verdicts(b, RUN_REDIRECT);
	t->stage_frames = stage_frames(&b->stage);
	t->stage_dropped = stage_dropped(&b->stage);
}

/*
 * What the device says of the block. XDP_TX in the driver has counters of its own in most; generic XDP sends through
 * the stack, which every device counts.
 */
static int totals_of_device(struct recorder *r, struct block *b)
{
	struct run_totals *t = &b->rb->totals;
	bool generic = !strcmp(b->rb->mode_found, "skb");
	struct counters growth = {};
	struct look now = {};
	int err = look_at(r, b, &now);

	if (!err)
		err = counters_growth(&growth, &b->quiet.counters, &now.counters, true);
	if (!err)
		err = fill_changed(&b->rb->counters, &b->quiet, &now);
	t->tx_errors = counters_sum(&growth, generic ? COUNTER_LINK_TX_LOST : COUNTER_XDP_TX_LOST);
	t->tx_sent = generic ? -1 : counters_sum(&growth, COUNTER_XDP_TX);
	t->link_sent = counters_sum(&growth, COUNTER_LINK_TX);
	t->rx_named_drops = counters_rx_lost(&growth);
	if (t->rx_named_drops >= 0)
		t->rx_named_drops -= late_drops(r, b, &growth);
	counters_release(&growth);
	counters_release(&now.counters);
	return err;
}

int block_totals(struct recorder *r, struct block *b, const struct gen_result *sent)
{
	struct run_totals *t = &b->rb->totals;
	int err;

	block_counts(r, b, b->to.counts);
	t->rx_seen = block_seen(r, b) - b->bare_before;
	t->tx_verdicts = block_verdicts(b, RUN_TX) - b->tx_before;
	t->gen_sent = r->o->own_load ? sent->sent : -1;
	t->gen_errors = r->o->own_load ? sent->refused : -1;
	t->stray = t->gen_sent >= 0 && t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : t->gen_sent >= 0 ? 0 : -1;
	t->gen_pps = r->o->load.host[0] && sent->elapsed_ns ? sent->sent * 1e9 / sent->elapsed_ns : -1;
	t->sink_frames = r->o->load.host[0] ? sent->back : -1;
	if (b->sink_before >= 0)
		t->sink_frames = block_frames_back(r) - b->sink_before;
	err = totals_of_device(r, b);
	totals_of_stage(r, b);
	return err;
}
