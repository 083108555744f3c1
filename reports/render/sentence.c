// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/render/sentence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/rows/digits.h"

static const char *mode_in_words(const char *mode)
{
	if (!strcmp(mode, "skb"))
		return "generic";
	return !strcmp(mode, "hw") ? "offloaded (hw)" : mode;
}

static bool differ_in_mode_alone(const struct compare *c)
{
	const struct run_variant *b = c->base->variant, *n = c->new->variant;

	return !strcmp(b->action, n->action) && !strcmp(b->target, n->target) && !strcmp(b->operation, n->operation) &&
	       !strcmp(b->plant, n->plant) && b->plant_asked_ns == n->plant_asked_ns && strcmp(b->mode, n->mode);
}

void sentence_sides(const struct compare *c, const char **base, const char **new)
{
	const struct run_variant *b = c->base->variant, *n = c->new->variant;
	bool modes = differ_in_mode_alone(c);

	*base = modes ? mode_in_words(b->mode) : b->id;
	*new = modes ? mode_in_words(n->mode) : n->id;
}

/* " in the new run": which of two runs is meant, where the variants' names do not say it. */
static const char *in_run(const struct compare *c, const char *which)
{
	return c->same_run ? "" : which;
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
	const struct compare_headline *h = &c->headline;
	const char *base, *new, *in_new = in_run(c, " in the new run"), *in_base = in_run(c, " in the base run");
	char of[80] = "";

	memset(s, 0, sizeof(*s));
	sentence_sides(c, &base, &new);
	if (differ_in_mode_alone(c))
		snprintf(of, sizeof(of), "%s%s%s/%s: ", c->base->variant->action,
			 c->base->variant->target[0] ? ":" : "", c->base->variant->target, c->base->variant->operation);
	if (isnan(h->delta_ns)) {
		snprintf(s->before, sizeof(s->before), "%s%s%s and %s%s cannot be compared: no packets in one of them",
			 of, new, in_new, base, in_base);
	} else if (fabs(h->delta_ns) <= h->half_ns) {
		snprintf(s->before, sizeof(s->before), "%s%s%s and %s%s do not differ measurably: ", of, new, in_new,
			 base, in_base);
		interval(h->delta_ns, h->half_ns, true, s->number, sizeof(s->number));
		snprintf(s->after, sizeof(s->after), " per packet (95 %%)");
	} else {
		snprintf(s->before, sizeof(s->before), "%s%s costs ", of, new);
		interval(fabs(h->delta_ns), h->half_ns, false, s->number, sizeof(s->number));
		snprintf(s->after, sizeof(s->after), " %s per packet%s than %s%s%s", h->delta_ns < 0 ? "less" : "more",
			 in_new, base, in_base, isnan(h->half_ns) ? "" : " (95 %)");
	}
}

void sentence_of_parts(const struct compare *c, size_t max, char *line, size_t size)
{
	size_t n = 0, told = 0;

	line[0] = '\0';
	for (size_t i = 0; i < c->nfacilities && told < max && n < size; i++) {
		const struct compare_row *row = &c->facilities[i];

		if (!row->significant)
			continue;
		n += (size_t)snprintf(line + n, size - n, "%s%+.*f %s", told ? ", " : "",
				      digits_of_interval(row->half_ns), row->delta_ns, row->name);
		told++;
	}
}
