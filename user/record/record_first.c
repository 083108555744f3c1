// SPDX-License-Identifier: GPL-2.0-or-later
/* What is found out before the first round. */
#include <gsl/gsl_statistics_double.h>
#include "user/record/record.h"

#define RX_SHARE         0.01 /* a CPU with a smaller share of the packets is noise, not an RX CPU */
#define MOVE_PATIENCE_NS 1000000000ULL
#define LOOK_PATIENCE_NS 5000000000ULL
#define COUNT_FRAMES     20000
#define COUNT_S          3.0 /* at most, when frames are slow */
#define LOOK_S           0.02
#define STEADY_LOOKS     8    /* that have to be alike */
#define STEADY_FACTOR    1.05 /* that they may be apart, and slower than the fastest one: SPEED_PROBE_STEP of reports */
#define STEADY_LOOK_S    0.05 /* from one look to the next; less where there is less time */
#define STEADY_MOST_S    10
#define STEADY_LEAST_S   0.04
#define STEADY_SHARE     0.05 /* of the time that the recording itself will take */

/* ---- CPUs ------------------------------------------------------------------------------------------------ */

/*
 * With the load of the first variant, or of one that tells CPUs apart. A pinned interrupt moves only when it fires the
 * next time, so packets before that moment arrive on the former CPU: the pinned CPU has to receive one first. That wait
 * is limited, because while the NIC is polled without a pause, no interrupt fires.
 */
int record_find_rx_cpus(struct recorder *r, struct diag *d)
{
	struct run_variant counting = r->run.variants[0];
	int cpus = r->session.ncpus, pinned = r->session.steer.o ? r->session.steer.o->pin_cpu : -1, err = 0;
	struct patience patience;
	struct block b;

	if (record_any(&r->run, run_variant_is_layer)) /* which do not tell CPUs apart; every device has skb mode */
		err = run_variant_parse(&counting, "drop/no-touch@skb", d);
	if (counting.operation == RUN_BARE)
		counting.operation = RUN_NO_TOUCH; /* the bare program does not tell CPUs apart */
	if (counting.stage != RUN_STAGE_NONE) {    /* the second stage does not change the RX CPU */
		counting.stage = RUN_STAGE_NONE;
		counting.action = RUN_ACTION_DROP;
	}
	block_init(&b);
	if (!err)
		err = block_attach(r, &b, &counting, d) ?: block_load(r, &counting, d);
	if (!err && pinned >= 0) {
		uint64_t before;

		patience = patience_of(MOVE_PATIENCE_NS);
		session_counts(&r->session, b.from.counts);
		before = bench_counts_sum(&b.from.counts[pinned], 1);
		while (!err && bench_counts_sum(&b.from.counts[pinned], 1) == before && !patience_ends(&patience)) {
			err = record_sleep(r, 0.005, d);
			session_counts(&r->session, b.from.counts);
		}
	}
	patience = patience_of(LOOK_PATIENCE_NS);
	while (!err && !r->run.nrx_cpus && !patience_ends(&patience)) {
		err = record_sleep(r, 0.3, d);
		session_counts(&r->session, b.to.counts);
		/* Adds to the RX CPUs each CPU that processed at least RX_SHARE of the packets since b.from. */
		uint64_t seen = bench_counts_sum(b.to.counts, cpus) - bench_counts_sum(b.from.counts, cpus);
		for (int cpu = 0; cpu < cpus && r->run.nrx_cpus < RUN_MAX_RX_CPUS; cpu++)
			if (bench_counts_sum(&b.to.counts[cpu], 1) - bench_counts_sum(&b.from.counts[cpu], 1) >
			    RX_SHARE * seen)
				r->run.rx_cpus[r->run.nrx_cpus++] = cpu;
	}
	if (!err && !r->run.nrx_cpus)
		err = diag_set(d, -ETIMEDOUT, "packets came to %s, and then no more", r->session.target.nd.name);
	block_release(r, &b);
	return err;
}

int record_wait_steady(struct recorder *r, struct diag *d)
{
	double most_s = fmax(STEADY_LEAST_S, fmin(STEADY_MOST_S, STEADY_SHARE * record_planned_s(r)));
	double pause_s = fmin(STEADY_LOOK_S, most_s / (2 * STEADY_LOOKS)), looks[STEADY_LOOKS], fastest = INFINITY;
	double least, most;
	uint64_t start = now_ns();
	int err = 0;

	progress_now(&r->progress, "waiting for a steady CPU");
	r->run.steady = false;
	for (size_t n = 0; !err && !r->run.steady && (n < STEADY_LOOKS || now_ns() - start < most_s * 1e9); n++) {
		double ns = speed_probe_ns(r->session.rx_cpu);

		if (ns < 0)
			return 0; /* a CPU that cannot be probed: run.waited_s stays "not known" */
		looks[n % STEADY_LOOKS] = ns;
		fastest = fmin(fastest, ns);
		if (n + 1 >= STEADY_LOOKS) {
			gsl_stats_minmax(&least, &most, looks, 1, STEADY_LOOKS);
			r->run.steady = most <= STEADY_FACTOR * least && least <= STEADY_FACTOR * fastest;
		}
		if (!r->run.steady)
			err = record_sleep(r, pause_s, d);
	}
	r->run.waited_s = (double)(now_ns() - start) / 1e9;
	return err;
}

/* ---- what the kernel and the device lack ------------------------------------------------------------------- */

const char *record_any(const struct run *run, bool (*is)(const struct run_variant *v))
{
	for (size_t i = 0; i < run->nvariants; i++)
		if (is(&run->variants[i]))
			return run->variants[i].id;
	return NULL;
}

int record_leave_out(struct recorder *r, record_try_fn *check, struct diag *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->run.nvariants; i++) {
		struct run_variant *v = &r->run.variants[i];
		struct diag why = {};
		int err = check(r, v, &why);

		if (err && !(err == -EOPNOTSUPP || err == -EADDRINUSE || err == -ENOSPC || err == -ETIMEDOUT))
			return diag_set(d, err, "%s", why.text);
		if (!err)
			r->run.variants[kept++] = *v;
		else if (strncmp(why.text, v->id, strlen(v->id)) != 0)
			complain("%s: %s; everything else is measured", v->id, why.text);
		else
			complain("%s; everything else is measured", why.text);
	}
	r->run.nvariants = kept;
	if (kept)
		return 0;
	return r->view->arms
		       ? diag_set(d, -EOPNOTSUPP, "this kernel lacks all of these layers")
		       : diag_set(d, -EOPNOTSUPP, "none of these can be measured on %s", r->session.target.nd.name);
}

int record_layer_try(struct recorder *r, struct run_variant *v, struct diag *d)
{
	if (v->layer == RUN_LAYER_TEST_RUN)
		return diag_set(d, -EOPNOTSUPP, "%s: its frames go to no device, so it is measured in the lab", v->id);
	if (v->layer == RUN_LAYER_CPUMAP && (!r->session.o.own_load || r->session.o.load.host[0]))
		return diag_set(d, -EOPNOTSUPP,
				"%s: nobody counts what the cpumap's queue drops, so the generator must be one that "
				"waits for it (--gen-dev)",
				v->id);
	return session_try(&r->session, v, d);
}

/* ---- do frames come? ----------------------------------------------------------------------------------------- */

int record_layer_unreached(const struct recorder *r, const struct run_variant *v, struct diag *d)
{
	const char *dev = r->session.target.nd.name;
	long long filtered = 0, own = 0;
	char address[64];

	if (!layer_is_addressed(v->layer))
		return diag_set(d, -ETIMEDOUT,
				"%s: no frame comes to it; it wants IPv4 frames to %s's own MAC address%s", v->id, dev,
				v->layer != RUN_LAYER_XSK_COPY ? "" : ", on its first receive queue");
	if (!layer_udp_address(dev, address))
		return diag_set(
			d, -ETIMEDOUT,
			"%s: %s has no IPv4 address that frames could go to; give it one: ip addr add " GEN_DST_IP
			"/32 dev %s",
			v->id, dev, dev);
	facts_number(&facts_here, &filtered, "proc/sys/net/ipv4/conf/all/rp_filter");
	facts_number(&facts_here, &own, "proc/sys/net/ipv4/conf/%s/rp_filter", dev);
	return diag_set(d, -ETIMEDOUT, "%s: no frame comes to it; it wants UDP to %s, port %d%s", v->id, address,
			LAYER_PORT, filtered || own ? ", from an address with a route back (rp_filter is on)" : "");
}

static bool is_rx_cpu(const struct run *run, int cpu)
{
	for (size_t i = 0; i < run->nrx_cpus; i++)
		if (run->rx_cpus[i] == cpu)
			return true;
	return false;
}

int record_layer_reach(struct recorder *r, struct run_variant *v, struct diag *d)
{
	bool addressed = layer_is_addressed(v->layer);
	struct block b;
	char address[64];
	int err;

	/* Which CPU receives was not known when the reader's was chosen. */
	if (v->stage == RUN_STAGE_READER && is_rx_cpu(&r->run, v->stage_cpu)) {
		v->stage_cpu = cpu_pick_other(r->run.rx_cpus[0], -1);
		if (is_rx_cpu(&r->run, v->stage_cpu))
			return diag_set(d, -EOPNOTSUPP, "%s: the thread that reads needs a CPU that receives nothing",
					v->id);
	}
	if (addressed && (r->unreached || !layer_udp_address(r->session.target.nd.name, address)))
		return record_layer_unreached(r, v, d);
	progress_now(&r->progress, v->id);
	block_init(&b);
	err = block_attach(r, &b, v, d) ?: block_load(r, v, d);
	block_release(r, &b);
	r->unreached |= addressed && err == -ETIMEDOUT;
	return err;
}

/* ---- verdicts of programs of the user's own ---------------------------------------------------------------- */

/* Sends frames, and counts when the last one has arrived. */
static int record_first_count(struct recorder *r, struct verdicts *probes, struct run_verdicts *out, struct diag *d)
{
	struct patience patience = patience_of((uint64_t)(COUNT_S * 1e9));
	struct gen_result sent;
	int64_t back = block_frames_back(r), now;
	uint64_t seen =
		session_seen(&r->session); /* before the probes were on: chatter of a device that is not the lab's */
	int err = session_load(&r->session, d);

	while (!err && session_seen(&r->session) < COUNT_FRAMES && !patience_ends(&patience))
		err = record_sleep(r, LOOK_S, d);
	if (!err)
		err = session_stop_load(&r->session, &sent, d);
	if (err)
		return err;
	now = sent.back >= 0 ? sent.back : block_frames_back(r);
	out->back = now < 0 || (back < 0 && sent.back < 0) ? -1 : now - (sent.back >= 0 ? 0 : back);
	out->seen = (int64_t)(session_seen(&r->session) - seen);
	/* What a NIC's ring refuses is no frame of the program's; the gate of conservation looks at it. */
	out->frames = r->session.target.lab ? sent.sent : out->seen;
	err = verdicts_read(probes, out, d);
	/*
	 * Frames that a packet socket sends and the ring refuses are freed in the receiver's name. The drop counter
	 * includes them; subtract them.
	 */
	if (probes->generic && gen_is_large(&r->session.o.load) && out->ended[RUN_DROP] >= 0)
		out->ended[RUN_DROP] -= sent.refused;
	/* Other frames may come to the sender's device too, but in the lab. */
	if (!r->session.target.lab && out->back > out->ended[RUN_TX])
		out->back = out->ended[RUN_TX];
	return err;
}

/* A kernel that refuses the probes is no error: the verdicts stay unknown, and a sentence says why. */
int record_verdicts(struct recorder *r, struct diag *d)
{
	struct session *s = &r->session;
	int load_cpu = s->o.load.cpu, err = 0;

	if (!s->o.own_load)
		return 0;
	if (s->target.lab)
		s->o.load.cpu = cpu_pick_other(r->o->rx_cpu, -1);
	for (size_t i = 0; i < r->run.nvariants && !err; i++) {
		struct run_variant *v = &r->run.variants[i];
		struct target at = s->target;
		struct verdicts probes;
		struct diag refused = {};
		int refusal = 0, saved = -1;

		if (!run_variant_is_own(v))
			continue;
		progress_now(&r->progress, "counting verdicts");
		err = session_attach(s, v, d);
		verdicts_init(&probes);
		if (!err && v->mode >= RUN_MODE_NETKIT) {
			at.nd = s->layer.forward.end;
			err = netns_visit_fd(s->layer.forward.end_netns, &saved, d);
		}
		if (!err)
			refusal = verdicts_open(&probes, &at, s->bench.prog_id, v->mode, &refused);
		netns_back(&saved);
		if (refusal)
			complain("%s: its verdicts are not counted: %s", v->id, refused.text);
		else if (!err)
			err = record_first_count(r, &probes, &v->verdicts, d);
		if (err)
			v->verdicts.frames = -1;
		verdicts_close(&probes);
		session_detach(s);
	}
	s->o.load.cpu = load_cpu;
	return err;
}
