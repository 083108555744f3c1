// SPDX-License-Identifier: GPL-2.0-or-later
/* A run whose variants take turns of a time, on one device whose program is exchanged, is read as it was written. */
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static void test_round_trip(void **state)
{
	char folder[] = "/tmp/test_run_exchange-XXXXXX", path[64];
	struct diag d = {""};
	struct run r, back;

	assert_non_null(mkdtemp(folder));
	run_init(&r);
	r.command = json_array();
	r.environment = json_object();
	r.device = json_object();
	r.load = json_object();
	r.view = RUN_VIEW_TURNS;
	r.turn_ns = 20000000;
	r.turn_settle_ns = 2000000;
	r.stamp_ns = NAN;
	assert_int_equal(run_write(&r, folder, &d), 0);
	assert_int_equal(run_read(&back, folder, &d), 0);
	assert_int_equal(back.view, RUN_VIEW_TURNS);
	assert_true(back.turn_ns == 20000000 && back.turn_settle_ns == 2000000 && isnan(back.stamp_ns));
	assert_true(!back.turn_frames && !back.turn_lead);
	snprintf(path, sizeof(path), "%s/run.json", folder);
	remove(path);
	remove(folder);
	run_release(&r);
	run_release(&back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
