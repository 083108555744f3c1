// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/selftest/selftest.h"

/* ---- rows about a recording: values of its analysis and comparisons, held against the bars ---- */

/* By the clock of the receiver's work. A truth that is not known to the limit itself can hold nothing. */
static int add_injected(struct checks *c, const struct compare *cmp)
{
	double ns = cmp->injected_ns, limit_ns = checks_injected_limit_ns(CHECK_INJECTED, ns);

	return checks_add(c, CHECK_INJECTED, cmp->new->variant->id,
			  cmp->injected_half_ns <= limit_ns ? cmp->injected_off_ns : NAN, cmp->injected_off_half_ns,
			  limit_ns + cmp->injected_half_ns, "%.1f ± %.1f ns injected", ns, cmp->injected_half_ns);
}

/* By the samples. */
static int add_profiled(struct checks *c, const struct compare *cmp)
{
	const struct compare_row *row = NULL;
	for (size_t i = 0; i < cmp->ncomponents && !row; i++)
		row = strcmp(cmp->components[i].name, "BPF program") ? NULL : &cmp->components[i];
	double ns = cmp->injected_ns, in_program_ns = row ? row->delta_ns : 0;
	const char *id = cmp->new->variant->id;
	int err = checks_add(c, CHECK_INJECTED_COMPONENT, id, 100 * in_program_ns / cmp->overall.delta_ns,
			     row ? 100 * row->half_ns / fabs(cmp->overall.delta_ns) : NAN, NAN,
			     "%.1f ± %.1f ns of %.1f", in_program_ns, row ? row->half_ns : NAN, cmp->overall.delta_ns);

	if (!err)
		err = checks_add(c, CHECK_INJECTED_PROFILE, id, in_program_ns - ns, row ? row->half_ns : NAN,
				 checks_injected_limit_ns(CHECK_INJECTED_PROFILE, ns),
				 "%.1f ns by the profile, %.1f ns injected", in_program_ns, ns);
	return err;
}

static int check_injects(struct checks *c, const struct analysis *a,
			 int (*add)(struct checks *, const struct compare *), struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i], *plain = NULL;
		struct compare cmp;

		/* The variant with v's mode, operation and kind of injection, but with 0 ns injected. */
		for (size_t k = 0; k < a->nvariants && !plain; k++) {
			const struct run_variant *of = a->variants[k].variant, *like = v->variant;

			if (of->inject == like->inject && of->inject_asked_ns == 0 &&
			    of->operation == like->operation && of->mode == like->mode)
				plain = &a->variants[k];
		}
		if (!(v->variant->inject_asked_ns > 0) || !plain || !plain->nused || !v->nused)
			continue;
		err = compare_build(&cmp, plain, v, NULL, d);
		if (err)
			return err;
		err = add(c, &cmp);
		compare_release(&cmp);
	}
	return err;
}

/* ---- the recordings ---- */

#define FIRST_S 12 /* of the recordings that tell how long the others have to be */
#define MOST    5  /* variants of a recording */

#define BASE "drop/no-touch@native"

/* What a recording says: adds rows; 0 or -errno with a sentence. */
typedef int judge_recording(struct checks *c, struct loaded_run *l, struct diag *d);

/* A recording of the lab, in DIR/name, and the rows that it has made so far. */
struct part {
	const char *name, *variants[MOST]; /* variants[0] is what the others are compared with */
	size_t nvariants;
	judge_recording *judge;
	int rounds;
	double window_s, warmup_s, max_time_s;
	bool no_profile;
	bool apart; /* each variant has rows of its own, so those that are told can be left out */
	int times;
	double recorded_s;
	size_t row, nrows; /* of the checks: those that it made */
};

static int part_record(struct selftest *s, struct part *p)
{
	const struct analysis_options plain = {};
	struct record_args a;
	struct loaded_run l;
	struct diag d = {};
	char name[64], dir[4096];
	int status, err;

	snprintf(name, sizeof(name), "%s", p->name);
	if (++p->times > 1)
		snprintf(name, sizeof(name), "%s-%d", p->name, p->times);
	snprintf(dir, sizeof(dir), "%s/%s", s->dir, name);
	if (!s->quiet)
		fprintf(stderr, "self-test: %s\n", name);
	record_args_init(&a);
	a.o.out_dir = dir;
	a.o.quiet = s->quiet;
	a.o.rounds = p->rounds;
	a.o.windows = 2;
	a.o.window_s = p->window_s;
	a.o.warmup_s = p->warmup_s;
	a.o.max_time_s = p->max_time_s;
	a.o.no_profile = p->no_profile;
	a.o.shuffle = true;
	a.o.seed = 1;
	a.variants.n = p->nvariants;
	memcpy(a.variants.items, p->variants, p->nvariants * sizeof(*p->variants));
	p->recorded_s += p->max_time_s;
	status = record_with(&a, "lab", json_pack("[s, s, s]", "xdpzoom", "selftest", name));
	if (status)
		return status;
	err = loaded_run_open(&l, dir, NULL, &plain, &d);
	if (err)
		return complain_of(&d, err);
	if (p->times == 1)
		p->row = s->checks.nrows;
	err = p->judge(&s->checks, &l, &d);
	if (p->times == 1)
		p->nrows = s->checks.nrows - p->row;
	loaded_run_release(&l);
	return err ? complain_of(&d, err) : EXIT_OK;
}

/* Leaves the variants in that have a row which does not hold, and what they are compared with. */
static void part_narrow(const struct selftest *s, struct part *p)
{
	size_t n = 1;

	for (size_t i = 1; i < p->nvariants; i++)
		for (const struct check_row *r = s->checks.rows + p->row; r < s->checks.rows + p->row + p->nrows; r++)
			if (r->verdict != CHECK_HELD && !strcmp(r->of, p->variants[i])) {
				p->variants[n++] = p->variants[i];
				break;
			}
	p->nvariants = n;
}

/*
 * How much longer p has to be recorded to tell its rows: an interval narrows with the root of the time. What missed is
 * recorded again until its interval is as narrow. 0: no longer.
 */
static double part_needs_s(const struct selftest *s, const struct part *p)
{
	double times = 1;

	for (const struct check_row *r = s->checks.rows + p->row; r < s->checks.rows + p->row + p->nrows; r++) {
		double value = r->at_least ? r->value : fabs(r->value);
		double gap = fmax(fabs(r->limit - value), r->limit / (r->at_least ? 20 : 2));

		if (r->verdict != CHECK_HELD)
			times = fmax(times, isnan(value) ? 4 : 1.2 * pow(r->spread / gap, 2));
		if (r->verdict == CHECK_OPEN)
			times = fmax(times, 1.5);
	}
	return (times - 1) * p->recorded_s;
}

/*
 * The variants share the machine, and what is wrong with clock or samples is wrong with all. Each alone has too few
 * samples on a busy machine. So there is one value for all: weighted by how well each is known.
 */
static int judge_costs(struct checks *c, struct loaded_run *l, struct diag *d)
{
	enum { BUSY, REST, OVERHEAD, VALUES };
	double sum[VALUES] = {0}, weights[VALUES] = {0}, value[VALUES], half[VALUES];
	const struct analysis *a = &l->analysis;
	int err;

	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];
		const double of[VALUES][2] = {
			[BUSY] = {v->sampled_busy_pct, v->sampled_busy_half_pct},
			[REST] = {100 * v->unattributed_ns / v->base_ns, 100 * v->unattributed_half_ns / v->base_ns},
			[OVERHEAD] = {v->overhead_pct, v->overhead_half_pct}};

		for (int k = 0; k < VALUES; k++) {
			if (isnan(of[k][0]) || !(of[k][1] > 0)) /* without an interval it counts for nothing */
				continue;
			sum[k] += of[k][0] / (of[k][1] * of[k][1]);
			weights[k] += 1 / (of[k][1] * of[k][1]);
		}
	}
	for (int k = 0; k < VALUES; k++) {
		value[k] = sum[k] / weights[k]; /* NaN: none counts */
		half[k] = 1 / sqrt(weights[k]);
	}
	err = checks_add(c, CHECK_SAMPLED_BUSY, "all variants", value[BUSY] - 100, half[BUSY], NAN,
			 "samples account for %.2f ± %.2f %% of the kernel's busy time", value[BUSY], half[BUSY]);
	if (!err)
		err = checks_add(c, CHECK_CLOSURE, "all variants", value[REST], half[REST], NAN,
				 "base less symbols: %.2f ± %.2f %% of the base", value[REST], half[REST]);
	if (!err)
		err = checks_add(c, CHECK_OVERHEAD, "all variants", value[OVERHEAD], half[OVERHEAD],
				 quality_limit(&a->options.limits, QUALITY_OVERHEAD),
				 "profiled against unprofiled windows, ± %.1f %%", half[OVERHEAD]);
	return err ? err : check_injects(c, a, add_profiled, d);
}

static int judge_injects(struct checks *c, struct loaded_run *l, struct diag *d)
{
	return check_injects(c, &l->analysis, add_injected, d);
}

/* With fewer than a hundred comparisons, the bar is the number of misses that chance allows. */
static int judge_bases(struct checks *c, struct loaded_run *l, struct diag *d)
{
	size_t chance;
	struct aa aa;
	double n, pct;
	int err = aa_count(&aa, &l->run, l->dir, l->components, d);

	if (err)
		return err;
	n = aa.comparisons;
	pct = n > 0 ? 100 * aa.misses / n : NAN;
	chance = aa_misses_by_chance(aa.comparisons);
	err = checks_add(c, CHECK_AA_MISSES, BASE, pct, NAN, n >= 100 ? NAN : 100 * chance / n,
			 "%zu of %zu 95 %% intervals miss zero, though there is no difference", aa.misses,
			 aa.comparisons);
	if (!err && n >= 100)
		err = checks_add(c, CHECK_AA_WIDE, BASE, pct, NAN, NAN, "%s", "");
	return err;
}

/* What is injected comes out of the bases. Without a profile, all turns count for them. */
#define INJECTED(mode)                                                                                                 \
	{mode,                                                                                                         \
	 {"drop/no-touch+chain0@" mode, "drop/no-touch+chain5@" mode, "drop/no-touch+chain20@" mode,                   \
	  "drop/no-touch+chain50@" mode, "drop/no-touch+chain200@" mode},                                              \
	 .nvariants = 5,                                                                                               \
	 .judge = judge_injects,                                                                                       \
	 .rounds = 1000,                                                                                               \
	 .window_s = 0.2,                                                                                              \
	 .warmup_s = 0.1,                                                                                              \
	 .max_time_s = FIRST_S,                                                                                        \
	 .no_profile = true,                                                                                           \
	 .apart = true}

int selftest_recordings(struct selftest *s)
{
	struct part parts[] = {
		INJECTED("native"),
		INJECTED("skb"),
		/* The injection is large enough for the profile to find it. */
		{"costs",
		 {"drop/no-touch+chain0@native", "drop/no-touch+chain200@native", "drop/no-touch+chain0@skb",
		  "drop/no-touch+chain200@skb"},
		 .nvariants = 4,
		 .judge = judge_costs,
		 .rounds = 1000,
		 .window_s = 0.2,
		 .warmup_s = 0.1,
		 .max_time_s = FIRST_S},
		/* Variants that are bases alone need no profile, so their blocks can be short and many. */
		{"bases",
		 {BASE, "drop/no-touch+again@native"},
		 .nvariants = 2,
		 .judge = judge_bases,
		 .rounds = 4 * AA_ROUNDS,
		 .window_s = 0.1,
		 .warmup_s = 0.05,
		 .max_time_s = FIRST_S,
		 .no_profile = true},
	};
	const size_t n = sizeof(parts) / sizeof(*parts);
	double left_s = ((double)s->until_ns - (double)now_ns()) / 1e9;
	struct part *next = parts;
	int status = EXIT_OK;

	if (!s->quiet)
		fprintf(stderr, "self-test: %zu recordings of %d s; at most %.0f s while a bar is inconclusive\n", n,
			FIRST_S, fmax((double)n * FIRST_S, left_s));
	for (struct part *p = parts; p < parts + n && !status; p++)
		status = part_record(s, p);
	/* Then the part first that needs the shortest time; of what is left, each has its share. */
	while (!status && next) {
		double all_s = 0, least_s = INFINITY, open = 0;

		next = NULL;
		for (struct part *p = parts; p < parts + n; p++) {
			double needs_s = part_needs_s(s, p);

			all_s += needs_s;
			open += needs_s > 0;
			if (needs_s > 0 && needs_s < least_s) {
				least_s = needs_s;
				next = p;
			}
		}
		left_s = ((double)s->until_ns - (double)now_ns()) / 1e9 - 5;
		if (!next || left_s < FIRST_S)
			break;
		if (!s->quiet)
			fprintf(stderr, "self-test: to tell all takes some %.0f s more; %.0f s are left\n", all_s,
				left_s);
		if (next->apart)
			part_narrow(s, next);
		next->max_time_s = fmin(fmax(FIRST_S, least_s), fmax(FIRST_S, left_s / open));
		next->window_s = fmax(next->window_s, fmin(1, next->max_time_s / 40));
		next->rounds *= 2;
		status = part_record(s, next);
	}
	return status;
}
