// SPDX-License-Identifier: GPL-2.0-or-later
/* Quality gates as the kernel's selftests print their results, with the costs as comments. */
#include <math.h>
#include "base/sheet/sheet.h"
#include "reports/format/format.h"

/* title: of the variant; NULL: of a run or a comparison, whose rows name their own. */
static void format_ktap_put_gate(struct ktap *k, const struct quality_row *row, const char *title)
{
	static const enum ktap_result results[QUALITY_VERDICTS] = {[QUALITY_HOLDS] = KTAP_PASS,
								   [QUALITY_NOT_KNOWN] = KTAP_SKIP,
								   [QUALITY_CANNOT_TELL] = KTAP_SKIP,
								   [QUALITY_FAILS] = KTAP_FAIL};
	enum quality_verdict verdict = quality_verdict(row);
	char of[RUN_ID_BYTES + 8], why[600], value[48];
	size_t n = (size_t)snprintf(why, sizeof(why), "%s", quality_verdict_name(verdict));

	if (!isnan(row->value))
		n += (size_t)snprintf(why + n, sizeof(why) - n, ": %s %s, %s %.4g",
				      digits_interval(row->value, row->half, value, sizeof(value)), row->unit,
				      row->at_least ? "at least" : "at most", row->limit);
	if (*row->note)
		snprintf(why + n, sizeof(why) - n, "; %s", row->note);
	snprintf(of, sizeof(of), "%s%s", title ? "" : row->side, title ? title : row->variant);
	ktap_add(k, results[verdict], of, row->gate, why);
}

static void format_ktap_put_cost(const struct ktap *k, const struct section *s)
{
	char number[48];

	if (s->counted)
		ktap_comment(k, "%s: %.3f instructions per packet", s->title,
			     s->counted->total.instructions[EXACT_PACKET]);
	else if (s->measured && s->measured->nused)
		ktap_comment(k, "%s: %s ns per packet", s->title,
			     digits_interval(s->measured->base_ns, s->measured->half_ns, number, sizeof(number)));
}

/* An exact run has one check a variant: its sums are those that were counted beside them. */
static void format_ktap_put_closure(struct ktap *k, const struct exact_variant *v)
{
	char words[400];
	bool open = exact_open_words(v, words, sizeof(words));

	ktap_add(k, open ? KTAP_FAIL : KTAP_PASS, v->id, "closure", words);
}

int format_ktap(FILE *out, const struct document *d, const struct render_options *o)
{
	size_t planned = 0;
	struct ktap k;

	(void)o;
	for (size_t i = 0; i < d->nsections; i++)
		planned += (d->sections[i].gates ? d->sections[i].gates->nrows : 0) + !!d->sections[i].counted;
	ktap_begin(&k, out, planned);
	for (size_t i = 0; i < sizeof(d->line) / sizeof(d->line[0]); i++)
		if (*d->line[i])
			ktap_comment(&k, "%s", d->line[i]);
	if (*d->answer.number)
		ktap_comment(&k, "%s%s%s", d->answer.before, d->answer.number, d->answer.after);
	for (size_t i = 0; i < d->nsections; i++) {
		const struct section *s = &d->sections[i];

		format_ktap_put_cost(&k, s);
		if (s->counted)
			format_ktap_put_closure(&k, s->counted);
		for (size_t g = 0; s->gates && g < s->gates->nrows; g++)
			format_ktap_put_gate(&k, &s->gates->rows[g], s->title);
	}
	return ktap_end(&k);
}
