// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/complain.h"
#include "base/stop.h"
#include "user/ladder/reader.h"
#include "user/bed/rig.h"
#include "user/turns/turn_order.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/machine/netns.h"
#include "user/record/record_arms.h"
#include "user/record/record_resume.h"
#include "user/record/record_rungs.h"
#include "user/record/record_turns.h"

/* Of the generator's session. Where the recorder and perf share its CPU, a tenth is left for their session. */
#define NICE_ALONE         (-15)
#define NICE_BESIDE_KEEPER (-10)

static bool is_rung(const struct run_variant *v, const char *word)
{
	return run_variant_is_rung(v) && !strcmp(v->target, word);
}

static bool all_send(const struct run *run)
{
	return run->nvariants && run_rung_sends(&run->variants[0]);
}

const char *record_turns_cannot(const struct run *run, const struct record_options *o)
{
	if (run->nvariants > RIG_ARMS)
		return "there are more variants than the lab has arms";
	if (all_send(run) && (o->view == RECORD_CROSSING || o->session.load.flows > 1))
		return "senders have one flow, on one CPU";
	for (size_t i = 0; i < run->nvariants; i++) {
		const struct run_variant *v = &run->variants[i];

		if (run_rung_sends(v) != run_rung_sends(&run->variants[0]))
			return "a rung that sends takes turns with others that send, and with nothing else";
		if (run_rung_sends(v) && o->session.load.bytes > SENDER_MAX_BYTES)
			return "the devices take frames of 1514 bytes at most from a sender";
		if (v->stage == RUN_STAGE_READER && o->view == RECORD_CROSSING)
			return "the generator has the CPU of the thread that reads";
		if (is_rung(v, "test-run") && o->view == RECORD_CROSSING)
			return "test-run is measured on the generator's CPU";
		if (v->stage != RUN_STAGE_NONE && v->stage != RUN_STAGE_READER)
			return "what is redirected is worked on elsewhere, too late to tell whose turn it was (rungs "
			       "like "
			       "xdp-redirect, xsk-copy and cpumap take turns)";
		if (observer_is_everywhere(v->observer))
			return "an observer of the whole machine would watch the other variants too";
		if (run_rung_merges(v) && o->session.load.flows > 1)
			return "GRO merges only datagrams with a checksum, which frames of several flows lack";
	}
	if (record_has_rungs(run) && o->session.load.batch && o->session.load.batch != TURNER_BATCH)
		return "the socket buffers of rungs are made for batches of 64 frames";
	if (o->session.load.bytes > GEN_MAX_BYTES)
		return "frames of more than 3000 bytes lie in several buffers, and turns are taken with live frames of "
		       "one";
	if (o->session.load.rate_pps > 0)
		return "turns are taken at full speed, and a rate was asked for";
	if (o->session.nfunctions)
		return "calls of single functions are counted block by block";
	if (o->nstat_events && strcmp(o->stat_events[0], "none"))
		return "events of perf stat are counted block by block";
	return NULL;
}

static bool any_forwards(const struct run *run)
{
	for (size_t i = 0; i < run->nvariants; i++)
		if (run_rung_forwards(&run->variants[i]))
			return true;
	return false;
}

/* Somewhere else than to the receiver's stack. An own program may. */
static bool any_sends(const struct run *run)
{
	for (size_t i = 0; i < run->nvariants; i++)
		if (!strcmp(run->variants[i].action, "tx") || run_variant_is_own(&run->variants[i]))
			return true;
	return any_forwards(run);
}

static bool any_reads(const struct run *run)
{
	for (size_t i = 0; i < run->nvariants; i++)
		if (run->variants[i].stage == RUN_STAGE_READER)
			return true;
	return false;
}

struct arm *arms_at(struct recorder *r, size_t variant, int round)
{
	return &r->arms[(variant + (size_t)round) % r->run.nvariants];
}

static void arm_init(struct arm *a)
{
	memset(a, 0, sizeof(*a));
	bench_init(&a->bench);
	observer_init(&a->observer);
	rung_init(&a->rung);
	device_counters_init(&a->rx_counters);
	a->netns_fd = -1;
}

/* Enters the namespace of the arm's receiver; netns_back() returns. */
static int arm_visit(const struct arm *a, int *saved, struct diag *d)
{
	*saved = -1;
	return a->netns_fd < 0 ? 0 : netns_visit_fd(a->netns_fd, saved, d);
}

static int arm_look_up(struct recorder *r, size_t number, struct diag *d)
{
	struct arm *a = &r->arms[number];
	char name[16];
	int saved, err;

	a->number = number;
	a->netns_fd = r->rig_arms.apart ? r->rig_arms.netns_fds[number] : -1;
	snprintf(name, sizeof(name), RIG_ARM_DEV, (int)number);
	err = arm_visit(a, &saved, d);
	if (err)
		return err;
	err = netdev_open(&a->rx, name, d);
	if (!err) {
		a->rx_netns = netns_inum();
		a->napi_tid = r->o->view == RECORD_CROSSING ? napi_kthread(name) : 0;
		device_counters_open(&a->rx_counters, &a->rx);
	}
	netns_back(&saved);
	if (!err)
		err = netns_visit(RIG_TX_NETNS, &saved, d);
	if (err)
		return err;
	snprintf(name, sizeof(name), RIG_SEND_DEV, (int)number);
	err = netdev_open(&a->tx, name, d);
	netns_back(&saved);
	return err;
}

int arm_read(struct arm *a, struct arm_reading *now, struct diag *d)
{
	struct counters sent = {};
	int saved, err;

	err = arm_visit(a, &saved, d);
	if (err)
		return err;
	counters_release(&now->rx);
	err = device_counters_read(&a->rx_counters, &now->rx);
	now->at_ns = now_ns();
	if (err)
		diag_set(d, err, "no memory");
	else if (a->rung.kind)
		err = rung_frames(&a->rung, &now->packets, d);
	else
		now->packets = bench_seen(&a->bench);
	if (!err && a->rung.kind)
		err = rung_lost(&a->rung, &now->lost, d);
	netns_back(&saved);
	if (!err)
		err = netns_visit(RIG_TX_NETNS, &saved, d);
	if (err)
		return err;
	now->taken = now->refused = -1;
	if (!netdev_driver_counters(a->tx.name, &sent)) {
		now->taken = counters_sum(&sent, COUNTER_XMIT_TAKEN);
		now->refused = counters_sum(&sent, COUNTER_XMIT_REFUSED);
	}
	counters_release(&sent);
	if (bench_count_attached(&a->tx, &now->back))
		now->back = UINT64_MAX;
	netns_back(&saved);
	return 0;
}

static int attach_rung(struct recorder *r, struct arm *a, struct run_variant *v, struct diag *d)
{
	struct rung_options o = {
		.rx_cpu = r->session.rx_cpu, .reader_cpu = v->stage_cpu, .bytes = r->session.o.load.bytes};
	int err;

	memcpy(o.peer_mac, a->tx.mac, sizeof(o.peer_mac));
	err = rung_open(&a->rung, v->target, &a->rx, &o, d);

	if (!err && v->stage == RUN_STAGE_READER)
		snprintf(v->stage_text, sizeof(v->stage_text), "on CPU %d, %s", v->stage_cpu,
			 rung_reader_words(v->target));
	return err;
}

/* In the namespace of the arm's receiver. */
static int attach(struct recorder *r, struct arm *a, struct run_variant *v, struct diag *d)
{
	struct observer_options o;
	int err;

	if (run_variant_is_rung(v))
		return attach_rung(r, a, v, d);
	bench_release(&a->bench);
	a->bench.frags = bench_frags(&a->rx);
	err = bench_load(&a->bench, v, &r->session.own, d);
	if (!err)
		err = bench_attach(&a->bench, &a->rx, v->mode, d);
	o = (struct observer_options){
		.word = v->observer, .nd = &a->rx, .prog_fd = a->bench.prog_fd, .cpu = r->o->keeper_cpu};
	return err ? err : observer_open(&a->observer, &o, d);
}

static int attach_sender(struct recorder *r, struct arm *a, size_t variant, struct diag *d)
{
	bool nonstop = sender_is_nonstop(a->rung.sender);
	int saved, sink, err = 0;

	if (nonstop != a->sink_in_softirqs)
		err = rig_arm_sink((int)a->number, r->session.rx_cpu, !nonstop, d);
	a->sink_in_softirqs = nonstop;
	if (!err)
		err = netns_visit(RIG_TX_NETNS, &saved, d);
	if (err)
		return err;
	sink = bench_open_counts(&a->tx);
	netns_back(&saved);
	if (sink < 0)
		return diag_set(d, sink, "cannot read the sink's count: %s", strerror(-sink));
	err = turner_sender(&r->turner, variant, a->rung.sender, sink, d);
	close(sink);
	return err;
}

int arm_attach(struct recorder *r, size_t number, int round, struct diag *d)
{
	size_t n = r->run.nvariants, variant = (number + n - (size_t)round % n) % n;
	struct arm *a = arms_at(r, variant, round);
	struct run_variant *v = &r->run.variants[variant];
	struct turn_arm t;
	int saved, err = arm_visit(a, &saved, d);

	if (err)
		return err;
	err = attach(r, a, v, d);
	netns_back(&saved);
	if (!err)
		err = record_resume_check(r, variant, a->bench.tag, d);
	if (err)
		return err;
	if (a->rung.reader && oncpu_watch(&r->oncpu, reader_tid(a->rung.reader)))
		return diag_set(d, -EIO, "cannot watch the thread that reads for %s", v->id);
	if (a->rung.sender) {
		err = attach_sender(r, a, variant, d);
		return err ? err : arm_read(a, &a->before, d);
	}
	t = (struct turn_arm){
		.send_ifindex = (uint32_t)a->tx.ifindex,
		.rx_ifindex = (uint32_t)a->rx.ifindex,
		.rx_netns = a->rx_netns,
		.tid = a->napi_tid > 0 ? (uint32_t)a->napi_tid : 0,
		.blind = (a->rung.kind && rung_counts_fd(&a->rung) < 0) || !strcmp(v->operation, "bare"),
		.window = (uint32_t)rung_window(&a->rung),
		.floor = rung_floor_fd(&a->rung) >= 0,
	};
	err = turner_arm(&r->turner, variant, &t, a->rung.kind ? rung_counts_fd(&a->rung) : a->bench.counts_fd, d);
	if (!err && t.floor)
		err = turner_floor(&r->turner, rung_floor_fd(&a->rung), d);
	return err ? err : arm_read(a, &a->before, d);
}

static void arm_detach(struct recorder *r, struct arm *a)
{
	int saved;

	counters_release(&a->before.rx);
	if (arm_visit(a, &saved, NULL))
		return;
	if (a->rung.reader)
		oncpu_forget(&r->oncpu, reader_tid(a->rung.reader));
	observer_close(&a->observer);
	bench_release(&a->bench);
	rung_close(&a->rung);
	netns_back(&saved);
}

void arms_detach(struct recorder *r)
{
	for (size_t i = 0; i < r->run.nvariants && i < RIG_ARMS; i++)
		arm_detach(r, &r->arms[i]);
}

static int arm_check(struct arm *a, struct diag *d)
{
	int saved, err = arm_visit(a, &saved, d);

	if (err)
		return err;
	if (netdev_gone(&a->rx))
		err = diag_set(d, -ENODEV, "%s has vanished", a->rx.name);
	else if (a->rung.reader)
		err = reader_check(a->rung.reader, d);
	else if (!a->rung.kind && !bench_confirm(&a->bench, &a->rx))
		err = diag_set(d, -EIO, "the XDP program is no longer on %s", a->rx.name);
	else
		err = observer_check(&a->observer, d);
	netns_back(&saved);
	return err;
}

int arms_check(struct recorder *r, struct diag *d)
{
	int err = stopped(d);

	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = arm_check(&r->arms[i], d);
	if (!err && cpu_check(r->session.rx_cpu))
		err = diag_set(d, -ENXIO, "CPU %d went offline", r->session.rx_cpu);
	return err ? err : turner_check(&r->turner, d);
}

static void turner_options_fill(struct recorder *r, struct turner_options *o)
{
	*o = (struct turner_options){
		.arms = r->run.nvariants,
		.crossing = r->o->view == RECORD_CROSSING,
		.split = any_sends(&r->run),
		.restore = any_forwards(&r->run),
		.sends = all_send(&r->run),
		.rx_cpu = r->session.rx_cpu,
		.length = r->o->view == RECORD_CROSSING || record_has_rungs(&r->run) ? turner_long : turner_short,
		.seed = r->o->seed,
		.load = r->session.o.load,
	};
	for (size_t i = 0; i < r->run.nvariants; i++)
		o->load.checksum |= run_rung_merges(&r->run.variants[i]);
	o->load.session_nice = o->load.cpu == r->o->keeper_cpu ? NICE_BESIDE_KEEPER : NICE_ALONE;
	memcpy(o->load.dst_mac, r->arms[0].rx.mac, 6);
	memcpy(o->load.src_mac, r->arms[0].tx.mac, 6);
	strcpy(o->load.dev, r->arms[0].tx.name);
	strcpy(o->load.netns, RIG_TX_NETNS);
}

/* Rungs that this kernel lacks are left out, and the others are measured. */
static int leave_out_lacking(struct recorder *r, struct diag *d)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < r->run.nvariants && !err; i++) {
		struct run_variant *v = &r->run.variants[i];
		struct diag why = {};
		struct arm *a = &r->arms[i];
		int saved, lacks = 0;

		if (run_variant_is_rung(v)) {
			err = arm_visit(a, &saved, d);
			if (err)
				return err;
			lacks = attach_rung(r, a, v, &why);
			rung_close(&a->rung);
			netns_back(&saved);
		}
		if (lacks == -EOPNOTSUPP)
			complain("%s; everything else is measured", why.text);
		else if (lacks)
			err = diag_set(d, lacks, "%s", why.text);
		else
			r->run.variants[kept++] = *v;
	}
	if (!err && !kept)
		err = diag_set(d, -EOPNOTSUPP, "this kernel lacks all of these rungs");
	r->run.nvariants = kept;
	return err;
}

int record_turns_open(struct recorder *r, struct diag *d)
{
	bool threaded = r->o->view == RECORD_CROSSING;
	struct turner_options o;
	struct diag unwatched = {};
	int err;

	r->rig_arms = (struct rig_arms){.n = (int)r->run.nvariants,
					.threaded = threaded,
					.apart = record_has_rungs(&r->run),
					.reversed = all_send(&r->run)};
	err = rig_arms_up(&r->rig_arms, r->session.rx_cpu, d);
	for (size_t i = 0; i < r->run.nvariants; i++)
		arm_init(&r->arms[i]);
	r->has_arms = !err;
	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = arm_look_up(r, i, d);
	if (!err && r->rig_arms.apart)
		err = leave_out_lacking(r, d);
	if (any_reads(&r->run))
		oncpu_open(&r->oncpu, &unwatched); /* a kernel that refuses it charges readers for their waits */
	r->run.napi_threaded = threaded;
	for (size_t i = 0; i < r->run.nvariants && threaded; i++)
		r->run.napi_tids[r->nnapis++] = r->arms[i].napi_tid;
	r->run.nnapi_tids = r->nnapis;
	if (err)
		return err;
	turner_options_fill(r, &o);
	snprintf(r->run.order, sizeof(r->run.order), "%s", turn_order_name(r->run.nvariants));
	r->run.turn_frames = (int)o.length.frames;
	r->run.turn_lead = (int)o.length.lead;
	err = turner_open(&r->turner, &o, d);
	r->turns_refused = err == -EOPNOTSUPP;
	return err;
}

void record_turns_close(struct recorder *r)
{
	turner_release(&r->turner);
	if (!r->has_arms)
		return;
	arms_detach(r);
	for (size_t i = 0; i < r->run.nvariants && i < RIG_ARMS; i++)
		device_counters_release(&r->arms[i].rx_counters);
	rig_arms_down(&r->rig_arms);
	r->has_arms = false;
}
