// SPDX-License-Identifier: GPL-2.0-or-later
/* What a history gives back is what was put in, and compares as it did; what is slower is found. */
#include <fcntl.h>
#include "reports/compare/compare.h"
#include "reports/format/format.h"
#include "tests/unit/recorded.h"

/* Exactly, and NaN is NaN. */
#define same(a, b) same_at(__LINE__, a, b)
static void same_at(int l, double a, double b)
{
	if (a != b && !(isnan(a) && isnan(b)))
		fail_msg("line %d: %.17g went in, %.17g came out", l, a, b);
}

static void same_values(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		same(a[i], b[i]);
}

static void same_rows(const struct analysis_row *a, const struct analysis_row *b, size_t n, size_t nblocks)
{
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a[i].name, b[i].name);
		assert_string_equal(a[i].dso, b[i].dso);
		assert_string_equal(a[i].facility, b[i].facility);
		assert_int_equal(a[i].samples, b[i].samples);
		same(a[i].self_pct, b[i].self_pct);
		same(a[i].self_ns, b[i].self_ns);
		same_values(a[i].ci95_ns, b[i].ci95_ns, 2);
		same(a[i].half_ns, b[i].half_ns);
		same(a[i].children_ns, b[i].children_ns);
		same(a[i].error_ns, b[i].error_ns);
		same_values(a[i].block_ns, b[i].block_ns, nblocks);
	}
}

static void same_events(const struct analysis_variant *v, const struct analysis_variant *w)
{
	assert_true(v->nevents > 0);
	assert_int_equal(v->nevents, w->nevents);
	for (size_t i = 0; i < v->nevents; i++) {
		const struct analysis_event *e = &v->events[i], *f = &w->events[i];

		assert_string_equal(e->name, f->name);
		assert_string_equal(e->unit, f->unit);
		same(e->per_packet, f->per_packet);
		same(e->half, f->half);
		same(e->per_cycle, f->per_cycle);
		same(e->running_pct, f->running_pct);
		same_values(e->block_values, f->block_values, v->nused);
	}
}

static void same_gates(const struct quality *a, const struct quality *b)
{
	assert_int_equal(a->nrows, b->nrows);
	for (size_t i = 0; i < a->nrows; i++) {
		const struct quality_row *row = &a->rows[i], *back = &b->rows[i];

		assert_string_equal(row->gate, back->gate);
		assert_string_equal(row->unit, back->unit);
		same(row->value, back->value);
		same(row->limit, back->limit);
		assert_int_equal(row->at_least, back->at_least);
		assert_int_equal(row->ok, back->ok);
		assert_int_equal(row->tell, back->tell);
		assert_string_equal(row->note, back->note);
	}
}

static void same_blocks(const struct analysis_variant *v, const struct analysis_variant *w)
{
	assert_int_equal(v->nblocks, w->nblocks);
	for (size_t i = 0; i < v->nblocks; i++) {
		const struct analysis_block *b = &v->blocks[i], *c = &w->blocks[i];

		assert_int_equal(b->block->index, c->block->index);
		assert_int_equal(b->block->round, c->block->round);
		same_values(b->block->placement_ns, c->block->placement_ns, 2);
		assert_int_equal(b->fate, c->fate);
		same(b->base_ns, c->base_ns);
		same(b->pps, c->pps);
		assert_int_equal(b->samples, c->samples);
		assert_int_equal(b->outlier, c->outlier);
	}
	assert_int_equal(v->nused, w->nused);
	for (size_t i = 0; i < v->nused; i++) {
		assert_int_equal(v->used[i] - v->blocks, w->used[i] - w->blocks);
		same(v->block_base_ns[i], w->block_base_ns[i]);
	}
}

static void same_variants(const struct analysis_variant *v, const struct analysis_variant *w)
{
	assert_string_equal(v->variant->id, w->variant->id);
	same(v->variant->plant_ns, w->variant->plant_ns);
	assert_string_equal(v->variant->stage_text, w->variant->stage_text);
	assert_int_equal(v->variant->stage_cpu, w->variant->stage_cpu);
	assert_int_equal(v->samples, w->samples);
	assert_int_equal(v->ncpus, w->ncpus);
	assert_int_equal(v->busy_estimated, w->busy_estimated);
	same(v->pps, w->pps);
	same(v->base_ns, w->base_ns);
	same(v->half_ns, w->half_ns);
	same_values(v->ci95_ns, w->ci95_ns, 2);
	same(v->unseen_max_ns, w->unseen_max_ns);
	same(v->closure_ns, w->closure_ns);
	same(v->placement_ns, w->placement_ns);
	same(v->counting_half_pct, w->counting_half_pct);
	assert_int_equal(v->stage.by_task, w->stage.by_task);
	same(v->stage.ns, w->stage.ns);
	same_values(v->stage.ci95_ns, w->stage.ci95_ns, 2);
	same(v->stage.missing, w->stage.missing);
	same_blocks(v, w);
	assert_int_equal(v->nsymbols, w->nsymbols);
	same_rows(v->symbols, w->symbols, v->nsymbols, v->nused);
	assert_int_equal(v->nfacilities, w->nfacilities);
	same_rows(v->facilities, w->facilities, v->nfacilities, v->nused);
	same_events(v, w);
	same_gates(&v->quality, &w->quality);
}

static void same_analysis(const struct analysis *a, const struct analysis *b)
{
	assert_int_equal(a->nvariants, b->nvariants);
	for (size_t i = 0; i < a->nvariants; i++)
		same_variants(&a->variants[i], &b->variants[i]);
	same_gates(&a->quality, &b->quality);
}

/* One block has a mean and no interval: neither end is known, whoever built it. */
static void test_interval_of_one_block(void **state)
{
	double ci95[2];

	analysis_ci95(10, NAN, ci95);
	assert_true(isnan(ci95[0]) && isnan(ci95[1]));
	analysis_ci95(NAN, 1, ci95);
	assert_true(isnan(ci95[0]) && isnan(ci95[1]));
	analysis_ci95(10, 12, ci95);
	assert_true(ci95[0] == 0 && ci95[1] == 22);
}

static void test_what_goes_in_comes_out(void **state)
{
	struct recorded r;
	struct history *h;
	double placement_ns;
	int64_t run;

	add(&first, NULL, 1);
	add(&second, "slower", 2);
	h = open_it();
	load(h, 1, &r);
	same_analysis(&first.a, &r.a);
	assert_string_equal(r.run.started, "2026-01-01T00:00:00Z");
	assert_true(json_equal(r.run.environment, first.run.environment));
	unload(&r);
	load(h, 2, &r);
	same_analysis(&second.a, &r.a);
	unload(&r);
	assert_int_equal(history_find(h, HISTORY_MEASURED, "slower", &run, NULL), 0);
	assert_int_equal(run, 2);
	assert_int_equal(history_find(h, HISTORY_MEASURED, "last", &run, NULL), 0);
	assert_int_equal(run, 2);
	assert_int_equal(history_find(h, HISTORY_MEASURED, "prev", &run, NULL), 0);
	assert_int_equal(run, 1);
	assert_int_equal(history_find(h, HISTORY_MEASURED, "2x", &run, NULL), -ENOENT);
	assert_int_equal(history_find(h, HISTORY_MEASURED, "", &run, NULL), -ENOENT);
	assert_int_equal(history_find(h, HISTORY_EXACT, "1", &run, NULL), -ENOENT);
	assert_int_equal(history_last_placement(h, NULL, &placement_ns, NULL), 0);
	assert_true(placement_ns > 45 && placement_ns < 60);
	history_close(h);
}

/* The path of an entry, and what is no such path. */
static void test_paths(void **state)
{
	static const struct {
		const char *below, *refusal; /* NULL: it is a file */
	} paths[] = {
		{"/1/run.json", NULL},
		{"/last/blocks/000.script", NULL},
		{"/prev/" HISTORY_FACILITIES, NULL},
		{"/slower/run.json", NULL},
		{"/slower/turns", "No such file"},
		{"/1/../1/run.json", "No such file"},
		{"/1/blocks", "No such file"},
		{"/9/run.json", "has no run \"9\""},
		{"/run.json", "is a history"},
		{"/exact/1/run.json", "has no exact run \"1\""},
	};
	char path[200];
	FILE *f;

	history_forget();
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct diag d = {""};
		int err;

		snprintf(path, sizeof(path), "%s%s", db, paths[i].below);
		err = foreign_file_open(&f, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, &d);
		assert_int_equal(!err, !paths[i].refusal);
		if (!err)
			fclose(f);
		else
			assert_non_null(strstr(d.text, paths[i].refusal));
	}
}

/* The first run as this machine's, with this build of the kernel; another name of the machine: NULL, the run's own. */
static int64_t add_machine(const char *machine, const char *build, int number)
{
	struct history_new n = {.dir = first.dir, .measured = &first.a, .machine = machine};
	struct diag d = {""};
	struct history *h;
	int64_t run = 0;

	snprintf(first.run.started, sizeof(first.run.started), "2026-02-%02dT00:00:00Z", number);
	json_object_set_new(first.run.environment, "kernel_version", json_string(build));
	run_set_machine(&first.run, "mine");
	if (history_open(&h, db, HISTORY_ADD, &d) || history_add(h, &n, &run, &d))
		fail_msg("%s", d.text);
	history_close(h);
	return run;
}

static void test_series(void **state)
{
	struct history_row a = {.kind = HISTORY_MEASURED, .variant = "v", .device = "d", .machine = "m"}, b = a;

	assert_true(history_row_of_series(&a, &b));
	b.kind = HISTORY_EXACT;
	assert_true(!history_row_of_series(&a, &b) && !history_row_of_series(&b, &a));
	b = a;
	*b.variant = 'w';
	assert_false(history_row_of_series(&a, &b));
	b = a;
	*b.device = 'e';
	assert_false(history_row_of_series(&a, &b));
	b = a;
	*b.machine = 'n';
	assert_false(history_row_of_series(&a, &b));
}

/* Runs of another machine, or of another build of the kernel, are no other runs of the same. */
static void test_machines(void **state)
{
	static const struct {
		const char *machine, *build;
		int64_t prev;
		size_t like; /* runs that scatter with it */
	} runs[] = {
		{NULL, "#1", 0, 2}, {"theirs", "#1", 0, 1}, {NULL, "#1", 1, 2},      {"theirs", "#1", 2, 1},
		{NULL, "#2", 3, 0}, {NULL, "#1", 5, 2},     {"neither", "#1", 0, 0},
	};
	char used[sizeof(db)];
	struct history_bases b;
	struct history *h;
	struct diag d = {""};
	double placement_ns;
	int64_t found;

	snprintf(used, sizeof(used), "%s", db);
	snprintf(db, sizeof(db), "%s/machines.db", folder);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		assert_int_equal(add_machine(runs[i].machine, runs[i].build, (int)i + 1), i + 1);
	h = open_it();
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		int err = history_find_before(h, HISTORY_MEASURED, (int64_t)i + 1, &found, &d);

		assert_int_equal(err, runs[i].prev ? 0 : -ENOENT);
		assert_int_equal(found, runs[i].prev);
		assert_int_equal(history_bases(h, (int64_t)i + 1, (int64_t)i + 1, &b, &d), 0);
		assert_int_equal(b.n, runs[i].like * first.a.nvariants);
		history_bases_release(&b);
	}
	assert_int_equal(history_last_placement(h, "mine", &placement_ns, &d), 0);
	assert_true(placement_ns > 0);
	assert_int_equal(history_last_placement(h, NULL, &placement_ns, &d), 0);
	assert_true(placement_ns == 0);
	history_close(h);
	snprintf(db, sizeof(db), "%s", used);
}

static json_t *read_back(FILE *f)
{
	json_t *o;

	rewind(f);
	o = json_loadf(f, 0, NULL);
	fclose(f);
	assert_non_null(o);
	return o;
}

static double number_of(const json_t *o, const char *name)
{
	assert_true(json_is_number(json_object_get(o, name)));
	return json_number_value(json_object_get(o, name));
}

/* Every number of the comparison stands in its JSON under its name. */
/* Runs that differ in nothing but their blocks. */
static const struct between alike = {BETWEEN_GIVEN, 0, 0};

static void check_regression_json(const struct regression *r)
{
	FILE *f = tmpfile();
	json_t *o, *rows;

	assert_int_equal(render_regression_json(f, r), 0);
	o = read_back(f);
	rows = json_object_get(o, "variants");
	assert_int_equal(json_array_size(rows), r->nrows);
	near_to(number_of(o, "threshold_pct"), r->threshold_pct, 1e-9);
	for (size_t i = 0; i < r->nrows; i++) {
		const json_t *row = json_array_get(rows, i), *ci95_ns = json_object_get(row, "ci95_ns");
		const struct regression_row *want = &r->rows[i];

		assert_string_equal(json_string_value(json_object_get(row, "id")), want->new->variant->id);
		near_to(number_of(row, "base_ns"), want->base->base_ns, 1e-6);
		near_to(number_of(row, "new_ns"), want->new->base_ns, 1e-6);
		near_to(number_of(row, "delta_ns"), want->headline.delta_ns, 1e-6);
		near_to(number_of(row, "delta_pct"), want->delta_pct, 1e-6);
		near_to(json_number_value(json_array_get(ci95_ns, 0)), want->headline.ci95_ns[0], 1e-6);
		near_to(json_number_value(json_array_get(ci95_ns, 1)), want->headline.ci95_ns[1], 1e-6);
	}
	json_decref(o);
}

static void test_list(void **state)
{
	struct history *h = open_it();
	struct history_list l;
	FILE *f = tmpfile();

	assert_int_equal(history_list(h, &l, NULL), 0);
	assert_int_equal(l.nrows, 6);
	for (size_t i = 0; i < l.nrows; i++) {
		const struct recorded *from = i < 3 ? &first : &second;
		const struct analysis_variant *v = &from->a.variants[i % 3];

		assert_int_equal(l.rows[i].run, 1 + i / 3);
		assert_string_equal(l.rows[i].name, i < 3 ? "" : "slower");
		assert_string_equal(l.rows[i].started, from->run.started);
		assert_string_equal(l.rows[i].kernel, "6.18.0");
		assert_string_equal(l.rows[i].device, json_string_value(json_object_get(from->run.device, "name")));
		assert_string_equal(l.rows[i].variant, v->variant->id);
		same(l.rows[i].cost, v->base_ns);
		same(l.rows[i].half, v->half_ns);
		same(l.rows[i].rate, v->pps);
		assert_int_equal(l.rows[i].blocks, v->nused);
		assert_int_equal(l.rows[i].gates_failed, quality_failed(&v->quality));
	}
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
	struct recorded base, new;
	struct regression r;
	char text[4096], why[32];
	FILE *f = tmpfile();

	load(h, 1, &base);
	load(h, 2, &new);
	assert_int_equal(regression_build(&r, &base.a, &new.a, 0, &alike, NULL), 0);
	assert_int_equal(regression_count(&r, REGRESSION_SLOWER), 3);
	assert_true(fabs(r.rows[0].delta_pct - 3) < 0.5);
	assert_int_equal(render_regression_text(f, &r, false), 0);
	check_regression_json(&r);
	regression_release(&r);
	assert_int_equal(regression_build(&r, &base.a, &new.a, 5, &alike, NULL), 0);
	assert_int_equal(regression_count(&r, REGRESSION_SAME), 3);
	regression_release(&r);
	assert_int_equal(regression_build(&r, &new.a, &base.a, 0, &alike, NULL), 0);
	assert_int_equal(regression_count(&r, REGRESSION_FASTER), 3);
	regression_release(&r);
	/* One block says nothing, and nothing is not fine. */
	new.a.variants[0].nused = 1;
	assert_int_equal(regression_build(&r, &base.a, &new.a, 0, &alike, NULL), 0);
	assert_int_equal(r.rows[0].verdict, REGRESSION_NOT_JUDGED);
	assert_true(*r.rows[0].why);
	rewind(f);
	assert_int_equal(render_regression_text(f, &r, false), 0);
	rewind(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	assert_non_null(strstr(text, "not judged"));
	snprintf(why, sizeof(why), "%.30s", r.rows[0].why);
	assert_non_null(strstr(text, why));
	regression_release(&r);
	fclose(f);
	new.a.variants[0].nused = base.a.variants[0].nused;
	unload(&base);
	unload(&new);
	history_close(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_goes_in_comes_out),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_slower_is_found),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_interval_of_one_block),
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_machines),
	};

	return cmocka_run_group_tests_name("history", tests, set_up, tear_down);
}
