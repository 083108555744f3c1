// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs that older versions added, without their files: the rows of their tables -> what diff and check compare. Columns
 * are found by their names, because the first versions had fewer.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "reports/history/history_parts.h"

#define CPUS_MAX 8192 /* Linux has no more */

/* What every step of reading needs. */
struct old {
	struct history *h;
	const char *kind; /* of the run, in words */
	int64_t id;
	struct run *run;
	struct analysis *a;
	struct profile *words; /* the names that rows point to */
	struct diag *d;
	int err; /* the first one */
};

static int fail(struct old *o, int err, const char *what)
{
	if (!o->err)
		o->err = err == -ENOMEM ? diag_set(o->d, err, "out of memory")
					: diag_set(o->d, err, "%s: %s %lld is damaged: %s", o->h->path, o->kind,
						   (long long)o->id, what);
	return o->err;
}

static int damaged(struct old *o, const char *what)
{
	return fail(o, -EBADMSG, what);
}

static void *checked(struct old *o, void *p)
{
	if (!p)
		fail(o, -ENOMEM, "");
	return p;
}

static int column_of(sqlite3_stmt *s, const char *name)
{
	int i = sqlite3_column_count(s) - 1;

	while (i >= 0 && strcasecmp(sqlite3_column_name(s, i), name) != 0)
		i--;
	return i;
}

static double history_old_number(struct old *o, sqlite3_stmt *s, const char *name)
{
	int i = column_of(s, name), type = i < 0 ? SQLITE_NULL : sqlite3_column_type(s, i);
	double value = type == SQLITE_NULL ? NAN : sqlite3_column_double(s, i);
	char what[100];

	if (type == SQLITE_NULL || ((type == SQLITE_INTEGER || type == SQLITE_FLOAT) && fabs(value) <= FIELD_REAL_MOST))
		return value;
	snprintf(what, sizeof(what), "%.64s is no number of a run", name);
	return damaged(o, what), NAN;
}

static int whole(struct old *o, sqlite3_stmt *s, const char *name, int otherwise)
{
	double value = history_old_number(o, s, name);

	return value >= 0 && value <= INT_MAX ? (int)value : otherwise;
}

static uint64_t samples(struct old *o, sqlite3_stmt *s)
{
	double n = history_old_number(o, s, "samples");

	if (n < 0)
		damaged(o, "less than no samples");
	return n > 0 ? (uint64_t)n : 0;
}

static const char *text(sqlite3_stmt *s, const char *name)
{
	int i = column_of(s, name);

	return i < 0 ? "" : history_text(s, i);
}

#define COPY(to, s, name) snprintf(to, sizeof(to), "%s", text(s, name))

/* A text that lives as long as the run; NULL: no memory. */
static const char *history_old_keep(struct old *o, struct profile *words, sqlite3_stmt *s, const char *name)
{
	const char *word = text(s, name);
	uint32_t symbol;

	if (profile_add_symbol(words, word, strlen(word), "", 0, SPACE_KERNEL, &symbol))
		return fail(o, -ENOMEM, ""), NULL;
	return words->symbols[symbol].name;
}

/* Calls row() for each row of a table that the file may lack. key: the column of the run's number. */
static int each_row(struct old *o, const char *table, const char *key, const char *variant,
		    void (*row)(struct old *o, sqlite3_stmt *s, void *to), void *to)
{
	sqlite3_stmt *s;
	char sql[160];
	int more;

	if (o->err)
		return o->err;
	s = history_ask(o->h, o->d, "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?", "t", table);
	more = s ? history_next(o->h, s, "i", o->d) : -EIO;
	sqlite3_finalize(s);
	if (more <= 0)
		return o->err = more;
	snprintf(sql, sizeof(sql), "SELECT * FROM main.%s WHERE %s = ?1%s ORDER BY rowid", table, key,
		 variant ? " AND variant = ?2" : "");
	s = history_ask(o->h, o->d, sql, variant ? "it" : "i", o->id, variant);
	if (!s)
		return o->err = -EIO;
	while (!o->err && (more = history_next(o->h, s, "", o->d)) > 0)
		row(o, s, to);
	sqlite3_finalize(s);
	if (!o->err && more < 0)
		o->err = more;
	return o->err;
}

/* ---- measured runs ----------------------------------------------------------------------------------- */

static void history_old_read_run(struct old *o, sqlite3_stmt *s, void *to)
{
	struct run *r = to;

	COPY(r->started, s, "started");
	COPY(r->ended, s, "ended");
	COPY(r->version, s, "version");
	COPY(r->event, s, "event");
	r->environment = json_loads(text(s, "environment_json"), JSON_DECODE_ANY, NULL);
	r->device = json_loads(text(s, "device_json"), JSON_DECODE_ANY, NULL);
	r->load = json_loads(text(s, "load_json"), JSON_DECODE_ANY, NULL);
	r->command = json_loads(text(s, "command_json"), JSON_DECODE_ANY, NULL);
	r->sample_hz = history_old_number(o, s, "sample_hz");
	r->held_skbs = whole(o, s, "held_skbs", r->held_skbs);
	if (json_object_get(r->environment, "imported_from"))
		snprintf(r->order, sizeof(r->order), "imported");
	run_take_facts(r);
}

static void history_old_read_variant(struct old *o, sqlite3_stmt *s, void *to)
{
	struct run_variant *v = checked(o, run_add_variant(to));

	if (!v)
		return;
	if (run_variant_parse(v, text(s, "variant"), NULL))
		damaged(o, "a variant that is none");
	v->plant_ns = fmax(0, history_old_number(o, s, "plant_ns"));
	COPY(v->stage_text, s, "stage_text");
	v->stage_cpu = whole(o, s, "stage_cpu", v->stage_cpu);
}

static void read_block(struct old *o, sqlite3_stmt *s, void *to)
{
	struct run *r = to;
	struct run_block *b = checked(o, run_add_block(r));

	if (!b)
		return;
	for (b->variant = 0; b->variant < r->nvariants; b->variant++)
		if (!strcmp(r->variants[b->variant].id, text(s, "variant")))
			break;
	if (b->variant == r->nvariants)
		damaged(o, "a block of no variant");
	b->index = whole(o, s, "block", 0);
	b->round = whole(o, s, "round", 0);
	for (int k = 0; k < 2; k++) {
		double ns = history_old_number(o, s, k ? "placement_after_ns" : "placement_before_ns");

		b->placement_ns[k] = ns < 0 ? NAN : ns; /* older versions wrote -1 */
	}
}

static void history_old_read_program(struct old *o, sqlite3_stmt *s, struct made_program *p)
{
	made_program_init(p);
	COPY(p->tag, s, "program_tag");
	p->instructions = whole(o, s, "program_instructions", -1);
	p->bytes = whole(o, s, "program_bytes", -1);
}

static void read_numbers(struct old *o, sqlite3_stmt *s, void *to)
{
	struct analysis_variant *v = to;

	v->samples = samples(o, s);
	v->busy_estimated = whole(o, s, "busy_estimated", 0);
	v->stage.by_task = whole(o, s, "stage_by_task", 0);
	history_old_read_program(o, s, &v->program);
	v->ncpus = (size_t)whole(o, s, "cpus", 0); /* their number is compared, and nothing is known of each */
	free(v->cpus);                             /* of a damaged file, where the variant has two rows */
	v->cpus = NULL;
	if (v->ncpus > CPUS_MAX)
		damaged(o, "a number of CPUs that no machine has");
	else
		v->cpus = checked(o, calloc(v->ncpus + 1, sizeof(*v->cpus)));
	for (size_t i = 0; i < history_nnumbers; i++) {
		const struct history_number *n = &history_numbers[i];
		void *value = (char *)v + n->offset, *half = (char *)v + n->half_offset;

		*(double *)value = history_old_number(o, s, n->name);
		if (n->half)
			*(double *)half = history_old_number(o, s, n->half);
	}
	if (v->base_ns <= 0 || v->half_ns < 0)
		damaged(o, "a cost that no packet has");
	analysis_ci95(v->base_ns, v->half_ns, v->ci95_ns);
	analysis_ci95(v->stage.ns, v->stage.half_ns, v->stage.ci95_ns);
}

/* v->blocks has room for the blocks that read_block() has counted, of which nblocks are read. */
static void read_variant_block(struct old *o, sqlite3_stmt *s, void *to)
{
	struct analysis_variant *v = to;
	struct analysis_block *b = &v->blocks[v->nblocks++];

	b->fate = (enum analysis_fate)whole(o, s, "fate", FATE_USED);
	b->base_ns = history_old_number(o, s, "base_ns");
	b->pps = history_old_number(o, s, "pps");
	b->outlier = whole(o, s, "outlier", 0);
	b->samples = samples(o, s);
	if (b->fate != FATE_USED)
		return;
	b->used_index = v->nused;
	v->block_base_ns[v->nused] = history_old_number(o, s, "value_ns");
	if (isnan(v->block_base_ns[v->nused])) /* of the first versions */
		v->block_base_ns[v->nused] = b->base_ns;
	v->used[v->nused++] = b;
}

/* The blocks of one variant have the same order in the run's list as in the table. */
static void read_blocks(struct old *o, struct analysis_variant *v)
{
	size_t of = (size_t)(v - o->a->variants), n = 0;

	v->blocks = checked(o, calloc(o->run->nblocks + 1, sizeof(*v->blocks)));
	v->used = checked(o, calloc(o->run->nblocks + 1, sizeof(struct analysis_block *)));
	v->block_base_ns = checked(o, calloc(o->run->nblocks + 1, sizeof(double)));
	if (o->err)
		return;
	for (size_t i = 0; i < o->run->nblocks; i++)
		if (o->run->blocks[i].variant == of)
			analysis_block_init(&v->blocks[n++], &o->run->blocks[i]);
	each_row(o, "block", "run", v->variant->id, read_variant_block, v);
	if (v->nblocks != n)
		damaged(o, "blocks are missing");
}

/* A JSON array with one value per used block; null is NaN. NULL after an error. */
static double *values(struct old *o, sqlite3_stmt *s, const char *name, size_t n)
{
	json_t *array = json_loads(text(s, name), 0, NULL);
	double *list = checked(o, calloc(n + 1, sizeof(*list)));

	if (!array || json_array_size(array) != n)
		damaged(o, "a row without its blocks");
	for (size_t i = 0; i < n && !o->err; i++) {
		const json_t *value = json_array_get(array, i);

		list[i] = json_is_number(value) ? json_number_value(value) : NAN;
		if (fabs(list[i]) > FIELD_REAL_MOST)
			damaged(o, "a cost of a block that is no number of a run");
	}
	json_decref(array);
	return list;
}

static struct analysis_row *history_old_add_row(struct analysis_variant *v, const char *kind)
{
	if (!strcmp(kind, "symbol"))
		return array_add(&v->symbols, &v->nsymbols, sizeof(*v->symbols));
	if (!strcmp(kind, "tag"))
		return array_add(&v->tags, &v->ntags, sizeof(*v->tags));
	return array_add(&v->facilities, &v->nfacilities, sizeof(*v->facilities));
}

static void read_cost(struct old *o, sqlite3_stmt *s, void *to)
{
	struct analysis_variant *v = to;
	struct analysis_row *row = checked(o, history_old_add_row(v, text(s, "kind")));

	if (!row)
		return;
	row->name = checked(o, strdup(text(s, "name")));
	row->dso = checked(o, strdup(text(s, "dso")));
	row->facility = history_old_keep(o, o->words, s, "facility");
	row->samples = samples(o, s);
	row->self_pct = history_old_number(o, s, "self_pct");
	row->self_ns = history_old_number(o, s, "self_ns");
	row->ci95_ns[0] = history_old_number(o, s, "low_ns");
	row->ci95_ns[1] = history_old_number(o, s, "high_ns");
	row->half_ns = history_old_number(o, s, "half_ns");
	row->children_ns = history_old_number(o, s, "children_ns");
	row->error_ns = history_old_number(o, s, "error_ns");
	row->block_ns = values(o, s, "block_ns_json", v->nused);
}

static void history_old_read_event(struct old *o, sqlite3_stmt *s, void *to)
{
	struct analysis_variant *v = to;
	struct analysis_event *e = checked(o, array_add(&v->events, &v->nevents, sizeof(*e)));

	if (!e)
		return;
	e->name = history_old_keep(o, o->words, s, "name");
	e->unit = history_old_keep(o, o->words, s, "unit");
	e->per_packet = history_old_number(o, s, "per_packet");
	e->half = history_old_number(o, s, "half");
	e->per_cycle = history_old_number(o, s, "per_cycle");
	e->running_pct = history_old_number(o, s, "running_pct");
	e->block_values = values(o, s, "block_values_json", v->nused);
}

static void read_gate(struct old *o, sqlite3_stmt *s, void *to)
{
	struct quality_row row = {.value = history_old_number(o, s, "value"),
				  .limit = history_old_number(o, s, "bar"),
				  .at_least = whole(o, s, "at_least", 0),
				  .ok = whole(o, s, "ok", 0),
				  .tell = whole(o, s, "tell", 0),
				  .half = history_old_number(o, s, "half"),
				  .open = whole(o, s, "open", 0)};
	struct quality one = {&row, 1};

	row.gate = history_old_keep(o, o->words, s, "gate");
	row.unit = history_old_keep(o, o->words, s, "unit");
	COPY(row.note, s, "note");
	COPY(row.variant, s, "variant");
	if (!o->err && quality_append(to, &one, ""))
		fail(o, -ENOMEM, "");
}

static void read_analysis(struct old *o)
{
	o->a->run = o->run;
	if (!o->err)
		o->err = placement_build(&o->a->placement, o->run, PLACEMENT_AUTO, 0, o->d);
	o->a->variants = checked(o, calloc(o->run->nvariants + 1, sizeof(*o->a->variants)));
	for (size_t i = 0; i < o->run->nvariants && !o->err; i++) {
		struct analysis_variant *v = &o->a->variants[o->a->nvariants++];
		const char *id = o->run->variants[i].id;

		analysis_variant_init(v, o->a, &o->run->variants[i]);
		each_row(o, "variant", "run", id, read_numbers, v);
		read_blocks(o, v);
		each_row(o, "cost", "run", id, read_cost, v);
		each_row(o, "event", "run", id, history_old_read_event, v);
		each_row(o, "gate", "run", id, read_gate, &v->quality);
	}
	each_row(o, "gate", "run", "", read_gate, &o->a->quality);
}

/* All is read in one transaction, so another process cannot change the run in between. */
int history_old_load(struct history *h, int64_t run, struct run *r, struct analysis *a, struct profile *words,
		     struct diag *d)
{
	struct old o = {.h = h, .kind = "run", .id = run, .run = r, .a = a, .words = words, .d = d};

	run_init(r);
	*a = (struct analysis){};
	profile_init(words);
	o.err = history_sql(h, "BEGIN", d);
	each_row(&o, "run", "id", NULL, history_old_read_run, r);
	each_row(&o, "variant", "run", NULL, history_old_read_variant, r);
	each_row(&o, "block", "run", NULL, read_block, r);
	read_analysis(&o);
	sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL);
	if (!o.err)
		return 0;
	analysis_release(a);
	run_release(r);
	profile_release(words);
	return o.err;
}

/* ---- exact runs: what check compares, the instructions of each function -------------------------------- */

static void read_exact(struct old *o, sqlite3_stmt *s, void *to)
{
	struct exact *e = to;

	(void)o;
	COPY(e->time, s, "time");
	COPY(e->kernel, s, "kernel");
	COPY(e->compiler, s, "compiler");
}

/* Rows of a variant stand together, with the total first. */
static void history_old_read_count(struct old *o, sqlite3_stmt *s, void *to)
{
	struct exact *e = to;
	bool total = !strcmp(text(s, "kind"), "total"), symbol = !strcmp(text(s, "kind"), "symbol");
	struct exact_variant *v = e->nvariants ? &e->variants[e->nvariants - 1] : NULL;
	struct exact_cost c = {.residual = history_old_number(o, s, "residual"), .exact = whole(o, s, "exact", 0)};
	struct exact_row *row;

	c.instructions[EXACT_PACKET] = history_old_number(o, s, "instructions");
	c.calls = history_old_number(o, s, "calls");
	if (isnan(c.residual) || isnan(c.instructions[EXACT_PACKET]) || isnan(c.calls))
		damaged(o, "a cost");
	if (total) {
		v = checked(o, array_add(&e->variants, &e->nvariants, sizeof(*v)));
		if (!v)
			return;
		COPY(v->id, s, "variant");
		history_old_read_program(o, s, &v->made);
		profile_init(&v->names);
		v->total = c;
	} else if (!v || strcmp(v->id, text(s, "variant")) != 0) {
		damaged(o, "a cost of no variant");
	} else if (symbol) {
		row = checked(o, array_add(&v->rows, &v->nrows, sizeof(*row)));
		if (row)
			*row = (struct exact_row){history_old_keep(o, &v->names, s, "name"),
						  history_old_keep(o, &v->names, s, "module"),
						  history_old_keep(o, &v->names, s, "facility"), c};
	}
}

int history_old_exact(struct history *h, int64_t run, struct exact *e, struct diag *d)
{
	struct old o = {.h = h, .kind = "exact run", .id = run, .d = d};

	*e = (struct exact){};
	each_row(&o, "exact_run", "id", NULL, read_exact, e);
	each_row(&o, "exact_cost", "run", NULL, history_old_read_count, e);
	if (!e->nvariants)
		damaged(&o, "it has no variants");
	if (o.err)
		exact_release(e);
	return o.err;
}
