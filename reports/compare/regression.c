// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

const char *regression_name(enum regression_verdict verdict)
{
	static const char *const names[] = {"same", "faster", "SLOWER", "not evaluated", "new"};

	return names[verdict];
}

/* "; checks failed in the new run: saturation, ended" */
static void name_failed(char *why, size_t size, const char *side, const struct analysis_variant *v)
{
	const struct quality *const of[] = {&v->of->quality, &v->quality};
	bool first = true;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < of[k]->nrows; i++) {
			size_t n = strlen(why);

			if (of[k]->rows[i].ok)
				continue;
			if (first)
				snprintf(why + n, size - n, "%schecks failed in the %s run: %s", n ? "; " : "", side,
					 of[k]->rows[i].gate);
			else
				snprintf(why + n, size - n, ", %s", of[k]->rows[i].gate);
			first = false;
		}
}

/* Why the two variants cannot be judged; "": they can. */
static void obstacle(const struct analysis_variant *base, const struct analysis_variant *new, char *why, size_t size)
{
	double near = fmin(base->placement_ns, new->placement_ns);
	double far = fmax(base->placement_ns, new->placement_ns);
	const char *reason = !base->nused || !new->nused         ? "no packets in one of them"
			     : base->nused < 2 || new->nused < 2 ? "an interval needs two blocks on each side"
			     : between_other_machine(base->of->run, new->of->run)
				     ? "the runs are of two machines; diff shows by how much these differ"
			     : near > 0 && far > near *PLACEMENT_CUT
				     ? "the CPUs were near in one run and far in the other"
				     : "";

	snprintf(why, size, "%s", reason);
	if (!*why) {
		name_failed(why, size, "reference", base);
		name_failed(why, size, "new", new);
	}
}

static enum regression_verdict regression_judge(const struct regression_row *row, double threshold_pct)
{
	if (isnan(row->overall.half_ns))
		return REGRESSION_NOT_JUDGED;
	if (!(row->p < 0.05))
		return REGRESSION_SAME;
	if (row->overall.delta_ns < 0)
		return REGRESSION_FASTER;
	return row->delta_pct > threshold_pct ? REGRESSION_SLOWER : REGRESSION_SAME;
}

/* Holm's p of one row: its rank among all p decides the factor, and no smaller p has a larger result. */
static double adjusted(const struct regression *r, const struct regression_row *row)
{
	double largest = 0;

	for (size_t i = 0; i < r->nrows; i++) {
		double p = r->rows[i].overall.p;
		size_t not_smaller = 0;

		if (!(p <= row->overall.p))
			continue;
		for (size_t k = 0; k < r->nrows; k++)
			not_smaller += r->rows[k].overall.p >= p;
		largest = fmax(largest, p * (double)not_smaller);
	}
	return isnan(row->overall.p) ? NAN : fmin(1, largest);
}

static int fill_row(struct regression_row *row, const struct analysis *base, const struct analysis_variant *new,
		    const struct between *between)
{
	struct made was, is;
	int err;

	*row = (struct regression_row){.new = new, .delta_pct = NAN, .p = NAN};
	row->overall = (struct compare_overall){.delta_ns = NAN, .half_ns = NAN, .p = NAN};
	row->overall.ci95_ns[0] = row->overall.ci95_ns[1] = NAN;
	row->verdict = REGRESSION_NEW;
	row->base = analysis_find(base, new->variant->id, NULL);
	if (!row->base)
		return 0;
	err = compare_bases(&row->overall, row->base, new);
	if (err)
		return err;
	row->delta_pct = 100 * row->overall.delta_ns / row->overall.base_ns;
	between_widen(&row->overall, between);
	was = analysis_made(row->base), is = analysis_made(new);
	made_differs(&was, new->variant->id, &is, new->variant->id, row->made, sizeof(row->made));
	row->verdict = REGRESSION_NOT_JUDGED;
	obstacle(row->base, new, row->why, sizeof(row->why));
	if (*row->why)
		row->overall.p = NAN;
	return 0;
}

int regression_build(struct regression *r, const struct analysis *base, const struct analysis *new,
		     double threshold_pct, const struct between *between, struct diag *d)
{
	int err = 0;

	*r = (struct regression){.base = base, .new = new, .threshold_pct = threshold_pct, .between = *between};
	r->rows = calloc(new->nvariants + 1, sizeof(*r->rows));
	if (!r->rows)
		return diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < new->nvariants && !err; i++)
		err = fill_row(&r->rows[r->nrows++], base, &new->variants[i], &r->between);
	if (err) {
		regression_release(r);
		return diag_set(d, err, "out of memory");
	}
	for (size_t i = 0; i < r->nrows; i++) {
		struct regression_row *row = &r->rows[i];

		row->p = adjusted(r, row);
		if (row->verdict != REGRESSION_NEW && !*row->why)
			row->verdict = regression_judge(row, r->threshold_pct);
	}
	return 0;
}

void regression_release(struct regression *r)
{
	free(r->rows);
	memset(r, 0, sizeof(*r));
}

size_t regression_count(const struct regression *r, enum regression_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nrows; i++)
		n += r->rows[i].verdict == verdict;
	return n;
}
