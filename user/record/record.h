/* record.h - the recorder: one loop for blocks, turns in the lab and on a device; perf */
#ifndef USER_RECORD_RECORD_H
#define USER_RECORD_RECORD_H

#include <linux/types.h>
#include "base/base.h"
#include "bpf/layout.h"
#include "perfparse/perfparse.h"
#include "reports/analysis/analysis.h"
#include "reports/run/run.h"
#include "user/bed/bed.h"
#include "user/machine/machine.h"
#include "user/observe/observe.h"
#include "user/programs/programs.h"
#include "user/session/session.h"

/*
 * perf - drives `perf record`, `perf script` and `perf stat` around measured windows
 *
 * units: Hz, ns; perf's clock is CLOCK_MONOTONIC (-k mono)
 * law:   recording starts switched off; perf dies with this process; perf runs with LC_ALL=C
 */

struct perf_options {
	const char *event;
	const char *count; /* events for perf stat, separated by commas; NULL: perf record samples event */
	const int *cpus;
	size_t ncpus;
	int hz;
	int keeper_cpu;          /* the CPU that perf itself runs on; < 0: any */
	const char *data_path;   /* perf.data, or the text of perf stat -j; the caller removes it */
	const char *stderr_path; /* appended to */
	bool source_lines;       /* perf_script() names the source lines of samples in XDP programs */
};

struct perf {
	pid_t pid; /* 0: not running */
	int ctl_fd, ack_fd;
	const char *name; /* "perf record" or "perf stat" */
	const char *stderr_path;
};

void perf_init(struct perf *p);
/* Starts perf, which takes a fifth of a second of CPU time. perf_await() returns when perf answers. */
int perf_launch(struct perf *p, const struct perf_options *o, struct diag *d);
int perf_await(struct perf *p, struct diag *d);
int perf_switch(struct perf *p, bool on, struct diag *d); /* returns when perf has switched */
int perf_stop(struct perf *p, struct diag *d);            /* then perf.data is complete */
void perf_release(struct perf *p);                        /* kills a running perf */

#define PERF_USAGE 129 /* perf's exit status for a command line that it does not accept */

/*
 * Runs perf to its end; out_fd (-1: /dev/null) becomes its stdout. in_fd >= 0: confined, with this file to read.
 * Returns perf's exit status, or -errno.
 */
int perf_run(const struct perf_options *o, const char *const argv[], int in_fd, int out_fd);

/* Writes the samples of o->data_path as text to text_path. */
int perf_script(const struct perf_options *o, const char *text_path, struct diag *d);

/* progress - prints how far a recording is: one line that redraws itself on a terminal, plain lines elsewhere */

struct progress {
	bool terminal, quiet;
	int columns; /* of the terminal */
	int done, total;
	int tenth;                   /* of all blocks: the last one that a log was told of */
	uint64_t start_ns, told_ns;  /* told_ns: when the last line of a block was printed */
	uint64_t block_ns, shown_ns; /* when the last block ended; when the line was drawn last */
	double limit_s;              /* 0: no limit */
	char what[64], result[128];  /* the present step; the last variant and its cost */
};

void progress_begin(struct progress *p, int total, double limit_s, bool quiet);
void progress_now(struct progress *p, const char *what); /* what: the present step, in words */
/* Once a second at most, so that the time left moves; between windows alone. */
void progress_tick(struct progress *p);
/* half: of the interval of the blocks so far; NaN: not known yet */
void progress_block(struct progress *p, const char *variant, double pps, double ns_per_packet, double half);
void progress_end(struct progress *p); /* clears the line; p prints nothing more */

/*
 * record - measures interleaved blocks of variants on one device and writes a run directory
 *
 * units: in the names
 * law:   when record_run() returns, everything that it attached, started or made is gone. After recorder_release()
 *        this process has its former CPUs and priority. When this process is killed, the programs, the generator and
 *        perf end with it; DIR.tmp-PID stays, and a lab that it made until the next run
 */

#define RECORD_MAX_VARIANTS 64

struct view;

struct record_options {
	const char *out_dir;
	bool force, quiet;
	enum run_view view; /* work and crossing need the lab, turns another device */
	int rounds;         /* blocks per variant; where they take turns, a multiple of the number of variants */
	int windows;        /* per block, even; half of them profiled */
	double window_s, warmup_s;
	double overhead_pct; /* budget for sampling */
	double max_time_s;   /* no block begins after this time; 0: no limit */
	bool shuffle;        /* false: ABBA */
	uint64_t seed;
	int rx_cpu; /* < 0: found from the counters */
	int keeper_cpu;
	int stage_cpu; /* of second stages that name no CPU */
	struct session_options session;
	bool no_profile;                /* base windows only, for comparisons that need no shares */
	const char *const *stat_events; /* perf_stat.h; no events: the default ones that this PMU counts */
	size_t nstat_events;
};

/* The bases of a variant's blocks, in ns per packet. */
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
	struct run_turns turns; /* where variants take turns */
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
	bool unreached;                /* frames to an address of the device reach no layer */
	bool turns_refused;            /* by the kernel or the device, so that record_run() failed */
	struct components *components; /* once the run so far has been looked at; before that NULL */
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
 * record_plan.c: the variants of a round, in their order, 0: there is no such round; and, where a rotation takes
 * around_s and windows_s of left_s: how many times as long its windows have to be to use it up, 0: none fits any more
 */
size_t record_plan(struct recorder *r, int round, size_t *order);
double record_plan_longer(double left_s, double around_s, double windows_s, double rotations);

/*
 * record_rate.c
 * adapt:  before each round; looks at the run so far as a report would, and sets the rate that intervals need, or what
 *         the budget allows where that is less (sampling.h)
 * looks_again: will the run be analysed before it ends? For the rate in the first five minutes, or until round 8
 */
int record_choose_rate(struct recorder *r, struct diag *d);
/* record_sample_cost.c: fills r->run.sample_cost_ns. */
int record_sample_cost(struct recorder *r, struct diag *d);
int record_adapt_rate(struct recorder *r, int round, struct diag *d);
bool record_looks_again(const struct recorder *r);
void record_note_rate(struct recorder *r);                /* run.sample_hz: the mean over the blocks */
int record_round_hz(const struct recorder *r, int round); /* 0: rounds have no samples */

/*
 * perf_stat - sorts events into groups that perf stat can count at once, and reads its counts
 *
 * units: as perf names them
 * law:   a group has at most PERF_STAT_GROUP events. An Intel core has that many general counters when its other
 *        hyperthread uses the rest. If events must share a counter all the same, perf reports the share of time that
 *        each was counted, and the window keeps the share
 */

#define PERF_STAT_NAME    96 /* bytes of the longest event name, with the final 0 */
#define PERF_STAT_GROUP   4
#define PERF_STAT_GROUPS  4
#define PERF_STAT_DEFAULT "cycles, instructions, L1-icache-load-misses, LLC-load-misses, cache-misses"

struct perf_stat_plan {
	char groups[PERF_STAT_GROUPS][PERF_STAT_GROUP * PERF_STAT_NAME]; /* event names, separated by commas */
	size_t ngroups;
};

/* Call this first. It returns -EINVAL for names that no machine can count. */
int perf_stat_check(const char *const *asked, size_t n, struct diag *d);
/* asked: the checked names; a single "none" means no events. o: where perf runs and may write. */
int perf_stat_plan(struct perf_stat_plan *p, const char *const *asked, size_t n, bool has_pmu,
		   const struct perf_options *o, struct diag *d);
/* Reads the text of perf stat -j at path into w's events. */
int perf_stat_read(struct run_window *w, const char *path, struct diag *d);

/*
 * record_parts - what the files of the recorder share: a block on the session's device while it is measured, probes
 *
 * units: ns, frames; counts since the program was loaded
 * law:   block_release() undoes everything that block_attach() and block_load() did, and may be called twice
 */

/* What the second stage, or the thread that reads a layer's frames, has done by now. */
struct stage_edge {
	uint64_t busy_ns;
	int64_t frames; /* -1: not known */
	bool has_busy;
};
void stage_edge_read(const struct recorder *r, const struct session *s, struct stage_edge *e);
void window_fill_stage(struct run_window *w, const struct stage_edge *from, const struct stage_edge *to);

/* Steal is read first; then busy time, polls and packets, within half a millisecond if possible. */
struct edge {
	uint64_t at_ns, busy_ns[RUN_MAX_NAPIS];
	int64_t waits_ns; /* sum over all NAPI kthreads */
	int napi_cpu[RUN_MAX_NAPIS];
	double steal_ns;
	struct stage_edge stage;
	struct poll_count polls; /* in a window of the probe */
	bool has_polls;
	struct bench_count *counts;
};

struct block {
	/* the second stage's task, whose time is watched; 0: no task, or a NAPI kthread, which is watched already */
	pid_t consumer_tid;
	struct run_block *rb;
	struct edge from, to;
	int64_t sink_before;          /* block_frames_back() at the block's beginning */
	struct reading quiet, before; /* device counters: at the block's beginning, at the window's beginning */
	size_t ncounted;              /* count windows so far, one for each group of events */
	int64_t tx_before;            /* TX verdicts at the block's beginning; > 0 under an external load */
};

/* record_blocks.c */
void block_init(struct block *b);
int block_attach(struct recorder *r, struct block *b, struct run_variant *v, struct diag *d);
/* Starts the load and returns when packets of this variant, which is attached, arrive. */
int block_load(struct recorder *r, const struct run_variant *v, struct diag *d);
void block_release(struct recorder *r, struct block *b);
int edge_read(struct recorder *r, enum run_window_kind kind, struct edge *e, struct diag *d);
/* Returns the busy time of all NAPI kthreads between two edges, in ns. */
double edges_busy_ns(const struct recorder *r, const struct edge *from, const struct edge *to);
int64_t block_frames_back(const struct recorder *r);
int block_totals(struct recorder *r, struct block *b, const struct gen_result *sent);
/* Fills b's counters, and the totals that come from the device's counters, between two readings. -ENOMEM */
int totals_of_device(const struct session *s, struct run_block *b, const struct reading *before,
		     const struct reading *now);
/* Frames that were seen and not sent; -1: nobody knows how many were sent. */
int64_t totals_stray(const struct run_totals *t);

/* record_round.c */
/* Returns an error if the device, the program, a CPU or the generator is gone, or if a signal asked us to stop. */
int record_check(struct recorder *r, struct diag *d);
int record_sleep(struct recorder *r, double seconds, struct diag *d); /* calls record_check() four times a second */
/* Probes the RX CPU's speed, and appends the probe to the n blocks from b on; to none where it cannot be probed. */
int blocks_probe_speed(const struct recorder *r, struct run_block *b, size_t n, bool loaded, struct diag *d);

/* record.c */
int record_save(struct recorder *r, const char *ended, struct diag *d); /* ended: as struct run has it */
double record_planned_s(const struct recorder *r);                      /* time of all windows that were asked for */

/*
 * record_first.c: before the first round
 * wait_steady:  until the RX CPU's speed is steady, for at most a twentieth of the recording and 10 s, without a load
 * leave_out:    variants for which check() returns a lack, each with a sentence. -EOPNOTSUPP: none is left
 * layer_try:    before the load runs: what the kernel, the driver, ports and tables refuse
 * layer_reach:  with the load, when the RX CPUs are known: whether its frames reach the variant
 * unreached:    why no frame comes to a layer, as -ETIMEDOUT and a sentence
 */
int record_wait_steady(struct recorder *r, struct diag *d);
int record_find_rx_cpus(struct recorder *r, struct diag *d);
int record_verdicts(struct recorder *r, struct diag *d);
typedef int record_try_fn(struct recorder *r, struct run_variant *v, struct diag *d);
int record_leave_out(struct recorder *r, record_try_fn *check, struct diag *d);
/* The id of the first variant that is so; NULL: none is. */
const char *record_any(const struct run *run, bool (*is)(const struct run_variant *v));
int record_layer_try(struct recorder *r, struct run_variant *v, struct diag *d);
int record_layer_reach(struct recorder *r, struct run_variant *v, struct diag *d);
int record_layer_unreached(const struct recorder *r, const struct run_variant *v, struct diag *d);

/*
 * record_view - the one measuring loop: a round of variants, in each of the ways to measure them
 *
 *     blocks          one variant at a time on one device; a round here is one block of one variant (record_blocks.c)
 *     work, crossing  all variants in turns, each on an arm of the lab (record_lab.c, turner.h, rig.h)
 *     turns           all variants of one mode in turns on one device, whose program is exchanged (record_device.c)
 *
 * units: ns of CLOCK_MONOTONIC; frames
 * law:   a round is complete or absent. The turns of a round are in the order of time
 */

struct bench;
struct turn_samples;

/* Part of a round of turns, with or without samples. Turns are in it that begin and end within. */
struct stretch {
	uint64_t from_ns, to_ns;
	enum run_window_kind kind;
};

#define STRETCHES 32 /* at most */

/* The turns of one variant that count in the stretches of one kind, and its second stage in these, added up. */
struct turn_sums {
	uint64_t verdicts[RUN_VERDICTS];
	double wall_ns, own_ns, injected_ns;
	double consumer_busy_ns;  /* NaN: not known */
	int64_t consumer_packets; /* -1: not known */
};

struct round {
	int number;
	size_t variant, nvariants; /* the first one that is measured, how many there are */
	size_t first_block;
	/* where variants take turns */
	struct stretch stretches[STRETCHES];
	int nstretches;
	double group_s, steal_ns; /* of a group of turns, about; over all stretches */
	struct run_turn *turns;
	size_t nturns;
	struct turn_sums sums[RUN_PROFILE + 1][RIG_ARMS]; /* by kind */
	struct stage_edge stages[RIG_ARMS];               /* where this stretch began */
	double stamp_ns;
	/* of a view that measures on the session's device; block.rb is the first block of the round */
	struct block block;
	struct gen_result sent;
	uint64_t seen_before;    /* frames that the programs saw before the counters in block.quiet were read */
	struct patience silence; /* since packets were seen last */
	struct fillers fillers;
};

/* Whose samples count, and which of their frames, of each variant of a round of turns. */
struct receivers {
	pid_t tids[RIG_ARMS], readers[RIG_ARMS], helpers[RIG_ARMS];
	const char *roots[RIG_ARMS];
};

#define SOFTIRQ_ROOT "net_rx_action" /* what softirqs of NET_RX run; what called it is the generator's */

/* What one way of measuring does by itself, in the order in which the recorder calls it. */
struct view {
	bool arms;  /* variants are on devices of the lab's own, and nothing about another device has to be found out */
	bool turns; /* the variants of a round take turns; else a round has one variant */
	/* NULL, or why these variants and options cannot be measured so. NULL: there is no such reason */
	const char *(*cannot)(const struct run *run, const struct record_options *o);
	int (*prepare)(struct recorder *r, struct diag *d); /* before the first round; may set r->of_view */
	int (*attach)(struct recorder *r, struct round *n, struct diag *d);
	const struct bench *(*bench)(const struct recorder *r, const struct round *n, size_t variant);
	int (*begin)(struct recorder *r, struct round *n,
		     struct diag *d); /* the load; returns when packets may count */
	int (*measure)(struct recorder *r, struct round *n, struct diag *d); /* the windows, or round_stretches() */
	/* of a stretch. when: 0 it begins, 1 it ends */
	void (*edge)(struct recorder *r, struct round *n, const struct stretch *s, int when);
	int (*stretch)(struct recorder *r, struct round *n, enum run_window_kind kind, double seconds, struct diag *d);
	int (*end)(struct recorder *r, struct round *n, struct diag *d);    /* of the load; fills turns and sums */
	int (*totals)(struct recorder *r, struct round *n, struct diag *d); /* of the round's blocks, and their modes */
	/* Whose samples are in perf's text; out points into whose. NULL: all of them are the one block's. */
	void (*receivers)(struct recorder *r, const struct round *n, struct receivers *whose, struct turn_samples *out);
	int (*check)(struct recorder *r, struct diag *d);    /* beside record_check(); NULL: nothing */
	void (*detach)(struct recorder *r, struct round *n); /* undoes attach and begin; called after errors too */
	void (*release)(struct recorder *r);                 /* undoes prepare; may be called twice, and without it */
};

extern const struct view view_blocks, view_lab, view_device;

/* n holds the number and the variants. */
int record_round(struct recorder *r, struct round *n, struct diag *d);
/*
 * For attach(), before it loads the round's i-th program: draws a place for it, the same in all rounds of a
 * rotation, in which each variant is loaded as the i-th one once. attach() releases n->fillers.
 */
void round_draw_place(const struct recorder *r, struct round *n, size_t i);
/* The measure() of turns: windows without and with samples. */
int round_stretches(struct recorder *r, struct round *n, struct diag *d);
/* Notes what a pair of stamps costs in this round; the run has the mean of the rounds. */
void round_stamp(struct recorder *r, struct round *n, double stamp_ns);
/* Keeps a turn, and adds it to the sums of its variant, unless it is TURN_SWITCHING. grown: by the program. -ENOMEM */
int round_turn(struct round *n, const struct run_turn *turn, const struct bench_count *grown);

/*
 * sampling - how often to sample: as often as intervals need, and no more often than the budget allows
 *
 * units: Hz, ns, s
 * law:   a rate depends on its arguments alone. Rates of successive rounds are different primes, so sampling keeps step
 *        with no timer and no rhythm of turns or polls for longer than a round, and any two rates are coprime
 */

#define SAMPLING_LEAST_NS 10   /* every component that costs so much */
#define SAMPLING_HALF     0.1  /* is to be known to this part of its cost (half of a 95 % interval) */
#define SAMPLING_AFTER_S  60   /* after this time of recording, or at the end of a shorter one */
#define SAMPLING_LOWEST   97   /* Hz */
#define SAMPLING_HIGHEST  3989 /* Hz */

/* What was seen of one variant. */
struct sampling_seen {
	double samples; /* of its receiver */
	double effect;  /* how many samples are worth one independent one: the design effect (base/stats.h) */
	double part;    /* of these samples, in the smallest component of SAMPLING_LEAST_NS or more; 0: there is none */
};

/* The highest rate that the budget allows. cost_ns <= 0: too small to measure. */
double sampling_affordable_hz(double cost_ns, double budget_pct);
/*
 * cost_ns was assumed, and packets were pct +- half_pct (95 %) slower while sampled at hz: between both, or the end of
 * the interval that cost_ns is beyond; in the middle where half_pct is half of the budget.
 */
double sampling_cost_ns(double cost_ns, double pct, double half_pct, double hz, double budget_pct);
/*
 * The rate at which every component is known well enough after after_s of recording, where the samples seen were taken
 * in seconds at a mean rate of hz. 0: the samples do not tell.
 * src: half of the interval of a part p is z * sqrt(p * (1 - p) / n), of p itself z * sqrt((1 - p) / (p * n))
 */
double sampling_needed_hz(const struct sampling_seen *seen, size_t n, double seconds, double hz, double after_s);
/*
 * The rate to go on with: what is needed (0: not known, all that is affordable), at most what is affordable, and at
 * most twice and at least half of hz, because both are estimates.
 */
double sampling_next_hz(double hz, double needed_hz, double affordable_hz);
/* The rate of a round: the round-th, in a circle, of the primes within a twelfth of target_hz. */
int sampling_round_hz(double target_hz, int round);

/*
 * turn_samples - allots the samples of a round to the variants that took turns in it
 *
 * law:   a sample goes to at most one variant; its header and the frames that are kept are unchanged. A sample between
 *        two turns, in a turn that was not profiled, in the clock's own program, or while another device was polled,
 *        goes to none. A reader works later than its variant's turn, so its samples go to the variant whenever they
 *        were taken
 */

struct turn_samples {
	const struct run_turn *turns;
	size_t nturns;
	/*
	 * A function for each variant: only frames up to the first one of this name count, and only samples that have
	 * it. NULL, or NULL for a variant: all frames of all samples.
	 */
	const char *const *roots;
	/* Samples with a function below the root that begins with this name do not count. NULL: no such function. */
	const char *without;
	const pid_t *tids; /* of each variant's receiver, only its samples count; NULL: any task's */
	/* of a task that works for each variant's in its turns, whenever that waits. NULL, 0: none */
	const pid_t *helpers;
	/* of the thread that reads what each variant received; all its samples are kept whole. NULL, < 0: none */
	const pid_t *readers;
	const volatile struct turn_foreign *foreigns; /* polls of other devices, in order */
	size_t nforeigns;
	FILE **out; /* of each variant */
	size_t nout;
};

int turn_samples_allot(const struct turn_samples *s, FILE *in, struct diag *d);

#endif
