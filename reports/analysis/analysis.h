/*
 * analysis - a run -> what each of its variants costs, by facility and by symbol, with intervals
 *
 * in:    struct run and its directory (for the blocks' perf texts), facilities; all borrowed and kept
 *        by reference: they must outlive the analysis, and a struct analysis stays where it was built
 * out:   struct analysis, one analysis_variant per variant of the run, owned by the caller;
 *        renderers only print it
 * units: ns per packet unless the name says otherwise; NaN: not known
 * law:   per variant, sum of symbols' self_ns + unattributed_ns == base_ns, to rounding (closure_ns is
 *        the rest); sum of facilities' self_ns likewise
 * error: -errno of the perf texts, -ENOMEM; out left empty. A bad measurement is no error: quality.h
 * src:   ns = base·share: "Eval Generic netstack XDP patch", 2017; statistics: stats.h
 *
 * Per block, with N packets, span dt and B busy ns of its unprofiled windows, and weights w of the
 * samples in its profiled ones:
 *
 *     s                 = w_taken_out / (w_cost + w_taken_out)   not the variant's, by stack
 *     base by busy time = B·(1-s) / N                            the one that is used
 *     base by rate      = cpus·dt·(1-s) / N                      right only where CPUs never idled
 *     c_i               = base · w_i / w_cost                    per (symbol, facility)
 *
 * Where no kernel clock gives B (NAPI in softirq), the part of the profiled windows in which samples
 * were not idle stands for B/(cpus·dt): the weight of cpu-clock samples is ns, that of cycles is
 * turned into ns by the CPU's frequency.
 *
 * Per variant, over the blocks used: means; base -+ t(n-1)·sd/sqrt(n). The interval of a row is its
 * sampling error (Wilson's interval of its share at n_eff = samples / design effect) and the interval
 * of base in quadrature; from ANALYSIS_BLOCKS blocks on it is never narrower than t over blocks.
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
#include "reports/run/run.h"
#include "reports/analysis/stacks.h"
#include "base/stats.h"

/* From here on blocks say more about scatter than a formula does. */
#define ANALYSIS_BLOCKS 6
/* A residual below this is the arithmetic's, and differs between machines. */
#define ANALYSIS_ROUNDING_NS 1e-9

struct analysis_options {
	enum placement_choice placement;
	double placement_like_ns; /* > 0: take the stratum this belongs to (of another run) */
	struct quality_limits limits;
	bool stacks; /* keep call paths */
};

/* Why a block does not count. */
enum analysis_fate { FATE_USED, FATE_ELSEWHERE, FATE_NO_PACKETS, FATE_NO_SAMPLES };

struct analysis_block {
	const struct run_block *block;
	enum analysis_fate fate;
	size_t place;                 /* in used[], when it is used */
	double packets, span_ns, pps; /* of the unprofiled windows */
	double busy_ns, busy_pct;
	double base_ns, base_by_busy_ns, base_by_rate_ns, taken_out_ns;
	double profiled_ns; /* base as the profiled windows saw it */
	double counted_ns;  /* likewise the windows of perf stat; NaN: there were none */
	/* of the samples of run.rx_cpus[i]; 0 where kthreads are sampled */
	double cpu_weight[RUN_MAX_RX_CPUS];
	double cpu_busy_ns[RUN_MAX_RX_CPUS]; /* of busy_ns, what run.rx_cpus[i] did; NaN: not known */
	double sampled_busy_pct;             /* weight of the samples as percent of the profiled windows' busy
						time */
	uint64_t samples;                    /* of cost */
	double cost_weight, taken_out_weight, idle_weight;
	double z; /* modified z of base_ns among the variant's used blocks */
	bool outlier;
};

struct analysis_cpu {
	int cpu;
	double packets, pps;      /* of the unprofiled windows of used blocks */
	double busy_pct, base_ns; /* of its own packets; NaN: not known */
};

/* A symbol in one facility, or a facility. */
struct analysis_row {
	char *name;
	const char *dso; /* "" for facilities */
	const char *facility;
	uint64_t samples;
	double self_pct, self_ns, ci95_ns[2];
	double half_ns;     /* the farther of ci95_ns from self_ns */
	double children_ns; /* NaN for facilities */
	double error_ns;    /* standard error by sampling and base alone; infinite for an unseen one */
	double *block_ns;   /* self_ns in each used block, in the order of used[] */
};

/* What the device counted in the unprofiled windows of used blocks. */
struct analysis_counter {
	enum counter_source source;
	const char *name, *meaning;    /* of the run; "" */
	double per_second, per_packet; /* NaN: it changed, but nobody knows by how much */
};

/* One event of perf stat per packet, on the RX CPUs as a whole: what is taken out of the cost is not taken out of it.
 */
struct analysis_event {
	const char *name, *unit; /* of the run; "ns" for clocks, else "" */
	double per_packet, half; /* mean over blocks; NaN: not counted */
	double per_cycle;        /* instructions: of the cycles of the same modifiers; else NaN */
	/* the least share of its time in which it was counted; below 100 it shared a counter */
	double running_pct;
	double *block_values; /* of used[]; NaN where it was not counted */
};

/* Slab memory, told from symbols: the allocator's fast path works on objects at hand, the slow path on whole slabs. */
struct analysis_slab {
	double fast_ns, slow_ns; /* self */
	double slow_pct;         /* of both */
	uint64_t samples;        /* 0: no symbol of either was seen */
	/* symbol of the slow path that costs most, of the analysis; NULL: none was seen */
	const char *slowest;
};

/* A function that was counted and timed call by call, beside what samples say of it. */
struct analysis_calls {
	const char *function;
	double per_packet;
	/* with all that it calls, without what the probe added (so it may be < 0); ns per packet */
	double ns_per_call, ns;
	double sampled_ns; /* children_ns of the symbol of that name; NaN: not seen */
	double timed_pct;  /* of the calls */
};

/*
 * The second stage of a redirect, beside the base and never in it: on-CPU time of the task that does its work over the
 * frames that the task took up; of a target whose polls run in softirqs inside the receiver's thread, what was taken
 * out as theirs. ns is NaN where neither is known: then its work is in the base as far as it ran on the RX CPU.
 */
struct analysis_stage {
	bool by_task;
	double ns, half_ns, ci95_ns[2];     /* per frame */
	double redirected, frames, dropped; /* of used blocks, whole; NaN: nobody counted */
	double dropped_pct, missing;        /* missing: the worst block's frames that no counter knows of */
};

struct analysis_variant {
	const struct analysis *of;
	const struct run_variant *variant;
	struct analysis_block *blocks;
	size_t nblocks;
	struct analysis_block **used; /* those of blocks[] that count */
	size_t nused;
	bool strata_mixed;     /* the reference stratum left too few blocks, so all are used */
	double *block_base_ns; /* of used[] */

	double pps, packets;
	double base_ns, half_ns, ci95_ns[2]; /* half_ns NaN with one block */
	double base_by_rate_ns, base_by_busy_ns, busy_pct;
	bool busy_estimated; /* from samples, not from the kernel's clock */
	double taken_out_ns;
	struct analysis_stage stage; /* where variant->stage is one */
	double overhead_pct, overhead_half_pct;
	double packets_per_poll;
	double refused_pct; /* of the frames that the generator's device was given; NaN: nobody counted */
	double polls, poll_pct[RUN_POLL_HIST];          /* all polls, empty ones too; by packets found */
	double sampled_busy_pct, sampled_busy_half_pct; /* half: by the scatter of blocks */
	/* per packet, not in the base: charged by the kernel for waiting to run; NaN: not known */
	double waits_ns;
	double freq_khz, freq_spread_pct, steal_pct;
	struct analysis_cpu *cpus; /* that saw at least one packet in a hundred, most first */
	size_t ncpus;
	struct analysis_counter *counters; /* losses and page recycling first, then by name */
	size_t ncounters;
	struct analysis_slab slab;
	struct analysis_event *events; /* in the order of the run */
	size_t nevents;
	/* how much perf stat slowed its windows; NaN: there were none */
	double counting_pct, counting_half_pct;
	struct stats_trend trend; /* of windows in their blocks, percent of base per second */
	double drift_pct;         /* trend over the mean length of a block */

	uint64_t samples;
	double design_effect, n_eff, unseen_max_ns;
	struct analysis_row *symbols, *facilities; /* largest first; all of them */
	size_t nsymbols, nfacilities;
	double unattributed_ns, closure_ns;
	struct analysis_calls *calls; /* in the order they were asked for */
	size_t ncalls;
	struct stacks stacks; /* empty unless asked for */

	double placement_ns;                             /* mean over used blocks */
	struct placement_share shares[PLACEMENT_PLACES]; /* blocks and base, place by place */
	struct quality quality;
};

struct analysis {
	const struct run *run;
	struct analysis_options options;
	struct placement placement;
	struct analysis_variant *variants;
	size_t nvariants;
	struct quality quality; /* of the run as a whole */
};

/* All zero: automatic placement, the table's limits. */
void analysis_options_init(struct analysis_options *o);

int analysis_build(struct analysis *a, const struct run *r, const char *dir, struct facilities *f,
		   const struct analysis_options *o, struct diag *d);
void analysis_release(struct analysis *a); /* may be called twice */

/*
 * Where whoever fills a variant or a block begins: every number that can be unknown is NaN, counts and lists are empty.
 * What is not filled in afterwards is then not known.
 */
void analysis_variant_init(struct analysis_variant *v, const struct analysis *of, const struct run_variant *variant);
void analysis_block_init(struct analysis_block *b, const struct run_block *block);

/* mean -+ half of something that cannot be negative; NaN on both sides where one of them is. */
void analysis_ci95(double mean, double half, double ci95[2]);

/* What rows cost together. */
double analysis_sum_rows(const struct analysis_row *rows, size_t n);

/* The interval of something that costs ns of a variant's base: sampling and base in quadrature. */
void analysis_interval(const struct analysis_variant *v, double ns, double ci95_ns[2]);

/* NULL with a sentence that lists what the run has. */
const struct analysis_variant *analysis_find(const struct analysis *a, const char *id, struct diag *d);

#endif
