// SPDX-License-Identifier: GPL-2.0-or-later
/* The recordings of a self-test; selftest.h has the contract. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/aa.h"
#include "user/selftest.h"
#include "user/xdpzoom.h"

#define LOAD_SHARE 0.5 /* of what the slowest variant can take */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *const full[] = {
	"drop/no-touch@native", "drop/no-touch@skb", "drop/no-touch+chain200@native", "drop/no-touch+chain200@skb",
};
/* The quick form takes the last QUICK ones. */
static const char *const native[] = {
	"drop/no-touch+chain20@native", "drop/no-touch+chain50@native", "drop/bare@native", "drop/no-touch@native",
	"drop/no-touch+chain200@native",
};
static const char *const skb[] = {
	"drop/no-touch+chain20@skb", "drop/no-touch+chain50@skb", "drop/no-touch@skb", "drop/no-touch+chain200@skb",
};
#define QUICK_FROM 2
static const char *const itself[] = {"drop/no-touch@native", "drop/no-touch+chain0@native"};

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
	a.rate_pps = rec->rate_pps;
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

static double capacity_share(const struct analysis *a, const char *id)
{
	const struct analysis_variant *v = analysis_find(a, id, NULL);

	return v && v->nused ? LOAD_SHARE * 1e9 / v->base_ns : 0;
}

int selftest_full(struct selftest *s, struct selftest_rates *rates)
{
	const struct selftest_recording rec = {
		.name = "full-load", .variants = full, .nvariants = COUNT(full), .rounds = s->long_form ? 12 : 4,
		.window_s = s->long_form ? 0.5 : 0.3, .warmup_s = 0.1, .max_time_s = s->long_form ? 120 : 20,
	};
	struct loaded_run l;
	struct diag d = {};
	int status = selftest_record(s, &rec), err;

	if (status)
		return status;
	err = selftest_open(s, rec.name, &l, &d);
	if (err)
		return fail(&d, err);
	rates->native_pps = capacity_share(&l.analysis, "drop/no-touch+chain200@native");
	rates->skb_pps = capacity_share(&l.analysis, "drop/no-touch+chain200@skb");
	err = selftest_check_variants(&s->checks, &l.analysis);
	loaded_run_release(&l);
	if (err)
		return fail(&d, err);
	if (rates->native_pps > 100 && rates->skb_pps > 100)
		return EXIT_OK;
	complain("self-test: the lab's packets do not arrive");
	return EXIT_FAILED;
}

static int planted(struct selftest *s, const char *name, const char *const *variants, size_t n, double rate_pps)
{
	size_t from = s->long_form ? 0 : QUICK_FROM;
	const struct selftest_recording rec = {
		.name = name, .variants = variants + from, .nvariants = n - from, .rounds = s->long_form ? 12 : 6,
		.window_s = s->long_form ? 0.5 : 0.25, .warmup_s = 0.1, .max_time_s = s->long_form ? 150 : 18,
		.rate_pps = rate_pps,
	};
	struct loaded_run l;
	struct diag d = {};
	int status = selftest_record(s, &rec), err;

	if (status)
		return status;
	err = selftest_open(s, rec.name, &l, &d);
	if (err)
		return fail(&d, err);
	err = selftest_check_planted(&s->checks, &l.analysis, &d);
	loaded_run_release(&l);
	return err ? fail(&d, err) : EXIT_OK;
}

int selftest_planted(struct selftest *s, const struct selftest_rates *rates)
{
	int status = planted(s, "planted-native", native, COUNT(native), rates->native_pps);

	return status ? status : planted(s, "planted-skb", skb, COUNT(skb), rates->skb_pps);
}

/* Few comparisons miss by chance alone: below a hundred, the bar is what chance allows. */
static int add_aa(struct checks *c, const struct aa *aa)
{
	double n = aa->comparisons, pct = n > 0 ? 100 * aa->misses / n : NAN;
	size_t chance = aa_misses_by_chance(aa->comparisons);
	int err;

	err = checks_add(c, CHECK_AA_MISSES, itself[0], pct, n >= 100 ? NAN : 100 * chance / n,
			 "%zu of %zu 95 %% intervals miss zero, where there is no difference", aa->misses, aa->comparisons);
	if (!err && n >= 100)
		err = checks_add(c, CHECK_AA_WIDE, itself[0], pct, NAN, "%s", "");
	return err;
}

int selftest_aa(struct selftest *s)
{
	const struct selftest_recording rec = {
		.name = "a-a", .variants = itself, .nvariants = COUNT(itself),
		.rounds = s->long_form ? 101 * AA_ROUNDS : 5 * AA_ROUNDS, .window_s = 0.1, .warmup_s = 0.05,
		.max_time_s = s->long_form ? 600 : 15, .no_profile = true,
	};
	struct loaded_run l;
	struct diag d = {};
	struct aa aa;
	int status = selftest_record(s, &rec), err;

	if (status)
		return status;
	err = selftest_open(s, rec.name, &l, &d);
	if (err)
		return fail(&d, err);
	err = aa_count(&aa, &l.run, l.dir, l.facilities, &d);
	if (!err)
		err = add_aa(&s->checks, &aa);
	loaded_run_release(&l);
	return err ? fail(&d, err) : EXIT_OK;
}
