// SPDX-License-Identifier: GPL-2.0-or-later
/* What a history gives back is what was put in, and compares as it did; what is slower is found. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>
#include "reports/history/history.h"
#include "reports/compare/regression.h"
#include "reports/render/render_history.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

static char db[80];
static struct facilities *facilities;

/* Two runs: the second one costs half a percent, or whatever is asked for, more. */
static struct recorded {
	struct run run;
	struct analysis a;
} first, second;

static void record(struct recorded *r, const char *name, double factor, const char *started)
{
	struct synthetic_options o = synthetic_defaults;
	struct analysis_options ao = {};
	struct diag d = {""};
	char path[128];

	o.variants = synthetic_veth;
	o.nvariants = 3;
	o.window_ms = 100;
	o.counted = true;
	o.far_ns = o.near_ns;
	o.far_factor = factor;
	o.placements = "ffffffffffffffffffffffffffffffffffff";
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (synthetic_write(path, &o, &d) || run_read(&r->run, path, &d))
		fail_msg("%s", d.text);
	snprintf(r->run.started, sizeof(r->run.started), "%s", started);
	if (analysis_build(&r->a, &r->run, path, facilities, &ao, &d))
		fail_msg("%s", d.text);
}

static int set_up(void **state)
{
	struct diag d = {""};

	if (make_folder(state) || facilities_read(&facilities, "tests/synthetic.conf", &d))
		return -1;
	snprintf(db, sizeof(db), "%s/h.db", folder);
	record(&first, "first", 1, "2026-01-01T00:00:00Z");
	record(&second, "second", 1.03, "2026-01-02T00:00:00Z");
	return 0;
}

static int tear_down(void **state)
{
	analysis_release(&first.a);
	analysis_release(&second.a);
	run_release(&first.run);
	run_release(&second.run);
	facilities_free(facilities);
	return remove_folder(state);
}

static void add(const struct analysis *a, const char *name, int64_t want)
{
	struct diag d = {""};
	struct history *h;
	int64_t run = 0;

	if (history_open(&h, db, HISTORY_ADD, &d) || history_add(h, a, name, &run, &d))
		fail_msg("%s", d.text);
	assert_int_equal(run, want);
	history_close(h);
}

static struct history *open_it(void)
{
	struct diag d = {""};
	struct history *h;

	if (history_open(&h, db, HISTORY_READ, &d))
		fail_msg("%s", d.text);
	return h;
}

static void same_rows(const struct analysis_row *a, const struct analysis_row *b, size_t n, size_t nblocks)
{
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a[i].name, b[i].name);
		assert_string_equal(a[i].dso, b[i].dso);
		assert_string_equal(a[i].facility, b[i].facility);
		assert_int_equal(a[i].samples, b[i].samples);
		assert_true(a[i].self_ns == b[i].self_ns);
		assert_true(a[i].ci95_ns[0] == b[i].ci95_ns[0]);
		assert_true(a[i].error_ns == b[i].error_ns);
		assert_memory_equal(a[i].block_ns, b[i].block_ns, nblocks * sizeof(double));
	}
}

static void same_analysis(const struct analysis *a, const struct analysis *b)
{
	assert_int_equal(a->nvariants, b->nvariants);
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i], *w = &b->variants[i];

		assert_string_equal(v->variant->id, w->variant->id);
		assert_true(v->base_ns == w->base_ns && v->half_ns == w->half_ns);
		assert_true(v->unseen_max_ns == w->unseen_max_ns && v->pps == w->pps);
		assert_int_equal(v->nused, w->nused);
		assert_memory_equal(v->block_base_ns, w->block_base_ns, v->nused * sizeof(double));
		assert_int_equal(v->nsymbols, w->nsymbols);
		assert_int_equal(v->nfacilities, w->nfacilities);
		same_rows(v->symbols, w->symbols, v->nsymbols, v->nused);
		same_rows(v->facilities, w->facilities, v->nfacilities, v->nused);
		assert_true(v->stage.ns == w->stage.ns || (isnan(v->stage.ns) && isnan(w->stage.ns)));
		assert_string_equal(v->variant->stage_text, w->variant->stage_text);
		assert_int_equal(v->variant->stage_cpu, w->variant->stage_cpu);
		assert_int_equal(v->stage.by_task, w->stage.by_task);
		assert_true(v->nevents > 0);
		assert_int_equal(v->nevents, w->nevents);
		for (size_t k = 0; k < v->nevents; k++) {
			const struct analysis_event *e = &v->events[k], *f = &w->events[k];

			assert_string_equal(e->name, f->name);
			assert_string_equal(e->unit, f->unit);
			assert_true(e->per_packet == f->per_packet || (isnan(e->per_packet) && isnan(f->per_packet)));
			assert_int_equal(isnan(e->block_values[0]), isnan(f->block_values[0]));
		}
		assert_int_equal(v->quality.nrows, w->quality.nrows);
		assert_int_equal(quality_failed(&v->quality), quality_failed(&w->quality));
	}
}

static void test_what_goes_in_comes_out(void **state)
{
	struct history_run r;
	struct history *h;
	double placement_ns;
	int64_t run;

	(void)state;
	/* as a redirect has it */
	first.a.variants[0].stage.ns = 12.5;
	first.a.variants[0].stage.by_task = true;
	snprintf(first.run.variants[0].stage_text, sizeof(first.run.variants[0].stage_text), "thread at the socket");
	first.run.variants[0].stage_cpu = 3;
	add(&first.a, NULL, 1);
	add(&second.a, "slower", 2);
	h = open_it();
	assert_int_equal(history_load(h, 1, &r, NULL), 0);
	same_analysis(&first.a, &r.analysis);
	assert_string_equal(r.run.started, "2026-01-01T00:00:00Z");
	assert_string_equal(json_string_value(json_object_get(r.run.environment, "kernel")), "6.18.0");
	history_run_release(&r);
	history_run_release(&r);
	assert_int_equal(history_find(h, "slower", &run, NULL), 0);
	assert_int_equal(run, 2);
	assert_int_equal(history_find(h, "last", &run, NULL), 0);
	assert_int_equal(run, 2);
	assert_int_equal(history_find(h, "prev", &run, NULL), 0);
	assert_int_equal(run, 1);
	assert_int_equal(history_find(h, "2x", &run, NULL), -ENOENT);
	assert_int_equal(history_find(h, "", &run, NULL), -ENOENT);
	assert_int_equal(history_last_placement(h, &placement_ns, NULL), 0);
	assert_true(placement_ns > 45 && placement_ns < 60);
	history_close(h);
}

static void test_list(void **state)
{
	struct history *h = open_it();
	struct history_list l;
	FILE *f = tmpfile();

	(void)state;
	assert_int_equal(history_list(h, &l, NULL), 0);
	assert_int_equal(l.nrows, 6);
	assert_true(l.rows[0].base_ns == first.a.variants[0].base_ns);
	assert_string_equal(l.rows[5].name, "slower");
	assert_int_equal(render_history_text(f, &l, true), 0);
	assert_int_equal(render_history_json(f, &l), 0);
	fclose(f);
	history_list_release(&l);
	history_list_release(&l);
	history_close(h);
}

static void test_slower_is_found(void **state)
{
	struct history *h = open_it();
	struct history_run base, new;
	struct regression r;
	FILE *f = tmpfile();

	(void)state;
	assert_int_equal(history_load(h, 1, &base, NULL), 0);
	assert_int_equal(history_load(h, 2, &new, NULL), 0);
	assert_int_equal(regression_build(&r, &base.analysis, &new.analysis, 0, NULL), 0);
	assert_int_equal(regression_count(&r, REGRESSION_SLOWER), 3);
	assert_true(fabs(r.rows[0].delta_pct - 3) < 0.5);
	assert_int_equal(render_regression_text(f, &r, false), 0);
	assert_int_equal(render_regression_json(f, &r), 0);
	regression_release(&r);
	assert_int_equal(regression_build(&r, &base.analysis, &new.analysis, 5, NULL), 0);
	assert_int_equal(regression_count(&r, REGRESSION_SAME), 3);
	regression_release(&r);
	assert_int_equal(regression_build(&r, &new.analysis, &base.analysis, 0, NULL), 0);
	assert_int_equal(regression_count(&r, REGRESSION_FASTER), 3);
	regression_release(&r);
	/* One block says nothing, and nothing is not fine. */
	new.analysis.variants[0].nused = 1;
	assert_int_equal(regression_build(&r, &base.analysis, &new.analysis, 0, NULL), 0);
	assert_int_equal(r.rows[0].verdict, REGRESSION_UNKNOWN);
	assert_true(*r.rows[0].why);
	regression_release(&r);
	fclose(f);
	new.analysis.variants[0].nused = base.analysis.variants[0].nused;
	history_run_release(&base);
	history_run_release(&new);
	history_close(h);
}

/* Everything a bad file can hold ends in a sentence and in nothing leaked. */
static void test_damage(void **state)
{
	static const char *const damages[] = {
		"UPDATE variant SET variant = 'nonsense' WHERE run = 1 AND mode = 'skb'",
		"UPDATE block SET variant = 'drop/bare@hw' WHERE run = 1 AND block = 0",
		"UPDATE cost SET block_ns_json = '[1' WHERE run = 1",
		"UPDATE cost SET block_ns_json = NULL WHERE run = 1",
		"DELETE FROM block WHERE run = 1 AND rowid % 2",
		"UPDATE run SET environment_json = '{' WHERE id = 1; DELETE FROM variant WHERE run "
		"= 1; "
		"UPDATE block SET variant = '' WHERE run = 1",
	};
	char command[512], hurt[96];

	(void)state;
	snprintf(hurt, sizeof(hurt), "%s.hurt", db);
	snprintf(command, sizeof(command), "cp '%s' '%s'", db, hurt);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct history_run r;
		struct diag d = {""};
		struct history *h;
		sqlite3 *file;

		assert_int_equal(system(command), 0);
		assert_int_equal(sqlite3_open(hurt, &file), SQLITE_OK);
		assert_int_equal(sqlite3_exec(file, damages[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(file);
		assert_int_equal(history_open(&h, hurt, HISTORY_READ, &d), 0);
		assert_int_equal(history_load(h, 1, &r, &d), -EBADMSG);
		assert_non_null(strstr(d.text, "damaged"));
		history_close(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_goes_in_comes_out),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_slower_is_found),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
