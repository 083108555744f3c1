// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Variants that take turns on a machine whose speed moves: is the truth within the interval of the difference at the
 * speed that the report gives? Runs whose truth is known (simulated_turns.h) go through the judgement of turns, the
 * analysis of blocks and the comparison; only the text of perf is left out.
 *
 * RUNS=2000 in the environment takes more runs of each model. A coverage may be as far from 95 % as three standard
 * deviations of so many runs. The interval of a base may cover more, as it holds the movements between rounds too. Of
 * rows it is 92 to 98 %. It may be more of a rare row, which has a sample in every second round, and where rounds are
 * few: of two intervals the larger one counts, and Student's t is wide there by chance as often as it is narrow.
 */
#include "reports/compare/compare.h"
#include "tests/unit/simulated_turns.h"

/* ---- counts ------------------------------------------------------------------------------------------ */

enum what { BASE, HEADLINE, RATIO, LIKE, ROW, ROW_LIKE, ROW_RARE, WHATS };
static const char *const what_names[WHATS] = {"base",
					      "difference",
					      "ratio",
					      "difference of like ones",
					      "row's difference",
					      "row's difference of like ones",
					      "rare row's difference"};

struct counts {
	double n[WHATS], covered[WHATS], half[WHATS];
	double raw_half, raw_off;
	double false_classes;
	/* runs of which any facility's share is said to depend on the speed, and of which that fails a gate */
};

static void count(struct counts *c, enum what what, double value, double half, double truth)
{
	c->n[what]++;
	c->covered[what] += fabs(value - truth) <= half;
	c->half[what] += half;
}

/* The part of the variant's cost that a row has where the generator takes so much for a frame. */
static double true_part(const struct machine *m, size_t variant, size_t part, double ruler_ns)
{
	double factor = memory_factor(m, variant, log(ruler_ns / RULER_NS));
	const double *parts = mean_part[m->level[variant] > 20];

	return parts[part] * (part == MEMORY ? factor : 1) / (1 + parts[MEMORY] * (factor - 1));
}

static void count_rows(struct counts *c, const struct compare *cmp, const struct machine *m, double ruler_ns)
{
	bool same = m->level[0] == m->level[1];
	size_t wrong = 0;

	for (size_t i = 0; i < cmp->nsymbols; i++) {
		const struct compare_row *row = &cmp->symbols[i];
		size_t part = (size_t)(*row->name - 'a');
		double truth = true_part(m, 1, part, ruler_ns) * cost_at(m, 1, ruler_ns) -
			       true_part(m, 0, part, ruler_ns) * cost_at(m, 0, ruler_ns);

		count(c, part >= RARE ? ROW_RARE : same ? ROW_LIKE : ROW, row->delta_ns, row->half_ns, truth);
		wrong += row->class != COMPARE_SAME;
	}
	c->false_classes += same && wrong;
}

static void count_run(struct counts *c, enum model model, bool same)
{
	struct compare cmp;
	struct compare_headline h;
	struct run_turns turns;
	struct machine m;
	struct analysis a;
	struct run r;
	double ruler_ns, cost_ns[2];

	make_run(&r, &turns, &m, model, same);
	analyse(&a, &r, &turns, &m);
	assert_true(a.speed.known);
	ruler_ns = sqrt(a.variants[0].ruler_ns * a.variants[1].ruler_ns);
	for (size_t v = 0; v < 2; v++)
		cost_ns[v] = cost_at(&m, v, ruler_ns);
	assert_int_equal(compare_build(&cmp, &a.variants[0], &a.variants[1], NULL, NULL), 0);
	h = cmp.headline;
	assert_true(h.speed_shared);
	assert_true(h.half_ns > 0);
	count_rows(c, &cmp, &m, ruler_ns);
	if (same) {
		count(c, LIKE, h.delta_ns, h.half_ns, cost_ns[1] - cost_ns[0]);
	} else {
		count(c, BASE, a.variants[0].base_ns, a.variants[0].half_ns, cost_ns[0]);
		count(c, HEADLINE, h.delta_ns, h.half_ns, cost_ns[1] - cost_ns[0]);
		count(c, RATIO, h.ratio, h.ratio_half, cost_ns[1] / cost_ns[0]);
		c->raw_half += h.all_half_ns;
		c->raw_off += fabs(h.all_ns - (cost_ns[1] - cost_ns[0]));
	}
	compare_release(&cmp);
	analysis_release(&a);
	turns_release(&turns);
	run_release(&r);
}

static size_t runs_of_each(void)
{
	const char *runs = getenv("RUNS");

	return runs ? strtoul(runs, NULL, 10) : 60;
}

static void test_model(void **state)
{
	enum model model = *(const enum model *)*state;
	struct counts c = {0};
	bool bad = false;

	gsl_rng_set(rng, 1 + model);
	for (size_t i = 0; i < 2 * runs_of_each(); i++)
		count_run(&c, model, i % 2);
	for (int i = 0; i < WHATS; i++) {
		double pct = 100 * c.covered[i] / c.n[i], chance = 3 * sqrt(95 * 5 / c.n[i]);

		printf("# %s: %s within its interval in %.1f %%, half %.3f\n", models[model].name, what_names[i], pct,
		       c.half[i] / c.n[i]);
		/* Movements between two rounds are in the base's. */
		chance = i >= ROW ? 3 : chance;
		bad |= !(pct >= 95 - chance &&
			 (i == BASE || i == ROW_RARE || (i >= ROW && models[model].rounds) || pct <= 95 + chance));
	}
	printf("# %s: mean over all speeds: half %.2f ns, off by %.2f ns\n", models[model].name,
	       c.raw_half / c.n[HEADLINE], c.raw_off / c.n[HEADLINE]);
	printf("# %s: any row called new, gone or changed in %.1f %% of comparisons of like ones\n", models[model].name,
	       100 * c.false_classes / c.n[LIKE]);
	assert_false(bad);
	/* of two variants */
	assert_true(c.false_classes <= 0.05 * c.n[LIKE] + 3 * sqrt(0.05 * 0.95 * c.n[LIKE]));
	assert_true(c.half[HEADLINE] / c.n[HEADLINE] <= models[model].widest_ns);
	assert_true(models[model].like_ns == 0 || c.half[LIKE] / c.n[LIKE] <= models[model].like_ns);
}

/* Two runs on a machine that is up to 1.35 times as slow in the second one: the same cost is found in both. */
static void test_runs(void **state)
{
	static const enum model of_runs[] = {WALK, FAST, TWO_STATES, UNLIKE, MEMORY_BOUND, STALLS, TAILS};
	size_t n = runs_of_each() / 4, inside = 0, all = 0, alarms = 0, blind = 0;

	gsl_rng_set(rng, 99);
	for (size_t i = 0; i < n; i++) {
		const struct between none = {BETWEEN_GIVEN, 0, 0}, assumed = between_default(-1);
		enum model model = of_runs[i % (sizeof(of_runs) / sizeof(*of_runs))];
		struct regression r;
		struct run_turns turns[2];
		struct machine m[2];
		struct analysis a[2];
		struct run run[2];

		for (size_t k = 0; k < 2; k++) {
			simulated_slowness = k ? 0.3 * gsl_rng_uniform(rng) : 0;
			make_run(&run[k], &turns[k], &m[k], model, false);
			analyse(&a[k], &run[k], &turns[k], &m[k]);
		}
		simulated_slowness = 0;
		assert_int_equal(regression_build(&r, &a[0], &a[1], 0, &none, NULL), 0);
		for (size_t v = 0; v < 2; v++, all++) {
			const struct compare_headline *h = &r.rows[v].headline;

			assert_true(h->ruler.known);
			inside += fabs(h->delta_ns) <= h->half_ns;
			blind += fabs(a[1].variants[v].base_ns - a[0].variants[v].base_ns) > h->half_ns;
		}
		regression_release(&r);
		assert_int_equal(regression_build(&r, &a[0], &a[1], 0, &assumed, NULL), 0);
		alarms += regression_count(&r, REGRESSION_SLOWER) + regression_count(&r, REGRESSION_FASTER) > 0;
		regression_release(&r);
		for (size_t k = 0; k < 2; k++) {
			analysis_release(&a[k]);
			turns_release(&turns[k]);
			run_release(&run[k]);
		}
	}
	printf("# between runs: the difference is within the interval of the runs alone in %zu of %zu, with what is "
	       "assumed "
	       "%zu of %zu pairs alarm; without the ruler %zu of %zu differences would\n",
	       inside, all, alarms, n, blind, all);
	assert_true(inside >= 0.95 * all - 3 * sqrt(0.05 * 0.95 * n)); /* two variants of a run are not independent */
	assert_true(20 * alarms <= n);
	assert_true(4 * blind > 3 * all);
}

int main(void)
{
	static enum model number[LOCK_BOUND];
	struct CMUnitTest tests[] = {[LOCK_BOUND] = cmocka_unit_test(test_runs)};
	int failed;

	if (simulation_begin())
		return 1;
	for (int i = 0; i < LOCK_BOUND; i++) {
		number[i] = (enum model)i;
		tests[i] = (struct CMUnitTest){models[i].name, test_model, NULL, NULL, &number[i]};
	}
	failed = cmocka_run_group_tests_name("speed", tests, NULL, NULL);
	simulation_end();
	return failed;
}
