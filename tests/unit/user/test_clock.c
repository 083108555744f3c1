// SPDX-License-Identifier: GPL-2.0-or-later
/* Patience with other tasks: what counts between two looks. */
#include "user/machine/machine.h"
#include "tests/unit/unit.h"

#define S 1000000000ULL

static void look_later(struct patience *p, uint64_t ns)
{
	p->looked_ns -= ns;
}

/* A machine that stood still for a minute takes a quarter of a second. */
static void test_standstill(void **state)
{
	struct patience p = patience_of(S);

	for (int i = 0; i < 3; i++) {
		look_later(&p, 60 * S);
		assert_false(patience_ends(&p));
		assert_int_equal(p.left_ns, S - (uint64_t)(i + 1) * PATIENCE_STEP_NS);
	}
	look_later(&p, 60 * S);
	assert_true(patience_ends(&p));
	assert_true(patience_ends(&p)); /* and it stays so */
}

static void test_looks(void **state)
{
	struct patience p = patience_of(S), for_ever = patience_of(UINT64_MAX), none = patience_of(0);

	look_later(&p, S / 10);
	assert_false(patience_ends(&p));
	assert_true(p.left_ns <= S - S / 10 && p.left_ns >= S - PATIENCE_STEP_NS);
	look_later(&for_ever, 60 * S);
	assert_false(patience_ends(&for_ever));
	assert_true(patience_ends(&none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_standstill), cmocka_unit_test(test_looks)};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
