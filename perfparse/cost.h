/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost - turn a profile and a base into nanoseconds per packet
 *
 * in:    struct profile, borrowed; facilities, borrowed; base_ns, the cost of one packet on this CPU
 * out:   struct cost_table, one row per (symbol, facility), largest self cost first, owned by the caller; names
 *        are borrowed from the profile
 * units: ns per packet; shares in percent of the busy weight, which excludes idle and taken-out stacks
 * law:   sum of self_ns + unattributed_ns == base_ns, to rounding
 * error: -EINVAL no base or no busy samples, -ERANGE shares above 100.5 %, of all or of the busy weight; the table is
 *        then empty
 * src:   "Eval Generic netstack XDP patch", 2017, section "Zooming into perf": ns = base * share;
 *        interval: Wilson (1927) score interval of the share times the base
 */
#ifndef PERFPARSE_COST_H
#define PERFPARSE_COST_H

#include "base/diag.h"
#include "perfparse/facilities.h"
#include "perfparse/profile.h"

struct cost_row {
	const char *name, *dso;
	enum profile_space space;
	unsigned int facility;
	uint64_t samples;                 /* self */
	uint64_t irqs_off;                /* of these, taken when interrupts came back on */
	double self_pct, self_ns;         /* self_pct < 0: perf's table has no self share */
	double children_pct, children_ns; /* of the symbol in all its facilities; children_pct < 0: not known */
	double ci95_ns[2];                /* of self_ns, sampling error only; NaN: no sample count */
	uint32_t tags;                    /* a bit for each tag of facilities.h */
};

struct cost_table {
	double base_ns;
	uint64_t samples;                         /* busy samples behind the shares */
	double busy_weight;                       /* weight of the variant's own work: base_ns is its cost */
	double idle_weight;                       /* weight of the time when the CPU had nothing to do */
	double taken_out_weight;                  /* weight of work on the CPU that is not the variant's */
	double unattributed_pct, unattributed_ns; /* share that no row of a table lists; NaN: no self shares */
	double absent_ns; /* a symbol without a row costs at most this; 0: nothing is hidden; NaN: no self shares */
	struct cost_row *rows;
	size_t nrows;
};

void cost_table_init(struct cost_table *t);
void cost_table_release(struct cost_table *t);
int cost_table_build(struct cost_table *t, const struct profile *p, const struct facilities *f, double base_ns,
		     struct diag *d);

/* True if a symbol without a row may cost more than 0.05 % of the base: the text was not the whole table. */
bool cost_table_cut_short(const struct cost_table *t);

/*
 * The costs of facilities, largest first, without facilities that have no row. The interval is that of the summed
 * share.
 */
struct cost_facility {
	unsigned int facility;
	uint64_t samples;
	double self_pct, self_ns;
	double ci95_ns[2];
};
/* n entries, to be freed by the caller; NULL without memory. */
struct cost_facility *cost_table_facilities(const struct cost_table *t, const struct facilities *f, size_t *n);
/* The same for tags: the member facility holds the number of the tag. Tags overlap and are never added up. */
struct cost_facility *cost_table_tags(const struct cost_table *t, const struct facilities *f, size_t *n);

#endif
