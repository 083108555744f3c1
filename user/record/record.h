/*
 * record - measures interleaved blocks of variants on one device and writes a run directory
 *
 * in:    an open session (session.h), the variants, and how to measure them
 * out:   a run directory (run.h). An interrupted recording with at least one complete block is kept; the run states
 *        that it is partial. After the rounds asked for, a variant gets more blocks if it has too few at the most
 *        frequent placement (placement.h), until time or twice the rounds are used up
 * units: in the names
 * law:   when record_run() returns, everything that it attached, started or made is gone. After recorder_release()
 *        this process has its former CPUs and priority. When this process is killed, the programs, the generator and
 *        perf end with it; DIR.tmp-PID stays, and a lab that it made until the next run
 * error: -EINTR stopped by a signal, -ENODEV the device vanished, -ENXIO an RX CPU went offline, -ECHILD generator or
 *        perf died; one sentence
 */
#ifndef USER_RECORD_H
#define USER_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include "perfparse/facilities.h"
#include "reports/analysis/analysis.h"
#include "reports/run/run.h"
#include "reports/run/turns.h"
#include "user/machine/machine.h"
#include "user/observe/tracers.h"
#include "user/record/perf.h"
#include "user/record/progress.h"
#include "user/session/session.h"

#define RECORD_MAX_VARIANTS 64
#define RECORD_MAX_ROUNDS   100000

struct view;

struct record_options {
	const char *out_dir;
	bool force, quiet;
	enum run_view view; /* work and crossing need the lab, turns another device */
	int rounds;         /* blocks per variant; where they take turns, a multiple of the number of variants */
	int windows;        /* per block, even; half of them profiled */
	double window_s, warmup_s;
	double overhead_pct;  /* budget for sampling */
	double max_time_s;    /* no block begins after this time; 0: no limit */
	double precision_pct; /* add rounds until intervals are this narrow (precision.h); 0: no */
	bool shuffle;         /* false: ABBA */
	uint64_t seed;
	int rx_cpu; /* < 0: found from the counters */
	int keeper_cpu;
	int stage_cpu; /* of second stages that name no CPU */
	struct session_options session;
	bool no_profile;                /* base windows only, for comparisons that need no shares */
	const char *const *stat_events; /* perf_stat.h; no events: the default ones that this PMU counts */
	size_t nstat_events;
};

/* Of the bases of a variant's blocks, in ns per packet. */
struct block_mean {
	double n, mean, squares;
};

struct recorder {
	const struct record_options *o;
	const struct view *view; /* record_view.h */
	void *of_view;           /* what the view keeps from its prepare() on */
	struct run run;
	struct run_dir dir;
	struct session session;
	struct perf_tool tool;
	struct oncpu oncpu;
	struct perf perf;
	struct tracers tracers;
	struct run_turns turns;          /* where variants take turns */
	struct analysis_scripts scripts; /* of the run so far, with a precision asked for */
	struct progress progress;
	struct block_mean means[RECORD_MAX_VARIANTS];
	size_t nnapis;                 /* the first so many of run.napi_tids are kthreads of this lab or device */
	uint64_t random;               /* state of the shuffle of variants */
	double target_hz;              /* the rates of rounds are around this one (sampling.h) */
	size_t saved_blocks;           /* in run.json when it was saved last */
	int rate_look;                 /* the round before which the rate is looked at again */
	uint64_t begin_ns;             /* of the first round */
	uint64_t end_ns;               /* no block begins after this time */
	uint64_t save_at_ns;           /* what is measured so far is saved again after this time */
	uint64_t rotation_at_ns;       /* where variants take turns: when this rotation of the devices began */
	double longer;                 /* how many times as long as asked its windows are */
	bool time_up;                  /* end_ns has passed */
	bool cut;                      /* end_ns passed before the rounds asked for were done */
	bool unreached;                /* frames to an address of the device reach no rung */
	bool turns_refused;            /* by the kernel or the device, so that record_run() failed */
	struct facilities *facilities; /* once the run so far has been looked at; before that NULL */
	char widest[160];              /* the variant or comparison with the widest interval, in words */
	struct priority priority;      /* before this process was pinned and raised */
	struct skb_slabs slabs[RUN_MAX_RX_CPUS]; /* of run.rx_cpus */
	char data_path[4200], stderr_path[4200];
};

/* NULL, or why these variants and options cannot be measured in this view. */
const char *record_cannot(enum run_view view, const struct run *run, const struct record_options *o);
/* r->session must be open and r->run must hold the variants. *kept on return: the run directory is in place. */
int record_run(struct recorder *r, bool *kept, struct diag *d);
void recorder_init(struct recorder *r, const struct record_options *o);
void recorder_release(struct recorder *r); /* may be called twice */

/*
 * record_plan.c
 * plan:   fills order[0..*n) with the variants that the round measures, in their order. *n == 0: there is no such round
 * longer: of left_s, a rotation takes around_s and windows_s, of which rotations are wanted: how many times as long as
 *         asked its windows have to be, so that no time is left over; 1 where all fit. 0: no further one fits
 */
int record_plan(struct recorder *r, int round, size_t *order, size_t *n, struct diag *d);
double record_plan_longer(double left_s, double around_s, double windows_s, double rotations);

/*
 * record_rate.c
 * choose: finds perf, measures what a sample costs, and sets the rate to begin with.
 * adapt:  called before each round. From time to time it looks at the run so far as a report would, and sets the rate
 *         that intervals need, or what the budget allows where that is less (sampling.h).
 * looks_again: will the run be analysed before it ends? With a precision asked for, it is all the time; for the rate
 *         only in the first five minutes, or until the look at round 8.
 * precise: *enough: the intervals are narrow enough by now. The precision reached goes into r->run.
 */
int record_choose_rate(struct recorder *r, struct diag *d);
/* record_sample_cost.c: fills r->run.sample_cost_ns. */
int record_sample_cost(struct recorder *r, struct diag *d);
int record_adapt_rate(struct recorder *r, int round, struct diag *d);
bool record_looks_again(const struct recorder *r);
int record_precise(struct recorder *r, bool *enough, struct diag *d);
void record_note_rate(struct recorder *r);                /* run.sample_hz: the mean over the blocks */
int record_round_hz(const struct recorder *r, int round); /* 0: rounds have no samples */

#endif
