// SPDX-License-Identifier: GPL-2.0-or-later
/* The recordings of a self-test; selftest.h has the contract. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/compare/aa.h"
#include "user/machine/machine.h"
#include "user/selftest/selftest.h"
#include "base/complain.h"

#define LONGER 3   /* times, of a recording that is made again */
#define LEAST  1.5 /* the same, where less time is left */
#define MOST   5   /* variants of a recording */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The plant is large enough for the profile to find it. */
static const char *const costs[] = {
	"drop/no-touch+chain0@native",
	"drop/no-touch+chain200@native",
	"drop/no-touch+chain0@skb",
	"drop/no-touch+chain200@skb",
};
/* What is planted comes out of the bases. Without a profile, all turns count for them. */
static const char *const plants[][MOST] = {
	{
		"drop/no-touch+chain0@native",
		"drop/no-touch+chain5@native",
		"drop/no-touch+chain20@native",
		"drop/no-touch+chain50@native",
		"drop/no-touch+chain200@native",
	},
	{
		"drop/no-touch+chain0@skb",
		"drop/no-touch+chain5@skb",
		"drop/no-touch+chain20@skb",
		"drop/no-touch+chain50@skb",
		"drop/no-touch+chain200@skb",
	},
};
/* These variants serve as bases only. They need no profile, so their blocks can be short and many. */
static const char *const bases[] = {"drop/no-touch@native", "drop/no-touch+again@native", "drop/bare@native"};

static int selftest_record(const struct selftest *s, const struct selftest_recording *rec)
{
	struct record_args a;
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/%s", s->dir, rec->name);
	if (!s->quiet)
		fprintf(stderr, "self-test: %s\n", rec->name);
	record_args_init(&a);
	a.o.out_dir = dir;
	a.o.quiet = s->quiet;
	a.o.rounds = rec->rounds;
	a.o.windows = 2;
	a.o.window_s = rec->window_s;
	a.o.warmup_s = rec->warmup_s;
	a.o.max_time_s = rec->max_time_s;
	a.o.no_profile = rec->no_profile;
	a.o.shuffle = true;
	a.o.seed = 1;
	a.variants.n = rec->nvariants;
	memcpy(a.variants.items, rec->variants, rec->nvariants * sizeof(*rec->variants));
	return record_with(&a, "lab", json_pack("[s, s, s]", "xdpzoom", "selftest", rec->name));
}

static int selftest_open(const struct selftest *s, const char *name, struct loaded_run *l, struct diag *d)
{
	const struct analysis_options plain = {};
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/%s", s->dir, name);
	return loaded_run_open(l, dir, NULL, &plain, d);
}

/* Returns an exit status; with EXIT_OK, l is open. */
static int record_and_open(const struct selftest *s, const struct selftest_recording *rec, struct loaded_run *l)
{
	struct diag d = {};
	int status = selftest_record(s, rec), err;

	if (status)
		return status;
	err = selftest_open(s, rec->name, l, &d);
	return err ? fail(&d, err) : EXIT_OK;
}

bool selftest_time_left(const struct selftest *s, double seconds)
{
	return now_ns() + (uint64_t)(1e9 * (seconds + 5)) < s->until_ns;
}

/* What a recording says: adds rows; 0 or -errno with a sentence. */
typedef int judge_recording(struct checks *c, struct loaded_run *l, struct diag *d);

/* A recording, and the rows that it has made so far. */
struct part {
	struct selftest_recording rec; /* variants[0] is what the others are compared with */
	judge_recording *judge;
	bool apart; /* each variant has rows of its own, so those that are told can be left out */
	int times;
	const char *variants[MOST];
	struct checks rows;
};

static bool is_same_row(const struct check_row *a, const struct check_row *b)
{
	return !strcmp(a->check, b->check) && !strcmp(a->of, b->of);
}

/* The latest row of each check counts. */
static int part_take_rows(struct part *p, struct checks *c)
{
	size_t left = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		size_t k = 0;

		while (k < p->rows.nrows && !is_same_row(&p->rows.rows[k], &c->rows[i]))
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
	struct selftest_recording rec = p->rec;
	struct loaded_run l;
	struct checks c = {};
	struct diag d = {};
	char name[64];
	int status, err;

	snprintf(name, sizeof(name), "%s-%d", p->rec.name, ++p->times);
	if (p->times > 1)
		rec.name = name;
	status = record_and_open(s, &rec, &l);
	if (status)
		return status;
	err = p->judge(&c, &l, &d);
	loaded_run_release(&l);
	if (!err && part_take_rows(p, &c))
		err = diag_set(&d, -ENOMEM, "out of memory");
	checks_release(&c);
	return err ? fail(&d, err) : EXIT_OK;
}

/* Leaves the variants in that have a row that cannot tell, and what they are compared with. */
static void part_narrow(struct part *p)
{
	size_t n = 1;

	p->variants[0] = p->rec.variants[0];
	for (size_t i = 1; i < p->rec.nvariants; i++)
		for (size_t k = 0; k < p->rows.nrows; k++)
			if (p->rows.rows[k].verdict == CHECK_OPEN && !strcmp(p->rows.rows[k].of, p->rec.variants[i])) {
				p->variants[n++] = p->rec.variants[i];
				break;
			}
	p->rec.variants = p->variants;
	p->rec.nvariants = n;
}

/* The part that was recorded for the shortest time for each row that it cannot tell; NULL: none has time left. */
static struct part *part_next(const struct selftest *s, struct part *parts, size_t n)
{
	struct part *next = NULL;
	double least_s = INFINITY;

	for (struct part *p = parts; p < parts + n; p++) {
		double row_s = p->rec.max_time_s / (double)checks_count(&p->rows, CHECK_OPEN); /* none open: infinite */

		if (row_s < least_s) {
			least_s = row_s;
			next = p;
		}
	}
	return next && selftest_time_left(s, LEAST * next->rec.max_time_s) ? next : NULL;
}

/* Each part once, and then those that cannot tell again: as all share the time, no part takes it from the others. */
static int parts_record(const struct selftest *s, struct part *parts, size_t n)
{
	struct part *p;
	int status = EXIT_OK;

	for (p = parts; p < parts + n && !status; p++)
		status = part_record(s, p);
	while (!status && (p = part_next(s, parts, n))) {
		double before_s = p->rec.max_time_s;

		if (p->apart)
			part_narrow(p);
		p->rec.max_time_s *= LONGER;
		if (!selftest_time_left(s, p->rec.max_time_s))
			p->rec.max_time_s = before_s * LEAST;
		p->rec.rounds *= LONGER;
		status = part_record(s, p);
	}
	return status;
}

static int judge_costs(struct checks *c, struct loaded_run *l, struct diag *d)
{
	int err = selftest_check_variants(c, &l->analysis);

	return err ? err : selftest_check_profiled(c, &l->analysis, d);
}

static int judge_plants(struct checks *c, struct loaded_run *l, struct diag *d)
{
	return selftest_check_planted(c, &l->analysis, d);
}

/* With fewer than a hundred comparisons, the bar is the number of misses that chance allows. */
static int add_aa(struct checks *c, const struct aa *aa)
{
	double n = aa->comparisons, pct = n > 0 ? 100 * aa->misses / n : NAN;
	size_t chance = aa_misses_by_chance(aa->comparisons);
	int err;

	err = checks_add(c, CHECK_AA_MISSES, bases[0], pct, NAN, n >= 100 ? NAN : 100 * chance / n,
			 "%zu of %zu 95 %% intervals miss zero, though there is no difference", aa->misses,
			 aa->comparisons);
	if (!err && n >= 100)
		err = checks_add(c, CHECK_AA_WIDE, bases[0], pct, NAN, NAN, "%s", "");
	return err;
}

static int judge_bases(struct checks *c, struct loaded_run *l, struct diag *d)
{
	struct aa aa;
	int err = aa_count(&aa, &l->run, l->dir, l->facilities, d) ?: add_aa(c, &aa);

	return err ? err : selftest_check_counting(c, &l->analysis, d);
}

int selftest_recordings(struct selftest *s)
{
	const struct selftest_recording planted = {
		.nvariants = MOST,
		.rounds = 1000,
		.window_s = 0.2, /* rounds scatter by more than each within itself: many short ones */
		.warmup_s = 0.1,
		.max_time_s = 20,
		.no_profile = true,
	};
	struct part parts[] = {
		{.rec = planted, .judge = judge_plants, .apart = true},
		{.rec = planted, .judge = judge_plants, .apart = true},
		{.rec = planted, .judge = judge_costs},
		{.rec = planted, .judge = judge_bases},
	};
	int status, err = 0;

	parts[0].rec.name = "native";
	parts[0].rec.variants = plants[0];
	parts[1].rec.name = "skb";
	parts[1].rec.variants = plants[1];
	parts[2].rec.name = "costs";
	parts[2].rec.variants = costs;
	parts[2].rec.nvariants = COUNT(costs);
	parts[2].rec.max_time_s = 20;
	parts[2].rec.no_profile = false;
	parts[3].rec.name = "bases";
	parts[3].rec.variants = bases;
	parts[3].rec.nvariants = COUNT(bases);
	parts[3].rec.rounds = 4 * AA_ROUNDS;
	parts[3].rec.window_s = 0.1;
	parts[3].rec.warmup_s = 0.05;
	parts[3].rec.max_time_s = 12;
	status = parts_record(s, parts, COUNT(parts));
	for (size_t i = 0; i < COUNT(parts); i++) {
		err = err ? err : checks_append(&s->checks, &parts[i].rows);
		checks_release(&parts[i].rows);
	}
	return err ? complain("out of memory"), EXIT_FAILED : status;
}
