// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The views "work" and "crossing": variants take turns, each on an arm of the lab, a pair of its devices (rig.h) that
 * the variant is attached to for a round. From round to round the variants move on by one arm. Totals say of each block
 * that what was sent in a round was seen in that round. record_view.h has the contract.
 */
#include "user/record/record.h"
#include "user/turns/turns.h"

#define PATIENCE_NS 5000000000ULL
#define CALIBRATE_S 0.05
#define LONGER_MOST 8
#define FLOOR_ROOT  "bpf_prog_test_run_xdp"

/* Niceness of the generator's session. Where the recorder and perf share its CPU, a tenth is left for their session. */
#define NICE_ALONE         (-15)
#define NICE_BESIDE_KEEPER (-10)

/* What is read of an arm before and after a round. */
struct arm_reading {
	struct reading rx;
	uint64_t lost;          /* layer_lost(); rx.packets has them, too */
	uint64_t back;          /* frames that came back to the sender; UINT64_MAX: not counted */
	int64_t taken, refused; /* frames, by the sending device; -1: not counted */
};

/* What is attached ends with this process. */
struct arm {
	size_t number;
	struct session s;      /* of the receiver, without a generator */
	struct netdev tx;      /* in the sender's namespace */
	pid_t napi_tid;        /* 0: polled in softirqs */
	int netns_fd;          /* of the receiver's own namespace (rig_arms.apart); -1: the one this process is in */
	unsigned int rx_netns; /* the inode number of the receiver's namespace */
	bool sink_in_softirqs; /* rig_arm_sink() */
	struct arm_reading before;
};

/* What this view keeps of the recording. */
struct lab {
	struct rig_arms rig;
	bool up;      /* the arms are there */
	bool running; /* turns are being taken */
	struct arm arms[RIG_ARMS];
	struct turner turner;
};

/* Variant v of round n is on arm (v + n) mod the number of variants. */
static struct arm *arms_at(const struct recorder *r, size_t variant, int round)
{
	struct lab *lab = r->of_view;

	return &lab->arms[(variant + (size_t)round) % r->run.nvariants];
}

/* ---- what can take turns ------------------------------------------------------------------------------------- */

static bool all_send(const struct run *run)
{
	return run->nvariants && run_layer_sends(&run->variants[0]);
}

static const char *lab_cannot(const struct run *run, const struct record_options *o)
{
	if (run->nvariants > RIG_ARMS)
		return "there are more variants than the lab has device pairs";
	if (all_send(run) && (o->view == RUN_VIEW_CROSSING || o->session.load.flows > 1))
		return "senders have one flow, on one CPU";
	for (size_t i = 0; i < run->nvariants; i++) {
		const struct run_variant *v = &run->variants[i];

		if (run_layer_sends(v) != run_layer_sends(&run->variants[0]))
			return "a layer that sends takes turns with others that send, and with nothing else";
		if (run_layer_sends(v) && o->session.load.bytes > SENDER_MAX_BYTES)
			return "the devices take frames of 1514 bytes at most from a sender";
		if (v->stage == RUN_STAGE_READER && o->view == RUN_VIEW_CROSSING)
			return "the generator has the CPU of the thread that reads";
		if (v->layer == RUN_LAYER_TEST_RUN && o->view == RUN_VIEW_CROSSING)
			return "test-run is measured on the generator's CPU";
		if (v->stage != RUN_STAGE_NONE && v->stage != RUN_STAGE_READER)
			return "what is redirected is worked on elsewhere, too late to assign it to a turn (layers "
			       "like xdp-redirect, xsk-copy and cpumap take turns)";
		if (observer_is_everywhere(v->observer))
			return "an observer of the whole machine would watch the other variants too";
		if (run_layer_merges(v) && o->session.load.flows > 1)
			return "GRO merges only datagrams with a checksum, which frames of several flows lack";
	}
	if (record_any(run, run_variant_is_layer) && o->session.load.batch && o->session.load.batch != TURNER_BATCH)
		return "the socket buffers of layers are made for batches of 64 frames";
	if (o->session.load.bytes > GEN_MAX_BYTES)
		return "frames of more than 3000 bytes lie in several buffers, and turns are taken with live frames of "
		       "one";
	if (o->session.load.rate_pps > 0)
		return "turns are taken at full speed, and a rate was asked for";
	return NULL;
}

/* ---- arms ---------------------------------------------------------------------------------------------------- */

/* Enters the namespace of the arm's receiver; netns_back() returns. */
static int arm_visit(const struct arm *a, int *saved, struct diag *d)
{
	*saved = -1;
	return a->netns_fd < 0 ? 0 : netns_visit_fd(a->netns_fd, saved, d);
}

static int arm_look_up(struct recorder *r, size_t number, struct diag *d)
{
	struct lab *lab = r->of_view;
	struct arm *a = &lab->arms[number];
	struct netdev rx;
	char name[16];
	int saved, err;

	a->number = number;
	a->netns_fd = lab->rig.apart ? lab->rig.netns_fds[number] : -1;
	snprintf(name, sizeof(name), RIG_SEND_DEV, (int)number);
	err = netns_visit(RIG_TX_NETNS, &saved, d);
	if (err)
		return err;
	err = netdev_open(&a->tx, name, d);
	netns_back(&saved);
	snprintf(name, sizeof(name), RIG_ARM_DEV, (int)number);
	if (!err)
		err = arm_visit(a, &saved, d);
	if (err)
		return err;
	err = netdev_open(&rx, name, d);
	a->rx_netns = netns_inum();
	a->napi_tid = !err && lab->rig.threaded ? napi_kthread(name) : 0;
	netns_back(&saved);
	/* A session without a generator, used in the namespace of the receiver. A layer sends its frames to tx. */
	session_init(&a->s, &r->session.o);
	a->s.o.own_load = false;
	a->s.of = &r->session;
	a->s.target.nd = rx;
	a->s.target.lab = true;
	a->s.rx_cpu = r->session.rx_cpu;
	memcpy(a->s.o.load.src_mac, a->tx.mac, sizeof(a->s.o.load.src_mac));
	return err;
}

static int arm_read(struct arm *a, struct arm_reading *now, struct diag *d)
{
	struct counters sent = {};
	int saved, err;

	err = arm_visit(a, &saved, d);
	if (err)
		return err;
	if (session_read(&a->s, &now->rx))
		err = diag_set(d, -ENOMEM, "no memory");
	if (!err && a->s.layer.kind)
		err = layer_lost(&a->s.layer, &now->lost, d);
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

static int attach_sender(struct recorder *r, struct arm *a, size_t variant, struct diag *d)
{
	bool nonstop = a->s.layer.sender->kind->nonstop;
	struct lab *lab = r->of_view;
	const struct bench_counts *sink;
	int saved, err = 0;

	if (nonstop != a->sink_in_softirqs)
		err = rig_arm_sink((int)a->number, r->session.rx_cpu, !nonstop, d);
	a->sink_in_softirqs = nonstop;
	if (!err)
		err = netns_visit(RIG_TX_NETNS, &saved, d);
	if (err)
		return err;
	sink = bench_counts_of(&a->tx);
	if (sink)
		turner_sender(&lab->turner, variant, a->s.layer.sender, sink);
	else
		err = diag_set(d, -errno, "cannot read the sink's count: %s", strerror(errno));
	netns_back(&saved);
	return err;
}

/*
 * Samples come by time, so a variant that costs a quarter of another one has a quarter of its samples. From the second
 * round on its turns are so many times longer.
 */
static int attach_receiver(struct recorder *r, struct arm *a, size_t variant, struct diag *d)
{
	struct lab *lab = r->of_view;
	const struct layer *layer = &a->s.layer;
	struct turner *turner = &lab->turner;
	int counts_fd = !layer->kind    ? a->s.bench.counts_fd
			: layer->reader ? layer->reader->counts_fd
					: layer->floor.counts_fd;
	struct turn_arm t = {
		.send_ifindex = (uint32_t)a->tx.ifindex,
		.rx_ifindex = (uint32_t)a->s.target.nd.ifindex,
		.rx_netns = a->rx_netns,
		.tid = a->napi_tid > 0 ? (uint32_t)a->napi_tid : 0,
		.blind = (layer->kind && counts_fd < 0) || a->s.bare,
		.window = (uint32_t)layer_window(layer),
		.floor = layer->floor.prog_fd >= 0,
		.frames = turner->o.length.frames,
	};
	double own = NAN, most = 0;

	if (!r->o->no_profile && t.frames == turner_short.frames && r->run.nblocks > r->run.nvariants) {
		for (size_t i = 0; i < r->run.nvariants; i++) {
			const struct run_window *w = r->run.blocks[i].windows;
			double ns = w->own_ns / run_window_packets(w);

			most = fmax(most, ns);
			own = i == variant ? ns : own;
		}
		if (own > 0)
			t.frames *= (uint32_t)fmin(LONGER_MOST, fmax(1, round(most / own)));
	}
	return turner_arm(turner, variant, &t, counts_fd, layer->floor.prog_fd, d);
}

static int lab_check(struct recorder *r, struct diag *d)
{
	struct lab *lab = r->of_view;
	int err = 0, saved;

	if (!lab->running)
		return 0;
	for (size_t i = 0; i < r->run.nvariants && !err; i++) {
		struct arm *a = &lab->arms[i];

		err = arm_visit(a, &saved, d);
		if (err)
			break;
		err = session_check(&a->s, d);
		netns_back(&saved);
	}
	return err ? err : lab->turner.kind->check(&lab->turner, d);
}

/* ---- before the first round ---------------------------------------------------------------------------------- */

static bool is_apart(const struct run_variant *v)
{
	return run_variant_is_layer(v) || v->mode >= RUN_MODE_NETKIT;
}

/* Somewhere else than to the receiver's stack. An own program may. */
static bool may_send(const struct run_variant *v)
{
	return v->action == RUN_ACTION_TX || run_variant_is_own(v) || run_layer_forwards(v);
}

static bool is_read(const struct run_variant *v)
{
	return v->stage == RUN_STAGE_READER;
}

/* Does the kernel have the layer? Its arm is the one of its number. */
static int try_layer(struct recorder *r, struct run_variant *v, struct diag *d)
{
	struct lab *lab = r->of_view;
	struct arm *a = &lab->arms[v - r->run.variants];
	int saved, err = run_variant_is_layer(v) ? arm_visit(a, &saved, d) : 0;

	if (err || !run_variant_is_layer(v))
		return err;
	err = session_try(&a->s, v, d);
	netns_back(&saved);
	return err;
}

static int lab_prepare(struct recorder *r, struct diag *d)
{
	struct lab *lab = r->of_view = calloc(1, sizeof(*lab));
	struct turner_options o = {
		.crossing = r->o->view == RUN_VIEW_CROSSING,
		.rx_cpu = r->session.rx_cpu,
		.seed = r->o->seed,
		.load = r->session.o.load,
	};
	struct diag unwatched = {};
	int err;

	if (!lab)
		return diag_set(d, -ENOMEM, "no memory");
	turner_init(&lab->turner);
	lab->rig = (struct rig_arms){.n = (int)r->run.nvariants,
				     .threaded = o.crossing,
				     .apart = record_any(&r->run, is_apart),
				     .addressed = record_any(&r->run, run_variant_is_layer),
				     .reversed = all_send(&r->run)};
	err = rig_arms_up(&lab->rig, r->session.rx_cpu, d);
	lab->up = !err;
	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = arm_look_up(r, i, d);
	if (!err && lab->rig.apart)
		err = record_leave_out(r, try_layer, d);
	if (record_any(&r->run, is_read))
		oncpu_open(&r->oncpu, &unwatched); /* a kernel that refuses it charges readers for their waits */
	r->run.napi_threaded = lab->rig.threaded;
	for (size_t i = 0; i < r->run.nvariants && lab->rig.threaded; i++)
		r->run.napi_tids[r->nnapis++] = lab->arms[i].napi_tid;
	r->run.nnapi_tids = r->nnapis;
	if (err)
		return err;
	o.arms = r->run.nvariants;
	o.split = record_any(&r->run, may_send);
	o.restore = record_any(&r->run, run_layer_forwards);
	o.sends = all_send(&r->run);
	o.length = o.crossing || record_any(&r->run, run_variant_is_layer) ? turner_long : turner_short;
	for (size_t i = 0; i < r->run.nvariants; i++)
		o.load.checksum |= run_layer_merges(&r->run.variants[i]);
	o.load.session_nice = o.load.cpu == r->o->keeper_cpu ? NICE_BESIDE_KEEPER : NICE_ALONE;
	memcpy(o.load.dst_mac, lab->arms[0].s.target.nd.mac, 6);
	memcpy(o.load.src_mac, lab->arms[0].tx.mac, 6);
	strcpy(o.load.dev, lab->arms[0].tx.name);
	strcpy(o.load.netns, RIG_TX_NETNS);
	snprintf(r->run.order, sizeof(r->run.order), "%s", (r->run.nvariants == 2 ? "thue-morse" : "balanced"));
	r->run.turn_frames = (int)o.length.frames;
	r->run.turn_lead = (int)o.length.lead;
	err = turner_open(&lab->turner, &o, d);
	r->turns_refused = err == -EOPNOTSUPP;
	return err;
}

static void lab_release(struct recorder *r)
{
	struct lab *lab = r->of_view;

	if (!lab)
		return;
	turner_release(&lab->turner);
	if (lab->up)
		rig_arms_down(&lab->rig);
	free(lab);
	r->of_view = NULL;
}

/* ---- a round --------------------------------------------------------------------------------------------------- */

/*
 * In the order of the devices, so that in a rotation each variant is loaded as the first, the second ... one once.
 * Attaches each arm's variant of this round; fills the arm's reading before the round.
 */
static int lab_attach(struct recorder *r, struct round *n, struct diag *d)
{
	size_t all = r->run.nvariants;
	int err = 0, saved;

	for (size_t i = 0; i < all && !err; i++) {
		size_t variant = (i + all - (size_t)n->number % all) % all;
		struct arm *a = arms_at(r, variant, n->number);
		struct run_variant *v = &r->run.variants[variant];

		round_draw_place(r, n, i);
		err = arm_visit(a, &saved, d);
		if (err)
			break;
		err = session_attach(&a->s, v, d);
		netns_back(&saved);
		if (!err && a->s.layer.reader && oncpu_watch(&r->oncpu, session_stage_tid(&a->s)))
			err = diag_set(d, -EIO, "cannot watch the thread that reads for %s", v->id);
		if (err)
			break;
		r->run.blocks[n->first_block + variant].consumer_tid = session_stage_tid(&a->s);
		err = a->s.layer.sender ? attach_sender(r, a, variant, d) : attach_receiver(r, a, variant, d);
		if (!err)
			err = arm_read(a, &a->before, d);
	}
	fillers_release(&n->fillers);
	return err;
}

static const struct bench *lab_bench(const struct recorder *r, const struct round *n, size_t variant)
{
	return &arms_at(r, variant, n->number)->s.bench;
}

/*
 * Waits until one more group of turns has ended. Gives up when no frame was sent for PATIENCE_NS; a time limit per turn
 * would be wrong, because one turn takes a second on an emulated machine.
 */
static int await_turns(struct recorder *r, struct diag *d)
{
	const struct lab *lab = r->of_view;
	const struct turner *t = &lab->turner;
	struct patience patience = patience_of(PATIENCE_NS);
	uint64_t sent = 0, sent_now;
	size_t wanted = *t->ended + turn_group(r->run.nvariants);
	int err = 0;

	while (!err && *t->ended < wanted) {
		sent_now = 0;
		for (size_t i = 0; i < r->run.nvariants; i++)
			sent_now += t->sent[i];
		if (sent_now != sent)
			patience = patience_of(PATIENCE_NS);
		sent = sent_now;
		if (patience_ends(&patience))
			return diag_set(d, -ETIMEDOUT, "no turn of %s ends; does its receiver take frames?",
					lab->arms[0].s.target.nd.name);
		sleep_until_ns(now_ns() + 1000000);
		err = record_check(r, d);
	}
	return err;
}

static int lab_begin(struct recorder *r, struct round *n, struct diag *d)
{
	struct lab *lab = r->of_view;
	struct turner *turner = &lab->turner;
	int err = turner->kind->begin(turner, d);
	uint64_t begun = now_ns();

	lab->running = !err;
	if (!err) /* the first turns fill the generator's page pool, and may be in no stretch */
		err = await_turns(r, d);
	n->group_s = (double)(now_ns() - begun) / 1e9;
	/* Measured in each round before its stretches: a machine that is slower in this round has slower stamps too. */
	if (err || r->o->view != RUN_VIEW_WORK)
		return err;
	err = turner->kind->calibrate(turner, true, d) ?: record_sleep(r, CALIBRATE_S, d);
	if (!err)
		err = turner->kind->calibrate(turner, false, d);
	round_stamp(r, n, turner->stamp_ns);
	return err;
}

/* A reader has no work outside the turns of its own variant. */
static void lab_edge(struct recorder *r, struct round *n, const struct stretch *s, int when)
{
	const struct lab *lab = r->of_view;

	if (!when)
		*lab->turner.keep = s->kind == RUN_PROFILE;
	for (size_t i = 0; i < r->run.nvariants; i++) {
		struct run_window grown = {.consumer_busy_ns = NAN, .consumer_packets = -1};
		struct turn_sums *sums = &n->sums[s->kind][i];
		struct stage_edge now;
		bool known;

		stage_edge_read(r, &arms_at(r, i, n->number)->s, &now);
		window_fill_stage(&grown, &n->stages[i], &now);
		n->stages[i] = now;
		if (!when)
			continue;
		sums->consumer_busy_ns += grown.consumer_busy_ns;
		known = sums->consumer_packets >= 0 && grown.consumer_packets >= 0;
		sums->consumer_packets = known ? sums->consumer_packets + grown.consumer_packets : -1;
	}
	if (when)
		*lab->turner.keep = false;
}

/* For so long, and until a whole group of turns is in it: the first turn to end had begun before. */
static int lab_stretch(struct recorder *r, struct round *n, enum run_window_kind kind, double seconds, struct diag *d)
{
	const struct lab *lab = r->of_view;
	const struct turner *t = &lab->turner;
	size_t before = *t->ended;
	int err = record_sleep(r, seconds, d);
	bool too_few = *t->ended < before + 1 + turn_group(r->run.nvariants);

	(void)n;
	(void)kind;
	/* A full list of turns ends the generator. */
	return !err && too_few && *t->ended < TURN_RECORDS / 2 ? await_turns(r, d) : err;
}

/* Turns between two stretches, and those of which polls of other devices were not kept, count in no window. */
static int lab_end(struct recorder *r, struct round *n, struct diag *d)
{
	struct lab *lab = r->of_view;
	const struct turner *turner = &lab->turner;
	int err = turner->kind->end(&lab->turner, d);
	/* When the polls of other devices were too many to be kept; samples of later turns cannot be allotted. */
	size_t kept = *turner->nforeigns, nturns = *turner->ended;
	uint64_t foreigns_end = kept < TURN_FOREIGN ? UINT64_MAX : turner->foreigns[kept - 1].to_ns;

	lab->running = false;
	if (err)
		return err;
	for (size_t i = 0; i < nturns && !err; i++) {
		const struct turn_record t = *(const struct turn_record *)&turner->records[i];
		double own = (double)t.own_ns - (r->o->view == RUN_VIEW_WORK ? t.stamps * n->stamp_ns : 0);
		struct bench_count grown = {};
		struct run_turn turn = {
			.start_ns = t.start_ns,
			.wall_ns = (uint32_t)fmin((double)(t.end_ns - t.start_ns), UINT32_MAX),
			.own_ns = (uint32_t)fmax(0, fmin(own, UINT32_MAX)),
			.packets = t.packets,
			.lost = t.lost,
			.round = (uint32_t)n->number,
			.variant = (uint16_t)t.arm,
			.device = (uint8_t)arms_at(r, t.arm, n->number)->number,
			.use = TURN_SWITCHING,
		};

		for (const struct stretch *s = n->stretches; s < n->stretches + n->nstretches; s++)
			if (t.start_ns >= s->from_ns && t.end_ns <= s->to_ns) {
				turn.use = s->kind == RUN_PROFILE ? TURN_PROFILE : TURN_BASE;
				break;
			}
		if (t.end_ns > foreigns_end && turn.use == TURN_PROFILE)
			turn.use = TURN_SWITCHING;
		grown.verdicts[run_verdict_of(&r->run.variants[t.arm])] = t.packets;
		grown.injected_ns = t.injected_ns;
		err = round_turn(n, &turn, &grown);
	}
	return err ? diag_set(d, -ENOMEM, "no memory for the turns") : 0;
}

/* now: after the round. -ENOMEM */
static int arm_totals(const struct recorder *r, struct run_block *b, struct arm *a, const struct arm_reading *now)
{
	const struct lab *lab = r->of_view;
	int64_t lost = (int64_t)(now->lost - a->before.lost);
	const struct layer *layer = &a->s.layer;
	struct run_totals *t = &b->totals;
	int err = totals_of_device(&a->s, b, &a->before.rx, &now->rx);

	t->gen_sent = now->taken >= 0 && a->before.taken >= 0 ? now->taken - a->before.taken : -1;
	if (layer->floor.prog_fd >= 0) /* they go to no device */
		t->gen_sent = (int64_t)lab->turner.sent[b->variant];
	t->gen_errors = now->refused >= 0 && a->before.refused >= 0 ? now->refused - a->before.refused : -1;
	t->rx_seen = (int64_t)b->counters.packets - lost;
	t->stray = totals_stray(t);
	t->tx_verdicts = (int64_t)bench_verdicts(&a->s.bench, RUN_TX);
	if (!layer->reader && lost)
		t->rx_named_drops = lost + (t->rx_named_drops > 0 ? t->rx_named_drops : 0);
	if (now->back != UINT64_MAX && a->before.back != UINT64_MAX)
		t->sink_frames = (int64_t)(now->back - a->before.back);
	if (layer->sender && !err) {
		/* The frames went from the receiver of the arm to its sender, where the sink counts them. */
		const struct sender_counts *c = &layer->sender->counts;
		struct counters growth = {};

		err = counters_growth(&growth, &a->before.rx.counters, &now->rx.counters, true);
		t->gen_sent = t->rx_seen;
		t->rx_seen = layer->sender->kind->awaits ? (int64_t)c->arrived : t->sink_frames;
		t->sink_frames = -1;
		t->stray = totals_stray(t);
		t->rx_named_drops = counters_sum(&growth, COUNTER_LINK_TX_LOST) +
				    fmax(0, counters_sum(&growth, COUNTER_XMIT_REFUSED));
		t->send_calls = (int64_t)c->calls;
		t->send_owed = (int64_t)c->awaited;
		t->send_completed = (int64_t)c->completions;
		t->send_copied = (int64_t)c->copied;
		counters_release(&growth);
	}
	if (layer->reader) {
		t->redirected = t->gen_sent;
		t->consumer_frames = t->rx_seen;
		t->consumer_dropped = lost;
	}
	b->counters.packets = t->rx_seen > 0 ? (uint64_t)t->rx_seen : 0;
	/* The device counts in no turn but its own, so the windows can have the growth over the whole round. */
	for (size_t i = 0; i < b->nwindows && !err; i++) {
		struct run_counters *c = &b->windows[i].counters;

		if (b->windows[i].kind != RUN_BASE)
			continue;
		err = reading_changes(c, &a->before.rx, &now->rx);
		c->packets = b->counters.packets;
	}
	return err;
}

static int lab_totals(struct recorder *r, struct round *n, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < r->run.nvariants && !err; i++) {
		struct arm *a = arms_at(r, i, n->number);
		struct arm_reading now = {};

		err = arm_read(a, &now, d);
		if (!err && arm_totals(r, &r->run.blocks[n->first_block + i], a, &now))
			err = diag_set(d, -ENOMEM, "no memory");
		reading_release(&now.rx);
	}
	return err;
}

static void lab_receivers(struct recorder *r, const struct round *n, struct receivers *w, struct turn_samples *s)
{
	const struct lab *lab = r->of_view;
	const struct turner *turner = &lab->turner;
	pid_t sends = turner->worker ? atomic_load(&turner->worker->tid) : -1;

	for (size_t i = 0; i < r->run.nvariants; i++) {
		const struct arm *a = arms_at(r, i, n->number);
		const struct sender *sender = a->s.layer.sender;

		w->tids[i] = sender && sender->task ? sender->task : sends;
		if (w->tids[i] < 0)
			w->tids[i] = a->napi_tid;
		w->helpers[i] = sender ? sender->poller : 0;
		w->roots[i] = sender ? sender->kind->root : a->s.layer.floor.prog_fd >= 0 ? FLOOR_ROOT : SOFTIRQ_ROOT;
		w->readers[i] = r->run.blocks[n->first_block + i].consumer_tid;
	}
	s->readers = w->readers;
	s->helpers = w->helpers;
	s->foreigns = turner->foreigns;
	s->nforeigns = *turner->nforeigns;
	if (r->o->view == RUN_VIEW_WORK)
		s->roots = w->roots;
	if (r->o->view != RUN_VIEW_WORK || sends >= 0)
		s->tids = w->tids;
	if (sends >= 0)
		s->without = SOFTIRQ_ROOT; /* polls of the other end, in the sender's task */
}

static void lab_detach(struct recorder *r, struct round *n)
{
	struct lab *lab = r->of_view;

	(void)n;
	lab->running = false;
	turner_stop(&lab->turner);
	for (size_t i = 0; i < r->run.nvariants && i < RIG_ARMS; i++) {
		struct arm *a = &lab->arms[i];
		int saved;

		reading_release(&a->before.rx);
		if (arm_visit(a, &saved, NULL))
			continue;
		if (a->s.layer.reader)
			oncpu_forget(&r->oncpu, session_stage_tid(&a->s));
		session_detach(&a->s);
		netns_back(&saved);
	}
}

const struct view view_lab = {
	.arms = true,
	.turns = true,
	.cannot = lab_cannot,
	.prepare = lab_prepare,
	.attach = lab_attach,
	.bench = lab_bench,
	.begin = lab_begin,
	.measure = round_stretches,
	.edge = lab_edge,
	.stretch = lab_stretch,
	.end = lab_end,
	.totals = lab_totals,
	.receivers = lab_receivers,
	.check = lab_check,
	.detach = lab_detach,
	.release = lab_release,
};
