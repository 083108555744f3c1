/*
 * record - interleaved blocks of variants on one device -> a run directory
 *
 * in:    an open session (session.h), the variants, and how to measure them
 * out:   a run directory (run.h); partial when it was interrupted, and saying so, as long as one block is whole
 * units: in the names
 *        After the rounds asked for, variants with too few blocks at the placement (placement.h) most blocks have
 *        get more, as long as time and twice the rounds allow.
 * law:   whatever was attached, started or made is gone when record_run() returns, and after recorder_release() this
 *        process runs where and as it did before; of a killed process the programs, the
 *        generator and perf go as well, and DIR.tmp-PID and a lab it made stay (lab down removes the latter)
 * error: -EINTR stopped by a signal, -ENODEV the device vanished, -ENXIO an RX CPU did, -ECHILD generator or perf died;
 * one sentence
 */
#ifndef USER_RECORD_H
#define USER_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include "perfparse/facilities.h"
#include "reports/run/run.h"
#include "user/machine/napi.h"
#include "user/machine/oncpu.h"
#include "user/machine/priority.h"
#include "user/record/perf.h"
#include "user/record/perf_stat.h"
#include "user/record/progress.h"
#include "user/session/session.h"

#define RECORD_MAX_VARIANTS 64

struct record_options {
	const char *out_dir;
	bool force, quiet;
	int rounds;  /* blocks per variant */
	int windows; /* per block, even; half of them profiled */
	double window_s, warmup_s;
	double overhead_pct;  /* budget for sampling */
	double max_time_s;    /* begin no block after it; 0: no limit */
	double precision_pct; /* add rounds until intervals are this narrow (precision.h); 0: no */
	bool shuffle;         /* else ABBA */
	uint64_t seed;
	int rx_cpu; /* < 0: found from the counters */
	int keeper_cpu;
	int stage_cpu; /* of second stages that name none */
	struct session_options session;
	bool no_profile;                /* base windows only, for comparisons that need no shares */
	const char *const *stat_events; /* perf_stat.h; none of them: what a PMU counts by default */
	size_t nstat_events;
};

struct recorder {
	const struct record_options *o;
	struct run run;
	struct run_dir dir;
	struct session session;
	struct perf_tool tool;
	struct oncpu oncpu;
	struct polls polls;
	struct perf perf;
	struct perf_stat_plan plan;
	struct perf counting[PERF_STAT_GROUPS];
	struct progress progress;
	uint64_t end_ns;               /* no block begins after it */
	bool time_up;                  /* it has passed */
	bool cut;                      /* ... before the rounds asked for were done */
	struct facilities *facilities; /* with a precision to reach, else NULL */
	char widest[160];              /* in words: whose interval is the widest */
	struct priority priority;      /* as it was before this process was pinned and raised */
	char data_path[4200], stderr_path[4200];
};

/* r->session is open and r->run holds the variants already. On return the directory is in place if *kept. */
int record_run(struct recorder *r, bool *kept, struct diag *d);
void recorder_init(struct recorder *r, const struct record_options *o);
void recorder_release(struct recorder *r); /* may be called twice */

/* record_precision.c: are the intervals narrow enough by now? What was reached goes into r->run. */
int record_precise(struct recorder *r, bool *enough, struct diag *d);

/*
 * record_block.c, record_window.c, record_totals.c: one attach, warm-up, windows, detach. The block is appended to
 * r->run; on error it is not.
 */
int record_block(struct recorder *r, size_t variant, int round, struct diag *d);
/* record_first.c: which CPUs a variant's packets are processed on, into r->run.rx_cpus. */
int record_find_rx_cpus(struct recorder *r, size_t variant, struct diag *d);
/*
 * What a sample costs while the receiver's NAPI kthread works at this variant, under load, with sampling against
 * without, alternated: a twentieth of the recording's time, up to two seconds. *cost_ns stays where less was found than
 * is there already.
 */
int record_sample_cost(struct recorder *r, size_t variant, double *cost_ns, struct diag *d);

#endif
