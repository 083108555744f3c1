// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks in whole picoseconds, or thousandths of an instruction, per packet, because these are whole numbers. Of
 * two variants, base and new as difffolded.pl prints them. Stacks of a second stage's task, per frame that it took up,
 * have a root of their own.
 */
#include "reports/format/format.h"

#define UNATTRIBUTED "[unattributed]"
#define STAGE        "consumer;"

/*
 * Writes a stack without the blank before the counts. root: a frame to put around all others, or NULL; depth 0: nothing
 * but the root.
 */
static void put_path(FILE *out, const char *root, bool is_task, const struct profile_symbol *symbols,
		     const uint32_t *frames, unsigned int depth)
{
	if (root) {
		folded_name(out, root);
		fputc(';', out);
	}
	fputs(is_task ? STAGE : "", out);
	for (unsigned int i = 0; i < depth; i++) {
		if (i)
			fputc(';', out);
		folded_name(out, symbols[frames[i]].name);
	}
}

/* share: of each cost; carry: what rounding left. */
static void put_stacks(FILE *out, const struct stacks *s, const char *root, bool is_task, double share, double *carry)
{
	for (size_t i = 0; i < s->nrows; i++) {
		long long thousandths = folded_thousandths(s->rows[i].cost * share, carry);

		if (thousandths <= 0)
			continue;
		put_path(out, root, is_task, s->symbols, s->rows[i].frames, s->rows[i].depth);
		fprintf(out, " %lld\n", thousandths);
	}
}

static void format_folded_put_measured(FILE *out, const struct analysis_variant *v, const char *root)
{
	double carry = 0;
	long long ps;

	put_stacks(out, &v->stacks, root, v->is_task, analysis_path_share(v->base_ns, v->unattributed_ns), &carry);
	ps = v->nused ? folded_thousandths(v->unattributed_ns, &carry) : 0;
	if (ps > 0) {
		put_path(out, root, v->is_task, NULL, NULL, 0);
		fprintf(out, UNATTRIBUTED " %lld\n", ps);
	}
	if (v->stage.task)
		format_folded_put_measured(out, v->stage.task, root);
}

/* Two columns, times at[]; carry: what rounding left of each. */
static void put_pairs(FILE *out, const struct stacks_diff *paths, bool is_task, const double at[2], double carry[2])
{
	for (size_t i = 0; i < paths->nrows; i++) {
		const struct stacks_diff_row *row = &paths->rows[i];
		long long base = folded_thousandths(at[0] * fmax(0, row->base_cost), &carry[0]);
		long long new = folded_thousandths(at[1] * fmax(0, row->new_cost), &carry[1]);

		if (base <= 0 && new <= 0)
			continue;
		put_path(out, NULL, is_task, paths->symbols, row->frames, row->depth);
		fprintf(out, " %lld %lld\n", base, new);
	}
}

static void put_measured_pairs(FILE *out, const struct compare *c)
{
	double carry[2] = {0, 0}, rest[2] = {c->base_unattributed_ns, c->new_unattributed_ns};
	double at[2] = {c->pairs.reference.at[0] * analysis_path_share(c->overall.base_ns, rest[0]),
			c->pairs.reference.at[1] * analysis_path_share(c->overall.new_ns, rest[1])};
	long long base, new;

	put_pairs(out, &c->stacks, c->base->is_task, at, carry);
	base = c->base->nused ? folded_thousandths(fmax(0, rest[0]), &carry[0]) : 0;
	new = c->new->nused ? folded_thousandths(fmax(0, rest[1]), &carry[1]) : 0;
	if (base > 0 || new > 0)
		fprintf(out, "%s" UNATTRIBUTED " %lld %lld\n", c->base->is_task ? STAGE : "", base, new);
	if (c->stage)
		put_measured_pairs(out, c->stage);
}

int format_folded(FILE *out, const struct document *d, const struct render_options *o)
{
	static const double as_they_are[2] = {1, 1};
	int err = 0;

	(void)o;
	if (d->compare)
		put_measured_pairs(out, d->compare);
	if (d->exact_diff) {
		double carry[2] = {0, 0};
		struct stacks_diff paths;

		err = exact_stacks_diff_build(&paths, d->exact_diff);
		put_pairs(out, &paths, false, as_they_are, carry);
		stacks_diff_release(&paths);
	}
	for (size_t i = 0; i < d->nsections && !err; i++) {
		const struct section *s = &d->sections[i];
		double carry = 0;
		struct stacks stacks;

		if (s->measured)
			format_folded_put_measured(out, s->measured, d->nsections > 2 ? s->title : NULL);
		if (!s->counted)
			continue;
		err = exact_stacks_build(&stacks, s->counted);
		put_stacks(out, &stacks, s->counted->id, false, 1, &carry);
		stacks_release(&stacks);
	}
	return err ? err : render_finish(out);
}
