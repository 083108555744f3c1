// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/speed.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/stats.h"

struct look {
	uint64_t from_ns, to_ns;
	uint32_t round;
	double cost; /* logarithm, relative to the variants' medians */
	bool aside, beside;
};

struct looks {
	struct look *list;
	size_t n;
	double *own, *rest; /* of each turn: logarithm of its cost, relative to the median of its variant; NaN: none */
	double *scratch;    /* room for all turns */
	double *median_ns;  /* of each variant: the receiver's time for a packet */
	double stall_ns;    /* by which a stall is longer */
};

static void looks_release(struct looks *l)
{
	free(l->list);
	free(l->own);
	free(l->rest);
	free(l->scratch);
	free(l->median_ns);
}

static int looks_init(struct looks *l, size_t turns, size_t nvariants)
{
	*l = (struct looks){
		.list = calloc(turns + 1, sizeof(*l->list)),
		.own = calloc(turns + 1, sizeof(double)),
		.rest = calloc(turns + 1, sizeof(double)),
		.scratch = calloc(turns + 1, sizeof(double)),
		.median_ns = calloc(nvariants + 1, sizeof(double)),
	};
	return l->list && l->own && l->rest && l->scratch && l->median_ns ? 0 : -ENOMEM;
}

/* Fills values[] of the turns of one variant: what of their time is `own`, or the rest of it. */
static void relate(const struct run_turns *t, size_t variant, bool own, double *values, double *scratch)
{
	double median;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct run_turn *r = &t->list[i];
		double ns = own ? r->own_ns : (double)r->wall_ns - r->own_ns;

		if (r->variant != variant)
			continue;
		values[i] = ns > 0 && r->packets ? log(ns / r->packets) : NAN;
		if (!isnan(values[i]))
			scratch[n++] = values[i];
	}
	median = stats_median(scratch, n);
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].variant == variant)
			values[i] -= median;
}

/* Ends the look over the turns from..to. */
static void add_look(struct looks *l, const struct run_turns *t, size_t from, size_t to)
{
	const struct run_turn *first = &t->list[from], *last = &t->list[to - 1];
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (!isnan(l->own[i]))
			l->scratch[n++] = l->own[i];
	if (!n)
		return;
	l->list[l->n++] = (struct look){
		.from_ns = first->start_ns,
		.to_ns = last->start_ns + last->wall_ns,
		.round = first->round,
		.cost = stats_median(l->scratch, n),
	};
}

static void add_looks(struct looks *l, const struct run_turns *t)
{
	size_t from = 0;

	for (size_t i = 1; i <= t->n; i++) {
		if (i < t->n && t->list[i].round == t->list[from].round &&
		    t->list[i].start_ns - t->list[from].start_ns < SPEED_LOOK_NS)
			continue;
		add_look(l, t, from, i);
		from = i;
	}
}

/*
 * The cut of the ascending values x[lo..hi) that leaves the least squares in its two groups; hi: the groups are not far
 * enough apart.
 */
static size_t cut(const double *x, size_t lo, size_t hi, double least_step)
{
	double sum = 0, squares = 0, left = 0, best = 0, within, step = 0;
	size_t n = hi - lo, at = hi;

	for (size_t i = lo; i < hi; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	for (size_t i = lo + 1; i < hi; i++) {
		double k = (double)(i - lo), apart, between;

		left += x[i - 1];
		apart = (sum - left) / ((double)n - k) - left / k;
		between = apart * apart * k * ((double)n - k) / (double)n;
		if (between > best) {
			best = between;
			step = apart;
			at = i;
		}
	}
	if (at == hi || n < 2 * SPEED_LOOKS)
		return hi;
	within = fmax(0, squares - sum * sum / (double)n - best) / (double)(n - 2);
	return step >= log(least_step) && step >= SPEED_APART * sqrt(within) ? at : hi;
}

size_t speed_cut(const double *x, size_t n, double least_step)
{
	return cut(x, 0, n, least_step);
}

void speed_reference(const double *x, size_t n, double least_step, double range[2])
{
	size_t lo = 0, hi = n, at;

	range[0] = -INFINITY;
	range[1] = INFINITY;
	while ((at = cut(x, lo, hi, least_step)) < hi) {
		bool slow = 4 * (at - lo) >= n;
		size_t away = slow ? hi - at : at - lo;

		if (slow)
			hi = at;
		else
			lo = at;
		if (away < SPEED_LOOKS) /* a stall is no speed, unless it belongs to one that is found later */
			continue;
		range[0] = lo ? x[lo] : -INFINITY;
		range[1] = hi < n ? x[hi - 1] : INFINITY;
	}
}

/* Marks the looks that are not at the reference speed; returns whether the speeds can be told. */
static bool mark(struct looks *l)
{
	double *x = l->scratch, range[2];
	size_t left = 0;

	if (l->n < SPEED_LOOKS_ENOUGH)
		return false;

	for (size_t i = 0; i < l->n; i++)
		x[i] = l->list[i].cost;
	gsl_sort(x, 1, l->n);
	speed_reference(x, l->n, SPEED_STEP, range);
	for (size_t i = 0; i < l->n; i++)
		l->list[i].aside = l->list[i].cost < range[0] || l->list[i].cost > range[1];
	for (size_t i = 0; i < l->n; i++) {
		l->list[i].beside = (i && l->list[i - 1].aside && l->list[i - 1].round == l->list[i].round) ||
				    (i + 1 < l->n && l->list[i + 1].aside && l->list[i + 1].round == l->list[i].round);
		left += !l->list[i].aside && !l->list[i].beside;
	}
	return 4 * left >= l->n;
}

/* Does the variant keep a quarter of its turns of each use: of those without samples, and of those with? */
static bool keeps(const struct looks *l, const struct run_turns *t, size_t variant)
{
	size_t all[TURN_USES] = {}, kept[TURN_USES] = {}, k = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct run_turn *r = &t->list[i];

		while (k + 1 < l->n && l->list[k].to_ns <= r->start_ns)
			k++;
		if (r->variant != variant)
			continue;
		all[r->use]++;
		kept[r->use] += !l->list[k].aside && !l->list[k].beside;
	}
	return 4 * kept[TURN_BASE] >= all[TURN_BASE] && 4 * kept[TURN_PROFILE] >= all[TURN_PROFILE];
}

/* Fills l->scratch with the receiver's time in turns of the variant at the reference speed; returns how many. */
static size_t values_at_reference(struct looks *l, const struct run_turns *t, size_t variant, bool of_a_packet)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct run_turn *r = &t->list[i];

		while (k + 1 < l->n && l->list[k].to_ns <= r->start_ns)
			k++;
		if (r->variant == variant && !l->list[k].aside && !l->list[k].beside && (r->packets || !of_a_packet))
			l->scratch[n++] = of_a_packet ? (double)r->own_ns / r->packets : r->own_ns;
	}
	return n;
}

/*
 * The receiver's median time for a packet of each variant at the reference speed; returns that for a turn of the
 * dearest one.
 */
static double add_medians(struct looks *l, const struct run_turns *t, size_t nvariants)
{
	double most = 0;

	for (size_t v = 0; v < nvariants; v++) {
		most = fmax(most, stats_median(l->scratch, values_at_reference(l, t, v, false)));
		l->median_ns[v] = stats_median(l->scratch, values_at_reference(l, t, v, true));
	}
	return most;
}

static bool add_span(struct speed *s, size_t *room, uint64_t from_ns, uint64_t to_ns)
{
	if (!array_grow(&s->spans, room, s->nspans, 1, sizeof(*s->spans)))
		return false;
	s->spans[s->nspans++] = (struct speed_span){from_ns, to_ns};
	return true;
}

/* Adds the look, or the stalls of its turns, which begin with number *turn. */
static bool add_look_spans(struct speed *s, size_t *room, const struct looks *l, const struct look *look,
			   const struct run_turns *t, size_t *turn)
{
	bool aside = look->aside || look->beside, ok = true;
	double seconds = (double)(look->to_ns - look->from_ns) / 1e9;

	s->run_s += seconds;
	s->aside_s += aside ? seconds : 0;
	if (aside)
		return add_span(s, room, look->from_ns, look->to_ns);
	for (; *turn < t->n && t->list[*turn].start_ns < look->to_ns && ok; ++*turn) {
		const struct run_turn *r = &t->list[*turn];
		double longer_ns = r->own_ns - l->median_ns[r->variant] * r->packets;

		if (r->start_ns < look->from_ns || !(longer_ns > l->stall_ns))
			continue;
		s->nstalls++;
		s->stalls_s += longer_ns / 1e9;
		ok = add_span(s, room, r->start_ns, r->start_ns + r->wall_ns);
	}
	return ok;
}

static int add_spans(struct speed *s, struct looks *l, const struct run_turns *t, size_t nvariants)
{
	size_t turn = 0, room = 0;

	s->stall_ns = l->stall_ns = add_medians(l, t, nvariants);
	for (size_t i = 0; i < l->n; i++)
		if (!add_look_spans(s, &room, l, &l->list[i], t, &turn))
			return -ENOMEM;
	return 0;
}

/* How many times as dear are the turns set aside as the others, by their medians? */
static double factor_of(const struct speed *s, const struct run_turns *t, const double *values, double *scratch)
{
	double median[2];

	for (int aside = 0; aside < 2; aside++) {
		size_t n = 0;

		for (size_t i = 0; i < t->n; i++) {
			const struct run_turn *r = &t->list[i];

			if (!isnan(values[i]) &&
			    speed_sets_aside(s, r->start_ns, r->start_ns + r->wall_ns) == (bool)aside)
				scratch[n++] = values[i];
		}
		median[aside] = stats_median(scratch, n);
	}
	return exp(median[1] - median[0]);
}

int speed_judge(struct speed *s, const struct run_turns *turns, size_t nvariants)
{
	struct looks l;
	int err = looks_init(&l, turns->n, nvariants);

	*s = (struct speed){.known = turns->n && !turns->left_out,
			    .factor = NAN,
			    .rest_factor = NAN,
			    .probe_factor = NAN,
			    .stall_ns = NAN};
	if (!err && s->known) {
		for (size_t i = 0; i < turns->n; i++)
			l.own[i] = l.rest[i] = NAN;
		for (size_t v = 0; v < nvariants; v++) {
			relate(turns, v, true, l.own, l.scratch);
			relate(turns, v, false, l.rest, l.scratch);
		}
		add_looks(&l, turns);
		s->known = mark(&l);
		for (size_t v = 0; v < nvariants && s->known; v++)
			s->known = keeps(&l, turns, v);
	}
	if (!err && s->known)
		err = add_spans(s, &l, turns, nvariants);
	if (!err && s->aside_s > 0) {
		s->factor = factor_of(s, turns, l.own, l.scratch);
		s->rest_factor = factor_of(s, turns, l.rest, l.scratch);
	}
	looks_release(&l);
	if (err)
		speed_release(s);
	return err;
}

void speed_release(struct speed *s)
{
	free(s->spans);
	memset(s, 0, sizeof(*s));
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
