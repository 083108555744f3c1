// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of one variant: shares of blocks -> cost per symbol and component, with intervals. */
#include "reports/analysis/analysis.h"

static int by_symbol(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;

	return strcmp(a->name, b->name) ?: strcmp(a->dso, b->dso)
		       ?: ORDER(a->component, b->component)
		       ?: ORDER(a->block, b->block);
}

static int analysis_rows_by_cost(const void *pa, const void *pb)
{
	const struct analysis_row *a = pa, *b = pb;

	return ORDER(b->self_ns, a->self_ns) ?: ORDER(b->children_ns, a->children_ns) ?: strcmp(a->name, b->name);
}

bool shares_alike(const struct share *a, const struct share *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->dso, b->dso);
}

void shares_sort_used(struct shares *s, const struct analysis_variant *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct analysis_block *b = &v->blocks[s->list[i].block];

		if (b->fate != FATE_USED) {
			free(s->list[i].name);
			free(s->list[i].dso);
			continue;
		}
		s->list[kept] = s->list[i];
		s->list[kept++].block = b->used_index;
	}
	s->n = kept;
	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), by_symbol);
}

/* What all samples stand for: the sum of the rows, but where an imported list may be cut short, the base. */
static double whole_ns(const struct analysis_variant *v)
{
	return v->nused && v->used[0]->shares_only ? v->base_ns : v->sum_ns;
}

double analysis_path_share(double base_ns, double unattributed_ns)
{
	return unattributed_ns < 0 ? base_ns / (base_ns - unattributed_ns) : 1;
}

void analysis_interval(const struct analysis_variant *v, double ns, double ci95_ns[2])
{
	/* The error of the sum of all rows, by the scatter of blocks, relative to the sum. */
	double half = v->block_sum_ns ? stats_mean(v->block_sum_ns, v->nused).half : v->half_ns;
	double sum = whole_ns(v), share[2], of_sum = ns * (isnan(half) ? 0 : half / v->sum_ns);

	stats_wilson(fmin(1, ns / sum), v->n_eff, share);
	ci95_ns[0] = fmax(0, ns - hypot(ns - share[0] * sum, of_sum));
	ci95_ns[1] = ns + hypot(share[1] * sum - ns, of_sum);
}

static double packets_of(const struct analysis_variant *v, size_t block)
{
	double packets = v->used[block]->profiled_packets;

	return packets > 0 ? packets : 0;
}

int row_of_shares(const struct analysis_variant *v, struct analysis_row *row, const struct share *from,
		  const struct share *to)
{
	row->name = strdup(from->name);
	row->dso = strdup(from->dso);
	row->children_ns = NAN;
	row->block_ns = calloc(v->nused, sizeof(double));
	row->block_share = calloc(v->nused, sizeof(double));
	if (!row->name || !row->dso || !row->block_ns || !row->block_share)
		return -ENOMEM;
	for (; from < to; from++) {
		row->samples += from->samples;
		row->irqs_off += from->irqs_off;
		row->tags |= from->tags;
		row->block_ns[from->block] += from->weight * v->used[from->block]->ns_per_weight;
		row->block_share[from->block] += from->weight / v->used[from->block]->cost_weight;
	}
	/* Turns the ns of each block in ns[] into its value in the ratio; *ratio: ns per packet. */
	double *ns = row->block_ns;
	double *ratio = &row->self_ns;
	double *packets = calloc(v->nused + 1, sizeof(*packets));
	if (!packets)
		return -ENOMEM;
	for (size_t b = 0; b < v->nused; b++)
		packets[b] = packets_of(v, b);
	*ratio = ratio_of_sums(ns, packets, v->nused, ns);
	free(packets);
	return 0;
}

static double sum_weights(const struct share *from, const struct share *to)
{
	double sum = 0;

	for (; from < to; from++)
		sum += from->weight;
	return sum;
}

/*
 * Adds the rows of one symbol, [from, to), a row for each component. In a block in which the symbol only called other
 * functions, its component was chosen by its name alone. Such a component gets no row when the symbol ran itself in
 * other blocks.
 */
static int add_symbol(struct analysis_variant *v, const struct share *from, const struct share *to, double *scratch,
		      const struct components *f)
{
	double ns = 0, packets = 0, children_ns;
	bool ran = sum_weights(from, to) > 0, known = true;
	const struct share *next;
	int err = 0;

	for (size_t b = 0; b < v->nused; b++)
		scratch[b] = 0;
	/* The cost with all that it calls does not depend on the component: one share of a block is taken. */
	for (next = from; next < to; next++) {
		known &= !isnan(next->children_weight);
		scratch[next->block] = next->children_weight * v->used[next->block]->ns_per_weight;
	}
	for (size_t b = 0; b < v->nused; b++) {
		ns += scratch[b];
		packets += packets_of(v, b);
	}
	children_ns = known ? ns / packets : NAN;

	for (; from < to && !err; from = next) {
		for (next = from + 1; next < to && next->component == from->component; next++)
			;
		if (ran && !(sum_weights(from, next) > 0))
			continue;
		v->symbols[v->nsymbols].component = f->list[from->component].name;
		err = row_of_shares(v, &v->symbols[v->nsymbols], from, next);
		v->symbols[v->nsymbols++].children_ns = children_ns;
	}
	return err;
}

/* The rows of all symbols, and their sum in each block. */
static int add_symbols(struct analysis_variant *v, const struct shares *s, const struct components *f)
{
	double *scratch = calloc(v->nused + 1, sizeof(*scratch));
	int err = 0;

	v->symbols = calloc(s->n + 1, sizeof(*v->symbols));
	if (!v->symbols || !scratch)
		err = -ENOMEM;
	for (size_t from = 0, to; from < s->n && !err; from = to) {
		for (to = from + 1; to < s->n && shares_alike(&s->list[to], &s->list[from]); to++)
			;
		err = add_symbol(v, &s->list[from], &s->list[to], scratch, f);
	}
	free(scratch);
	if (err)
		return err;
	v->sum_ns = analysis_sum_rows(v->symbols, v->nsymbols);
	for (size_t i = 0; i < v->nsymbols; i++)
		v->irqs_off += v->symbols[i].irqs_off;
	v->scale = v->nused ? v->used[0]->scale : SCALE_TIME;
	if (!v->nsymbols)
		return 0;
	v->block_sum_ns = calloc(v->nused + 1, sizeof(double));
	if (!v->block_sum_ns)
		return -ENOMEM;
	for (size_t i = 0; i < v->nsymbols; i++)
		for (size_t b = 0; b < v->nused; b++)
			v->block_sum_ns[b] += v->symbols[i].block_ns[b];
	return 0;
}

/*
 * Makes the row of a component or a tag: the sum of its symbols in each block. Its interval then comes from the scatter
 * of these sums, not from the scatter of the symbols. tag: its bit; 0: a component.
 */
static int sum_row(const struct analysis_variant *v, struct analysis_row *row, const char *name, uint32_t tag)
{
	row->name = strdup(name);
	row->dso = strdup("");
	row->component = name;
	row->children_ns = NAN;
	row->block_ns = calloc(v->nused, sizeof(double));
	if (!row->name || !row->dso || !row->block_ns)
		return -ENOMEM;
	for (size_t i = 0; i < v->nsymbols; i++) {
		if (tag ? !(v->symbols[i].tags & tag) : v->symbols[i].component != name)
			continue;
		row->samples += v->symbols[i].samples;
		row->irqs_off += v->symbols[i].irqs_off;
		row->self_ns += v->symbols[i].self_ns;
		for (size_t b = 0; b < v->nused; b++)
			row->block_ns[b] += v->symbols[i].block_ns[b];
	}
	return 0;
}

static int add_sums(struct analysis_variant *v, const struct components *f)
{
	uint32_t found = 0;
	int err = 0;

	v->components = calloc(f->n + 1, sizeof(*v->components));
	v->tags = calloc(f->ntags + 1, sizeof(*v->tags));
	if (!v->components || !v->tags)
		return -ENOMEM;
	for (unsigned int i = 0; i < f->n && !err; i++)
		if (f->list[i].kind == COMPONENT_COST)
			err = sum_row(v, &v->components[v->ncomponents++], f->list[i].name, 0);
	for (size_t i = 0; i < v->nsymbols; i++)
		found |= v->symbols[i].samples ? v->symbols[i].tags : 0;
	for (unsigned int i = 0; i < f->ntags && !err; i++)
		if (found >> i & 1)
			err = sum_row(v, &v->tags[v->ntags++], f->tags[i].name, UINT32_C(1) << i);
	return err;
}

/*
 * Fills design_effect and n_eff: a sample counts for less where blocks scatter more than chance alone explains, and
 * where weights are unlike.
 */
static int weigh_samples(struct analysis_variant *v)
{
	double *share = calloc(v->nsymbols * v->nused + 1, sizeof(*share));
	double *samples = calloc(v->nused + 1, sizeof(*samples));
	int err = -ENOMEM;

	if (!share || !samples)
		goto out;
	for (size_t b = 0; b < v->nused; b++) {
		samples[b] = (double)v->used[b]->samples;
		v->samples += v->used[b]->samples;
		for (size_t i = 0; i < v->nsymbols; i++)
			share[i * v->nused + b] = v->symbols[i].block_share[b];
	}
	/*
	 * Samples of unlike weight, because the rate changed between blocks, are worth fewer like ones. src: Kish,
	 * Survey Sampling, 1965: n * sum w^2 / (sum w)^2
	 */
	double n = 0, sum = 0, square = 0;
	for (size_t b = 0; b < v->nused; b++) {
		double taken = (double)v->used[b]->samples, weight = v->used[b]->cost_weight;

		n += taken;
		sum += weight;
		square += taken > 0 ? weight * weight / taken : 0;
	}
	v->weight_effect = sum > 0 ? n * square / (sum * sum) : 1;
	v->design_effect = stats_design_effect(share, v->nsymbols, samples, v->nused) * v->weight_effect;
	v->n_eff = (double)v->samples / v->design_effect;
	v->detection_limit_ns = stats_unseen(v->n_eff) * whole_ns(v);
	for (size_t b = 0; b < v->nused; b++)
		v->detection_limit_ns = fmax(v->detection_limit_ns, v->used[b]->absent_part * v->base_ns);
	err = 0;
out:
	free(samples);
	free(share);
	return err;
}

void rows_finish(const struct analysis_variant *v, struct analysis_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/*
		 * With ANALYSIS_BLOCKS blocks or more, the interval of a row is at least as wide as the t interval
		 * over blocks.
		 */
		struct analysis_row *row = &rows[i];
		struct stats_mean m = stats_mean(row->block_ns, v->nused);
		double p;

		row->self_pct = 100 * row->self_ns / whole_ns(v);
		p = fmin(1, row->self_pct / 100);
		analysis_interval(v, row->self_ns, row->ci95_ns);
		if (v->nused >= ANALYSIS_BLOCKS) {
			row->ci95_ns[0] = fmin(row->ci95_ns[0], fmax(0, row->self_ns - m.half));
			row->ci95_ns[1] = fmax(row->ci95_ns[1], row->self_ns + m.half);
		}
		row->half_ns = fmax(row->self_ns - row->ci95_ns[0], row->ci95_ns[1] - row->self_ns);
		row->error_ns = p > 0 ? row->self_ns * stats_cost_error(p, v->n_eff, 0) : 0;
	}
	if (n)
		qsort(rows, n, sizeof(*rows), analysis_rows_by_cost);
}

int variant_add_rows(struct analysis_variant *v, struct shares *s, const struct components *f)
{
	int err;

	shares_sort_used(s, v);
	err = add_symbols(v, s, f) ?: add_sums(v, f) ?: weigh_samples(v);
	if (err)
		return err;
	rows_finish(v, v->symbols, v->nsymbols);
	rows_finish(v, v->components, v->ncomponents);
	rows_finish(v, v->tags, v->ntags);
	/*
	 * What the samples leave of the base. Its intervals of all variants of the run hold together. A second stage's
	 * task has one of its own.
	 */
	err = variant_add_lines(v, s->lines);
	if (err)
		return err;
	double *rest = calloc(v->nused + 1, sizeof(*rest));
	double of = (double)v->of->nvariants * (v->is_task || v->stage.task ? 2 : 1);
	struct stats_mean m;
	err = rest ? 0 : -ENOMEM;
	v->unattributed_ns = v->base_ns;
	v->unattributed_half_ns = v->half_ns;
	for (size_t b = 0; b < v->nused && v->block_sum_ns && !err; b++)
		rest[b] = v->block_base_ns[b] - v->block_sum_ns[b];
	if (v->block_sum_ns && !err) {
		v->unattributed_ns = v->base_ns - v->sum_ns;
		m = stats_mean(rest, v->nused);
		v->unattributed_half_ns = m.half;
		v->off_half_ns = stats_t(m.n - 1.0, ANALYSIS_OFF_ALPHA / of) * m.sd / sqrt((double)m.n);
		v->off_ns = isnan(v->off_half_ns) ? NAN : v->base_ns - v->sum_ns;
	}
	if (fabs(v->unattributed_ns) < ANALYSIS_ROUNDING_NS)
		v->unattributed_ns = 0;
	free(rest);
	return err;
}
