// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exact counts for other programs: JSON, CSV, folded stacks and callgrind's format.
 * src: Valgrind manual, "Callgrind Format Specification"
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "perfparse/folded.h"
#include "reports/render/json_out.h"
#include "reports/render/render.h"
#include "reports/render/text.h"

#define REPORT_SCHEMA "xdpzoom.exact-report/1"
#define DIFF_SCHEMA   "xdpzoom.exact-diff/1"

static const char *const term_names[EXACT_TERMS] = {[EXACT_PACKET] = "per_packet",
						    [EXACT_POLL] = "per_poll",
						    [EXACT_WAKEUP] = "per_wakeup",
						    [EXACT_FIXED] = "per_window"};

/* JSON */

static void put_cost(struct json_out *w, json_t *o, const struct exact_cost *c)
{
	json_t *instructions = json_object();

	for (int t = 0; t < EXACT_TERMS; t++)
		json_out_number(w, instructions, term_names[t], c->instructions[t]);
	json_out_put(w, o, "instructions", instructions);
	json_out_number(w, o, "calls", c->calls);
	json_out_number(w, o, "residual", c->residual);
	json_out_put(w, o, "exact", json_boolean(c->exact));
}

static json_t *rows_json(struct json_out *w, const struct exact_row *rows, size_t n, bool facilities)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		json_out_text(w, o, facilities ? "facility" : "symbol", rows[i].name);
		if (!facilities) {
			json_out_text(w, o, "module", rows[i].module);
			json_out_text(w, o, "facility", rows[i].facility);
		}
		put_cost(w, o, &rows[i].cost);
		json_out_add(w, list, o);
	}
	return list;
}

static json_t *windows_json(struct json_out *w, const struct exact_variant *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->nwindows; i++) {
		const struct exact_window *of = &v->windows[i];
		json_t *o = json_object();

		json_out_count(w, o, "batch", of->batch);
		json_out_count(w, o, "sent", (double)of->sent);
		json_out_count(w, o, "arrived", (double)of->arrived);
		json_out_count(w, o, "packets", (double)of->packets);
		json_out_count(w, o, "polls", (double)of->polls);
		json_out_count(w, o, "wakeups", (double)of->wakeups);
		json_out_count(w, o, "instructions", (double)of->summed);
		json_out_count(w, o, "instructions_between", (double)of->between);
		json_out_add(w, list, o);
	}
	return list;
}

static json_t *variant_json(struct json_out *w, const struct exact_variant *v)
{
	json_t *o = json_object(), *outside = json_object();

	json_out_text(w, o, "variant", v->id);
	put_cost(w, o, &v->total);
	json_out_count(w, o, "packets", (double)v->packets);
	json_out_count(w, o, "polls", (double)v->polls);
	json_out_count(w, o, "wakeups", (double)v->wakeups);
	json_out_number(w, o, "closure", (double)v->summed - (double)v->between);
	json_out_number(w, o, "odd_windows", v->halves[0]);
	json_out_number(w, o, "even_windows", v->halves[1]);
	for (int i = 0; i < EXACT_OUTSIDES; i++)
		json_out_count(w, outside, exact_outside_name(i), (double)v->outside[i]);
	json_out_put(w, o, "taken_out", outside);
	json_out_put(w, o, "facilities", rows_json(w, v->facilities, v->nfacilities, true));
	json_out_put(w, o, "symbols", rows_json(w, v->rows, v->nrows, false));
	json_out_put(w, o, "windows", windows_json(w, v));
	return o;
}

static void put_run(struct json_out *w, json_t *o, const struct exact *e)
{
	json_out_text(w, o, "nic", e->nic);
	json_out_text(w, o, "kernel", e->kernel);
	json_out_text(w, o, "emulator", e->emulator);
	json_out_text(w, o, "time", e->time);
}

int render_exact_json(FILE *out, const struct exact *e, const struct exact_variant *only,
		      const struct render_options *o)
{
	struct json_out w = {};
	json_t *root = json_object(), *variants = json_array();

	(void)o;
	json_out_text(&w, root, "schema", REPORT_SCHEMA);
	put_run(&w, root, e);
	for (size_t i = 0; i < e->nvariants; i++)
		if (!only || only == &e->variants[i])
			json_out_add(&w, variants, variant_json(&w, &e->variants[i]));
	json_out_put(&w, root, "variants", variants);
	return json_out_write(&w, root, out, JSON_INDENT(2));
}

static json_t *side_json(struct json_out *w, const struct exact *e, const struct exact_variant *v)
{
	json_t *o = json_object();

	json_out_text(w, o, "variant", v->id);
	put_run(w, o, e);
	put_cost(w, o, &v->total);
	return o;
}

static json_t *changes_json(struct json_out *w, const struct exact_diff_row *rows, size_t n, const char *name)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object(), *base = json_object(), *new = json_object();

		json_out_text(w, o, name, rows[i].name);
		json_out_text(w, o, "facility", rows[i].facility);
		json_out_number(w, o, "change", rows[i].change);
		json_out_put(w, o, "exact", json_boolean(rows[i].exact));
		put_cost(w, base, &rows[i].base);
		put_cost(w, new, &rows[i].new);
		json_out_put(w, o, "base", base);
		json_out_put(w, o, "new", new);
		json_out_add(w, list, o);
	}
	return list;
}

int render_exact_diff_json(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct json_out w = {};
	json_t *root = json_object();

	(void)o;
	json_out_text(&w, root, "schema", DIFF_SCHEMA);
	json_out_put(&w, root, "base", side_json(&w, d->base_run, d->base));
	json_out_put(&w, root, "new", side_json(&w, d->new_run, d->new));
	json_out_number(&w, root, "change", d->change);
	json_out_put(&w, root, "facilities", changes_json(&w, d->facilities, d->nfacilities, "name"));
	json_out_put(&w, root, "symbols", changes_json(&w, d->rows, d->nrows, "symbol"));
	return json_out_write(&w, root, out, JSON_INDENT(2));
}

/* CSV */

static void put_csv(FILE *out, const char *variant, const char *kind, const struct exact_row *row)
{
	csv_text(out, variant);
	fprintf(out, ",%s,", kind);
	csv_text(out, row->name);
	fputc(',', out);
	csv_text(out, row->facility);
	for (int t = 0; t < EXACT_TERMS; t++)
		csv_number(out, row->cost.instructions[t], true);
	csv_number(out, row->cost.calls, true);
	csv_number(out, row->cost.residual, true);
	fprintf(out, ",%s\n", row->cost.exact ? "true" : "false");
}

int render_exact_csv(FILE *out, const struct exact *e, const struct exact_variant *only, const struct render_options *o)
{
	(void)o;
	fputs("variant,kind,name,facility", out);
	for (int t = 0; t < EXACT_TERMS; t++)
		fprintf(out, ",instructions_%s", term_names[t]);
	fputs(",calls_per_packet,residual,exact\n", out);
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_variant *v = &e->variants[i];
		struct exact_row total = {"total", "", "", v->total};

		if (only && only != v)
			continue;
		put_csv(out, v->id, "total", &total);
		for (size_t k = 0; k < v->nfacilities; k++)
			put_csv(out, v->id, "facility", &v->facilities[k]);
		for (size_t k = 0; k < v->nrows; k++)
			put_csv(out, v->id, "symbol", &v->rows[k]);
	}
	return render_finish(out);
}

static void put_csv_changes(FILE *out, const char *kind, const struct exact_diff_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s,", kind);
		csv_text(out, rows[i].name);
		fputc(',', out);
		csv_text(out, rows[i].facility);
		csv_number(out, rows[i].base.instructions[EXACT_PACKET], true);
		csv_number(out, rows[i].new.instructions[EXACT_PACKET], true);
		csv_number(out, rows[i].change, true);
		csv_number(out, rows[i].base.calls, true);
		csv_number(out, rows[i].new.calls, true);
		fprintf(out, ",%s\n", rows[i].exact ? "true" : "false");
	}
}

int render_exact_diff_csv(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	(void)o;
	fputs("kind,name,facility,base_instructions,new_instructions,change,base_calls,new_calls,exact\n", out);
	put_csv_changes(out, "facility", d->facilities, d->nfacilities);
	put_csv_changes(out, "symbol", d->rows, d->nrows);
	return render_finish(out);
}

/* Folded stacks: instructions of all packets counted, so that the counts are whole. */

int render_exact_folded(FILE *out, const struct exact *e, const struct exact_variant *only,
			const struct render_options *o)
{
	(void)o;
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_variant *v = &e->variants[i];

		if (only && only != v)
			continue;
		for (size_t k = 0; k < v->npaths; k++) {
			const struct exact_path *p = &v->paths[k];

			if (!p->counted)
				continue;
			folded_name(out, v->id);
			for (unsigned int f = p->depth; f-- > 0;) {
				fputc(';', out);
				folded_name(out, v->names.symbols[p->frames[f]].name);
			}
			fprintf(out, " %" PRIu64 "\n", p->counted);
		}
	}
	return render_finish(out);
}

/* Callgrind */

/* What one function spends below another: instructions with all that the callee calls, and calls. */
struct edge {
	uint32_t caller, callee;
	uint64_t instructions, calls;
};

static int by_caller(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* One edge for each path below a poll; edges between the same two functions stand beside each other. */
static struct edge *edges_of(const struct exact_variant *v, size_t *n)
{
	struct edge *edges = calloc(v->npaths + 1, sizeof(*edges));
	uint64_t *inclusive = calloc(v->npaths + 1, sizeof(*inclusive));

	*n = 0;
	for (size_t i = v->npaths; edges && inclusive && i-- > 0;) { /* children before their parents */
		const struct exact_path *p = &v->paths[i];

		inclusive[i] += p->counted;
		if (p->parent == SIZE_MAX)
			continue;
		inclusive[p->parent] += inclusive[i];
		edges[(*n)++] = (struct edge){v->paths[p->parent].frames[0], p->frames[0], inclusive[i], p->called};
	}
	if (!inclusive) {
		free(edges);
		return NULL;
	}
	free(inclusive);
	qsort(edges, *n, sizeof(*edges), by_caller);
	return edges;
}

static void put_function(FILE *out, const struct exact_variant *v, uint32_t symbol, const struct edge *edges, size_t n)
{
	uint64_t self = 0;

	for (size_t i = 0; i < v->npaths; i++)
		if (v->paths[i].frames[0] == symbol)
			self += v->paths[i].counted;
	fprintf(out, "\nob=%s\nfl=\nfn=", v->names.symbols[symbol].dso[0] ? v->names.symbols[symbol].dso : "vmlinux");
	folded_name(out, v->names.symbols[symbol].name);
	fprintf(out, "\n0 %" PRIu64 "\n", self);
	for (size_t i = 0; i < n;) {
		struct edge sum = edges[i++];

		while (i < n && !by_caller(&edges[i], &sum)) {
			sum.instructions += edges[i].instructions;
			sum.calls += edges[i++].calls;
		}
		if (sum.caller != symbol || sum.callee == symbol)
			continue;
		fprintf(out, "cob=%s\ncfl=\ncfn=",
			v->names.symbols[sum.callee].dso[0] ? v->names.symbols[sum.callee].dso : "vmlinux");
		folded_name(out, v->names.symbols[sum.callee].name);
		fprintf(out, "\ncalls=%" PRIu64 " 0\n0 %" PRIu64 "\n", sum.calls ? sum.calls : 1, sum.instructions);
	}
}

static int put_part(FILE *out, const struct exact *e, const struct exact_variant *v, unsigned int part)
{
	size_t n;
	struct edge *edges = edges_of(v, &n);

	if (!edges)
		return -ENOMEM;
	fprintf(out, "part: %u\ndesc: Trigger: %s, Linux %s, %" PRIu64 " packets\npositions: line\nevents: Ir\n", part,
		v->id, e->kernel, v->packets);
	for (uint32_t s = 0; s < v->names.nsymbols; s++)
		put_function(out, v, s, edges, n);
	fprintf(out, "\ntotals: %" PRIu64 "\n\n", v->summed);
	free(edges);
	return 0;
}

int render_exact_callgrind(FILE *out, const struct exact *e, const struct exact_variant *only,
			   const struct render_options *o)
{
	unsigned int part = 0;
	int err = 0;

	(void)o;
	fprintf(out, "# callgrind format\nversion: 1\ncreator: %s\ncmd: %s on Linux %s\n\n", e->made_by, e->nic,
		e->kernel);
	for (size_t i = 0; i < e->nvariants && !err; i++)
		if (!only || only == &e->variants[i])
			err = put_part(out, e, &e->variants[i], ++part);
	return err ? err : render_finish(out);
}
