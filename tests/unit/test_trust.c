// SPDX-License-Identifier: GPL-2.0-or-later
/* How far to trust a run, in words: every gate has some, and only what holds is counted as holding. */
#include "reports/format/format.h"
#include "tests/unit/unit.h"

static const struct quality_limits table;

static void test_every_gate_has_words(void **state)
{
	for (int i = 0; i < QUALITY_GATES; i++) {
		const struct quality_rule *rule = &quality_rules[i];

		assert_ptr_equal(quality_rule_find(rule->name), rule);
		assert_true(rule->found && *rule->found && rule->consequence && *rule->consequence);
		assert_true(!(rule->is & COUNTS) || strchr(rule->found, '#'));
		/* A value between 0 and 1, yes or no, is no number for people. */
		assert_true(*rule->unit || !strchr(rule->found, '#'));
	}
	assert_null(quality_rule_find("saturatio"));
}

static void test_verdicts(void **state)
{
	const enum quality_verdict want[] = {QUALITY_HOLDS,       QUALITY_FAILS, QUALITY_FAILS, QUALITY_NOT_KNOWN,
					     QUALITY_CANNOT_TELL, QUALITY_FAILS, QUALITY_HOLDS};
	struct quality q = {0};

	assert_int_equal(quality_add(&q, &table, QUALITY_SATURATION, "a", 97, "%s", ""), 0);
	assert_int_equal(quality_add(&q, &table, QUALITY_SATURATION, "a", 96, "%s", ""), 0);
	assert_int_equal(quality_add(&q, &table, QUALITY_SATURATION, "a", NAN, "%s", ""), 0);
	assert_int_equal(quality_add(&q, &table, QUALITY_OVERHEAD, "a", NAN, "%s", ""), 0);
	assert_int_equal(quality_add_spread(&q, &table, QUALITY_OVERHEAD, "a", 3, 1.5), 0);
	assert_int_equal(quality_add_spread(&q, &table, QUALITY_OVERHEAD, "a", 4, 1.5), 0);
	assert_int_equal(quality_add_spread(&q, &table, QUALITY_OVERHEAD, "a", 1, 0.5), 0);
	for (size_t i = 0; i < q.nrows; i++)
		assert_int_equal(quality_verdict(&q.rows[i]), want[i]);
	quality_release(&q);
}

static char *render(const struct quality *q, size_t lines)
{
	struct trust trust = {0};
	struct text t = {0};
	char *text = NULL;
	size_t size;

	assert_int_equal(trust_add(&trust, q, 0, QUALITY_GATES - 1, "here"), 0);
	t.out = open_memstream(&text, &size);
	assert_non_null(t.out);
	assert_int_equal(trust_render(&t, &trust, lines), 0);
	fclose(t.out);
	trust_release(&trust);
	trust_release(&trust);
	return text;
}

static void test_counts_and_words(void **state)
{
	struct quality q = {0};
	char *text;

	quality_add(&q, &table, QUALITY_MODE, "a", 0, "%s", "");
	quality_add(&q, &table, QUALITY_SATURATION, "a", 88, "%s", "");
	quality_add(&q, &table, QUALITY_SATURATION, "b", 71.61, "%s", "");
	quality_add(&q, &table, QUALITY_SATURATION, "c", 99, "%s", "");
	quality_add_spread(&q, &table, QUALITY_OVERHEAD, "a", 3, 1.5);
	quality_add(&q, &table, QUALITY_OVERHEAD, "b", 1, "%s", "");
	quality_add(&q, &table, QUALITY_FREQUENCY, "a", NAN, "%s", "");
	quality_add(&q, &table, QUALITY_RATE, "a", NAN, "%s", "");
	quality_add(&q, &table, QUALITY_RATE, "b", 1, "%s", "");
	quality_add(&q, &table, QUALITY_CONSERVATION, "a", 12345, "%s", "");
	quality_add(&q, &table, QUALITY_PAIRS, "", 3, "%s", "");
	text = render(&q, 20);
	assert_string_equal(text, "Trust: 1 of 5 quality gates hold, 3 fail, 1 cannot tell; 2 not known here\n"
				  "  saturation: the CPU was only 71.6 % busy in b and 1 other; a CPU that pauses\n"
				  "    polls for fewer packets, and each may cost more\n"
				  "  conservation: packets (12,345) that no counter explains got lost or came from\n"
				  "    elsewhere in a; do not trust the packet rate\n"
				  "  pairs: there are too few blocks to compare (3) in here; the interval of the\n"
				  "    difference is rough\n"
				  "  cannot tell: overhead\n");
	free(text);
	/* The first line, two of saturation, two of conservation, one for the rest, one of what cannot tell. */
	text = render(&q, 7);
	assert_null(strstr(text, "pairs:"));
	assert_non_null(strstr(text, "conservation:"));
	assert_non_null(strstr(text, "  and 1 more; the full report has them\n  cannot tell:"));
	free(text);
	text = render(&q, 3);
	assert_string_equal(text, "Trust: 1 of 5 quality gates hold, 3 fail, 1 cannot tell; 2 not known here\n"
				  "  and 3 more; the full report has them\n"
				  "  cannot tell: overhead\n");
	free(text);
	quality_release(&q);
}

/* A row that a later version's history brought is no reason to stumble. */
static void test_unknown_gate(void **state)
{
	struct quality_row row = {.gate = "tomorrow", .unit = "", .value = 1, .limit = 0};
	struct quality q = {&row, 1};
	char *text = render(&q, 20);

	assert_string_equal(text, "Trust: 0 of 0 quality gates hold\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_gate_has_words),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_counts_and_words),
		cmocka_unit_test(test_unknown_gate),
	};

	return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
