// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include "user/selftest/selftest.h"

/* ---- rows about a recording: values of its analysis and comparisons, held against the bars ---- */

/* How much more busy time a packet costs in a block's probe windows than in its base windows; NaN: not known. */
static double probe_overhead_pct(const struct run_block *b)
{
	double ns[RUN_WINDOW_KINDS] = {}, packets[RUN_WINDOW_KINDS] = {};

	for (size_t k = 0; k < b->nwindows; k++) {
		const struct run_window *w = &b->windows[k];

		ns[w->kind] += w->busy_ns;
		packets[w->kind] += run_window_packets(w);
	}
	return 100 * (ns[RUN_PROBE] / packets[RUN_PROBE] / (ns[RUN_BASE] / packets[RUN_BASE]) - 1);
}

static int add_probes(struct checks *c, const struct analysis_variant *v)
{
	double *pct = calloc(v->nused + 1, sizeof(*pct));
	struct stats_mean m;

	if (!pct)
		return -ENOMEM;
	for (size_t i = 0; i < v->nused; i++)
		pct[i] = probe_overhead_pct(v->used[i]->block);
	m = stats_mean(pct, v->nused);
	free(pct);
	if (isnan(m.mean)) /* blocks without probe windows */
		return 0;
	return checks_add(c, CHECK_PROBES, v->variant->id, m.mean, m.half, NAN,
			  "windows with the poll and softirq probes on against those without, ± %.1f %%", m.half);
}

/* One value for all variants of a recording: weighted by how well each is known. */
struct pooled {
	double sum, weights;
};

/* A value without an interval counts for nothing. */
static void pool(struct pooled *p, double value, double half)
{
	if (isnan(value) || !(half > 0))
		return;
	p->sum += value / (half * half);
	p->weights += 1 / (half * half);
}

static double pooled_value(const struct pooled *p)
{
	return p->sum / p->weights; /* NaN: nothing was pooled */
}

static double pooled_half(const struct pooled *p)
{
	return 1 / sqrt(p->weights);
}

/*
 * The variants share the machine, and what is wrong with clock or samples is wrong with all. Each alone has too few
 * samples on a busy machine.
 */
static int check_variants(struct checks *c, const struct analysis *a)
{
	struct pooled busy = {0}, rest = {0}, overhead = {0};
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i];

		pool(&busy, v->sampled_busy_pct, v->sampled_busy_half_pct);
		pool(&rest, 100 * v->unattributed_ns / v->base_ns, 100 * v->unattributed_half_ns / v->base_ns);
		pool(&overhead, v->overhead_pct, v->overhead_half_pct);
		err = add_probes(c, v);
	}
	if (!err)
		err = checks_add(c, CHECK_SAMPLED_BUSY, "all variants", fabs(pooled_value(&busy) - 100),
				 pooled_half(&busy), NAN,
				 "samples account for %.2f ± %.2f %% of the kernel's busy time", pooled_value(&busy),
				 pooled_half(&busy));
	if (!err)
		err = checks_add(c, CHECK_CLOSURE, "all variants", fabs(pooled_value(&rest)), pooled_half(&rest), NAN,
				 "base less symbols: %.2f ± %.2f %% of the base", pooled_value(&rest),
				 pooled_half(&rest));
	if (!err)
		err = checks_add(c, CHECK_OVERHEAD, "all variants", pooled_value(&overhead), pooled_half(&overhead),
				 quality_limit(&a->options.limits, QUALITY_OVERHEAD),
				 "profiled against unprofiled windows, ± %.1f %%", pooled_half(&overhead));
	return err;
}

static const struct compare_row *program_row(const struct compare *c)
{
	for (size_t i = 0; i < c->ncomponents; i++)
		if (!strcmp(c->components[i].name, "BPF program"))
			return &c->components[i];
	return NULL;
}

/* By the clock of the receiver's work. A truth that is not known to the limit itself can hold nothing. */
static int add_injected(struct checks *c, const struct compare *cmp)
{
	double ns = cmp->injected_ns, limit_ns = checks_injected_limit_ns(CHECK_INJECTED, ns);

	return checks_add(c, CHECK_INJECTED, cmp->new->variant->id,
			  cmp->injected_half_ns <= limit_ns ? fabs(cmp->injected_off_ns) : NAN,
			  cmp->injected_off_half_ns, limit_ns + cmp->injected_half_ns,
			  "%.1f ± %.1f ns injected, %.1f ± %.1f ns found", ns, cmp->injected_half_ns,
			  cmp->overall.delta_ns, cmp->overall.half_ns);
}

/* By the samples. */
static int add_profiled(struct checks *c, const struct compare *cmp)
{
	const struct compare_row *row = program_row(cmp);
	double ns = cmp->injected_ns, in_program_ns = row ? row->delta_ns : 0;
	const char *id = cmp->new->variant->id;
	int err = checks_add(c, CHECK_INJECTED_COMPONENT, id, 100 * in_program_ns / cmp->overall.delta_ns,
			     row ? 100 * row->half_ns / fabs(cmp->overall.delta_ns) : NAN, NAN,
			     "%.1f ± %.1f ns of %.1f", in_program_ns, row ? row->half_ns : NAN, cmp->overall.delta_ns);

	if (!err)
		err = checks_add(c, CHECK_INJECTED_PROFILE, id, fabs(in_program_ns - ns), row ? row->half_ns : NAN,
				 checks_injected_limit_ns(CHECK_INJECTED_PROFILE, ns),
				 "%.1f ns by the profile, %.1f ns injected", in_program_ns, ns);
	return err;
}

static int add_counters(struct checks *c, const struct compare *cmp)
{
	return checks_add(c, CHECK_COUNTERS, cmp->new->variant->id, cmp->overall.delta_ns, cmp->overall.half_ns, NAN,
			  "%.2f ± %.2f ns more than the program that only returns a verdict", cmp->overall.delta_ns,
			  cmp->overall.half_ns);
}

/* Returns the variant with like's mode, operation and kind of injection, but with 0 ns injected; NULL: none. */
static const struct analysis_variant *plain_one(const struct analysis *a, const struct run_variant *like)
{
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct run_variant *v = a->variants[i].variant;

		if (v->inject == like->inject && v->inject_asked_ns == 0 && v->operation == like->operation &&
		    v->mode == like->mode)
			return &a->variants[i];
	}
	return NULL;
}

static int compare_one(struct checks *c, const struct analysis_variant *base, const struct analysis_variant *new,
		       int (*add)(struct checks *, const struct compare *), struct diag *d)
{
	struct compare cmp;
	int err;

	if (!base || base == new || !base->nused || !new->nused)
		return 0;
	err = compare_build(&cmp, base, new, NULL, d);
	if (err)
		return err;
	err = add(c, &cmp);
	compare_release(&cmp);
	return err;
}

static int check_injects(struct checks *c, const struct analysis *a,
			 int (*add)(struct checks *, const struct compare *), struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i];

		if (v->variant->inject_asked_ns > 0)
			err = compare_one(c, plain_one(a, v->variant), v, add, d);
	}
	return err;
}

/* ---- the recordings ---- */

#define LONGER 3   /* times, of a recording that is made again */
#define LEAST  1.5 /* the same, where less time is left */
#define MOST   5   /* variants of a recording */

#define BASE "drop/no-touch@native"

/* Is there time for a measurement of that length and for what comes around it? */
static bool time_left(const struct selftest *s, double seconds)
{
	return now_ns() + (uint64_t)(1e9 * (seconds + 5)) < s->until_ns;
}

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
	struct checks rows;
};

/* The latest row of each check counts. */
static int part_take_rows(struct part *p, struct checks *c)
{
	size_t left = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		size_t k = 0;

		while (k < p->rows.nrows &&
		       (strcmp(p->rows.rows[k].check, c->rows[i].check) || strcmp(p->rows.rows[k].of, c->rows[i].of)))
			k++;
		if (k < p->rows.nrows)
			p->rows.rows[k] = c->rows[i];
		else
			c->rows[left++] = c->rows[i];
	}
	c->nrows = left;
	return checks_append(&p->rows, c);
}

static int part_record(const struct selftest *s, struct part *p)
{
	const struct analysis_options plain = {};
	struct record_args a;
	struct loaded_run l;
	struct checks c = {};
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
	status = record_with(&a, "lab", json_pack("[s, s, s]", "xdpzoom", "selftest", name));
	if (status)
		return status;
	err = loaded_run_open(&l, dir, NULL, &plain, &d);
	if (err)
		return complain_of(&d, err);
	err = p->judge(&c, &l, &d);
	loaded_run_release(&l);
	if (!err && part_take_rows(p, &c))
		err = diag_set(&d, -ENOMEM, "out of memory");
	checks_release(&c);
	return err ? complain_of(&d, err) : EXIT_OK;
}

/* Leaves the variants in that have a row that cannot tell, and what they are compared with. */
static void part_narrow(struct part *p)
{
	size_t n = 1;

	for (size_t i = 1; i < p->nvariants; i++)
		for (size_t k = 0; k < p->rows.nrows; k++)
			if (p->rows.rows[k].verdict == CHECK_OPEN && !strcmp(p->rows.rows[k].of, p->variants[i])) {
				p->variants[n++] = p->variants[i];
				break;
			}
	p->nvariants = n;
}

/* The part that was recorded for the shortest time for each row that it cannot tell; NULL: none has time left. */
static struct part *part_next(const struct selftest *s, struct part *parts, size_t n)
{
	struct part *next = NULL;
	double least_s = INFINITY;

	for (struct part *p = parts; p < parts + n; p++) {
		double row_s = p->max_time_s / (double)checks_count(&p->rows, CHECK_OPEN); /* none open: infinite */

		if (row_s < least_s) {
			least_s = row_s;
			next = p;
		}
	}
	return next && time_left(s, LEAST * next->max_time_s) ? next : NULL;
}

/* Each part once, and then those that cannot tell again: as all share the time, no part takes it from the others. */
static int parts_record(const struct selftest *s, struct part *parts, size_t n)
{
	struct part *p;
	int status = EXIT_OK;

	for (p = parts; p < parts + n && !status; p++)
		status = part_record(s, p);
	while (!status && (p = part_next(s, parts, n))) {
		double before_s = p->max_time_s;

		if (p->apart)
			part_narrow(p);
		p->max_time_s *= LONGER;
		if (!time_left(s, p->max_time_s))
			p->max_time_s = before_s * LEAST;
		p->rounds *= LONGER;
		status = part_record(s, p);
	}
	return status;
}

static int judge_costs(struct checks *c, struct loaded_run *l, struct diag *d)
{
	int err = check_variants(c, &l->analysis);

	return err ? err : check_injects(c, &l->analysis, add_profiled, d);
}

static int judge_injects(struct checks *c, struct loaded_run *l, struct diag *d)
{
	return check_injects(c, &l->analysis, add_injected, d);
}

/* With fewer than a hundred comparisons, the bar is the number of misses that chance allows. */
static int add_aa(struct checks *c, const struct aa *aa)
{
	double n = aa->comparisons, pct = n > 0 ? 100 * aa->misses / n : NAN;
	size_t chance = aa_misses_by_chance(aa->comparisons);
	int err;

	err = checks_add(c, CHECK_AA_MISSES, BASE, pct, NAN, n >= 100 ? NAN : 100 * chance / n,
			 "%zu of %zu 95 %% intervals miss zero, though there is no difference", aa->misses,
			 aa->comparisons);
	if (!err && n >= 100)
		err = checks_add(c, CHECK_AA_WIDE, BASE, pct, NAN, NAN, "%s", "");
	return err;
}

static int judge_bases(struct checks *c, struct loaded_run *l, struct diag *d)
{
	const struct analysis_variant *bare = analysis_find(&l->analysis, "drop/bare@native", NULL),
				      *counting = analysis_find(&l->analysis, BASE, NULL);
	struct aa aa;
	int err = aa_count(&aa, &l->run, l->dir, l->components, d) ?: add_aa(c, &aa);

	return err || !bare || !counting ? err : compare_one(c, bare, counting, add_counters, d);
}

/*
 * What is injected comes out of the bases. Without a profile, all turns count for them. Rounds scatter by more than
 * each within itself: many short ones.
 */
#define INJECTED(mode)                                                                                                 \
	{mode,                                                                                                         \
	 {"drop/no-touch+chain0@" mode, "drop/no-touch+chain5@" mode, "drop/no-touch+chain20@" mode,                   \
	  "drop/no-touch+chain50@" mode, "drop/no-touch+chain200@" mode},                                              \
	 .nvariants = 5,                                                                                               \
	 .judge = judge_injects,                                                                                       \
	 .rounds = 1000,                                                                                               \
	 .window_s = 0.2,                                                                                              \
	 .warmup_s = 0.1,                                                                                              \
	 .max_time_s = 20,                                                                                             \
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
		 .max_time_s = 20},
		/* Variants that are bases alone need no profile, so their blocks can be short and many. */
		{"bases",
		 {BASE, "drop/no-touch+again@native", "drop/bare@native"},
		 .nvariants = 3,
		 .judge = judge_bases,
		 .rounds = 4 * AA_ROUNDS,
		 .window_s = 0.1,
		 .warmup_s = 0.05,
		 .max_time_s = 12,
		 .no_profile = true},
	};
	const size_t n = sizeof(parts) / sizeof(*parts);
	int status = parts_record(s, parts, n), err = 0;

	for (size_t i = 0; i < n; i++) {
		err = err ? err : checks_append(&s->checks, &parts[i].rows);
		checks_release(&parts[i].rows);
	}
	return err ? complain("out of memory"), EXIT_FAILED : status;
}

/* ---- a program by the kernel's own clock ---- */

#define LOOK_S 0.3
#define TURNS  5  /* at first; twice as many while the bar cannot be told */
#define SHARE  10 /* what comes after needs the time */

static int read_stats(const struct bench *b, double *ns, double *runs)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(b->prog_fd, &info, &len))
		return -errno;
	*ns = info.run_time_ns;
	*runs = info.run_cnt;
	return 0;
}

/* ns per run of a variant: of the program by BPF stats, of its injection by the clock around it. */
struct run_times {
	double program_ns, injected_ns;
};

/* Measures the variant under load. */
static int run_time(const struct target *t, const struct run_variant *v, struct gen_options *load, struct run_times *ns,
		    struct diag *d)
{
	double from[2] = {}, to[2] = {}, injected_ns;
	struct bench b;
	struct gen g;
	int err;

	gen_init(&g);
	bench_init(&b);
	err = bench_load(&b, v, NULL, d) ?: bench_attach(&b, &t->nd, v->mode, d);
	rig_close_loop(load, b.counts_fd, load->counts_cpu);
	if (!err)
		err = gen_start(&g, load, d);
	if (err)
		goto out;
	sleep_until_ns(now_ns() + 200000000ULL);
	err = read_stats(&b, &from[0], &from[1]);
	injected_ns = bench_injected_ns(&b);
	sleep_until_ns(now_ns() + (uint64_t)(LOOK_S * 1e9));
	if (!err)
		err = read_stats(&b, &to[0], &to[1]);
	ns->program_ns = (to[0] - from[0]) / (to[1] - from[1]);
	ns->injected_ns = (bench_injected_ns(&b) - injected_ns) / (to[1] - from[1]);
	if (err)
		diag_set(d, err, "BPF stats: %s", strerror(-err));
out:
	gen_release(&g);
	bench_release(&b);
	return err;
}

/* Two programs, and what loads them. */
struct programs {
	const struct target *target;
	struct run_variant plain, injected;
	struct gen_options load;
};

/*
 * Both under load, in turns: what was injected, and by how much BPF stats are off. *n: turns in which both ran. On a
 * busy machine a load may take longer to come than a turn.
 */
static int look_at_stats(struct programs *p, int turns, double *injected_ns, double *off_ns, size_t *n, struct diag *d)
{
	struct run_times a = {}, b = {};
	int err = 0;

	*n = 0;
	for (int i = 0; i < turns && !err; i++) {
		err = stopped(d) ?: run_time(p->target, &p->plain, &p->load, &a, d);
		if (!err)
			err = run_time(p->target, &p->injected, &p->load, &b, d);
		injected_ns[*n] = b.injected_ns - a.injected_ns;
		off_ns[*n] = b.program_ns - a.program_ns - injected_ns[*n];
		*n += !err && !isnan(off_ns[*n]);
	}
	return err;
}

/* The row that so many turns make. */
static int add_stats(struct checks *c, struct programs *p, int turns, struct diag *d)
{
	double *injected_ns = calloc(2 * (size_t)turns, sizeof(*injected_ns));
	struct stats_mean truth, off;
	size_t n;
	int err;

	if (!injected_ns)
		return diag_set(d, -ENOMEM, "out of memory");
	err = look_at_stats(p, turns, injected_ns, injected_ns + turns, &n, d);
	truth = stats_mean(injected_ns, n);
	off = stats_mean(injected_ns + turns, n);
	free(injected_ns);
	if (err)
		return err;
	if (n < 2)
		return checks_add(c, CHECK_BPF_STATS, p->injected.id, NAN, NAN, NAN, "packets came in %zu of %d turns",
				  n, turns)
			       ? diag_set(d, -ENOMEM, "out of memory")
			       : 0;
	err = checks_add(c, CHECK_BPF_STATS, p->injected.id, fabs(off.mean), off.half,
			 checks_injected_limit_ns(CHECK_BPF_STATS, truth.mean) + truth.half,
			 "%.1f ns by BPF stats, %.1f ± %.1f ns injected", truth.mean + off.mean, truth.mean,
			 truth.half);
	return err ? diag_set(d, err, "out of memory") : 0;
}

static int programs_choose(struct programs *p, int rx_cpu, struct diag *d)
{
	int err;

	run_variant_parse(&p->plain, "drop/no-touch+chain0@native", d);
	run_variant_parse(&p->injected, "drop/no-touch+chain200@native", d);
	gen_options_init(&p->load);
	err = injects_calibrate(&p->injected, 1, rx_cpu, d) ?: rig_gen_options(&p->load, d);
	p->load.cpu = cpu_pick_load(rx_cpu);
	p->load.counts_cpu = rx_cpu;
	return err;
}

static int compare_run_times(struct selftest *s, const struct target *t, int rx_cpu, struct diag *d)
{
	struct programs p = {.target = t};
	int err = programs_choose(&p, rx_cpu, d);
	bool again = true;

	for (int turns = TURNS; !err && again; turns *= 2) {
		uint64_t began_ns = now_ns();
		struct checks c = {};

		err = add_stats(&c, &p, turns, d);
		again = !err && checks_count(&c, CHECK_OPEN) &&
			time_left(s, SHARE * 2 * (double)(now_ns() - began_ns) / 1e9);
		if (!err && !again && checks_append(&s->checks, &c))
			err = diag_set(d, -ENOMEM, "out of memory");
		checks_release(&c);
	}
	return err;
}

int selftest_stats(struct selftest *s)
{
	int rx_cpu = cpu_pick_rx(), err, stats;
	struct diag d = {};
	struct target t;

	target_init(&t);
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0)
		return checks_add(&s->checks, CHECK_BPF_STATS, "", NAN, NAN, NAN, "BPF stats: %s", strerror(errno))
			       ? EXIT_FAILED
			       : EXIT_OK;
	err = target_open(&t, "lab", "", rx_cpu, true, &d) ?: compare_run_times(s, &t, rx_cpu, &d);
	close(stats);
	target_release(&t);
	return err ? complain_of(&d, err) : EXIT_OK;
}
