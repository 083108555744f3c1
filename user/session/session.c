// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/session/session.h"

#define STEER_PATIENCE_S   15            /* a generator on another machine may start slowly */
#define READER_PATIENCE_NS 1000000000ULL /* a busy machine may keep the reader from its CPU for long */
#define DRAIN_STILL        10            /* looks, a millisecond apart */
#define DRAIN_PATIENCE_NS  1000000000ULL

/* Resets the members that session_attach() fills. */
static void program_init(struct session *s)
{
	bench_init(&s->bench);
	layer_init(&s->layer);
	stage_init(&s->stage);
	observer_init(&s->observer);
	s->ncpus = cpu_possible();
	s->bare = false;
	s->bare_before = 0;
	s->exchanged = false;
}

void session_init(struct session *s, const struct session_options *o)
{
	memset(s, 0, sizeof(*s));
	s->o = *o;
	s->target = NO_TARGET;
	bench_init(&s->steer.flows.bench);
	s->gen.remote = NO_REMOTE;
	own_list_init(&s->own, &o->own);
	program_init(s);
}

/*
 * Outside the lab, the generator runs in the namespace that this process was started in (target.home_fd), which the
 * connections are looked for in, too: a device with the namespace "" is in this one.
 */
int session_open(struct session *s, const char *dev, const char *netns, int rx_cpu, bool alone, struct diag *d)
{
	struct gen_options *load = &s->o.load;
	const char *const uplinks[][2] = {{dev, netns}, {load->dev, load->netns}};
	bool lab = !strcmp(dev, "lab");
	int err = 0;

	for (int i = 0; i < 1 + (s->o.own_load && !load->host[0]) && !lab && !s->o.cut_off && !err; i++) {
		netns_scope int saved = -1;

		err = netns_visit(uplinks[i][1], &saved, d) ?: uplink_check(uplinks[i][0], d);
	}
	if (!err)
		err = target_open(&s->target, dev, netns, rx_cpu, alone, d);
	if (!err)
		err = rx_settings_begin(&s->o.rx, &s->target.nd, d);
	if (!err && s->o.own_load)
		err = frames_take(&s->frames, &s->o.frames, d);
	if (err || !s->o.own_load)
		return err;
	/* the destination of our own load */
	if (s->frames.n)
		load->frames = &s->frames;
	if (s->target.lab)
		return rig_gen_options(load, d);
	load->netns_fd = s->target.home_fd;
	memcpy(load->dst_mac, s->target.nd.mac, sizeof(load->dst_mac));
	if (s->o.addressed && !load->dst_ip[0] && !layer_udp_address(s->target.nd.name, load->dst_ip))
		load->dst_ip[0] = '\0';
	return load->host[0] ? remote_probe(load, s->target.nd.name, &s->remote, d) : 0;
}

/* Loads the program of a variant and opens what its frames are redirected to, or opens its layer. */
static int open_variant(struct session *s, struct run_variant *v, struct diag *d)
{
	const struct stage_options so = {.lab = s->target.lab, .longest = s->o.own_load ? gen_longest(&s->o.load) : 0};
	struct layer_options lo = {
		.umem = v->umem, .rx_cpu = s->rx_cpu, .reader_cpu = v->stage_cpu, .bytes = s->o.load.bytes};
	bool memory = v->layer == RUN_LAYER_XSK_COPY;
	int err, n;

	if (!run_variant_is_layer(v)) {
		s->bench.frags = bench_frags(&s->target.nd);
		err = bench_load(&s->bench, v, s->of ? &s->of->own : &s->own, d);
		return err ? err : stage_open(&s->stage, v, &s->bench, &s->target.nd, &so, d);
	}
	memcpy(lo.peer_mac, s->o.load.src_mac, sizeof(lo.peer_mac));
	err = layer_open(&s->layer, v->layer, &s->target.nd, &lo, d);
	if (!err && v->stage == RUN_STAGE_READER) {
		n = snprintf(v->stage_text, sizeof(v->stage_text), "on CPU %d, %s%s", v->stage_cpu,
			     s->layer.reader ? s->layer.reader->kind->words : "", memory ? ", " : "");
		if (memory)
			xsk_queue_words(&s->layer.reader->o.umem, v->stage_text + n, sizeof(v->stage_text) - (size_t)n);
	}
	return err;
}

int session_try(struct session *s, struct run_variant *v, struct diag *d)
{
	int err;

	if (!run_variant_is_layer(v) && v->stage == RUN_STAGE_NONE)
		return 0;
	err = open_variant(s, v, d);
	session_detach(s);
	return err;
}

int session_steer(struct session *s, enum run_mode mode, struct diag *d)
{
	enum run_mode look_in = mode == RUN_MODE_SKB || run_mode_is_tc(mode) ? RUN_MODE_SKB : RUN_MODE_NATIVE;
	int err = steer_prepare(&s->steer, &s->o.steer, &s->target.nd, look_in, d);

	if (!err && steer_wanted(&s->o.steer) && s->o.own_load)
		err = gen_start(&s->gen, &s->o.load, d);
	if (!err)
		err = steer_begin(&s->steer, STEER_PATIENCE_S, d);
	gen_release(&s->gen);
	return err;
}

/* Packets that the driver gave to XDP so far; 0 where the driver does not count them. */
static uint64_t seen_by_device(const struct session *s)
{
	struct counters c = {};
	int64_t n = 0;

	if (!netdev_driver_counters(s->target.nd.name, &c))
		n = counters_sum(&c, COUNTER_XDP_SEEN);
	counters_release(&c);
	return n < 0 ? 0 : n;
}

int session_attach(struct session *s, struct run_variant *v, struct diag *d)
{
	struct observer_options o = {.kind = v->observer, .nd = &s->target.nd};
	int err = open_variant(s, v, d);

	if (err)
		return err;
	if (run_variant_is_layer(v)) {
		s->bench.mode_found = RUN_MODE_STACK;
		device_counters_open(&s->device, &s->target.nd);
		return steer_hold(&s->steer, d);
	}
	s->bare = v->operation == RUN_BARE;
	s->bare_before = s->bare ? seen_by_device(s) : 0;
	device_counters_open(&s->device, &s->target.nd);
	o.prog_fd = s->bench.prog_fd;
	o.cpu = cpu_pick_other(s->rx_cpu, s->o.load.cpu);
	err = forward_attach(&s->layer.forward, &s->bench, &s->target.nd, v->mode, d)
		      ?: observer_open(&s->observer, &o, d);
	return err ? err : steer_hold(&s->steer, d);
}

int session_load(struct session *s, struct diag *d)
{
	struct gen_options load = s->o.load;

	if (!s->o.own_load)
		return 0;
	if (s->target.lab && !s->bare)
		rig_close_loop(&load, s->bench.counts_fd, s->rx_cpu);
	/* The layer has a reader, and the generator runs on this machine. */
	if (s->layer.reader && s->o.own_load && !s->o.load.host[0]) {
		load.window = layer_window(&s->layer);
		load.counts_fd = s->layer.reader->counts_fd;
		load.counts_cpu = s->rx_cpu;
		load.patience_ns = READER_PATIENCE_NS;
	}
	stage_close_loop(&s->stage, &load);
	s->seen_before = session_seen(s);
	return gen_start(&s->gen, &load, d);
}

int session_check(struct session *s, struct diag *d)
{
	uint64_t frames;
	int err = 0;

	if (netdev_gone(&s->target.nd))
		return diag_set(d, -ENODEV, "%s has vanished", s->target.nd.name);
	if (s->layer.kind)
		err = layer_frames(&s->layer, &frames, d);
	else if (!bench_confirm(&s->bench, &s->target.nd))
		return diag_set(d, -EIO, "the program is no longer on %s", s->target.nd.name);
	if (!err)
		err = s->observer.reader ? reader_check(s->observer.reader, d) : 0;
	if (err)
		return err;
	return s->gen.pid > 0 || s->gen.remote.pid > 0 ? gen_check(&s->gen, d) : 0;
}

void session_drain(const struct session *s)
{
	struct patience patience = patience_of(DRAIN_PATIENCE_NS);
	uint64_t seen, seen_before = 0;

	for (int still = 0; still < DRAIN_STILL && !patience_ends(&patience); still++) {
		/* both numbers only grow; a stage that does not know its frames returns -1 each time */
		seen = session_seen(s) + (uint64_t)session_stage_frames(s, false);
		if (seen != seen_before)
			still = 0;
		seen_before = seen;
		sleep_until_ns(now_ns() + 1000000);
	}
}

int session_stop_load(struct session *s, struct gen_result *sent, struct diag *d)
{
	struct patience patience;
	int err;

	*sent = (struct gen_result){.sent = -1, .refused = -1, .back = -1};
	if (!s->o.own_load)
		return 0;
	err = gen_stop(&s->gen, sent, d);
	if (err)
		return err;
	session_drain(s);
	/*
	 * A receiver, a reader or a second stage may not get its CPU for a while; then nothing moves. So wait while one
	 * of the frames that were sent in the lab or to a layer, or that were redirected, is neither counted nor
	 * dropped. A NIC may lose frames. Of programs that take turns on a device the session knows one alone; who
	 * records them waits for their frames.
	 */
	for (patience = patience_of(DRAIN_PATIENCE_NS);; sleep_until_ns(now_ns() + 1000000)) {
		bool waits = (s->layer.kind || (s->target.lab && !s->exchanged)) &&
			     (int64_t)(session_seen(s) - s->seen_before) < sent->sent;

		if (!waits && s->stage.kind != RUN_STAGE_NONE) {
			int64_t frames = session_stage_frames(s, false), dropped = session_stage_dropped(s);

			waits = frames >= 0 && dropped >= 0 &&
				frames + dropped < (int64_t)bench_verdicts(&s->bench, RUN_REDIRECT);
		}
		if (!waits || patience_ends(&patience))
			return 0;
	}
}

void session_detach(struct session *s)
{
	gen_release(&s->gen);
	observer_close(&s->observer);
	bench_release(&s->bench);
	layer_close(&s->layer);
	stage_release(&s->stage);
	device_counters_release(&s->device);
	program_init(s);
}

int session_close(struct session *s, struct diag *d)
{
	int err, undone;
	size_t nundone;

	session_detach(s);
	err = own_list_close(&s->own, d);
	undone = steer_end(&s->steer, d);
	if (!err)
		err = undone;
	undone = rx_settings_wanted(&s->o.rx) ? changes_undo(CHANGES_OWN, NULL, &nundone, d) : 0;
	return err ? err : undone;
}

void session_release(struct session *s)
{
	session_close(s, NULL);
	json_decref(s->remote);
	s->remote = NULL;
	frames_release(&s->frames);
	target_release(&s->target);
}

uint64_t session_seen(const struct session *s)
{
	if (s->layer.kind) {
		/* session_check() reports a layer whose count cannot be read. */
		uint64_t frames = 0, lost = 0;

		layer_frames(&s->layer, &frames, NULL);
		layer_lost(&s->layer, &lost, NULL);
		return frames + lost;
	}
	return s->bare ? seen_by_device(s) - s->bare_before : bench_seen(&s->bench);
}

void session_counts(const struct session *s, struct bench_count *counts)
{
	if (s->layer.kind)
		memset(counts, 0, (size_t)s->ncpus * sizeof(*counts));
	for (int cpu = 0; cpu < s->bench.ncpus && !s->layer.kind; cpu++)
		bench_read_cpu(&s->bench, cpu, &counts[cpu]);
	if (s->bare || s->layer.kind)
		counts[s->rx_cpu].verdicts[RUN_DROP] = session_seen(s);
}

pid_t session_stage_tid(const struct session *s)
{
	return s->layer.reader ? atomic_load(&s->layer.reader->worker.tid) : s->stage.tid;
}

int64_t session_stage_frames(const struct session *s, bool cheap)
{
	uint64_t frames;

	if (!s->layer.reader)
		return consumer_frames(&s->stage, cheap);
	return layer_frames(&s->layer, &frames, NULL) ? -1 : (int64_t)frames;
}

int64_t session_stage_dropped(const struct session *s)
{
	uint64_t lost;

	if (!s->layer.reader)
		return consumer_dropped(&s->stage);
	return layer_lost(&s->layer, &lost, NULL) ? -1 : (int64_t)lost;
}

void session_settle(const struct session *s, const struct run_variant *variants, size_t n, bool profiles)
{
	const struct session_options *o = &s->o;
	/* Not for what a recording of a device by itself takes. */
	struct stat home; /* the namespace that this process was in before */
	bool admin = profiles || fstat(s->target.home_fd, &home) || home.st_ino != netns_inum() || o->load.netns[0] ||
		     steer_wanted(&o->steer) || rx_settings_wanted(&o->rx) || s->own.n;

	for (size_t i = 0; i < n; i++)
		admin |= variants[i].observer || variants[i].stage != RUN_STAGE_NONE;
	privileges_settle(admin, o->own.setup || o->own.teardown || o->load.host[0], o->addressed);
}

int session_read(const struct session *s, struct reading *now)
{
	reading_release(now);
	now->packets = session_seen(s);
	now->at_ns = now_ns();
	return device_counters_read(&s->device, &now->counters);
}

int reading_changes(struct run_counters *out, const struct reading *from, const struct reading *to)
{
	out->from_ns = from->at_ns;
	out->to_ns = to->at_ns;
	out->packets = to->packets - from->packets;
	return counters_growth(&out->changed, &from->counters, &to->counters, false);
}

void reading_release(struct reading *r)
{
	counters_release(&r->counters);
}
