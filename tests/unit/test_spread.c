// SPDX-License-Identifier: GPL-2.0-or-later
/* How the cost is spread over turns: quantiles and bins, two modes and when there are none, and the longest stalls. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include "reports/analysis/analysis.h"
#include "tests/unit/unit.h"

static gsl_rng *rng;

#define VALUES 2000

static struct analysis_turns spread_of(double *ns, size_t n)
{
	static double scratch[VALUES];
	struct analysis_turns t = {0};

	gsl_sort(ns, 1, n);
	turns_spread(&t, ns, n, scratch);
	return t;
}

/* Part of the samples in which two modes are found: two normal groups, apart by so many of their deviations. */
static double two_modes(size_t n, double apart, double part, bool flat)
{
	double ns[VALUES], found = 0;

	for (int run = 0; run < 100; run++) {
		for (size_t i = 0; i < n; i++)
			ns[i] = 70 +
				(flat ? 20 * gsl_rng_uniform(rng)
				      : 2 * gsl_ran_ugaussian(rng) + (gsl_rng_uniform(rng) < part ? 2 * apart : 0));
		found += !isnan(spread_of(ns, n).dearer_pct);
	}
	return found / 100;
}

static void test_modes(void **state)
{
	gsl_rng_set(rng, 1);
	assert_true(two_modes(40, 0, 0, false) <= 0.03);
	assert_true(two_modes(2000, 0, 0, false) == 0);
	assert_true(two_modes(2000, 0, 0, true) == 0); /* as flat as can be, and no second mode */
	assert_true(two_modes(40, 7, 0.4, false) >= 0.95);
	assert_true(two_modes(2000, 6, 0.1, false) >= 0.95);
	assert_true(two_modes(2000, 20, 0.02, false) == 0); /* a few far ones are stalls */
}

static void test_spread(void **state)
{
	double ns[VALUES];
	struct analysis_turns t;
	size_t sum = 0;

	for (size_t i = 0; i < 1001; i++)
		ns[i] = i < 800 ? 100 + (double)i / 1000 : 150 + (double)i / 1000;
	t = spread_of(ns, 1001);
	assert_true(fabs(t.ns[2] - 100.5) < 1e-9 && fabs(t.ns[0] - 100.01) < 1e-9 && t.longest_ns == 151);
	assert_true(fabs(t.mode_ns[0] - 100.405) < 0.01 && fabs(t.mode_ns[1] - 150.895) < 0.01);
	assert_true(fabs(t.dearer_pct - 20) < 1);
	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		sum += t.bins[i];
	assert_true(sum >= 980 && t.bins[0] == 790 && !t.bins[ANALYSIS_TURN_BINS / 2]);
	for (size_t i = 0; i < 100; i++)
		ns[i] = 50;
	t = spread_of(ns, 100); /* constant: no bins, no modes, no division by zero */
	assert_true(t.ns[0] == 50 && t.ns[4] == 50 && !t.bins[0] && isnan(t.dearer_pct));
	t = spread_of(ns, 0);
	assert_true(t.n == 0 && isnan(t.longest_ns));
}

/* The perf text of a round: another function before the stall, then mostly this one. */
static void write_samples(const char *name, const char *function, double stall_s)
{
	const char *const ran[] = {"before", "before", "before", function, function, "less"};
	char path[4200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 6; i++)
		fprintf(f, "napi/veth0-7 7 [001] %.9f: 1000 cpu-clock: \n\tff00 %s ([kernel.kallsyms])\n\n",
			stall_s + (i < 3 ? -0.001 : 0.001), ran[i]);
	fclose(f);
}

static void keep_text(struct script_samples *s, const char *name)
{
	const struct script_filter all = {.cpu = -1, .tid = -1};
	struct linescan lines;
	char path[4200];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = fopen(path, "r");
	assert_non_null(in);
	linescan_init(&lines, in);
	assert_int_equal(script_keep(s, &lines, &all, NULL), 0);
	linescan_release(&lines);
	fclose(in);
}

/*
 * The three longest of five stalls of 10 ms and more, in their order, with what ran in them by the samples of their
 * round. The longest is in a turn without samples, of a round without a block.
 */
static void test_stalls(void **state)
{
	static const size_t at[] = {100, 200, 301, 400, 501};
	static const double ms[] = {12, 30, 20, 11, 25};
	uint64_t now_ns = 1000000000;
	struct run_turns turns = {};
	struct analysis a = {0};
	struct block_source source;
	struct analysis_variant v;
	double at_s[5];
	struct run r;

	run_init(&r);
	run_add_variant(&r);
	for (size_t i = 0; i < 2000; i++, now_ns += 5000000) {
		struct run_turn t = {.start_ns = now_ns, .packets = 100000, .own_ns = 2000000};

		t.use = i % 2 ? TURN_PROFILE : TURN_BASE;
		t.round = i == at[1] ? 2 : i > at[3];
		for (size_t k = 0; k < 5; k++)
			if (i == at[k]) {
				t.own_ns += (uint32_t)(ms[k] * 1e6);
				at_s[k] = (double)(now_ns - 1000000000) / 1e9;
				now_ns += (uint64_t)(ms[k] * 1e6);
			}
		t.wall_ns = t.own_ns + 1000000;
		assert_int_equal(turns_add(&turns, &t, 1), 0);
	}
	a.run = &r;
	assert_int_equal(speed_judge(&a.speed, &turns, 1, SPEED_GENERATOR), 0);
	assert_int_equal(a.speed.nstalls, 5);
	for (int i = 0; i < 2; i++) {
		struct run_block *b = run_add_block(&r);

		b->round = i;
		snprintf(b->script, sizeof(b->script), "%d", i);
		write_samples(b->script, i ? "second" : "first", 1 + at_s[i ? 4 : 2]);
	}
	analysis_variant_init(&v, &a, &r.variants[0]);
	v.blocks = calloc(2, sizeof(*v.blocks));
	for (; v.nblocks < 2; v.nblocks++)
		analysis_block_init(&v.blocks[v.nblocks], &r.blocks[v.nblocks]);
	source = (struct block_source){.run = &r, .turns = &turns, .samples = &source.own};
	variant_find_stalls(&v, &source);
	for (size_t i = 0; i < 2; i++) {
		keep_text(&source.own, r.blocks[i].script);
		variant_look_up_stalls(&v, &source, &r.blocks[i]);
		script_samples_release(&source.own);
	}
	assert_int_equal(variant_add_turns(&v, &turns), 0);
	assert_int_equal(v.turns.nstalls, 3);
	for (size_t i = 0; i < 3; i++) {
		static const size_t order[] = {1, 4, 2};
		static const char *const ran[] = {"", "second", "first"};
		const struct analysis_stall *s = &v.turns.stalls[i];

		assert_true(fabs(s->longer_ns - ms[order[i]] * 1e6) < 1);
		assert_true(fabs(s->at_s - at_s[order[i]]) < 1e-9);
		assert_int_equal(s->samples, i ? 3 : 0);
		assert_string_equal(s->ran, ran[i]);
	}
	assert_int_equal(v.turns.n, 1000);
	variant_release(&v);
	speed_release(&a.speed);
	turns_release(&turns);
	run_release(&r);
}

/* What no recorder makes would take any amount of memory and time. */
static void test_strange(void **state)
{
	const struct run_turn one = {.start_ns = 5000, .wall_ns = 90, .own_ns = 80, .packets = 64};
	struct run_turns turns = {};
	struct diag d = {""};
	struct run r;

	run_init(&r);
	assert_int_equal(analysis_read_turns(&turns, &r, folder, &d), 0); /* none */
	assert_int_equal(turns_add(&turns, &one, 1), 0);
	assert_int_equal(turns_write(&turns, folder, &d), 0);
	turns_release(&turns);
	for (int i = 0; i < 64; i++)
		assert_non_null(run_add_variant(&r));
	for (int i = 0; i < 4; i++) {
		struct run_block *b = run_add_block(&r);

		assert_non_null(b);
		b->round = i / 2;
		b->variant = (size_t)i % 2;
	}
	assert_int_equal(analysis_read_turns(&turns, &r, folder, &d), 0);
	assert_int_equal(turns.n, 1);
	turns_release(&turns);
	r.blocks[3].variant = 0;
	assert_int_equal(analysis_read_turns(&turns, &r, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, "two blocks in round 1"));
	r.blocks[3].variant = 1;
	assert_non_null(run_add_variant(&r));
	d = (struct diag){""};
	assert_int_equal(analysis_read_turns(&turns, &r, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, "65 variants"));
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_strange),
	};
	int failed;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		return 1;
	failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
	gsl_rng_free(rng);
	return failed;
}
