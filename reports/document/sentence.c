// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/document/document.h"

static const char *mode_in_words(const char *mode)
{
	if (!strcmp(mode, "skb"))
		return "generic";
	return !strcmp(mode, "hw") ? "offloaded (hw)" : mode;
}

bool sentence_sides(const char *base_id, const char *new_id, const char **base, const char **new)
{
	const char *b = strrchr(base_id, '@'), *n = strrchr(new_id, '@');
	bool modes =
		b && n && b - base_id == n - new_id && strcmp(b, n) && !strncmp(base_id, new_id, (size_t)(b - base_id));

	*base = modes ? mode_in_words(b + 1) : base_id;
	*new = modes ? mode_in_words(n + 1) : new_id;
	return modes;
}

static const char *interval(double value, double half, bool sign, char *buf, size_t size)
{
	char number[48];

	digits_interval(value, half, number, sizeof(number));
	snprintf(buf, size, "%s%s ns", sign && value >= 0 ? "+" : "", number);
	return buf;
}

void sentence_of_difference(struct sentence *s, const struct compare *c)
{
	bool runs = c->runs.nbase > 0;
	double delta_ns = runs ? c->runs.delta_ns : c->overall.delta_ns;
	double half_ns = runs ? c->runs.half_ns : c->overall.half_ns;
	const char *chance = isnan(half_ns) ? "" : runs ? " (95 %, over runs)" : " (95 %)";
	const struct run_variant *v = c->base->variant;
	const char *base, *new;
	/* Where the variants have the same name, only the run tells them apart. */
	const char *in_new = c->same_run ? "" : " in the new run", *in_base = c->same_run ? "" : " in the base run";
	char of[RUN_ID_BYTES] = "";

	memset(s, 0, sizeof(*s));
	if (sentence_sides(v->id, c->new->variant->id, &base, &new))
		snprintf(of, sizeof(of), "%s%s%s%s%s: ", run_action_words[v->action], v->target[0] ? ":" : "",
			 v->target, v->operation ? "/" : "", run_operation_words[v->operation]);
	if (isnan(delta_ns)) {
		snprintf(s->before, sizeof(s->before), "%s%s%s and %s%s cannot be compared: no packets in one of them",
			 of, new, in_new, base, in_base);
	} else if (!compare_busy_alike(c->base, c->new)) {
		snprintf(s->before, sizeof(s->before),
			 "%snot comparable: %s%s was idle for %.0f %% of the time and %s%s for %.0f %%; ", of, new,
			 in_new, fmax(0, 100 - c->new->busy_pct), base, in_base, fmax(0, 100 - c->base->busy_pct));
		interval(delta_ns, half_ns, true, s->number, sizeof(s->number));
		snprintf(s->after, sizeof(s->after), " per packet%s", chance);
	} else if (fabs(delta_ns) <= half_ns) {
		snprintf(s->before, sizeof(s->before), "%s%s%s and %s%s do not differ measurably: ", of, new, in_new,
			 base, in_base);
		interval(delta_ns, half_ns, true, s->number, sizeof(s->number));
		snprintf(s->after, sizeof(s->after), " per packet%s", chance);
	} else {
		snprintf(s->before, sizeof(s->before), "%s%s costs ", of, new);
		interval(fabs(delta_ns), half_ns, false, s->number, sizeof(s->number));
		snprintf(s->after, sizeof(s->after), " %s per packet%s than %s%s%s", delta_ns < 0 ? "less" : "more",
			 in_new, base, in_base, chance);
	}
}

void sentence_add_waking(struct sentence *s, const struct compare *c)
{
	if (!*s->number || !compare_busy_alike(c->base, c->new) ||
	    !(analysis_sleeps(c->base) || analysis_sleeps(c->new)))
		return;
	snprintf(s->after + strlen(s->after), sizeof(s->after) - strlen(s->after),
		 ", with what waking up costs: they were busy for %.0f and %.0f %% of the time",
		 fmin(c->base->busy_pct, 100), fmin(c->new->busy_pct, 100));
}

void sentence_of_parts(const struct compare *c, size_t max, char *line, size_t size)
{
	size_t told = 0;

	line[0] = '\0';
	for (size_t i = 0; i < c->ncomponents && told < max; i++) {
		const struct compare_row *row = &c->components[i];

		if (!row->significant)
			continue;
		told += listed_add(line, size, ", ", "%+.*f %s", digits_of_interval(row->half_ns), row->delta_ns,
				   row->name);
	}
}

void sentence_of_exact(struct sentence *s, const struct exact_diff *d)
{
	bool same = d->base_run == d->new_run;

	memset(s, 0, sizeof(*s));
	if (d->change == 0) {
		snprintf(s->before, sizeof(s->before), "%s and %s cost the same instructions per packet", d->base->id,
			 d->new->id);
		return;
	}
	snprintf(s->before, sizeof(s->before), "%s costs ", d->new->id);
	snprintf(s->number, sizeof(s->number), "%.3f instructions", fabs(d->change));
	snprintf(s->after, sizeof(s->after), " per packet %s%s than %s%s", d->change < 0 ? "less" : "more",
		 same ? "" : " in the new run", d->base->id, same ? "" : " in the base run");
}
