// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/document/document.h"

const char *const document_names[DOCUMENT_KINDS] = {
	[DOCUMENT_REPORT] = "report",
	[DOCUMENT_DIFF] = "diff",
	[DOCUMENT_EXACT] = "exact",
	[DOCUMENT_EXACT_DIFF] = "exact diff",
	[DOCUMENT_EXPLAIN] = "explain",
	[DOCUMENT_WHY] = "why",
	[DOCUMENT_HISTORY] = "history list",
	[DOCUMENT_CHECK] = "history check",
	[DOCUMENT_EXACT_CHECK] = "history check",
	[DOCUMENT_SELFTEST] = "doctor --selftest",
	[DOCUMENT_SWEEP] = "sweep",
	[DOCUMENT_MATRIX] = "matrix",
};

/* err: what filling d->rows came to. */
static int add_sections(struct document *d, int err)
{
	const struct rows *variants = err ? NULL : rows_in(&d->rows, 0, "variants");
	size_t n = variants ? variants->nrows : 0;

	if (err)
		return err;
	d->sections = calloc(n + 1, sizeof(*d->sections));
	if (!d->sections)
		return -ENOMEM;
	d->sections[d->nsections++] = (struct section){.rows = &d->rows, .times = 1};
	for (size_t i = 0; i < n && d->kind < DOCUMENT_LISTS; i++)
		d->sections[d->nsections++] = (struct section){
			.title = rows_cell(variants, i, "id")->text, .rows = variants, .row = i, .times = 1};
	return 0;
}

static void name_sides(struct document *d)
{
	if (sentence_sides(d->ids[0], d->ids[1], &d->sides[0], &d->sides[1]) || !strchr(d->ids[0], '@'))
		return;
	d->sides[0] = "base";
	d->sides[1] = "new";
}

int document_of_report(struct document *d, const struct analysis *a, const struct analysis_variant *only)
{
	int err;

	*d = (struct document){
		.kind = DOCUMENT_REPORT, .schema = "xdpzoom.report/1", .whole = "base", .analysis = a, .only = only};
	run_words(a->run, d->line[0], sizeof(d->line[0]));
	report_symbol_columns(&d->symbols);
	err = overview_build(&d->overview, a, NULL) ?: report_rows(&d->rows, a, only, &d->overview);
	err = add_sections(d, err);
	if (err)
		return err;
	d->sections[0].gates = &a->quality;
	for (size_t i = 1; i < d->nsections; i++) {
		const struct analysis_variant *v = only ? only : &a->variants[i - 1];

		d->sections[i].measured = v;
		d->sections[i].gates = &v->quality;
		d->sections[i].empty = !v->nused;
	}
	return 0;
}

int document_of_diff(struct document *d, const struct compare *c)
{
	int err;

	*d = (struct document){.kind = DOCUMENT_DIFF,
			       .schema = "xdpzoom.diff/1",
			       .ids = {c->base->variant->id, c->new->variant->id},
			       .whole = "base",
			       .compare = c};
	run_words(c->base->of->run, d->line[0], sizeof(d->line[0]));
	if (!c->same_run)
		run_words(c->new->of->run, d->line[1], sizeof(d->line[1]));
	name_sides(d);
	sentence_of_difference(&d->answer, c);
	sentence_add_waking(&d->answer, c);
	err = add_sections(d, diff_rows(&d->rows, c, "base", "new"));
	if (err)
		return err;
	d->sections[0].gates = &c->quality;
	d->sections[0].empty = !c->base->nused || !c->new->nused;
	return 0;
}

int document_of_exact(struct document *d, const struct exact *e, const struct exact_variant *only)
{
	int err;

	*d = (struct document){.kind = DOCUMENT_EXACT,
			       .schema = "xdpzoom.exact-report/2",
			       .whole = "total",
			       .exact = e,
			       .exact_only = only};
	exact_words(e, d->line[0], sizeof(d->line[0]));
	err = add_sections(d, exact_rows(&d->rows, e, only));
	if (err)
		return err;
	d->sections[0].empty = true;
	for (size_t i = 1; i < d->nsections; i++)
		d->sections[i].counted = only ? only : &e->variants[i - 1];
	return 0;
}

int document_of_exact_diff(struct document *d, const struct exact_diff *diff)
{
	char footprint[160];

	*d = (struct document){.kind = DOCUMENT_EXACT_DIFF,
			       .schema = "xdpzoom.exact-diff/2",
			       .ids = {diff->base->id, diff->new->id},
			       .whole = "total",
			       .exact_diff = diff};
	exact_words(diff->base_run, d->line[0], sizeof(d->line[0]));
	if (diff->new_run != diff->base_run)
		exact_words(diff->new_run, d->line[1], sizeof(d->line[1]));
	name_sides(d);
	sentence_of_exact(&d->answer, diff);
	if (exact_diff_footprint(diff, footprint, sizeof(footprint)))
		snprintf(d->answer.after + strlen(d->answer.after), sizeof(d->answer.after) - strlen(d->answer.after),
			 "; %s", footprint);
	return add_sections(d, exact_diff_rows(&d->rows, diff));
}

/* Its tables of the whole have rows of all variants. */
int document_of_explain(struct document *d, const struct explain *e)
{
	int err;

	*d = (struct document){.kind = DOCUMENT_EXPLAIN,
			       .schema = "xdpzoom.explain/2",
			       .second = "beside",
			       .units = "Costs are ns/packet; counts are per packet; ± is a 95 % interval.",
			       .explain = e};
	run_words(e->measured->run, d->line[0], sizeof(d->line[0]));
	exact_words(e->counted, d->line[1], sizeof(d->line[1]));
	/* "skb - native is 94.3 ns: instructions account for 54.1, ...", of the first difference or variant. */
	const struct explain_difference *one = e->ndifferences ? &e->differences[0] : NULL;
	const struct explain_parts *p = one ? &one->parts : &e->variants[0].parts;
	static const char *const names[EXPLAIN_TERMS] = {"instructions", "transferred lines", "calls"};
	char ns[48], by[160] = "", footprint[160];
	exact_footprint_words(e->counted, one ? one->skb->counted : e->variants[0].counted,
			      one ? one->native->counted : NULL, footprint, sizeof(footprint));
	digits_interval(p->ns, p->half_ns, ns, sizeof(ns));
	for (int t = 0; t < EXPLAIN_TERMS; t++)
		if (!isnan(p->by_ci95[t][0]))
			listed_add(by, sizeof(by), ", ", t ? "%s for %.1f" : "%s account for %.1f", names[t],
				   p->by_ns[t]);
	snprintf(d->answer.before, sizeof(d->answer.before), "%s%s is %s ns per packet: %s; %.1f unexplained%s%s",
		 one ? one->name : e->variants[0].measured->variant->id, one ? ": skb - native" : "", ns, by,
		 p->rest_ns + p->not_counted_ns + p->unattributed_ns, footprint[0] ? ": " : "", footprint);
	err = add_sections(d, explain_rows(&d->rows, e));
	if (err)
		return err;
	d->sections[0].times = 8;
	for (size_t i = 1; i < d->nsections; i++) {
		d->sections[i].measured = e->variants[i - 1].measured;
		d->sections[i].counted = e->variants[i - 1].counted;
	}
	return 0;
}

int document_of_why(struct document *d, const struct why *w)
{
	const struct why_verdict *v = &w->verdict;
	char *line = d->answer.before;
	int err;

	*d = (struct document){.kind = DOCUMENT_WHY,
			       .schema = "xdpzoom.why/1",
			       .units = "± is a 99.5 % interval. What is not known is -, never 0.",
			       .why = w};
	run_words(w->runs[WHY_BEFORE], d->line[0], sizeof(d->line[0]));
	if (w->runs[WHY_AFTER])
		run_words(w->runs[WHY_AFTER], d->line[1], sizeof(d->line[1]));
	snprintf(line, sizeof(d->answer.before), "%s%.300s%s%.300s%s%.300s", v->sure ? "" : "Inconclusive. ",
		 v->sentences[0], *v->sentences[1] ? " " : "", v->sentences[1], *v->sentences[2] ? " " : "",
		 v->sentences[2]);
	err = add_sections(d, why_rows(&d->rows, w));
	if (!err)
		d->sections[0].times = 4;
	return err;
}

int document_of_history(struct document *d, const struct history_list *l)
{
	const struct rows *changes, *runs;
	int err;

	*d = (struct document){.kind = DOCUMENT_HISTORY, .schema = "xdpzoom.history/1"};
	err = add_sections(d, history_rows(&d->rows, l));
	if (err)
		return err;
	runs = rows_in(&d->rows, 0, "runs");
	changes = rows_in(&d->rows, 0, "changes");
	snprintf(d->answer.before, sizeof(d->answer.before), "%zu run%s, %zu change%s of level", runs->nrows,
		 runs->nrows == 1 ? "" : "s", changes->nrows, changes->nrows == 1 ? "" : "s");
	return 0;
}

int document_of_check(struct document *d, const struct regression *c, const struct history_list *all, int64_t run)
{
	size_t new = regression_count(c, REGRESSION_NEW), both = c->nrows - new;
	char between[120], also[64] = "";

	*d = (struct document){.kind = DOCUMENT_CHECK, .schema = "xdpzoom.check/2", .check = "not-slower"};
	if (new)
		snprintf(also, sizeof(also), ", and %zu more %s in the new run alone", new, new == 1 ? "is" : "are");
	snprintf(d->answer.before, sizeof(d->answer.before),
		 "%zu of %zu variant%s slower than in the run of %s, beyond chance (5 %% for all of them together) and "
		 "%.4g %%; %zu not evaluated%s. In the intervals: %s",
		 regression_count(c, REGRESSION_SLOWER), both, both == 1 ? "" : "s", c->base->run->started,
		 c->threshold_pct, regression_count(c, REGRESSION_NOT_JUDGED), also,
		 between_words(&c->between, between, sizeof(between)));
	return add_sections(d, check_rows(&d->rows, c, all, run));
}

int document_of_exact_check(struct document *d, const struct exact_check *c, const struct history_list *all,
			    int64_t run)
{
	*d = (struct document){
		.kind = DOCUMENT_EXACT_CHECK, .schema = "xdpzoom.exact-check/2", .check = "no-more-instructions"};
	snprintf(d->answer.before, sizeof(d->answer.before),
		 "%zu of %zu variants have a function that takes more instructions than in the run of %s. Exact "
		 "functions are the same to 0.001; a function that depends on state (~) may differ by the deviations "
		 "of both runs",
		 exact_check_count(c, EXACT_MORE), c->nrows, c->base->time);
	return add_sections(d, exact_check_rows(&d->rows, c, all, run));
}

int document_of_selftest(struct document *d, const struct checks *c)
{
	size_t open = checks_count(c, CHECK_OPEN);
	char line[80] = "";

	*d = (struct document){.kind = DOCUMENT_SELFTEST, .schema = "xdpzoom.selftest/1"};
	if (open)
		snprintf(line, sizeof(line), "; %zu inconclusive (a longer run narrows their intervals)", open);
	snprintf(d->answer.before, sizeof(d->answer.before), "%zu of %zu bars held, %zu missed%s",
		 checks_count(c, CHECK_HELD), c->nrows, checks_count(c, CHECK_MISSED), line);
	return add_sections(d, selftest_rows(&d->rows, c));
}

int document_of_matrix(struct document *d, const struct matrix *m)
{
	*d = (struct document){.kind = DOCUMENT_MATRIX, .schema = MATRIX_SCHEMA, .matrix = m};
	snprintf(d->answer.before, sizeof(d->answer.before), "%zu kernel%s, %zu driver%s, %zu variant%s", m->nkernels,
		 m->nkernels == 1 ? "" : "s", m->ndrivers, m->ndrivers == 1 ? "" : "s", m->nvariants,
		 m->nvariants == 1 ? "" : "s");
	return add_sections(d, matrix_rows(&d->rows, m));
}

int document_of_sweep(struct document *d, const struct sweep *s)
{
	const struct sweep_point *p = &s->rows[0].point;
	char *line = d->answer.before;

	*d = (struct document){.kind = DOCUMENT_SWEEP, .schema = "xdpzoom.sweep/1", .sweep = s};
	for (size_t i = 0; i < p->n; i++)
		listed_add(line, sizeof(d->answer.before), i + 1 < p->n ? ", " : " and ", "%s%s",
			   i ? "" : "What a packet costs over ", p->names[i]);
	return add_sections(d, sweep_rows(&d->rows, s, d->columns));
}

void document_release(struct document *d)
{
	rows_release(&d->rows);
	overview_release(&d->overview);
	free(d->sections);
	d->sections = NULL;
	d->nsections = 0;
}
