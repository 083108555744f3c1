// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The variants of a run as a ladder: what each costs, and the step up from the one before it, with the components that
 * the step consists of. The main steps add up to the difference between the last variant and the first.
 */
#include "reports/format/format.h"

#define NAME_COLUMNS 22
#define PARTS        3
#define INDENT       7

static void put_step(const struct text *t, const struct compare *c, bool aside)
{
	char line[400], parts[300];

	text_column(t, c->overall.delta_ns, c->overall.half_ns, 10, true);
	if (aside)
		text_styled(t, TEXT_FAINT, "  branch");
	fputc('\n', t->out);
	sentence_of_parts(c, PARTS, parts, sizeof(parts));
	if (!*parts)
		return;
	snprintf(line, sizeof(line), "%s", parts);
	text_wrapped(t, INDENT, line);
}

static void put_sending(const struct text *t, const struct analysis_variant *v)
{
	char line[300];

	if (isnan(v->sending.system_calls))
		return;
	sending_words(&v->sending, line, sizeof(line));
	text_wrapped(t, INDENT, line);
}

/* c: with the layer before; NULL: there is none. */
static void put_stage(const struct text *t, const struct analysis_variant *v, const struct compare *c)
{
	const struct analysis_stage *s = &v->stage;
	char line[400 + RUN_ID_BYTES], number[64];

	if (isnan(s->ns))
		return;
	snprintf(line, sizeof(line), "%s %s ns a frame", v->variant->stage == RUN_STAGE_READER ? "reader" : "consumer",
		 digits_interval(s->ns, s->half_ns, number, sizeof(number)));
	if (c && c->stage)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), ", %s%s to that of %s",
			 c->stage->overall.delta_ns > 0 ? "+" : "",
			 digits_interval(c->stage->overall.delta_ns, c->stage->overall.half_ns, number, sizeof(number)),
			 c->base->variant->id);
	text_wrapped(t, INDENT, line);
}

static int format_ladder_put_variant(const struct text *t, const struct analysis_variant *below,
				     const struct analysis_variant *v)
{
	struct compare c;
	int err;

	text_name(t, v->variant->id, NAME_COLUMNS);
	text_number(t, v->pps / 1e6, 9, 3, false);
	text_column(t, v->base_ns, v->half_ns, 10, false);
	if (!below || !below->nused || !v->nused) {
		fputc('\n', t->out);
		put_stage(t, v, NULL);
		return 0;
	}
	err = compare_build(&c, below, v, NULL, NULL);
	if (err)
		return err;
	put_step(t, &c, run_layer_is_aside(v->variant));
	put_stage(t, v, &c);
	compare_release(&c);
	return 0;
}

static int put_sum(const struct text *t, const struct analysis_variant *first, const struct analysis_variant *last)
{
	char line[2 * RUN_ID_BYTES + 100], number[48];
	struct compare c;
	int err;

	if (!first || !last || first == last || !first->nused || !last->nused) /* last: all layers are aside */
		return 0;
	err = compare_build(&c, first, last, NULL, NULL);
	if (err)
		return err;
	snprintf(line, sizeof(line), "%s costs %s ns more than %s.", last->variant->id,
		 digits_interval(c.overall.delta_ns, c.overall.half_ns, number, sizeof(number)), first->variant->id);
	fputc('\n', t->out);
	text_wrapped(t, 0, line);
	compare_release(&c);
	return 0;
}

int format_ladder(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct text t = {.out = out, .colour = o->colour, .columns = TEXT_COLUMNS};
	const struct analysis_variant *below = NULL, *first = NULL;
	int err = 0;

	text_styled(&t, TEXT_TITLE, "%-*s%9s%17s%17s\n", NAME_COLUMNS, "", "Mpps", "ns/packet", "step");
	for (size_t i = 1; i < d->nsections && !err; i++) {
		const struct analysis_variant *v = d->sections[i].measured;

		err = format_ladder_put_variant(&t, below, v);
		if (!err)
			put_sending(&t, v);
		if (!first)
			first = v;
		if (!run_layer_is_aside(v->variant))
			below = v;
	}
	if (!err)
		err = put_sum(&t, first, below);
	return err ? err : text_finish(&t);
}
