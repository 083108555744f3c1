/* analysis.h - one run: bases, costs, checks of a variant */
#ifndef REPORTS_ANALYSIS_ANALYSIS_H
#define REPORTS_ANALYSIS_ANALYSIS_H

#include "base/base.h"
#include "perfparse/perfparse.h"
#include "reports/run/run.h"

/*
 * placement - how far the generator's CPU was from the RX CPU, and which blocks had the same distance
 *
 * units: ns, one way
 * law:   neighbouring values of one stratum differ by a factor of at most PLACEMENT_CUT. A block is in one stratum, or
 *        has moved (different strata before and after), or was not probed although others were
 */

#define PLACEMENT_CUT    1.5 /* neighbouring values further apart than this factor are in two strata */
#define PLACEMENT_BLOCKS 3   /* blocks that a variant needs in the reference stratum */
#define PLACEMENT_STRATA 4   /* most strata; all values beyond the last cut are in the last one */

/* Where a block was: in a stratum 0 .. PLACEMENT_STRATA - 1, or in none. */
#define PLACEMENT_MOVED    PLACEMENT_STRATA
#define PLACEMENT_UNPROBED (PLACEMENT_STRATA + 1) /* this block was not probed, but others were */
#define PLACEMENT_PLACES   (PLACEMENT_STRATA + 2)

enum placement_choice { PLACEMENT_AUTO, PLACEMENT_NEAR, PLACEMENT_FAR, PLACEMENT_ALL };

struct placement_stratum {
	char name[8]; /* "near", "mid", "mid2", "far"; "only" when there is one */
	double lo_ns, hi_ns;
	size_t blocks;
};

struct placement {
	enum placement_choice choice;
	bool probed;
	struct placement_stratum strata[PLACEMENT_STRATA];
	size_t nstrata;
	size_t reference;
};

struct placement_share {
	size_t blocks;
	double base_ns; /* NaN without blocks */
};

/* like_ns: > 0 with PLACEMENT_AUTO: its stratum is the reference, if there is one. */
int placement_build(struct placement *p, const struct run *r, enum placement_choice choice, double like_ns,
		    struct diag *d);
size_t placement_of(const struct placement *p, const struct run_block *b);
const char *placement_name(const struct placement *p, size_t place);
bool placement_takes(const struct placement *p, const struct run_block *b);

int placement_choice_parse(enum placement_choice *c, const char *text, struct diag *d);

/*
 * quality - gates: can a measured number be trusted?
 *
 * units: the unit of each gate, in quality_rules[]
 * law:   three answers. A gate holds when its value is at most, or at least, the limit, and the whole interval of the
 *        value is too, where it has one. It fails when the value, or the whole interval, is beyond the limit. It cannot
 *        tell in all other cases. A value that is not known (NaN) does not fail where the rule has may_be_unknown,
 *        because some machines cannot report it; it does not hold either. The note of a row that fails contains the
 *        rule's advice
 */

#define GATE(gate, ...) QUALITY_##gate,
enum quality_gate {
#include "reports/analysis/quality_rules.def"
	QUALITY_GATES
};
#undef GATE

/* What a gate is like. TELLING: its note is printed even when it holds. COUNTS: its value is a number of things. */
enum { AT_LEAST = 1, MAY_BE_UNKNOWN = 2, TELLING = 4, COUNTS = 8 };

struct quality_rule {
	const char *name, *unit;
	double limit;
	unsigned int is;    /* AT_LEAST (else at most), ... */
	const char *advice; /* what to do when the gate fails, one clause */
	/* For readers who do not know the gate: what was found ('#' stands for the value), and what follows from it. */
	const char *found, *consequence;
};
extern const struct quality_rule quality_rules[QUALITY_GATES];
const struct quality_rule *quality_rule_find(const char *gate); /* NULL: no gate has that name */

/* All zero: the limits of quality_rules[]. */
struct quality_limits {
	bool given[QUALITY_GATES];
	double limit[QUALITY_GATES];
};
int quality_limits_parse(struct quality_limits *l, const char *text, struct diag *d); /* "overhead=5" */
/*
 * Sets the limits that follow from others, unless they were given: that of overhead from budget_pct, which sampling was
 * allowed to take (-1: not known), and those of closure, in which overhead and missing samples add up.
 */
void quality_limits_derive(struct quality_limits *l, double budget_pct);
double quality_limit(const struct quality_limits *l, enum quality_gate gate);

struct quality_row {
	const char *gate, *unit;
	char variant[RUN_ID_BYTES]; /* "" for a run or a comparison */
	const char *side;           /* "base " or "new " where both sides of a comparison have that name, else "" */
	double value, limit;        /* value NaN: not known */
	double half;                /* of the value's interval; NaN: it has none */
	bool at_least, ok;          /* ok: it does not fail */
	bool open;                  /* ok, and cannot tell: its interval reaches over the limit, or is not known */
	bool tell;                  /* print the note for people even when ok */
	char note[400];
};

enum quality_verdict { QUALITY_HOLDS, QUALITY_NOT_KNOWN, QUALITY_CANNOT_TELL, QUALITY_FAILS };
#define QUALITY_VERDICTS (QUALITY_FAILS + 1)

struct quality {
	struct quality_row *rows;
	size_t nrows;
	int err; /* sticky: -ENOMEM; what is added behind it is dropped */
};

/* These add one row, and return err. note: what was found. */
int quality_add(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		double value, const char *note, ...) __attribute__((format(printf, 6, 7)));
/* It does not fail, whatever the rule says. */
int quality_add_unknown(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant);
/* half NaN: the interval is not known, so a value within the limit is inconclusive, and one beyond it fails. */
int quality_add_spread(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		       double value, double half);
/* The row added last is "inconclusive" although its value is within the limit; words before its note. */
void quality_leave_open(struct quality *q);
void quality_explain(struct quality *q, const char *words);
int quality_append(struct quality *q, const struct quality *from, const char *side); /* copies of the rows of `from` */
extern const char *const quality_verdict_names[]; /* "passed" "not available" "inconclusive" "failed" */
enum quality_verdict quality_verdict(const struct quality_row *row);
size_t quality_failed(const struct quality *q);
/* Appends "saturation of drop/no-touch@native, ..." to text, which has room for size bytes; what is more is cut off. */
void quality_name_failed(const struct quality *q, char *text, size_t size);
bool quality_is_first(const struct quality *q, size_t row);
void quality_release(struct quality *q);

/*
 * speed - how fast was the machine when? By the turns of a run (turns.h), or by the probes of its blocks
 *
 * The speed of a shared machine moves all the time, by tens of per cent. In a run whose variants take turns of a few
 * ms each turn has a reference in it: in the view "work" the generator's part of the turn, which is kernel code of the
 * same kind, on the same CPU, in the same ms. Where the generator is on another CPU (the other views), what the
 * variants themselves cost, all together, is the reference; of one variant alone there is none.
 *
 * units: ns of CLOCK_MONOTONIC; seconds of turns
 * law:   the spans are in order, and do not overlap; of turns, a span is a stall or an interval. Intervals are in order
 */

#define SPEED_INTERVAL_NS      50000000
#define SPEED_INTERVAL_TURNS   4    /* of each variant, that an interval has at least */
#define SPEED_JUMP             0.25 /* logarithm, from one half of an interval to the other */
#define SPEED_MOVES            0.05 /* standard deviation of logarithms, from which on a slope shows */
#define SPEED_SLOPE_HALF       0.2
#define SPEED_ROUNDS           6
#define SPEED_PROBE_STEP       1.05 /* of two speeds of probes, which feel a neighbour a fifth as much as packets do */
#define SPEED_APART            4    /* two groups are two, if they are so many of their standard deviations apart */
#define SPEED_INTERVALS        3    /* that a speed has to hold for */
#define SPEED_INTERVALS_ENOUGH 40   /* values in which two groups are not chance */

struct speed_span {
	uint64_t from_ns, to_ns;
};

struct speed_interval {
	uint64_t from_ns; /* it ends where the next one begins */
	double slowness;  /* logarithm */
	size_t turn, end; /* numbers of its turns */
	bool sampled, jumped;
};

struct speed_variant {
	double own_ns;       /* median cost of a packet in its turns, at the median speed */
	double reference_ns; /* of the generator for a frame, at the same speed; NaN: it is on another CPU */
	double k, k_half;    /* k_half NaN: k is not estimated */
	double k_rest;       /* of what the clock around an injected cost leaves: other memory, another slope */
	double sampled;      /* how many times as dear it is in profiled turns, besides what slows the reference, too */
};

enum speed_reference { SPEED_GENERATOR, SPEED_VARIANTS, SPEED_PROBES };

struct speed {
	enum speed_reference by; /* SPEED_PROBES: of the RX CPU, in blocks (slow_blocks.c); there are no stalls then */
	bool known;
	double run_s;
	double discarded_s; /* of groups of turns that jumped, or of blocks at another speed */
	double kept_s;      /* of groups of turns that jumped, and are kept */
	double moved;       /* standard deviation of the slowness; NaN of probes, and where it is not known */
	double error;       /* standard error of the run's mean slowness, as each interval's is a median of few turns */
	double range[2];    /* 5th and 95th percentile of the time that the reference takes, over its median; NaN */
	double stall_ns;    /* by which a stall is longer; NaN: not known */
	size_t nstalls;
	double stalls_s; /* by which the receiver's time was longer in stalls */
	/* By probes: cost of a packet, and time of the probe, in what is set aside, over the rest; NaN: nothing is */
	double factor, probe_factor;
	struct speed_span *spans;
	size_t nspans;
	struct speed_interval *intervals;
	size_t nintervals;
	struct speed_variant *variants; /* of the run; NULL: of probes, and where the speed is not known */
};

int speed_judge(struct speed *s, const struct run_turns *turns, size_t nvariants, enum speed_reference by);
void speed_release(struct speed *s); /* may be called twice */
/* How many times as dear the variant was at that time as at the median speed; 1 where nothing is known. */
double speed_factor(const struct speed *s, size_t variant, uint64_t at_ns);
/*
 * What the clock around an injected cost read in the turn, at the median speed: its time moves less with the machine's
 * speed than the packet's, so it is what the turn takes less what the rest takes, each by its slope.
 */
double speed_injected_ns(const struct speed *s, const struct run_turn *t);
uint64_t speed_interval_end(const struct speed *s, uint64_t at_ns);
/* By how much the receiver's time in the turn is longer than its packets take; NaN: not known. */
double speed_longer_ns(const struct speed *s, const struct run_turn *t);
bool speed_sets_aside(const struct speed *s, uint64_t from_ns, uint64_t to_ns); /* is any of this time set aside? */
/*
 * Where the ascending values x[0..n) fall into two groups that are SPEED_APART of their standard deviations and
 * least_step apart (values are logarithms), where the second one begins; else n. Values that scatter evenly are 3.5
 * apart, normal ones 2.7. src: Otsu, IEEE Trans. SMC 9, 1979; Ashman, Bird and Zepf, Astron. J. 108, 1994
 */
size_t speed_cut(const double *x, size_t n, double least_step);

/*
 * stacks - the call paths of one variant, with what each of them costs
 *
 * units: ns per packet; instructions per packet where exact counts were put in (reports/format/exact_stacks.h)
 * law:   the sum of the rows' cost is the variant's base_ns less its unattributed_ns, to rounding. Per symbol and
 *        component, the sum over the paths that end in the symbol is its self cost. Idle and
 *        excluded stacks have no rows. Where a block has only a table of functions, each function is a path of its
 *        own
 */

struct stacks_row {
	const uint32_t *frames; /* indices into symbols[], outermost first */
	unsigned int depth;     /* at least 1 */
	const char *component;
	uint64_t samples;
	double cost;
};

struct stacks {
	const struct profile_symbol *symbols; /* no two are alike in name, DSO and space */
	size_t nsymbols;
	struct stacks_row *rows;
	size_t nrows;
	/* private: what the rows point into */
	struct profile names;
	uint32_t *frames;
};

void stacks_release(struct stacks *s); /* may be called twice */

/*
 * analysis - a run -> what each of its variants costs, by component and by symbol, with intervals
 *
 * units: ns per packet unless the name says otherwise; NaN: not known
 * law:   per variant, sum of symbols' self_ns + unattributed_ns == base_ns, to rounding. The same holds for the sum of
 *        components' self_ns. unattributed_ns is measured: the costs of symbols come from the samples of the profiled
 *        windows, the base comes from a clock in the unprofiled ones
 * src:   ns = base·share: "Eval Generic netstack XDP patch", 2017; statistics: stats.h
 *
 * Per block, with N packets, span dt and B busy ns of its unprofiled windows; M packets of its profiled windows, and w
 * the ns that their samples stand for:
 *
 *     s                 = w_excluded / (w_cost + w_excluded)   share of other work, found by its stacks
 *     base by busy time = B·(1-s) / N                            the base, where B is known
 *     base by rate      = cpus·dt·(1-s) / N                      right only if the CPUs never idled
 *     c_i               = w_i / M                                per (symbol, component)
 *
 * Where NAPI runs in softirqs, no kernel clock gives B. B/(cpus·dt) is then estimated by the part of the profiled
 * windows in which the samples were not idle. enum analysis_scale says how the weight of samples becomes ns.
 *
 * Per variant, each cost is one ratio of sums over the used blocks: base = sum B(1-s) / sum N, packets per second
 * = sum N / sum dt, c_i = sum w_i / sum M. The value of one block in such a ratio R = sum x / sum y is R + (x_b -
 * R·y_b) / mean y. The mean of these values is R, and their scatter gives its error (infinitesimal jackknife:
 * Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", 1982, chapter 6).
 *
 * The base's interval is for the time of this run (stats_series()): blocks sample the whole run, so a slow
 * movement of the machine is in the mean. What another run would find is the matter of reports/compare/between.h.
 * Blocks in which the machine was slower are set aside: slow_blocks.c says who judges when. Where variants take turns,
 * all but stalls count, each at the machine's median speed (speed.h): B and w are then the times that the same packets
 * take at it.
 *
 * The interval of a row adds two errors in quadrature: its sampling error (Wilson's interval of its share at
 * n_eff = samples / design effect) and the interval of the sum of all rows. With ANALYSIS_BLOCKS blocks or more, the
 * interval of a row is at least as wide as the t interval over blocks.
 */

/* With this many blocks or more, the scatter between blocks is a better estimate than a formula. */
#define ANALYSIS_BLOCKS 6
/* A residual below this comes from rounding and differs between machines. */
#define ANALYSIS_ROUNDING_NS 1e-9
#define ANALYSIS_OFF_ALPHA   0.01 /* a run that closes may have a variant that is off in this part of all runs */

struct analysis_options {
	enum placement_choice placement;
	double placement_like_ns; /* > 0: a time of another run; use the stratum that this time belongs to */
	struct quality_limits limits;
	bool stacks; /* keep call paths */
};

/*
 * How the weight of samples becomes ns.
 * SCALE_TIME:      periods are ns (cpu-clock, task-clock)
 * SCALE_FREQUENCY: periods are cycles, divided by the CPU's frequency. An error of the frequency is unattributed
 * SCALE_BUSY:      periods are of another event, or there is no frequency. They are scaled to the busy time of the
 *                  profiled windows: unattributed then holds what profiling costs, and cannot show samples that are
 *                  missing
 * SCALE_SHARES:    the event is no time, and an import was told to take its shares as shares of the time
 */
enum analysis_scale { SCALE_TIME, SCALE_FREQUENCY, SCALE_BUSY, SCALE_SHARES };

enum analysis_fate { FATE_USED, FATE_ELSEWHERE, FATE_NO_PACKETS, FATE_NO_SAMPLES, FATE_SLOW };

struct analysis_block {
	const struct run_block *block;
	enum analysis_fate fate;
	size_t used_index; /* in used[], when the block is used */
	enum analysis_scale scale;
	bool shares_only;   /* an imported text: nobody knows how long its samples were taken, they are shares alone */
	double absent_part; /* of the base, that a symbol without a row has at most: an imported list was cut short */
	/* weight of the samples of run.rx_cpus[i]; 0 where kthreads are sampled */
	double cpu_weight[RUN_MAX_RX_CPUS];
	uint64_t samples; /* those that count as cost */
	double cost_weight, excluded_weight, idle_weight;
	/*
	 * The mean cost in each group of turns of the round (turn_order.h), of variants that take turns: from the
	 * unprofiled turns, at the median speed; NaN: not all of the variant's turns in the group are, or one stalled
	 */
	double *group_ns, *group_injected_ns; /* of the latter, what the clock around an injected cost read */
	size_t ngroups;
	bool outlier;
	/* From packets to z, doubles alone: not known at first. */
	double packets, span_ns, pps; /* of the unprofiled windows */
	double busy_ns, busy_pct;
	double base_ns, base_by_busy_ns, base_by_rate_ns, excluded_ns;
	double profiled_ns;     /* the base, measured in the profiled windows */
	double slower_profiled; /* over the base, without what the reference takes out: what sampling takes */
	double profiled_packets;
	double injected_ns; /* what the clock around an injected cost read in the packets of `packets`; NaN: no clock */
	double ns_per_weight; /* of the samples */
	double sum_ns;        /* what the samples that count as cost stand for, per packet; NaN: there are none */
	double pace;          /* base_ns over that of the variant's blocks at full speed; NaN: not judged */
	double probe_ns;      /* median of the quiet probes of the RX CPU (run.h); NaN: there are none */
	double speed;  /* by all probes of the block, over that at the reference speed; above 1: slower; NaN: unknown */
	double all_ns; /* base_ns as it was, with all speeds and stalls */
	double counted_ns;                   /* the base, measured in the windows of perf stat; NaN: there were none */
	double cpu_busy_ns[RUN_MAX_RX_CPUS]; /* the part of busy_ns on run.rx_cpus[i] */
	double sampled_busy_pct;             /* weight of the samples in percent of the profiled windows' busy time */
	double z;                            /* modified z-score of base_ns among the variant's used blocks */
};

struct analysis_cpu {
	int cpu;
	double packets, pps;      /* of the unprofiled windows of used blocks */
	double busy_pct, base_ns; /* base_ns: per packet that this CPU received; NaN: not known */
};

/*
 * What a layer that sends asks of the kernel besides time, per frame that the kernel took: sums over its used blocks.
 * NaN: the variant sends nothing by itself, or its blocks do not know.
 */
struct analysis_sending {
	double system_calls;
	double system_calls_per_kib; /* of whole frames without FCS; 1024 bytes. NaN: their length is not known */
	double ns_per_kib;           /* NaN: its packets are no segments of TCP */
	double completions;          /* that came */
	double completions_missing;  /* that did not come */
	double copied_pct;           /* of those that came: the kernel copied after all; NaN: none came */
};

/* A symbol in one component, or a component. */
struct analysis_row {
	char *name;
	const char *dso; /* "" for components and tags */
	const char *component;
	uint64_t samples, irqs_off; /* irqs_off: taken when interrupts came back on (components.h) */
	uint32_t tags;              /* of a symbol: a bit for each tag of components.h */
	double self_pct, self_ns, ci95_ns[2];
	double half_ns;      /* distance from self_ns to the farther end of ci95_ns */
	double children_ns;  /* NaN for components and tags */
	double error_ns;     /* standard error from sampling and base alone; infinite for a row without samples */
	double *block_ns;    /* value of each used block in self_ns, in the order of used[]; their mean is self_ns */
	double *block_share; /* of the block's samples by weight, 0..1; NULL: not kept */
};

/* What the device counted in the unprofiled windows of used blocks. */
struct analysis_counter {
	enum counter_source source;
	const char *name, *meaning;    /* name is borrowed from the run; meaning may be "" */
	double per_second, per_packet; /* NaN: the counter changed by an unknown amount */
};

/*
 * One event of perf stat per packet. It counts all work on the RX CPUs, so it includes the work that excluded_ns
 * removes from the cost.
 */
struct analysis_event {
	const char *name, *unit; /* name is borrowed from the run; unit is "ns" for clocks, else "" */
	double per_packet, half; /* mean over blocks; NaN: not counted */
	double per_cycle;        /* for instructions: per cycle counted with the same modifiers; else NaN */
	/* the least percentage of a window in which the event was counted; below 100 it shared a hardware counter */
	double running_pct;
	double *block_values; /* one per block of used[]; NaN where the event was not counted */
};

/* Slab memory, by names of symbols: the fast path works on objects at hand, the slow path on whole slabs. */
struct analysis_slab {
	double fast_ns, slow_ns; /* sums of self_ns */
	double slow_pct;         /* of fast_ns + slow_ns */
	uint64_t samples;        /* 0: no symbol of either path was seen */
	const char *slowest;     /* symbol of the slow path that costs most; NULL: none was seen */
};

struct analysis_variant;

/*
 * The second stage of a redirect or of a layer. Its cost is reported beside the base and is never part of the base.
 * - If a task does the work: ns is the task's on-CPU time over the frames that it took up.
 * - If the target's polls run in softirqs inside the receiver's thread: ns is what was taken out for these polls.
 * - Otherwise ns is NaN, and any work of the stage on the RX CPU is in the base.
 */
struct analysis_stage {
	bool by_task;
	double ns, half_ns, ci95_ns[2];     /* per frame */
	double redirected, frames, dropped; /* sums over the whole used blocks; NaN: not counted */
	double dropped_pct, missing;        /* missing: frames that no counter explains, in the worst block */
	/*
	 * The task as a variant of its own: base_ns, symbols, components and closure, per frame that it took up, from
	 * the samples of this task, and its call paths where they are asked for. Gates, polls and counters are not
	 * filled in. NULL: it has no samples
	 */
	struct analysis_variant *task;
};

/* A turn that was longer than usual by a turn of the dearest variant. */
struct analysis_stall {
	double at_s, longer_ns; /* at_s: since the first turn of the run */
	bool sampled;           /* it was in a profiled stretch */
	size_t samples;
	char ran[80]; /* the symbol with most of the samples; "": there were none */
};

/*
 * The cost of a packet in the single unprofiled turns of a variant (turns.h), or in the single unprofiled windows of
 * its blocks; n 0: there are none. Those at another speed are in it, as they are what shows first here.
 */
#define ANALYSIS_TURN_QUANTILES 5
#define ANALYSIS_TURN_BINS      24
#define ANALYSIS_TURN_STALLS    3
struct analysis_turns {
	size_t n;
	bool windows; /* of blocks, instead of turns */
	double ns[ANALYSIS_TURN_QUANTILES], longest_ns;
	size_t bins[ANALYSIS_TURN_BINS]; /* of equal width, from ns[0] to ns[4]; the others are beyond */
	/*
	 * The costs fall into two groups that are SPEED_APART of their own standard deviations apart (speed.h), each
	 * with a twentieth of them: the median of both groups, and the part of the slower one. NaN: they do not
	 */
	double mode_ns[2], slower_pct;
	struct analysis_stall stalls[ANALYSIS_TURN_STALLS]; /* the longest ones, in all stretches, longest first */
	size_t nstalls;
};

/*
 * What a poll costs beside its packets, falling asleep and waking up with it: by a line over the rates of a sweep
 * (sweep_wakeups_fill()). points 0: there is none, and one run alone cannot know it
 */
struct analysis_wakeups {
	size_t points;
	double poll_ns, poll_half_ns;
	double full_ns, full_half_ns; /* of a packet in full polls, where the receiver never sleeps */
};

/* A receiver that is less busy sleeps so often that waking up is a part of its cost. */
#define ANALYSIS_SLEEPS_PCT 90
#define ANALYSIS_FULL_POLL  64 /* packets, NAPI's budget */

struct analysis_variant {
	const struct analysis *of;
	const struct run_variant *variant;
	struct made_program program; /* of its blocks, which all ran the same */
	bool is_task;                /* it is the stage.task of the variant */
	struct analysis_block *blocks;
	size_t nblocks;
	struct analysis_block **used; /* the blocks of blocks[] that count */
	size_t nused;
	bool strata_mixed;     /* the reference stratum left too few blocks, so all are used */
	double *block_base_ns; /* value of each block of used[] in base_ns; their mean is base_ns */
	/* The same of what the clock around an injected cost read (run.h); NULL: there was no clock. */
	double *block_injected_ns;
	double *block_sum_ns;        /* the same for sum_ns; NULL: not known */
	bool takes_turns;            /* with the other variants of its round, so all of them saw the same speeds */
	bool busy_estimated;         /* from samples, not from the kernel's clock */
	struct analysis_stage stage; /* only where variant->stage is not RUN_STAGE_NONE */
	struct analysis_cpu *cpus;   /* those with at least one packet in a hundred, most packets first */
	size_t ncpus;
	struct analysis_counter *counters; /* losses and page recycling first, then by name */
	size_t ncounters;
	struct analysis_slab slab;
	struct analysis_event *events; /* in the order of the run */
	size_t nevents;
	uint64_t samples, irqs_off;                /* irqs_off: of these, taken when interrupts came back on */
	struct analysis_row *symbols, *components; /* all of them, largest first */
	struct analysis_row *tags; /* those that have samples; a symbol may have several, so tags are never added up */
	size_t nsymbols, ncomponents, ntags;
	/*
	 * Source lines of the program under test, largest first; name is "NUMBER FILE\tTEXT", dso the function. 0: the
	 * program is not the user's own, or has none. They are parts of their functions' rows
	 */
	struct analysis_row *lines;
	size_t nlines;
	enum analysis_scale scale;
	struct analysis_turns turns;
	struct stacks stacks;                            /* empty unless asked for */
	struct placement_share shares[PLACEMENT_PLACES]; /* blocks and base of each place */
	struct quality quality;
	struct analysis_wakeups wakeups;
	/* From slow_factor to placement_ns, doubles alone: not known at first. */
	double slow_factor; /* mean pace of the blocks that were set aside as slow; NaN: none of them has a base */
	/*
	 * The generator's time for a frame at the speed that costs are given at, and the slope of the logarithm of the
	 * cost over that of the reference (speed.h). reference_ns NaN: there is no such reference; slope_half NaN: not
	 * fitted
	 */
	double reference_ns, slope, slope_half;

	double pps, packets;
	double base_ns, half_ns, ci95_ns[2]; /* half_ns NaN with one block */
	double dispersion_pct;               /* standard deviation of the used blocks' bases; NaN with one block */
	double base_by_rate_ns, base_by_busy_ns, busy_pct, excluded_ns;
	struct analysis_sending sending;
	double overhead_pct, overhead_half_pct;
	double packets_per_poll;
	double refused_pct;                    /* of the frames handed to the generator's device; NaN: not counted */
	double polls, poll_pct[RUN_POLL_HIST]; /* all polls, empty ones too; by packets found */
	double sampled_busy_pct, sampled_busy_half_pct; /* half: from the scatter of blocks */
	/* waits to run that the kernel's clock counts as busy time; per packet, not in the base; NaN: not known */
	double waits_ns;
	double freq_khz, freq_spread_pct, steal_pct;
	/* how much perf stat slowed its windows; NaN: there were none */
	double counting_pct, counting_half_pct;
	struct stats_trend trend;         /* of the windows within their blocks, in percent of base per second */
	double drift_pct, drift_half_pct; /* the trend times the mean length of a block */

	double design_effect, n_eff, detection_limit_ns;
	double weight_effect; /* the part of design_effect that unlike weights of the samples make */
	double sum_ns;        /* of all symbols */
	double unattributed_ns, unattributed_half_ns;
	double tracers_ns, tracers_half_ns; /* what tracing programs of others cost; NaN: not known */
	/* What is judged: base less sum_ns; intervals of which all of the run hold together in 99 %. NaN: not known */
	double off_ns, off_half_ns;
	double placement_ns; /* mean over used blocks */
};

struct analysis {
	const struct run *run;
	struct analysis_options options;
	struct placement placement;
	struct speed speed;
	struct analysis_variant *variants;
	size_t nvariants;
	struct quality quality; /* of the run as a whole */
};

int analysis_build(struct analysis *a, const struct run *r, const char *dir, const struct components *f,
		   const struct analysis_options *o, struct diag *d);
void analysis_release(struct analysis *a); /* may be called twice */

/* Before they are filled: every number that can be unknown becomes NaN, and stays so if nobody sets it. */
void analysis_variant_init(struct analysis_variant *v, const struct analysis *of, const struct run_variant *variant);
void analysis_block_init(struct analysis_block *b, const struct run_block *block);

/* Does waking up cost it so much that more load would change it? False where it is not known, or nobody can load it. */
bool analysis_sleeps(const struct analysis_variant *v);

/* Cut off at 0: a cost cannot be negative. */
void analysis_ci95(double mean, double half, double ci95[2]);

double analysis_sum_rows(const struct analysis_row *rows, size_t n); /* the sum of the rows' self_ns */

/*
 * What a call path's cost is multiplied by where paths have to add up to the base: 1, or less where samples say more
 * than the clock does. No frame can be negative and take that back, so all paths give way alike.
 */
double analysis_path_share(double base_ns, double unattributed_ns);

/* The interval of a part that costs ns of v's base: the errors of sampling and of the base, in quadrature. */
void analysis_interval(const struct analysis_variant *v, double ns, double ci95_ns[2]);

/* NULL: there is none, and d lists the run's variants. */
const struct analysis_variant *analysis_find(const struct analysis *a, const char *id, struct diag *d);

/* "watch_poll (napi_poll, by xdpzoom), ...": tracing programs of others, of which samples are there, else all. */
void analysis_describe_tracers(const struct analysis_variant *v, char *words, size_t size);

struct made analysis_made(const struct analysis_variant *v);

/*
 * analysis_parts - what the files behind analysis.h share; no other file includes this header
 *
 * law: struct shares owns its profiles and the name and dso of each share. The weight of a share is in the unit of
 *      its block; the block's cost_weight is the sum of the weights of its shares
 */

struct share {
	char *name, *dso;
	unsigned int component;
	size_t block; /* index into analysis_variant.blocks */
	uint64_t samples, irqs_off;
	uint32_t tags;
	double weight, children_weight; /* children_weight NaN: not known */
};

struct block_profile {
	struct profile profile;
	size_t block;
};

struct shares {
	struct share *list;
	size_t n;
	bool keep_profiles;
	struct block_profile *profiles;
	size_t nprofiles;
	struct shares *lines; /* of source lines: name is the line as profile.h has it, dso its function. NULL: none */
	struct shares *task;  /* of the second stage's task; NULL: it has none */
};

void shares_release(struct shares *s);
void shares_free(struct shares *s);                              /* NULL is fine */
bool shares_alike(const struct share *a, const struct share *b); /* of one symbol or line */
/* Keeps the shares of used blocks, with their place in used[] as the block's number, those that are alike together. */
void shares_sort_used(struct shares *s, const struct analysis_variant *v);

struct block_source {
	const struct run *run;
	const char *dir;
	const struct components *components;
	const struct run_turns *turns; /* NULL: their speed is not known */
	const struct speed *speed;
	const struct run_turn *stalls[ANALYSIS_TURN_STALLS]; /* of the variant that is measured */
	struct script_samples samples;                       /* of the block that is measured */
};

/*
 * Reads the samples of b->block, one of the run's, fills in b, and appends its shares to out as shares of block number
 * `number`.
 */
int block_measure(struct analysis_block *b, struct block_source *source, size_t number, struct shares *out,
		  struct diag *d);

/* Then the same of the second stage's task: its busy time, and the samples of b->block->consumer_tid. */
int block_measure_task(struct analysis_block *b, struct block_source *source, size_t number, struct shares *out,
		       struct diag *d);

/*
 * analysis_task.c: v->stage.task and s->task, if a block of the variant has a task; room for n blocks. Then its part of
 * the block that v has measured last, and once v->used is known, all that follows.
 */
int variant_begin_task(struct analysis_variant *v, size_t n, const struct run *r, struct shares *s);
int variant_add_task(struct analysis_variant *v, struct shares *s, const struct components *f);
void variant_release(struct analysis_variant *v);

/* No turns where the run has none; -EINVAL also for turns that no recorder made. */
int analysis_read_turns(struct run_turns *turns, const struct run *r, const char *dir, struct diag *d);
/* The longest stalls of the variant, and their turns; then what ran in those of a block, from its samples. */
void variant_find_stalls(struct analysis_variant *v, struct block_source *source);
void variant_look_up_stalls(struct analysis_variant *v, const struct block_source *source, const struct run_block *b);
size_t variant_windows(const struct analysis_variant *v); /* of all its blocks */
/* The rest of v->turns, of turns or, where there are none, of windows; 0 or -ENOMEM. */
int variant_add_turns(struct analysis_variant *v, const struct run_turns *turns);

/* R = sum x / sum y. values[i]: of each block in R (analysis_build()); NULL: not wanted. */
double ratio_of_sums(const double *x, const double *y, size_t n, double *values);

/* What follows once all blocks are measured, in this order; each needs what stands above it. 0 or -ENOMEM. */
int analysis_finish(struct analysis *a, struct shares *shares, const struct components *f);
int slow_blocks_judge(struct analysis *a); /* sets blocks aside in which the machine was slower, in all variants */
int variant_list_used(struct analysis_variant *v);   /* v->used, from the fates of its blocks */
int variant_add_base(struct analysis_variant *v);    /* base, rates, busy time and overheads */
int variant_add_cpus(struct analysis_variant *v);    /* v->cpus */
int variant_add_windows(struct analysis_variant *v); /* polls, steal, clock and trend */
/* v->symbols, v->components and the numbers that follow from them, from the shares of the used blocks. */
int variant_add_rows(struct analysis_variant *v, struct shares *s, const struct components *f);
int variant_add_counters(struct analysis_variant *v); /* v->counters and v->slab */
int variant_add_events(struct analysis_variant *v);   /* v->events */
/* v->stacks, from the profiles that were kept. */
int variant_add_stacks(struct analysis_variant *v, const struct shares *s, const struct components *f);
int variant_add_stage(struct analysis_variant *v);                           /* v->stage */
void variant_add_sending(struct analysis_variant *v);                        /* v->sending */
void variant_add_tracers(struct analysis_variant *v);                        /* v->tracers_ns */
int variant_add_gates(struct analysis_variant *v, const struct analysis *a); /* v->quality */

/* Without component and interval. */
int row_of_shares(const struct analysis_variant *v, struct analysis_row *row, const struct share *from,
		  const struct share *to);
void rows_finish(const struct analysis_variant *v, struct analysis_row *rows, size_t n); /* intervals; largest first */

/* analysis_lines.c: appends what a profile says of lines to out->lines; v->lines, from those shares (NULL: none). */
int block_add_lines(struct shares *out, const struct profile *p, size_t number);
int variant_add_lines(struct analysis_variant *v, struct shares *s);

/* Sums over the windows of one kind, of the receiver or of the second stage's task; NaN: one of them lacks it. */
struct block_span {
	double packets, ns, busy_ns, softirq_ns, injected_ns;
	double freq_khz; /* of the last window that has it; NaN: none has */
};
struct block_span block_span_of(const struct run_block *b, enum run_window_kind kind, bool of_task);

/*
 * checks - can this machine measure, now? One row per check: a measured value against its limit
 *
 * units: the unit of each check, in check_row.unit
 * law:   CHECK_HELD: the whole interval value ± spread is within the limit (at most, or at least).
 *        CHECK_MISSED: the whole interval is beyond the limit.
 *        CHECK_OPEN: all other cases, also when the value is not known (NaN); the measurement is inconclusive
 */

enum check {
	CHECK_AA_MISSES,
	CHECK_AA_WIDE,
	CHECK_INJECTED,
	CHECK_INJECTED_COMPONENT,
	CHECK_CLOSURE,
	CHECK_SAMPLED_BUSY,
	CHECK_INJECTED_PROFILE,
	CHECK_OVERHEAD,
	CHECKS
};

enum check_verdict { CHECK_HELD, CHECK_OPEN, CHECK_MISSED };

struct check_row {
	const char *check, *unit;
	char of[128]; /* what was measured */
	double value, spread,
		limit; /* spread: half of the 95 % interval; NaN: the value is a count, without interval */
	bool at_least;
	enum check_verdict verdict;
	char note[240];
};

struct checks {
	struct check_row *rows;
	size_t nrows;
};

/* A row that is there takes the new value in, weighted by the intervals. limit: NaN: that of the rule. 0 or -ENOMEM. */
int checks_add(struct checks *c, enum check check, const char *of, double value, double spread, double limit,
	       const char *note, ...) __attribute__((format(printf, 7, 8)));
size_t checks_count(const struct checks *c, enum check_verdict verdict);
void checks_release(struct checks *c); /* may be called twice */

double checks_injected_limit_ns(enum check check, double injected_ns);

/* In words: what a layer that sends asks of the kernel besides time. */
void sending_words(const struct analysis_sending *s, char *text, size_t size);

#endif
