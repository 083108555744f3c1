// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of report and diff. */
#include <math.h>
#include <string.h>
#include "base/json_text.h"
#include "reports/render/json_out.h"
#include "reports/render/render.h"
#include "reports/render/render_json.h"

static void put_interval(struct json_out *w, json_t *o, const double ci95_ns[2])
{
	json_out_put(w, o, "ci95_ns", json_pack("[o, o]", json_out_value(ci95_ns[0]), json_out_value(ci95_ns[1])));
}

static json_t *quality_json(struct json_out *w, const struct quality *q)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];
		json_t *o = json_object();

		json_out_text(w, o, "gate", row->gate);
		json_out_put(w, o, "variant", *row->variant ? json_text_string(row->variant) : json_null());
		json_out_number(w, o, "value", row->value);
		json_out_number(w, o, "limit", row->limit);
		json_out_text(w, o, "unit", row->unit);
		json_out_text(w, o, "sense", row->at_least ? "at least" : "at most");
		json_out_put(w, o, "ok", json_boolean(row->ok));
		json_out_text(w, o, "note", row->note);
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *facilities_json(struct json_out *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->nfacilities; i++) {
		const struct analysis_row *row = &v->facilities[i];
		json_t *o = json_object();

		json_out_text(w, o, "name", row->name);
		json_out_count(w, o, "samples", (double)row->samples);
		json_out_number(w, o, "self_pct", row->self_pct);
		json_out_number(w, o, "self_ns", row->self_ns);
		put_interval(w, o, row->ci95_ns);
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *symbols_json(struct json_out *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->nsymbols; i++) {
		const struct analysis_row *row = &v->symbols[i];
		json_t *o = json_object();

		json_out_text(w, o, "name", row->name);
		json_out_text(w, o, "dso", row->dso);
		json_out_text(w, o, "facility", row->facility);
		json_out_count(w, o, "samples", (double)row->samples);
		json_out_number(w, o, "self_pct", row->self_pct);
		json_out_number(w, o, "self_ns", row->self_ns);
		put_interval(w, o, row->ci95_ns);
		json_out_number(w, o, "children_ns", row->children_ns);
		json_out_add(w, rows, o);
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

static json_t *blocks_json(struct json_out *w, const struct analysis_variant *v)
{
	const struct placement *p = &v->of->placement;
	json_t *rows = json_array();

	for (size_t i = 0; i < v->nblocks; i++) {
		const struct analysis_block *b = &v->blocks[i];
		json_t *o = json_object();

		json_out_count(w, o, "index", b->block->index);
		json_out_text(w, o, "fate", fate_in_words(b->fate));
		json_out_put(w, o, "placement",
			     p->probed ? json_string(placement_name(p, placement_of(p, b->block))) : json_null());
		json_out_number(w, o, "base_ns", b->base_ns);
		json_out_number(w, o, "busy_pct", b->busy_pct);
		json_out_put(
			w, o, "placement_ns",
			json_pack("[o, o]",
				  json_out_value(b->block->placement_ns[0] < 0 ? NAN : b->block->placement_ns[0]),
				  json_out_value(b->block->placement_ns[1] < 0 ? NAN : b->block->placement_ns[1])));
		json_out_count(w, o, "samples", (double)b->samples);
		json_out_put(w, o, "outlier", json_boolean(b->outlier));
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *placement_json(struct json_out *w, const struct analysis_variant *v)
{
	const struct placement *p = &v->of->placement;
	json_t *o = json_object(), *strata = json_array();

	json_out_put(w, o, "stratum", p->probed ? json_string(p->strata[p->reference].name) : json_null());
	json_out_number(w, o, "ns", v->placement_ns);
	json_out_put(w, o, "mixed", json_boolean(v->strata_mixed));
	for (size_t i = 0; p->probed && i < PLACEMENT_PLACES; i++)
		if (v->shares[i].blocks)
			json_out_add(w, strata,
				     json_pack("{s:s, s:i, s:o}", "name", placement_name(p, i), "blocks",
					       (int)v->shares[i].blocks, "base_ns",
					       json_out_value(v->shares[i].base_ns)));
	json_out_put(w, o, "strata", strata);
	return o;
}

static json_t *cpus_json(struct json_out *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->ncpus; i++) {
		json_t *o = json_object();

		json_out_count(w, o, "cpu", v->cpus[i].cpu);
		json_out_count(w, o, "packets", v->cpus[i].packets);
		json_out_number(w, o, "pps", v->cpus[i].pps);
		json_out_number(w, o, "busy_pct", v->cpus[i].busy_pct);
		json_out_number(w, o, "base_ns", v->cpus[i].base_ns);
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *counters_json(struct json_out *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->ncounters; i++) {
		const struct analysis_counter *c = &v->counters[i];
		json_t *o = json_object();

		json_out_text(w, o, "source", counter_source_names[c->source]);
		json_out_text(w, o, "name", c->name);
		json_out_number(w, o, "per_second", c->per_second);
		json_out_number(w, o, "per_packet", c->per_packet);
		json_out_text(w, o, "meaning", c->meaning);
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *calls_json(struct json_out *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->ncalls; i++) {
		const struct analysis_calls *c = &v->calls[i];
		json_t *o = json_object();

		json_out_text(w, o, "function", c->function);
		json_out_number(w, o, "per_packet", c->per_packet);
		json_out_number(w, o, "ns_per_call", c->ns_per_call);
		json_out_number(w, o, "ns", c->ns);
		json_out_number(w, o, "sampled_ns", c->sampled_ns);
		json_out_number(w, o, "timed_pct", c->timed_pct);
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *events_json(struct json_out *w, const struct analysis_variant *v)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->nevents; i++) {
		const struct analysis_event *e = &v->events[i];
		json_t *o = json_object();

		json_out_text(w, o, "event", e->name);
		json_out_text(w, o, "unit", e->unit);
		json_out_number(w, o, "per_packet", e->per_packet);
		json_out_number(w, o, "half", e->half);
		json_out_number(w, o, "per_cycle", e->per_cycle);
		json_out_number(w, o, "running_pct", e->running_pct);
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *slab_json(struct json_out *w, const struct analysis_slab *s)
{
	json_t *o;

	if (!s->samples)
		return json_null();
	o = json_object();
	json_out_number(w, o, "fast_ns", s->fast_ns);
	json_out_number(w, o, "slow_ns", s->slow_ns);
	json_out_number(w, o, "slow_pct", s->slow_pct);
	json_out_put(w, o, "slowest", s->slowest ? json_string(s->slowest) : json_null());
	return o;
}

static void put_accuracy(struct json_out *w, json_t *o, const struct analysis_variant *v)
{
	json_out_count(w, o, "samples", (double)v->samples);
	json_out_number(w, o, "design_effect", v->design_effect);
	json_out_number(w, o, "n_eff", v->n_eff);
	json_out_number(w, o, "unseen_max_ns", v->samples ? v->unseen_max_ns : NAN);
	json_out_number(w, o, "overhead_pct", v->overhead_pct);
	json_out_number(w, o, "overhead_half_pct", v->overhead_half_pct);
	json_out_number(w, o, "waits_ns", v->waits_ns);
	json_out_number(w, o, "sampled_busy_pct", v->sampled_busy_pct);
	json_out_number(w, o, "drift_pct", v->drift_pct);
	json_out_number(w, o, "lag1", v->trend.lag1);
	json_out_count(w, o, "blocks_used", (double)v->nused);
	json_out_count(w, o, "blocks_set_aside", (double)(v->nblocks - v->nused));
	json_out_put(w, o, "blocks", blocks_json(w, v));
	json_out_put(w, o, "placement", placement_json(w, v));
}

static json_t *stage_json(struct json_out *w, const struct analysis_variant *v)
{
	const struct analysis_stage *s = &v->stage;
	json_t *o;

	if (v->variant->stage == RUN_STAGE_NONE)
		return json_null();
	o = json_object();
	json_out_text(w, o, "is", v->variant->stage_text);
	json_out_put(w, o, "cpu", v->variant->stage_cpu < 0 ? json_null() : json_integer(v->variant->stage_cpu));
	json_out_put(w, o, "clock", isnan(s->ns) ? json_null() : json_string(s->by_task ? "task" : "softirqs"));
	json_out_number(w, o, "ns", s->ns);
	put_interval(w, o, s->ci95_ns);
	json_out_count(w, o, "redirected", s->redirected);
	json_out_count(w, o, "frames", s->frames);
	json_out_count(w, o, "dropped", s->dropped);
	json_out_number(w, o, "dropped_pct", s->dropped_pct);
	return o;
}

static json_t *variant_json(struct json_out *w, const struct analysis_variant *v)
{
	json_t *o = json_object();

	json_out_text(w, o, "id", v->variant->id);
	json_out_text(w, o, "action", v->variant->action);
	json_out_text(w, o, "operation", v->variant->operation);
	json_out_text(w, o, "mode", v->variant->mode);
	json_out_number(w, o, "plant_ns", v->variant->plant_ns);
	json_out_number(w, o, "pps", v->pps);
	json_out_count(w, o, "packets", v->packets);
	json_out_number(w, o, "base_ns", v->base_ns);
	json_out_number(w, o, "base_ns_by_rate", v->base_by_rate_ns);
	json_out_number(w, o, "base_ns_by_busy", v->base_by_busy_ns);
	json_out_number(w, o, "busy_pct", v->busy_pct);
	json_out_text(w, o, "busy_from", v->busy_estimated ? "samples" : "kernel clock");
	put_interval(w, o, v->ci95_ns);
	json_out_number(w, o, "packets_per_poll", v->packets_per_poll);
	json_out_number(w, o, "taken_out_ns", v->taken_out_ns);
	json_out_put(w, o, "second_stage", stage_json(w, v));
	json_out_number(w, o, "unattributed_ns", v->unattributed_ns);
	json_out_number(w, o, "closure_ns", v->closure_ns);
	put_accuracy(w, o, v);
	json_out_put(w, o, "cpus", cpus_json(w, v));
	if (v->ncalls)
		json_out_put(w, o, "calls", calls_json(w, v));
	json_out_put(w, o, "facilities", facilities_json(w, v));
	json_out_put(w, o, "symbols", symbols_json(w, v));
	json_out_put(w, o, "counters", counters_json(w, v));
	json_out_put(w, o, "slab", slab_json(w, &v->slab));
	json_out_put(w, o, "events", events_json(w, v));
	json_out_number(w, o, "counting_pct", v->counting_pct);
	json_out_put(w, o, "quality", quality_json(w, &v->quality));
	return o;
}

static json_t *run_json(struct json_out *w, const struct run *r)
{
	json_t *o = json_object();

	json_out_text(w, o, "version", r->version);
	json_out_text(w, o, "started", r->started);
	json_out_text(w, o, "ended", r->ended);
	json_out_text(w, o, "event", r->event);
	json_out_number(w, o, "sample_hz", r->sample_hz < 0 ? NAN : r->sample_hz);
	json_out_put(w, o, "device", r->device ? json_incref(r->device) : json_null());
	json_out_put(w, o, "load", r->load ? json_incref(r->load) : json_null());
	json_out_put(w, o, "environment", r->environment ? json_incref(r->environment) : json_null());
	return o;
}

json_t *report_json(struct json_out *w, const struct analysis *a, const struct analysis_variant *only)
{
	json_t *o = json_object(), *variants = json_array();

	json_out_text(w, o, "schema", "xdpzoom.report/1");
	json_out_put(w, o, "run", run_json(w, a->run));
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			json_out_add(w, variants, variant_json(w, &a->variants[i]));
	json_out_put(w, o, "variants", variants);
	json_out_put(w, o, "quality", quality_json(w, &a->quality));
	return o;
}

int render_report_json(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		       const struct render_options *options)
{
	struct json_out w = {false};
	json_t *o = report_json(&w, a, only);

	(void)options;
	return json_out_write(&w, o, out, JSON_INDENT(2));
}

static json_t *rows_json(struct json_out *w, const struct compare_row *rows, size_t n, bool symbols)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct compare_row *row = &rows[i];
		json_t *o = json_object();

		json_out_text(w, o, "name", row->name);
		if (symbols)
			json_out_text(w, o, "facility", row->facility);
		json_out_number(w, o, "base_ns", row->base_ns);
		json_out_number(w, o, "new_ns", row->new_ns);
		json_out_number(w, o, "delta_ns", row->delta_ns);
		put_interval(w, o, row->ci95_ns);
		json_out_number(w, o, "p", row->p);
		json_out_number(w, o, "q", row->q);
		json_out_text(w, o, "class", compare_class_name(row->class));
		json_out_add(w, array, o);
	}
	return array;
}

static void put_sides(struct json_out *w, json_t *o, const struct compare *c)
{
	json_out_text(w, o, "base", c->base->variant->id);
	json_out_text(w, o, "new", c->new->variant->id);
	json_out_put(w, o, "same_run", json_boolean(c->same_run));
	json_out_number(w, o, "base_pps", c->base->pps);
	json_out_number(w, o, "new_pps", c->new->pps);
	json_out_number(w, o, "base_ns", c->base->base_ns);
	json_out_number(w, o, "new_ns", c->new->base_ns);
	json_out_number(w, o, "delta_ns", c->headline.delta_ns);
	put_interval(w, o, c->headline.ci95_ns);
	json_out_number(w, o, "p", c->headline.p);
	json_out_put(w, o, "paired", json_boolean(c->headline.paired));
}

static json_t *event_changes_json(struct json_out *w, const struct compare *c)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < c->nevents; i++) {
		const struct compare_event *e = &c->events[i];
		json_t *o = json_object();

		json_out_text(w, o, "event", e->name);
		json_out_text(w, o, "unit", e->unit);
		json_out_number(w, o, "base_per_packet", e->base);
		json_out_number(w, o, "new_per_packet", e->new);
		json_out_number(w, o, "delta_per_packet", e->delta);
		json_out_number(w, o, "half", e->half);
		json_out_number(w, o, "p", e->p);
		json_out_number(w, o, "running_pct", e->running_pct);
		json_out_add(w, rows, o);
	}
	return rows;
}

static json_t *counter_changes_json(struct json_out *w, const struct compare *c)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < c->ncounters; i++) {
		const struct compare_counter *one = &c->counters[i];
		json_t *o = json_object();

		json_out_text(w, o, "source", counter_source_names[one->source]);
		json_out_text(w, o, "name", one->name);
		json_out_number(w, o, "base_per_packet", one->base);
		json_out_number(w, o, "new_per_packet", one->new);
		json_out_number(w, o, "delta_per_packet", one->delta);
		json_out_put(w, o, "matters", json_boolean(one->matters));
		json_out_text(w, o, "meaning", one->meaning);
		json_out_add(w, rows, o);
	}
	return rows;
}

json_t *diff_json(struct json_out *w, const struct compare *c)
{
	json_t *o = json_object(), *closure = json_object();

	json_out_text(w, o, "schema", "xdpzoom.diff/1");
	put_sides(w, o, c);
	json_out_put(w, o, "facilities", rows_json(w, c->facilities, c->nfacilities, false));
	json_out_put(w, o, "symbols", rows_json(w, c->symbols, c->nsymbols, true));
	json_out_put(w, o, "counters", counter_changes_json(w, c));
	json_out_put(w, o, "events", event_changes_json(w, c));
	json_out_number(w, closure, "sum_delta_ns", c->sum_delta_ns);
	json_out_number(w, closure, "unattributed_delta_ns", c->unattributed_delta_ns);
	json_out_number(w, closure, "residual_ns", c->residual_ns);
	json_out_put(w, o, "closure", closure);
	json_out_put(w, o, "quality", quality_json(w, &c->quality));
	return o;
}

int render_diff_json(FILE *out, const struct compare *c, const struct render_options *options)
{
	struct json_out w = {false};
	json_t *o = diff_json(&w, c);

	(void)options;
	return json_out_write(&w, o, out, JSON_INDENT(2));
}
