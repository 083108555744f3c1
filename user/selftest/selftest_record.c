// SPDX-License-Identifier: GPL-2.0-or-later
/* The recordings of a self-test; selftest.h has the contract. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/compare/aa.h"
#include "user/machine/clock.h"
#include "user/selftest/selftest.h"
#include "base/complain.h"

#define LONGER 4 /* times, of a recording that is made again */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The plant is large enough for the profile to find it. */
static const char *const costs[] = {
	"drop/no-touch+chain0@native",
	"drop/no-touch+chain200@native",
	"drop/no-touch+chain0@skb",
	"drop/no-touch+chain200@skb",
};
/* What is planted comes out of the bases. Without a profile, all turns count for them. */
static const char *const plants[][5] = {
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

int selftest_record(const struct selftest *s, const struct selftest_recording *rec)
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

int selftest_open(const struct selftest *s, const char *name, struct loaded_run *l, struct diag *d)
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

/* Records and judges; again with more rounds while a bar cannot be told and there is time for that. */
static int record_until_told(struct selftest *s, struct selftest_recording rec, judge_recording *judge)
{
	const char *first = rec.name;
	char name[64];

	for (int turn = 1;; turn++) {
		struct loaded_run l;
		struct checks c = {};
		struct diag d = {};
		int status = record_and_open(s, &rec, &l), err;

		if (status)
			return status;
		err = judge(&c, &l, &d);
		loaded_run_release(&l);
		rec.max_time_s *= LONGER;
		rec.rounds *= LONGER;
		if (!err && checks_count(&c, CHECK_OPEN) && selftest_time_left(s, rec.max_time_s)) {
			checks_release(&c);
			snprintf(name, sizeof(name), "%s-%d", first, turn + 1);
			rec.name = name;
			continue;
		}
		if (!err && checks_append(&s->checks, &c))
			err = diag_set(&d, -ENOMEM, "out of memory");
		checks_release(&c);
		return err ? fail(&d, err) : EXIT_OK;
	}
}

static int judge_costs(struct checks *c, struct loaded_run *l, struct diag *d)
{
	int err = selftest_check_variants(c, &l->analysis);

	return err ? err : selftest_check_profiled(c, &l->analysis, d);
}

int selftest_costs(struct selftest *s)
{
	const struct selftest_recording rec = {
		.name = "costs",
		.variants = costs,
		.nvariants = COUNT(costs),
		.rounds = 1000,
		.window_s = 0.4,
		.warmup_s = 0.1,
		.max_time_s = s->long_form ? 240 : 20,
	};

	return record_until_told(s, rec, judge_costs);
}

static int judge_plants(struct checks *c, struct loaded_run *l, struct diag *d)
{
	return selftest_check_planted(c, &l->analysis, d);
}

int selftest_plants(struct selftest *s)
{
	static const char *const names[] = {"native", "skb"};
	int status = EXIT_OK;

	for (size_t i = 0; i < COUNT(plants) && !status; i++) {
		const struct selftest_recording rec = {
			.name = names[i],
			.variants = plants[i],
			.nvariants = COUNT(plants[i]),
			.rounds = 1000,
			.window_s = 0.4,
			.warmup_s = 0.1,
			.max_time_s = s->long_form ? 120 : 25,
			.no_profile = true,
		};

		status = record_until_told(s, rec, judge_plants);
	}
	return status;
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
	int err = aa_count(&aa, &l->run, l->dir, l->facilities, d);

	if (!err)
		err = add_aa(c, &aa);
	return err ? err : selftest_check_counting(c, &l->analysis, d);
}

int selftest_bases(struct selftest *s)
{
	const struct selftest_recording rec = {
		.name = "bases",
		.variants = bases,
		.nvariants = COUNT(bases),
		.rounds = s->long_form ? 101 * AA_ROUNDS : 4 * AA_ROUNDS,
		.window_s = 0.1,
		.warmup_s = 0.05,
		.max_time_s = s->long_form ? 480 : 12,
		.no_profile = true,
	};

	return record_until_told(s, rec, judge_bases);
}
