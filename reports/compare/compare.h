/*
 * compare - two variants side by side: how much more one costs than the other, and where
 *
 * in:    two analysed variants, of one run or of two, and the renames between their kernels (symkey.h; NULL: none, for
 *        two variants on one kernel); all borrowed, they must outlive the comparison
 * out:   struct compare: the difference of the bases, of the facilities and of the symbols, owned by
 *        the caller
 * units: ns per packet; delta is always new minus base
 * law:   sum of symbols' delta_ns + unattributed_delta_ns == delta_ns. The same holds for facilities.
 *        unattributed_delta_ns is measured (analysis.h); residual_ns compares the difference of one half of the pairs
 *        with the sum of the symbols in the other half
 * error: -ENOMEM; out left empty
 * src:   stats.h
 *
 * Pairs: within one run, blocks of one round and placement, if most blocks have a partner. Blocks without one are
 * then in no number of the comparison, and base_ns and new_ns of the headline are means over the pairs. Else, and
 * for two runs, the blocks are two groups, by Welch's test.
 *
 * Headline: delta -+ t(n-1)·sd/sqrt(n) over pairs. Where the pairs have heavy tails (stats_heavy()), the fifth of them
 * with the smallest differences and the fifth with the largest ones are left out of all numbers (trimmed mean), and
 * mean_ns is the mean of all.
 *
 * Shared speed: variants that take turns saw the same speeds of the machine, so a pair's difference follows its speed
 * s, which its bases x and y show. With X and Y their means, M = (X+Y)/2 and D = Y-X:
 *
 *     s = 1 + (x/X + y/Y - 2)/2          the pair's speed
 *     r = y/Y - x/X                      what is left of both; the machine's speed is not in it
 *     D = sum d / sum s                  the difference at the mean speed (s = 1), d = y - x
 *     var(D) = var(r)/n (M^2 + D^2/4 + M D k)
 *
 * d - D s is M r, and gives the first term. The second is the error of the mean speed: with independent errors of x
 * and y, the variance of s is var(r)/4 besides the machine's own movement. The third is what both have in common when
 * the errors of x and y are unlike: k = (vy - vx)/(vy + vx), of the relative variances of single turns. So the interval
 * is about this run's speeds, and knows what is not common to both sides. Rows are treated in the same way. Of like
 * variants (below) and of trimmed pairs the first term is of other values than the others; a third term below 0 is then
 * left out, as the sum could be below 0, too.
 *
 * Like variants: most of what scatters is single turns that something disturbed, and a disturbance of a variant that
 * costs about as much (COMPARE_LIKE) is as often on either side. So the ratio of their bases in one round comes from
 * the groups of turns (turn_order.h) with costs a and b: with q their ratio, e = b - q a in each group, the fifth of
 * the groups with the smallest e and the fifth with the largest are left out, and q is what makes the sum of e zero
 * in the others. x and y become (x + y)/(1 + q) and q (x + y)/(1 + q); their mean stays. The errors of the mean speed
 * are taken from x and y before that. Of unlike variants a disturbance is not as often on both sides, and all turns
 * count.
 *
 * Rows: the same pairs, so that rows add up to the headline. The interval is never narrower than sampling makes it
 * (analysis.h); from 8 pairs on, than independent samples would make it. Of trimmed pairs, a row's error has two
 * parts: the headline's, times the row's slope on the headline, and the scatter around that line. A row with samples
 * on one side only has the p of a count against none. Where the list of the other side was cut short (imported), the
 * row counts as 0 in delta_ns, what it costs there at most is in the interval, and p is that of the smallest
 * difference that is left. q is made of the p of all rows of one kind, by Benjamini and Hochberg. Rows are matched by
 * facility and by symkey().
 */
#ifndef REPORTS_COMPARE_H
#define REPORTS_COMPARE_H

#include "perfparse/symkey.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/between.h"
#include "reports/compare/runs.h"
#include "reports/compare/stacks_diff.h"

#define COMPARE_LIKE  1.25 /* two variants are alike if neither costs more than so many times the other */
#define COMPARE_ALPHA 0.05 /* false discoveries among the rows called changed */

/*
 * gone:    q is below COMPARE_ALPHA, and the new variant has no sample of the row
 * new:     the same with base and new exchanged
 * changed: q is below COMPARE_ALPHA, and both have samples
 * unlisted: one side's list was cut short and does not have the row; what it may cost there explains the difference
 * untested: nothing tells whether chance explains the difference; q is NaN
 * same:    no difference was found; there may still be one
 */
enum compare_class { COMPARE_SAME, COMPARE_CHANGED, COMPARE_GONE, COMPARE_NEW, COMPARE_UNLISTED, COMPARE_UNTESTED };

struct compare_row {
	const char *name; /* as perf prints it; of the matched symbol that costs most */
	const char *facility;
	uint64_t base_samples, new_samples;
	double base_ns, new_ns, delta_ns;
	double half_ns, ci95_ns[2]; /* of delta_ns; NaN with less than two blocks */
	/* One side's list was cut short, and does not have the row: it costs at most this there. 0: not so */
	double absent_ns;
	double p, q;
	bool significant; /* q < COMPARE_ALPHA */
	enum compare_class class;
};

/* An event of perf stat per packet; NaN on the side that did not count it. */
struct compare_event {
	const char *name, *unit;
	double base, new, delta;
	double half, p;     /* of delta: Welch over blocks */
	double running_pct; /* the lesser of both sides */
};

/* A counter of the device per packet; NaN: not known; 0: the counter did not change. */
struct compare_counter {
	enum counter_source source;
	const char *name, *meaning; /* borrowed; meaning may be "" */
	double base, new, delta;
	/* the counter has a meaning (losses, page recycling, ...), or the sides differ by more than a percent */
	bool matters;
};

struct compare_headline {
	double base_ns, new_ns; /* of the blocks that are compared */
	double delta_ns, half_ns, ci95_ns[2], p;
	double se_ns, df; /* of delta_ns, from the blocks alone */
	bool paired, trimmed;
	size_t npairs, nkept;         /* nkept: after trimming */
	double mean_ns, mean_half_ns; /* of all pairs, where trimmed; NaN otherwise */
	/*
	 * True: the variants took turns, and so shared the speed of the machine. delta_ns is the difference at the mean
	 * speed of the blocks' reference speed (speed.h), ratio is new_ns / base_ns, and all_ns the mean over all
	 * rounds with what was set aside. False: all of these are NaN
	 */
	bool speed_shared;
	double ratio, ratio_half, all_ns, all_half_ns;
	struct between_ruler ruler; /* of two runs; known: all numbers are at one speed */
};

/* Which blocks of both sides belong together: places in used[]. Empty where not paired. */
struct compare_pairs {
	size_t n, nkept, *base_at, *new_at;
	size_t *rotation; /* of turns: in each one, every variant is at each place in memory once; else the pair */
	double lost;      /* degrees of freedom of delta_ns */
	bool *kept;
	double *base_ns, *new_ns; /* of each block of used[]: its value in the base, or what like_bases() made of it */
	double *delta_ns;         /* of the bases; where the speed is shared, what it would be at the speed 1 */
	double *speed; /* cost of both sides in the pair over their means: 1 on average. 1 where it is not shared */
	double noise;  /* variance of speed that is no speed of the machine */
	double error;  /* of the ruler (speed.h) */
	/* By how much new scatters more from round to round, as a part of both: -1 all of it is base's. */
	double unlike;
	struct between_ruler ruler;
	bool shared, like;
	bool rest; /* of costs without what the clocks around the plants read */
};

struct compare {
	const struct analysis_variant *base, *new;
	const struct symkeys *keys;
	bool same_run;
	bool knows_between; /* between is in the headline's interval */
	struct between between;
	struct compare_headline headline;
	struct compare_runs
		runs; /* of several runs of each side, which the caller adds; all else is of the first ones */
	struct compare_pairs pairs;
	/*
	 * The difference of two planted costs, as the clocks around them read it in the blocks that are compared
	 * (run.h). The clock is in both, so its own time cancels. NaN: there was no clock
	 */
	double planted_ns, planted_half_ns;
	/* The difference of what is left of both without what the clocks read, as the headline is made of bases */
	double planted_off_ns, planted_off_half_ns;
	struct compare_row *facilities, *symbols; /* largest difference first; compare_is_watched(): surest first */
	struct compare_row *tags;                 /* the same; tags overlap, and are never added up */
	size_t nfacilities, nsymbols, ntags;
	struct compare_event *events; /* in the order of base, then those that only new counted */
	size_t nevents;
	/* the nmatter counters that matter come first; among them losses and recycling first, then by name */
	struct compare_counter *counters;
	size_t ncounters, nmatter;
	struct stacks_diff stacks; /* empty unless both sides have call paths */
	double sum_delta_ns;       /* of the symbols, plus unattributed_delta_ns */
	double base_unattributed_ns, new_unattributed_ns, unattributed_delta_ns, unattributed_half_ns;
	/*
	 * The difference by every second pair less the sum of the symbols in the other pairs, or the other way
	 * round: the larger of the two. NaN where blocks are not paired, or are few
	 */
	double residual_ns, residual_half_ns;
	/* As off_ns of a variant (analysis.h): of unattributed_delta_ns and both halves. NaN: a side has no samples */
	double off_ns, off_half_ns;
	struct quality quality; /* the comparison's, then base's, then new's */
	/* Both second stages' tasks (analysis.h), per frame that they took up. NULL: one of the two has none */
	struct compare *stage;
};

int compare_build(struct compare *c, const struct analysis_variant *base, const struct analysis_variant *new,
		  const struct symkeys *keys, struct diag *d);
void compare_release(struct compare *c); /* may be called twice */
/* Widens the headline of two runs by what runs differ. */
void compare_set_between(struct compare *c, const struct between *b);

/*
 * Is the difference of the two a headline? Not if one side's CPU paused for so much more of the time that the costs of
 * waking up are in the difference (gate busy-alike).
 */
double compare_busy_apart_pct(const struct analysis_variant *base, const struct analysis_variant *new);
bool compare_busy_alike(const struct analysis_variant *base, const struct analysis_variant *new);

/* Are both sides what a flight recorder kept? */
bool compare_is_watched(const struct compare *c);

/* Did one of the two sleep so often that waking up is a part of the difference? */
bool compare_sleeps(const struct analysis_variant *base, const struct analysis_variant *new);

/* The headline alone. 0 or -ENOMEM. */
int compare_bases(struct compare_headline *h, const struct analysis_variant *base, const struct analysis_variant *new);

const char *compare_class_name(enum compare_class class); /* "same" "changed" "gone" "new" "unlisted" "untested" */
/*
 * For people: "~" where chance may explain the change; "?" where nothing tells; "gone", "new" and "unlisted" for these
 * classes; else "".
 */
const char *compare_mark(const struct compare_row *row);

/*
 * Reads the renames for compare_build(); free them with symkeys_free(). path: a rename file. NULL: the built-in file if
 * the two runs were recorded on different kernels, else no renames.
 */
int compare_read_renames(struct symkeys **keys, const char *path, const struct analysis_variant *base,
			 const struct analysis_variant *new, struct diag *d);

#endif
