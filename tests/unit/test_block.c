// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers of one block, worked out by hand from its windows and samples. */
#include "reports/analysis/analysis.h"
#include "tests/unit/unit.h"

#define TID 4711

static struct facilities *facilities;

/* A window that begins at second `from_s`, with packets on CPU 1 and every fourth one on CPU 2 if that receives. */
static struct run_window *add_window(struct run *r, enum run_window_kind kind, double from_s, double ms, double busy_ms,
				     double packets)
{
	struct run_window *w = run_add_window(&r->blocks[0]);

	w->kind = kind;
	w->from_ns = (uint64_t)(from_s * 1e9);
	w->to_ns = w->from_ns + (uint64_t)(ms * 1e6);
	w->busy_ns = busy_ms * 1e6;
	if (r->nrx_cpus > 1) {
		run_add_cpu(w, 2)->verdicts[RUN_PASS] = (uint64_t)(packets / 4);
		w->cpus[0].busy_ns = w->busy_ns / 4;
		packets -= packets / 4;
	}
	run_add_cpu(w, 1)->verdicts[RUN_DROP] = (uint64_t)packets;
	w->cpus[w->ncpus - 1].busy_ns = r->nrx_cpus > 1 ? w->busy_ns * 3 / 4 : w->busy_ns;
	return w;
}

static void add_samples(FILE *out, int n, int tid, int cpu, double at_s, const char *frames)
{
	for (int i = 0; i < n; i++, at_s += 0.001) {
		char text[200], *frame, *left = text;

		snprintf(text, sizeof(text), "%s", frames);
		fprintf(out, "task %d [%03d] %.9f: 10000000 e:\n", tid, cpu, at_s);
		while ((frame = strsep(&left, " ")))
			fprintf(out, "\tffffffff81000000 %s ([kernel.kallsyms])\n", frame);
		fputs("\n", out);
	}
}

/*
 * Unprofiled: 600 ms, of which 420 were busy, for 3 million packets. Profiled: 500 ms, 400 busy, 4 million packets,
 * 8 samples of the driver and 2 of what is taken out, each of 10 million. Samples of another task, of another CPU and
 * of another moment do not count.
 */
static void make_run(struct run *r, const char *event, bool threads, int cpus)
{
	char path[128];
	FILE *out;

	run_init(r);
	snprintf(r->event, sizeof(r->event), "%s", event);
	for (int i = 0; i < cpus; i++)
		r->rx_cpus[r->nrx_cpus++] = 1 + i;
	if (threads)
		r->napi_tids[r->nnapi_tids++] = TID;
	assert_int_equal(run_variant_parse(run_add_variant(r), "drop/no-touch@native", NULL), 0);
	run_add_block(r);
	strcpy(r->blocks[0].script, "block.script");
	add_window(r, RUN_BASE, 1, 300, threads ? 240 : NAN, 2e6);
	add_window(r, RUN_BASE, 2, 300, threads ? 180 : NAN, 1e6);
	add_window(r, RUN_PROFILE, 3, 500, threads ? 400 : NAN, 4e6);
	snprintf(path, sizeof(path), "%s/block.script", folder);
	out = fopen(path, "w");
	add_samples(out, 6, TID, 1, 3.1, "veth_xdp_rcv veth_poll");
	add_samples(out, 2, TID, 1, 3.2, "veth_poll");
	add_samples(out, 2, TID, 1, 3.3, "net_rx_action napi_threaded_poll");
	add_samples(out, 3, 1, 7, 3.4, "veth_poll");
	add_samples(out, 3, TID, 1, 2.9, "veth_poll");
	add_samples(out, 3, TID, 1, 3.51, "veth_poll");
	if (cpus > 1)
		add_samples(out, 5, TID, 2, 3.1, "veth_poll");
	fclose(out);
}

static void measure(struct analysis_block *b, const struct run *r, struct shares *shares)
{
	struct block_source source = {.run = r, .dir = folder, .facilities = facilities};
	struct diag d = {""};

	memset(shares, 0, sizeof(*shares));
	analysis_block_init(b, &r->blocks[0]);
	if (block_measure(b, &source, 0, shares, &d))
		fail_msg("%s", d.text);
	script_samples_release(&source.own);
}

static void same(double got, double want)
{
	if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-9 * fmax(1, fabs(want))))
		fail_msg("got %.12g, want %.12g", got, want);
}

struct want {
	double base_ns, by_busy, by_rate, taken_out_ns, busy_pct, profiled_ns, sum_ns, sampled_pct, counted_ns;
	enum analysis_scale scale;
	double ns_per_weight;
};

static void is(const struct analysis_block *b, const struct want *w)
{
	same(b->base_ns, w->base_ns);
	same(b->base_by_busy_ns, w->by_busy);
	same(b->base_by_rate_ns, w->by_rate);
	same(b->taken_out_ns, w->taken_out_ns);
	same(b->busy_pct, w->busy_pct);
	same(b->profiled_ns, w->profiled_ns);
	same(b->sum_ns, w->sum_ns);
	same(b->sampled_busy_pct, w->sampled_pct);
	same(b->counted_ns, w->counted_ns);
	assert_int_equal(b->scale, w->scale);
	same(b->ns_per_weight, w->ns_per_weight);
}

static void test_threads(void **state)
{
	struct analysis_block b;
	struct shares shares;
	struct run_window *w;
	struct run r;

	make_run(&r, "cpu-clock", true, 1);
	measure(&b, &r, &shares);
	/* a fifth of the samples is taken out */
	is(&b, &(struct want){112, 112, 160, 28, 70, 80, 20, 25, NAN, SCALE_TIME, 1});
	same(b.packets, 3e6);
	same(b.span_ns, 600e6);
	same(b.pps, 5e6);
	same(b.busy_ns, 420e6);
	same(b.all_ns, 112);
	same(b.cpu_busy_ns[0], 420e6);
	assert_true(b.samples == 8 && b.cost_weight == 8e7 && b.taken_out_weight == 2e7 && b.idle_weight == 0);
	shares_release(&shares);
	/* a probe's clock says a quarter of the busy time; perf stat had a window of its own */
	w = add_window(&r, RUN_PROBE, 5, 100, 80, 5e5);
	w->softirq_ns = 20e6;
	add_window(&r, RUN_COUNT, 6, 200, 150, 1e6);
	measure(&b, &r, &shares);
	is(&b, &(struct want){105, 105, 150, 35, 70, 75, 20, 25, 112.5, SCALE_TIME, 1});
	same(b.all_ns, 105);
	shares_release(&shares);
	/* a clock that says all of it, or nothing, is not believed */
	for (int all = 0; all < 2; all++) {
		r.blocks[0].windows[3].softirq_ns = all ? 80e6 : 0;
		measure(&b, &r, &shares);
		same(b.base_ns, 112);
		shares_release(&shares);
	}
	/* the samples decide whether anything is taken out, but with a device behind there always is */
	r.blocks[0].windows[3].softirq_ns = 20e6;
	r.blocks[0].script[0] = '\0';
	measure(&b, &r, &shares);
	is(&b, &(struct want){140, 140, 200, 0, 70, 100, NAN, NAN, 150, SCALE_TIME, 1});
	shares_release(&shares);
	r.variants[0].stage = RUN_STAGE_DEVICE;
	measure(&b, &r, &shares);
	same(b.base_ns, 105);
	shares_release(&shares);
	/* without busy time in a window of perf stat, its rate */
	r.blocks[0].windows[4].busy_ns = NAN;
	measure(&b, &r, &shares);
	same(b.counted_ns, 150);
	shares_release(&shares);
	run_release(&r);
}

/* Events whose weights are cycles, or no time at all. */
static void test_events(void **state)
{
	struct analysis_block b;
	struct shares shares;
	struct run r;

	for (int i = 0; i < 3; i++) {
		static const char *const cycles[] = {"cycles", "cpu-cycles:k", "cpu_core/cycles/"};

		make_run(&r, cycles[i], true, 1);
		measure(&b, &r, &shares); /* the frequency is not known */
		is(&b, &(struct want){112, 112, 160, 28, 70, 80, 80, NAN, NAN, SCALE_BUSY, 4});
		shares_release(&shares);
		r.blocks[0].windows[2].freq_khz = 2e6;
		measure(&b, &r, &shares);
		is(&b, &(struct want){112, 112, 160, 28, 70, 80, 10, 12.5, NAN, SCALE_FREQUENCY, 0.5});
		shares_release(&shares);
		run_release(&r);
	}
	make_run(&r, "instructions", true, 1);
	r.blocks[0].windows[2].freq_khz = 2e6;
	measure(&b, &r, &shares);
	is(&b, &(struct want){112, 112, 160, 28, 70, 80, 80, 12.5, NAN, SCALE_SHARES, 4});
	shares_release(&shares);
	run_release(&r);
	make_run(&r, "task-clock", true, 1);
	measure(&b, &r, &shares);
	is(&b, &(struct want){112, 112, 160, 28, 70, 80, 20, 25, NAN, SCALE_TIME, 1});
	shares_release(&shares);
	run_release(&r);
}

/* No kthreads: the samples of the CPU say how busy it was, a fifth of the time. */
static void test_softirqs(void **state)
{
	struct analysis_block b;
	struct shares shares;
	struct run r;

	make_run(&r, "cpu-clock", false, 1);
	measure(&b, &r, &shares);
	is(&b, &(struct want){32, 32, 160, 8, 20, 20, 20, NAN, NAN, SCALE_TIME, 1});
	same(b.busy_ns, 120e6);
	same(b.all_ns, 160);
	same(b.cpu_weight[0], 1e8);
	same(b.cpu_busy_ns[0], 120e6);
	shares_release(&shares);
	r.blocks[0].script[0] = '\0'; /* the rate is all there is */
	measure(&b, &r, &shares);
	is(&b, &(struct want){200, NAN, 200, 0, NAN, 125, NAN, NAN, NAN, SCALE_TIME, 1});
	shares_release(&shares);
	run_release(&r);
}

static void test_two_cpus(void **state)
{
	struct analysis_block b;
	struct shares shares;
	struct run r;

	make_run(&r, "cpu-clock", true, 2);
	measure(&b, &r, &shares);
	/* the kthread was on both: 13 samples of its own, 2 taken out */
	same(b.base_by_busy_ns, 140 * 13. / 15);
	same(b.base_by_rate_ns, 400 * 13. / 15);
	same(b.busy_pct, 35);
	same(b.cpu_busy_ns[0], 315e6);
	same(b.cpu_busy_ns[1], 105e6);
	same(b.cpu_weight[0], 0);
	shares_release(&shares);
	r.blocks[0].windows[1].cpus[0].busy_ns = NAN; /* of CPU 2, not known */
	measure(&b, &r, &shares);
	same(b.cpu_busy_ns[0], 315e6);
	same(b.cpu_busy_ns[1], NAN);
	shares_release(&shares);
	run_release(&r);
	make_run(&r, "cpu-clock", false, 2);
	measure(&b, &r, &shares);
	same(b.cpu_weight[0], 1e8);
	same(b.cpu_weight[1], 5e7);
	same(b.cpu_busy_ns[0], 120e6);
	same(b.cpu_busy_ns[1], 60e6);
	same(b.busy_ns, 180e6);
	same(b.busy_pct, 15);
	same(b.base_by_busy_ns, 60 * 13. / 15);
	shares_release(&shares);
	run_release(&r);
}

/* Shares: one for each symbol of each facility, by weight. */
static void test_shares(void **state)
{
	struct analysis_block b;
	struct shares shares;
	double sum = 0;
	struct run r;

	make_run(&r, "cpu-clock", true, 1);
	measure(&b, &r, &shares);
	assert_int_equal(shares.n, 2);
	for (size_t i = 0; i < shares.n; i++) {
		const struct share *s = &shares.list[i];
		bool rcv = !strcmp(s->name, "veth_xdp_rcv");

		same(s->weight, rcv ? 6e7 : 2e7);
		assert_int_equal(s->samples, rcv ? 6 : 2);
		same(s->children_weight, rcv ? 6e7 : 8e7);
		sum += s->weight;
	}
	same(sum, 8e7);
	shares_release(&shares);
	run_release(&r);
}

/* Nothing is known of a block or a variant that was not filled in, and nothing is 0 by chance. */
static void test_unknown(void **state)
{
	struct run r;
	struct analysis_block b;
	const double *numbers[] = {&b.packets,
				   &b.span_ns,
				   &b.pps,
				   &b.busy_ns,
				   &b.busy_pct,
				   &b.base_ns,
				   &b.base_by_busy_ns,
				   &b.base_by_rate_ns,
				   &b.taken_out_ns,
				   &b.profiled_ns,
				   &b.profiled_packets,
				   &b.ns_per_weight,
				   &b.sum_ns,
				   &b.pace,
				   &b.probe_ns,
				   &b.speed,
				   &b.all_ns,
				   &b.slower_profiled,
				   &b.counted_ns,
				   &b.sampled_busy_pct,
				   &b.z,
				   &b.cpu_busy_ns[0],
				   &b.cpu_busy_ns[RUN_MAX_RX_CPUS - 1]};

	make_run(&r, "cpu-clock", true, 1);
	analysis_block_init(&b, &r.blocks[0]);
	assert_ptr_equal(b.block, &r.blocks[0]);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_true(isnan(*numbers[i]));
	assert_true(b.absent_part == 0 && b.cost_weight == 0 && b.taken_out_weight == 0 && b.idle_weight == 0);
	assert_true(!b.samples && !b.outlier && !b.shares_only && b.fate == FATE_USED && b.cpu_weight[0] == 0);
	run_release(&r);
}

static void test_unknown_variant(void **state)
{
	struct analysis_variant v;
	const double *numbers[] = {
		&v.pps,
		&v.packets,
		&v.base_ns,
		&v.half_ns,
		&v.ci95_ns[0],
		&v.ci95_ns[1],
		&v.scatter_pct,
		&v.base_by_rate_ns,
		&v.base_by_busy_ns,
		&v.busy_pct,
		&v.taken_out_ns,
		&v.overhead_pct,
		&v.overhead_half_pct,
		&v.packets_per_poll,
		&v.refused_pct,
		&v.polls,
		&v.poll_pct[0],
		&v.poll_pct[RUN_POLL_HIST - 1],
		&v.sampled_busy_pct,
		&v.sampled_busy_half_pct,
		&v.waits_ns,
		&v.freq_khz,
		&v.freq_spread_pct,
		&v.steal_pct,
		&v.counting_pct,
		&v.counting_half_pct,
		&v.trend.slope,
		&v.trend.se,
		&v.trend.df,
		&v.trend.p,
		&v.trend.lag1,
		&v.drift_pct,
		&v.drift_half_pct,
		&v.design_effect,
		&v.n_eff,
		&v.unseen_max_ns,
		&v.slow_factor,
		&v.sum_ns,
		&v.ruler_ns,
		&v.slope,
		&v.slope_half,
		&v.unattributed_ns,
		&v.unattributed_half_ns,
		&v.split_ns[0],
		&v.split_ns[1],
		&v.split_half_ns[0],
		&v.split_half_ns[1],
		&v.closure_ns,
		&v.placement_ns,
		&v.slab.fast_ns,
		&v.slab.slow_ns,
		&v.slab.slow_pct,
		&v.stage.ns,
		&v.stage.half_ns,
		&v.stage.ci95_ns[0],
		&v.stage.ci95_ns[1],
		&v.stage.redirected,
		&v.stage.frames,
		&v.stage.dropped,
		&v.stage.dropped_pct,
		&v.stage.missing,
	};

	analysis_variant_init(&v, NULL, NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!isnan(*numbers[i]))
			fail_msg("number %zu is %g", i, *numbers[i]);
	assert_true(v.factor == 1 && !v.samples && !v.nused && !v.nblocks && !v.nsymbols && !v.turns.n);
}

static int begin(void **state)
{
	struct diag d = {""};

	return make_folder(state) || facilities_read(&facilities, "tests/synthetic.conf", &d);
}

static int end(void **state)
{
	facilities_free(facilities);
	return remove_folder(state);
}

/* A window in which the second stage got no frame has none, and not those of the receiver. */
static void test_task_without_frames(void **state)
{
	struct script_samples none = {};
	struct block_source source;
	struct analysis_block b;
	struct shares shares = {};
	struct run r;

	make_run(&r, "cpu-clock", true, 1);
	source = (struct block_source){.run = &r, .dir = folder, .facilities = facilities, .samples = &none};
	r.blocks[0].windows[0].stage_packets = 0;
	r.blocks[0].windows[1].stage_packets = 700;
	for (size_t i = 0; i < 2; i++)
		r.blocks[0].windows[i].stage_busy_ns = 35000;
	analysis_block_init(&b, &r.blocks[0]);
	assert_int_equal(block_measure_task(&b, &source, 0, &shares, NULL), 0);
	same(b.packets, 700);
	same(b.base_ns, 100);
	shares_release(&shares);
	run_release(&r);
}

/* Samples that are kept are those of a script that is gone by the second time. */
static void test_script_read_once(void **state)
{
	struct analysis_scripts kept = {};
	struct analysis_block first, again;
	struct block_source source;
	struct shares shares = {};
	char path[128];
	struct run r;

	make_run(&r, "cpu-clock", true, 1);
	source = (struct block_source){.run = &r, .dir = folder, .facilities = facilities, .kept = &kept};
	analysis_block_init(&first, &r.blocks[0]);
	assert_int_equal(block_measure(&first, &source, 0, &shares, NULL), 0);
	snprintf(path, sizeof(path), "%s/block.script", folder);
	assert_int_equal(remove(path), 0);
	analysis_block_init(&again, &r.blocks[0]);
	assert_int_equal(block_measure(&again, &source, 1, &shares, NULL), 0);
	assert_int_equal(again.samples, 8);
	assert_int_equal(again.samples, first.samples);
	assert_true(again.sum_ns == first.sum_ns && again.taken_out_ns == first.taken_out_ns);
	analysis_scripts_release(&kept);
	shares_release(&shares);
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_softirqs),
		cmocka_unit_test(test_two_cpus),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_unknown_variant),
		cmocka_unit_test(test_script_read_once),
		cmocka_unit_test(test_task_without_frames),
	};

	return cmocka_run_group_tests_name("block", tests, begin, end);
}
