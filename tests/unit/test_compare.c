// SPDX-License-Identifier: GPL-2.0-or-later
/* Differences that are known by construction come out of a comparison, and nothing comes out where there is none. */
#include "tests/unit/compared.h"

static void assert_covers(const struct compare_row *row, double truth)
{
	if (!(row->ci95_ns[0] <= truth && truth <= row->ci95_ns[1]))
		fail_msg("%s: %.3f..%.3f does not cover %.3f", row->name, row->ci95_ns[0], row->ci95_ns[1], truth);
}

/* synthetic_native_drop is 80 ns, synthetic_skb_drop 380: what differs between them is written there. */
static void test_known_differences(void **state)
{
	static const struct {
		const char *name;
		double ns;
	} truth[] = {
		{"skb allocation", 90}, {"skb clearing", 61}, {"skb free", 81},        {"GRO", 46},
		{"stack entry", 31},    {"generic XDP", 29},  {"page recycling", -21}, {"driver RX", -19},
		{"BPF program", 1},     {"NAPI/softirq", 1},
	};
	struct synthetic_options o = two_modes();
	struct measured m;
	struct compare c;

	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	near_to(c.headline.delta_ns, 300, 1.5);
	assert_true(c.headline.ci95_ns[0] < 300 && c.headline.ci95_ns[1] > 300);
	assert_true(c.headline.half_ns < 3);
	for (size_t i = 0; i < sizeof(truth) / sizeof(truth[0]); i++) {
		const struct compare_row *row = find(c.facilities, c.nfacilities, truth[i].name, truth[i].name);

		near_to(row->delta_ns, truth[i].ns, 2);
		assert_covers(row, truth[i].ns);
	}
	assert_int_equal(c.nfacilities, sizeof(truth) / sizeof(truth[0]));
	assert_string_equal(c.facilities[0].name, "skb allocation"); /* the largest first */
	compare_release(&c);
	compare_release(&c);
	measured_release(&m);
}

/* Of two sides of a dump: a small row that is sure stands before a larger one that chance explains. */
static void test_order_by_evidence(void **state)
{
	static const struct synthetic_stack before[] = {{900, "veth_xdp_rcv veth_poll"}},
					    after[] = {{874, "veth_xdp_rcv veth_poll"},
						       {27, "dev_gro_receive veth_poll"}};
	const struct synthetic_variant variants[] = {
		{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", before, 1},
		{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", after, 2}};
	struct synthetic_options o = two_modes();
	struct measured m;
	struct compare c;

	o.variants = variants;
	o.period_ns = 3e7;
	measure(&m, &o);
	m.run.view = RUN_VIEW_WATCH;
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_int_equal(c.nsymbols, 2);
	assert_string_equal(c.symbols[0].name, "veth_xdp_rcv");
	assert_true(c.symbols[0].p < 0.05 && c.symbols[1].p > 0.05);
	assert_true(fabs(c.symbols[0].delta_ns) < fabs(c.symbols[1].delta_ns));
	compare_release(&c);
	measured_release(&m);
}

static void test_closure(void **state)
{
	struct synthetic_options o = two_modes();
	double symbols = 0, of_facilities = 0;
	struct measured m;
	struct compare c;

	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	for (size_t i = 0; i < c.nsymbols; i++)
		symbols += c.symbols[i].delta_ns;
	for (size_t i = 0; i < c.nfacilities; i++)
		of_facilities += c.facilities[i].delta_ns;
	near_to(symbols + c.unattributed_delta_ns, c.headline.delta_ns, 1e-9);
	near_to(of_facilities + c.unattributed_delta_ns, c.headline.delta_ns, 1e-9);
	near_to(c.sum_delta_ns, c.headline.delta_ns, 1e-9);
	/* what profiling costs, 0.8 %, and sampling; measured, so it is not zero, and the halves differ */
	near_to(c.unattributed_delta_ns, -2.4, 2.5);
	near_to(c.unattributed_delta_ns, c.new_unattributed_ns - c.base_unattributed_ns, 1e-9);
	assert_true(c.unattributed_half_ns > 0 && c.unattributed_half_ns < 4);
	/* blocks of every second round are 1.2 % dearer (synthetic.c), which the halves show */
	assert_true(fabs(c.residual_ns) > 1 && fabs(c.residual_ns) < 8);
	near_to(c.headline.delta_ns, c.new->base_ns - c.base->base_ns, 1e-9);
	compare_release(&c);
	measured_release(&m);
}

/*
 * Twelve pairs, one of each variant per round: the interval is t(11) = 2.201 times the standard error of the twelve
 * differences, summed up here from the blocks of the run itself.
 */
static void test_headline_is_paired(void **state)
{
	struct synthetic_options o = two_modes();
	double d[12], mean = 0, squares = 0, busy[2] = {0}, seen[2] = {0};
	struct measured m;
	struct compare c;

	measure(&m, &o);
	for (size_t i = 0; i < m.run.nblocks; i++) {
		const struct run_block *b = &m.run.blocks[i];
		double packets =
			(double)(b->windows[0].cpus[0].verdicts[RUN_DROP] + b->windows[3].cpus[0].verdicts[RUN_DROP]);

		busy[b->variant] += b->windows[0].busy_ns + b->windows[3].busy_ns;
		seen[b->variant] += packets;
	}
	for (size_t i = 0; i < m.run.nblocks; i++) { /* what each block adds to a ratio of sums */
		const struct run_block *b = &m.run.blocks[i];
		double packets =
			(double)(b->windows[0].cpus[0].verdicts[RUN_DROP] + b->windows[3].cpus[0].verdicts[RUN_DROP]);
		double all = busy[b->variant] / seen[b->variant];
		double ns =
			all + (b->windows[0].busy_ns + b->windows[3].busy_ns - all * packets) * 12 / seen[b->variant];

		d[b->round] = i % 2 ? d[b->round] : 0;
		d[b->round] += b->variant ? ns : -ns;
	}
	near_to(m.a.variants[0].base_ns, busy[0] / seen[0], 1e-9);
	near_to(1e9 / m.a.variants[0].pps, m.a.variants[0].base_ns, 1e-9); /* one definition, at 100 % busy */
	for (int i = 0; i < 12; i++)
		mean += d[i] / 12;
	for (int i = 0; i < 12; i++)
		squares += (d[i] - mean) * (d[i] - mean);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_true(c.headline.paired && c.same_run);
	assert_int_equal(c.headline.npairs, 12);
	near_to(c.headline.delta_ns, mean, 1e-9);
	near_to(c.headline.half_ns, 2.20099 * sqrt(squares / 11 / 12), 1e-4);
	compare_release(&c);
	measured_release(&m);
}

/* A clock around the plants: 40 ns in one variant, 90 in the other, with a part that differs from round to round. */
static void plant(struct run *r, enum run_plant kind)
{
	for (size_t v = 0; v < 2; v++)
		r->variants[v].plant = v ? kind : RUN_PLANT_CHAIN;
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_window *w = &r->blocks[i].windows[k];

			w->plant_ns =
				run_window_packets(w) * ((r->blocks[i].variant ? 90 : 40) + r->blocks[i].round % 3);
		}
}

static void test_planted(void **state)
{
	struct synthetic_options o = two_modes();
	struct measured m;
	struct compare c;

	measured_record(&m, &o);
	plant(&m.run, RUN_PLANT_CHAIN);
	measured_analyse(&m, NULL);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	near_to(c.planted_ns, 50, 0.01);
	assert_true(c.planted_half_ns > 0 && c.planted_half_ns < 0.1); /* what both have cancels */
	near_to(c.planted_off_ns, c.headline.delta_ns - c.planted_ns, 1e-9);
	assert_true(c.planted_off_half_ns > 0 && fabs(c.planted_off_half_ns - c.headline.half_ns) < 0.2);
	compare_release(&c);
	measured_release(&m);

	measured_record(&m, &o);
	plant(&m.run, RUN_PLANT_AGAIN); /* the same program once more, without a clock */
	measured_analyse(&m, NULL);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_true(isnan(c.planted_ns) && isnan(c.planted_off_half_ns));
	compare_release(&c);
	measured_release(&m);
}

/* Round 2: the skb block is far, so the native one has no partner: eleven pairs, and their own bases. */
static void test_missing_partner(void **state)
{
	struct synthetic_options o = two_modes();
	struct measured m;
	struct compare c;

	o.placements = "nnnnnf";
	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_true(c.headline.paired);
	assert_int_equal(c.headline.npairs, 11);
	assert_non_null(strstr(gate(&c.quality, "pairs")->note, "11 pairs in 12 and 11 blocks"));
	near_to(c.headline.delta_ns, 300, 2);
	near_to(c.headline.delta_ns, c.headline.new_ns - c.headline.base_ns, 1e-9);
	assert_true(c.headline.base_ns != c.base->base_ns); /* that has the block without a partner */
	near_to(c.sum_delta_ns, c.headline.delta_ns, 1e-9);
	compare_release(&c);
	measured_release(&m);
}

static void test_classes(void **state)
{
	struct synthetic_options o = two_modes();
	const struct compare_row *row;
	struct measured m;
	struct compare c;

	o.rounds = 24;
	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	row = find(c.symbols, c.nsymbols, "memset_orig", "skb clearing");
	assert_int_equal(row->class, COMPARE_NEW);
	assert_true(row->significant && row->q >= row->p);
	row = find(c.symbols, c.nsymbols, "xdp_return_frame", "page recycling");
	assert_int_equal(row->class, COMPARE_GONE);
	/* the same name in two facilities is two rows */
	find(c.symbols, c.nsymbols, "page_pool_put_unrefed_netmem", "page recycling");
	find(c.symbols, c.nsymbols, "page_pool_put_unrefed_netmem", "skb free");
	/* 3 ns and 4 ns, in programs with other tags: one row, and not enough samples to tell them apart */
	row = find(c.symbols, c.nsymbols, "bpf_prog_19a6feab3d5cb0e1_xdp_drop", "BPF program");
	near_to(row->base_ns, 3, 0.3);
	near_to(row->new_ns, 4, 0.6);
	assert_int_equal(row->class, COMPARE_SAME);
	assert_false(row->significant);
	compare_release(&c);
	measured_release(&m);
}

/* 22 ns and 33 ns of 80 and 91: found to have changed; the rest stays what it was. */
static void test_changed(void **state)
{
	static const struct synthetic_stack slower[] = {
		{30, SYNTHETIC_RCV},
		{33, "veth_xdp_rcv_one.isra.0 " SYNTHETIC_RCV},
		{3, "bpf_prog_0000000000000001_xdp_drop veth_xdp_rcv_one " SYNTHETIC_RCV},
		{12, "page_pool_put_unrefed_netmem __xdp_return xdp_return_frame "
		     "veth_xdp_rcv_one " SYNTHETIC_RCV},
		{9, "xdp_return_frame veth_xdp_rcv_one " SYNTHETIC_RCV},
		{4, "__napi_poll napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "
		    "ret_from_fork_asm"},
	};
	struct synthetic_variant variants[] = {
		synthetic_veth[0],
		{"drop/read-data@native", "xdp_drop", "0000000000000001", SYNTHETIC_STACKS(slower)},
	};
	struct synthetic_options o = two_modes();
	const struct compare_row *row;
	struct measured m;
	struct compare c;

	o.variants = variants;
	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	row = find(c.symbols, c.nsymbols, "veth_xdp_rcv_one.isra.0", "driver RX"); /* matched without .isra.0 */
	assert_int_equal(row->class, COMPARE_CHANGED);
	assert_covers(row, 11);
	for (size_t i = 0; i < c.nsymbols; i++)
		if (&c.symbols[i] != row)
			assert_int_equal(c.symbols[i].class, COMPARE_SAME);
	compare_release(&c);
	measured_release(&m);
}

/* 0.06 ns that the slower variant would not see either if it had them: unseen is not gone. */
static void test_unseen_is_not_gone(void **state)
{
	static const struct synthetic_stack rare[] = {
		{79.94, SYNTHETIC_RCV},
		{0.06, "ktime_get " SYNTHETIC_RCV},
	};
	struct synthetic_variant variants[] = {
		{"drop/no-touch@native", "xdp_drop", "0000000000000001", SYNTHETIC_STACKS(rare)},
		synthetic_veth[1],
	};
	struct synthetic_options o = two_modes();
	const struct compare_row *row;
	struct measured m;
	struct compare c;

	o.variants = variants;
	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	row = find(c.symbols, c.nsymbols, "ktime_get", "driver RX");
	assert_true(row->base_samples > 0 && row->new_samples == 0);
	assert_int_equal(row->class, COMPARE_SAME);
	compare_release(&c);
	measured_release(&m);
}

/* One side without a profile: all of its base is unattributed, and the sum still closes. */
static void test_closure_without_samples(void **state)
{
	struct synthetic_options o = two_modes();
	struct measured m, bare;
	struct compare c;

	measure(&m, &o);
	o.period_ns = 1e12;
	measure(&bare, &o);
	compare(&c, &m.a.variants[0], &bare.a.variants[1]);
	near_to(c.unattributed_delta_ns, 380, 3);
	near_to(c.sum_delta_ns, c.headline.delta_ns, 1e-9);
	assert_true(isnan(c.residual_ns)); /* two runs: no pairs to split */
	assert_false(gate(&c.quality, "symbol-blocks")->ok);
	compare_release(&c);
	measured_release(&m);
	measured_release(&bare);
}

/* The same variant twice in one run, and in two: nothing is found. */
static void test_no_difference(void **state)
{
	struct synthetic_variant twice[] = {synthetic_veth[0], synthetic_veth[0]};
	struct synthetic_options o = two_modes();
	struct measured m, other;
	struct compare c;

	twice[1].id = "drop/no-touch+again@native"; /* a run has each id once */
	o.variants = twice;
	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_true(fabs(c.headline.delta_ns) <= c.headline.half_ns + 1e-6);
	for (size_t i = 0; i < c.nsymbols; i++)
		assert_int_equal(c.symbols[i].class, COMPARE_SAME);
	compare_release(&c);

	o.scatter_pct = 0.6;
	measure(&other, &o);
	compare(&c, &m.a.variants[0], &other.a.variants[0]);
	assert_false(c.same_run || c.headline.paired);
	assert_non_null(strstr(gate(&c.quality, "pairs")->note, "two runs"));
	assert_true(fabs(c.headline.delta_ns) <= c.headline.half_ns);
	for (size_t i = 0; i < c.nsymbols; i++)
		assert_int_equal(c.symbols[i].class, COMPARE_SAME);
	compare_release(&c);
	measured_release(&other);
	measured_release(&m);
}

static void test_far_against_near_is_told(void **state)
{
	struct synthetic_options o = two_modes();
	struct measured near_run, far_run;
	struct compare c;

	measure(&near_run, &o);
	o.placements = "ffffffffffffffffffffffff";
	measure(&far_run, &o);
	compare(&c, &near_run.a.variants[0], &far_run.a.variants[0]);
	assert_false(gate(&c.quality, "placement-alike")->ok);
	assert_non_null(strstr(gate(&c.quality, "placement-alike")->note, "51 and 211 ns"));
	compare_release(&c);
	far_run.a.variants[0].placement_ns = NAN; /* not probed, which is no failure */
	compare(&c, &near_run.a.variants[0], &far_run.a.variants[0]);
	assert_true(isnan(gate(&c.quality, "placement-alike")->value));
	compare_release(&c);
	measured_release(&near_run);
	measured_release(&far_run);
}

static void test_other_polls_are_told(void **state)
{
	struct synthetic_options o = two_modes();
	struct measured m;
	struct compare c;

	measure(&m, &o);
	m.a.variants[1].packets_per_poll = 32;
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_false(gate(&c.quality, "polls-alike")->ok);
	near_to(gate(&c.quality, "polls-alike")->value, 50, 1e-9);
	compare_release(&c);
	measured_release(&m);
}

/* What each number of the two sides makes of its gate: in both orders, and where one of them is not known. */
static void test_gates_of_two_numbers(void **state)
{
	static const struct {
		const char *gate;
		size_t offset; /* of the number in a variant */
		double base, new, value;
		const char *note;
	} cases[] = {
		{"busy-alike", offsetof(struct analysis_variant, busy_pct), 80, 72.5, 7.5, "80.0 and 72.5 % busy"},
		{"busy-alike", offsetof(struct analysis_variant, busy_pct), 90, 103, 10, "90.0 and 103.0 % busy"},
		{"busy-alike", offsetof(struct analysis_variant, busy_pct), 103, 90, 10, "103.0 and 90.0 % busy"},
		{"polls-alike", offsetof(struct analysis_variant, packets_per_poll), 64, 32, 50,
		 "64.0 and 32.0 packets per poll"},
		{"polls-alike", offsetof(struct analysis_variant, packets_per_poll), 32, 64, 100,
		 "32.0 and 64.0 packets per poll"},
		{"refused-alike", offsetof(struct analysis_variant, refused_pct), 1, 3.5, 2.5,
		 "1.0 and 3.5 % of frames refused"},
		{"refused-alike", offsetof(struct analysis_variant, refused_pct), 3.5, 1, 2.5,
		 "3.5 and 1.0 % of frames refused"},
		{"placement-alike", offsetof(struct analysis_variant, placement_ns), 50, 200, 4,
		 "50 and 200 ns from CPU to CPU"},
		{"placement-alike", offsetof(struct analysis_variant, placement_ns), 200, 50, 4,
		 "200 and 50 ns from CPU to CPU"},
		{"frequency-alike", offsetof(struct analysis_variant, freq_khz), 2e6, 3e6, 50, ""},
		{"frequency-alike", offsetof(struct analysis_variant, freq_khz), 4e6, 3e6, 25, ""},
	};
	struct synthetic_options o = two_modes();
	struct measured m;

	o.rounds = 4;
	measure(&m, &o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int unknown = 0; unknown < 3; unknown++) { /* neither, base, new */
			double *base = (double *)((char *)&m.a.variants[0] + cases[i].offset), was = *base;
			double *new = (double *)((char *)&m.a.variants[1] + cases[i].offset), were = *new;
			const struct quality_row *row;
			struct compare c;

			*base = unknown == 1 ? NAN : cases[i].base;
			*new = unknown == 2 ? NAN : cases[i].new;
			compare(&c, &m.a.variants[0], &m.a.variants[1]);
			row = gate(&c.quality, cases[i].gate);
			if (unknown)
				assert_true(isnan(row->value));
			else
				near_to(row->value, cases[i].value, 1e-9);
			if (!unknown && strncmp(row->note, cases[i].note, strlen(cases[i].note)))
				fail_msg("%s: %s", cases[i].gate, row->note);
			compare_release(&c);
			*base = was;
			*new = were;
		}
	measured_release(&m);
}

/* A list of functions that was cut short hides those that it lacks: their chance is not known. */
static void test_cut_short(void **state)
{
	static const struct {
		double absent_part;
		bool hides;
	} cases[] = {{0, false}, {0.0005, false}, {0.0006, true}};
	struct synthetic_options o = two_modes();
	struct measured m;

	o.rounds = 4;
	measure(&m, &o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct compare c;
		size_t one_sided = 0;

		m.a.variants[0].used[1]->absent_part = cases[i].absent_part;
		compare(&c, &m.a.variants[0], &m.a.variants[1]);
		for (size_t k = 0; k < c.nsymbols; k++) {
			if (!c.symbols[k].base_samples && c.symbols[k].new_samples) {
				/* A list that was cut short may have had samples: a limit takes the zero's place. */
				assert_int_equal(c.symbols[k].absent_ns > 0, cases[i].hides);
				assert_true(!isnan(c.symbols[k].p) || c.symbols[k].class == COMPARE_UNLISTED);
				one_sided++;
			}
			if (c.symbols[k].base_samples && !c.symbols[k].new_samples)
				assert_false(isnan(c.symbols[k].p));
		}
		assert_true(one_sided > 0);
		compare_release(&c);
	}
	measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_differences),
		cmocka_unit_test(test_order_by_evidence),
		cmocka_unit_test(test_closure),
		cmocka_unit_test(test_headline_is_paired),
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_missing_partner),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_gates_of_two_numbers),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_unseen_is_not_gone),
		cmocka_unit_test(test_closure_without_samples),
		cmocka_unit_test(test_no_difference),
		cmocka_unit_test(test_far_against_near_is_told),
		cmocka_unit_test(test_other_polls_are_told),
	};

	return cmocka_run_group_tests_name("compare", tests, make_folder, remove_folder);
}
