/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff - compares two cost tables: which symbols and facilities make up the difference
 *
 * in:    the tables of base and new, built with the same facilities; keys of symbols
 * out:   one row per (key, facility) and one per facility, largest difference first, owned by the caller; names
 *        are borrowed from the tables
 * units: ns per packet
 * law:   sum of delta_ns over symbols + residual_ns == delta_ns of the bases, to rounding; residual_ns is the
 *        difference of the costs that the two tables attribute to no symbol. A side that does not list the symbol
 *        counts as 0 in delta_ns; what it costs there at most is part of the interval
 * error: -EINVAL a table without self shares, -ERANGE residual_ns is not that difference, -ENOMEM; the diff is then
 *        empty
 * src:   intervals: half widths of both sides, added in quadrature (sampling error only)
 */
#ifndef PERFPARSE_DIFF_H
#define PERFPARSE_DIFF_H

#include "perfparse/cost.h"
#include "perfparse/symkey.h"

enum diff_class { DIFF_SAME, DIFF_CHANGED, DIFF_GONE, DIFF_NEW, DIFF_UNLISTED };

struct diff_row {
	const char *name; /* as in the new table, or in the base where the symbol is gone; NULL: a facility's row */
	unsigned int facility;
	bool in_base, in_new; /* that side lists it */
	double base_ns, new_ns, delta_ns;
	double half_ns;        /* delta +- half_ns (95 %); NaN where a sample count is missing */
	double absent_ns;      /* one side was cut short and does not list it: it costs at most this there; 0: not so */
	enum diff_class class; /* DIFF_SAME: the interval contains zero; DIFF_UNLISTED: with absent_ns it does */
};

struct diff {
	double base_ns, new_ns, delta_ns;
	double sum_delta_ns, residual_ns;
	const struct cost_table *base, *new; /* borrowed */
	struct diff_row *symbols, *facilities;
	size_t nsymbols, nfacilities;
};

void diff_init(struct diff *f);
void diff_release(struct diff *f); /* may be called twice */
int diff_build(struct diff *f, const struct cost_table *base, const struct cost_table *new, const struct symkeys *keys,
	       struct diag *d);
const char *diff_class_name(enum diff_class class);

#endif
