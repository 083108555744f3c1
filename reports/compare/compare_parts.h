/*
 * compare_parts - what the files behind compare.h share; no other file includes this header
 */
#ifndef REPORTS_COMPARE_PARTS_H
#define REPORTS_COMPARE_PARTS_H

#include "reports/compare/compare.h"

/*
 * Pairs of blocks, if most of them have a partner, and which of them are kept; 0 or -ENOMEM. rest: of costs without
 * what the clocks around the plants read, which both sides have.
 */
int pairs_build(struct compare_pairs *p, const struct analysis_variant *base, const struct analysis_variant *new,
		bool rest);
void pairs_release(struct compare_pairs *p);
/* The difference of two series of block values, on the blocks that are compared. */
int pairs_test(const struct compare_pairs *p, const double *base, size_t nbase, const double *new, size_t nnew,
	       struct stats_difference *out);
/* Means of the blocks that are compared. */
double pairs_mean(const size_t *at, const struct compare_pairs *p, const double *values, size_t n);
int compare_headline_of(struct compare_headline *h, const struct compare_pairs *p, const struct analysis_variant *base,
			const struct analysis_variant *new);
int compare_close(struct compare *c);        /* needs the symbols: 0 or -ENOMEM */
int compare_add_rows(struct compare *c);     /* facilities, symbols, tags: 0 or -ENOMEM */
int compare_add_events(struct compare *c);   /* 0 or -ENOMEM */
int compare_add_counters(struct compare *c); /* 0 or -ENOMEM */
int compare_add_planted(struct compare *c);  /* 0 or -ENOMEM */
int compare_add_gates(struct compare *c);    /* needs everything else in c: 0 or -ENOMEM */

#endif
