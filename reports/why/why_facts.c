// SPDX-License-Identifier: GPL-2.0-or-later
/* Costs, rates and settings of two variants, or of one, as facts. */
#include "reports/why/why.h"

#define ALPHA 0.005 /* of the intervals: 99.5 % */

void why_release(struct why_facts *f)
{
	free(f->losses);
	free(f->ledger);
	free(f->queues);
	free(f->tasks);
	free(f->cpus);
	free(f->queue_shares);
	free(f->changes);
	free(f->components);
	*f = (struct why_facts){};
}

/* ---- costs -------------------------------------------------------------------------------------- */

static int add_component(struct why_facts *f, const struct compare_row *row)
{
	struct why_component *one = array_add(&f->components, &f->ncomponents, sizeof(*one));
	double factor = stats_t(1e6, ALPHA) / STATS_Z95; /* of a 95 % interval whose degrees of freedom are not told */

	if (!one)
		return -ENOMEM;
	*one = (struct why_component){
		.ns = {row->base_ns, row->new_ns}, .delta_ns = row->delta_ns, .half_ns = row->half_ns * factor};
	snprintf(one->name, sizeof(one->name), "%s", row->component ?: row->name);
	one->slower = row->significant && row->p < ALPHA && row->delta_ns - one->half_ns > 0;
	one->faster = row->significant && row->p < ALPHA && row->delta_ns + one->half_ns < 0;
	return 0;
}

static void take_variant(struct why_facts *f, const struct analysis_variant *v, int side)
{
	snprintf(f->about[side], sizeof(f->about[side]), "%s", v->variant->id);
	f->pps[side] = v->pps;
	f->ns[side] = v->base_ns;
	f->busy_pct[side] = v->busy_pct;
	f->per_poll[side] = v->packets_per_poll;
	f->samples_known |= v->samples > 0;
}

static int read_costs(struct why_facts *f, const struct compare *c)
{
	const struct compare_overall *h = &c->overall;
	size_t na = c->base->nblocks, nb = c->new->nblocks;
	double *rates = calloc(na + nb + 1, sizeof(*rates));
	int err = 0;

	if (!rates)
		return -ENOMEM;
	for (size_t i = 0; i < na; i++)
		rates[i] = c->base->blocks[i].pps;
	for (size_t i = 0; i < nb; i++)
		rates[na + i] = c->new->blocks[i].pps;
	if (na > 1 && nb > 1)
		f->pps_p = stats_welch(rates, na, rates + na, nb).p;
	free(rates);

	take_variant(f, c->base, WHY_BEFORE);
	take_variant(f, c->new, WHY_AFTER);
	if (isnan(c->base->base_ns) || isnan(c->new->base_ns))
		return err;
	f->samples_known = c->base->samples > 0 && c->new->samples > 0;
	f->delta_ns = h->delta_ns;
	f->half_ns = h->df > 0 ? h->se_ns * stats_t(h->df, ALPHA) : NAN;
	if (c->knows_between) /* two runs differ by more than their blocks do */
		f->half_ns = fmax(f->half_ns, h->half_ns * stats_t(1e6, ALPHA) / STATS_Z95);
	for (size_t i = 0; i < c->ncomponents && !err && f->samples_known; i++)
		err = add_component(f, &c->components[i]);
	return err;
}

/* ---- settings that a run tells itself ----------------------------------------------------------- */

/* What a machine has without anybody's doing, and what event.json tells better. */
static int compare_members(struct why_facts *f, const char *of, json_t *was, json_t *is)
{
	static const char *const skipped[] = {"boot_id", "watch", "queues",         "name", "ifindex", "watched",
					      "mhz",     "perf",  "driver_version", "bus",  NULL};
	const char *name;
	json_t *value;
	int err = 0;

	json_object_foreach (was, name, value) {
		json_t *other = json_object_get(is, name);
		int i = 0;

		while (skipped[i] && strcmp(skipped[i], name))
			i++;
		if (skipped[i] || !other)
			continue;
		if (json_is_object(value) && json_is_object(other))
			err = err ?: json_differences(value, other, of, why_add_difference, f);
		else if (!json_equal(value, other) && !json_is_array(value))
			err = err ?: why_add_difference(f, of, name, value, other);
	}
	return err;
}

static int compare_runs(struct why_facts *f, const struct compare *c)
{
	const struct run *was = c->base->of->run, *is = c->new->of->run;
	enum run_mode from = c->base->variant->mode, to = c->new->variant->mode;
	const char *tags[] = {c->base->program.tag, c->new->program.tag};
	int err = 0;

	if (*tags[0] && *tags[1] && strcmp(tags[0], tags[1]))
		err = why_add_change(f, f->device, "xdp program", tags[0], tags[1]);
	if (!err && from != to)
		err = why_add_change(f, f->device, "xdp mode", run_mode_words[from], run_mode_words[to]);
	if (!err && was != is)
		err = compare_members(f, "", was->environment, is->environment)
			      ?: compare_members(f, f->device, was->device, is->device);
	f->state_known = true;
	return err;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* The side of event.json with this part; two: the last one stands for all. */
static const json_t *side_of(const json_t *moment, const char *part)
{
	json_t *sides = json_object_get(moment, "sides"), *o;
	size_t i;

	json_array_foreach (sides, i, o) {
		const char *word = json_string_value(json_object_get(o, "part"));

		if (word && !strcmp(word, part))
			return o;
	}
	return NULL;
}

int why_read(struct why_facts *f, const struct why_sources *s)
{
	const struct analysis_variant *after = s->compare ? s->compare->new : s->one;
	const char *parts[] = {s->compare ? run_operation_words[s->compare->base->variant->operation] : "",
			       run_operation_words[after->variant->operation]};
	struct why_moments m = {{side_of(s->before, parts[0]), side_of(s->after, parts[1])},
				{json_object_get(s->before, "state"), json_object_get(s->after, "state")}};
	int err = 0;

	*f = (struct why_facts){.pps_p = NAN, .delta_ns = NAN, .half_ns = NAN};
	for (int k = 0; k < WHY_SIDES; k++)
		f->seconds[k] = f->pps[k] = f->ns[k] = f->busy_pct[k] = f->per_poll[k] = f->full_pct[k] =
			f->squeezed_per_s[k] = f->ip_per_s[k] = f->queued_per_s[k] = f->counted_per_s[k] =
				f->xdp_per_s[k] = NAN;
	f->two_sides = s->compare != NULL;
	f->two_runs = s->compare && (!s->compare->same_run || !run_variant_is_watched(after->variant));
	f->rig = !run_variant_is_watched(after->variant);
	snprintf(f->device, sizeof(f->device), "%.31s",
		 f->rig ? after->of->run->facts.device ?: "" : after->variant->target);
	if (s->compare)
		err = read_costs(f, s->compare);
	else
		take_variant(f, s->one, s->silent ? WHY_BEFORE : WHY_AFTER);
	if (s->silent) { /* nothing was polled after the moment */
		m.side[WHY_BEFORE] = side_of(s->before, run_operation_words[RUN_PART_BEFORE]);
		m.side[WHY_AFTER] = side_of(s->after, run_operation_words[RUN_PART_AFTER]);
		snprintf(f->about[WHY_AFTER], sizeof(f->about[WHY_AFTER]), "no packet");
		f->two_sides = true;
	} else if (!s->compare) {
		m.side[WHY_BEFORE] = m.state[WHY_BEFORE] = NULL;
	}
	if (!err && s->after)
		err = why_read_moments(f, &m);
	if (!err && f->two_runs)
		err = compare_runs(f, s->compare);
	return err;
}
