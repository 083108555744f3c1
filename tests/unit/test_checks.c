// SPDX-License-Identifier: GPL-2.0-or-later
/* Bars of the self-test, the variant against itself, and the widest interval, on runs whose answer is known. */
#include "reports/compare/compare.h"
#include "reports/format/format.h"
#include "tests/unit/unit.h"

/* One block of a drop: 1 s, busy all the time, cost ns per packet. */
static void add_block(struct run *r, size_t variant, int round, double cost_ns)
{
	struct run_block *b = run_add_block(r);
	struct run_window *w;

	b->variant = variant;
	b->round = round;
	b->mode_found = RUN_MODE_NATIVE;
	w = run_add_window(b);
	w->from_ns = 1000;
	w->to_ns = 1000001000;
	w->busy_ns = 1e9;
	run_add_cpu(w, 1)->verdicts[RUN_DROP] = (uint64_t)(1e9 / cost_ns);
}

static void begin_run(struct run *r)
{
	struct diag d = {""};

	run_init(r);
	snprintf(r->ended, sizeof(r->ended), "complete");
	r->napi_threaded = true;
	r->napi_tids[r->nnapi_tids++] = 7;
	r->rx_cpus[r->nrx_cpus++] = 1;
	assert_int_equal(run_variant_parse(run_add_variant(r), "drop/no-touch@native", &d), 0);
	assert_int_equal(run_variant_parse(run_add_variant(r), "drop/no-touch+again@native", &d), 0);
}

/* 12 rounds, cut into three groups of four: noise around 0, always 10 ns more, and noise again. */
static void test_aa(void **state)
{
	static const double off[4] = {1, -1, 0.9, -0.8};
	struct facilities *f = NULL;
	struct diag d = {""};
	struct aa aa;
	struct run r;

	begin_run(&r);
	for (int round = 0; round < 12; round++) {
		add_block(&r, 0, round, 100);
		add_block(&r, 1, round, 100 + off[round % 4] + (round / 4 == 1 ? 10 : 0));
	}
	assert_int_equal(facilities_read(&f, NULL, &d), 0);
	assert_int_equal(aa_count(&aa, &r, "/nowhere", f, &d), 0);
	assert_int_equal(aa.comparisons, 3);
	assert_int_equal(aa.misses, 1);
	run_release(&r);
	begin_run(&r); /* 0 +- 0 holds nothing */
	for (int round = 0; round < 12; round++)
		for (size_t v = 0; v < 2; v++)
			add_block(&r, v, round, 100);
	assert_int_equal(aa_count(&aa, &r, "/nowhere", f, &d), 0);
	assert_true(aa.comparisons == 3 && !aa.misses);
	facilities_free(f);
	run_release(&r);
}

/*
 * Which rounds are in a group: 10 ns more is told from chance, one round at -30 hides it. With the first round of the
 * first group left out, or the last of the second, or with a neighbour taken into the third one, the count is another.
 * Three rounds are no group.
 */
static void test_aa_groups(void **state)
{
	static const double off[15] = {-30, 10, 10.1, 9.9, 10, 10.1, 9.9, -30, 10, 9.9, 10.1, 10, -30, -30, -30.1};
	struct facilities *f = NULL;
	struct diag d = {""};
	struct aa aa;
	struct run r;

	begin_run(&r);
	for (int round = 0; round < 15; round++) {
		add_block(&r, 0, round, 100);
		add_block(&r, 1, round, 100 + off[round]);
	}
	assert_int_equal(facilities_read(&f, NULL, &d), 0);
	assert_int_equal(aa_count(&aa, &r, "/nowhere", f, &d), 0);
	assert_int_equal(aa.comparisons, 3);
	assert_int_equal(aa.misses, 1);
	r.nvariants = 1;
	assert_int_equal(aa_count(&aa, &r, "/nowhere", f, &d), -EINVAL);
	r.nvariants = 2;
	facilities_free(f);
	run_release(&r);
}

/* The least k with a binomial sum 0..k of 0.99, summed in Python with math.comb: 2, 4, 11. */
static void test_misses_by_chance(void **state)
{
	assert_int_equal(aa_misses_by_chance(0), 0);
	assert_int_equal(aa_misses_by_chance(5), 2);
	assert_int_equal(aa_misses_by_chance(20), 4);
	assert_int_equal(aa_misses_by_chance(100), 11);
}

/* Six blocks each: the bases have 2.3 % (sd 2.19, t(5) 2.571), their difference more. */
static void test_precision(void **state)
{
	struct facilities *f = NULL;
	const struct analysis_options plain = {.placement = PLACEMENT_AUTO};
	struct diag d = {""};
	struct precision p;
	struct analysis a;
	struct run r;

	begin_run(&r);
	for (int round = 0; round < 6; round++) {
		add_block(&r, 0, round, round % 2 ? 98 : 102);
		add_block(&r, 1, round, round % 2 ? 51 : 49);
	}
	assert_int_equal(facilities_read(&f, NULL, &d), 0);
	assert_int_equal(analysis_build(&a, &r, "/nowhere", f, &plain, &d), 0);
	assert_int_equal(precision_widest(&p, &a), 0);
	/* paired differences are -53 and -47: sd 3.286, half 3.45 ns of the larger base, 100 ns */
	assert_true(fabs(p.widest_pct - 3.449) < 0.01);
	assert_string_equal(p.base, "drop/no-touch@native");
	assert_string_equal(p.new, "drop/no-touch+again@native");
	analysis_release(&a);
	run_drop_last_block(&r);
	assert_int_equal(analysis_build(&a, &r, "/nowhere", f, &plain, &d), 0);
	assert_int_equal(precision_widest(&p, &a), 0);
	assert_true(isinf(p.widest_pct)); /* five blocks are not believed */
	analysis_release(&a);
	facilities_free(f);
	run_release(&r);
}

static void test_rows(void **state)
{
	struct checks c = {}, more = {};
	char text[4000] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_int_equal(checks_add(&c, CHECK_CLOSURE, "a", 0.5, NAN, NAN, "%s", ""), 0);
	assert_int_equal(checks_add(&c, CHECK_PLANTED_FACILITY, "b", 89.9, NAN, NAN, "%d ns", 7), 0);
	assert_int_equal(checks_add(&c, CHECK_PLANTED, "c", 9.9, 4, checks_planted_limit_ns(CHECK_PLANTED_PROFILE, 200),
				    "%s", ""),
			 0);
	assert_int_equal(checks_add(&c, CHECK_PROBES, "d", NAN, NAN, NAN, "%s", ""), 0);
	assert_int_equal(checks_add(&c, CHECK_OVERHEAD, "e", 3.5, 1.6, NAN, "%s", ""), 0); /* 1.9..5.1 */
	assert_int_equal(checks_add(&c, CHECK_OVERHEAD, "f", 1, 2.1, NAN, "%s", ""), 0);
	assert_int_equal(checks_add(&c, CHECK_OVERHEAD, "g", 3.5, 1.4, NAN, "%s", ""), 0); /* 2.1..4.9 */
	assert_int_equal(c.rows[0].verdict, CHECK_HELD);
	assert_int_equal(c.rows[1].verdict, CHECK_MISSED);
	assert_int_equal(c.rows[2].verdict, CHECK_OPEN); /* 5.9..13.9 of 10 */
	assert_int_equal(c.rows[3].verdict, CHECK_OPEN);
	assert_int_equal(c.rows[4].verdict, CHECK_OPEN);
	assert_int_equal(c.rows[5].verdict, CHECK_OPEN);
	assert_int_equal(c.rows[6].verdict, CHECK_MISSED);
	assert_int_equal(checks_add(&c, CHECK_PLANTED, "h", 5.9, 4, 10, "%s", ""), 0); /* 1.9..9.9 */
	assert_int_equal(checks_add(&c, CHECK_PLANTED_FACILITY, "i", 95, 4, NAN, "%s", ""), 0);
	assert_int_equal(checks_add(&c, CHECK_PLANTED_FACILITY, "j", 95, 6, NAN, "%s", ""), 0);
	assert_int_equal(c.rows[7].verdict, CHECK_HELD);
	assert_int_equal(c.rows[8].verdict, CHECK_HELD);
	assert_int_equal(c.rows[9].verdict, CHECK_OPEN);
	assert_true(checks_planted_limit_ns(CHECK_PLANTED, 20) == 0.5 &&
		    checks_planted_limit_ns(CHECK_PLANTED, 200) == 4);
	assert_true(checks_planted_limit_ns(CHECK_BPF_STATS, 20) == 1.5 &&
		    checks_planted_limit_ns(CHECK_BPF_STATS, 200) == 10);
	assert_int_equal(checks_count(&c, CHECK_MISSED), 2);
	assert_int_equal(render_checks_text(out, &c, false), 0);
	fclose(out);
	assert_non_null(strstr(text, "  MISSED       of it in BPF program"));
	assert_non_null(strstr(text, "\n          7 ns\n"));
	assert_non_null(strstr(text, "3 of 10 bars held, 2 missed; 5 cannot be told"));
	out = fmemopen(text, sizeof(text), "w");
	assert_int_equal(render_checks_text(out, &c, true), 0);
	fclose(out);
	assert_non_null(strstr(text, "\033[1;31m  MISSED     "));
	assert_null(strstr(text, "\033[1;31m  ok"));
	out = fmemopen(text, sizeof(text), "w");
	assert_int_equal(render_checks_json(out, &c), 0);
	fclose(out);
	assert_non_null(strstr(text, "\"schema\": \"xdpzoom.selftest/1\""));
	assert_non_null(strstr(text, "\"value\": null"));
	assert_non_null(strstr(text, "\"ok\": false"));
	checks_release(&c);
	assert_int_equal(checks_add(&c, CHECK_CLOSURE, "a", 0.5, NAN, NAN, "%s", ""), 0);
	assert_int_equal(checks_add(&more, CHECK_OVERHEAD, "b", 1, 1.5, NAN, "%s", ""), 0);
	assert_int_equal(checks_append(&c, &more), 0);
	out = fmemopen(text, sizeof(text), "w");
	assert_int_equal(render_checks_json(out, &c), 0); /* nothing missed, and not ok */
	fclose(out);
	assert_non_null(strstr(text, "\"ok\": false"));
	assert_non_null(strstr(text, "\"cannot tell\""));
	c.nrows = 1;
	out = fmemopen(text, sizeof(text), "w");
	assert_int_equal(render_checks_json(out, &c), 0);
	fclose(out);
	assert_non_null(strstr(text, "\"ok\": true"));
	checks_release(&c);
	checks_release(&c);
}

/*
 * Runs that scatter by 2 %: sqrt(2) * 2 % of 105 ns is 2.97 ns. Measured on five runs, it is tested with their four
 * degrees of freedom (t 2.776). Assumed, it adds to the run's own error, and more degrees of freedom remain (t 1.97).
 */
static void test_between_runs(void **state)
{
	const struct compare_headline h = {
		.base_ns = 100, .new_ns = 110, .delta_ns = 10, .se_ns = 1, .df = 10, .half_ns = 2.228};
	struct compare_headline one = h, narrow = h;

	between_widen(&one, &(struct between){BETWEEN_MEASURED, 2, 5});
	near_to(one.half_ns, 2.776 * 2.9698, 0.01);
	one = h;
	between_widen(&one, &(struct between){BETWEEN_ASSUMED, 2, 0});
	near_to(one.half_ns, 1.962 * 3.1337, 0.01);
	between_widen(&narrow, &(struct between){BETWEEN_MEASURED, 0.5, 5}); /* less than the run itself says */
	assert_true(narrow.half_ns == h.half_ns);
}

/* The machine was 20 % slower in the second run, in logarithms. Slopes of 0.8 and 0.6 are known to 0.3 and 0.4. */
static void test_between_speeds(void **state)
{
	struct run runs[2];
	struct analysis_variant v[2] = {{.ruler_ns = 50, .slope = 0.8, .slope_half = 0.3},
					{.ruler_ns = 50 * exp(0.2), .slope = 0.6, .slope_half = 0.4}};
	struct analysis a[2] = {};
	struct analysis_variant more[2][2];
	struct between_ruler r;
	double ratio[2];
	char words[100];

	for (size_t i = 0; i < 2; i++) {
		begin_run(&runs[i]);
		a[i].run = &runs[i];
		a[i].variants = &v[i];
		a[i].nvariants = 1;
		v[i].of = &a[i];
		v[i].variant = &runs[i].variants[0];
	}
	a[0].speed.error = 0.03;
	a[1].speed.error = 0.04;
	r = between_find_ruler(&v[0], &v[1]);
	assert_true(r.known);
	near_to(r.slower, 0.2, 1e-12);
	near_to(r.at[0], 1.083287, 1e-6);
	near_to(r.at[1], 0.941765, 1e-6);
	near_to(r.apart, 0.05, 1e-12);
	a[0].nvariants = a[1].nvariants = 2;
	for (size_t i = 0; i < 2; i++) {
		more[i][0] = v[i];
		more[i][1] = v[i];
		more[i][1].variant = &runs[i].variants[1];
		a[i].variants = more[i];
	}
	assert_true(between_rulers_agree(&more[0][0], &more[1][0], ratio));
	more[1][1].ruler_ns *= 1.09;
	assert_true(between_find_ruler(&more[0][0], &more[1][0]).known);
	more[1][1].ruler_ns *= 1.02; /* the generator slowed down more beside the one than beside the other */
	assert_false(between_find_ruler(&more[0][0], &more[1][0]).known);
	assert_false(between_rulers_agree(&more[0][0], &more[1][0], ratio));
	near_to(ratio[0], exp(0.2), 1e-12);
	near_to(ratio[1], exp(0.2) * 1.09 * 1.02, 1e-12);
	runs[0].facts.kernel = "6.1";
	runs[1].facts.kernel = "6.12";
	assert_int_equal(between_loads(&runs[0], &runs[1], words, sizeof(words)), LOADS_OF_OTHER_CODE);
	assert_string_equal(words, "the kernels are 6.1 and 6.12");
	near_to(r.error, 0.0561319, 1e-6); /* 0.05 / 1.96, 0.03, and 0.04 */
	for (size_t i = 0; i < 2; i++)
		run_release(&runs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aa),
		cmocka_unit_test(test_aa_groups),
		cmocka_unit_test(test_misses_by_chance),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_between_runs),
		cmocka_unit_test(test_between_speeds),
	};

	return cmocka_run_group_tests_name("checks", tests, NULL, NULL);
}
