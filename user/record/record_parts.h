/*
 * record_parts - what the files of the recorder share: a block on the session's device while it is measured, probes
 *
 * in:    a prepared recorder (record.h)
 * out:   windows and totals of b->rb, which belongs to the run
 * units: ns, frames; counts since the program was loaded
 * law:   block_release() undoes everything that block_attach() and block_load() did, and may be called twice
 * error: -errno and one sentence: -EINTR, -ENODEV the device vanished, -ENXIO an RX CPU went offline, -ECHILD the
 *        generator died, -ENOMEM
 */
#ifndef USER_RECORD_PARTS_H
#define USER_RECORD_PARTS_H

#include "user/record/record.h"

/* What the second stage, or the thread that reads a rung's frames, has done by now. */
struct stage_edge {
	uint64_t busy_ns;
	int64_t frames; /* -1: not known */
	bool has_busy;
};
void stage_edge_read(const struct recorder *r, const struct session *s, struct stage_edge *e);
void window_fill_stage(struct run_window *w, const struct stage_edge *from, const struct stage_edge *to);

/*
 * All readings at one edge of a window. Steal is read first; then busy time, polls and packets, within half a
 * millisecond if possible.
 */
struct edge {
	uint64_t at_ns, busy_ns[RUN_MAX_NAPIS];
	int64_t waits_ns; /* sum over all NAPI kthreads */
	int napi_cpu[RUN_MAX_NAPIS];
	double steal_ns;
	struct stage_edge stage;
	struct poll_count polls; /* in a window of the probe */
	bool has_polls;
	struct call_count calls;
	struct bench_count *counts;
};

struct block {
	/* the second stage's task, whose time is watched; 0: no task, or a NAPI kthread, which is watched already */
	pid_t stage_tid;
	struct run_block *rb;
	struct edge from, to;
	size_t function;              /* in a window of calls: index of the watched function */
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
int edge_read(struct recorder *r, struct block *b, enum run_window_kind kind, struct edge *e, struct diag *d);
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
 * wait_steady:  waits until the RX CPU's speed is steady, for at most a twentieth of the recording's time and 10 s.
 *               Notes in r->run how long that was. The load must not run yet
 * find_rx_cpus: fills r->run.rx_cpus with the CPUs that process the variant's packets
 * verdicts:     of programs of the user's own, counted where the load is ours
 * leave_out:    variants for which check() returns a lack are left out of the run, each with a sentence on stderr, and
 *               the others are measured. -EOPNOTSUPP: none of them can be had
 * rungs_try:    before the load runs: what the kernel, the driver, ports and tables refuse. Nothing stays attached
 * rungs_reach:  with the load, when the RX CPUs are known: which of the variants its frames do not reach
 * unreached:    why no frame comes to a rung, as -ETIMEDOUT and a sentence
 */
int record_wait_steady(struct recorder *r, struct diag *d);
int record_find_rx_cpus(struct recorder *r, size_t variant, struct diag *d);
int record_verdicts(struct recorder *r, struct diag *d);
typedef int record_try_fn(struct recorder *r, struct run_variant *v, struct diag *d);
int record_leave_out(struct recorder *r, record_try_fn *check, struct diag *d);
bool record_has_rungs(const struct run *run);
int record_rungs_try(struct recorder *r, struct diag *d);
int record_rungs_reach(struct recorder *r, struct diag *d);
int record_rung_unreached(const struct recorder *r, const struct run_variant *v, struct diag *d);

#endif
