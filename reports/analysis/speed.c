// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/analysis.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* ---- two groups -------------------------------------------------------------------------------------- */

size_t speed_cut(const double *x, size_t n, double least_step)
{
	double sum = 0, squares = 0, left = 0, best = 0, within, step = 0;
	size_t at = n;

	for (size_t i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	for (size_t i = 1; i < n; i++) {
		double k = (double)i, apart, between;

		left += x[i - 1];
		apart = (sum - left) / ((double)n - k) - left / k;
		between = apart * apart * k * ((double)n - k) / (double)n;
		if (between > best) {
			best = between;
			step = apart;
			at = i;
		}
	}
	if (at == n || n < 2 * SPEED_INTERVALS)
		return n;
	within = fmax(0, squares - sum * sum / (double)n - best) / (double)(n - 2);
	return step >= log(least_step) && step >= SPEED_APART * sqrt(within) ? at : n;
}

/* ---- intervals ------------------------------------------------------------------------------------------- */

struct judge {
	const struct run_turn *t;
	size_t n, nvariants;
	double *reference,
		*own;     /* of each turn: logarithm of the reference's and of the receiver's time for a packet; NaN */
	double *rest;     /* as own, without what the clock around an injected cost read */
	double *slowness; /* of its interval */
	double *scratch;
	double noise; /* of the reference in a turn */
};

static double log_part(double ns, double packets)
{
	return ns > 0 && packets > 0 ? log(ns / packets) : NAN;
}

/* Median of the variant's values less k times their slowness, in the turns from..to; variant nvariants: of all. */
static double median_of(const struct judge *j, const double *values, double k, size_t from, size_t to, size_t variant)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if ((variant == j->nvariants || j->t[i].variant == variant) && !isnan(values[i]))
			j->scratch[n++] = values[i] - k * j->slowness[i];
	return stats_median(j->scratch, n);
}

static bool together(const struct run_turn *a, const struct run_turn *b)
{
	return a->round == b->round && a->use == b->use;
}

/* The seconds of the turns from..to. */
static double seconds_of_turns(const struct judge *j, size_t from, size_t to)
{
	const struct run_turn *last = &j->t[to - 1];

	return (double)(last->start_ns + last->wall_ns - j->t[from].start_ns) / 1e9;
}

static int add_intervals(struct speed *s, struct judge *j)
{
	size_t least = SPEED_INTERVAL_TURNS * j->nvariants, end;

	for (size_t from = 0, to; from < j->n; from = to) {
		const struct run_turn *first = &j->t[from];
		double slowness, halves[2];
		size_t middle;
		struct speed_interval *interval;

		/*
		 * Where the interval that begins with turn `from` ends. What is left of a round, or of a use, is none
		 * of its own.
		 */
		to = from;
		while (to < j->n && together(&j->t[to], &j->t[from]) &&
		       (to - from < least || j->t[to].start_ns - j->t[from].start_ns < SPEED_INTERVAL_NS))
			to++;
		for (end = to; end < j->n && together(&j->t[end], &j->t[from]); end++)
			if (end - to >= least && j->t[end].start_ns - j->t[to].start_ns >= SPEED_INTERVAL_NS)
				break;
		to = end < j->n && together(&j->t[end], &j->t[from]) ? to : end;
		s->run_s += seconds_of_turns(j, from, to);
		slowness = median_of(j, j->reference, 0, from, to, j->nvariants);
		if (isnan(slowness))
			continue;
		interval = array_add(&s->intervals, &s->nintervals, sizeof(*interval));
		if (!interval)
			return -ENOMEM;
		middle = from + (to - from) / 2;
		halves[0] = median_of(j, j->reference, 0, from, middle, j->nvariants);
		halves[1] = median_of(j, j->reference, 0, middle, to, j->nvariants);
		*interval = (struct speed_interval){.from_ns = first->start_ns,
						    .slowness = slowness,
						    .turn = from,
						    .end = to,
						    .sampled = first->use == TURN_PROFILE,
						    .jumped = fabs(halves[1] - halves[0]) > SPEED_JUMP};
	}
	return 0;
}

/*
 * Where all intervals of a use jumped, there is no other time: they are kept, as costs without a base, or without
 * samples, would be the worse numbers. The gate pace names them.
 */
static void keep_what_is_all(struct speed *s, const struct judge *j, enum turn_use use)
{
	for (const struct speed_interval *b = s->intervals; b < s->intervals + s->nintervals; b++)
		if (j->t[b->turn].use == use && !b->jumped)
			return;
	for (struct speed_interval *b = s->intervals; b < s->intervals + s->nintervals; b++)
		if (j->t[b->turn].use == use) {
			b->jumped = false;
			s->kept_s += seconds_of_turns(j, b->turn, b->end);
		}
}

/* The slowness becomes relative to the median of the intervals without samples. False: there are none. */
static bool centre(struct speed *s, struct judge *j)
{
	double *x = j->scratch, median;
	size_t n = 0;

	for (size_t i = 0; i < s->nintervals; i++)
		if (j->t[s->intervals[i].turn].use == TURN_BASE)
			x[n++] = s->intervals[i].slowness;
	if (!n)
		return false;
	gsl_sort(x, 1, n);
	median = gsl_stats_median_from_sorted_data(x, 1, n);
	s->range[0] = exp(gsl_stats_quantile_from_sorted_data(x, 1, n, 0.05) - median);
	s->range[1] = exp(gsl_stats_quantile_from_sorted_data(x, 1, n, 0.95) - median);
	s->moved = n > 1 ? gsl_stats_sd(x, 1, n) : NAN;
	for (size_t i = 0; i < s->nintervals; i++) {
		s->intervals[i].slowness -= median;
		for (size_t k = s->intervals[i].turn; k < s->intervals[i].end; k++)
			j->slowness[k] = s->intervals[i].slowness;
	}
	return true;
}

/* ---- what a variant costs at the median speed -------------------------------------------------------- */

/* The slope of y[] over x[], of intervals in the rounds round[]; noise: sum of the variances of x, its errors. */
static void fit(struct speed_variant *v, const double *x, const double *y, const uint32_t *round, size_t n,
		double noise)
{
	double mx = gsl_stats_mean(x, 1, n), my = gsl_stats_mean(y, 1, n), xx = -noise, xy = 0, squares = 0, k;
	double rounds = 0;

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		xy += (x[i] - mx) * (y[i] - my);
	}
	k = xy / xx;
	for (size_t from = 0, to; from < n; from = to, rounds++) {
		double sum = 0;

		for (to = from; to < n && round[to] == round[from]; to++)
			sum += (x[to] - mx) * (y[to] - my - k * (x[to] - mx));
		squares += sum * sum;
	}
	if (rounds < SPEED_ROUNDS || !(xx / (double)n >= SPEED_MOVES * SPEED_MOVES))
		return;
	v->k_half = stats_t95(rounds - 1) * sqrt(squares * rounds / (rounds - 1)) / xx;
	if (v->k_half <= SPEED_SLOPE_HALF)
		v->k = k;
	else
		v->k_half = NAN;
}

/* values: j->own or j->rest; v->k is left alone where it cannot be told. */
static int fit_variant(struct speed_variant *v, const struct speed *s, const struct judge *j, const double *values,
		       size_t variant)
{
	double *x = calloc(2 * s->nintervals + 1, sizeof(*x)), *y = x + s->nintervals;
	uint32_t *round = calloc(s->nintervals + 1, sizeof(*round));
	bool room = x && round;
	double noise = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->nintervals && room; i++) {
		if (s->intervals[i].jumped)
			continue;
		x[n] = s->intervals[i].slowness;
		y[n] = median_of(j, values, 0, s->intervals[i].turn, s->intervals[i].end, variant);
		round[n] = j->t[s->intervals[i].turn].round;
		if (isnan(y[n]))
			continue;
		noise += j->noise * j->noise * M_PI / 2 / (double)(s->intervals[i].end - s->intervals[i].turn);
		n++;
	}
	if (n > 2)
		fit(v, x, y, round, n, noise);
	free(x);
	free(round);
	return room ? 0 : -ENOMEM;
}

/*
 * The median of the receiver's time in the variant's turns of this use, at the median speed: in a turn, or for a
 * packet.
 */
static double own_ns(const struct judge *j, size_t variant, double k, enum turn_use use, bool for_packet)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n; i++)
		if (j->t[i].variant == variant && j->t[i].use == use && !isnan(j->own[i]))
			j->scratch[n++] = j->own[i] - k * j->slowness[i] + (for_packet ? 0 : log(j->t[i].packets));
	return exp(stats_median(j->scratch, n));
}

static int speed_add_variants(struct speed *s, const struct judge *j)
{
	for (size_t i = 0; i < j->nvariants; i++) {
		struct speed_variant *v = &s->variants[i], rest = *v;

		if (s->by == SPEED_GENERATOR &&
		    (fit_variant(v, s, j, j->own, i) || fit_variant(&rest, s, j, j->rest, i)))
			return -ENOMEM;
		v->k_rest = isnan(rest.k_half) ? v->k : rest.k;
		v->own_ns = own_ns(j, i, v->k, TURN_BASE, true);
		v->sampled = own_ns(j, i, v->k, TURN_PROFILE, true) / v->own_ns;
		if (isnan(v->sampled))
			v->sampled = 1;
		v->reference_ns *= exp(median_of(j, j->reference, 1, 0, j->n, i));
		s->stall_ns =
			fmax(s->stall_ns, own_ns(j, i, v->k, TURN_BASE, false)); /* of NaN and a number, the number */
	}
	return 0;
}

/* ---- what is set aside ------------------------------------------------------------------------------------------ */

double speed_longer_ns(const struct speed *s, const struct run_turn *t)
{
	if (!s->variants)
		return NAN;
	return t->own_ns - s->variants[t->variant].own_ns * t->packets * speed_factor(s, t->variant, t->start_ns);
}

/* The turns from..to are set aside. */
static int speed_add_span(struct speed *s, const struct judge *j, size_t from, size_t to)
{
	const struct run_turn *last = &j->t[to - 1];
	struct speed_span *span = array_add(&s->spans, &s->nspans, sizeof(*s->spans));

	if (!span)
		return -ENOMEM;
	*span = (struct speed_span){j->t[from].start_ns, last->start_ns + last->wall_ns};
	return 0;
}

/* ---- the judgement ----------------------------------------------------------------------------------- */

static int judge_of_speed(struct speed *s, struct judge *j)
{
	double variance = 0, intervals = 0;
	int err;

	s->variants = calloc(j->nvariants + 1, sizeof(*s->variants));
	if (!s->variants)
		return -ENOMEM;
	/* The logarithms of all turns; those of the reference relative to the median of their variant. */
	for (size_t i = 0; i < j->n; i++) {
		const struct run_turn *r = &j->t[i];

		j->own[i] = r->variant < j->nvariants ? log_part(r->own_ns, r->packets) : NAN;
		j->rest[i] = r->variant < j->nvariants ? log_part((double)r->own_ns - r->injected_ns, r->packets) : NAN;
		j->reference[i] = isnan(j->own[i])          ? NAN
				  : s->by == SPEED_VARIANTS ? j->own[i]
							    : log_part((double)r->wall_ns - r->own_ns, r->packets);
	}
	for (size_t v = 0; v < j->nvariants; v++) {
		double level = median_of(j, j->reference, 0, 0, j->n, v);

		s->variants[v] = (struct speed_variant){NAN, s->by == SPEED_GENERATOR ? exp(level) : NAN, 1, NAN, 1, 1};
		for (size_t i = 0; i < j->n; i++)
			j->reference[i] -= j->t[i].variant == v ? level : 0;
	}
	err = add_intervals(s, j);
	if (err || !centre(s, j))
		return err;
	keep_what_is_all(s, j, TURN_BASE);
	keep_what_is_all(s, j, TURN_PROFILE);
	s->known = true;
	/* Scatter of the reference in single turns: standard deviation by the median of successive differences. */
	size_t n = 0;
	for (const struct speed_interval *b = s->intervals; b < s->intervals + s->nintervals; b++)
		for (size_t i = b->turn + 1; i < b->end; i++)
			if (!isnan(j->reference[i]) && !isnan(j->reference[i - 1]))
				j->scratch[n++] = fabs(j->reference[i] - j->reference[i - 1]);
	j->noise = n ? stats_median(j->scratch, n) / (M_SQRT2 * 0.6745) : 0;
	for (const struct speed_interval *b = s->intervals; b < s->intervals + s->nintervals; b++)
		if (j->t[b->turn].use == TURN_BASE && !b->jumped) {
			variance += j->noise * j->noise * M_PI / 2 / (double)(b->end - b->turn);
			intervals++;
		}
	/* What all variants cost together is on both sides where it is the reference, and has no error of its own. */
	s->error = s->by == SPEED_GENERATOR && intervals > 0 ? sqrt(variance) / intervals : 0;
	err = speed_add_variants(s, j);
	if (err)
		return err;
	err = 0;
	for (const struct speed_interval *b = s->intervals; b < s->intervals + s->nintervals && !err; b++) {
		if (b->jumped) {
			err = speed_add_span(s, j, b->turn, b->end);
			s->discarded_s += seconds_of_turns(j, b->turn, b->end);
		}
		for (size_t i = b->turn; i < b->end && !b->jumped && !err; i++) {
			double longer_ns = j->t[i].variant < j->nvariants ? speed_longer_ns(s, &j->t[i]) : NAN;

			if (!(longer_ns > s->stall_ns))
				continue;
			err = speed_add_span(s, j, i, i + 1);
			s->nstalls++;
			s->stalls_s += longer_ns / 1e9;
		}
	}
	return err;
}

int speed_judge(struct speed *s, const struct run_turns *turns, size_t nvariants, enum speed_reference by)
{
	const struct speed none = {
		.by = by, .moved = NAN, .range = {NAN, NAN}, .stall_ns = NAN, .factor = NAN, .probe_factor = NAN};
	struct judge j = {.t = turns->list, .n = turns->n, .nvariants = nvariants};
	int err;

	*s = none;
	if (!turns->n || turns->left_out || (by == SPEED_VARIANTS && nvariants < 2))
		return 0;
	j.reference = calloc(5 * j.n + 1, sizeof(double));
	j.own = j.reference + j.n;
	j.rest = j.own + j.n;
	j.slowness = j.rest + j.n;
	j.scratch = j.slowness + j.n;
	err = j.reference ? judge_of_speed(s, &j) : -ENOMEM;
	free(j.reference);
	if (!err && s->known)
		return 0;
	speed_release(s);
	*s = none;
	return err;
}

void speed_release(struct speed *s)
{
	free(s->spans);
	free(s->intervals);
	free(s->variants);
	memset(s, 0, sizeof(*s));
}

/* ---- what was at a time ------------------------------------------------------------------------------ */

/* How many intervals begin at this time or before. */
static size_t intervals_until(const struct speed *s, uint64_t at_ns)
{
	size_t low = 0, high = s->nintervals;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->intervals[middle].from_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double factor_of(const struct speed *s, size_t variant, bool rest, uint64_t at_ns)
{
	const struct speed_variant *v = &s->variants[variant];
	size_t n = s->variants ? intervals_until(s, at_ns) : 0;

	return !n ? 1
		  : exp((rest ? v->k_rest : v->k) * s->intervals[n - 1].slowness) *
			       (s->intervals[n - 1].sampled ? v->sampled : 1);
}

double speed_factor(const struct speed *s, size_t variant, uint64_t at_ns)
{
	return factor_of(s, variant, false, at_ns);
}

double speed_injected_ns(const struct speed *s, const struct run_turn *t)
{
	return t->own_ns / factor_of(s, t->variant, false, t->start_ns) -
	       (t->own_ns - (double)t->injected_ns) / factor_of(s, t->variant, true, t->start_ns);
}

uint64_t speed_interval_end(const struct speed *s, uint64_t at_ns)
{
	size_t n = intervals_until(s, at_ns);

	return n < s->nintervals ? s->intervals[n].from_ns : UINT64_MAX;
}

bool speed_sets_aside(const struct speed *s, uint64_t from_ns, uint64_t to_ns)
{
	size_t low = 0, high = s->nspans;

	while (low < high) { /* the first span that ends after from_ns */
		size_t middle = low + (high - low) / 2;

		if (s->spans[middle].to_ns <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->nspans && s->spans[low].from_ns < to_ns;
}
