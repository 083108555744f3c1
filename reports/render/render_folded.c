// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks in whole picoseconds per packet: one column, or base and new as difffolded.pl prints them. Those of a
 * second stage's task, per frame that it took up, have a root of their own.
 */
#include "perfparse/folded.h"
#include "reports/render/render.h"
#include "base/sheet/text.h"

#define UNATTRIBUTED "[unattributed]"
#define STAGE        "second stage;"

/* root: a frame to put around all others, or NULL. */
static void put_root(FILE *out, const char *root, bool is_task)
{
	if (root) {
		folded_name(out, root);
		fputc(';', out);
	}
	fputs(is_task ? STAGE : "", out);
}

/* Writes a stack without its root and the blank before the counts. */
static void put_path(FILE *out, const struct profile_symbol *symbols, const uint32_t *frames, unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++) {
		if (i)
			fputc(';', out);
		folded_name(out, symbols[frames[i]].name);
	}
}

static void report_variant(FILE *out, const struct analysis_variant *v, const char *root)
{
	double carry = 0;
	long long ps;

	for (size_t i = 0; i < v->stacks.nrows; i++) {
		const struct stacks_row *row = &v->stacks.rows[i];

		ps = folded_thousandths(row->cost, &carry);
		if (ps <= 0)
			continue;
		put_root(out, root, v->is_task);
		put_path(out, v->stacks.symbols, row->frames, row->depth);
		fprintf(out, " %lld\n", ps);
	}
	ps = v->nused ? folded_thousandths(v->unattributed_ns, &carry) : 0;
	if (ps > 0) {
		put_root(out, root, v->is_task);
		fprintf(out, UNATTRIBUTED " %lld\n", ps);
	}
	if (v->stage.task)
		report_variant(out, v->stage.task, root);
}

int render_report_folded(FILE *out, const struct analysis *a, const struct analysis_variant *only,
			 const struct render_options *o)
{
	(void)o;
	if (only)
		report_variant(out, only, NULL);
	for (size_t i = 0; i < a->nvariants && !only; i++)
		report_variant(out, &a->variants[i], a->nvariants > 1 ? a->variants[i].variant->id : NULL);
	return render_finish(out);
}

static void diff_side(FILE *out, const struct compare *c)
{
	double base_carry = 0, new_carry = 0;
	long long base_ps, new_ps;

	for (size_t i = 0; i < c->stacks.nrows; i++) {
		const struct stacks_diff_row *row = &c->stacks.rows[i];

		base_ps = folded_thousandths(row->base_cost, &base_carry);
		new_ps = folded_thousandths(row->new_cost, &new_carry);
		if (base_ps <= 0 && new_ps <= 0)
			continue;
		put_root(out, NULL, c->base->is_task);
		put_path(out, c->stacks.symbols, row->frames, row->depth);
		fprintf(out, " %lld %lld\n", base_ps, new_ps);
	}
	base_ps = c->base->nused ? folded_thousandths(c->base->unattributed_ns, &base_carry) : 0;
	new_ps = c->new->nused ? folded_thousandths(c->new->unattributed_ns, &new_carry) : 0;
	if (base_ps > 0 || new_ps > 0)
		fprintf(out, "%s" UNATTRIBUTED " %lld %lld\n", c->base->is_task ? STAGE : "", base_ps, new_ps);
	if (c->stage)
		diff_side(out, c->stage);
}

int render_diff_folded(FILE *out, const struct compare *c, const struct render_options *o)
{
	(void)o;
	diff_side(out, c);
	return render_finish(out);
}
