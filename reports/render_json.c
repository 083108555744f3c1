// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of report and diff. Numbers have ten significant digits: more than are known, the same on every machine. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "reports/render.h"

#define DIGITS 10

/* json_object_set_new() refuses a NULL value and reports it; failures are gathered and looked at once. */
struct writer {
	bool failed;
};

static void put(struct writer *w, json_t *o, const char *name, json_t *value)
{
	if (json_object_set_new(o, name, value))
		w->failed = true;
}

static void add(struct writer *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		w->failed = true;
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void put_number(struct writer *w, json_t *o, const char *name, double value)
{
	put(w, o, name, number(value));
}

static void put_count(struct writer *w, json_t *o, const char *name, double count)
{
	put(w, o, name, count < 9e18 ? json_integer((json_int_t)count) : json_null());
}

static void put_text(struct writer *w, json_t *o, const char *name, const char *text)
{
	put(w, o, name, json_string(text));
}

static void put_interval(struct writer *w, json_t *o, const double ci95_ns[2])
{
	put(w, o, "ci95_ns", json_pack("[o, o]", number(ci95_ns[0]), number(ci95_ns[1])));
}

static json_t *quality_json(struct writer *w, const struct quality *q)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];
		json_t *o = json_object();

		put_text(w, o, "gate", row->gate);
		put(w, o, "variant", *row->variant ? json_string(row->variant) : json_null());
		put_number(w, o, "value", row->value);
		put_number(w, o, "limit", row->limit);
		put_text(w, o, "unit", row->unit);
		put_text(w, o, "sense", row->at_least ? "at least" : "at most");
		put(w, o, "ok", json_boolean(row->ok));
		put_text(w, o, "note", row->note);
		add(w, rows, o);
	}
	return rows;
}

static json_t *facilities_json(struct writer *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->nfacilities; i++) {
		const struct analysis_row *row = &v->facilities[i];
		json_t *o = json_object();

		put_text(w, o, "name", row->name);
		put_count(w, o, "samples", (double)row->samples);
		put_number(w, o, "self_pct", row->self_pct);
		put_number(w, o, "self_ns", row->self_ns);
		put_interval(w, o, row->ci95_ns);
		add(w, rows, o);
	}
	return rows;
}

static json_t *symbols_json(struct writer *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->nsymbols; i++) {
		const struct analysis_row *row = &v->symbols[i];
		json_t *o = json_object();

		put_text(w, o, "name", row->name);
		put_text(w, o, "dso", row->dso);
		put_text(w, o, "facility", row->facility);
		put_count(w, o, "samples", (double)row->samples);
		put_number(w, o, "self_pct", row->self_pct);
		put_number(w, o, "self_ns", row->self_ns);
		put_interval(w, o, row->ci95_ns);
		put_number(w, o, "children_ns", row->children_ns);
		add(w, rows, o);
	}
	return rows;
}

static const char *fate_in_words(enum analysis_fate fate)
{
	static const char *const words[] = {
		[FATE_USED] = "used",
		[FATE_ELSEWHERE] = "other placement",
		[FATE_NO_PACKETS] = "no packets",
		[FATE_NO_SAMPLES] = "no samples",
	};

	return words[fate];
}

static json_t *blocks_json(struct writer *w, const struct analysis_variant *v)
{
	const struct placement *p = &v->of->placement;
	json_t *rows = json_array();

	for (size_t i = 0; i < v->nblocks; i++) {
		const struct analysis_block *b = &v->blocks[i];
		json_t *o = json_object();

		put_count(w, o, "index", b->block->index);
		put_text(w, o, "fate", fate_in_words(b->fate));
		put(w, o, "placement",
		    p->probed ? json_string(placement_name(p, placement_of(p, b->block)))
			      : json_null());
		put_number(w, o, "base_ns", b->base_ns);
		put_number(w, o, "busy_pct", b->busy_pct);
		put(w, o, "placement_ns",
		    json_pack(
			    "[o, o]",
			    number(b->block->placement_ns[0] < 0 ? NAN : b->block->placement_ns[0]),
			    number(b->block->placement_ns[1] < 0 ? NAN
								 : b->block->placement_ns[1])));
		put_count(w, o, "samples", (double)b->samples);
		put(w, o, "outlier", json_boolean(b->outlier));
		add(w, rows, o);
	}
	return rows;
}

static json_t *placement_json(struct writer *w, const struct analysis_variant *v)
{
	const struct placement *p = &v->of->placement;
	json_t *o = json_object(), *strata = json_array();

	put(w, o, "stratum", p->probed ? json_string(p->strata[p->reference].name) : json_null());
	put_number(w, o, "ns", v->placement_ns);
	put(w, o, "mixed", json_boolean(v->strata_mixed));
	for (size_t i = 0; p->probed && i < PLACEMENT_PLACES; i++)
		if (v->shares[i].blocks)
			add(w, strata,
			    json_pack("{s:s, s:i, s:o}", "name", placement_name(p, i), "blocks",
				      (int)v->shares[i].blocks, "base_ns",
				      number(v->shares[i].base_ns)));
	put(w, o, "strata", strata);
	return o;
}

static json_t *cpus_json(struct writer *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->ncpus; i++) {
		json_t *o = json_object();

		put_count(w, o, "cpu", v->cpus[i].cpu);
		put_count(w, o, "packets", v->cpus[i].packets);
		put_number(w, o, "pps", v->cpus[i].pps);
		add(w, rows, o);
	}
	return rows;
}

static void put_accuracy(struct writer *w, json_t *o, const struct analysis_variant *v)
{
	put_count(w, o, "samples", (double)v->samples);
	put_number(w, o, "design_effect", v->design_effect);
	put_number(w, o, "n_eff", v->n_eff);
	put_number(w, o, "unseen_max_ns", v->samples ? v->unseen_max_ns : NAN);
	put_number(w, o, "overhead_pct", v->overhead_pct);
	put_number(w, o, "sampled_busy_pct", v->sampled_busy_pct);
	put_number(w, o, "drift_pct", v->drift_pct);
	put_number(w, o, "lag1", v->trend.lag1);
	put_count(w, o, "blocks_used", (double)v->nused);
	put_count(w, o, "blocks_set_aside", (double)(v->nblocks - v->nused));
	put(w, o, "blocks", blocks_json(w, v));
	put(w, o, "placement", placement_json(w, v));
}

static json_t *variant_json(struct writer *w, const struct analysis_variant *v)
{
	json_t *o = json_object();

	put_text(w, o, "id", v->variant->id);
	put_text(w, o, "action", v->variant->action);
	put_text(w, o, "operation", v->variant->operation);
	put_text(w, o, "mode", v->variant->mode);
	put_number(w, o, "plant_ns", v->variant->plant_ns);
	put_number(w, o, "pps", v->pps);
	put_count(w, o, "packets", v->packets);
	put_number(w, o, "base_ns", v->base_ns);
	put_number(w, o, "base_ns_by_rate", v->base_by_rate_ns);
	put_number(w, o, "base_ns_by_busy", v->base_by_busy_ns);
	put_number(w, o, "busy_pct", v->busy_pct);
	put_text(w, o, "busy_from", v->busy_estimated ? "samples" : "kernel clock");
	put_interval(w, o, v->ci95_ns);
	put_number(w, o, "packets_per_poll", v->packets_per_poll);
	put_number(w, o, "taken_out_ns", v->taken_out_ns);
	put_number(w, o, "unattributed_ns", v->unattributed_ns);
	put_number(w, o, "closure_ns", v->closure_ns);
	put_accuracy(w, o, v);
	put(w, o, "cpus", cpus_json(w, v));
	put(w, o, "facilities", facilities_json(w, v));
	put(w, o, "symbols", symbols_json(w, v));
	put(w, o, "quality", quality_json(w, &v->quality));
	return o;
}

static json_t *run_json(struct writer *w, const struct run *r)
{
	json_t *o = json_object();

	put_text(w, o, "version", r->version);
	put_text(w, o, "started", r->started);
	put_text(w, o, "ended", r->ended);
	put_text(w, o, "event", r->event);
	put_number(w, o, "sample_hz", r->sample_hz < 0 ? NAN : r->sample_hz);
	put(w, o, "device", r->device ? json_incref(r->device) : json_null());
	put(w, o, "load", r->load ? json_incref(r->load) : json_null());
	put(w, o, "environment", r->environment ? json_incref(r->environment) : json_null());
	return o;
}

static int write_json(FILE *out, json_t *o, const struct writer *w)
{
	int err = 0;

	errno = 0;
	if (w->failed)
		err = -ENOMEM;
	else if (json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) ||
		 fputc('\n', out) == EOF || fflush(out))
		err = errno ? -errno : -EIO;
	json_decref(o);
	return err;
}

int render_report_json(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		       const struct render_options *options)
{
	json_t *o = json_object(), *variants = json_array();
	struct writer w = {false};

	(void)options;

	put_text(&w, o, "schema", "xdpzoom.report/1");
	put(&w, o, "run", run_json(&w, a->run));
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			add(&w, variants, variant_json(&w, &a->variants[i]));
	put(&w, o, "variants", variants);
	put(&w, o, "quality", quality_json(&w, &a->quality));
	return write_json(out, o, &w);
}

static json_t *rows_json(struct writer *w, const struct compare_row *rows, size_t n, bool symbols)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct compare_row *row = &rows[i];
		json_t *o = json_object();

		put_text(w, o, "name", row->name);
		if (symbols)
			put_text(w, o, "facility", row->facility);
		put_number(w, o, "base_ns", row->base_ns);
		put_number(w, o, "new_ns", row->new_ns);
		put_number(w, o, "delta_ns", row->delta_ns);
		put_interval(w, o, row->ci95_ns);
		put_number(w, o, "p", row->p);
		put_number(w, o, "q", row->q);
		put_text(w, o, "class", compare_class_name(row->class));
		add(w, array, o);
	}
	return array;
}

static void put_sides(struct writer *w, json_t *o, const struct compare *c)
{
	put_text(w, o, "base", c->base->variant->id);
	put_text(w, o, "new", c->new->variant->id);
	put(w, o, "same_run", json_boolean(c->same_run));
	put_number(w, o, "base_pps", c->base->pps);
	put_number(w, o, "new_pps", c->new->pps);
	put_number(w, o, "base_ns", c->base->base_ns);
	put_number(w, o, "new_ns", c->new->base_ns);
	put_number(w, o, "delta_ns", c->headline.delta_ns);
	put_interval(w, o, c->headline.ci95_ns);
	put_number(w, o, "p", c->headline.p);
	put(w, o, "paired", json_boolean(c->headline.paired));
}

int render_diff_json(FILE *out, const struct compare *c, const struct render_options *options)
{
	json_t *o = json_object(), *closure = json_object();
	struct writer w = {false};

	(void)options;

	put_text(&w, o, "schema", "xdpzoom.diff/1");
	put_sides(&w, o, c);
	put(&w, o, "facilities", rows_json(&w, c->facilities, c->nfacilities, false));
	put(&w, o, "symbols", rows_json(&w, c->symbols, c->nsymbols, true));
	put_number(&w, closure, "sum_delta_ns", c->sum_delta_ns);
	put_number(&w, closure, "unattributed_delta_ns", c->unattributed_delta_ns);
	put_number(&w, closure, "residual_ns", c->residual_ns);
	put(&w, o, "closure", closure);
	put(&w, o, "quality", quality_json(&w, &c->quality));
	return write_json(out, o, &w);
}
