// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/explain/explain.h"

static int explain_by_cost(const void *a, const void *b)
{
	const struct explain_row *x = a, *y = b;

	return ORDER(y->ns, x->ns) ?: ORDER(y->x[EXPLAIN_INSTRUCTIONS], x->x[EXPLAIN_INSTRUCTIONS])
				      ?: strcmp(x->name, y->name);
}

static int by_rest(const void *a, const void *b)
{
	const struct explain_row *x = *(const struct explain_row *const *)a, *y = *(const struct explain_row *const *)b;

	return ORDER(fabs(y->rest_ns), fabs(x->rest_ns)) ?: strcmp(x->name, y->name);
}

/* Instructions per packet at the packets per poll that were measured. */
static double instructions_of(const struct exact_cost *c, const struct analysis_variant *v)
{
	double per_poll = v->packets_per_poll > 0 ? c->instructions[EXACT_POLL] / v->packets_per_poll : 0;

	return fmax(0, c->instructions[EXACT_PACKET] + per_poll);
}

/* Joins what was measured, as the base, with what was counted; rows of several symbols with one key are summed. */
static int explain_join(struct explain_variant *v, const struct symkeys *keys)
{
	struct symjoin j = {.keys = keys};
	size_t n = v->measured->nsymbols + v->counted->nrows;

	v->rows = calloc(n + 1, sizeof(*v->rows));
	if (!v->rows || symjoin_room(&j, n))
		return -ENOMEM;
	for (size_t i = 0; i < v->measured->nsymbols; i++)
		symjoin_add(&j, false, &v->measured->symbols[i], v->measured->symbols[i].name, "");
	for (size_t i = 0; i < v->counted->nrows; i++)
		symjoin_add(&j, true, &v->counted->rows[i], v->counted->rows[i].name, "");
	symjoin_sort(&j);
	for (size_t from = 0, to; from < j.n; from = to) {
		to = symjoin_end(&j, from);
		/*
		 * Makes a row of the entries [e, end) of one function. People see the measured name; the costliest
		 * symbol is first.
		 */
		const struct symjoin_entry *e = &j.entries[from];
		struct explain_row row = {.name = e->name, .variant = v->measured, .x = {NAN, NAN, NAN}};
		row.component = e->is_new ? ((const struct exact_row *)e->row)->component
					  : ((const struct analysis_row *)e->row)->component;
		for (; e < &j.entries[to]; e++) {
			const struct analysis_row *measured = e->is_new ? NULL : e->row;
			const struct exact_row *counted = e->is_new ? e->row : NULL;

			if (measured) {
				row.ns += measured->self_ns;
				row.half_ns = hypot(row.half_ns, isnan(measured->half_ns) ? 0 : measured->half_ns);
				continue;
			}
			if (isnan(row.x[EXPLAIN_INSTRUCTIONS]))
				memset(row.x, 0, sizeof(row.x));
			row.x[EXPLAIN_INSTRUCTIONS] += instructions_of(&counted->cost, v->measured);
			row.x[EXPLAIN_TRANSFERS] += isnan(counted->cost.memory[EXACT_LINES_TRANSFERRED])
							    ? NAN
							    : fmax(0, counted->cost.memory[EXACT_LINES_TRANSFERRED]);
			row.x[EXPLAIN_CALLS] += fmax(0, counted->cost.calls);
		}
		v->rows[v->nrows++] = row;
	}
	symjoin_release(&j);
	return 0;
}

/* ---- the fit ----------------------------------------------------------------------------------------- */

static struct explain_point point_of(const struct explain_row *row, size_t variant)
{
	const struct analysis_variant *v = row->variant;
	double error = v->nused > 1 ? v->half_ns / stats_t95((double)v->nused - 1) / v->base_ns : 0;

	struct explain_point p = {
		.ns = row->ns, .variant = variant, .base_ns = v->base_ns, .n_eff = v->n_eff, .base_error = error};

	memcpy(p.x, row->x, sizeof(p.x));
	return p;
}

static int fit(struct explain *e, struct diag *d)
{
	struct explain_point *points;
	size_t n = 0;
	int err;

	for (size_t i = 0; i < e->nvariants; i++)
		n += e->variants[i].nrows;
	points = calloc(n + 1, sizeof(*points));
	if (!points)
		return diag_set(d, -ENOMEM, "no memory");
	e->transfers = true;
	for (size_t i = 0; i < e->nvariants; i++)
		for (size_t k = 0; k < e->variants[i].nrows; k++) {
			const struct explain_row *row = &e->variants[i].rows[k];

			if (isnan(row->x[EXPLAIN_INSTRUCTIONS]))
				continue;
			points[e->npoints++] = point_of(row, i);
			e->transfers &= !isnan(row->x[EXPLAIN_TRANSFERS]);
		}
	err = explain_fit(&e->fit, points, e->npoints, e->transfers);
	free(points);
	return err ? diag_set(d, err, "the two runs have only %zu functions in common; a fit needs %d", e->npoints,
			      EXPLAIN_POINTS)
		   : 0;
}

/* ---- what follows from it ---------------------------------------------------------------------------- */

static void price(const struct explain *e, struct explain_parts *p)
{
	p->unattributed_ns = p->ns - p->rest_ns - p->not_counted_ns;
	for (int t = 0; t < EXPLAIN_TERMS; t++) {
		/* The end of an interval that belongs to a smaller product stands first. */
		const struct explain_coefficient *c = &e->fit.terms[t];
		bool down = p->x[t] < 0;

		p->by_ns[t] = isnan(c->value) ? 0 : c->value * p->x[t];
		p->by_ci95[t][0] = c->ci95[down] * p->x[t];
		p->by_ci95[t][1] = c->ci95[!down] * p->x[t];
		p->unattributed_ns -= p->by_ns[t];
	}
}

static const struct explain_variant *explain_find(const struct explain *e, const struct analysis_variant *measured)
{
	for (size_t i = 0; i < e->nvariants; i++)
		if (e->variants[i].measured == measured)
			return &e->variants[i];
	return NULL;
}

static int differences(struct explain *e, struct diag *d)
{
	int err = overview_build(&e->overview, e->measured, d);

	e->differences = calloc(e->overview.nrows + 1, sizeof(*e->differences));
	if (!err && !e->differences)
		err = diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < e->overview.nrows && !err; i++) {
		const struct overview_row *row = &e->overview.rows[i];
		struct explain_difference *one = &e->differences[e->ndifferences];

		one->native = row->native ? explain_find(e, row->native) : NULL;
		one->skb = row->skb ? explain_find(e, row->skb) : NULL;
		if (!row->have_difference || !one->native || !one->skb)
			continue;
		one->name = row->name;
		one->parts = (struct explain_parts){
			.ns = row->difference.delta_ns,
			.half_ns = row->difference.half_ns,
			.rest_ns = one->skb->parts.rest_ns - one->native->parts.rest_ns,
			.not_counted_ns = one->skb->parts.not_counted_ns - one->native->parts.not_counted_ns,
		};
		for (int t = 0; t < EXPLAIN_TERMS; t++)
			one->parts.x[t] = one->skb->parts.x[t] - one->native->parts.x[t];
		price(e, &one->parts);
		e->ndifferences++;
	}
	return err;
}

int explain_forecast(struct explain *e, const struct exact *to, struct diag *d)
{
	e->to = to;
	e->changes = calloc(e->nvariants + 1, sizeof(*e->changes));
	if (!e->changes)
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_variant *counted = exact_find(e->to, e->variants[i].counted->id, NULL);

		/* What differs between the two counts of a variant, at the measured packets per poll. */
		const struct explain_variant *v = &e->variants[i];
		if (!counted)
			continue;
		const struct exact_cost *was = &v->counted->total, *is = &counted->total;
		struct explain_change c = {.variant = v};
		c.x[EXPLAIN_INSTRUCTIONS] = instructions_of(is, v->measured) - instructions_of(was, v->measured);
		c.x[EXPLAIN_TRANSFERS] = is->memory[EXACT_LINES_TRANSFERRED] - was->memory[EXACT_LINES_TRANSFERRED];
		c.x[EXPLAIN_CALLS] = is->calls - was->calls;
		for (int t = 0; t < EXPLAIN_TERMS; t++) {
			const struct explain_coefficient *a = &e->fit.terms[t];

			if (isnan(a->value) || isnan(c.x[t]))
				continue;
			c.ns += a->value * c.x[t];
			c.half_ns = hypot(c.half_ns, c.x[t] * fmax(a->value - a->ci95[0], a->ci95[1] - a->value));
		}
		e->changes[e->nchanges++] = c;
	}
	return e->nchanges ? 0 : diag_set(d, -ENOENT, "the counts of the other kernel have none of these variants");
}

/* Pairs the variants of both runs by their ids. */
static int pair(struct explain *e, const struct analysis_variant *only, const struct symkeys *keys, struct diag *d)
{
	const struct analysis *a = e->measured;
	double pings = 0;
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct exact_variant *counted = exact_find(e->counted, a->variants[i].variant->id, NULL);

		if (!counted || !a->variants[i].nused || !a->variants[i].samples || (only && only != &a->variants[i]))
			continue;
		e->variants[e->nvariants] = (struct explain_variant){.measured = &a->variants[i], .counted = counted};
		pings += a->variants[i].placement_ns;
		err = explain_join(&e->variants[e->nvariants++], keys);
	}
	if (err)
		return diag_set(d, err, "no memory");
	if (!e->nvariants)
		return diag_set(d, -ENOENT, "no variant was both measured and counted; the exact run has %s%s",
				e->counted->variants[0].id, e->counted->nvariants > 1 ? " and others" : "");
	e->ping_pong_ns = pings > 0 ? pings / (double)e->nvariants : NAN;
	return 0;
}

int explain_build(struct explain *e, const struct analysis *a, const struct analysis_variant *only,
		  const struct exact *counted, const struct symkeys *keys, struct diag *d)
{
	int err;

	*e = (struct explain){.measured = a, .counted = counted};
	e->variants = calloc(a->nvariants + 1, sizeof(*e->variants));
	err = e->variants ? pair(e, only, keys, d) : diag_set(d, -ENOMEM, "no memory");
	if (!err)
		err = fit(e, d);
	for (size_t i = 0; i < e->nvariants && !err; i++) {
		struct explain_variant *v = &e->variants[i];
		struct explain_parts *p = &v->parts;

		*p = (struct explain_parts){.ns = v->measured->base_ns, .half_ns = v->measured->half_ns};
		for (size_t k = 0; k < v->nrows; k++) {
			struct explain_row *row = &v->rows[k];
			struct explain_point point = point_of(row, i);

			row->model_ns = row->rest_ns = row->model_half_ns = NAN;
			row->fits = true;
			if (isnan(row->x[EXPLAIN_INSTRUCTIONS])) {
				p->not_counted_ns += row->ns;
				continue;
			}
			row->model_ns = explain_model(&e->fit, &point);
			row->rest_ns = row->ns - row->model_ns;
			row->model_half_ns = STATS_Z95 * explain_sd(&e->fit, &point);
			row->fits = fabs(row->rest_ns) <= row->model_half_ns;
			for (int t = 0; t < EXPLAIN_TERMS; t++)
				p->x[t] += row->x[t];
			p->rest_ns += row->rest_ns;
		}
		qsort(v->rows, v->nrows, sizeof(*v->rows), explain_by_cost);
		price(e, p);
	}
	if (!err)
		err = differences(e, d);
	e->misfits = calloc(e->npoints + 1, sizeof(*e->misfits));
	if (!err && !e->misfits)
		err = diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < e->nvariants && !err; i++)
		for (size_t k = 0; k < e->variants[i].nrows; k++)
			if (!e->variants[i].rows[k].fits)
				e->misfits[e->nmisfits++] = &e->variants[i].rows[k];
	if (!err)
		qsort(e->misfits, e->nmisfits, sizeof(*e->misfits), by_rest);
	if (err)
		explain_release(e);
	return err;
}

void explain_release(struct explain *e)
{
	for (size_t i = 0; i < e->nvariants; i++)
		free(e->variants[i].rows);
	free(e->variants);
	free(e->differences);
	free(e->misfits);
	free(e->changes);
	overview_release(&e->overview);
	memset(e, 0, sizeof(*e));
}
