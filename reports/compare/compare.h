/* compare.h - two variants: differences, checks of a comparison; the overview; whether a run is slower */
#ifndef REPORTS_COMPARE_COMPARE_H
#define REPORTS_COMPARE_COMPARE_H

#include "base/base.h"
#include "perfparse/perfparse.h"
#include "reports/analysis/analysis.h"
#include "reports/run/run.h"

/*
 * between - how much the base of a variant differs from run to run, and what that makes of a difference of two runs
 *
 * units: percent of the base: the standard deviation of one run's base
 * law:   the interval of a difference of two runs is never narrower than that of their blocks. Of known runs, the
 *        larger one of both errors counts, because the scatter of runs has that of their blocks in it; an assumed
 *        deviation is added in quadrature
 * src:   the assumed 2 %: one machine, another day, boot and build each time. Where the generator is the reference,
 *        speeds are taken out and the same is left: 18 runs of 15 s with drawn places, 1.9 and 1.5 % with their own
 *        errors; two pairs of runs of other hours differed by 0.3 to 2.7 % (docs/figures.rst)
 *
 * One speed: two runs of the view "work" have a reference (speed.h), and with R and R' what it takes in both, costs of
 * the first one times (R'/R)^(k/2) and costs of the second one times (R/R')^(k'/2) are at the speed in the middle. The
 * ratio is that of the two variants that are compared, where both runs have them, else of all that both have: what the
 * generator takes depends on the variant, too.
 */

struct compare_overall;

#define BETWEEN_ASSUMED_PCT 2
#define BETWEEN_RUNS        3 /* that a standard deviation needs */

/* BETWEEN_SIDES: measured too, by the runs that are compared (runs.h) */
enum between_source { BETWEEN_ASSUMED, BETWEEN_GIVEN, BETWEEN_MEASURED, BETWEEN_SIDES };

struct between {
	enum between_source source;
	double sd_pct;
	size_t runs; /* BETWEEN_MEASURED, BETWEEN_SIDES: degrees of freedom + 1 */
};

struct between_reference {
	bool known;    /* two runs, both have a reference, their loads are alike, and so are their references */
	double slower; /* logarithm of the reference's time in the new run over that in the base run */
	double at[2];  /* what costs of base and new are multiplied by; 1 where it is not known */
	double error;  /* relative standard error of one cost over the other that this leaves */
	double apart;  /* the part of the half-width that is the slopes' */
};

struct between_reference between_find_reference(const struct analysis_variant *base,
						const struct analysis_variant *new);
/* The base of v at the speed of the run that `like` is of; its own where there is no reference. */
double between_base_like(const struct analysis_variant *v, const struct analysis_variant *like);
/*
 * Whether the generator can be the reference of both runs; else words has why not: "64 and 256 bytes a frame".
 * LOADS_OF_OTHER_CODE: the same frames by another kernel, build of it, version or machine, and nobody knows whether
 * they cost the generator the same
 */
enum between_load { LOADS_ALIKE, LOADS_OF_OTHER_CODE, LOADS_UNLIKE };
enum between_load between_loads(const struct run *base, const struct run *new, char *words, size_t size);

/*
 * The least and the most of how many times as long the generator took for a frame in the new run, over the variants of
 * both runs. A machine that is slower slows the generator alike beside all of them. Where these are
 * BETWEEN_REFERENCES_APART times apart, other work was in its time in one of the runs, and it is no reference: false.
 * NaN, and true: no variant is in both, or there is no reference
 */
#define BETWEEN_REFERENCES_APART 1.1
bool between_references_agree(const struct analysis_variant *base, const struct analysis_variant *new, double ratio[2]);

struct between between_default(double given_pct); /* given_pct: < 0 for not given */

bool between_other_machine(const struct run *base, const struct run *new); /* both are known, and are not one */

/*
 * From n bases, of variant[i] each, in the order of variants: the deviations from the mean of each variant, together.
 * Its degrees of freedom are those of the runs, because all variants of a run may move together. Fewer than
 * BETWEEN_RUNS runs: otherwise is returned.
 */
struct between between_fit(const double *base_ns, const char *const *variant, size_t n, struct between otherwise);

void between_widen(struct compare_overall *h, const struct between *b);

/* "2 % of the base from run to run (standard deviation), assumed" */
const char *between_words(const struct between *b, char *buf, size_t size);

/*
 * runs - the difference of two variants by several runs of each
 *
 * units: ns per packet; sd_pct: standard deviation of one run's base, in percent of the base
 * law:   each run is one value, so the interval knows how much runs differ, whatever their blocks say. NaN where there
 *        are too few runs: two pairs, or three runs that are not all of one side
 */

#define COMPARE_MAX_RUNS 64 /* of a side */

struct compare_runs {
	size_t nbase, nnew; /* 0: there is one run of each side */
	bool paired;
	double base_ns, new_ns; /* means over runs */
	double delta_ns, half_ns, ci95_ns[2], p;
	double sd_pct; /* NaN where paired: what moves both sides of a run is not in the difference */
};

struct compare_runs compare_runs_of(const double *base, size_t nbase, const double *new, size_t nnew, bool paired);
/* "3 and 3 runs: 72.1 and 78.0 ns on average; ..." */
const char *compare_runs_words(const struct compare_runs *r, char *buf, size_t size);

/*
 * stacks_diff - the call paths of two variants side by side
 *
 * units: those of the sides: ns per packet, or instructions per packet
 * law:   paths are matched by the keys of their frames (symkey()). Names that differ only in a compiler's suffix or in
 *        the tag of a BPF program have the same key. The sums of base_cost and of new_cost are those of the two sides.
 *        A frame has the base's name where both sides have it
 */

struct stacks_diff_row {
	const uint32_t *frames; /* indices into symbols[], outermost first */
	unsigned int depth;
	const char *component; /* the base's where both sides have the path */
	uint64_t base_samples, new_samples;
	double base_cost, new_cost; /* 0: this side does not have the path */
};

struct stacks_diff {
	struct profile_symbol *symbols; /* names borrowed from the variants */
	const char *(
		*names)[2]; /* of each symbol: base's, new's; NULL where a side lacks it, the shortest of several */
	size_t nsymbols;
	struct stacks_diff_row *rows;
	size_t nrows;
	uint32_t *frames; /* private: what the rows point into */
};

int stacks_diff_build(struct stacks_diff *d, const struct stacks *base, const struct stacks *new,
		      const struct symkeys *keys);
void stacks_diff_release(struct stacks_diff *d); /* may be called twice */

/*
 * compare - two variants side by side: how much more one costs than the other, and where
 *
 * units: ns per packet; delta is always new minus base
 * law:   sum of symbols' delta_ns + unattributed_delta_ns == delta_ns. The same holds for components.
 *        unattributed_delta_ns is measured (analysis.h)
 * src:   stats.h
 *
 * Pairs: within one run, blocks of one round and placement, if most blocks have a partner. Blocks without one are
 * then in no number of the comparison, and base_ns and new_ns of the overall are means over the pairs. Else, and
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
 * Rows: the same pairs, so that rows add up to the overall. The interval is never narrower than sampling makes it
 * (analysis.h); from 8 pairs on, than independent samples would make it. Of trimmed pairs, a row's error has two
 */

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
	const char *component;
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

struct compare_overall {
	double base_ns, new_ns; /* of the blocks that are compared */
	double delta_ns, half_ns, ci95_ns[2], p;
	double se_ns, df; /* of delta_ns, from the blocks alone */
	bool paired, trimmed;
	size_t npairs, nkept;         /* nkept: after trimming */
	double mean_ns, mean_half_ns; /* of all pairs, where trimmed; NaN otherwise */
	/*
	 * True: the variants took turns, and so shared the speed of the machine. delta_ns is the difference at the
	 * mean speed of the blocks' reference speed (speed.h), ratio is new_ns / base_ns, and all_ns the mean over all
	 * rounds with what was set aside. False: all of these are NaN
	 */
	bool speed_shared;
	double ratio, ratio_half, all_ns, all_half_ns;
	struct between_reference reference; /* of two runs; known: all numbers are at one speed */
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
	double error;  /* of the reference (speed.h) */
	/* By how much new scatters more from round to round, as a part of both: -1 all of it is base's. */
	double unlike;
	struct between_reference reference;
	bool shared, like;
	bool rest; /* of costs without what the clocks around the injections read */
};

struct compare {
	const struct analysis_variant *base, *new;
	const struct symkeys *keys;
	bool same_run;
	bool knows_between; /* between is in the overall's interval */
	struct between between;
	struct compare_overall overall;
	struct compare_runs
		runs; /* of several runs of each side, which the caller adds; all else is of the first ones */
	struct compare_pairs pairs;
	/*
	 * The difference of two injected costs, as the clocks around them read it in the blocks that are compared
	 * (run.h). The clock is in both, so its own time cancels. NaN: there was no clock
	 */
	double injected_ns, injected_half_ns;
	/* The difference of what is left of both without what the clocks read, as the overall is made of bases */
	double injected_off_ns, injected_off_half_ns;
	struct compare_row *components, *symbols; /* largest difference first; compare_is_watched(): surest first */
	struct compare_row *tags;                 /* the same; tags overlap, and are never added up */
	size_t ncomponents, nsymbols, ntags;
	struct compare_event *events; /* in the order of base, then those that only new counted */
	size_t nevents;
	/* the nmatter counters that matter come first; among them losses and recycling first, then by name */
	struct compare_counter *counters;
	size_t ncounters, nmatter;
	struct stacks_diff stacks; /* empty unless both sides have call paths */
	double sum_delta_ns;       /* of the symbols, plus unattributed_delta_ns */
	double base_unattributed_ns, new_unattributed_ns, unattributed_delta_ns, unattributed_half_ns;
	/* As off_ns of a variant (analysis.h), of unattributed_delta_ns. NaN: a side has no samples */
	double off_ns, off_half_ns;
	struct quality quality; /* the comparison's, then base's, then new's */
	/* Both second stages' tasks (analysis.h), per frame that they took up. NULL: one of the two has none */
	struct compare *stage;
};

int compare_build(struct compare *c, const struct analysis_variant *base, const struct analysis_variant *new,
		  const struct symkeys *keys, struct diag *d);
void compare_release(struct compare *c); /* may be called twice */
/* Widens the overall of two runs by what runs differ. */
void compare_set_between(struct compare *c, const struct between *b);

/* Not alike: one CPU paused so much more that the costs of waking up are in the difference. */
bool compare_busy_alike(const struct analysis_variant *base, const struct analysis_variant *new);

bool compare_is_watched(const struct compare *c); /* are both sides what a flight recorder kept? */

int compare_bases(struct compare_overall *h, const struct analysis_variant *base, const struct analysis_variant *new);

/* For symkeys_free(). path NULL: the built-in file if the kernels differ, else no renames. */
int compare_read_renames(struct symkeys **keys, const char *path, const struct analysis_variant *base,
			 const struct analysis_variant *new, struct diag *d);

/*
 * aa - a program compared with itself: how often does the interval of the difference miss zero?
 *
 * units: counts
 * law:   rounds are cut into groups of AA_ROUNDS that follow each other. Each group is analysed and compared as if it
 *        were a run of its own. No block is in two comparisons, so comparisons are independent, and one in twenty 95 %
 *        intervals should miss zero. A group with less than two blocks on a side has no interval and is not counted.
 */

#define AA_ROUNDS 4

struct aa {
	size_t comparisons, misses;
};

int aa_count(struct aa *aa, const struct run *r, const char *dir, struct components *f, struct diag *d);

/* That n correct 95 % intervals do not exceed in 99 % of cases. */
size_t aa_misses_by_chance(size_t n);

/* ---- what the files behind compare.h share: 0 or -ENOMEM */

/* rest: of costs without what the clocks around the injections read. */
int pairs_build(struct compare_pairs *p, const struct analysis_variant *base, const struct analysis_variant *new,
		bool rest);
void pairs_release(struct compare_pairs *p);
/* These look at the blocks that are compared. */
int pairs_test(const struct compare_pairs *p, const double *base, size_t nbase, const double *new, size_t nnew,
	       struct stats_difference *out);
double pairs_mean(const size_t *at, const struct compare_pairs *p, const double *values, size_t n);
int compare_overall_of(struct compare_overall *h, const struct compare_pairs *p, const struct analysis_variant *base,
		       const struct analysis_variant *new);
int compare_close(struct compare *c);    /* needs the symbols */
int compare_add_rows(struct compare *c); /* components, symbols, tags */
int compare_add_events(struct compare *c);
int compare_add_counters(struct compare *c);
int compare_add_injected(struct compare *c);
int compare_add_gates(struct compare *c); /* needs everything else in c */

/*
 * fail_if - when a comparison shall fail: "slower=2%", "different=3ns", "slower=10instructions"
 *
 * units: % of the base, ns per packet (measured), instructions per packet (exact)
 * law:   a measured comparison fails when the whole 95 % interval of the difference is beyond the limit: above it for
 *        "slower", on either side for "different". So chance alone fails 5 comparisons of 100 at most, at a limit of 0.
 *        Without an interval it fails too: what cannot be told does not pass as fine. Exact counts have no interval
 */

enum fail_unit { FAIL_PCT, FAIL_NS, FAIL_INSTRUCTIONS };

struct fail_if {
	bool given;      /* false: nothing fails */
	bool either_way; /* different */
	double limit;
	enum fail_unit unit;
};

int fail_if_parse(struct fail_if *f, const char *words, struct diag *d);
int fail_if_fits(const struct fail_if *f, bool exact, struct diag *d);
bool fail_if_measured(const struct fail_if *f, const struct compare_overall *h, char *why, size_t size);
bool fail_if_counted(const struct fail_if *f, double base, double change, char *why, size_t size);

/*
 * overview - native beside skb, and before beside after, for every action and operation of a run
 *
 * units: ns per packet
 * law:   every variant of the run is in exactly one row; a row has a difference where it has both native and skb
 */

/* MODES: native and skb. PARTS: before and after a moment. ALONE: a variant that has no partner, in native's place. */
enum overview_kind { OVERVIEW_MODES, OVERVIEW_PARTS, OVERVIEW_ALONE, OVERVIEW_KINDS };

struct overview_row {
	enum overview_kind kind;
	char name[RUN_ID_BYTES];                     /* "drop/no-touch", "watch:eth0"; of one that is alone its id */
	const struct analysis_variant *native, *skb; /* or before and after; NULL: not recorded */
	bool have_difference;
	struct compare_overall difference; /* skb minus native, after minus before */
};

struct overview {
	const struct analysis *of;
	struct overview_row *rows;
	size_t nrows;
};

int overview_build(struct overview *v, const struct analysis *a, struct diag *d);
void overview_release(struct overview *v); /* may be called twice */

/*
 * regression - did a variant become slower since another run?
 *
 * units: ns per packet; delta is new minus reference
 * law:   intervals know how much runs differ (between.h). slower: the difference is above zero and above the threshold,
 *        and chance does not explain it; faster: it is below zero, and the same. Of all variants together, at most 5 in
 *        100 comparisons of like runs find anything: p is adjusted by Holm's method. not judged:
 *        the two cannot be compared (one block, no packets, CPUs at another distance), or checks of one of the runs
 *        failed; that does not pass as fine
 * src:   Holm, Scand. J. Stat. 6, 1979
 */

enum regression_verdict {
	REGRESSION_SAME,
	REGRESSION_FASTER,
	REGRESSION_SLOWER,
	REGRESSION_NOT_JUDGED,
	REGRESSION_NEW /* the reference does not have the variant */
};

struct regression_row {
	const struct analysis_variant *base, *new; /* base NULL: only the new run has the variant */
	struct compare_overall overall;
	double delta_pct; /* of base */
	double p;         /* adjusted for the number of variants; NaN: not tested */
	enum regression_verdict verdict;
	char made[MADE_DIFFERS_BYTES]; /* what of both sides was made another way; "": nothing that is known */
	char why[400];                 /* why it is not judged; "" for other verdicts */
};

struct regression {
	const struct analysis *base, *new;
	double threshold_pct;
	struct between between;
	struct regression_row *rows;
	size_t nrows;
};

int regression_build(struct regression *r, const struct analysis *base, const struct analysis *new,
		     double threshold_pct, const struct between *between, struct diag *d);
void regression_release(struct regression *r); /* may be called twice */
size_t regression_count(const struct regression *r, enum regression_verdict verdict);

#endif
