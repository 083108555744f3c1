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

int compare_add_events(struct compare *c)
{
	const struct analysis_variant *const sides[] = {c->base, c->new};
	double *values = calloc(c->base->nused + c->new->nused + 1, sizeof(*values));
	int err;

	c->events = calloc(c->base->nevents + c->new->nevents + 1, sizeof(*c->events));
	err = values && c->events ? 0 : -ENOMEM;
	for (int k = 0; k < 2 && !err; k++)
		for (size_t i = 0; i < sides[k]->nevents; i++) {
			const struct analysis_event *any = &sides[k]->events[i];
			const struct analysis_event *other = compare_events_find(sides[!k], any->name);
			const struct analysis_event *base = k ? NULL : any, *new = k ? any : other;
			struct stats_difference d;
			size_t nbase, nnew;

			if (k && other)
				continue;
			nbase = compare_events_known(base, c->base, values);
			nnew = compare_events_known(new, c->new, values + nbase);
			d = stats_welch(values, nbase, values + nbase, nnew);
			c->events[c->nevents] = (struct compare_event){
				.name = any->name,
				.unit = any->unit,
				.base = base ? base->per_packet : NAN,
				.new = new ? new->per_packet : NAN,
				.half = d.half,
				.p = d.p,
				.running_pct = fmin(base ? base->running_pct : 100, new ? new->running_pct : 100),
			};
			c->events[c->nevents].delta = c->events[c->nevents].new - c->events[c->nevents].base;
			c->nevents++;
		}
	free(values);
	return err;
}
