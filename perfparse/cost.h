/*
 * cost - turn a profile and a base into nanoseconds per packet
 *
 * in:    struct profile, borrowed; facilities, borrowed; base_ns, the cost of one packet on this
 *        CPU
 * out:   struct cost_table, one row per (symbol, facility), largest self cost first, owned by the
 *        caller; names are borrowed from the profile
 * units: ns per packet; shares in percent of the busy weight (idle and taken-out stacks are not in
 *        it)
 * law:   sum of self_ns + unattributed_ns == base_ns, to rounding
 * error: -EINVAL no base or no busy samples, -ERANGE shares above 100.5 %; out left empty
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
	double self_pct, self_ns;         /* self_pct < 0: the table did not say */
	double children_pct, children_ns; /* in all its facilities; pct < 0: not known */
	double ci95_ns[2];                /* of self_ns, by sampling alone; NaN: no sample count */
};

struct cost_table {
	double base_ns;
	uint64_t samples;                         /* busy samples behind the shares */
	double busy_weight;                       /* of the weights below, what base_ns stands for */
	double idle_weight;                       /* the CPU had nothing to do */
	double taken_out_weight;                  /* ran on the CPU, not the variant's */
	double unattributed_pct, unattributed_ns; /* of tables; NaN: no self shares */
	struct cost_row *rows;
	size_t nrows;
};

void cost_table_init(struct cost_table *t);
void cost_table_release(struct cost_table *t);
int cost_table_build(struct cost_table *t, const struct profile *p, struct facilities *f, double base_ns,
		     struct diag *d);

/* What facilities cost, largest first; those without a row are left out. Shares are summed
 * first, then one interval. */
struct cost_facility {
	unsigned int facility;
	uint64_t samples;
	double self_pct, self_ns;
	double ci95_ns[2];
};
/* n entries, to be freed by the caller; NULL without memory. */
struct cost_facility *cost_table_facilities(const struct cost_table *t, const struct facilities *f, size_t *n);

#endif
