// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often is the truth within an interval of 95 %? Thousands of runs whose truth is known, as machines make them, go
 * through the analysis and the comparison; only the text of perf is left out, and the samples are drawn here.
 *
 * RUNS=2000 in the environment takes more runs of each model. Of 500 runs, chance moves a coverage of 95 % by 1 %.
 *
 * A run: six variants, shuffled rounds of 1.07 s a block, two unprofiled and two profiled windows of 0.15 s, and 49
 * samples a block.
 * The cost of a packet at time t is level * block * f(t) * slow(t). The truth is the mean of level * f(t) over the time
 * of the run: what this run could know of a machine at full speed. Figures are of one shared machine with two CPUs:
 * blocks scatter by 2.6 %, windows in a block by 1.2 %.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "tests/unit/unit.h"

#define VARIANTS  6
#define PARTS     8
#define BLOCK_S   1.07
#define STEPS     20   /* of a block */
#define SAMPLES   24.5 /* of a window */
#define MAX_STEPS (24 * VARIANTS * STEPS)

enum model { IID, DRIFT, RAMP, CONTENTION, NEAR_FAR, TWO_STATES, BURSTS, MODELS };
static const struct {
	const char *name;
	int rounds;
} models[MODELS] = {
	[IID] = {"iid, 3 % a block", 12},
	[DRIFT] = {"slow drift, 1.5 % in 20 s", 12},
	[RAMP] = {"drift, and 10 % from the beginning to the end", 12},
	[CONTENTION] = {"contention for 13 % of the time, x1.35 to x1.75", 12},
	[NEAR_FAR] = {"near and far for 10 s each, x1.5", 24},
	[TWO_STATES] = {"15 s of a slow machine, x1.3 to x1.9", 12},
	[BURSTS] = {"one block in eight x1.35 to x1.75", 12},
};

/* Variants 0 and 1 are alike, and so are 2 and 3; what contention does to each of them. */
static const double level[VARIANTS] = {70, 70, 170, 170, 130, 190};
static const double contended[VARIANTS] = {1.35, 1.35, 1.75, 1.75, 1.5, 1.75};
static const double part_of[2][PARTS] = {{0.3, 0.22, 0.15, 0.13, 0.1, 0.06, 0.04, 0}, /* of variants 0 and 1 */
					 {0.18, 0.2, 0.1, 0.12, 0.05, 0.15, 0.1, 0.1}};
static const char *const part_names[PARTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static gsl_rng *rng;
static double run_level[VARIANTS] = {1, 1, 1, 1, 1, 1}; /* of one run, times level[] */
static struct components *components;

/* What the machine is like, step by step, and who runs when. */
struct machine {
	double f[MAX_STEPS], slow[VARIANTS][MAX_STEPS];
	bool far[MAX_STEPS];
	size_t order[24 * VARIANTS], nblocks, nsteps;
	double truth; /* mean of f */
};

static void fill_order(struct machine *m, int rounds)
{
	m->nblocks = (size_t)rounds * VARIANTS;
	m->nsteps = m->nblocks * STEPS;
	for (int r = 0; r < rounds; r++) {
		size_t *turn = m->order + (size_t)r * VARIANTS;

		for (size_t i = 0; i < VARIANTS; i++)
			turn[i] = i;
		gsl_ran_shuffle(rng, turn, VARIANTS, sizeof(*turn));
	}
}

/* on[i]: is a state that holds for mean_on seconds, after mean_off seconds without it, there? */
static void alternate(bool *on, size_t n, double mean_on, double mean_off)
{
	bool now = gsl_rng_uniform(rng) < mean_on / (mean_on + mean_off);
	double left = gsl_ran_exponential(rng, now ? mean_on : mean_off);

	for (size_t i = 0; i < n; i++) {
		on[i] = now;
		for (left -= BLOCK_S / STEPS; left < 0; left += gsl_ran_exponential(rng, now ? mean_on : mean_off))
			now = !now;
	}
}

static void fill_machine(struct machine *m, enum model model)
{
	double ou = 0.015 * gsl_ran_ugaussian(rng), keep = exp(-BLOCK_S / STEPS / 20), seconds, sum = 0;
	double from = (gsl_rng_uniform(rng) * 92) - 15, factor = 1.3 + 0.6 * gsl_rng_uniform(rng);
	bool busy[MAX_STEPS] = {false};

	fill_order(m, models[model].rounds);
	seconds = (double)m->nblocks * BLOCK_S;
	alternate(m->far, m->nsteps, 10, 10);
	alternate(busy, m->nsteps, 10, 67);
	for (size_t i = 0; i < m->nsteps; i++) {
		double t = (double)i * BLOCK_S / STEPS;

		m->f[i] = model == IID ? 1 : exp(ou);
		ou = keep * ou + 0.015 * sqrt(1 - keep * keep) * gsl_ran_ugaussian(rng);
		m->f[i] *= model == RAMP ? 1 + 0.1 * (t / seconds - 0.5) : 1;
		m->far[i] &= model == NEAR_FAR;
		sum += m->f[i];
		for (size_t v = 0; v < VARIANTS; v++)
			m->slow[v][i] = model == CONTENTION && busy[i]                     ? contended[v]
					: model == TWO_STATES && t > from && t < from + 15 ? factor
					: m->far[i]                                        ? 1.5
											   : 1;
	}
	m->truth = sum / (double)m->nsteps;
}

/* The mean cost of a packet of v in three steps, which are a window. */
static double cost_of(const struct machine *m, size_t v, double block, size_t step)
{
	double packets = 0;

	for (size_t i = 0; i < 3; i++)
		packets += 1 / (level[v] * run_level[v] * block * m->f[step + i] * m->slow[v][step + i]);
	return 3 / packets * exp(0.012 * gsl_ran_ugaussian(rng));
}

static void add_window(struct run_block *b, enum run_window_kind kind, size_t step, double cost)
{
	struct run_window *w = run_add_window(b);

	w->kind = kind;
	w->from_ns = (uint64_t)((double)step * BLOCK_S / STEPS * 1e9);
	w->to_ns = w->from_ns + 150000000;
	w->busy_ns = 150e6;
	run_add_cpu(w, 1)->verdicts[RUN_DROP] = (uint64_t)(150e6 / cost);
}

/* Windows of one block, in the middle of its time. */
static void add_block(struct run *r, const struct machine *m, enum model model, size_t number)
{
	static const size_t at[4] = {5, 9, 13, 17};
	size_t v = m->order[number];
	struct run_block *b = run_add_block(r);
	double block = exp((model == IID ? 0.03 : 0.026) * gsl_ran_ugaussian(rng));

	if (model == BURSTS && gsl_rng_uniform(rng) < 0.13)
		block *= contended[v];
	b->variant = v;
	b->round = (int)(number / VARIANTS);
	b->placement_ns[0] = m->far[number * STEPS] ? 200 : 50;
	b->placement_ns[1] = m->far[number * STEPS + STEPS - 1] ? 200 : 50;
	b->mode_found = RUN_MODE_NATIVE;
	for (size_t i = 0; i < 4; i++) {
		size_t step = number * STEPS + at[i];

		add_window(b, i == 1 || i == 2 ? RUN_PROFILE : RUN_BASE, step, cost_of(m, v, block, step));
	}
}

/* Samples at a period, from a random moment on; each hits a part by its share. */
static void draw_samples(struct analysis_block *b, struct shares *s, size_t number, size_t v)
{
	const double *part = part_of[v > 1];
	unsigned int hits[PARTS], n = 2 * (unsigned int)(SAMPLES + gsl_rng_uniform(rng));

	gsl_ran_multinomial(rng, PARTS, n, part, hits);
	b->samples = n;
	b->cost_weight = n * 150e6 / SAMPLES;
	b->ns_per_weight = 1;
	b->sum_ns = b->cost_weight / b->profiled_packets;
	for (size_t i = 0; i < PARTS; i++) {
		if (!hits[i])
			continue;
		s->list[s->n++] = (struct share){.name = strdup(part_names[i]),
						 .dso = strdup(""),
						 .component = 2 + (unsigned int)i,
						 .block = number,
						 .samples = hits[i],
						 .weight = hits[i] * 150e6 / SAMPLES,
						 .children_weight = -1};
	}
}

static void measure_variant(struct analysis *a, struct shares *s, size_t v)
{
	struct block_source source = {.run = a->run, .dir = "", .components = components};
	struct analysis_variant *variant = &a->variants[v];

	analysis_variant_init(variant, a, &a->run->variants[v]);
	variant->blocks = calloc(a->run->nblocks, sizeof(*variant->blocks));
	s->list = calloc(a->run->nblocks * PARTS, sizeof(*s->list));
	for (size_t i = 0; i < a->run->nblocks; i++) {
		struct analysis_block *b = &variant->blocks[variant->nblocks];

		if (a->run->blocks[i].variant != v)
			continue;
		analysis_block_init(b, &a->run->blocks[i]);
		assert_int_equal(block_measure(b, &source, variant->nblocks, s, NULL), 0);
		draw_samples(b, s, variant->nblocks++, v);
	}
}

static void make_run(struct run *r, struct machine *m, enum model model)
{
	run_init(r);
	strcpy(r->event, "cpu-clock");
	strcpy(r->ended, "complete");
	r->rx_cpus[r->nrx_cpus++] = 1;
	r->napi_tids[r->nnapi_tids++] = 1;
	for (size_t v = 0; v < VARIANTS; v++) {
		struct run_variant *variant = run_add_variant(r);

		snprintf(variant->id, sizeof(variant->id), "variant %zu", v);
		variant->mode = RUN_MODE_NATIVE; /* as its blocks found it: a run whose checks fail is not judged */
	}
	fill_machine(m, model);
	for (size_t i = 0; i < m->nblocks; i++)
		add_block(r, m, model, i);
}

static void analyse(struct analysis *a, const struct run *r)
{
	struct shares shares[VARIANTS] = {0};

	memset(a, 0, sizeof(*a));
	a->run = r;
	a->nvariants = VARIANTS;
	a->variants = calloc(VARIANTS, sizeof(*a->variants));
	assert_int_equal(placement_build(&a->placement, r, PLACEMENT_AUTO, 0, NULL), 0);
	for (size_t v = 0; v < VARIANTS; v++)
		measure_variant(a, &shares[v], v);
	assert_int_equal(analysis_finish(a, shares, components), 0);
	for (size_t v = 0; v < VARIANTS; v++)
		shares_release(&shares[v]);
}

/* ---- counts ------------------------------------------------------------------------------------------ */

enum what { BASE, HEADLINE, SAME, ROW, ROW_DELTA, ROW_SAME, REST, WHATS };
static const char *const what_names[WHATS] = {"base",        "difference",       "difference of like ones",
					      "row",         "row's difference", "row's difference of like ones",
					      "unattributed"};

struct counts {
	double n[WHATS], covered[WHATS], half[WHATS];
	double comparisons, false_classes, false_overalls;
	struct {
		double n, beyond_zero, failed;
	} closure[2]; /* of runs, and of comparisons */
};

static void count(struct counts *c, enum what what, double value, double half, double truth)
{
	if (isnan(half))
		return;
	c->n[what]++;
	c->covered[what] += fabs(value - truth) <= half;
	c->half[what] += half;
}

static double row_truth(size_t v, const char *name)
{
	return level[v] * part_of[v > 1][*name - 'a'];
}

static void count_variant(struct counts *c, const struct analysis_variant *v, size_t number, double truth)
{
	count(c, BASE, v->base_ns, v->half_ns, level[number] * truth);
	count(c, REST, v->unattributed_ns, v->unattributed_half_ns, 0);
	for (size_t i = 0; i < v->nsymbols; i++) {
		const struct analysis_row *row = &v->symbols[i];
		double ns = row_truth(number, row->name) * truth;

		c->n[ROW]++;
		c->covered[ROW] += row->ci95_ns[0] <= ns && ns <= row->ci95_ns[1];
		c->half[ROW] += row->half_ns;
	}
}

/* beyond_zero: what would fail if nothing were allowed for profiling and missing samples. */
static void count_closure(struct counts *c, bool compared, bool beyond_zero, bool failed)
{
	c->closure[compared].n++;
	c->closure[compared].beyond_zero += beyond_zero;
	c->closure[compared].failed += failed;
}

static void count_closure_of_run(struct counts *c, const struct analysis *a)
{
	bool beyond_zero = false, failed = false;

	for (size_t v = 0; v < VARIANTS; v++) {
		assert_false(isnan(a->variants[v].off_half_ns));
		beyond_zero |= fabs(a->variants[v].off_ns) > a->variants[v].off_half_ns;
		failed |= !gate(&a->variants[v].quality, "closure")->ok;
	}
	count_closure(c, false, beyond_zero, failed);
}

static void count_comparison(struct counts *c, const struct analysis *a, size_t base, size_t new, double truth)
{
	bool same = level[base] == level[new];
	struct compare cmp;
	size_t wrong = 0;

	assert_int_equal(compare_build(&cmp, &a->variants[base], &a->variants[new], NULL, NULL), 0);
	count(c, same ? SAME : HEADLINE, cmp.overall.delta_ns, cmp.overall.half_ns, (level[new] - level[base]) * truth);
	for (size_t i = 0; i < cmp.nsymbols; i++) {
		const struct compare_row *row = &cmp.symbols[i];

		count(c, same ? ROW_SAME : ROW_DELTA, row->delta_ns, row->half_ns,
		      (row_truth(new, row->name) - row_truth(base, row->name)) * truth);
		wrong += row->class != COMPARE_SAME;
	}
	count_closure(c, true, fabs(cmp.off_ns) > cmp.off_half_ns, !gate(&cmp.quality, "closure-alike")->ok);
	if (same) {
		c->comparisons++;
		c->false_classes += wrong > 0;
	}
	compare_release(&cmp);
}

static void simulate(struct counts *c, enum model model, size_t runs)
{
	struct machine *m = malloc(sizeof(*m));

	for (size_t i = 0; i < runs; i++) {
		struct analysis a;
		struct run r;
		double truth;

		make_run(&r, m, model);
		analyse(&a, &r);
		/* blocks are compared in one placement, whichever that is */
		truth = m->truth * (a.placement.nstrata > 1 && a.placement.reference ? 1.5 : 1);
		if (a.placement.nstrata == 1 && m->far[0])
			truth *= 1.5;
		for (size_t v = 0; v < VARIANTS; v++)
			count_variant(c, &a.variants[v], v, truth);
		count_closure_of_run(c, &a);
		count_comparison(c, &a, 0, 2, truth);
		count_comparison(c, &a, 0, 1, truth);
		count_comparison(c, &a, 2, 3, truth);
		analysis_release(&a);
		run_release(&r);
	}
	free(m);
}

static size_t runs_of_each(void)
{
	const char *runs = getenv("RUNS");

	return runs ? strtoul(runs, NULL, 10) : 500;
}

static void test_model(void **state)
{
	enum model model = *(const enum model *)*state;
	struct counts c = {0};
	bool bad = false;

	gsl_rng_set(rng, 1 + model);
	simulate(&c, model, runs_of_each());
	for (int i = 0; i < WHATS; i++) {
		double pct = 100 * c.covered[i] / c.n[i];

		printf("# %s: %s within its interval in %.1f %%, half %.2f ns\n", models[model].name, what_names[i],
		       pct, c.half[i] / c.n[i]);
		bad |= !(pct >= 92 && pct <= 98);
	}
	printf("# %s: any row called new, gone or changed in %.1f %% of comparisons of like ones\n", models[model].name,
	       100 * c.false_classes / c.comparisons);
	for (int i = 0; i < 2; i++) {
		printf("# %s: closure fails in %.2f %% of %s, beyond 0 in %.2f %%\n", models[model].name,
		       100 * c.closure[i].failed / c.closure[i].n, i ? "comparisons" : "runs",
		       100 * c.closure[i].beyond_zero / c.closure[i].n);
		bad |= c.closure[i].failed > 0.01 * c.closure[i].n || c.closure[i].beyond_zero > 0.03 * c.closure[i].n;
	}
	assert_false(bad);
	assert_true(c.false_classes <= 0.06 * c.comparisons);
}

/* ---- from run to run --------------------------------------------------------------------------------- */

#define TRIALS 150
#define PRIOR  8

/* A day, a boot and a build move all variants together by 1.3 %, and each of them by 1.4 %. */
static void draw_levels(void)
{
	double all = 0.013 * gsl_ran_ugaussian(rng);

	for (size_t v = 0; v < VARIANTS; v++)
		run_level[v] = exp(all + 0.014 * gsl_ran_ugaussian(rng));
}

/* The history: bases of runs before, with what their blocks scatter. */
static struct between fit_history(void)
{
	const char *variant[VARIANTS * PRIOR];
	double base_ns[VARIANTS * PRIOR];

	for (size_t i = 0; i < PRIOR; i++) {
		draw_levels();
		for (size_t v = 0; v < VARIANTS; v++) {
			variant[v * PRIOR + i] = part_names[v];
			base_ns[v * PRIOR + i] = level[v] * run_level[v] * exp(0.009 * gsl_ran_ugaussian(rng));
		}
	}
	return between_fit(base_ns, variant, VARIANTS * PRIOR, between_default(-1));
}

static size_t count_found(const struct analysis *a, const struct analysis *b, const struct between *between)
{
	struct regression r;
	size_t found;

	assert_int_equal(regression_build(&r, a, b, 0, between, NULL), 0);
	found = regression_count(&r, REGRESSION_SLOWER) + regression_count(&r, REGRESSION_FASTER);
	regression_release(&r);
	return found;
}

/* Six variants together: at most one comparison of like runs in twenty finds anything, and 12 % more is found. */
static void test_runs(void **state)
{
	const struct between none = {BETWEEN_GIVEN, 0, 0};
	struct machine *m = malloc(sizeof(*m));
	size_t alarms = 0, blind = 0, assumed = 0, found = 0;

	gsl_rng_set(rng, 99);
	for (size_t i = 0; i < TRIALS; i++) {
		struct between between = fit_history();
		struct analysis a[3];
		struct run r[3];

		for (size_t k = 0; k < 3; k++) {
			draw_levels();
			run_level[3] *= k == 2 ? 1.12 : 1;
			make_run(&r[k], m, IID);
			analyse(&a[k], &r[k]);
		}
		assert_int_equal(between.source, BETWEEN_MEASURED);
		alarms += count_found(&a[0], &a[1], &between) > 0;
		assumed += count_found(&a[0], &a[1], &(struct between){BETWEEN_ASSUMED, BETWEEN_ASSUMED_PCT, 0}) > 0;
		blind += count_found(&a[0], &a[1], &none) > 0;
		found += count_found(&a[0], &a[2], &between) > 0;
		for (size_t k = 0; k < 3; k++) {
			analysis_release(&a[k]);
			run_release(&r[k]);
		}
	}
	for (size_t v = 0; v < VARIANTS; v++)
		run_level[v] = 1;
	free(m);
	printf("# like runs: alarm in %.1f %% by the history, %.1f %% with 2 %% assumed, %.1f %% by blocks alone; 12 "
	       "%% more "
	       "found in %.1f %%\n",
	       100.0 * alarms / TRIALS, 100.0 * assumed / TRIALS, 100.0 * blind / TRIALS, 100.0 * found / TRIALS);
	assert_true(alarms <= 0.05 * TRIALS && assumed <= 0.05 * TRIALS);
	assert_true(blind > 0.15 * TRIALS && found > 0.5 * TRIALS);
}

int main(void)
{
	static enum model number[MODELS];
	struct CMUnitTest tests[MODELS + 1] = {[MODELS] = cmocka_unit_test(test_runs)};
	struct diag d = {""};
	int failed;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng || components_read(&components, "tests/synthetic.conf", &d)) {
		fprintf(stderr, "%s\n", d.text);
		return 1;
	}
	for (int i = 0; i < MODELS; i++) {
		number[i] = (enum model)i;
		tests[i] = (struct CMUnitTest){models[i].name, test_model, NULL, NULL, &number[i]};
	}
	failed = cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
	components_free(components);
	gsl_rng_free(rng);
	return failed;
}
