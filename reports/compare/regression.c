// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

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
	/* Why the two variants cannot be judged; "": they can. */
	double near = fmin(row->base->placement_ns, new->placement_ns);
	double far = fmax(row->base->placement_ns, new->placement_ns);
	const char *reason = !row->base->nused || !new->nused         ? "no packets in one of them"
			     : row->base->nused < 2 || new->nused < 2 ? "an interval needs two blocks on each side"
			     : between_other_machine(row->base->of->run, new->of->run)
				     ? "the runs are of two machines; diff shows by how much these differ"
			     : near > 0 && far > near *PLACEMENT_CUT
				     ? "the CPUs were near in one run and far in the other"
				     : "";
	snprintf(row->why, sizeof(row->why), "%s", reason);
	if (!*row->why) {
		name_failed(row->why, sizeof(row->why), "reference", row->base);
		name_failed(row->why, sizeof(row->why), "new", new);
	}
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
		double largest = 0;

		/* Holm: its rank among all p decides the factor, and no smaller p has a larger result. */
		for (size_t k = 0; k < r->nrows; k++) {
			double p = r->rows[k].overall.p;
			size_t not_smaller = 0;

			for (size_t l = 0; l < r->nrows; l++)
				not_smaller += r->rows[l].overall.p >= p;
			if (p <= row->overall.p)
				largest = fmax(largest, p * (double)not_smaller);
		}
		row->p = isnan(row->overall.p) ? NAN : fmin(1, largest);
		if (row->verdict == REGRESSION_NEW || *row->why)
			continue;
		if (isnan(row->overall.half_ns))
			row->verdict = REGRESSION_NOT_JUDGED;
		else if (!(row->p < 0.05))
			row->verdict = REGRESSION_SAME;
		else if (row->overall.delta_ns < 0)
			row->verdict = REGRESSION_FASTER;
		else
			row->verdict = row->delta_pct > threshold_pct ? REGRESSION_SLOWER : REGRESSION_SAME;
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
