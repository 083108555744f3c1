// SPDX-License-Identifier: GPL-2.0-or-later
/* Fills the totals of a block from the program, the devices and the second stage. record_parts.h has the contract. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include "user/machine/netns.h"
#include "user/record/record_parts.h"
#include "user/bed/rig.h"

/*
 * Returns the frames that came back to the sender so far: from the lab's sink, or from the counter of received frames
 * of the sending device. -1: the sender is not ours, or runs on another machine, which reports its count at the end.
 */
int64_t block_frames_back(const struct recorder *r)
{
	const struct gen_options *g = &r->session.o.load;
	int64_t frames;
	int saved;

	if (r->session.target.lab)
		return rig_sink_frames();
	if (!r->session.o.own_load || g->host[0] || netns_visit(g->netns, &saved, NULL))
		return -1;
	if (!g->netns[0] && g->netns_fd >= 0 && netns_enter_fd(g->netns_fd)) {
		netns_back(&saved);
		return -1;
	}
	frames = netdev_rx_packets(r->session.o.load.dev);
	netns_back(&saved);
	return frames;
}

/*
 * Returns the drops of the device that happened after the program. veth counts a redirect that fails at once as a drop,
 * though the program has seen the packet. The second stage's counters contain such drops already.
 */
static int64_t late_drops(const struct recorder *r, const struct block *b, const struct counters *growth)
{
	int64_t redirected = counters_sum(growth, COUNTER_XDP_REDIRECTED);

	/* Under an external load, verdicts and device counters are not from the same moment. */
	if (r->session.stage.kind == RUN_STAGE_NONE || strcmp(b->rb->mode_found, "native") || redirected < 0 ||
	    !r->session.o.own_load)
		return 0;
	return bench_verdicts(&r->session.bench, RUN_REDIRECT) - redirected;
}

/* An external load does not stop. So the program is detached first: then every redirected frame can arrive. */
static void totals_of_stage(struct recorder *r, struct block *b)
{
	struct run_totals *t = &b->rb->totals;

	if (r->session.stage.kind == RUN_STAGE_NONE && !r->session.rung.reader)
		return;
	if (!r->session.o.own_load && !r->session.rung.reader) {
		bench_detach(&r->session.bench);
		session_drain(&r->session);
	}
	t->stage_frames = session_stage_frames(&r->session);
	t->stage_dropped = session_stage_dropped(&r->session);
	t->redirected = session_redirected(&r->session);
	if (r->session.rung.reader &&
	    !r->session.o.own_load) /* whose frames still come, between one count and the next */
		t->redirected = t->stage_frames + t->stage_dropped;
}

/*
 * Fills the totals that come from the device's counters. For native XDP_TX, most drivers have counters of their own.
 * Generic XDP sends through the stack, and every device counts frames from the stack.
 */
static int totals_of_device(struct recorder *r, struct block *b)
{
	struct run_totals *t = &b->rb->totals;
	bool generic = !strcmp(b->rb->mode_found, "skb");
	struct counters growth = {};
	struct reading now = {};
	int err = session_read(&r->session, &now);

	if (!err)
		err = counters_growth(&growth, &b->quiet.counters, &now.counters, true);
	if (!err)
		err = reading_changes(&b->rb->counters, &b->quiet, &now);
	t->tx_errors = counters_sum(&growth, generic ? COUNTER_LINK_TX_LOST : COUNTER_XDP_TX_LOST);
	t->tx_sent = generic ? -1 : counters_sum(&growth, COUNTER_XDP_TX);
	t->link_sent = counters_sum(&growth, COUNTER_LINK_TX);
	t->rx_named_drops = counters_rx_lost(&growth);
	if (t->rx_named_drops >= 0)
		t->rx_named_drops -= late_drops(r, b, &growth);
	counters_release(&growth);
	reading_release(&now);
	return err;
}

int block_totals(struct recorder *r, struct block *b, const struct gen_result *sent)
{
	struct run_totals *t = &b->rb->totals;
	int err;

	t->rx_seen = session_seen(&r->session);
	t->tx_verdicts = bench_verdicts(&r->session.bench, RUN_TX) - b->tx_before;
	t->gen_sent = r->session.o.own_load ? sent->sent : -1;
	t->gen_errors = r->session.o.own_load ? sent->refused : -1;
	t->stray = t->gen_sent >= 0 && t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : t->gen_sent >= 0 ? 0 : -1;
	t->gen_pps = r->session.o.load.host[0] && sent->elapsed_ns ? sent->sent * 1e9 / sent->elapsed_ns : -1;
	t->sink_frames = r->session.o.load.host[0] ? sent->back : -1;
	if (b->sink_before >= 0)
		t->sink_frames = block_frames_back(r) - b->sink_before;
	err = totals_of_device(r, b);
	totals_of_stage(r, b);
	return err;
}
