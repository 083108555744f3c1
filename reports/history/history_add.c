// SPDX-License-Identifier: GPL-2.0-or-later
/* Puts a run into the file: its files, compressed, and its numbers. */
#include <zlib.h>
#include "reports/history/history.h"

/* clang-format off */
#define NUMBER(member) {#member, NULL, offsetof(struct analysis_variant, member), 0}
#define WITH_HALF(member, half) \
	{#member, #half, offsetof(struct analysis_variant, member), offsetof(struct analysis_variant, half)}
#define STAGE(member) {"consumer_" #member, NULL, offsetof(struct analysis_variant, stage.member), 0}
#define SENDING(member) {"sending_" #member, NULL, offsetof(struct analysis_variant, sending.member), 0}
static const struct history_number {
	const char *name, *half;    /* half NULL: it has none */
	size_t offset, half_offset; /* of doubles in struct analysis_variant */
} numbers[] = {
	WITH_HALF(base_ns, half_ns), NUMBER(pps), NUMBER(packets), NUMBER(base_by_rate_ns), NUMBER(base_by_busy_ns),
	NUMBER(busy_pct), NUMBER(excluded_ns), NUMBER(overhead_pct), NUMBER(packets_per_poll), NUMBER(refused_pct),
	NUMBER(freq_khz), NUMBER(steal_pct), NUMBER(drift_pct), NUMBER(design_effect), NUMBER(weight_effect),
	NUMBER(n_eff), NUMBER(detection_limit_ns), WITH_HALF(unattributed_ns, unattributed_half_ns), NUMBER(sum_ns),
	NUMBER(placement_ns), NUMBER(reference_ns), WITH_HALF(slope, slope_half),
	WITH_HALF(counting_pct, counting_half_pct),
	{"consumer_ns", "consumer_half_ns", offsetof(struct analysis_variant, stage.ns),
	 offsetof(struct analysis_variant, stage.half_ns)},
	STAGE(redirected), STAGE(frames), STAGE(dropped), STAGE(dropped_pct), STAGE(missing),
	SENDING(system_calls), SENDING(system_calls_per_kib), SENDING(completions), SENDING(completions_missing),
	SENDING(copied_pct), SENDING(ns_per_kib),
};
/* clang-format on */

struct adding {
	struct history *h;
	const struct history_new *new;
	enum history_kind kind;
	int64_t run;
	struct diag *d;
};

/* ---- files ------------------------------------------------------------------------------------------- */

/* Compressed. A file that is there already stays: in an import, blocks share a text. */
static int put_stream(struct adding *a, FILE *in, const char *path, const char *name)
{
	unsigned char raw[65536], *data = NULL;
	size_t n = 0, cap = 0, bytes = 0;
	sqlite3_stmt *s = NULL;
	z_stream z = {};
	int flush = Z_NO_FLUSH, err = deflateInit(&z, Z_DEFAULT_COMPRESSION) == Z_OK ? 0 : -ENOMEM;
	bool begun = !err;

	while (flush != Z_FINISH && !err) {
		z.avail_in = (unsigned int)fread(raw, 1, sizeof(raw), in);
		z.next_in = raw;
		bytes += z.avail_in;
		flush = z.avail_in < sizeof(raw) ? Z_FINISH : Z_NO_FLUSH;
		do {
			if (!array_grow(&data, &cap, n, sizeof(raw), 1)) {
				err = -ENOMEM;
				break;
			}
			z.next_out = data + n;
			z.avail_out = (unsigned int)(cap - n);
			deflate(&z, flush);
			n = cap - z.avail_out;
		} while (!z.avail_out);
	}
	if (begun)
		deflateEnd(&z);
	if (!err && ferror(in))
		err = -EIO;
	if (err)
		diag_set(a->d, err, "%s: %s", path, strerror(-err));
	else
		s = history_ask(a->h, a->d, "INSERT OR IGNORE INTO file VALUES (?, ?, ?, ?, ?)", "titi",
				history_kinds[a->kind], a->run, name, (int64_t)bytes);
	if (s)
		sqlite3_bind_blob64(s, 5, data, n, SQLITE_STATIC);
	if (!err)
		err = history_do(a->h, s, a->d);
	free(data);
	return err;
}

/* may_lack: the run is whole without this file. */
static int put_file(struct adding *a, const char *name, bool may_lack)
{
	struct diag why = {""};
	char path[4600];
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "%.4096s/%s", a->new->dir, name);
	err = foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, &why);
	if (err)
		return err == -ENOENT && may_lack ? 0 : diag_set(a->d, err, "%s", why.text);
	err = put_stream(a, in, path, name);
	fclose(in);
	return err;
}

/* below: "", or the name of the directory in the run's own, with a slash. */
static int put_run(struct adding *a, const struct run *r, const char *below)
{
	static const char *const names[] = {"run.json", RUN_PART, TURNS_FILE};
	char name[sizeof(r->blocks[0].script) + sizeof(RUN_CROSSING)];
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !err; i++) {
		snprintf(name, sizeof(name), "%s%s", below, names[i]);
		err = put_file(a, name, i > 0);
	}
	for (size_t i = 0; i < r->nblocks && !err; i++) {
		snprintf(name, sizeof(name), "%s%s", below, r->blocks[i].script);
		if (r->blocks[i].script[0] && (!i || strcmp(r->blocks[i].script, r->blocks[i - 1].script) != 0))
			err = put_file(a, name, false);
	}
	return err;
}

/* The windows that exact_read() has read. */
static int put_exact(struct adding *a)
{
	static const char *const keys[] = {"windows", "shared_windows"};
	char path[4200], name[48];
	const json_t *v, *window;
	json_t *root;
	FILE *in;
	size_t i, w;
	int err = put_file(a, EXACT_FILE, false);

	snprintf(path, sizeof(path), "%.4096s/" EXACT_FILE, a->new->dir);
	if (!err)
		err = foreign_file_open(&in, AT_FDCWD, path, true, RUN_MAX_BYTES, a->d);
	if (err)
		return err;
	root = json_loadf(in, 0, NULL);
	fclose(in);
	json_array_foreach (json_object_get(root, "variants"), i, v)
		for (int k = 0; k < 2; k++)
			json_array_foreach (json_object_get(v, keys[k]), w, window) {
				snprintf(name, sizeof(name), "blocks/%lld.paths",
					 json_integer_value(json_object_get(window, "file")));
				err = err ?: put_file(a, name, false);
			}
	json_decref(root);
	return err;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* what: a word, or a word and a name. One that is always there may be unknown. */
static int history_add_put_number(struct adding *a, const char *variant, const char *what, const char *of, double value,
				  double half)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", what, of ? " " : "", of ? of : "");
	return history_do(a->h,
			  history_ask(a->h, a->d, "INSERT INTO numbers VALUES (NULL, ?, ?, ?, ?, ?, ?)", "tittnn",
				      history_kinds[a->kind], a->run, variant, text, value, half),
			  a->d);
}

static int put_rows(struct adding *a, const struct analysis_variant *v, const char *what,
		    const struct analysis_row *rows, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = history_add_put_number(a, v->variant->id, what, rows[i].name, rows[i].self_ns, rows[i].half_ns);
	return err;
}

static int history_add_put_variant(struct adding *a, const struct analysis_variant *v)
{
	const char *id = v->variant->id;
	int err = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !err; i++) {
		const struct history_number *n = &numbers[i];
		const void *value = (const char *)v + n->offset, *half = (const char *)v + n->half_offset;

		if (!i || !isnan(*(const double *)value)) /* the first one is that of the list */
			err = history_add_put_number(a, id, n->name, NULL, *(const double *)value,
						     n->half ? *(const double *)half : NAN);
	}
	if (!err)
		err = history_add_put_number(a, id, "blocks_used", NULL, (double)v->nused, NAN);
	if (!err)
		err = history_add_put_number(a, id, "checks_failed", NULL, (double)quality_failed(&v->quality), NAN);
	if (!err)
		err = put_rows(a, v, "component", v->components, v->ncomponents);
	if (!err)
		err = put_rows(a, v, "tag", v->tags, v->ntags) ?: put_rows(a, v, "symbol", v->symbols, v->nsymbols);
	for (size_t i = 0; i < v->nevents && !err; i++)
		err = history_add_put_number(a, id, "event", v->events[i].name, v->events[i].per_packet,
					     v->events[i].half);
	return err;
}

static int put_counts(struct adding *a, const struct exact_variant *v)
{
	static const char *const terms[EXACT_TERMS] = {"instructions", "per_poll", "per_wakeup", "per_window"};
	static const char *const memory[EXACT_MEMORY] = {
		"loads",        "stores",          "lines_touched",  "lines_transferred",
		"lines_device", "footprint_lines", "footprint_pages"};
	int err = 0;

	for (int t = 0; t < EXACT_TERMS && !err; t++)
		err = history_add_put_number(a, v->id, terms[t], NULL, v->total.instructions[t],
					     t == EXACT_PACKET ? v->total.residual : NAN);
	if (!err)
		err = history_add_put_number(a, v->id, "calls", NULL, v->total.calls, NAN);
	for (int m = 0; m < EXACT_MEMORY && !err; m++)
		if (!isnan(v->total.memory[m]))
			err = history_add_put_number(a, v->id, memory[m], NULL, v->total.memory[m], NAN);
	for (size_t i = 0; i < v->ncomponents && !err; i++)
		err = history_add_put_number(a, v->id, "component", v->components[i].name,
					     v->components[i].cost.instructions[EXACT_PACKET], NAN);
	for (size_t i = 0; i < v->nrows && !err; i++)
		err = history_add_put_number(a, v->id, "symbol", v->rows[i].name,
					     v->rows[i].cost.instructions[EXACT_PACKET], NAN);
	return err;
}

/* ---- the entry --------------------------------------------------------------------------------------- */

/* Refuses a run that is in the file already, and a name that another run has. The sentence names that run. */
static int history_add_refuse_twins(const struct adding *a, const char *identity)
{
	const char *name = a->new->name;
	sqlite3_stmt *s = history_ask(a->h, a->d,
				      "SELECT run, identity = ?2 FROM entry WHERE kind = ?1"
				      " AND (identity = ?2 OR name = ?3) ORDER BY 2 DESC",
				      "ttt", history_kinds[a->kind], identity, name);
	int err = s ? history_next(a->h, s, "ii", a->d) : -EIO;
	long long run = err > 0 ? sqlite3_column_int64(s, 0) : 0;

	if (err > 0 && sqlite3_column_int(s, 1))
		err = diag_set(a->d, -EEXIST, "%s has this run already, as %s %lld", a->h->path,
			       a->kind == HISTORY_EXACT ? "exact run" : "number", run);
	else if (err > 0)
		err = diag_set(a->d, -ENOTUNIQ, "%s: %s %lld is called \"%.64s\" already", a->h->path,
			       a->kind == HISTORY_EXACT ? "exact run" : "run", run, name);
	sqlite3_finalize(s);
	return err;
}

static int history_add_put_entry(struct adding *a, const char *identity)
{
	const struct run *r = a->new->measured ? a->new->measured->run : NULL;
	const struct exact *e = a->new->exact;

	sqlite3_stmt *s = history_ask(
		a->h, a->d,
		"INSERT INTO entry"
		" (kind, run, identity, name, started, kernel, device, version, like_ns, kernel_version,"
		" machine, files)"
		" VALUES (?1, ?2, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT count(*) FROM file WHERE kind = ?1"
		" AND run = ?2))",
		"tittttttntt", history_kinds[a->kind], a->run, identity, a->new->name, r ? r->started : e->time,
		r ? r->facts.kernel : e->kernel, r ? r->facts.device : e->nic, r ? r->version : e->made_by,
		r ? a->new->measured->options.placement_like_ns : NAN, r ? r->facts.kernel_version : NULL,
		!r                ? NULL
		: a->new->machine ? a->new->machine
				  : r->facts.machine);

	return history_do(a->h, s, a->d);
}

int history_check_name(const char *name, struct diag *d)
{
	json_t *text = json_string(name);
	bool is_text = text;

	json_decref(text);
	if (!is_text)
		return diag_set(d, -EINVAL, "a run's name is UTF-8 text");
	if (!*name || strlen(name) >= sizeof(((struct history_row *)0)->name))
		return diag_set(d, -EINVAL, "a run's name has 1 to 63 bytes");
	if (!strcmp(name, "last") || !strcmp(name, "prev") || strchr(name, ':') ||
	    strspn(name, "0123456789") == strlen(name))
		return diag_set(d, -EINVAL,
				"a run cannot be called \"%s\": numbers, last, prev and colons have another meaning",
				name);
	return 0;
}

int history_check_machine(const char *machine, struct diag *d)
{
	json_t *text = json_string(machine);
	bool fits = text && *machine && strlen(machine) < HISTORY_MACHINE_BYTES;

	json_decref(text);
	return fits ? 0
		    : diag_set(d, -EINVAL, "a machine's name is UTF-8 text of 1 to %d bytes",
			       HISTORY_MACHINE_BYTES - 1);
}

int history_add(struct history *h, const struct history_new *n, int64_t *run, struct diag *d)
{
	struct adding a = {.h = h, .new = n, .kind = n->exact ? HISTORY_EXACT : HISTORY_MEASURED, .d = d};
	const struct exact *e = n->exact;
	char identity[400], dir[4096]; /* no two runs share an identity */
	struct diag why = {""};
	struct run crossing;
	uint64_t all = 0;
	FILE *in;
	int err = n->name ? history_check_name(n->name, d) : 0;

	if (err)
		return err;
	for (size_t i = 0; !n->measured && i < e->nvariants; i++)
		all += e->variants[i].between + e->variants[i].outside[EXACT_OTHERS];
	if (n->measured)
		run_identity(n->measured->run, identity);
	else
		snprintf(identity, sizeof(identity), "%s %s %s %llu", e->time, e->kernel, e->nic,
			 (unsigned long long)all);
	err = history_add_refuse_twins(&a, identity);
	if (!err) {
		a.run = history_count(h, d, "SELECT coalesce(max(run), 0) + 1 FROM entry WHERE kind = ?1 AND run > ?2",
				      a.kind, 0);
		err = a.run < 0 ? (int)a.run : 0;
	}
	if (!err)
		err = e ? put_exact(&a) : put_run(&a, n->measured->run, "");
	if (!err && n->measured) {
		/* The same from another CPU, where the run has it. */
		snprintf(dir, sizeof(dir), "%.4000s/" RUN_CROSSING, n->dir);
		err = run_read(&crossing, dir, &why);
		if (!err) {
			err = put_run(&a, &crossing, RUN_CROSSING "/");
			run_release(&crossing);
		} else {
			err = err == -ENOENT ? 0 : diag_set(d, err, "%s", why.text);
		}
	}
	if (!err && n->components) {
		err = foreign_file_open(&in, AT_FDCWD, n->components, false, FOREIGN_MAX_BYTES, d);
		if (!err) {
			err = put_stream(&a, in, n->components, HISTORY_COMPONENTS);
			fclose(in);
		}
	}
	if (!err)
		err = history_add_put_entry(&a, identity);
	for (size_t i = 0; n->measured && i < n->measured->nvariants && !err; i++)
		err = history_add_put_variant(&a, &n->measured->variants[i]);
	for (size_t i = 0; e && i < e->nvariants && !err; i++)
		err = put_counts(&a, &e->variants[i]);
	*run = a.run;
	return err;
}
