// SPDX-License-Identifier: GPL-2.0-or-later
/* The speed of the machine by its rulers, and turns of which it cannot be told. */
#include "reports/compare/compare.h"
#include "tests/unit/simulated_turns.h"

/* Appends a turn of 10 ms, with 20 ns a packet of the receiver and 14 ns of the generator, so many times as slow. */
static void append_turn(struct run_turns *turns, enum turn_use use, double slow, double generator_slow)
{
	struct run_turn t = {
		.start_ns = turns->n ? turns->list[turns->n - 1].start_ns + turns->list[turns->n - 1].wall_ns : 0,
		.packets = 300000,
		.round = (uint32_t)turns->n / 100,
		.variant = turns->n % 2,
		.use = use,
		.own_ns = (uint32_t)(6000000 * slow),
		.wall_ns = (uint32_t)(6000000 * slow + 4200000 * generator_slow),
	};

	assert_int_equal(turns_add(turns, &t, 1), 0);
}

static void is_near(double is, double wanted, double most)
{
	if (!(fabs(is - wanted) <= most))
		fail_msg("%.9g is not %.9g", is, wanted);
}

/* Two speeds of 4 s each, by either ruler; and a power of the speed that the variants feel. */
static void test_rulers(void **state)
{
	for (enum speed_ruler by = SPEED_GENERATOR; by <= SPEED_VARIANTS; by++) {
		double power = by == SPEED_GENERATOR ? 1.1 : 1;
		struct run_turns turns = {};
		struct speed s;

		for (size_t i = 0; i < 1200; i++)
			append_turn(&turns, TURN_BASE, pow(i < 800 ? 1 : 1.5, power), i < 800 ? 1 : 1.5);
		assert_int_equal(speed_judge(&s, &turns, 2, by), 0);
		assert_true(s.known && s.by == by);
		assert_int_equal(s.nspans, 0);
		is_near(s.range[0], 1, 1e-6);
		is_near(s.range[1], 1.5, 1e-6);
		for (size_t v = 0; v < 2; v++) {
			is_near(s.variants[v].own_ns, 20, 1e-4);
			is_near(speed_factor(&s, v, turns.list[100].start_ns), 1, 1e-6);
			is_near(speed_factor(&s, v, turns.list[1000].start_ns), pow(1.5, power), 1e-4);
			is_near(s.variants[v].k, power, 1e-4);
			if (by == SPEED_GENERATOR)
				is_near(s.variants[v].ruler_ns, 14, 1e-4);
			assert_true(isnan(s.variants[v].ruler_ns) == (by == SPEED_VARIANTS));
			assert_true(isnan(s.variants[v].k_half) == (by == SPEED_VARIANTS));
		}
		speed_release(&s);
		turns_release(&turns);
	}
}

/* What sampling takes is no speed, and does not make the costs of profiled turns other ones. */
static void test_profiled(void **state)
{
	struct run_turns turns = {};
	struct speed s;

	for (size_t i = 0; i < 1200; i++) {
		bool profile = i / 50 % 2;

		append_turn(&turns, profile ? TURN_PROFILE : TURN_BASE, profile ? 1.05 : 1, profile ? 1.03 : 1);
	}
	assert_int_equal(speed_judge(&s, &turns, 2, SPEED_GENERATOR), 0);
	is_near(speed_factor(&s, 0, turns.list[0].start_ns), 1, 1e-6);
	is_near(speed_factor(&s, 0, turns.list[75].start_ns), 1.05, 1e-5);
	is_near(s.variants[0].own_ns, 20, 1e-4);
	is_near(s.moved, 0, 1e-6);
	assert_true(s.variants[0].k == 1 && isnan(s.variants[0].k_half)); /* nothing moved, so no slope is known */
	speed_release(&s);
	turns_release(&turns);
}

/* What sampling takes from a variant whose profiled turns are not known is not known, and its cost is as it is. */
static void test_profiled_unknown(void **state)
{
	struct run_turns turns = {};
	struct speed s;

	for (size_t i = 0; i < 1200; i++) {
		append_turn(&turns, i / 50 % 2 ? TURN_PROFILE : TURN_BASE, 1, 1);
		if (i / 50 % 2 && i % 2)
			turns.list[i].packets = 0;
	}
	assert_int_equal(speed_judge(&s, &turns, 2, SPEED_GENERATOR), 0);
	for (size_t v = 0; v < 2; v++)
		is_near(speed_factor(&s, v, turns.list[75].start_ns), 1, 1e-6);
	speed_release(&s);
	turns_release(&turns);
}

/* Costs that move with something else than the ruler tell no slope: it is 1, and its interval is not known. */
static void test_vague_slope(void **state)
{
	struct run_turns turns = {};
	struct speed s;

	for (size_t i = 0; i < 1200; i++)
		append_turn(&turns, TURN_BASE, i / 200 % 2 ? 2 : 1, i / 100 % 2 ? 1.5 : 1);
	assert_int_equal(speed_judge(&s, &turns, 2, SPEED_GENERATOR), 0);
	for (size_t v = 0; v < 2; v++)
		assert_true(s.variants[v].k == 1 && isnan(s.variants[v].k_half));
	speed_release(&s);
	turns_release(&turns);
}

/* A look in which the speed jumps is set aside; a stall is set aside alone. */
static void test_aside(void **state)
{
	struct run_turns turns = {};
	struct speed s;

	for (size_t i = 0; i < 800; i++)
		append_turn(&turns, TURN_BASE, i < 404 ? 1 : 1.5, i < 404 ? 1 : 1.5);
	turns.list[100].own_ns += 7000000;
	turns.list[101].own_ns += 5000000; /* less than a turn */
	for (size_t i = 100; i < 800; i++)
		turns.list[i].start_ns += i > 101 ? 12000000 : i > 100 ? 7000000 : 0;
	turns.list[100].wall_ns += 7000000;
	turns.list[101].wall_ns += 5000000;
	assert_int_equal(speed_judge(&s, &turns, 2, SPEED_GENERATOR), 0);
	assert_int_equal(s.nspans, 2);
	assert_int_equal(s.nstalls, 1);
	is_near(s.stalls_s, 0.007, 1e-6);
	assert_int_equal(s.spans[0].from_ns, turns.list[100].start_ns);
	is_near(s.aside_s, 0.1, 0.03);
	assert_true(speed_sets_aside(&s, turns.list[404].start_ns, turns.list[404].start_ns + 1));
	assert_false(speed_sets_aside(&s, turns.list[420].start_ns, turns.list[420].start_ns + 1));
	speed_release(&s);
	turns_release(&turns);
}

/* Looks that all jumped are kept, with samples or without, as there is no other time. */
static void test_all_jumped(void **state)
{
	for (int steady = 0; steady < 3; steady++) {
		struct run_turns turns = {};
		struct speed s;

		for (size_t i = 0; i < 32; i++) {
			double slow = i % 16 < 8 || steady == 1 + (int)i / 16 ? 1 : 1.5;

			append_turn(&turns, i < 16 ? TURN_BASE : TURN_PROFILE, slow, slow);
		}
		assert_int_equal(speed_judge(&s, &turns, 2, SPEED_GENERATOR), 0);
		assert_true(s.known);
		assert_int_equal(s.nspans, 0);
		is_near(s.aside_s, 0, 0);
		is_near(s.kept_s, steady ? 16 * 10.2e-3 * 1.25 : 32 * 10.2e-3 * 1.25, 1e-3);
		speed_release(&s);
		turns_release(&turns);
	}
}

/* Nothing is known of no turns, of turns that lack others, and by what one variant alone costs. */
static void test_not_known(void **state)
{
	struct run_turns turns = {};
	struct speed s;

	for (size_t i = 0; i < 3; i++) {
		turns.left_out = i == 1;
		assert_int_equal(speed_judge(&s, &turns, i == 2 ? 1 : 2, i == 2 ? SPEED_VARIANTS : SPEED_GENERATOR), 0);
		assert_false(s.known);
		assert_true(speed_factor(&s, 0, 5) == 1 && !s.nspans && isnan(s.moved));
		speed_release(&s);
		if (!i)
			append_turn(&turns, TURN_BASE, 1, 1);
	}
	turns.left_out = 0;
	turns.list[0].use = TURN_PROFILE; /* and nothing of profiled turns alone */
	assert_int_equal(speed_judge(&s, &turns, 2, SPEED_GENERATOR), 0);
	assert_false(s.known);
	speed_release(&s);
	turns_release(&turns);
}

struct simulated {
	struct run_turns turns;
	struct machine m;
	struct analysis a;
	struct run r;
};

static void let_go(struct simulated *s)
{
	analysis_release(&s->a);
	turns_release(&s->turns);
	run_release(&s->r);
}

/* Where turns were left out, the gate says that it cannot tell; it is not one that this machine does not have. */
static void test_gate_cannot_tell(void **state)
{
	const enum quality_verdict want[] = {QUALITY_HOLDS, QUALITY_CANNOT_TELL};

	gsl_rng_set(rng, 1);
	for (int few = 0; few < 2; few++) {
		const struct quality_row *row = NULL;
		struct simulated s;

		make_run(&s.r, &s.turns, &s.m, STEADY, false);
		s.turns.left_out = (uint64_t)few;
		analyse(&s.a, &s.r, &s.turns, &s.m);
		assert_int_equal(s.a.speed.known, !few);
		for (size_t i = 0; i < s.a.variants[0].quality.nrows; i++)
			if (!strcmp(s.a.variants[0].quality.rows[i].gate, "pace"))
				row = &s.a.variants[0].quality.rows[i];
		assert_non_null(row);
		assert_int_equal(quality_verdict(row), want[few]);
		assert_int_equal(strlen(row->note) > 0, few);
		let_go(&s);
	}
}

/*
 * Half of each packet of one variant is a planted cost, and the clock around it feels what the machine does. What it
 * reads is given at the same speed as the base, of the same turns; an older recorder knows it of whole windows alone.
 */
static void test_planted(void **state)
{
	for (int old = 0; old < 2; old++) {
		struct analysis_variant *v;
		struct simulated s;
		double sum = 0;

		gsl_rng_set(rng, 1);
		make_run(&s.r, &s.turns, &s.m, STALLS, false);
		s.r.variants[1].plant = RUN_PLANT_CHAIN;
		for (size_t i = 0; i < s.turns.n && !old; i++)
			s.turns.list[i].plant_ns = s.turns.list[i].variant == 1 ? s.turns.list[i].own_ns / 2 : 0;
		for (size_t i = 0; i < s.r.nblocks; i++)
			for (size_t k = 0; k < s.r.blocks[i].nwindows; k++)
				s.r.blocks[i].windows[k].plant_ns = s.r.blocks[i].windows[k].busy_ns / 2;
		analyse(&s.a, &s.r, &s.turns, &s.m);
		v = &s.a.variants[1];
		assert_true(s.a.speed.nstalls > 10);
		assert_non_null(v->block_plant_ns);
		assert_null(s.a.variants[0].block_plant_ns);
		for (size_t i = 0; i < v->nused; i++) {
			assert_true(old || fabs(v->block_plant_ns[i] / v->block_base_ns[i] - 0.5) < 1e-5);
			sum += v->block_plant_ns[i] / (double)v->nused;
		}
		assert_true(old ? sum > 0.501 * v->base_ns : fabs(sum / v->base_ns - 0.5) < 1e-5);
		let_go(&s);
	}
}

/* Both variants have a clock, and 10 ns are beside it in both. old: the clock is known of whole windows alone. */
static void make_planted(struct simulated *s, bool old)
{
	const double part[2] = {0.5, 1 - 10.0 / 82};

	gsl_rng_set(rng, 1);
	make_run(&s->r, &s->turns, &s->m, BURSTS, false);
	for (size_t i = 0; i < s->turns.n && !old; i++) {
		struct run_turn *t = &s->turns.list[i];

		t->plant_ns = (uint32_t)(t->own_ns * part[t->variant]);
	}
	for (size_t i = 0; i < s->r.nblocks; i++)
		for (size_t k = 0; k < s->r.blocks[i].nwindows; k++) {
			struct run_window *w = &s->r.blocks[i].windows[k];

			w->plant_ns = w->busy_ns * part[s->r.blocks[i].variant];
		}
	for (size_t v = 0; v < 2; v++)
		s->r.variants[v].plant = RUN_PLANT_CHAIN;
	analyse(&s->a, &s->r, &s->turns, &s->m);
}

/* One turn in ten is 1.6 times as dear: these turns are no scatter of how far the difference is from the plant. */
static void test_planted_off(void **state)
{
	for (int old = 0; old < 2; old++) {
		struct stats_difference plain;
		double rest[2][ROUNDS];
		struct simulated s;
		struct compare c;
		struct diag d;

		make_planted(&s, old);
		for (size_t v = 0; v < 2; v++)
			for (size_t i = 0; i < s.a.variants[v].nused; i++)
				rest[v][i] = s.a.variants[v].block_base_ns[i] - s.a.variants[v].block_plant_ns[i];
		plain = stats_paired(rest[0], rest[1], s.a.variants[0].nused);
		assert_int_equal(compare_build(&c, &s.a.variants[0], &s.a.variants[1], NULL, &d), 0);
		is_near(c.planted_ns, 62 * 1.06, 1);
		is_near(c.planted_off_ns, 0, 1.5 * c.planted_off_half_ns);
		assert_true(c.planted_off_half_ns > 0 && c.planted_off_half_ns < (old ? 2 : 0.8) * plain.half);
		compare_release(&c);
		let_go(&s);
	}
}

/* In every second round the plant takes 5 ns more, by its place in memory. That is no error of what was planted. */
static void test_planted_by_place(void **state)
{
	struct compare alike, other;
	struct simulated s;
	struct diag d;

	make_planted(&s, false);
	assert_int_equal(compare_build(&alike, &s.a.variants[0], &s.a.variants[1], NULL, &d), 0);
	for (size_t i = 0; i < s.a.variants[1].nused; i++)
		for (size_t k = 0; k < s.a.variants[1].used[i]->ngroups && i % 2; k++)
			s.a.variants[1].used[i]->group_plant_ns[k] += 5;
	assert_int_equal(compare_build(&other, &s.a.variants[0], &s.a.variants[1], NULL, &d), 0);
	is_near(other.planted_ns, alike.planted_ns + 2.5, 1e-6);
	is_near(other.planted_half_ns, alike.planted_half_ns, 1e-6);
	compare_release(&alike);
	compare_release(&other);
	let_go(&s);
}

/* Two probes in each round, of a CPU that is so many times slower; some blocks are probed more slowly than others. */
static void make_probed(struct simulated *s, double slower)
{
	make_run(&s->r, &s->turns, &s->m, STEADY, false);
	for (size_t i = 0; i < s->r.nblocks; i++)
		for (int k = 0; k < 2; k++)
			*run_add_speed(&s->r.blocks[i]) = (struct run_speed){
				.at_ns = (uint64_t)(i + k), .ns = 10 * slower * (s->r.blocks[i].round < 6 ? 1.1 : 1)};
	analyse(&s->a, &s->r, &s->turns, &s->m);
	for (size_t i = 0; i < s->a.nvariants; i++)
		s->a.variants[i].ruler_ns = NAN; /* as where the generator is on another CPU */
}

static enum quality_verdict speed_alike(const struct analysis_variant *a, const struct analysis_variant *b)
{
	enum quality_verdict verdict = QUALITY_NOT_KNOWN;
	struct compare c;

	assert_int_equal(compare_build(&c, a, b, NULL, NULL), 0);
	for (size_t i = 0; i < c.quality.nrows; i++)
		if (!strcmp(c.quality.rows[i].gate, "speed-alike"))
			verdict = quality_verdict(&c.quality.rows[i]);
	compare_release(&c);
	return verdict;
}

/* Probes of rounds set nothing aside. Without a ruler they tell a slower machine in another run, and nothing in one. */
static void test_probed_turns(void **state)
{
	static struct simulated one, alike, slow;

	gsl_rng_set(rng, 1);
	make_probed(&one, 1);
	make_probed(&alike, 1);
	make_probed(&slow, 1.3);
	assert_true(one.a.speed.known && one.a.speed.by == SPEED_GENERATOR);
	assert_int_equal(one.a.speed.nspans, 0);
	for (size_t i = 0; i < one.a.variants[0].nblocks; i++) {
		assert_int_equal(one.a.variants[0].blocks[i].fate, FATE_USED);
		assert_true(isnan(one.a.variants[0].blocks[i].speed));
		assert_true(fabs(one.a.variants[0].blocks[i].probe_ns - (i < 6 ? 11 : 10)) < 1e-6);
	}
	assert_int_equal(speed_alike(&one.a.variants[0], &one.a.variants[1]), QUALITY_NOT_KNOWN);
	assert_int_equal(speed_alike(&one.a.variants[0], &alike.a.variants[0]), QUALITY_HOLDS);
	assert_int_equal(speed_alike(&one.a.variants[0], &slow.a.variants[0]), QUALITY_FAILS);
	let_go(&one);
	let_go(&alike);
	let_go(&slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rulers),
		cmocka_unit_test(test_profiled),
		cmocka_unit_test(test_profiled_unknown),
		cmocka_unit_test(test_vague_slope),
		cmocka_unit_test(test_aside),
		cmocka_unit_test(test_all_jumped),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_gate_cannot_tell),
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_planted_off),
		cmocka_unit_test(test_planted_by_place),
		cmocka_unit_test(test_probed_turns),
	};
	int failed;

	if (simulation_begin())
		return 1;
	failed = cmocka_run_group_tests_name("speed of turns", tests, NULL, NULL);
	simulation_end();
	return failed;
}
