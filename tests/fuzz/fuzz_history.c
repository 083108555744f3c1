// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A history of a stranger. A text that begins with "SQLite" is the file itself. Any other text is SQL that changes the
 * rows of a sound history: nearly no change of single bytes makes a file that SQLite still reads.
 * What opens is listed, compared and checked in every way, and its last two runs of each kind are loaded and printed.
 *
 * Runs in the tree's top; writes below $TMPDIR, which fuzz.sh removes.
 */
#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/exact/exact.h"
#include "base/base.h"
#include "reports/history/history.h"
#include "reports/format/format.h"
#include "tests/fuzz/fuzz.h"

#define COUNTS    "build/runs/counted"
#define MEASURED  "build/runs/run2"
#define MAX_BYTES (1 << 20)
#define STEPS     200000 /* of SQLite's machine, for the SQL of an input */

static char dir[200], path[240];
static unsigned char *sound; /* the bytes of a history with runs of each kind and version */
static size_t sound_bytes;
static FILE *out;
static struct components *components;

static char *read_whole(const char *name, size_t *size)
{
	char *text = calloc(1, MAX_BYTES + 1);
	FILE *f = fopen(name, "r");

	fuzz_law(text && f, "a file can be read");
	*size = fread(text, 1, MAX_BYTES, f);
	fclose(f);
	return text;
}

static void write_whole(const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	fuzz_law(f && fwrite(data, 1, size, f) == size && !fclose(f), "a file can be written");
}

static void add_runs(void)
{
	const struct analysis_options plain = {};
	struct history_new n = {};
	struct components *f = NULL;
	struct diag d = {""};
	struct history *h;
	struct analysis a;
	struct exact e;
	struct run r;
	char few[240], scripts[PATH_MAX], link[260];
	size_t nblocks;
	int64_t run;
	FILE *file;

	snprintf(few, sizeof(few), "%s/few", dir);
	snprintf(link, sizeof(link), "%s/blocks", few);
	fuzz_law(!components_read(&f, NULL, &d) && !exact_read(&e, COUNTS, f, &d) && !run_read(&r, MEASURED, &d),
		 "the runs can be read");
	nblocks = r.nblocks;
	r.nblocks = 4; /* of twelve: an input takes a third of the time */
	fuzz_law(realpath(MEASURED "/blocks", scripts) && !mkdir(few, 0700) && !symlink(scripts, link) &&
			 !run_write(&r, few, &d) && !analysis_build(&a, &r, few, f, &plain, &d),
		 "a part of a run can be read");
	fuzz_law(!history_open(&h, path, HISTORY_ADD, &d), "a history can be made");
	n.dir = COUNTS;
	n.exact = &e;
	fuzz_law(!history_add(h, &n, &run, &d), "an exact run can be added");
	e.time[0] = '1'; /* makes it another one */
	fuzz_law(!history_add(h, &n, &run, &d), "an exact run can be added");
	n = (struct history_new){.dir = few, .measured = &a};
	fuzz_law(!history_add(h, &n, &run, &d), "a run can be added");
	r.started[0] = '1';
	fuzz_law(!history_add(h, &n, &run, &d), "a run can be added");
	file = fopen(path, "w");
	fuzz_law(file && !history_write(h, file, &d) && !fclose(file), "a history can be written");
	history_close(h);
	analysis_release(&a);
	r.nblocks = nblocks;
	run_release(&r);
	exact_release(&e);
	components_free(f);
}

/* Runs of each kind. */
static void make_sound(void)
{
	add_runs();
	sound = (unsigned char *)read_whole(path, &sound_bytes);
	unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%.150s/xdpzoom-fuzz-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	fuzz_law(mkdtemp(dir) != NULL, "a directory can be made");
	snprintf(path, sizeof(path), "%s/h.db", dir);
	foreign_file_below(history_open_below);
	make_sound();
	fuzz_law(!components_read(&components, NULL, NULL), "the components can be read");
	out = fopen("/dev/null", "w");
	return 0;
}

/* SQL of an input changes rows and tables, and reaches no other file. */
static int allow(void *arg, int action, const char *a, const char *b, const char *c, const char *e)
{
	(void)arg;
	(void)b;
	(void)c;
	(void)e;
	if (action == SQLITE_PRAGMA)
		return a && (!strcmp(a, "application_id") || !strcmp(a, "user_version")) ? SQLITE_OK : SQLITE_DENY;
	return action == SQLITE_ATTACH || action == SQLITE_DETACH ? SQLITE_DENY : SQLITE_OK;
}

static int count_steps(void *left)
{
	return (*(int *)left)-- <= 0;
}

/* Changes the sound history by SQL, as far as the SQL goes, and writes it. */
static void write_changed(const uint8_t *data, size_t size)
{
	char *sql = strndup((const char *)data, size);
	unsigned char *bytes = sqlite3_malloc64(sound_bytes), *changed;
	sqlite3_int64 n = 0;
	int left = STEPS / 1000;
	sqlite3 *db = NULL;

	fuzz_law(sql && bytes && !sqlite3_open(":memory:", &db), "there is memory");
	memcpy(bytes, sound, sound_bytes);
	fuzz_law(!sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)sound_bytes, (sqlite3_int64)sound_bytes,
				      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
		 "the sound history opens in memory");
	sqlite3_set_authorizer(db, allow, NULL);
	sqlite3_progress_handler(db, 1000, count_steps, &left);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_BYTES / 4);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	changed = sqlite3_serialize(db, "main", &n, 0);
	write_whole(changed ? changed : sound, changed ? (size_t)n : sound_bytes);
	sqlite3_free(changed);
	sqlite3_close(db);
	free(sql);
}

/* of: the kind of the document, which was built without an error. */
static void print_as(struct document *d, int err, enum document_kind of)
{
	const struct render_options o = {.colour = true};

	fuzz_law(!err, "a list can be built");
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & KIND(of))
			fuzz_law(!formats[i].write(out, d, &o), "a list can be printed");
	document_release(d);
}

static void print_list(struct history *h)
{
	struct document doc;
	struct history_list l = {0};
	struct diag d = {""};
	int err = history_list(h, &l, &d);

	fuzz_refusal(err, &d);
	if (!err) {
		err = document_of_history(&doc, &l);
		print_as(&doc, err, DOCUMENT_HISTORY);
	}
	history_list_release(&l);
}

struct side {
	int64_t id;
	struct run run;
	struct analysis a;
};

static int load(struct history *h, const char *ref, struct side *s)
{
	struct analysis_options o = {.stacks = true};
	struct diag d = {""};
	char below[300], machine[HISTORY_MACHINE_BYTES];
	int err = history_find(h, HISTORY_MEASURED, ref, &s->id, &d);

	if (!err) {
		err = history_lay_out(h, HISTORY_MEASURED, s->id, below, sizeof(below), &d);
		if (!err) {
			err = history_options(h, s->id, &o, machine, &d);
			if (!err)
				err = run_read(&s->run, below, &d);
			if (!err)
				err = analysis_build(&s->a, &s->run, below, components, &o, &d);
		}
	}
	fuzz_refusal(err, &d);
	return err;
}

static void unload(struct side *s)
{
	analysis_release(&s->a);
	run_release(&s->run);
}

static void print_diff(const struct analysis *base, const struct analysis *new, const struct between *between)
{
	struct render_options o = {0};
	struct symkeys *keys = NULL;
	struct diag d = {""};
	struct document doc;
	struct compare c;

	if (!base->nvariants || !new->nvariants)
		return;
	fuzz_refusal(compare_read_renames(&keys, NULL, &base->variants[0], &new->variants[0], &d), &d);
	fuzz_law(!compare_build(&c, &base->variants[0], &new->variants[0], keys, &d), "variants can be compared");
	compare_set_between(&c, between);
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & KIND(DOCUMENT_DIFF) && !formats[i].stacks)
			fuzz_law(!format_write(&formats[i], out, &doc, document_of_diff(&doc, &c), &o),
				 "a comparison can be printed");
	compare_release(&c);
	symkeys_free(keys);
}

static void check(struct history *h)
{
	struct side base = {0}, new = {0};
	struct between between = between_default(-1);
	struct history_bases bases;
	struct diag d = {""};
	struct regression r;
	struct document doc;
	double placement_ns;
	int err;

	fuzz_refusal(history_last_placement(h, NULL, &placement_ns, &d), &d);
	if (!load(h, "last", &new) && !load(h, "prev", &base)) {
		d.text[0] = '\0';
		err = history_bases(h, base.id, new.id, &bases, &d);
		fuzz_refusal(err, &d);
		if (!err) {
			between = between_fit(bases.base_ns, (const char *const *)bases.variant, bases.n, between);
			history_bases_release(&bases);
		}
		fuzz_law(!regression_build(&r, &base.a, &new.a, 5, &between, NULL), "two runs can be compared");
		err = document_of_check(&doc, &r, &(struct history_list){}, 0);
		print_as(&doc, err, DOCUMENT_CHECK);
		regression_release(&r);
		print_diff(&base.a, &new.a, &between);
	}
	unload(&new);
	unload(&base);
}

static int load_exact(struct history *h, const char *ref, struct exact *e)
{
	struct diag d = {""};
	char below[300];
	int64_t run;
	int err = history_find(h, HISTORY_EXACT, ref, &run, &d);

	if (!err) {
		err = history_lay_out(h, HISTORY_EXACT, run, below, sizeof(below), &d);
		if (!err)
			err = exact_read(e, below, components, &d);
	}
	fuzz_refusal(err, &d);
	return err;
}

static void check_exact(struct history *h)
{
	struct exact base = {0}, new = {0};
	struct exact_check c;
	struct document doc;
	struct diag d = {""};
	int err;

	if (!load_exact(h, "last", &new) && !load_exact(h, "prev", &base)) {
		err = exact_check_build(&c, &base, &new, NULL, &d);
		fuzz_refusal(err, &d);
		if (!err) {
			err = document_of_exact_check(&doc, &c, &(struct history_list){}, 0);
			print_as(&doc, err, DOCUMENT_EXACT_CHECK);
			exact_check_release(&c);
		}
	}
	exact_release(&new);
	exact_release(&base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {""};
	struct history *h;
	int err;

	if (size >= 6 && !memcmp(data, "SQLite", 6))
		write_whole(data, size);
	else
		write_changed(data, size);
	err = history_open(&h, path, HISTORY_READ, &d);
	fuzz_refusal(err, &d);
	if (!err) {
		print_list(h);
		check(h);
		check_exact(h);
	}
	history_close(h);
	history_forget();
	unlink(path);
	return 0;
}
