// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of one run -> an analysis that can be compared. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "reports/history/history_parts.h"

#define CPUS_MAX 8192 /* Linux has no more */

/* The arguments that every step of reading needs. */
struct reader {
	struct history *h;
	struct history_run *r;
	struct diag *d;
};

static int out_of_memory(struct reader *rd)
{
	return diag_set(rd->d, -ENOMEM, "out of memory");
}

static int damaged(struct reader *rd, const char *what)
{
	return diag_set(rd->d, -EBADMSG, "%s: run %lld is damaged: %s", rd->h->path, (long long)rd->r->id, what);
}

void history_run_release(struct history_run *r)
{
	analysis_release(&r->analysis);
	run_release(&r->run);
	tdestroy(r->words, free);
	r->words = NULL;
}

static int by_word(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* A copy of word that lives as long as the run. Equal words share one copy. NULL: no memory. */
static const char *keep_word(struct history_run *r, const char *word)
{
	char *const *found = tfind(word, &r->words, by_word);
	char *copy;

	if (found)
		return *found;
	copy = strdup(word);
	if (copy && tsearch(copy, &r->words, by_word))
		return copy;
	free(copy);
	return NULL;
}

/* Calls row() for each row of a statement whose ?1 is the run and ?2 the variant, if it has one. */
static int each_row(struct reader *rd, const char *sql, const char *variant,
		    int (*row)(struct reader *rd, sqlite3_stmt *s, void *to), void *to)
{
	sqlite3_stmt *s = history_prepare(rd->h, sql, rd->d);
	int step, err = 0;

	if (!s)
		return -EIO;
	sqlite3_bind_int64(s, 1, rd->r->id);
	if (variant)
		sqlite3_bind_text(s, 2, variant, -1, SQLITE_STATIC);
	while (!err && (step = sqlite3_step(s)) != SQLITE_DONE) {
		err = step == SQLITE_ROW ? history_guard_row(rd->h, s, rd->d) : history_error(rd->h, rd->d);
		if (!err)
			err = row(rd, s, to);
	}
	sqlite3_finalize(s);
	return err;
}

static int read_run(struct reader *rd, sqlite3_stmt *s, void *to)
{
	struct run *r = to;
	double held;

	snprintf(rd->r->name, sizeof(rd->r->name), "%s", history_text(s, 0));
	snprintf(r->started, sizeof(r->started), "%s", history_text(s, 1));
	snprintf(r->ended, sizeof(r->ended), "%s", history_text(s, 2));
	snprintf(r->version, sizeof(r->version), "%s", history_text(s, 3));
	snprintf(r->event, sizeof(r->event), "%s", history_text(s, 4));
	r->environment = json_loads(history_text(s, 5), JSON_DECODE_ANY, NULL);
	r->device = json_loads(history_text(s, 6), JSON_DECODE_ANY, NULL);
	r->load = json_loads(history_text(s, 7), JSON_DECODE_ANY, NULL);
	r->command = json_loads(history_text(s, 8), JSON_DECODE_ANY, NULL);
	r->sample_hz = history_number(s, 9);
	held = history_number(s, 10);
	if (held >= 0 && held <= INT_MAX)
		r->held_skbs = (int)held;
	if (json_object_get(r->environment, "imported_from"))
		snprintf(r->order, sizeof(r->order), "imported");
	run_take_facts(r);
	return 0;
}

static int read_variant(struct reader *rd, sqlite3_stmt *s, void *to)
{
	struct run_variant *v = run_add_variant(to);

	if (!v)
		return out_of_memory(rd);
	if (run_variant_parse(v, history_text(s, 0), NULL))
		return damaged(rd, "a variant that is none");
	v->plant_ns = sqlite3_column_double(s, 1);
	snprintf(v->stage_text, sizeof(v->stage_text), "%s", history_text(s, 2));
	if (sqlite3_column_type(s, 3) != SQLITE_NULL) /* NULL: run_variant_parse() has set it to "not known" */
		v->stage_cpu = sqlite3_column_int(s, 3);
	return 0;
}

static int read_block(struct reader *rd, sqlite3_stmt *s, void *to)
{
	struct run *r = to;
	struct run_block *b = run_add_block(r);

	if (!b)
		return out_of_memory(rd);
	for (b->variant = 0; b->variant < r->nvariants; b->variant++)
		if (!strcmp(r->variants[b->variant].id, history_text(s, 0)))
			break;
	if (b->variant == r->nvariants)
		return damaged(rd, "a block of no variant");
	b->index = sqlite3_column_int(s, 1);
	b->round = sqlite3_column_int(s, 2);
	for (int k = 0; k < 2; k++) {
		double ns = history_number(s, 3 + k);

		b->placement_ns[k] = ns < 0 ? NAN : ns; /* older versions wrote -1 */
	}
	return 0;
}

/* A history keeps the number of CPUs that received, but nothing about each of them. */
static int add_unknown_cpus(struct reader *rd, struct analysis_variant *v, int64_t n)
{
	if (n <= 0)
		return 0;
	if (n > CPUS_MAX)
		return damaged(rd, "a number of CPUs that no machine has");
	rd->h->bytes_left -= n * (int64_t)sizeof(*v->cpus);
	v->cpus = calloc((size_t)n, sizeof(*v->cpus));
	if (!v->cpus)
		return out_of_memory(rd);
	for (; v->ncpus < (size_t)n; v->ncpus++)
		v->cpus[v->ncpus] =
			(struct analysis_cpu){.cpu = -1, .packets = NAN, .pps = NAN, .busy_pct = NAN, .base_ns = NAN};
	return 0;
}

static int read_samples(struct reader *rd, sqlite3_stmt *s, int column, uint64_t *samples)
{
	int64_t n = sqlite3_column_int64(s, column);

	*samples = (uint64_t)n;
	return n >= 0 ? 0 : damaged(rd, "less than no samples");
}

static int read_numbers(struct reader *rd, sqlite3_stmt *s, void *to)
{
	struct analysis_variant *v = to;
	double value;
	int err = add_unknown_cpus(rd, v, sqlite3_column_int64(s, 1));

	if (!err)
		err = read_samples(rd, s, 0, &v->samples);
	if (err)
		return err;
	v->busy_estimated = sqlite3_column_int(s, 2);
	v->stage.by_task = sqlite3_column_int(s, 3);
	history_program(s, 4, &v->program);
	for (size_t i = 0; i < HISTORY_NUMBERS; i++) {
		value = history_number(s, 7 + (int)i);
		memcpy((char *)v + history_numbers[i].offset, &value, sizeof(value));
	}
	if (v->base_ns <= 0 || v->half_ns < 0)
		return damaged(rd, "a cost that no packet has");
	analysis_ci95(v->base_ns, v->half_ns, v->ci95_ns);
	analysis_ci95(v->stage.ns, v->stage.half_ns, v->stage.ci95_ns);
	return 0;
}

/* The blocks of one variant, which read_block() has counted. */
struct block_list {
	struct analysis_variant *v;
	size_t n;
};

static int read_variant_block(struct reader *rd, sqlite3_stmt *s, void *to)
{
	const struct block_list *l = to;
	struct analysis_variant *v = l->v;
	struct analysis_block *b = &v->blocks[v->nblocks];
	int err;

	if (v->nblocks++ >= l->n)
		return damaged(rd, "blocks that were not there before");
	b->fate = (enum analysis_fate)sqlite3_column_int(s, 0);
	b->base_ns = history_number(s, 1);
	b->pps = history_number(s, 2);
	b->outlier = sqlite3_column_int(s, 4);
	err = read_samples(rd, s, 3, &b->samples);
	if (err || b->fate != FATE_USED)
		return err;
	b->used_index = v->nused;
	v->block_base_ns[v->nused] = history_number(s, 5);
	if (isnan(v->block_base_ns[v->nused])) /* of an older version */
		v->block_base_ns[v->nused] = b->base_ns;
	v->used[v->nused++] = b;
	return 0;
}

/* Reads the blocks of one variant. They have the same order in the run's list as in the variant's. */
static int read_variant_blocks(struct reader *rd, struct analysis_variant *v)
{
	const struct run *r = &rd->r->run;
	size_t number = (size_t)(v - rd->r->analysis.variants);
	struct block_list l = {v, 0};
	int err;

	for (size_t i = 0; i < r->nblocks; i++)
		l.n += r->blocks[i].variant == number;
	v->blocks = calloc(l.n + 1, sizeof(*v->blocks));
	v->used = calloc(l.n + 1, sizeof(struct analysis_block *));
	v->block_base_ns = calloc(l.n + 1, sizeof(double));
	if (!v->blocks || !v->used || !v->block_base_ns)
		return out_of_memory(rd);
	for (size_t i = 0, n = 0; i < r->nblocks; i++)
		if (r->blocks[i].variant == number)
			analysis_block_init(&v->blocks[n++], &r->blocks[i]);
	err = each_row(rd,
		       "SELECT fate, base_ns, pps, samples, outlier, value_ns FROM block"
		       " WHERE run = ?1 AND variant = ?2 ORDER BY rowid",
		       v->variant->id, read_variant_block, &l);
	return err || v->nblocks == l.n ? err : damaged(rd, "blocks are missing");
}

/* Where rows of one kind are stored. */
struct row_list {
	struct analysis_row *rows;
	size_t n, nblocks;
};

/* Parses a JSON array with one value per used block; null is NaN. */
static int read_values(struct reader *rd, double **values, size_t n, const char *text)
{
	json_t *array = json_loads(text, 0, NULL);
	int err = array && json_array_size(array) == n ? 0 : damaged(rd, "a row without its blocks");

	*values = calloc(n + 1, sizeof(double));
	if (!err && !*values)
		err = out_of_memory(rd);
	for (size_t i = 0; i < n && !err; i++) {
		const json_t *value = json_array_get(array, i);

		(*values)[i] = json_is_number(value) ? json_number_value(value) : NAN;
		if (fabs((*values)[i]) > JSON_IN_REAL_MOST)
			err = damaged(rd, "a cost of a block that is no number of a run");
	}
	json_decref(array);
	return err;
}

static int read_cost(struct reader *rd, sqlite3_stmt *s, void *to)
{
	struct row_list *l = to;
	struct analysis_row *row = array_add(&l->rows, &l->n, sizeof(*row));
	int err;

	if (!row)
		return out_of_memory(rd);
	row->name = strdup(history_text(s, 0));
	row->dso = strdup(history_text(s, 1));
	row->facility = keep_word(rd->r, history_text(s, 2));
	if (!row->name || !row->dso || !row->facility)
		return out_of_memory(rd);
	row->self_pct = history_number(s, 4);
	row->self_ns = history_number(s, 5);
	row->ci95_ns[0] = history_number(s, 6);
	row->ci95_ns[1] = history_number(s, 7);
	row->half_ns = history_number(s, 8);
	row->children_ns = history_number(s, 9);
	row->error_ns = history_number(s, 10);
	err = read_samples(rd, s, 3, &row->samples);
	return err ? err : read_values(rd, &row->block_ns, l->nblocks, history_text(s, 11));
}

#define READ_COSTS(kind)                                                                                               \
	"SELECT name, dso, facility, samples, self_pct, self_ns, low_ns, high_ns, half_ns, children_ns, error_ns,"     \
	" block_ns_json FROM cost WHERE run = ?1 AND variant = ?2 AND kind = '" kind "' ORDER BY rowid"

static int read_costs(struct reader *rd, struct analysis_variant *v, const char *sql, struct analysis_row **rows,
		      size_t *n)
{
	struct row_list l = {.nblocks = v->nused};
	int err = each_row(rd, sql, v->variant->id, read_cost, &l);

	*rows = l.rows;
	*n = l.n;
	return err;
}

static int read_event(struct reader *rd, sqlite3_stmt *s, void *to)
{
	struct analysis_variant *v = to;
	struct analysis_event *e = array_add(&v->events, &v->nevents, sizeof(*e));

	if (!e)
		return out_of_memory(rd);
	e->name = keep_word(rd->r, history_text(s, 0));
	e->unit = keep_word(rd->r, history_text(s, 1));
	if (!e->name || !e->unit)
		return out_of_memory(rd);
	e->per_packet = history_number(s, 2);
	e->half = history_number(s, 3);
	e->per_cycle = history_number(s, 4);
	e->running_pct = history_number(s, 5);
	return read_values(rd, &e->block_values, v->nused, history_text(s, 6));
}

static int read_events(struct reader *rd, struct analysis_variant *v)
{
	return each_row(rd,
			"SELECT name, unit, per_packet, half, per_cycle, running_pct,"
			" block_values_json FROM event WHERE run = ?1 AND variant = ?2 ORDER BY rowid",
			v->variant->id, read_event, v);
}

static int read_gate(struct reader *rd, sqlite3_stmt *s, void *to)
{
	struct quality_row row = {.value = history_number(s, 2),
				  .limit = history_number(s, 3),
				  .at_least = sqlite3_column_int(s, 4),
				  .ok = sqlite3_column_int(s, 5),
				  .tell = sqlite3_column_int(s, 6),
				  .half = history_number(s, 9),
				  .open = sqlite3_column_int(s, 10)};
	struct quality one = {&row, 1};

	row.gate = keep_word(rd->r, history_text(s, 0));
	row.unit = keep_word(rd->r, history_text(s, 1));
	snprintf(row.note, sizeof(row.note), "%s", history_text(s, 7));
	snprintf(row.variant, sizeof(row.variant), "%s", history_text(s, 8));
	if (!row.gate || !row.unit || quality_append(to, &one, ""))
		return out_of_memory(rd);
	return 0;
}

static int read_gates(struct reader *rd, const char *variant, struct quality *q)
{
	return each_row(rd,
			"SELECT gate, unit, value, bar, at_least, ok, tell, note, variant, half, open FROM gate"
			" WHERE run = ?1 AND variant = ?2 ORDER BY rowid",
			variant, read_gate, q);
}

static int read_analysis_variant(struct reader *rd, struct analysis_variant *v)
{
	char columns[HISTORY_COLUMNS_BYTES], sql[HISTORY_COLUMNS_BYTES + 256];
	int err;

	snprintf(sql, sizeof(sql),
		 "SELECT samples, cpus, busy_estimated, stage_by_task, program_tag, program_instructions,"
		 " program_bytes%s FROM variant"
		 " WHERE run = ?1 AND variant = ?2",
		 history_columns("", columns, sizeof(columns)));
	err = each_row(rd, sql, v->variant->id, read_numbers, v);
	if (!err)
		err = read_variant_blocks(rd, v);
	if (!err)
		err = read_costs(rd, v, READ_COSTS("facility"), &v->facilities, &v->nfacilities);
	if (!err)
		err = read_costs(rd, v, READ_COSTS("tag"), &v->tags, &v->ntags);
	if (!err)
		err = read_costs(rd, v, READ_COSTS("symbol"), &v->symbols, &v->nsymbols);
	if (!err)
		err = read_events(rd, v);
	return err ? err : read_gates(rd, v->variant->id, &v->quality);
}

static int read_analysis(struct reader *rd)
{
	struct analysis *a = &rd->r->analysis;
	int err;

	a->run = &rd->r->run;
	err = placement_build(&a->placement, a->run, PLACEMENT_AUTO, 0, rd->d);
	if (err)
		return err;
	a->variants = calloc(a->run->nvariants + 1, sizeof(*a->variants));
	if (!a->variants)
		return out_of_memory(rd);
	for (size_t i = 0; i < a->run->nvariants && !err; i++) {
		struct analysis_variant *v = &a->variants[a->nvariants++];

		analysis_variant_init(v, a, &a->run->variants[i]);
		err = read_analysis_variant(rd, v);
	}
	return err ? err : read_gates(rd, "", &a->quality);
}

/* All is read in one transaction, so another process cannot change the run in between. */
int history_load(struct history *h, int64_t id, struct history_run *r, struct diag *d)
{
	struct reader rd = {h, r, d};
	int err;

	memset(r, 0, sizeof(*r));
	run_init(&r->run);
	r->id = id;
	err = history_sql(h, "BEGIN", d);
	if (err)
		return err;
	err = each_row(&rd,
		       "SELECT name, started, ended, version, event, environment_json, device_json,"
		       " load_json, command_json, sample_hz, held_skbs FROM run WHERE id = ?1",
		       NULL, read_run, &r->run);
	if (!err)
		err = each_row(&rd,
			       "SELECT variant, plant_ns, stage_text, stage_cpu FROM variant WHERE "
			       "run = ?1 ORDER BY rowid",
			       NULL, read_variant, &r->run);
	if (!err)
		err = each_row(&rd,
			       "SELECT variant, block, round, placement_before_ns, placement_after_ns"
			       " FROM block WHERE run = ?1 ORDER BY rowid",
			       NULL, read_block, &r->run);
	if (!err)
		err = read_analysis(&rd);
	sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL);
	if (err)
		history_run_release(r);
	return err;
}
