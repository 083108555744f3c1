// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks whose RX CPU was probed: those at another speed are set aside by the probes, whatever their packets cost. Runs
 * whose truth is known go through the whole analysis and the comparison. Two variants, 70 and 250 ns, 12 rounds of a
 * block of 1 s; a probe takes 10 ns a step, with 1 % of scatter, and 12 % more under load of the first variant.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include "reports/compare/compare.h"
#include "reports/page/page.h"
#include "tests/unit/unit.h"

#define ROUNDS 12
#define BLOCKS (2 * ROUNDS)
#define STEP   10.0

static gsl_rng *rng;
static struct facilities *facilities;

/* What a block is: how many times dearer its packets are, and how many times slower its probes. */
struct state {
	double cost, probe;
	bool unprobed;
};

static void add_speed(struct run_block *b, const struct state *s, double second, bool loaded)
{
	struct run_speed *p = run_add_speed(b);

	p->at_ns = (uint64_t)(second * 1e9);
	p->loaded = loaded;
	p->ns = STEP * s->probe * (loaded && !b->variant ? 1.12 : 1) * (1 + 0.01 * gsl_ran_ugaussian(rng));
}

static void add_window(struct run_block *b, double second, double ns)
{
	struct run_window *w = run_add_window(b);

	w->kind = RUN_BASE;
	w->from_ns = (uint64_t)(second * 1e9);
	w->to_ns = w->from_ns + 300000000;
	w->busy_ns = 3e8;
	run_add_cpu(w, 1)->verdicts[RUN_DROP] = (uint64_t)(3e8 / ns);
}

static void make_run(struct run *r, const struct state *states)
{
	static const double level[2] = {70, 250};

	run_init(r);
	strcpy(r->event, "cpu-clock");
	strcpy(r->ended, "complete");
	r->rx_cpus[r->nrx_cpus++] = 1;
	assert_int_equal(run_variant_parse(run_add_variant(r), "drop/no-touch@native", NULL), 0);
	assert_int_equal(run_variant_parse(run_add_variant(r), "drop/no-touch@skb", NULL), 0);
	for (int i = 0; i < BLOCKS; i++) {
		struct run_block *b = run_add_block(r);
		const struct state *s = &states[i];

		b->round = i / 2;
		b->variant = (size_t)i % 2;
		b->mode_found = r->variants[b->variant].mode;
		for (int k = 0; k < 3; k++) {
			if (!s->unprobed)
				add_speed(b, s, i + k * 0.4, k == 1);
			if (k < 2)
				add_window(b, i + k * 0.4 + 0.05,
					   level[i % 2] * s->cost * (1 + 0.01 * gsl_ran_ugaussian(rng)));
		}
	}
}

static void analyse(struct analysis *a, struct run *r, const struct state *states)
{
	struct analysis_options o;
	struct diag d = {""};

	make_run(r, states);
	o = (struct analysis_options){};
	assert_int_equal(analysis_build(a, r, folder, facilities, &o, &d), 0);
}

static void let_go(struct analysis *a, struct run *r)
{
	analysis_release(a);
	run_release(r);
}

static void all_alike(struct state *states)
{
	for (int i = 0; i < BLOCKS; i++)
		states[i] = (struct state){1, 1, false};
}

static size_t count(const struct analysis *a, enum analysis_fate fate)
{
	size_t n = 0;

	for (size_t v = 0; v < a->nvariants; v++)
		for (size_t i = 0; i < a->variants[v].nblocks; i++)
			n += a->variants[v].blocks[i].fate == fate;
	return n;
}

static const struct quality_row *gate_of(const struct quality *q, const char *name)
{
	for (size_t i = 0; i < q->nrows; i++)
		if (!strcmp(q->rows[i].gate, name))
			return &q->rows[i];
	return NULL;
}

static void test_one_speed(void **state)
{
	struct state states[BLOCKS];
	struct analysis a;
	struct run r;

	all_alike(states);
	for (int i = 0; i < 50; i++) { /* chance alone makes no second speed */
		analyse(&a, &r, states);
		assert_true(a.speed.known && a.speed.by == SPEED_PROBES);
		assert_int_equal(count(&a, FATE_USED), BLOCKS);
		assert_int_equal(a.speed.nspans, 0);
		assert_true(fabs(a.speed.run_s - BLOCKS * 0.8) < 1e-6);
		assert_true(fabs(a.variants[0].blocks[0].speed - 1) < 0.05);
		let_go(&a, &r);
	}
}

/* Eight blocks at a slow speed: 1.4 times for packets, 1.08 times for probes. */
static void test_two_speeds(void **state)
{
	struct state states[BLOCKS];
	struct timeline t;
	struct analysis a;
	struct run r;

	all_alike(states);
	for (int i = 6; i < 14; i++)
		states[i] = (struct state){1.4, 1.08, false};
	analyse(&a, &r, states);
	assert_int_equal(count(&a, FATE_SLOW), 8);
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(a.variants[i % 2].blocks[i / 2].fate == FATE_SLOW, i >= 6 && i < 14);
	assert_true(fabs(a.speed.aside_s - 8 * 0.8) < 1e-6);
	assert_true(fabs(a.speed.factor - 1.4) < 0.02);
	assert_true(fabs(a.speed.probe_factor - 1.08) < 0.01);
	assert_true(fabs(a.variants[0].base_ns - 70) < 1);
	assert_true(fabs(a.variants[1].base_ns - 250) < 3);
	assert_true(fabs(a.variants[1].slow_factor - 1.4) < 0.02);
	assert_false(gate_of(&a.variants[0].quality, "pace")->ok);
	assert_int_equal(timeline_build(&t, &a), 0);
	assert_int_equal(t.nspans, 1); /* blocks one after the other are one band */
	assert_true(fabs(t.spans[0].from_s - 5.95) < 1e-6 && fabs(t.spans[0].to_s - (13.8 - 0.05)) < 1e-6);
	timeline_release(&t);
	let_go(&a, &r);
}

/* All blocks of the second variant but one at a slow speed: it would be left with nothing to average. */
static void test_too_few_left(void **state)
{
	struct state states[BLOCKS];
	struct analysis a;
	struct run r;

	all_alike(states);
	for (int i = 3; i < BLOCKS; i += 2)
		states[i] = (struct state){1, 1.3, false};
	analyse(&a, &r, states);
	assert_false(a.speed.known);
	assert_int_equal(count(&a, FATE_USED), BLOCKS);
	assert_int_equal(a.speed.nspans, 0);
	let_go(&a, &r);
	states[3] = states[1]; /* two, but less than a quarter */
	analyse(&a, &r, states);
	assert_int_equal(count(&a, FATE_USED), BLOCKS);
	let_go(&a, &r);
	states[5] = states[1];
	analyse(&a, &r, states);
	assert_true(a.speed.known);
	assert_int_equal(count(&a, FATE_SLOW), BLOCKS / 2 - 3);
	let_go(&a, &r);
}

/* What packets cost decides nothing where probes tell the speeds apart, and something where they do not. */
static void test_own_cost(void **state)
{
	struct state states[BLOCKS];
	struct analysis a;
	struct run r;

	all_alike(states);
	for (int i = 16; i < 20; i++)
		states[i].cost = 1.4;
	analyse(&a, &r, states);
	assert_int_equal(count(&a, FATE_SLOW), 4);
	assert_int_equal(a.speed.nspans, 0);
	let_go(&a, &r);
	for (int i = 0; i < 6; i++)
		states[i].probe = 1.2;
	analyse(&a, &r, states);
	assert_int_equal(count(&a, FATE_SLOW), 6);
	assert_true(a.variants[0].blocks[0].fate == FATE_SLOW && a.variants[0].blocks[8].fate == FATE_USED);
	let_go(&a, &r);
	states[23].unprobed = true; /* then nothing is known by probes */
	analyse(&a, &r, states);
	assert_false(a.speed.known);
	assert_int_equal(count(&a, FATE_SLOW), 4);
	let_go(&a, &r);
}

/* A machine that is slow most of the time has that speed; the fast blocks are set aside if they are too few. */
static void test_mostly_slow(void **state)
{
	struct state states[BLOCKS];
	struct analysis a;
	struct run r;

	all_alike(states);
	for (int i = 4; i < BLOCKS; i++)
		states[i] = (struct state){1.3, 1.1, false};
	analyse(&a, &r, states);
	assert_int_equal(count(&a, FATE_SLOW), 4);
	assert_true(fabs(a.variants[0].base_ns - 91) < 1.5);
	assert_true(fabs(a.speed.factor - 1 / 1.3) < 0.02);
	assert_non_null(strstr(gate_of(&a.variants[0].quality, "pace")->note, "1.3"));
	assert_non_null(strstr(gate_of(&a.variants[0].quality, "pace")->note, "faster"));
	let_go(&a, &r);
}

static enum quality_verdict speed_gate(double other)
{
	enum quality_verdict verdict;
	struct state states[BLOCKS];
	struct analysis a, b;
	struct diag d = {""};
	struct compare c;
	struct run r, s;

	all_alike(states);
	analyse(&a, &r, states);
	for (int i = 0; i < BLOCKS; i++)
		states[i].probe = other;
	states[0].unprobed = other == 0;
	analyse(&b, &s, states);
	assert_int_equal(compare_build(&c, &a.variants[0], &b.variants[0], NULL, &d), 0);
	verdict = quality_verdict(gate_of(&c.quality, "speed-alike"));
	compare_release(&c);
	let_go(&a, &r);
	let_go(&b, &s);
	return verdict;
}

/* The loaded probes of the two variants differ by 12 %, and that is no other speed. */
static void test_gate(void **state)
{
	struct state states[BLOCKS];
	struct diag d = {""};
	struct analysis a;
	struct compare c;
	struct run r;

	assert_int_equal(speed_gate(1), QUALITY_HOLDS);
	assert_int_equal(speed_gate(1.1), QUALITY_FAILS);
	assert_int_equal(speed_gate(1 / 1.1), QUALITY_FAILS);
	assert_int_equal(speed_gate(1.05), QUALITY_CANNOT_TELL);
	all_alike(states);
	analyse(&a, &r, states);
	assert_int_equal(compare_build(&c, &a.variants[0], &a.variants[1], NULL, &d), 0);
	assert_int_equal(quality_verdict(gate_of(&c.quality, "speed-alike")), QUALITY_HOLDS);
	compare_release(&c);
	let_go(&a, &r);
	for (int i = 0; i < BLOCKS; i++)
		states[i].unprobed = true;
	analyse(&a, &r, states);
	assert_int_equal(compare_build(&c, &a.variants[0], &a.variants[1], NULL, &d), 0);
	assert_int_equal(quality_verdict(gate_of(&c.quality, "speed-alike")), QUALITY_NOT_KNOWN);
	compare_release(&c);
	let_go(&a, &r);
}

/* Written and read again, and refused where it cannot be. */
static void test_file(void **state)
{
	struct state states[BLOCKS];
	struct run r, again;
	struct diag d = {""};

	all_alike(states);
	make_run(&r, states);
	r.waited_s = 1.25;
	r.steady = true;
	strcpy(r.version, "1");
	strcpy(r.started, "2026");
	strcpy(r.order, "abba");
	assert_int_equal(run_write(&r, folder, &d), 0);
	assert_int_equal(run_read(&again, folder, &d), 0);
	assert_int_equal(again.blocks[5].nspeeds, 3);
	assert_true(again.blocks[5].speeds[1].loaded && !again.blocks[5].speeds[2].loaded);
	assert_true(fabs(again.blocks[5].speeds[1].ns - r.blocks[5].speeds[1].ns) < 1e-9);
	assert_int_equal(again.blocks[5].speeds[1].at_ns, r.blocks[5].speeds[1].at_ns);
	assert_true(again.steady && again.waited_s == 1.25);
	run_release(&again);
	r.blocks[3].speeds[1].ns = 0;
	assert_int_equal(run_write(&r, folder, &d), 0);
	assert_int_equal(run_read(&again, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, "blocks[3].speed[1].ns is not a time above 0"));
	r.blocks[3].speeds[1].ns = 1;
	r.blocks[3].speeds[2].at_ns = 0;
	d.text[0] = '\0';
	assert_int_equal(run_write(&r, folder, &d), 0);
	assert_int_equal(run_read(&again, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, "blocks[3].speed[2].at_ns lies before"));
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_speed),    cmocka_unit_test(test_two_speeds),
		cmocka_unit_test(test_too_few_left), cmocka_unit_test(test_own_cost),
		cmocka_unit_test(test_mostly_slow),  cmocka_unit_test(test_gate),
		cmocka_unit_test(test_file),
	};
	struct diag d = {""};
	int failed;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng || facilities_read(&facilities, "tests/synthetic.conf", &d)) {
		fprintf(stderr, "%s\n", d.text);
		return 1;
	}
	failed = cmocka_run_group_tests_name("speed_probes", tests, make_folder, remove_folder);
	facilities_free(facilities);
	gsl_rng_free(rng);
	return failed;
}
