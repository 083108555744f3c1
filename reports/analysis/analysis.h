/*
 * analysis - a run -> what each of its variants costs, by facility and by symbol, with intervals
 *
 * in:    struct run, its directory (for the blocks' perf texts) and facilities. The analysis keeps pointers to all of
 *        them, so they must outlive it
 * out:   struct analysis, one analysis_variant per variant of the run, owned by the caller. Variants point to their
 *        struct analysis, so it must not be moved. Renderers only print the analysis
 * units: ns per packet unless the name says otherwise; NaN: not known
 * law:   per variant, sum of symbols' self_ns + unattributed_ns == base_ns, to rounding. The same holds for the sum of
 *        facilities' self_ns. unattributed_ns is measured: the costs of symbols come from the samples of the profiled
 *        windows, the base comes from a clock in the unprofiled ones
 * error: -errno of the perf texts, -ENOMEM; out left empty. A bad measurement is no error: quality.h reports it
 * src:   ns = base·share: "Eval Generic netstack XDP patch", 2017; statistics: stats.h
 *
 * Per block, with N packets, span dt and B busy ns of its unprofiled windows; M packets of its profiled windows, and w
 * the ns that their samples stand for:
 *
 *     s                 = w_taken_out / (w_cost + w_taken_out)   share of other work, found by its stacks
 *     base by busy time = B·(1-s) / N                            the base, where B is known
 *     base by rate      = cpus·dt·(1-s) / N                      right only if the CPUs never idled
 *     c_i               = w_i / M                                per (symbol, facility)
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
#ifndef REPORTS_ANALYSIS_H
#define REPORTS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "perfparse/facilities.h"
#include "reports/analysis/placement.h"
#include "reports/analysis/quality.h"
#include "reports/run/made.h"
#include "reports/run/run.h"
#include "reports/analysis/speed.h"
#include "reports/analysis/stacks.h"
#include "base/stats.h"

/* With this many blocks or more, the scatter between blocks is a better estimate than a formula. */
#define ANALYSIS_BLOCKS 6
/* A residual below this comes from rounding and differs between machines. */
#define ANALYSIS_ROUNDING_NS 1e-9
#define ANALYSIS_OFF_ALPHA   0.01 /* a run that closes may have a variant that is off in this part of all runs */

/* The samples of each block of a run that grows, which is analysed again and again. Zeros at first. */
struct analysis_scripts {
	struct script_samples *of;
	size_t n, cap;
};

struct analysis_options {
	enum placement_choice placement;
	double placement_like_ns; /* > 0: a time of another run; use the stratum that this time belongs to */
	struct quality_limits limits;
	bool stacks;                      /* keep call paths */
	bool scaled;                      /* multiply all rows by base / sum, so that nothing stays unattributed */
	struct analysis_scripts *scripts; /* borrowed, and added to. NULL: nothing is kept */
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

/* Whether a block is used, and if not, why. */
enum analysis_fate { FATE_USED, FATE_ELSEWHERE, FATE_NO_PACKETS, FATE_NO_SAMPLES, FATE_SLOW };

struct analysis_block {
	const struct run_block *block;
	enum analysis_fate fate;
	size_t used_index;            /* in used[], when the block is used */
	double packets, span_ns, pps; /* of the unprofiled windows */
	double busy_ns, busy_pct;
	double base_ns, base_by_busy_ns, base_by_rate_ns, taken_out_ns;
	double profiled_ns; /* the base, measured in the profiled windows */
	/* The same over the base, without what the ruler takes out (speed.h): what sampling takes. NaN: no samples */
	double slower_profiled;
	double profiled_packets;
	double plant_ns;      /* what the clock around a planted cost read in the packets of `packets`; NaN: no clock */
	double ns_per_weight; /* of the samples */
	enum analysis_scale scale;
	double sum_ns;      /* what the samples that count as cost stand for, per packet; NaN: there are none */
	bool shares_only;   /* an imported text: nobody knows how long its samples were taken, they are shares alone */
	double absent_part; /* of the base, that a symbol without a row has at most: an imported list was cut short */
	double pace;        /* base_ns over that of the variant's blocks at full speed; NaN: not judged */
	double probe_ns;    /* median of the quiet probes of the RX CPU (run.h); NaN: there are none */
	double speed;  /* by all probes of the block, over that at the reference speed; above 1: slower; NaN: unknown */
	double all_ns; /* base_ns as it was, with all speeds and stalls */
	double counted_ns; /* the base, measured in the windows of perf stat; NaN: there were none */
	/* weight of the samples of run.rx_cpus[i]; 0 where kthreads are sampled */
	double cpu_weight[RUN_MAX_RX_CPUS];
	double cpu_busy_ns[RUN_MAX_RX_CPUS]; /* the part of busy_ns on run.rx_cpus[i]; NaN: not known */
	double sampled_busy_pct;             /* weight of the samples in percent of the profiled windows' busy time */
	uint64_t samples;                    /* those that count as cost */
	double cost_weight, taken_out_weight, idle_weight;
	/*
	 * The mean cost in each group of turns of the round (turn_order.h), of variants that take turns: from the
	 * unprofiled turns, at the median speed; NaN: not all of the variant's turns in the group are, or one stalled
	 */
	double *group_ns, *group_plant_ns; /* of the latter, what the clock around a planted cost read */
	size_t ngroups;
	double z; /* modified z-score of base_ns among the variant's used blocks */
	bool outlier;
};

struct analysis_cpu {
	int cpu;
	double packets, pps;      /* of the unprofiled windows of used blocks */
	double busy_pct, base_ns; /* base_ns: per packet that this CPU received; NaN: not known */
};

/*
 * What a rung that sends asks of the kernel besides time, per frame that the kernel took: sums over its used blocks.
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

/* A symbol in one facility, or a facility. */
struct analysis_row {
	char *name;
	const char *dso; /* "" for facilities and tags */
	const char *facility;
	uint64_t samples, irqs_off; /* irqs_off: taken when interrupts came back on (facilities.h) */
	uint32_t tags;              /* of a symbol: a bit for each tag of facilities.h */
	double self_pct, self_ns, ci95_ns[2];
	double half_ns;      /* distance from self_ns to the farther end of ci95_ns */
	double children_ns;  /* NaN for facilities and tags */
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
 * One event of perf stat per packet. It counts all work on the RX CPUs, so it includes the work that taken_out_ns
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

/*
 * Cost of slab memory, found by symbol names. The allocator's fast path works on objects at hand, the slow path on
 * whole slabs.
 */
struct analysis_slab {
	double fast_ns, slow_ns; /* sums of self_ns */
	double slow_pct;         /* of fast_ns + slow_ns */
	uint64_t samples;        /* 0: no symbol of either path was seen */
	/* the symbol of the slow path that costs most, borrowed from the analysis; NULL: none was seen */
	const char *slowest;
};

/* A function whose calls were counted and timed one by one, beside its cost by samples. */
struct analysis_calls {
	const char *function;
	double per_packet;
	/* Both include the functions that it calls. The probe's own cost is subtracted, so both may be < 0. */
	double ns_per_call, ns; /* ns: per packet */
	double sampled_ns;      /* children_ns of the symbol of that name; NaN: not seen */
	double timed_pct;       /* of the calls */
};

struct analysis_variant;

/*
 * The second stage of a redirect or of a rung. Its cost is reported beside the base and is never part of the base.
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
	 * The task as a variant of its own: base_ns, symbols, facilities and closure, per frame that it took up, from
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
	/* how many there are in each of the bins of equal width from ns[0] to ns[4]; the others are beyond */
	size_t bins[ANALYSIS_TURN_BINS];
	/*
	 * The costs fall into two groups that are SPEED_APART of their own standard deviations apart (speed.h), each
	 * with a twentieth of them: the median of both groups, and the part of the dearer one. NaN: they do not
	 */
	double mode_ns[2], dearer_pct;
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
	/* The same of what the clock around a planted cost read (run.h); NULL: there was no clock. */
	double *block_plant_ns;
	double *block_sum_ns; /* the same for sum_ns; NULL: not known */
	double slow_factor;   /* mean pace of the blocks that were set aside as slow; NaN: none of them has a base */
	bool takes_turns;     /* with the other variants of its round, so all of them saw the same speeds */
	/*
	 * The generator's time for a frame at the speed that costs are given at, and the slope of the logarithm of
	 * the cost over that of the ruler (speed.h). ruler_ns NaN: there is no such ruler; slope_half NaN: not fitted
	 */
	double ruler_ns, slope, slope_half;

	double pps, packets;
	double base_ns, half_ns, ci95_ns[2]; /* half_ns NaN with one block */
	double scatter_pct;                  /* standard deviation of the used blocks' bases; NaN with one block */
	double base_by_rate_ns, base_by_busy_ns, busy_pct;
	bool busy_estimated; /* from samples, not from the kernel's clock */
	double taken_out_ns;
	struct analysis_stage stage; /* only where variant->stage is not RUN_STAGE_NONE */
	struct analysis_sending sending;
	double overhead_pct, overhead_half_pct;
	double packets_per_poll;
	struct analysis_wakeups wakeups;
	double refused_pct;                    /* of the frames handed to the generator's device; NaN: not counted */
	double polls, poll_pct[RUN_POLL_HIST]; /* all polls, empty ones too; by packets found */
	double sampled_busy_pct, sampled_busy_half_pct; /* half: from the scatter of blocks */
	/* waits to run that the kernel's clock counts as busy time; per packet, not in the base; NaN: not known */
	double waits_ns;
	double freq_khz, freq_spread_pct, steal_pct;
	struct analysis_cpu *cpus; /* those with at least one packet in a hundred, most packets first */
	size_t ncpus;
	struct analysis_counter *counters; /* losses and page recycling first, then by name */
	size_t ncounters;
	struct analysis_slab slab;
	struct analysis_event *events; /* in the order of the run */
	size_t nevents;
	/* how much perf stat slowed its windows; NaN: there were none */
	double counting_pct, counting_half_pct;
	struct stats_trend trend;         /* of the windows within their blocks, in percent of base per second */
	double drift_pct, drift_half_pct; /* the trend times the mean length of a block */

	uint64_t samples, irqs_off; /* irqs_off: of these, taken when interrupts came back on */
	double design_effect, n_eff, unseen_max_ns;
	double weight_effect; /* the part of design_effect that unlike weights of the samples make */
	struct analysis_row *symbols, *facilities; /* all of them, largest first */
	struct analysis_row *tags; /* those that have samples; a symbol may have several, so tags are never added up */
	size_t nsymbols, nfacilities, ntags;
	/*
	 * Source lines of the program under test, largest first; name is "NUMBER FILE\tTEXT", dso the function. 0: the
	 * program is not the user's own, or has none. They are parts of their functions' rows
	 */
	struct analysis_row *lines;
	size_t nlines;
	double sum_ns; /* of all symbols, before `scaled` */
	double factor; /* all rows were multiplied by it; 1 without `scaled` */
	enum analysis_scale scale;
	struct analysis_turns turns;
	double unattributed_ns, unattributed_half_ns;
	/*
	 * The base of every second block less the sum of the symbols in the other ones, and the other way round: two
	 * measurements without a block in common. NaN with less than two blocks each. closure_ns: the larger one
	 */
	double split_ns[2], split_half_ns[2];
	double closure_ns;
	double tracers_ns, tracers_half_ns; /* what tracing programs of others cost; NaN: not known */
	/*
	 * What is judged: of base less sum_ns and of both halves, the one that is farthest from 0, with intervals of
	 * which all of the run hold together in 99 % (stats_farthest()). NaN: no samples, or one block
	 */
	double off_ns, off_half_ns;
	struct analysis_calls *calls; /* in the order in which they were recorded */
	size_t ncalls;
	struct stacks stacks; /* empty unless asked for */

	double placement_ns;                             /* mean over used blocks */
	struct placement_share shares[PLACEMENT_PLACES]; /* blocks and base of each place */
	struct quality quality;
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

/* o: options that are all zero are automatic placement, and the limits of quality_rules[]. */
int analysis_build(struct analysis *a, const struct run *r, const char *dir, const struct facilities *f,
		   const struct analysis_options *o, struct diag *d);
void analysis_release(struct analysis *a);                 /* may be called twice */
void analysis_scripts_release(struct analysis_scripts *s); /* may be called twice */

/*
 * Call these before you fill a variant or a block. Every number that can be unknown becomes NaN; counts become 0 and
 * lists empty. A number that is not filled in later thus stays "not known".
 */
void analysis_variant_init(struct analysis_variant *v, const struct analysis *of, const struct run_variant *variant);
void analysis_block_init(struct analysis_block *b, const struct run_block *block);

/* Does waking up cost it so much that more load would change it? False where it is not known, or nobody can load it. */
bool analysis_sleeps(const struct analysis_variant *v);

/* ci95 = mean -+ half, cut off at 0 because a cost cannot be negative. Both ends are NaN where mean or half is. */
void analysis_ci95(double mean, double half, double ci95[2]);

/* The sum of the rows' self_ns. */
double analysis_sum_rows(const struct analysis_row *rows, size_t n);

/* The interval of a part that costs ns of v's base: the errors of sampling and of the base, in quadrature. */
void analysis_interval(const struct analysis_variant *v, double ns, double ci95_ns[2]);

/* The variant with this id. NULL: there is none, and d lists the run's variants. */
const struct analysis_variant *analysis_find(const struct analysis *a, const char *id, struct diag *d);

/* "watch_poll (napi_poll, by xdpzoom), ...": tracing programs of others, of which samples are there, else all. */
void analysis_describe_tracers(const struct analysis_variant *v, char *words, size_t size);

/* What the variant was measured with; borrowed from its run. */
struct made analysis_made(const struct analysis_variant *v);

#endif
