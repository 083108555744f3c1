/*
 * recorded - two runs to keep in a history, and a history file in the folder of unit.h
 *
 * in:    set_up() and tear_down() are the group's fixtures
 * out:   first and second, analysed; db, the name of the file, which add() makes
 * error: the test fails with the sentence of what failed
 */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include <sqlite3.h>
#include "base/base.h"
#include "reports/history/history.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

static char db[80];
static struct facilities *facilities;

/* Two runs: the second one costs half a percent, or whatever is asked for, more. */
static struct recorded {
	struct run run;
	struct analysis a;
	char dir[200];
} first, second;

static inline void record(struct recorded *r, const char *name, double factor, const char *started)
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
	snprintf(r->dir, sizeof(r->dir), "%s", path);
	if (run_write(&r->run, path, &d) || analysis_build(&r->a, &r->run, path, facilities, &ao, &d))
		fail_msg("%s", d.text);
}

static inline int set_up(void **state)
{
	struct diag d = {""};

	if (make_folder(state) || facilities_read(&facilities, "tests/synthetic.conf", &d))
		return -1;
	foreign_file_below(history_open_below);
	snprintf(db, sizeof(db), "%s/h.db", folder);
	record(&first, "first", 1, "2026-01-01T00:00:00Z");
	record(&second, "second", 1.03, "2026-01-02T00:00:00Z");
	return 0;
}

static inline int tear_down(void **state)
{
	analysis_release(&first.a);
	analysis_release(&second.a);
	run_release(&first.run);
	run_release(&second.run);
	facilities_free(facilities);
	history_forget();
	return remove_folder(state);
}

static inline int add_to(struct history *h, const struct recorded *r, const char *name, int64_t *run, struct diag *d)
{
	const struct history_new n = {
		.dir = r->dir, .name = name, .facilities = "tests/synthetic.conf", .measured = &r->a};

	return history_add(h, &n, run, d);
}

static inline void add(const struct recorded *r, const char *name, int64_t want)
{
	struct diag d = {""};
	struct history *h;
	int64_t run = 0;

	if (history_open(&h, db, HISTORY_ADD, &d) || add_to(h, r, name, &run, &d))
		fail_msg("%s", d.text);
	assert_int_equal(run, want);
	history_close(h);
}

/* Reads an entry as a directory. */
static inline void load(struct history *h, int64_t number, struct recorded *r)
{
	struct analysis_options ao = {};
	struct diag d = {""};
	char machine[HISTORY_MACHINE_BYTES];

	*r = (struct recorded){};
	if (history_lay_out(h, HISTORY_MEASURED, number, r->dir, sizeof(r->dir), &d) ||
	    history_options(h, number, &ao, machine, &d) || run_read(&r->run, r->dir, &d) ||
	    analysis_build(&r->a, &r->run, r->dir, facilities, &ao, &d))
		fail_msg("%s", d.text);
}

static inline void unload(struct recorded *r)
{
	analysis_release(&r->a);
	run_release(&r->run);
}

static inline struct history *open_it(void)
{
	struct diag d = {""};
	struct history *h;

	if (history_open(&h, db, HISTORY_READ, &d))
		fail_msg("%s", d.text);
	return h;
}

#endif
