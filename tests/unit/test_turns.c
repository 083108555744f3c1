// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns: written and read again, refused where they are broken, found by time. */
#include "reports/run/run.h"
#include "tests/unit/unit.h"

#define FROM_AT 5000000000000ULL

static const struct run_turn three[] = {
	{FROM_AT, 1300000, 800000, 16384, 0, 0, 0, 0, 1, TURN_BASE},
	{FROM_AT + 1400000, 2900000, 2400000, 16384, 0, 90066, 0, 1, 0, TURN_PROFILE},
	{FROM_AT + 9000000, 1300001, 800001, 16320, 64, 0, 1, 65535, 255, TURN_SWITCHING},
};

static void same(const struct run_turn *a, const struct run_turn *b)
{
	assert_true(a->start_ns == b->start_ns);
	assert_int_equal(a->wall_ns, b->wall_ns);
	assert_int_equal(a->own_ns, b->own_ns);
	assert_int_equal(a->packets, b->packets);
	assert_int_equal(a->lost, b->lost);
	assert_int_equal(a->plant_ns, b->plant_ns);
	assert_int_equal(a->round, b->round);
	assert_int_equal(a->variant, b->variant);
	assert_int_equal(a->device, b->device);
	assert_int_equal(a->use, b->use);
}

static void test_again(void **state)
{
	struct run_turns out = {}, in;
	struct diag d = {};

	assert_int_equal(turns_add(&out, three, 3), 0);
	out.left_out = 7;
	assert_int_equal(turns_write(&out, folder, &d), 0);
	assert_int_equal(turns_read(&in, folder, &d), 0);
	assert_int_equal(in.n, 3);
	assert_true(in.left_out == 7);
	for (int i = 0; i < 3; i++)
		same(&in.list[i], &three[i]);
	turns_release(&in);
	turns_release(&in);
	turns_release(&out);
}

static void test_bound(void **state)
{
	struct run_turns t = {};

	for (size_t i = 0; i < TURNS_MAX / 2 + 1; i++)
		assert_int_equal(turns_add(&t, three, 2), 0);
	assert_int_equal(t.n, TURNS_MAX);
	assert_true(t.left_out == 2);
	turns_release(&t);
}

static void test_none(void **state)
{
	struct run_turns t;
	struct diag d = {};

	assert_int_equal(turns_read(&t, "/nowhere", &d), -ENOENT);
	assert_int_equal(t.n, 0);
}

/* Returns the number of turns, or the error. */
static int read_text(const char *text, struct diag *d)
{
	struct run_turns t;
	int err;

	write_text("turns", text);
	err = turns_read(&t, folder, d);
	err = err ? err : (int)t.n;
	turns_release(&t);
	return err;
}

#define HEAD "xdpzoom.turns/1 100 0\n"

static void test_broken(void **state)
{
	static const char *const broken[] = {
		"",
		"xdpzoom.turns/2 100 0\n",
		"xdpzoom.turns/1 100\n",
		HEAD "0 0 0 b 0 10 5 64\n",                        /* a word is missing */
		HEAD "0 0 0 b 0 10 5 64 0 0 0\n",                  /* one too many */
		HEAD "0 0 0 x 0 10 5 64 0\n",                      /* no such use */
		HEAD "0 0 0 b -1 10 5 64 0\n",                     /* not a whole number */
		HEAD "0 0 256 b 0 10 5 64 0\n",                    /* no such device */
		HEAD "0 0 0 b 0 4294967296 5 64 0\n",              /* too long */
		HEAD "0 0 0 b 9223372036854775807 10 5 64 0\n",    /* later than any clock */
		HEAD "0 0 0 b 0 10 5 64 0\n0 1 0 b 9 10 5 64 0\n", /* they overlap */
		HEAD "0 0 0 b 0 10 5 64 0\n\n",
	};
	struct diag d;

	assert_int_equal(read_text(HEAD "0 0 0 b 0 10 5 64 0\n0 1 0 b 10 10 5 64 0\n", &d), 2);
	/* a recorder died while it wrote the last line */
	assert_int_equal(read_text(HEAD "0 0 0 b 0 10 5 64 0\n0 1 0 b 10 10 5 64 0", &d), 1);
	assert_int_equal(read_text(HEAD "0 0 0 b 0 10 5 64 0\n0 1 0", &d), 1);
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		d = (struct diag){};
		if (read_text(broken[i], &d) != -EINVAL || !strstr(d.text, "turns"))
			fail_msg("broken[%zu] is taken, or the sentence does not name the file: %s", i, d.text);
	}
}

static void test_find(void **state)
{
	assert_null(turns_find(three, 0, FROM_AT));
	assert_null(turns_find(three, 3, FROM_AT - 1));
	assert_ptr_equal(turns_find(three, 3, FROM_AT), &three[0]);
	assert_ptr_equal(turns_find(three, 3, FROM_AT + 1299999), &three[0]);
	assert_null(turns_find(three, 3, FROM_AT + 1300000)); /* between two turns */
	assert_ptr_equal(turns_find(three, 3, FROM_AT + 1400000), &three[1]);
	assert_null(turns_find(three, 3, FROM_AT + 8999999));
	assert_ptr_equal(turns_find(three, 3, FROM_AT + 9000000), &three[2]);
	assert_null(turns_find(three, 3, FROM_AT + 10300001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),  cmocka_unit_test(test_bound), cmocka_unit_test(test_none),
		cmocka_unit_test(test_broken), cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
