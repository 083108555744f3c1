// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs whose truth is known by construction (tests/synthetic.h) come out of the analysis with that
 * truth.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/analysis/analysis.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

/* A run on disk, read back and analysed. */
struct measured {
	struct run run;
	struct facilities *f;
	struct analysis a;
};

static struct synthetic_options veth(void)
{
	struct synthetic_options o = synthetic_defaults;

	o.variants = synthetic_veth;
	o.nvariants = 3;
	return o;
}

static void measure_with(struct measured *m, const struct synthetic_options *o, const struct analysis_options *ao)
{
	struct diag d = {""};
	char path[128];
	static int number; /* of the directory */

	snprintf(path, sizeof(path), "%s/run%d", folder, number++);
	if (synthetic_write(path, o, &d) || run_read(&m->run, path, &d) ||
	    facilities_read(&m->f, "tests/synthetic.conf", &d) || analysis_build(&m->a, &m->run, path, m->f, ao, &d))
		fail_msg("%s", d.text);
}

static void measure(struct measured *m, const struct synthetic_options *o)
{
	struct analysis_options ao;

	analysis_options_init(&ao);
	measure_with(m, o, &ao);
}

static void measured_release(struct measured *m)
{
	analysis_release(&m->a);
	analysis_release(&m->a);
	facilities_free(m->f);
	run_release(&m->run);
}

static const struct analysis_row *find(const struct analysis_row *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	fail_msg("no row \"%s\"", name);
	return NULL;
}

static void assert_covers(const struct analysis_row *row, double truth)
{
	if (!(row->ci95_ns[0] <= truth && truth <= row->ci95_ns[1]))
		fail_msg("%s: %.3f..%.3f does not cover %.3f", row->name, row->ci95_ns[0], row->ci95_ns[1], truth);
}

/*
 * The costs written into synthetic_native_drop: 80 ns in all, 3 in the program, 52 in the driver,
 * 21 in recycling.
 */
static void test_known_costs_come_out(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	const struct analysis_row *row;
	struct measured m;

	(void)state;
	measure(&m, &o);
	v = analysis_find(&m.a, "drop/no-touch@native", NULL);
	assert_int_equal(v->nused, 12);
	near_to(v->base_ns, 80, 0.3);
	assert_true(v->ci95_ns[0] < 80 && v->ci95_ns[1] > 80);
	near_to(v->pps, 1e9 / 80, 1e9 / 80 * 0.005);
	near_to(v->busy_pct, 100, 1e-9);
	near_to(v->base_by_rate_ns, v->base_by_busy_ns, 1e-9);
	near_to(v->overhead_pct, 0.8, 0.01);
	near_to(v->packets_per_poll, 64, 1e-12);
	near_to(v->taken_out_ns, 0, 0);
	near_to(v->sampled_busy_pct, 100, 0.5);
	near_to(find(v->facilities, v->nfacilities, "BPF program")->self_ns, 3, 0.15);
	near_to(find(v->facilities, v->nfacilities, "driver RX")->self_ns, 52, 0.5);
	near_to(find(v->facilities, v->nfacilities, "page recycling")->self_ns, 21, 0.4);
	row = find(v->symbols, v->nsymbols, "veth_xdp_rcv_one");
	near_to(row->self_ns, 22, 0.4);
	near_to(row->children_ns, 46, 0.5); /* 22 + 3 + 12 + 9 */
	assert_covers(row, 22);
	assert_string_equal(row->facility, "driver RX");
	near_to(find(v->symbols, v->nsymbols, "kthread")->children_ns, 80, 0.3);
	near_to(find(v->symbols, v->nsymbols, "kthread")->self_ns, 0, 0);
	measured_release(&m);
}

/* Sums by hand: what symbols, and what facilities, cost adds up to base, to rounding. */
static void test_closure(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	(void)state;
	measure(&m, &o);
	for (size_t i = 0; i < m.a.nvariants; i++) {
		const struct analysis_variant *v = &m.a.variants[i];
		double symbols = 0, facilities = 0;

		for (size_t k = 0; k < v->nsymbols; k++)
			symbols += v->symbols[k].self_ns;
		for (size_t k = 0; k < v->nfacilities; k++)
			facilities += v->facilities[k].self_ns;
		near_to(symbols + v->unattributed_ns, v->base_ns, 1e-9);
		near_to(facilities + v->unattributed_ns, v->base_ns, 1e-9);
		near_to(v->closure_ns, 0, 1e-9);
	}
	measured_release(&m);
}

/*
 * A row's interval is at least what its blocks scatter, t(11) = 2.201, and at least what counting n samples allows,
 * 1.96·sqrt(p(1-p)/n), both worked out here from the row itself; and hardly more than both and base's together.
 */
static void test_row_intervals(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.scatter_pct = 4;
	measure(&m, &o);
	v = &m.a.variants[0];
	for (size_t i = 0; i < v->nsymbols && v->symbols[i].samples; i++) {
		const struct analysis_row *row = &v->symbols[i];
		double p = row->self_ns / v->base_ns, squares = 0, blocks, counting, base;

		for (size_t b = 0; b < 12; b++)
			squares += pow(row->block_ns[b] - row->self_ns, 2);
		blocks = 2.201 * sqrt(squares / 11 / 12);
		counting = 1.96 * sqrt(p * (1 - p) / (double)v->samples) * v->base_ns;
		base = p * v->half_ns;
		/* Wilson's interval of a small share is shorter downwards */
		assert_true(row->self_ns - row->ci95_ns[0] > fmax(0.97 * blocks, 0.85 * counting));
		assert_true(row->ci95_ns[1] - row->self_ns > 0.97 * fmax(blocks, counting));
		assert_true(row->half_ns < 1.2 * (blocks + counting + base));
	}
	near_to(v->symbols[0].self_ns, 30, 0.5);
	measured_release(&m);
}

#define SKB_FREE "kmem_cache_free sk_skb_reason_drop " SYNTHETIC_SKB

/*
 * One variant whose blocks take turns: 80 ns in both, but kmem_cache_free costs 40 of them itself in one block and
 * calls __slab_free for all of the 40 in the next. Samples of one block are alike, so they say far less than as many
 * independent ones, and the interval has to come from the blocks: 20 -+ t(11)·sd/sqrt(12), sd = 20·sqrt(12/11).
 */
static void test_blocks_that_take_turns(void **state)
{
	static const struct synthetic_stack itself[] = {{40, SYNTHETIC_RCV}, {40, SKB_FREE}};
	static const struct synthetic_stack called[] = {{40, SYNTHETIC_RCV}, {40, "__slab_free " SKB_FREE}};
	static const struct synthetic_variant variants[] = {
		{"drop/no-touch@native", "xdp_drop", "0000000000000001", SYNTHETIC_STACKS(itself)},
		{"drop/no-touch@skb", "xdp_drop", "0000000000000002", SYNTHETIC_STACKS(called)},
	};
	struct synthetic_options o = veth();
	struct analysis_options ao;
	const struct analysis_variant *v;
	const struct analysis_row *row;
	struct diag d = {""};
	struct measured m;
	char path[128];
	size_t rows = 0;

	(void)state;
	o.variants = variants;
	o.nvariants = 2;
	o.scatter_pct = 0;
	snprintf(path, sizeof(path), "%s/turns", folder);
	assert_int_equal(synthetic_write(path, &o, &d), 0);
	assert_int_equal(run_read(&m.run, path, &d), 0);
	assert_int_equal(facilities_read(&m.f, "tests/synthetic.conf", &d), 0);
	for (size_t i = 0; i < m.run.nblocks; i++)
		if (m.run.blocks[i].round % 2)
			m.run.blocks[i].variant = 1 - m.run.blocks[i].variant;
	analysis_options_init(&ao);
	assert_int_equal(analysis_build(&m.a, &m.run, path, m.f, &ao, &d), 0);
	v = &m.a.variants[0];
	assert_true(v->design_effect > 20);
	row = find(v->symbols, v->nsymbols, "kmem_cache_free");
	near_to(row->self_ns, 20, 0.3);
	near_to(row->half_ns, 2.201 * 20 * sqrt(12.0 / 11 / 12), 0.3);
	near_to(row->self_ns - row->ci95_ns[0], row->half_ns, 0.3);
	near_to(row->children_ns, 40, 0.4); /* in every block, as itself or by __slab_free */
	for (size_t i = 0; i < v->nsymbols; i++)
		rows += !strcmp(v->symbols[i].name, "kmem_cache_free");
	assert_int_equal(rows, 1); /* not a second one for the blocks in which it only called */
	measured_release(&m);
}

/* 140 ns of which 40 are the sink's: base 100, and shares are of the 100. */
static void test_sink_is_taken_out(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	measure(&m, &o);
	v = analysis_find(&m.a, "tx/swap-macs@native", NULL);
	near_to(v->base_ns, 100, 0.6);
	near_to(v->taken_out_ns, 40, 0.6);
	near_to(find(v->facilities, v->nfacilities, "TX")->self_ns, 38, 0.6);
	near_to(find(v->symbols, v->nsymbols, "veth_xdp_rcv.constprop.0")->self_ns, 30, 0.5);
	near_to(gate(&v->quality, "tx-returned")->value, 0, 0);
	measured_release(&m);
}

/* A CPU that idles a third of the time: the rate would say 120 ns, busy time still says 80. */
static void test_idle_cpu_costs_busy_time(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.busy = 2.0 / 3;
	measure(&m, &o);
	v = analysis_find(&m.a, "drop/no-touch@native", NULL);
	near_to(v->base_ns, 80, 0.3);
	near_to(v->base_by_rate_ns, 120, 0.6);
	near_to(v->busy_pct, 66.67, 0.01);
	assert_false(gate(&v->quality, "saturation")->ok);
	assert_true(isnan(gate(&v->quality, "rate")->value));
	measured_release(&m);
}

/* They are not in the base; where they are not known, they are, and a receiver that sleeps is said to be measured so.
 */
static void test_waits(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.busy = 2.0 / 3;
	for (o.waits_ns = 0; o.waits_ns < 120; o.waits_ns += 60) {
		measure(&m, &o);
		v = analysis_find(&m.a, "drop/no-touch@native", NULL);
		near_to(v->base_ns, 80, 0.3);
		if (o.waits_ns > 0)
			near_to(v->waits_ns, 60, 0.3);
		else
			assert_true(isnan(v->waits_ns));
		assert_int_equal(strstr(gate(&v->quality, "saturation")->note, "waits after wakeups") != NULL,
				 o.waits_ns == 0);
		measured_release(&m);
	}
}

/* The row that says how busy the receiver was, where packets go on to a task on that CPU, so busy. */
static struct quality_row paced_by_stage(const struct synthetic_options *o, int stage_cpu, double stage_busy,
					 double rate_pps)
{
	struct analysis_options ao;
	struct quality_row row;
	struct diag d = {""};
	struct measured m;
	char path[128];

	snprintf(path, sizeof(path), "%s/paced-%d-%.2f-%.2f-%.0f", folder, stage_cpu, stage_busy, o->busy, rate_pps);
	assert_int_equal(synthetic_write(path, o, &d), 0);
	assert_int_equal(run_read(&m.run, path, &d), 0);
	assert_int_equal(facilities_read(&m.f, "tests/synthetic.conf", &d), 0);
	analysis_options_init(&ao);
	m.run.variants[0].stage = RUN_STAGE_CPU;
	m.run.variants[0].stage_cpu = stage_cpu;
	json_decref(m.run.load);
	m.run.load = json_pack("{s:i, s:f}", "cpu", 1, "rate_pps", rate_pps);
	for (size_t i = 0; i < m.run.nblocks; i++)
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++) {
			struct run_window *w = &m.run.blocks[i].windows[k];

			w->stage_busy_ns = stage_busy * (double)(w->to_ns - w->from_ns);
		}
	assert_int_equal(analysis_build(&m.a, &m.run, path, m.f, &ao, &d), 0);
	row = m.a.variants[0].quality.rows[1];
	measured_release(&m);
	return row;
}

static void test_second_stage_sets_the_pace(void **state)
{
	struct synthetic_options o = veth();
	struct quality_row row;

	(void)state;
	o.busy = 2.0 / 3;
	row = paced_by_stage(&o, 1, 0.5, 0);
	assert_string_equal(row.gate, "second-stage-pace");
	assert_false(row.ok);
	near_to(row.value, 66.67, 0.01);
	assert_non_null(strstr(row.note, "busy for 50 % of the time on the generator's CPU"));
	row = paced_by_stage(&o, 2, 0.95, 0);
	assert_string_equal(row.gate, "second-stage-pace");
	assert_null(strstr(row.note, "generator"));
	/* neither of them waits for it */
	assert_string_equal(paced_by_stage(&o, 2, 0.5, 0).gate, "saturation");
	assert_string_equal(paced_by_stage(&o, 1, 0.5, 1e6).gate, "saturation");
	o.busy = 1;
	assert_string_equal(paced_by_stage(&o, 1, 0.5, 0).gate, "saturation");
}

/* The row that holds samples against busy time, where the kernel's clock ran that much faster in every other block. */
static struct quality_row sampled_against_clock(double even, double odd)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct quality_row row;
	struct diag d = {""};
	struct measured m;
	char path[128];

	snprintf(path, sizeof(path), "%s/clock-%.2f-%.2f", folder, even, odd);
	assert_int_equal(synthetic_write(path, &o, &d), 0);
	assert_int_equal(run_read(&m.run, path, &d), 0);
	assert_int_equal(facilities_read(&m.f, "tests/synthetic.conf", &d), 0);
	for (size_t i = 0; i < m.run.nblocks; i++)
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++)
			m.run.blocks[i].windows[k].busy_ns *= m.run.blocks[i].round % 2 ? odd : even;
	analysis_options_init(&ao);
	assert_int_equal(analysis_build(&m.a, &m.run, path, m.f, &ao, &d), 0);
	row = *gate(&m.a.variants[0].quality, "sampled-busy");
	measured_release(&m);
	return row;
}

static void test_samples_against_the_clock(void **state)
{
	struct quality_row row;

	(void)state;
	assert_true(sampled_against_clock(1, 1).ok);
	row = sampled_against_clock(0.9, 0.9);
	near_to(row.value, 11.1, 0.3);
	assert_false(row.ok);
	row = sampled_against_clock(0.7, 1.2); /* by 43 % more and 17 % less, which chance explains */
	near_to(row.value, 13.1, 0.5);
	assert_true(row.ok);
	assert_non_null(strstr(row.note, "cannot tell"));
}

/* The same without a kernel clock: the busy part comes from samples that are not idle. */
static void test_busy_time_from_samples(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.busy = 2.0 / 3;
	o.threaded = false;
	measure(&m, &o);
	v = analysis_find(&m.a, "drop/no-touch@native", NULL);
	assert_true(v->busy_estimated);
	near_to(v->busy_pct, 66.67, 0.5);
	near_to(v->base_ns, 80, 0.9);
	near_to(find(v->facilities, v->nfacilities, "BPF program")->self_ns, 3, 0.15);
	assert_non_null(strstr(gate(&v->quality, "saturation")->note, "from the samples"));
	measured_release(&m);
}

/* Twelve blocks of one variant: eight near, three far at 1.45 times the cost, one moved. */
static void test_placement_like_with_like(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.nvariants = 1;
	o.placements = "nnnffnnmnfnn";
	measure(&m, &o);
	v = &m.a.variants[0];
	assert_int_equal(m.a.placement.nstrata, 2);
	assert_int_equal(v->nused, 8);
	near_to(v->base_ns, 80, 0.4);
	assert_int_equal(v->shares[1].blocks, 3);
	near_to(v->shares[1].base_ns, 116, 1);
	assert_true(gate(&v->quality, "placement")->ok);
	assert_non_null(strstr(gate(&v->quality, "placement")->note, "4 of 12 blocks set aside: 3 far (116"));
	measured_release(&m);

	analysis_options_init(&ao);
	ao.placement = PLACEMENT_FAR;
	measure_with(&m, &o, &ao);
	assert_int_equal(m.a.variants[0].nused, 3);
	near_to(m.a.variants[0].base_ns, 116, 1);
	measured_release(&m);
	ao.placement = PLACEMENT_ALL;
	measure_with(&m, &o, &ao);
	assert_int_equal(m.a.variants[0].nused, 12);
	assert_false(gate(&m.a.variants[0].quality, "placement")->ok);
	measured_release(&m);
	ao.placement = PLACEMENT_AUTO;
	ao.placement_like_ns = 190;
	measure_with(&m, &o, &ao);
	assert_int_equal(m.a.variants[0].nused, 3);
	measured_release(&m);
}

/* Two near, two far, two moved: no stratum has three blocks, so all count and the gate says so. */
static void test_placement_too_few(void **state)
{
	struct synthetic_options o = veth();
	const struct quality_row *row;
	struct measured m;

	(void)state;
	o.nvariants = 1;
	o.rounds = 6;
	o.placements = "nfmmfn";
	measure(&m, &o);
	assert_int_equal(m.a.variants[0].nused, 6);
	assert_true(m.a.variants[0].strata_mixed);
	row = gate(&m.a.variants[0].quality, "placement");
	assert_false(row->ok);
	near_to(row->value, 100.0 / 3, 1e-9);
	measured_release(&m);
}

/* One block of a probed run was not probed: set aside, and not called moved. */
static void test_one_block_unprobed(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	struct measured m;
	char path[128];

	(void)state;
	o.nvariants = 1;
	snprintf(path, sizeof(path), "%s/unprobed", folder);
	assert_int_equal(synthetic_write(path, &o, &d), 0);
	assert_int_equal(run_read(&m.run, path, &d), 0);
	assert_int_equal(facilities_read(&m.f, "tests/synthetic.conf", &d), 0);
	m.run.blocks[4].placement_ns[0] = m.run.blocks[4].placement_ns[1] = -1;
	m.run.blocks[5].placement_ns[0] = -1; /* half a probe is one */
	analysis_options_init(&ao);
	assert_int_equal(analysis_build(&m.a, &m.run, path, m.f, &ao, &d), 0);
	assert_int_equal(m.a.variants[0].nused, 11);
	assert_non_null(strstr(gate(&m.a.variants[0].quality, "placement")->note, "1 not probed ("));
	measured_release(&m);
}

static void test_no_probe_is_one_stratum(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	(void)state;
	o.near_ns = 0;
	measure(&m, &o);
	assert_int_equal(m.a.variants[0].nused, 12);
	assert_true(gate(&m.a.variants[0].quality, "placement")->ok);
	assert_true(isnan(m.a.variants[0].placement_ns));
	measured_release(&m);
}

/* A run without any profile still has bases; everything is unattributed. */
static void test_without_samples(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.period_ns = 1e12;
	measure(&m, &o);
	v = &m.a.variants[0];
	assert_int_equal(v->nused, 12);
	near_to(v->base_ns, 80, 0.3);
	near_to(v->unattributed_ns, v->base_ns, 0);
	near_to(v->closure_ns, 0, 1e-12);
	assert_int_equal(v->nsymbols, 0);
	measured_release(&m);
}

/* Gates on what was counted: each broken on purpose in the struct, before the analysis. */
static void analyse_broken(struct measured *m, void (*breaker)(struct run *r))
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	char path[128];

	analysis_options_init(&ao);
	measure(m, &o);
	analysis_release(&m->a);
	breaker(&m->run);
	snprintf(path, sizeof(path), "%s/broken", folder);
	for (size_t i = 0; i < m->run.nblocks; i++)
		m->run.blocks[i].script[0] = '\0';
	if (analysis_build(&m->a, &m->run, path, m->f, &ao, &d))
		fail_msg("%s", d.text);
}

static void lose_packets(struct run *r)
{
	r->blocks[0].totals.gen_sent += 5;
}

/* Lost, but a counter names them. */
static void drop_by_name(struct run *r)
{
	r->blocks[0].totals.gen_sent += 7;
	r->blocks[0].totals.rx_named_drops = 7;
}

static void wrong_mode(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		strcpy(r->blocks[i].mode_found, "skb");
}

static void lose_tx(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		r->blocks[i].totals.sink_frames -= r->blocks[i].totals.sink_frames / 2;
}

static void tx_errors(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++) {
		r->blocks[i].totals.sink_frames = -1; /* nobody counts at the other end */
		r->blocks[i].totals.tx_errors = 3;
	}
}

/* A NIC: nobody counts at the other end, and its driver names no errors. */
static void on_a_nic(struct run *r, int64_t tx_sent_short, int64_t link_sent_short)
{
	json_decref(r->device);
	r->device = json_pack("{s:s, s:{s:i}}", "name", "eth0", "rings", "tx", 256);
	for (size_t i = 0; i < r->nblocks; i++) {
		struct run_totals *t = &r->blocks[i].totals;

		t->sink_frames = t->tx_errors = -1;
		t->tx_sent = tx_sent_short < 0 ? -1 : t->tx_verdicts - tx_sent_short;
		t->link_sent = t->tx_verdicts - link_sent_short;
	}
}

static void driver_sent_less(struct run *r)
{
	on_a_nic(r, 4, 0);
}

static void link_sent_less(struct run *r)
{
	on_a_nic(r, -1, 257);
}

/* What a ring holds when the counter of completed frames is read. */
static void link_lags(struct run *r)
{
	on_a_nic(r, -1, 256);
}

/* Somebody else's frames go out there as well. */
static void link_sent_more(struct run *r)
{
	on_a_nic(r, -1, -1000);
}

static void stop_early(struct run *r)
{
	strcpy(r->ended, "interrupted");
}

static void other_cpu(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		r->blocks[i].windows[0].cpus[0].cpu = 0;
}

static void one_odd_block(struct run *r)
{
	for (size_t i = 0; i < r->blocks[0].nwindows; i++)
		r->blocks[0].windows[i].cpus[0].verdicts[RUN_DROP] /= 2;
}

static void warm_up(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		r->blocks[i].windows[0].busy_ns *= 1.05;
}

static void no_packets(struct run *r)
{
	for (size_t i = 0; i < r->blocks[0].nwindows; i++)
		r->blocks[0].windows[i].cpus[0].verdicts[RUN_DROP] = 0;
}

static void test_gates(void **state)
{
	static const struct {
		void (*breaker)(struct run *r);
		size_t variant;
		const char *gate;
		double value, within;
		const char *saying;
	} cases[] = {
		{lose_packets, 0, "conservation", 5, 0, "without a counter"},
		{wrong_mode, 0, "mode", 12, 0, "found skb"},
		{tx_errors, 2, "tx-returned", 3, 0, "did not leave"},
		{lose_tx, 2, "tx-returned", 1, 1e9, "did not leave"},
		{driver_sent_less, 2, "tx-returned", 4, 0, "did not leave"},
		{link_sent_less, 2, "tx-returned", 257, 0, "did not leave"},
		{other_cpu, 0, "cpus", 1, 0, "packets on 2 CPUs, 1 measured"},
		{warm_up, 0, "drift", 5, 0.3, "warm-up"},
	};
	struct measured m;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quality_row *row;

		analyse_broken(&m, cases[i].breaker);
		row = gate(&m.a.variants[cases[i].variant].quality, cases[i].gate);
		assert_false(row->ok);
		near_to(row->value, cases[i].value, cases[i].within);
		assert_non_null(strstr(row->note, cases[i].saying));
		measured_release(&m);
	}
	analyse_broken(&m, stop_early);
	assert_false(gate(&m.a.quality, "ended")->ok);
	assert_non_null(strstr(gate(&m.a.quality, "ended")->note, "interrupted"));
	measured_release(&m);
	analyse_broken(&m, drop_by_name);
	near_to(gate(&m.a.variants[0].quality, "conservation")->value, 0, 0);
	measured_release(&m);
	analyse_broken(&m, link_lags);
	near_to(gate(&m.a.variants[2].quality, "tx-returned")->value, 0, 0);
	measured_release(&m);
	analyse_broken(&m, link_sent_more);
	near_to(gate(&m.a.variants[2].quality, "tx-returned")->value, 0, 0);
	measured_release(&m);
	analyse_broken(&m, one_odd_block);
	assert_true(m.a.variants[0].blocks[0].outlier);
	assert_int_equal(m.a.variants[0].nused, 12); /* flagged, kept */
	near_to(gate(&m.a.variants[0].quality, "outliers")->value, 100.0 / 12, 1e-9);
	measured_release(&m);
	analyse_broken(&m, no_packets);
	assert_int_equal(m.a.variants[0].nused, 11);
	assert_non_null(strstr(gate(&m.a.variants[0].quality, "blocks")->note, "1 without packets set aside"));
	measured_release(&m);
}

/* Half a second with 1000 packets a window; one counter is lost sight of, one stands still in half of the windows. */
static void count_on_the_device(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_counters *c = &r->blocks[i].windows[k].counters;

			if (r->blocks[i].windows[k].kind != RUN_BASE)
				continue;
			*c = (struct run_counters){.from_ns = 1, .to_ns = 500000001, .packets = 1000};
			counters_append(&c->changed, COUNTER_LINK, "rx_packets", 10, 1000, true);
			counters_append(&c->changed, COUNTER_ETHTOOL, "rx_a", 4, 2000, true);
			counters_append(&c->changed, COUNTER_ETHTOOL, "rx_z", 4, 5, k > 0);
			if (k == 0)
				counters_append(&c->changed, COUNTER_ETHTOOL, "rx_discards_phy", 15, 500, true);
		}
}

static void test_device_counters(void **state)
{
	const struct analysis_counter *c;
	struct measured m;

	(void)state;
	analyse_broken(&m, count_on_the_device);
	assert_int_equal(m.a.variants[0].ncounters, 4);
	c = m.a.variants[0].counters; /* losses first, then the driver's by name, then the link's */
	assert_string_equal(c[0].name, "rx_discards_phy");
	near_to(c[0].per_second, 500, 1e-9);
	near_to(c[0].per_packet, 0.25, 1e-12);
	assert_string_equal(c[1].name, "rx_a");
	near_to(c[1].per_second, 4000, 1e-9);
	near_to(c[1].per_packet, 2, 1e-12);
	assert_string_equal(c[2].name, "rx_z");
	assert_true(isnan(c[2].per_second) && isnan(c[2].per_packet));
	assert_true(c[3].source == COUNTER_LINK);
	near_to(c[3].per_packet, 1, 1e-12);
	measured_release(&m);
}

/* 4 + 10 ns of fast path and 6 of slow path, in names of 6.1 and 6.18; and names that only look like the allocator's.
 */
static void test_slab_paths(void **state)
{
	static const struct synthetic_stack stacks[] = {
		{4, "kmem_cache_alloc_noprof __build_skb " SYNTHETIC_RCV},
		{10, "kmem_cache_free.part.0 skb_release_data " SYNTHETIC_RCV},
		{4, "__slab_free kmem_cache_free " SYNTHETIC_RCV},
		{2, "__pcs_replace_full_main kmem_cache_free " SYNTHETIC_RCV},
		{20, "slab_build_skb " SYNTHETIC_RCV},
		{20, "kfree_skbmem " SYNTHETIC_RCV},
		{20, "kmalloc_reserve " SYNTHETIC_RCV},
	};
	static const struct synthetic_variant variants[] = {
		{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(stacks)},
	};
	struct synthetic_options o = veth();
	const struct analysis_slab *slab;
	struct measured m;

	(void)state;
	o.variants = variants;
	o.nvariants = 1;
	measure(&m, &o);
	slab = &m.a.variants[0].slab;
	near_to(slab->fast_ns, 14, 0.5);
	near_to(slab->slow_ns, 6, 0.5);
	near_to(slab->slow_pct, 30, 2);
	assert_string_equal(slab->slowest, "__slab_free");
	measured_release(&m);
	o.variants = synthetic_veth;
	measure(&m, &o);
	assert_int_equal(m.a.variants[0].slab.samples, 0);
	measured_release(&m);
}

/* perf counted longer than the packets were counted; one group shared its counters; one event is not there. */
/* 7 ns of a clock per packet; perf counted twice as long as packets were counted, in every second block. */
static void add_clock(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_window *w = &r->blocks[i].windows[k];
			double factor = i % 2 ? 2 : 1, packets = 0;
			struct run_event *e;

			for (size_t n = 0; n < w->ncpus; n++)
				packets += (double)w->cpus[n].verdicts[RUN_DROP];
			if (w->kind != RUN_BASE || !(packets > 0))
				continue;
			e = run_add_event(w);
			assert_non_null(e);
			strcpy(e->name, "cpu-clock");
			strcpy(e->unit, "msec");
			e->count = 7 * packets * factor / 1e6;
			e->running_pct = 100;
			e->enabled_ns = factor * (double)(w->to_ns - w->from_ns);
		}
}

static void test_clock_per_packet(void **state)
{
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	analyse_broken(&m, add_clock);
	v = &m.a.variants[0];
	assert_int_equal(v->nevents, 1);
	assert_string_equal(v->events[0].unit, "ns");
	near_to(v->events[0].per_packet, 7, 1e-6);
	near_to(v->events[0].half, 0, 1e-6);
	measured_release(&m);
}

static void test_events_per_packet(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.counted = true;
	o.windows = 4;
	measure(&m, &o);
	v = &m.a.variants[0];
	assert_int_equal(v->nevents, 4);
	assert_string_equal(v->events[0].name, "cycles");
	near_to(v->events[0].per_packet, 3 * v->base_ns, 0.01 * v->base_ns);
	near_to(v->events[1].per_cycle, 2, 0.001);
	assert_true(v->events[0].half > 0 && v->events[0].running_pct == 100);
	near_to(v->events[2].per_packet, v->base_ns / 1000, 0.01 * v->base_ns / 1000);
	near_to(v->events[2].running_pct, 66.67, 1e-9);
	assert_true(isnan(v->events[3].per_packet) && isnan(v->events[3].half));
	near_to(v->counting_pct, 0.2, 0.05);
	assert_true(v->base_ns > 0 && v->nused == 12); /* count windows are not part of the base */
	near_to(v->packets, m.a.variants[0].used[0]->packets * 12, 0.01 * v->packets);
	measured_release(&m);
	o.counted = false;
	measure(&m, &o);
	assert_true(m.a.variants[0].nevents == 0 && isnan(m.a.variants[0].counting_pct));
	measured_release(&m);
}

/* Neither a kernel clock nor an event that measures time: the base is by rate, and the gate says so. */
static void test_busy_time_unknown(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	o.threaded = false;
	measure(&m, &o);
	analysis_release(&m.a);
	strcpy(m.run.event, "cycles");
	for (size_t i = 0; i < m.run.nblocks; i++)
		m.run.blocks[i].script[0] = '\0';
	analysis_options_init(&ao);
	assert_int_equal(analysis_build(&m.a, &m.run, folder, m.f, &ao, &d), 0);
	v = &m.a.variants[0];
	assert_true(isnan(v->busy_pct) && isnan(v->base_by_busy_ns));
	near_to(v->base_ns, 80, 0.4);
	assert_false(gate(&v->quality, "saturation")->ok);
	assert_non_null(strstr(gate(&v->quality, "saturation")->note, "by rate"));
	measured_release(&m);
}

/* Samples in cycles of a CPU at 1 GHz that works two thirds of the time. */
static void test_busy_time_from_cycles(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	struct measured m;
	char path[128];

	(void)state;
	o.threaded = false;
	o.busy = 2.0 / 3;
	snprintf(path, sizeof(path), "%s/cycles", folder);
	assert_int_equal(synthetic_write(path, &o, &d), 0);
	assert_int_equal(run_read(&m.run, path, &d), 0);
	assert_int_equal(facilities_read(&m.f, "tests/synthetic.conf", &d), 0);
	strcpy(m.run.event, "cycles");
	for (size_t i = 0; i < m.run.nblocks; i++)
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++)
			m.run.blocks[i].windows[k].freq_khz = 1e6; /* a weight of 1 in the texts is 1 ns */
	analysis_options_init(&ao);
	assert_int_equal(analysis_build(&m.a, &m.run, path, m.f, &ao, &d), 0);
	near_to(m.a.variants[0].busy_pct, 66.67, 0.5);
	near_to(m.a.variants[0].base_ns, 80, 0.9);
	assert_true(gate(&m.a.variants[0].quality, "frequency")->ok);
	measured_release(&m);
}

/* A third of the packets on another CPU, one in a thousand on yet another: two receivers, the second one told. */
static void two_cpus(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_window *w = &r->blocks[i].windows[k];
			uint64_t packets = w->cpus[0].verdicts[RUN_DROP];

			run_add_cpu(w, 300)->verdicts[RUN_DROP] = packets / 3;
			run_add_cpu(w, 7)->verdicts[RUN_DROP] = packets / 1000;
			w->cpus[0].verdicts[RUN_DROP] -= packets / 3 + packets / 1000;
		}
}

/* Three with as many packets each, and a fourth with a few more. */
static void four_cpus(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_window *w = &r->blocks[i].windows[k];
			uint64_t packets = w->cpus[0].verdicts[RUN_DROP];

			w->cpus[0].verdicts[RUN_DROP] = packets / 5;
			run_add_cpu(w, 9)->verdicts[RUN_DROP] = packets / 5;
			run_add_cpu(w, 0)->verdicts[RUN_DROP] = packets / 5;
			run_add_cpu(w, 5)->verdicts[RUN_DROP] = packets - 3 * (packets / 5);
		}
}

/* Most packets first, and where they are equal the lower number. */
static void test_order_of_receivers(void **state)
{
	const int want[] = {5, 0, 1, 9};
	struct measured m;

	(void)state;
	analyse_broken(&m, four_cpus);
	assert_int_equal(m.a.variants[0].ncpus, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(m.a.variants[0].cpus[i].cpu, want[i]);
	measured_release(&m);
}

static void test_receivers_one_by_one(void **state)
{
	const struct analysis_variant *v;
	struct measured m;

	(void)state;
	analyse_broken(&m, two_cpus);
	v = &m.a.variants[0];
	assert_int_equal(v->ncpus, 2);
	assert_int_equal(v->cpus[0].cpu, 1);
	assert_int_equal(v->cpus[1].cpu, 300);
	near_to(v->cpus[1].packets / v->packets, 1.0 / 3, 1e-6);
	near_to(v->cpus[1].pps, v->pps / 3, 10);
	near_to(v->cpus[0].busy_pct, 100, 1e-9);
	near_to(v->cpus[0].base_ns, v->base_ns / (2.0 / 3 - 0.001),
		0.01); /* all the busy time, and two thirds of the packets */
	assert_true(isnan(v->cpus[1].busy_pct) && isnan(v->cpus[1].base_ns));
	assert_false(gate(&v->quality, "cpus")->ok); /* only one was measured */
	near_to(v->base_ns, 80, 0.3);
	measured_release(&m);
}

static void test_a_sound_run_passes(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	(void)state;
	measure(&m, &o);
	for (size_t i = 0; i < m.a.nvariants; i++)
		for (size_t k = 0; k < m.a.variants[i].quality.nrows; k++)
			if (!m.a.variants[i].quality.rows[k].ok)
				fail_msg("%s: %s", m.a.variants[i].quality.rows[k].gate,
					 m.a.variants[i].quality.rows[k].note);
	assert_int_equal(quality_failed(&m.a.quality), 0);
	measured_release(&m);
}

static void test_limits(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	struct measured m;

	(void)state;
	analysis_options_init(&ao);
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=0.5", &d), 0);
	assert_int_equal(quality_limits_parse(&ao.limits, "overhed=0.5", &d), -EINVAL);
	d.text[0] = '\0';
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=0.5x", &d), -EINVAL);
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=", &d), -EINVAL);
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=nan", &d), -EINVAL);
	measure_with(&m, &o, &ao);
	assert_false(gate(&m.a.variants[0].quality, "overhead")->ok);
	near_to(gate(&m.a.variants[0].quality, "overhead")->limit, 0.5, 0);
	measured_release(&m);
}

static void test_limit_within_chance(void **state)
{
	static const struct {
		double value, half;
		bool ok, tell;
	} cases[] = {
		{1.9, 0.5, true, false}, {2.4, 0.5, true, true}, {2.6, 0.5, false, false}, {2.4, NAN, false, false}};
	struct quality_limits l = {0};
	struct quality q = {0};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(quality_add_spread(&q, &l, QUALITY_OVERHEAD, "v", cases[i].value, cases[i].half), 0);
		assert_int_equal(q.rows[i].ok, cases[i].ok);
		assert_int_equal(q.rows[i].tell, cases[i].tell);
	}
	assert_string_equal(q.rows[1].note, "2.4 ± 0.5 %; these blocks cannot tell whether that is beyond 2");
	assert_non_null(strstr(q.rows[2].note, "± 0.5 %; profiling slows"));
	quality_release(&q);
}

static void test_unknown_variant_lists_known(void **state)
{
	struct synthetic_options o = veth();
	struct diag d = {""};
	struct measured m;

	(void)state;
	measure(&m, &o);
	assert_null(analysis_find(&m.a, "drop/no-touch@hw", &d));
	assert_string_equal(d.text, "the run has no variant \"drop/no-touch@hw\"; it has: drop/no-touch@native "
				    "drop/no-touch@skb tx/swap-macs@native");
	measured_release(&m);
}

static void test_missing_perf_text(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	struct measured m;

	(void)state;
	measure(&m, &o);
	analysis_release(&m.a);
	analysis_options_init(&ao);
	assert_int_equal(analysis_build(&m.a, &m.run, "/nonexistent", m.f, &ao, &d), -ENOENT);
	assert_string_equal(d.text, "/nonexistent/blocks/000.script: No such file or directory");
	assert_null(m.a.variants);
	measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_costs_come_out),
		cmocka_unit_test(test_closure),
		cmocka_unit_test(test_row_intervals),
		cmocka_unit_test(test_blocks_that_take_turns),
		cmocka_unit_test(test_sink_is_taken_out),
		cmocka_unit_test(test_idle_cpu_costs_busy_time),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_second_stage_sets_the_pace),
		cmocka_unit_test(test_samples_against_the_clock),
		cmocka_unit_test(test_busy_time_from_samples),
		cmocka_unit_test(test_busy_time_unknown),
		cmocka_unit_test(test_busy_time_from_cycles),
		cmocka_unit_test(test_placement_like_with_like),
		cmocka_unit_test(test_placement_too_few),
		cmocka_unit_test(test_one_block_unprobed),
		cmocka_unit_test(test_no_probe_is_one_stratum),
		cmocka_unit_test(test_without_samples),
		cmocka_unit_test(test_gates),
		cmocka_unit_test(test_device_counters),
		cmocka_unit_test(test_slab_paths),
		cmocka_unit_test(test_events_per_packet),
		cmocka_unit_test(test_clock_per_packet),
		cmocka_unit_test(test_receivers_one_by_one),
		cmocka_unit_test(test_order_of_receivers),
		cmocka_unit_test(test_a_sound_run_passes),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_limit_within_chance),
		cmocka_unit_test(test_unknown_variant_lists_known),
		cmocka_unit_test(test_missing_perf_text),
	};

	return cmocka_run_group_tests_name("analysis", tests, make_folder, remove_folder);
}
