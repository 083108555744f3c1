/*
 * record_parts - what the files of the recorder share: a block while it runs
 *
 * in:    a recorder (record.h) that is prepared
 * out:   windows and totals of b->rb, which is the run's
 * units: ns, frames; counts since the program was loaded
 * law:   block_release() takes everything back that block_attach() and block_load() made, and may be called twice
 * error: -errno and one sentence: -EINTR, -ENODEV the device vanished, -ENXIO its CPU, -ECHILD the generator, -ENOMEM
 */
#ifndef USER_RECORD_PARTS_H
#define USER_RECORD_PARTS_H

#include "user/record/record.h"

/* What is read at the edge of a window: busy time, polls and packets within half a millisecond if possible, steal
 * before. */
struct edge {
	uint64_t at_ns, busy_ns[RUN_MAX_NAPIS];
	int64_t waits_ns; /* of all of them */
	int napi_cpu[RUN_MAX_NAPIS];
	double steal_ns;
	uint64_t stage_busy_ns;
	int64_t stage_frames;
	bool has_stage_busy;
	struct poll_count polls;
	bool has_polls;
	struct call_count calls;
	struct bench_count *counts;
};

struct block {
	/* the second stage's task, whose time is watched; 0: none, or it is a receiver, which is watched anyhow */
	pid_t stage_tid;
	struct run_block *rb;
	struct edge from, to;
	size_t function; /* in a window of calls: which of them */
	int64_t sink_before;
	struct reading quiet, before; /* at the block's beginning, at a window's */
	size_t ncounted;              /* count windows so far, one for each group of events */
	int64_t tx_before;            /* verdicts by then: a load that is not ours runs already */
};

/* record_block.c */
void block_init(struct block *b);
int block_attach(struct recorder *r, struct block *b, struct run_variant *v, struct diag *d);
int block_load(struct recorder *r, struct diag *d); /* until packets arrive */
void block_release(struct recorder *r, struct block *b);
/* Device, program, CPUs and generator are still there, and nobody wants us to stop. */
int block_check(struct recorder *r, struct diag *d);
int block_sleep(struct recorder *r, double seconds, struct diag *d); /* looking after them */

/* record_window.c */
int edge_read(struct recorder *r, struct block *b, enum run_window_kind kind, struct edge *e, struct diag *d);
/* Of all NAPI kthreads, ns. */
double edges_busy_ns(const struct recorder *r, const struct edge *from, const struct edge *to);
int block_windows(struct recorder *r, struct block *b, struct diag *d);

/* record_totals.c */
int64_t block_frames_back(const struct recorder *r);
int block_totals(struct recorder *r, struct block *b, const struct gen_result *sent);

#endif
