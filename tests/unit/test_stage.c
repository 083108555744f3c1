// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What redirects cost behind the program stands beside the base, and a frame that nobody knows of is missed.
 */
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "reports/document/document.h"
#include "tests/unit/measured.h"

/* Written and read back, not yet analysed. */
static void record(struct measured *m, const struct synthetic_variant *variants, size_t n, double stage_ns,
		   bool threaded)
{
	struct synthetic_options o = synthetic_defaults;

	o.variants = variants;
	o.nvariants = n;
	o.rounds = 6;
	o.stage_ns = stage_ns;
	o.stage_dropped_pct = stage_ns > 0 ? 2.5 : 0;
	o.threaded = threaded;
	measured_record(m, &o);
}

static const struct analysis_variant *analyse(struct measured *m)
{
	analysis_release(&m->a);
	measured_analyse(m, NULL);
	return &m->a.variants[0];
}

static const struct quality_row *gate_or_null(const struct analysis_variant *v, const char *name)
{
	for (size_t i = 0; i < v->quality.nrows; i++)
		if (!strcmp(v->quality.rows[i].gate, name))
			return &v->quality.rows[i];
	return NULL;
}

/* 250 ns a frame in the task, none of it in the 66 ns of the base. */
static void test_task_beside_the_base(void **state)
{
	const struct analysis_variant *v;
	struct measured m;
	char words[400];

	record(&m, synthetic_redirects, 2, 250, true);
	v = analyse(&m);
	near_to(v->base_ns, 66, 0.5);
	assert_true(v->stage.by_task);
	near_to(v->stage.ns, 250, 0.5);
	assert_true(v->stage.ci95_ns[0] < 250 && 250 < v->stage.ci95_ns[1] && v->stage.half_ns < 5);
	near_to(v->stage.dropped_pct, 2.5, 0.01);
	near_to(v->stage.frames + v->stage.dropped, v->stage.redirected, 0);
	assert_true(gate_or_null(v, "second-stage")->ok && gate_or_null(v, "second-stage")->value == 0);
	assert_true(!gate_or_null(v, "second-stage-drops")->ok);
	stage_words(v, words, sizeof(words));
	assert_non_null(strstr(words, "250.0 ± 1.2 ns per frame: synthetic task on CPU 0; 2.5 %"));
	measured_release(&m);
}

static void test_one_block_has_no_interval(void **state)
{
	const struct analysis_variant *v;
	struct measured m;

	record(&m, synthetic_redirects, 1, 250, true);
	while (m.run.nblocks > 1)
		run_drop_last_block(&m.run);
	v = analyse(&m);
	near_to(v->stage.ns, 250, 2);
	assert_true(isnan(v->stage.half_ns) && isnan(v->stage.ci95_ns[0]) && isnan(v->stage.ci95_ns[1]));
	measured_release(&m);
}

/* 50 ns of polls in softirqs inside the receiver's thread: taken out of 131, and shown. */
static void test_softirqs_are_taken_out(void **state)
{
	const struct analysis_variant *v;
	struct measured m;

	record(&m, synthetic_second_device, 1, 0, true);
	v = analyse(&m);
	near_to(v->base_ns, 81, 1);
	assert_true(!v->stage.by_task);
	near_to(v->stage.ns, 50, 1);
	assert_true(v->stage.ns == v->taken_out_ns);
	assert_true(gate_or_null(v, "second-stage")->ok && gate_or_null(v, "second-stage-drops")->ok);
	measured_release(&m);
}

/* One frame in one block is enough, whichever way it is wrong; and what nobody counted is not known. */
static void test_missing_frames(void **state)
{
	const struct analysis_variant *v;
	struct run_totals *t;
	struct measured m;

	record(&m, synthetic_redirects, 1, 250, true);
	t = &m.run.blocks[3].totals;
	t->stage_frames--;
	v = analyse(&m);
	assert_true(!gate_or_null(v, "second-stage")->ok && gate_or_null(v, "second-stage")->value == 1);
	t->stage_frames += 3;
	v = analyse(&m);
	assert_true(!gate_or_null(v, "second-stage")->ok && gate_or_null(v, "second-stage")->value == 2);
	t->stage_frames -= 2;
	t->stage_dropped = -1; /* lost, and no counter has a name for it */
	assert_true(!gate_or_null(analyse(&m), "second-stage")->ok);
	t->stage_frames = -1;
	v = analyse(&m);
	assert_true(isnan(gate_or_null(v, "second-stage")->value) && gate_or_null(v, "second-stage")->ok);
	measured_release(&m);
}

static void test_unknown_cost(void **state)
{
	const struct analysis_variant *v;
	struct measured m;
	char words[400];

	record(&m, synthetic_redirects, 1, 0, true);
	v = analyse(&m);
	assert_true(isnan(v->stage.ns));
	stage_words(v, words, sizeof(words));
	assert_non_null(strstr(words, "what it costs is not known"));
	measured_release(&m);
	record(&m, synthetic_veth, 1, 0, true);
	assert_null(gate_or_null(analyse(&m), "second-stage"));
	measured_release(&m);
}

/* Where all samples of the RX CPU count, those of the second stage's task do not. */
static void test_task_on_the_rx_cpu(void **state)
{
	const struct analysis_variant *v;
	struct measured m;
	double all;

	record(&m, synthetic_redirects, 1, 0, false);
	v = analyse(&m);
	all = v->base_ns;
	assert_true(v->samples > 1000 && all > 60);
	for (size_t i = 0; i < m.run.nblocks; i++)
		m.run.blocks[i].stage_tid = SYNTHETIC_TID;
	v = analyse(&m);
	assert_int_equal(v->samples, 0);
	measured_release(&m);
}

/* The task of the receiver stands for that of a second stage which takes up every second packet. */
static void test_profile_of_the_task(void **state)
{
	const struct analysis_variant *v, *task;
	struct compare c = {};
	struct diag d = {""};
	struct measured m;

	record(&m, synthetic_redirects, 2, 250, true);
	assert_null(analyse(&m)->stage.task);
	for (size_t i = 0; i < m.run.nblocks; i++) {
		m.run.blocks[i].stage_tid = SYNTHETIC_TID;
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++) {
			struct run_window *w = &m.run.blocks[i].windows[k];

			w->stage_packets = (int64_t)(run_window_packets(w) / 2);
			w->stage_busy_ns = w->busy_ns;
		}
	}
	v = analyse(&m);
	assert_int_equal(compare_build(&c, v, &m.a.variants[1], NULL, &d), 0);
	assert_true(c.stage->base == v->stage.task && c.stage->new == m.a.variants[1].stage.task);
	near_to(c.stage->headline.delta_ns, 2 * c.headline.delta_ns, 0.01 * fabs(c.headline.delta_ns));
	near_to(c.stage->sum_delta_ns, c.stage->headline.delta_ns, 1e-6);
	assert_true(c.stage->nsymbols == c.nsymbols && !c.stage->stage);
	compare_release(&c);
	task = v->stage.task;
	assert_non_null(task);
	near_to(task->sampled_busy_pct, v->sampled_busy_pct, 1e-6);
	near_to(task->overhead_pct, v->overhead_pct, 1e-3); /* halves of odd numbers */
	assert_true(task->samples == v->samples && task->nsymbols == v->nsymbols);
	near_to(task->base_ns, v->stage.ns, 0.01 * v->stage.ns);
	near_to(task->sum_ns, 2 * v->sum_ns, 0.001 * v->sum_ns);
	near_to(task->symbols[0].self_ns, 2 * v->symbols[0].self_ns, 0.01);
	near_to(analysis_sum_rows(task->facilities, task->nfacilities) + task->unattributed_ns, task->base_ns, 1e-6);
	for (size_t i = 0; i < m.run.nblocks; i++)
		m.run.blocks[i].stage_tid = SYNTHETIC_TID + 1; /* took no sample */
	assert_null(analyse(&m)->stage.task);
	assert_int_equal(compare_build(&c, &m.a.variants[0], &m.a.variants[1], NULL, &d), 0);
	assert_null(c.stage);
	compare_release(&c);
	measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task_beside_the_base),
		cmocka_unit_test(test_softirqs_are_taken_out),
		cmocka_unit_test(test_missing_frames),
		cmocka_unit_test(test_unknown_cost),
		cmocka_unit_test(test_profile_of_the_task),
		cmocka_unit_test(test_task_on_the_rx_cpu),
		cmocka_unit_test(test_one_block_has_no_interval),
	};

	return cmocka_run_group_tests_name("stage", tests, make_folder, remove_folder);
}
