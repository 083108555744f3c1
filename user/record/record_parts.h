/*
 * record_parts - a block while it is measured; shared by the files of the recorder
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
#include "user/record/record_resume.h"

/*
 * All readings at one edge of a window. Steal is read first; then busy time, polls and packets, within half a
 * millisecond if possible.
 */
struct edge {
	uint64_t at_ns, busy_ns[RUN_MAX_NAPIS];
	int64_t waits_ns; /* sum over all NAPI kthreads */
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

/* record_block.c */
void block_init(struct block *b);
int block_attach(struct recorder *r, struct block *b, struct run_variant *v, struct diag *d);
/* Starts the load and returns when packets of this variant, which is attached, arrive. */
int block_load(struct recorder *r, const struct run_variant *v, struct diag *d);
void block_release(struct recorder *r, struct block *b);
/* Returns an error if the device, the program, a CPU or the generator is gone, or if a signal asked us to stop. */
int block_check(struct recorder *r, struct diag *d);
int block_perf_begin(struct recorder *r, int round, struct diag *d);     /* starts perf, switched off */
int block_find_cause(const struct recorder *r, int err, struct diag *d); /* err, or the cause behind it in d */
int block_sleep(struct recorder *r, double seconds, struct diag *d);     /* calls block_check() four times a second */

/* record_save.c */
int record_save(struct recorder *r, const char *ended, struct diag *d); /* ended: as struct run has it */
/*
 * Called after each block or round, so that a recorder that is killed leaves a run with all its whole blocks: what is
 * new is appended to the turns and to run.json.part. From time to time it is also flushed, for a machine that dies, and
 * run.json is written anew when it has grown by a quarter; a twentieth of the recording goes into that at most. Turns
 * take no memory from then on, and blocks next to none where the run is not analysed again.
 */
void record_save_now_and_then(struct recorder *r);

/* record_window.c */
int edge_read(struct recorder *r, struct block *b, enum run_window_kind kind, struct edge *e, struct diag *d);
/* Returns the busy time of all NAPI kthreads between two edges, in ns. */
double edges_busy_ns(const struct recorder *r, const struct edge *from, const struct edge *to);
int block_windows(struct recorder *r, struct block *b, struct diag *d);

/* record_first.c */
double record_planned_s(const struct recorder *r); /* time of all windows that were asked for */

/* record_cpu.c */
/* A probe of the RX CPU's speed. Its ns is not above 0 where the CPU cannot be probed. */
struct run_speed record_probe_speed(const struct recorder *r, bool loaded);
/* The time from the generator's CPU to the RX CPU (ping_pong.h), in ns; NAN: no frame comes from another CPU. */
double record_probe_placement(const struct recorder *r);
/*
 * Gives the RX CPUs slabs of skbs that they share with nobody (skb_slabs.h), and notes in r->run how many skbs are held
 * for that on each of them. After the programs are attached, and before the load begins.
 */
void record_fill_slabs(struct recorder *r);
/* Appends a probe to the block, if its ns is above 0. */
int block_add_speed(struct run_block *b, const struct run_speed *probe, struct diag *d);
/* Probes, and appends. */
int block_probe_speed(struct recorder *r, struct block *b, bool loaded, struct diag *d);

/* record_verdicts.c */
int record_verdicts(struct recorder *r, struct diag *d);
/* Fills what run.json says of the device, the load and the machine. */
void record_describe(struct recorder *r);

/* record_totals.c */
int64_t block_frames_back(const struct recorder *r);
int block_totals(struct recorder *r, struct block *b, const struct gen_result *sent);

#endif
