// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Variants that take turns on a machine whose speed moves: is the truth within the interval of the difference at the
 * reference speed? Runs whose truth is known go through the judgement of turns, the analysis of blocks and the
 * comparison; samples are left out.
 *
 * A run: two variants in Thue-Morse order, 24 rounds of 0.8 s without and 0.8 s with samples, 20 ns and 82 ns of the
 * receiver, and 20 ns of the generator. A turn is 65536 frames. A round scatters by 0.3 % (each program is loaded at
 * another address), the device that a variant is on in this round by 0.2 %, a turn by 6 % (3 % of four).
 *
 * RUNS=2000 in the environment takes more runs of each model. A coverage may be as far from 95 % as three standard
 * deviations of so many runs. The interval of a base may cover more, as it holds the movements between rounds too.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include "reports/analysis/analysis_parts.h"
#include "reports/compare/compare.h"

#define ROUNDS   24
#define FRAMES   65536
#define STALL_NS 1e7
#define ROUND_S  2.5 /* with what is between the stretches */

enum model {
	STEADY,
	TWO_STATES,
	MOSTLY_SLOW,
	UNLIKE,
	DRIFT,
	DRIFTING_STATES,
	ONE_SIDE,
	OTHER_SIDE,
	STALLS,
	BURSTS,
	MODELS
};
static const struct {
	const char *name;
	double fast_s, slow_s; /* mean length of both states; slow_s 0: there is one */
	double drift, drift_s; /* standard deviation of the speed, and its memory */
	double slower[2];      /* a range for both variants; of unlike ones, native's and skb's */
	bool unlike;
	/* stalls, bursts: parts of the turns with a stall, and of those that are 1.6 times as dear */
	double noise[2], stalls, bursts;
	double widest_ns, like_ns; /* that the half-width may be, on average; of like ones: 0 is as it comes */
} models[MODELS] = {
	[STEADY] = {"a steady machine", .noise = {0.06, 0.06}, .widest_ns = 0.3},
	[TWO_STATES] = {"two speeds, x1.3 to x1.9", 12, 6, .slower = {1.3, 1.9}, .noise = {0.06, 0.06},
			.widest_ns = 0.4},
	[MOSTLY_SLOW] = {"slow for three fifths of the time", 8, 12, .slower = {1.3, 1.9}, .noise = {0.06, 0.06},
			 .widest_ns = 0.5},
	[UNLIKE] = {"a slow speed that is not the same for both", 12, 6, .slower = {1.35, 1.75}, .unlike = true,
		    .noise = {0.06, 0.06}, .widest_ns = 0.4},
	[DRIFT] = {"drift, 5 % in 5 s", .drift = 0.05, .drift_s = 5, .noise = {0.06, 0.06}, .widest_ns = 0.4},
	[DRIFTING_STATES] = {"drift, 2 % in 20 s, and two speeds", 12, 6, 0.02, 20, .slower = {1.4, 1.9},
			     .noise = {0.06, 0.06}, .widest_ns = 0.4},
	[ONE_SIDE] = {"drift, 5 % in 5 s, and one variant that scatters more", .drift = 0.05, .drift_s = 5,
		      .noise = {0.03, 0.2}, .widest_ns = 1},
	[OTHER_SIDE] = {"the cheap variant scatters more, and one turn in 200 is far dearer", .drift = 0.03,
			.drift_s = 5, .noise = {0.2, 0.03}, .stalls = 0.005, .widest_ns = 1},
	[STALLS] = {"one turn in 200 is far dearer, and drift", .drift = 0.03, .drift_s = 5, .noise = {0.06, 0.06},
		    .stalls = 0.005, .widest_ns = 1},
	[BURSTS] = {"one turn in ten is 1.6 times as dear", .noise = {0.02, 0.02}, .bursts = 0.1, .widest_ns = 0.8,
		    .like_ns = 0.1},
};

static gsl_rng *rng;
static struct facilities *facilities;

struct machine {
	enum model model;
	double level[2];
	double now_s, left_s, ou, factor; /* left_s: of the state that holds now */
	bool slow;
	double truth, truths; /* sum and number of the unprofiled turns at full speed */
	double fast_ns, all_ns;
};

static void advance(struct machine *m, double seconds)
{
	double drift = models[m->model].drift, memory = models[m->model].drift_s, keep;

	m->now_s += seconds;
	m->left_s -= seconds;
	while (m->left_s < 0 && models[m->model].slow_s > 0) {
		m->slow = !m->slow;
		m->left_s += gsl_ran_exponential(rng, m->slow ? models[m->model].slow_s : models[m->model].fast_s);
	}
	if (drift > 0) {
		keep = exp(-seconds / memory);
		m->ou = keep * m->ou + drift * sqrt(1 - keep * keep) * gsl_ran_ugaussian(rng);
	}
}

static double slower(const struct machine *m, size_t variant)
{
	return !m->slow ? 1 : models[m->model].unlike ? models[m->model].slower[variant] : m->factor;
}

static void add_turn(struct run_turns *turns, struct machine *m, size_t v, int round, bool profile, double round_factor)
{
	double f = exp(m->ou), noise = models[m->model].noise[v] * gsl_ran_ugaussian(rng);
	double own = m->level[v] * round_factor * f * slower(m, v) * (1 + noise) * (profile ? 1.03 : 1);
	double rest = 20 * f * slower(m, 0);
	struct run_turn t = {
		.start_ns = (uint64_t)(m->now_s * 1e9),
		.packets = FRAMES,
		.round = (uint32_t)round,
		.variant = (uint16_t)v,
		.device = (uint8_t)((v + (size_t)round) % 2),
		.use = profile ? TURN_PROFILE : TURN_BASE,
	};

	own *= gsl_rng_uniform(rng) < models[m->model].bursts ? 1.6 : 1;
	if (gsl_rng_uniform(rng) < models[m->model].stalls)
		own += STALL_NS / FRAMES * (1 + gsl_ran_exponential(rng, 1));
	t.own_ns = (uint32_t)(own * FRAMES);
	t.wall_ns = (uint32_t)((own + rest) * FRAMES);
	assert_int_equal(turns_add(turns, &t, 1), 0);
	m->all_ns += t.wall_ns;
	m->fast_ns += m->slow ? 0 : t.wall_ns;
	if (!m->slow && !profile) {
		m->truth += f * (1 + 0.6 * models[m->model].bursts);
		m->truths++;
	}
	advance(m, t.wall_ns / 1e9 + 1e-6);
}

static void add_window(struct run *r, const struct run_turns *turns, size_t from, size_t variant, int round,
		       bool profile)
{
	struct run_block *b = &r->blocks[(size_t)round * 2 + variant];
	struct run_window *w = run_add_window(b);
	double own = 0, packets = 0;

	w->kind = profile ? RUN_PROFILE : RUN_BASE;
	for (size_t i = from; i < turns->n; i++) {
		const struct run_turn *t = &turns->list[i];

		if (t->variant != variant || t->round != (uint32_t)round || (t->use == TURN_PROFILE) != profile)
			continue;
		if (!w->from_ns)
			w->from_ns = t->start_ns;
		w->to_ns = t->start_ns + t->wall_ns;
		own += t->own_ns;
		packets += t->packets;
	}
	w->own_ns = w->busy_ns = own;
	run_add_cpu(w, 1)->verdicts[RUN_DROP] = (uint64_t)packets;
}

static void add_round(struct run *r, struct run_turns *turns, struct machine *m, int round)
{
	double begin_s = m->now_s, factor[2];
	unsigned int place = 0;
	size_t from = turns->n;

	for (size_t v = 0; v < 2; v++) {
		struct run_block *b = run_add_block(r);

		factor[v] = exp(0.003 * gsl_ran_ugaussian(rng)) * ((v + (size_t)round) % 2 ? 1.001 : 0.999);
		b->index = (int)r->nblocks - 1;
		b->round = round;
		b->variant = v;
		strcpy(b->mode_found, "native");
	}
	for (int half = 0; half < 2; half++) {
		bool profile = half != round % 2;
		double end_s = m->now_s + 0.8;

		while (m->now_s < end_s || place % 4) {
			add_turn(turns, m, (size_t)__builtin_popcount(place) % 2, round, profile,
				 factor[__builtin_popcount(place) % 2]);
			place++;
		}
	}
	for (size_t i = 0; i < 4; i++)
		add_window(r, turns, from, i % 2, round, i > 1);
	advance(m, fmax(0, begin_s + ROUND_S - m->now_s));
}

static void make_run(struct run *r, struct run_turns *turns, struct machine *m, enum model model, bool same)
{
	*m = (struct machine){.model = model, .level = {20, same ? 20 : 82}, .now_s = 1000};
	m->factor =
		models[model].slower[0] + (models[model].slower[1] - models[model].slower[0]) * gsl_rng_uniform(rng);
	m->ou = models[model].drift * gsl_ran_ugaussian(rng);
	m->slow = gsl_rng_uniform(rng) * (models[model].fast_s + models[model].slow_s) < models[model].slow_s;
	m->left_s = models[model].slow_s > 0
			    ? gsl_ran_exponential(rng, m->slow ? models[model].slow_s : models[model].fast_s)
			    : 0;
	run_init(r);
	turns_init(turns);
	strcpy(r->event, "cpu-clock");
	strcpy(r->ended, "complete");
	strcpy(r->view, "work");
	r->rx_cpus[r->nrx_cpus++] = 1;
	for (size_t v = 0; v < 2; v++)
		snprintf(run_add_variant(r)->id, 64, "variant %zu", v);
	for (int round = 0; round < ROUNDS; round++)
		add_round(r, turns, m, round);
}

static void analyse(struct analysis *a, const struct run *r, const struct run_turns *turns)
{
	struct block_source source = {.run = r, .dir = "", .facilities = facilities};
	struct shares shares[2] = {0};

	memset(a, 0, sizeof(*a));
	a->run = r;
	a->nvariants = 2;
	a->variants = calloc(2, sizeof(*a->variants));
	assert_int_equal(placement_build(&a->placement, r, PLACEMENT_AUTO, 0, NULL), 0);
	assert_int_equal(speed_judge(&a->speed, turns, 2), 0);
	source.speed = &a->speed;
	source.turns = a->speed.nspans ? turns : NULL;
	for (size_t v = 0; v < 2; v++) {
		struct analysis_variant *variant = &a->variants[v];

		analysis_variant_init(variant, a, &r->variants[v]);
		variant->takes_turns = true;
		variant->blocks = calloc(ROUNDS, sizeof(*variant->blocks));
		for (size_t i = 0; i < ROUNDS; i++) {
			struct analysis_block *b = &variant->blocks[variant->nblocks];

			analysis_block_init(b, &r->blocks[2 * i + v]);
			assert_int_equal(block_measure(b, &source, variant->nblocks++, &shares[v], NULL), 0);
		}
	}
	assert_int_equal(analysis_finish(a, shares, facilities), 0);
	for (size_t v = 0; v < 2; v++)
		assert_int_equal(variant_add_turns(&a->variants[v], turns, ""), 0);
}

/* ---- counts ------------------------------------------------------------------------------------------ */

enum what { BASE, HEADLINE, RATIO, LIKE, WHATS };
static const char *const what_names[WHATS] = {"base", "difference", "ratio", "difference of like ones"};

struct counts {
	double n[WHATS], covered[WHATS], half[WHATS];
	double raw_half, raw_off;
};

static void count(struct counts *c, enum what what, double value, double half, double truth)
{
	c->n[what]++;
	c->covered[what] += fabs(value - truth) <= half;
	c->half[what] += half;
}

static void count_run(struct counts *c, enum model model, bool same)
{
	struct compare_headline h;
	struct run_turns turns;
	struct machine m;
	struct analysis a;
	struct run r;
	double truth;

	make_run(&r, &turns, &m, model, same);
	analyse(&a, &r, &turns);
	truth = m.truth / m.truths;
	assert_int_equal(compare_bases(&h, &a.variants[0], &a.variants[1]), 0);
	assert_true(h.speed_shared);
	assert_true(h.half_ns > 0);
	if (same) {
		count(c, LIKE, h.delta_ns, h.half_ns, 0);
	} else if (m.fast_ns > 0.3 * m.all_ns) { /* clearly more than a quarter, so full speed is the reference */
		count(c, BASE, a.variants[0].base_ns, a.variants[0].half_ns, m.level[0] * truth);
		count(c, HEADLINE, h.delta_ns, h.half_ns, (m.level[1] - m.level[0]) * truth);
		count(c, RATIO, h.ratio, h.ratio_half, m.level[1] / m.level[0]);
		c->raw_half += h.all_half_ns;
		c->raw_off += fabs(h.all_ns - (m.level[1] - m.level[0]) * truth);
	}
	analysis_release(&a);
	turns_release(&turns);
	run_release(&r);
}

static size_t runs_of_each(void)
{
	const char *runs = getenv("RUNS");

	return runs ? strtoul(runs, NULL, 10) : 120;
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
		bad |= !(pct >= 95 - chance && (i == BASE || pct <= 95 + chance));
	}
	printf("# %s: mean over all speeds: half %.2f ns, off by %.2f ns\n", models[model].name,
	       c.raw_half / c.n[HEADLINE], c.raw_off / c.n[HEADLINE]);
	assert_false(bad);
	assert_true(c.half[HEADLINE] / c.n[HEADLINE] <= models[model].widest_ns);
	assert_true(models[model].like_ns == 0 || c.half[LIKE] / c.n[LIKE] <= models[model].like_ns);
}

/* ---- where nothing can be told ----------------------------------------------------------------------- */

/* Turns of 10 ms, each 20 ns a packet, or 30 ns where the machine is slow: in every other stretch of so many turns. */
static void judge(struct speed *s, size_t n, size_t stretch)
{
	struct run_turns turns;

	turns_init(&turns);
	for (size_t i = 0; i < n; i++) {
		uint32_t ns = i / stretch % 2 ? 9000000 : 6000000;
		struct run_turn t = {
			.start_ns = i * 10000000,
			.packets = 300000,
			.variant = i % 2,
			.use = TURN_BASE,
			.own_ns = ns,
			.wall_ns = 10000000,
		};

		assert_int_equal(turns_add(&turns, &t, 1), 0);
	}
	assert_int_equal(speed_judge(s, &turns, 2), 0);
	turns_release(&turns);
}

/* Two speeds in 2 s are chance as often as not; in 8 s they are two speeds. */
static void test_short(void **state)
{
	struct speed s;

	(void)state;
	judge(&s, 200, 100);
	assert_false(s.known);
	assert_int_equal(s.nspans, 0);
	speed_release(&s);
	judge(&s, 800, 400);
	assert_true(s.known);
	assert_true(fabs(s.aside_s - 4) < 0.2);
	assert_true(fabs(s.factor - 1.5) < 0.01);
	speed_release(&s);
}

/* A speed that never holds for long leaves no look without a neighbour of another speed. */
static void test_restless(void **state)
{
	struct speed s;

	(void)state;
	judge(&s, 800, 10);
	assert_false(s.known);
	assert_int_equal(s.nspans, 0);
	assert_true(s.aside_s == 0);
	speed_release(&s);
}

/* Turns without samples that are all at one speed, and turns with samples all at the other: neither is set aside. */
static void test_one_use_at_one_speed(void **state)
{
	struct run_turns turns;
	struct speed s;

	(void)state;
	turns_init(&turns);
	for (uint64_t i = 0; i < 800; i++) {
		bool slow = i < 400;
		struct run_turn t = {
			.start_ns = i * 10000000,
			.packets = 300000,
			.variant = i % 2,
			.use = slow ? TURN_BASE : TURN_PROFILE,
			.own_ns = slow ? 9000000 : 6000000,
			.wall_ns = 10000000,
		};

		assert_int_equal(turns_add(&turns, &t, 1), 0);
	}
	assert_int_equal(speed_judge(&s, &turns, 2), 0);
	assert_false(s.known);
	assert_int_equal(s.nspans, 0);
	speed_release(&s);
	turns_release(&turns);
}

/* Of turns that are too few, the gate says that it cannot tell; it is not one that this machine does not have. */
static void test_gate_cannot_tell(void **state)
{
	const enum quality_verdict want[] = {QUALITY_HOLDS, QUALITY_CANNOT_TELL};

	(void)state;
	gsl_rng_set(rng, 1);
	for (int few = 0; few < 2; few++) {
		const struct quality_row *row = NULL;
		struct run_turns turns;
		struct machine m;
		struct analysis a;
		struct run r;

		make_run(&r, &turns, &m, STEADY, false);
		turns.n = few ? 20 : turns.n;
		analyse(&a, &r, &turns);
		assert_int_equal(a.speed.known, !few);
		for (size_t i = 0; i < a.variants[0].quality.nrows; i++)
			if (!strcmp(a.variants[0].quality.rows[i].gate, "pace"))
				row = &a.variants[0].quality.rows[i];
		assert_non_null(row);
		assert_int_equal(quality_verdict(row), want[few]);
		assert_int_equal(strlen(row->note) > 0, few);
		analysis_release(&a);
		turns_release(&turns);
		run_release(&r);
	}
}

/* Rounds that are slow for most of their time have a base all the same: of the turns that are left. */
static void test_mostly_slow_rounds(void **state)
{
	struct run_turns turns;
	struct machine m;
	struct analysis a;
	struct run r;

	(void)state;
	gsl_rng_set(rng, 1);
	make_run(&r, &turns, &m, STEADY, false);
	for (size_t i = 0, from = 0; i < turns.n; i++) {
		size_t to = i;

		while (to < turns.n && turns.list[to].round == turns.list[i].round)
			to++;
		from = i && turns.list[i - 1].round == turns.list[i].round ? from : i;
		if (i - from < (to - from) * 3 / 5)
			turns.list[i].own_ns = turns.list[i].own_ns * 3 / 2;
	}
	analyse(&a, &r, &turns);
	assert_true(a.speed.known);
	assert_true(a.speed.aside_s > a.speed.run_s / 2);
	for (size_t v = 0; v < a.nvariants; v++)
		assert_true(a.variants[v].nused > 0);
	analysis_release(&a);
	turns_release(&turns);
	run_release(&r);
}

int main(void)
{
	static enum model number[MODELS];
	struct CMUnitTest tests[MODELS + 5];
	struct diag d = {""};
	int failed;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng || facilities_read(&facilities, "tests/synthetic.conf", &d)) {
		fprintf(stderr, "%s\n", d.text);
		return 1;
	}
	for (int i = 0; i < MODELS; i++) {
		number[i] = (enum model)i;
		tests[i] = (struct CMUnitTest){models[i].name, test_model, NULL, NULL, &number[i]};
	}
	tests[MODELS] = (struct CMUnitTest)cmocka_unit_test(test_short);
	tests[MODELS + 1] = (struct CMUnitTest)cmocka_unit_test(test_restless);
	tests[MODELS + 2] = (struct CMUnitTest)cmocka_unit_test(test_gate_cannot_tell);
	tests[MODELS + 3] = (struct CMUnitTest)cmocka_unit_test(test_one_use_at_one_speed);
	tests[MODELS + 4] = (struct CMUnitTest)cmocka_unit_test(test_mostly_slow_rounds);
	failed = cmocka_run_group_tests_name("speed", tests, NULL, NULL);
	facilities_free(facilities);
	gsl_rng_free(rng);
	return failed;
}
