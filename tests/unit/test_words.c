// SPDX-License-Identifier: GPL-2.0-or-later
/* Sentences of numbers made by hand, word for word: of stages, speeds, stalls, spreads, sides and differences. */
#include "reports/document/document.h"
#include "base/sheet/sheet.h"
#include "tests/unit/unit.h"

static struct run run;
static struct analysis analysis;
static struct analysis_variant variants[2];

static int begin(void **state)
{
	static const char *const ids[] = {"drop/no-touch@native", "drop/no-touch@skb"};

	run_init(&run);
	strcpy(run.event, "cpu-clock");
	analysis.run = &run;
	for (int i = 0; i < 2; i++)
		if (run_variant_parse(run_add_variant(&run), ids[i], NULL))
			return -1;
	for (int i = 0; i < 2; i++)
		analysis_variant_init(&variants[i], &analysis, &run.variants[i]);
	analysis.variants = variants;
	analysis.nvariants = 2;
	return 0;
}

static int end(void **state)
{
	run_release(&run);
	return 0;
}

/* What the first variant's row has under a key; NULL for nothing. */
static void says(const char *key, const char *want)
{
	const struct cell *cell;
	struct rows r;

	assert_int_equal(report_rows(&r, &analysis, NULL), 0);
	cell = rows_cell(rows_in(&r, 0, "variants"), 0, key);
	assert_non_null(cell);
	if (want)
		assert_string_equal(cell->text ? cell->text : "(nothing)", want);
	else
		assert_null(cell->text);
	rows_release(&r);
}

static void stage_says(const char *want)
{
	char line[400];

	stage_words(&variants[0], line, sizeof(line));
	assert_string_equal(line, want);
}

/* The number that the first variant's object under a key has under another one. */
static double number_in(const char *object, const char *key)
{
	struct rows r;
	double value;

	assert_int_equal(report_rows(&r, &analysis, NULL), 0);
	value = rows_cell(rows_in(rows_in(&r, 0, "variants"), 0, object), 0, key)->value;
	rows_release(&r);
	return value;
}

static void test_stage(void **state)
{
	struct analysis_stage *s = &variants[0].stage, was = *s;
	struct analysis_variant task = {
		.overhead_pct = 4.25,
		.overhead_half_pct = 1.5,
		.sampled_busy_pct = 80,
		.sampled_busy_half_pct = 0.5,
		.nsymbols = 1,
	};

	strcpy(run.variants[0].stage_text, "kthread cpumap");
	stage_says("kthread cpumap; what it costs is not known, and in the base as far as it ran on the RX CPU");
	s->task = &task;
	stage_says("kthread cpumap; what it costs is not known, and in the base as far as it ran on the RX CPU");
	s->ns = 100;
	s->half_ns = 2.5;
	stage_says("100.0 ± 2.5 ns per frame, taken out of the RX CPU's time: kthread cpumap; sampling makes it 4.2 ± "
		   "1.5 % dearer, and the samples account for 80.0 ± 0.5 % of that time");
	s->by_task = true;
	task.nsymbols = 0;
	s->dropped_pct = 0;
	stage_says("100.0 ± 2.5 ns per frame: kthread cpumap; 0 % of the frames dropped before it");
	s->dropped_pct = 2.25;
	stage_says("100.0 ± 2.5 ns per frame: kthread cpumap; 2.2 % of the frames dropped before it");
	*s = was;
}

static void test_speed_words(void **state)
{
	struct speed *s = &analysis.speed;

	says("speed_words", NULL);
	*s = (struct speed){.known = true, .by = SPEED_VARIANTS, .run_s = 60, .moved = 0.126};
	run.waited_s = NAN;
	variants[0].ruler_ns = variants[0].slope_half = NAN;
	says("speed_words",
	     "the machine's speed moved by ± 13 % in 60 s of turns; that is taken out: costs are those at "
	     "the median speed, by what all variants cost together");
	s->by = SPEED_GENERATOR;
	s->moved = 0.0084;
	variants[0].ruler_ns = 124.52;
	run.waited_s = 0;
	run.steady = true;
	says("speed_words",
	     "the machine's speed moved by ± 0.8 % in 60 s of turns; that is taken out: costs are those at "
	     "the median speed, where the generator takes 124.5 ns a frame; the first block waited 0.0 s "
	     "for a steady CPU");
	variants[0].slope = 1.05;
	variants[0].slope_half = 0.02;
	run.waited_s = 1.25;
	run.steady = false;
	s->nstalls = 1;
	s->stalls_s = 0.0125;
	assert_true(number_in("speed", "stalls") == 1 && number_in("speed", "stalls_ms") == 12.5);
	s->aside_s = 2;
	says("speed_words",
	     "the machine's speed moved by ± 0.8 % in 60 s of turns; that is taken out: costs are those at the median "
	     "speed, where the generator takes 124.5 ns a frame (slope 1.05 ± 0.02); in 2.0 s it jumped, and these are "
	     "set aside; the first block waited 1.2 s for a steady CPU in vain; 1 stall of the run, 12.5 ms in all, is "
	     "set aside");
	s->by = SPEED_PROBES;
	s->aside_s = 0;
	says("speed_words", "the probes of the CPU saw one speed in 60 s of blocks; the first block waited 1.2 s for a "
			    "steady CPU in vain; 1 stall of the run, 12.5 ms in all, is set aside");
	run.waited_s = NAN;
	s->nstalls = 0;
	s->aside_s = 20;
	s->factor = 1.25;
	s->probe_factor = 1.5;
	says("speed_words",
	     "the machine was 1.25 times slower for 20 of 60 s (the probe of the CPU: 1.50 times); these "
	     "blocks are set aside");
	s->factor = 0.8;
	s->probe_factor = 0.5;
	says("speed_words",
	     "the machine was 1.25 times faster for 20 of 60 s (the probe of the CPU: 2.00 times); these "
	     "blocks are set aside");
	*s = (struct speed){0};
}

static const struct cell *in(const struct rows *r, size_t row, const char *key)
{
	const struct cell *cell = rows_cell(r, row, key);

	assert_non_null(cell);
	return cell;
}

/* People see as many digits of a cost in percent as its half-width of the base deserves. */
static void test_cost(void **state)
{
	struct analysis_row tag = {.name = "a", .samples = 7, .self_pct = 20, .self_ns = 40, .ci95_ns = {37, 43}};
	struct analysis_variant was = variants[0];

	variants[0].tags = &tag;
	variants[0].ntags = 1;
	variants[0].base_ns = 200;
	for (int decimals = 1; decimals <= 2; decimals++) {
		const struct rows *tags;
		struct rows r;

		tag.half_ns = decimals == 1 ? 0.1905 : 0.1895; /* 0.095 % is where it changes */
		assert_int_equal(report_rows(&r, &analysis, NULL), 0);
		tags = rows_in(rows_in(&r, 0, "variants"), 0, "tags");
		assert_int_equal(in(tags, 0, "self_pct")->decimals, decimals);
		assert_true(in(tags, 0, "self_ns")->half == tag.half_ns && in(tags, 0, "self_ns")->value == 40);
		assert_true(in(tags, 0, "ci95_ns")->range[1] == 43 && in(tags, 0, "samples")->value == 7);
		rows_release(&r);
	}
	variants[0] = was;
}

static void check_spread_table(void)
{
	const struct rows *spread, *bins, *stalls;
	struct rows r;

	assert_int_equal(report_rows(&r, &analysis, NULL), 0);
	spread = rows_in(rows_in(&r, 0, "variants"), 0, "spread");
	assert_string_equal(in(spread, 0, "of")->text, "turns");
	assert_true(in(spread, 0, "n")->value == 2000 && in(spread, 0, "p1_ns")->value == 100);
	assert_true(in(spread, 0, "p25_ns")->value == 110 && in(spread, 0, "p50_ns")->value == 120);
	assert_true(in(spread, 0, "p75_ns")->value == 130 && in(spread, 0, "p99_ns")->value == 148);
	assert_true(in(spread, 0, "longest_ns")->value == 900 && in(spread, 0, "dearer_pct")->value == 25);
	bins = rows_in(spread, 0, "bins");
	assert_int_equal(bins->nrows, ANALYSIS_TURN_BINS);
	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++) {
		near_to(in(bins, i, "from_ns")->value, 100 + 2 * (double)i, 1e-9);
		assert_true(in(bins, i, "count")->value == (double)i * 10);
	}
	stalls = rows_in(spread, 0, "longest_stalls");
	assert_int_equal(stalls->nrows, 3);
	assert_true(in(stalls, 0, "at_s")->value == 1.5 && in(stalls, 0, "longer_ms")->value == 30);
	assert_true(isnan(in(stalls, 0, "samples")->value) && in(stalls, 1, "samples")->value == 0);
	assert_true(in(stalls, 2, "samples")->value == 7);
	assert_string_equal(in(stalls, 2, "ran")->text, "kswapd_run");
	rows_release(&r);
}

static void test_spread(void **state)
{
	struct analysis_turns *t = &variants[0].turns, was = *t;

	says("turns_words", NULL);
	*t = (struct analysis_turns){.n = 7, .ns = {100, 110, 120, 130, 148}, .longest_ns = 900};
	t->mode_ns[0] = t->mode_ns[1] = t->dearer_pct = NAN;
	says("turns_words", NULL);
	t->n = 8;
	says("turns_words", "8 turns; 1 % of them cost less than 100.0 ns per packet, a quarter less than 110.0, half "
			    "120.0, three quarters 130.0, 99 % 148.0; the dearest 900.0");
	says("histogram_words", NULL);
	says("modes_words", NULL);
	says("stall_words", NULL);
	t->n = 2000;
	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		t->bins[i] = i * 10;
	t->mode_ns[0] = 105;
	t->mode_ns[1] = 140.5;
	t->dearer_pct = 25;
	t->nstalls = 3;
	t->stalls[0] = (struct analysis_stall){.at_s = 1.5, .longer_ns = 30e6};
	t->stalls[1] = (struct analysis_stall){.at_s = 2.25, .longer_ns = 20e6, .sampled = true};
	t->stalls[2] = (struct analysis_stall){.at_s = 3, .longer_ns = 10.5e6, .sampled = true, .samples = 7};
	strcpy(t->stalls[2].ran, "kswapd_run");
	says("histogram_words", "100.0 ns | ▁▁▂▂▂▃▃▃▄▄▄▅▅▅▆▆▆▇▇▇███| 148.0 ns");
	says("modes_words", "the cost has two modes: 105.0 ns, and 140.5 ns in 25 % of the turns; the mean is neither");
	says("stall_words",
	     "30.0 ms at 1.50 s (what ran is not known), 20.0 ms at 2.25 s (no sample: the CPU was away), "
	     "10.5 ms at 3.00 s (most of 7 samples in kswapd_run)");
	check_spread_table();
	t->windows = true;
	says("turns_words", "2,000 windows; a quarter of them cost less than 110.0 ns per packet, half 120.0, three "
			    "quarters 130.0; the dearest 900.0");
	says("modes_words",
	     "the cost has two modes: 105.0 ns, and 140.5 ns in 25 % of the windows; the mean is neither");
	*t = was;
}

static void sides_are(const char *base_id, const char *new_id, const char *base, const char *new)
{
	struct exact_variant a = {0}, b = {0};
	struct exact_diff d = {.base = &a, .new = &b};
	const char *x, *y;

	snprintf(a.id, sizeof(a.id), "%s", base_id);
	snprintf(b.id, sizeof(b.id), "%s", new_id);
	sentence_exact_sides(&d, &x, &y);
	assert_string_equal(x, base);
	assert_string_equal(y, new);
}

static void test_exact_sides(void **state)
{
	sides_are("drop/no-touch@native", "drop/no-touch@skb", "native", "generic");
	sides_are("drop/no-touch@skb", "drop/no-touch@native", "generic", "native");
	sides_are("drop/no-touch@skb", "drop/no-touch@skb", "drop/no-touch@skb", "drop/no-touch@skb");
	sides_are("drop/no-touch@skb", "pass/no-touch@native", "drop/no-touch@skb", "pass/no-touch@native");
	sides_are("drop/a@skb", "drop/ab@native", "drop/a@skb", "drop/ab@native");
	sides_are("idle", "idle@native", "idle", "idle@native");
	sides_are("idle@native", "idle", "idle@native", "idle");
}

static void difference_is(const struct compare *c, const char *before, const char *number, const char *after)
{
	struct sentence s;

	sentence_of_difference(&s, c);
	assert_string_equal(s.before, before);
	assert_string_equal(s.number, number);
	assert_string_equal(s.after, after);
}

static void difference_says(const struct compare *c, const char *key, const char *want)
{
	const struct cell *cell;
	struct rows r;

	assert_int_equal(diff_rows(&r, c, "", ""), 0);
	cell = rows_cell(&r, 0, key);
	assert_string_equal(cell && cell->text ? cell->text : "(nothing)", want);
	rows_release(&r);
}

static void test_shared_speed(void **state)
{
	struct compare c = {.base = &variants[0], .new = &variants[1], .same_run = true};

	c.headline = (struct compare_headline){
		.speed_shared = true, .ratio = 4, .ratio_half = 0.5, .all_ns = 30, .all_half_ns = 2};
	analysis.speed = (struct speed){.known = true, .run_s = 60};
	difference_says(
		&c, "speed_words",
		"both saw the same machine: the difference is that at its median speed, and the new one costs 4.0 ± "
		"0.5 times as much; the mean of all rounds, with all speeds, is 30.0 ± 2.0 ns");
	analysis.speed = (struct speed){};
	difference_says(&c, "speed_words",
			"both saw the same machine: the difference is that at its mean speed, and the new one costs "
			"4.0 ± 0.5 times as much; the mean of all rounds, with all speeds, is 30.0 ± 2.0 ns");
}

static void test_difference(void **state)
{
	struct compare c = {.base = &variants[0], .new = &variants[1], .same_run = true};

	variants[0].busy_pct = variants[1].busy_pct = 100;
	c.headline.delta_ns = NAN;
	difference_is(&c, "drop/no-touch: generic and native cannot be compared: no packets in one of them", "", "");
	c.headline.delta_ns = 100;
	c.headline.half_ns = 2.5;
	difference_is(&c, "drop/no-touch: generic costs ", "100.0 ± 2.5 ns", " more per packet than native (95 %)");
	c.headline.delta_ns = -100;
	difference_is(&c, "drop/no-touch: generic costs ", "100.0 ± 2.5 ns", " less per packet than native (95 %)");
	c.headline.delta_ns = 2.5;
	difference_is(&c, "drop/no-touch: generic and native do not differ measurably: ", "+2.5 ± 2.5 ns",
		      " per packet (95 %)");
	c.headline.delta_ns = -1;
	difference_is(&c, "drop/no-touch: generic and native do not differ measurably: ", "-1.0 ± 2.5 ns",
		      " per packet (95 %)");
	c.same_run = false;
	c.headline.half_ns = NAN;
	difference_is(&c, "drop/no-touch: generic costs ", "1.0 ns",
		      " less per packet in the new run than native in the base run");
	c.runs.nbase = 3;
	c.runs.delta_ns = 7;
	c.runs.half_ns = 0.5;
	difference_is(&c, "drop/no-touch: generic costs ", "7.0 ± 0.5 ns",
		      " more per packet in the new run than native in the base run (95 %, over runs)");
	c.base = &variants[1];
	difference_is(&c, "drop/no-touch@skb costs ", "7.0 ± 0.5 ns",
		      " more per packet in the new run than drop/no-touch@skb in the base run (95 %, over runs)");
}

/* What text_wrapped() makes of a text. */
static void wraps(int indent, const char *text, const char *want)
{
	struct text t = {0};
	char *made = NULL;
	size_t size;

	t.out = open_memstream(&made, &size);
	text_wrapped(&t, indent, text);
	fclose(t.out);
	assert_string_equal(made, want);
	free(made);
}

/* A line holds TEXT_COLUMNS characters and no more; a word that is longer has a line of its own. */
static void test_wrapped(void **state)
{
	char word[800], text[1000], want[1000];

	wraps(2, "one two", "  one two\n");
	wraps(0, "one  two", "one two\n");
	memset(word, 'x', sizeof(word));
	word[TEXT_COLUMNS - 8] = '\0';
	snprintf(text, sizeof(text), "abcdefg %s z", word);
	snprintf(want, sizeof(want), "abcdefg %s\nz\n", word);
	wraps(0, text, want);
	snprintf(text, sizeof(text), "abcdefgh %s z", word);
	snprintf(want, sizeof(want), "abcdefgh\n%s z\n", word);
	wraps(0, text, want);
	memset(word, 'x', sizeof(word));
	word[700] = '\0';
	snprintf(text, sizeof(text), "a %s b", word);
	snprintf(want, sizeof(want), "a\n%.511s\n%.189s\nb\n", word, word);
	wraps(0, text, want);
}

static void splits(size_t columns, size_t taken, size_t name, size_t rest, size_t want_name, size_t want_rest)
{
	struct text t = {.columns = columns};
	struct text_split s = text_split(&t, taken, name, rest);

	assert_int_equal(s.name, want_name);
	assert_int_equal(s.rest, want_rest);
}

/* Of the room for a name and the rest, the rest keeps two fifths, and what the name does not need. */
static void test_split(void **state)
{
	splits(0, 30, 500, 500, 500, 0);
	splits(80, 29, 30, 20, 30, 0); /* both fit into 50 */
	splits(80, 29, 31, 20, 30, 20);
	splits(80, 29, 40, 40, 30, 20);
	splits(80, 29, 10, 60, 10, 40);
	splits(80, 29, 29, 60, 29, 21);
	splits(20, 40, 10, 10, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stage),   cmocka_unit_test(test_speed_words), cmocka_unit_test(test_spread),
		cmocka_unit_test(test_cost),    cmocka_unit_test(test_exact_sides), cmocka_unit_test(test_difference),
		cmocka_unit_test(test_wrapped), cmocka_unit_test(test_split),       cmocka_unit_test(test_shared_speed),
	};

	return cmocka_run_group_tests_name("words", tests, begin, end);
}
