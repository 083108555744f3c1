// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs whose truth is known by construction (tests/synthetic.h) come out of the analysis with that truth.
 */
#include "reports/run/run.h"
#include "tests/unit/measured.h"

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
	near_to(row_named(v->facilities, v->nfacilities, "BPF program")->self_ns, 3, 0.15);
	near_to(row_named(v->facilities, v->nfacilities, "driver RX")->self_ns, 52.4, 0.5);
	near_to(row_named(v->facilities, v->nfacilities, "page recycling")->self_ns, 21, 0.4);
	row = row_named(v->symbols, v->nsymbols, "veth_xdp_rcv_one");
	near_to(row->self_ns, 22, 0.4);
	near_to(row->children_ns, 46, 0.5); /* 22 + 3 + 12 + 9 */
	assert_covers(row, 22);
	assert_string_equal(row->facility, "driver RX");
	near_to(row_named(v->symbols, v->nsymbols, "kthread")->children_ns, 80.64, 0.4);
	near_to(row_named(v->symbols, v->nsymbols, "kthread")->self_ns, 0, 0);
	measured_release(&m);
}

/* Sums by hand: what symbols, and what facilities, cost adds up to base, to rounding. */
static void test_closure(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

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
		/* samples hold what profiling costs, 0.8 %, and a sample more or less */
		near_to(v->unattributed_ns, -0.008 * v->base_ns, 0.015 * v->base_ns);
		assert_true(v->unattributed_ns != 0 && v->unattributed_half_ns > 0);
		for (int k = 0; k < 2; k++) {
			near_to(v->split_ns[k], v->unattributed_ns,
				0.015 * v->base_ns); /* blocks take turns by 1.2 % */
			assert_true(v->split_half_ns[k] > 0 && v->split_ns[k] != v->unattributed_ns);
		}
		near_to((v->split_ns[0] + v->split_ns[1]) / 2, v->unattributed_ns, 1e-9); /* six blocks each */
	}
	measured_release(&m);
}

/* Half of the samples are gone, and the base is what it was: only the rest shows it. Scaled, the rows hide it. */
static void test_missing_samples_are_unattributed(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	const struct analysis_variant *v;
	struct measured m;

	o.busy = 0.5; /* every second sample is taken elsewhere, */
	measured_record(&m, &o);
	for (size_t i = 0; i < m.run.nblocks; i++)
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++)
			m.run.blocks[i].windows[k].busy_ns *= 2; /* and the clock had the CPU busy all the time */
	measured_analyse(&m, NULL);
	v = &m.a.variants[0];
	near_to(v->base_ns, 160, 0.6);
	near_to(v->unattributed_ns, 80, 1.5);
	near_to(row_named(v->facilities, v->nfacilities, "driver RX")->self_ns, 52, 1.5);
	near_to(row_named(v->facilities, v->nfacilities, "driver RX")->self_pct, 65, 1);
	assert_true(v->unattributed_ns - v->unattributed_half_ns > 70 && v->split_ns[0] > 70);
	analysis_release(&m.a);

	ao = (struct analysis_options){};
	ao.scaled = true;
	measured_analyse(&m, &ao);
	v = &m.a.variants[0];
	near_to(v->factor, 2, 0.05);
	near_to(v->unattributed_ns, 0, 0);
	near_to(analysis_sum_rows(v->symbols, v->nsymbols), v->base_ns, 1e-9);
	near_to(row_named(v->facilities, v->nfacilities, "driver RX")->self_ns, 104, 2);
	assert_true(v->split_ns[0] > 70); /* measured all the same */
	measured_release(&m);
}

/* 101 turns that cost 10 to 110 ns; those of another variant, profiled ones and empty ones count for nothing. */
static void test_turns(void **state)
{
	struct synthetic_options o = veth();
	struct run_turns turns = {};
	struct diag d = {""};
	struct measured m;

	measured_record(&m, &o);
	for (uint32_t i = 0; i <= 100; i++) {
		struct run_turn one = {.start_ns = 1000000 * (i + 1), .wall_ns = 1000, .packets = 10};

		one.own_ns = 10 * (110 - i);
		assert_int_equal(turns_add(&turns, &one, 1), 0);
		one = (struct run_turn){.start_ns = one.start_ns + 2000, .wall_ns = 1000, .own_ns = 9, .packets = 1};
		one.variant = i % 2;
		one.use = i % 2 ? TURN_BASE : TURN_PROFILE;
		assert_int_equal(turns_add(&turns, &one, 1), 0);
	}
	assert_int_equal(turns_write(&turns, m.path, &d), 0);
	turns_release(&turns);
	measured_analyse(&m, NULL);
	assert_int_equal(m.a.variants[0].turns.n, 101);
	near_to(m.a.variants[0].turns.ns[0], 11, 1e-9);
	near_to(m.a.variants[0].turns.ns[1], 35, 1e-9);
	near_to(m.a.variants[0].turns.ns[2], 60, 1e-9);
	near_to(m.a.variants[0].turns.ns[4], 109, 1e-9);
	near_to(m.a.variants[0].turns.longest_ns, 110, 1e-9);
	assert_int_equal(m.a.variants[1].turns.n, 50);
	assert_int_equal(m.a.variants[2].turns.n, 0);
	measured_release(&m);
}

static void name_event(struct run *r, const char *event, double freq_khz)
{
	snprintf(r->event, sizeof(r->event), "%s", event);
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++)
			r->blocks[i].windows[k].freq_khz = freq_khz;
}

/* The same samples as cycles at 1 GHz and at 2 GHz, and as an event of which nothing is known. */
static void test_weights_that_are_no_time(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	measured_record(&m, &o);
	name_event(&m.run, "cycles", 1e6);
	measured_analyse(&m, NULL);
	assert_int_equal(m.a.variants[0].scale, SCALE_FREQUENCY);
	near_to(m.a.variants[0].unattributed_ns, -0.64, 0.5);
	analysis_release(&m.a);
	name_event(&m.run, "cycles", 2e6);
	measured_analyse(&m, NULL);
	near_to(m.a.variants[0].unattributed_ns, 40, 1);
	analysis_release(&m.a);
	name_event(&m.run, "instructions", -1);
	measured_analyse(&m, NULL);
	assert_int_equal(m.a.variants[0].scale, SCALE_SHARES);
	near_to(m.a.variants[0].unattributed_ns, -0.64, 0.01); /* what profiling costs, and no sampling */
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
	const struct analysis_variant *v;
	const struct analysis_row *row;
	struct measured m;
	size_t rows = 0;

	o.variants = variants;
	o.nvariants = 2;
	o.scatter_pct = 0;
	measured_record(&m, &o);
	for (size_t i = 0; i < m.run.nblocks; i++)
		if (m.run.blocks[i].round % 2)
			m.run.blocks[i].variant = 1 - m.run.blocks[i].variant;
	measured_analyse(&m, NULL);
	v = &m.a.variants[0];
	assert_true(v->design_effect > 20);
	row = row_named(v->symbols, v->nsymbols, "kmem_cache_free");
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

	measure(&m, &o);
	v = analysis_find(&m.a, "tx/swap-macs@native", NULL);
	near_to(v->base_ns, 100, 0.6);
	near_to(v->taken_out_ns, 40, 0.6);
	near_to(row_named(v->facilities, v->nfacilities, "TX")->self_ns, 38, 0.6);
	near_to(row_named(v->symbols, v->nsymbols, "veth_xdp_rcv.constprop.0")->self_ns, 30, 0.5);
	near_to(gate(&v->quality, "tx-returned")->value, 0, 0);
	measured_release(&m);
}

/* A run without any profile still has bases; everything is unattributed. */
static void test_without_samples(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	o.period_ns = 1e12;
	measure(&m, &o);
	v = &m.a.variants[0];
	assert_int_equal(v->nused, 12);
	near_to(v->base_ns, 80, 0.3);
	near_to(v->unattributed_ns, v->base_ns, 0);
	assert_true(isnan(v->closure_ns));
	assert_int_equal(v->nsymbols, 0);
	assert_true(v->weight_effect == 1 && v->design_effect == 1 && v->n_eff == 0);
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

	measured_broken(&m, add_clock);
	v = &m.a.variants[0];
	assert_int_equal(v->nevents, 1);
	assert_string_equal(v->events[0].unit, "ns");
	near_to(v->events[0].per_packet, 7, 1e-6);
	near_to(v->events[0].half, 0, 1e-6);
	measured_release(&m);
}

/* perf counted longer than the packets were counted; one group shared its counters; one event is not there. */
static void test_events_per_packet(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

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

static void test_unknown_variant_lists_known(void **state)
{
	struct synthetic_options o = veth();
	struct diag d = {""};
	struct measured m;

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

	measure(&m, &o);
	analysis_release(&m.a);
	ao = (struct analysis_options){};
	assert_int_equal(analysis_build(&m.a, &m.run, "/nonexistent", m.f, &ao, &d), -ENOENT);
	assert_string_equal(d.text, "/nonexistent/blocks/000.script: No such file or directory");
	assert_null(m.a.variants);
	measured_release(&m);
}

static void count_to_the_limit(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++) {
		struct run_totals *t = &r->blocks[i].totals;

		t->gen_sent = t->gen_errors = t->rx_seen = t->stray = t->rx_named_drops = INT64_MAX - 1;
		t->tx_sent = t->tx_verdicts = t->tx_errors = INT64_MAX - 1;
	}
}

/* The sanitizers of this test see a sum that overflows. */
static void test_counts_at_their_limit(void **state)
{
	struct measured m;

	measured_broken(&m, count_to_the_limit);
	near_to(m.a.variants[0].refused_pct, 50, 1e-9);
	measured_release(&m);
}

/* A watch that timed nothing in all blocks of the first variant, and in all but one of the second. */
static void time_nothing(struct run *r)
{
	bool kept = false;

	r->view = RUN_VIEW_WATCH;
	for (size_t i = 0; i < r->nblocks; i++) {
		bool keep = r->blocks[i].variant == 1 && !kept;

		for (size_t k = 0; k < r->blocks[i].nwindows && !keep; k++)
			r->blocks[i].windows[k].busy_ns = NAN;
		kept |= keep;
	}
}

/* Packets that come seldom are not dear: no base by rate. */
static void test_watch_that_timed_nothing(void **state)
{
	struct measured m;
	double all = 0, ns = 0;

	measured_broken(&m, time_nothing);
	assert_int_equal(m.a.variants[0].nused, 0);
	assert_true(isnan(m.a.variants[0].base_ns));
	assert_int_equal(m.a.variants[1].nused, 1);
	assert_true(m.a.variants[1].base_ns > 0);
	for (size_t i = 0; i < m.a.variants[1].nblocks; i++) {
		all += m.a.variants[1].blocks[i].packets;
		ns += m.a.variants[1].blocks[i].span_ns;
	}
	near_to(m.a.variants[1].pps, 1e9 * all / ns, 1e-6); /* of all blocks that it saw */
	assert_true(m.a.variants[0].pps > 0);
	measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_costs_come_out),
		cmocka_unit_test(test_closure),
		cmocka_unit_test(test_missing_samples_are_unattributed),
		cmocka_unit_test(test_weights_that_are_no_time),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_row_intervals),
		cmocka_unit_test(test_blocks_that_take_turns),
		cmocka_unit_test(test_sink_is_taken_out),
		cmocka_unit_test(test_without_samples),
		cmocka_unit_test(test_slab_paths),
		cmocka_unit_test(test_events_per_packet),
		cmocka_unit_test(test_clock_per_packet),
		cmocka_unit_test(test_unknown_variant_lists_known),
		cmocka_unit_test(test_missing_perf_text),
		cmocka_unit_test(test_counts_at_their_limit),
		cmocka_unit_test(test_watch_that_timed_nothing),
	};

	return cmocka_run_group_tests_name("analysis", tests, make_folder, remove_folder);
}
