// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns of which the speed of the machine can be told, and others of which it cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "reports/compare/compare.h"
#include "tests/unit/simulated_turns.h"

/* Appends a turn of 10 ms, with 20 ns a packet, or 30 ns where the machine is slow. */
static void append_turn(struct run_turns *turns, enum turn_use use, bool slow)
{
	struct run_turn t = {
		.start_ns = turns->n * 10000000,
		.packets = 300000,
		.variant = turns->n % 2,
		.use = use,
		.own_ns = slow ? 9000000 : 6000000,
		.wall_ns = 10000000,
	};

	assert_int_equal(turns_add(turns, &t, 1), 0);
}

/* Of n turns; the machine is slow in every other stretch of so many. */
static void judge_stretches(struct speed *s, size_t n, size_t stretch)
{
	struct run_turns turns;

	turns_init(&turns);
	for (size_t i = 0; i < n; i++)
		append_turn(&turns, TURN_BASE, i / stretch % 2);
	assert_int_equal(speed_judge(s, &turns, 2), 0);
	turns_release(&turns);
}

/* Two speeds in 2 s are chance as often as not; in 8 s they are two speeds. */
static void test_short(void **state)
{
	struct speed s;

	(void)state;
	judge_stretches(&s, 200, 100);
	assert_false(s.known);
	assert_int_equal(s.nspans, 0);
	speed_release(&s);
	judge_stretches(&s, 800, 400);
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
	judge_stretches(&s, 800, 10);
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
	for (size_t i = 0; i < 800; i++)
		append_turn(&turns, i < 400 ? TURN_BASE : TURN_PROFILE, i < 400);
	assert_int_equal(speed_judge(&s, &turns, 2), 0);
	assert_false(s.known);
	assert_int_equal(s.nspans, 0);
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

/* Of turns that are too few, the gate says that it cannot tell; it is not one that this machine does not have. */
static void test_gate_cannot_tell(void **state)
{
	const enum quality_verdict want[] = {QUALITY_HOLDS, QUALITY_CANNOT_TELL};

	(void)state;
	gsl_rng_set(rng, 1);
	for (int few = 0; few < 2; few++) {
		const struct quality_row *row = NULL;
		struct simulated s;

		make_run(&s.r, &s.turns, &s.m, STEADY, false);
		s.turns.n = few ? 20 : s.turns.n;
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

/* Rounds that are slow for most of their time have a base all the same: of the turns that are left. */
static void test_mostly_slow_rounds(void **state)
{
	struct simulated s;
	struct run_turn *t;

	(void)state;
	gsl_rng_set(rng, 1);
	make_run(&s.r, &s.turns, &s.m, STEADY, false);
	t = s.turns.list;
	for (size_t i = 0, from = 0, to = 0; i < s.turns.n; i++) {
		if (i == to) /* a round begins */
			for (from = i; to < s.turns.n && t[to].round == t[from].round;)
				to++;
		if (i - from < (to - from) * 3 / 5)
			t[i].own_ns = t[i].own_ns * 3 / 2;
	}
	analyse(&s.a, &s.r, &s.turns, &s.m);
	assert_true(s.a.speed.known);
	assert_true(s.a.speed.aside_s > s.a.speed.run_s / 2);
	for (size_t v = 0; v < s.a.nvariants; v++)
		assert_true(s.a.variants[v].nused > 0);
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

/* Probes of rounds set nothing aside. They tell a slower machine in another run, and nothing within a run. */
static void test_probed_turns(void **state)
{
	static struct simulated one, alike, slow;

	(void)state;
	gsl_rng_set(rng, 1);
	make_probed(&one, 1);
	make_probed(&alike, 1);
	make_probed(&slow, 1.3);
	assert_true(one.a.speed.known && !one.a.speed.by_probes);
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
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_restless),
		cmocka_unit_test(test_one_use_at_one_speed),
		cmocka_unit_test(test_gate_cannot_tell),
		cmocka_unit_test(test_mostly_slow_rounds),
		cmocka_unit_test(test_probed_turns),
	};
	int failed;

	if (simulation_begin())
		return 1;
	failed = cmocka_run_group_tests_name("speed of turns", tests, NULL, NULL);
	simulation_end();
	return failed;
}
