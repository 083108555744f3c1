// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls and completions of a variant that sends, per frame and per KiB; what blocks do not know is not known.
 */
#include "reports/analysis/analysis.h"
#include "tests/unit/measured.h"

/* 4 calls per 1000 frames of 128 bytes; each frame is owed a completion: 3 of 4 came, 1 in 3 of these of a copy. */
static void send(struct run *run)
{
	json_object_set_new(run->load, "bytes", json_integer(128));
	for (size_t i = 0; i < run->nblocks; i++) {
		struct run_totals *t = &run->blocks[i].totals;

		t->gen_sent = 120000 * (int64_t)(i + 1);
		t->send_calls = t->gen_sent / 250;
		t->send_owed = t->gen_sent;
		t->send_completed = t->gen_sent / 4 * 3;
		t->send_copied = t->gen_sent / 4;
	}
}

static void record(struct measured *m)
{
	struct synthetic_options o = veth();

	measured_record(m, &o);
}

static void test_per_frame(void **state)
{
	const struct analysis_sending *s;
	struct measured m;
	char words[300];

	record(&m);
	send(&m.run);
	measured_analyse(&m, NULL);
	s = &m.a.variants[0].sending;
	near_to(s->system_calls, 0.004, 1e-12);
	near_to(s->system_calls_per_kib, 0.032, 1e-12);
	near_to(s->completions, 0.75, 1e-12);
	near_to(s->completions_missing, 0.25, 1e-12);
	near_to(s->copied_pct, 100.0 / 3, 1e-9);
	sending_words(s, words, sizeof(words));
	assert_string_equal(words, "0.004 system calls per packet, 0.032 per KiB; 0.75 completions per packet, "
				   "33 % of them of a copy, 0.25 did not come");
	measured_release(&m);
}

static void test_not_known(void **state)
{
	struct measured m;

	record(&m);
	measured_analyse(&m, NULL);
	assert_true(isnan(m.a.variants[0].sending.system_calls));
	analysis_release(&m.a);
	send(&m.run);
	for (size_t i = 0; i < m.run.nblocks; i++)
		m.run.blocks[i].totals.send_calls = -1;
	measured_analyse(&m, NULL);
	assert_true(isnan(m.a.variants[0].sending.system_calls));
	assert_true(isnan(m.a.variants[0].sending.completions));
	measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_per_frame),
		cmocka_unit_test(test_not_known),
	};

	return cmocka_run_group_tests_name("sending", tests, make_folder, remove_folder);
}
