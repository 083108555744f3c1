// SPDX-License-Identifier: GPL-2.0-or-later
/* Triggers: what their text may be, and at which second a condition comes true. */
#include <fcntl.h>
#include "user/watch/watch.h"
#include "tests/unit/unit.h"

static int read_text(struct triggers *t, const char *text, struct diag *d)
{
	char path[64];
	int err;

	write_temporary(path, text);
	*t = (struct triggers){};
	err = triggers_read(t, path, d);
	unlink(path);
	return err;
}

static void test_text(void **state)
{
	static const char *const bad[] = {"a",
					  "a losses",
					  "a losses > ",
					  "a losses = 3",
					  "a nothing > 3",
					  "a losses > x",
					  "a losses > 3 for",
					  "a losses > 3 for 5",
					  "a losses > 3 for 5m",
					  "a losses > 3x",
					  "a losses > -1",
					  "",
					  "# nothing\n"};
	struct triggers t = {};

	assert_int_equal(triggers_read(&t, NULL, NULL), 0);
	assert_int_equal(t.n, 6);
	triggers_release(&t);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct diag d = {""};

		assert_int_equal(read_text(&t, bad[i], &d), -EINVAL);
		assert_true(d.text[0]);
		triggers_release(&t);
	}
	assert_int_equal(read_text(&t, " # all\nslow pps < 20% for 2.5s # half of it\n", NULL), 0);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.list[0].name, "slow");
	assert_true(t.list[0].below);
	assert_int_equal(t.list[0].kind, TRIGGER_PERCENT);
	assert_float_equal(t.list[0].threshold, 20, 0);
	assert_float_equal(t.list[0].for_s, 2.5, 0);
	triggers_release(&t);
}

static uint64_t device_since_ns;

static struct trigger_values second(double losses, double ns, double per_poll)
{
	struct trigger_values v = {.slot = 3, .since_ns = device_since_ns, .seconds = 1};

	for (int i = 0; i < TRIGGER_MEASURES; i++)
		v.values[i] = 0;
	v.values[TRIGGER_LOSSES] = losses;
	v.values[TRIGGER_NS] = ns;
	v.values[TRIGGER_PER_POLL] = per_poll;
	return v;
}

static const char *judge(struct triggers *t, double losses, double ns, double per_poll)
{
	struct trigger_values v = second(losses, ns, per_poll);
	char words[200];
	const struct trigger *one = triggers_judge(t, &v, words, sizeof(words));

	return one ? one->name : "";
}

static void test_for(void **state)
{
	struct triggers t;

	assert_int_equal(read_text(&t, "lost losses > 0 for 3s\n", NULL), 0);
	assert_string_equal(judge(&t, 1, 100, 40), "");
	assert_string_equal(judge(&t, 1, 100, 40), "");
	assert_string_equal(judge(&t, 1, 100, 40), "lost");
	assert_string_equal(judge(&t, 1, 100, 40), ""); /* once */
	assert_string_equal(judge(&t, 0, 100, 40), "");
	assert_string_equal(judge(&t, 1, 100, 40), "");
	assert_string_equal(judge(&t, 0, 100, 40), ""); /* the time begins anew */
	assert_string_equal(judge(&t, 1, 100, 40), "");
	assert_string_equal(judge(&t, 1, 100, 40), "");
	assert_string_equal(judge(&t, 1, 100, 40), "lost");
	device_since_ns++; /* another device has the slot, and begins anew */
	assert_string_equal(judge(&t, 1, 100, 40), "");
	assert_string_equal(judge(&t, 1, 100, 40), "");
	assert_string_equal(judge(&t, 1, 100, 40), "lost");
	triggers_release(&t);
}

/* 90, 100 and 110 ns in turn: the median deviation is 10, so the limit is 100 + 4 * 14.826 = 159.3. */
static void test_learnt(void **state)
{
	struct triggers t;

	assert_int_equal(read_text(&t, "dear ns_per_packet > learnt\n", NULL), 0);
	for (int i = 0; i < 30; i++)
		assert_string_equal(judge(&t, 0, i < 29 ? 90 + i % 3 * 10 : NAN, 40), "");
	assert_string_equal(judge(&t, 0, 5000, 40), ""); /* 29 are known, so nothing is unusual; and this is learnt */
	for (int i = 0; i < 30; i++)
		assert_string_equal(judge(&t, 0, 90 + i % 3 * 10, 40), "");
	assert_string_equal(judge(&t, 0, 159, 40), "");
	assert_string_equal(judge(&t, 0, 160, 40), "dear");
	assert_string_equal(judge(&t, 0, 160, 40), "");
	assert_string_equal(judge(&t, 0, NAN, 40), "");
	assert_string_equal(judge(&t, 0, 400, 2), ""); /* of polls like this nothing is known */
	assert_string_equal(judge(&t, 0, 160, 63), "dear");
	assert_string_equal(judge(&t, 0, 90, 40), "");
	device_since_ns++; /* nothing is known of another device */
	assert_string_equal(judge(&t, 0, 160, 40), "");
	triggers_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_for),
		cmocka_unit_test(test_learnt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
