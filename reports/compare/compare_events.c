// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of perf stat, both sides; compare.h has the contract. */
#include "reports/compare/compare.h"

static const struct analysis_event *compare_events_find(const struct analysis_variant *v, const char *name)
{
	for (size_t i = 0; i < v->nevents; i++)
		if (!strcmp(v->events[i].name, name))
			return &v->events[i];
	return NULL;
}

/* Copies the values of the blocks that counted e into values; returns their number. */
static size_t compare_events_known(const struct analysis_event *e, const struct analysis_variant *v, double *values)
{
	size_t n = 0;

	for (size_t i = 0; e && i < v->nused; i++)
		if (isfinite(e->block_values[i]))
			values[n++] = e->block_values[i];
	return n;
}

static int compare_events_add(struct compare *c, const struct analysis_event *base, const struct analysis_event *new)
{
	double *values = calloc(c->base->nused + c->new->nused + 1, sizeof(*values));
	const struct analysis_event *any = base ? base : new;
	struct compare_event *e = &c->events[c->nevents];
	struct stats_difference d;
	size_t nbase, nnew;

	if (!values)
		return -ENOMEM;
	nbase = compare_events_known(base, c->base, values);
	nnew = compare_events_known(new, c->new, values + nbase);
	d = stats_welch(values, nbase, values + nbase, nnew);
	*e = (struct compare_event){
		.name = any->name,
		.unit = any->unit,
		.base = base ? base->per_packet : NAN,
		.new = new ? new->per_packet : NAN,
		.half = d.half,
		.p = d.p,
		.running_pct = fmin(base ? base->running_pct : 100, new ? new->running_pct : 100),
	};
	e->delta = e->new - e->base;
	c->nevents++;
	free(values);
	return 0;
}

int compare_add_events(struct compare *c)
{
	int err = 0;

	c->events = calloc(c->base->nevents + c->new->nevents + 1, sizeof(*c->events));
	if (!c->events)
		return -ENOMEM;
	for (size_t i = 0; i < c->base->nevents && !err; i++)
		err = compare_events_add(c, &c->base->events[i], compare_events_find(c->new, c->base->events[i].name));
	for (size_t i = 0; i < c->new->nevents && !err; i++)
		if (!compare_events_find(c->base, c->new->events[i].name))
			err = compare_events_add(c, NULL, &c->new->events[i]);
	return err;
}
