/*
 * run - a run directory: what was recorded, on disk and in memory
 *
 * in:    run_read(): a directory written by run_write(); run_write(): a filled struct run
 * out:   DIR/run.json, schema "xdpzoom.run/1", and DIR/blocks/NNN.script (the text of perf script of block NNN)
 * units: in the names; times are CLOCK_MONOTONIC ns; counters are deltas over their window
 *        run.json has the members of struct run under the same names; what is not known is null there and
 *        -1 here; windows[].kind is "base", "profile", "probe", "calls" or "count"; verdicts are an object by name;
 *        seed is text
 * law:   a run directory is complete or absent: run_write() writes into a directory the caller made
 *        under a temporary name and the caller renames it (run_dir_begin(), run_dir_commit())
 * error: 0 / -errno with one sentence in diag; run_read() refuses other schemas and missing members by name
 */
#ifndef REPORTS_RUN_H
#define REPORTS_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/counters.h"

#define RUN_SCHEMA    "xdpzoom.run/1"
#define RUN_POLL_HIST 66 /* packets per poll 0..64, then "more than 64" */

/* XDP verdicts in the kernel's numbering (enum xdp_action). */
enum { RUN_ABORTED, RUN_DROP, RUN_PASS, RUN_TX, RUN_REDIRECT, RUN_VERDICTS };

/* Where a redirected packet goes on: another device, another CPU (cpumap), an AF_XDP socket. */
enum run_stage { RUN_STAGE_NONE, RUN_STAGE_DEVICE, RUN_STAGE_CPU, RUN_STAGE_SOCKET };

struct run_variant {
	char id[64]; /* "drop/no-touch@native", "drop/no-touch+chain50@skb", "redirect-cpu:1/no-touch@native" */
	char action[16], operation[16], mode[8];
	char target[16]; /* what the action goes to, as it was named: "eth1", "1", "copy"; "": not named */
	enum run_stage stage;
	int stage_cpu;       /* of the cpumap or of the thread at the socket; -1: not known */
	char stage_text[96]; /* what the second stage is, in words; "": none, or nothing was recorded yet */
	/* Extra work per packet, planted to see whether it is found again. */
	char plant[8]; /* "chain" of multiplications, "walk" through memory; "": none */
	double plant_asked_ns;
	double plant_ns;      /* what it costs, by BPF_PROG_TEST_RUN on the RX CPU; 0: none */
	uint32_t plant_steps; /* of the chain or walk */
};

struct run_cpu {
	int cpu;
	uint64_t verdicts[RUN_VERDICTS]; /* packets that the program saw on this CPU, by verdict */
	/* on-CPU time of the NAPI kthreads that were on this CPU at both ends; < 0: not known */
	double busy_ns;
};

/*
 * How the device's counters grew, those that changed, and the packets that the program saw meanwhile. They are read
 * outside of a window's edges, so they have a span of their own.
 */
struct run_counters {
	uint64_t from_ns, to_ns; /* both 0: not read */
	uint64_t packets;
	struct counters changed;
};

/* One event of perf stat in one window, all RX CPUs together. */
struct run_event {
	char name[96];      /* as perf prints it */
	char unit[16];      /* "msec" of clocks; "" */
	double count;       /* < 0: not counted */
	double running_pct; /* of the time it was to count in which it did: the rest is scaled */
	double enabled_ns;  /* the time it was to count, the CPUs' added up; < 0: not known */
};

/*
 * One measured window. Base windows give ns/packet and profile windows shares; probes that are on in neither, so that
 * they cost neither anything, are on in probe windows: packets per poll, and the time of others' softirqs. In a window
 * of calls one kernel function is counted and timed, call by call. Count windows are perf stat's, one for each few
 * events, so that the events need not share the CPU's counters.
 */
enum run_window_kind { RUN_BASE, RUN_PROFILE, RUN_PROBE, RUN_CALLS, RUN_COUNT, RUN_WINDOW_KINDS };

struct run_calls {
	char function[64];
	uint64_t calls, timed; /* on the RX CPUs; timed: those whose time is known */
	double ns;             /* of the timed ones, with all that the function calls */
	double probe_ns;       /* of that, what the probe adds to each timed call */
};

struct run_window {
	enum run_window_kind kind;
	uint64_t from_ns, to_ns;
	double busy_ns; /* exact on-CPU time of all NAPI kthreads; < 0: not known, take it from the samples */
	/* not in busy_ns: what the kernel charges them for waiting to run; < 0: not known, and in it */
	double waits_ns;
	double steal_ns; /* of the RX CPU, by /proc/stat; < 0: not known */
	double freq_khz; /* of the RX CPU at the end; < 0: not known */
	struct run_cpu *cpus;
	size_t ncpus;
	double stage_busy_ns;  /* on-CPU time of the second stage's task; < 0: not known */
	int64_t stage_packets; /* packets that it took up; -1: not counted */
	double softirq_ns;     /* probe windows: NET_RX softirqs nested into the NAPI kthread; < 0: not known */
	bool has_polls;        /* the poll probe was on */
	uint64_t polls, poll_packets, polls_empty, poll_hist[RUN_POLL_HIST];
	struct run_counters counters; /* base windows */
	struct run_calls calls;       /* windows of calls; else no function */
	struct run_event *events;     /* count windows */
	size_t nevents;
};

/* Device counters over the whole block, from attach to the last frame; -1: this device does not say. */
struct run_totals {
	int64_t gen_sent;       /* frames that left the generator's device */
	int64_t gen_errors;     /* frames its device refused (the receiver's ring was full) */
	int64_t rx_seen;        /* frames that the program saw, all verdicts */
	int64_t rx_named_drops; /* frames lost between the two, by a counter with a name */
	int64_t tx_verdicts, tx_errors, sink_frames;
	int64_t stray;         /* frames that the program saw and the generator did not send */
	int64_t perf_lost;     /* samples perf said it lost */
	int64_t tx_sent;       /* frames that went out by the device's own counters */
	int64_t gen_pps;       /* of the generator by its own clock, where it is on another machine */
	int64_t link_sent;     /* likewise, by the counter that every device has, which may lag behind by a ring */
	int64_t redirected;    /* verdicts XDP_REDIRECT */
	int64_t stage_frames;  /* redirected frames that the second stage took up */
	int64_t stage_dropped; /* those lost on the way there, by counters with a name */
};

struct run_block {
	int index, round;
	size_t variant; /* index into run.variants */
	uint32_t prog_id;
	char prog_tag[20], prog_name[20], mode_found[8];
	/* cache-line ping-pong RX CPU - generator CPU, one way, before and after; < 0: not probed */
	double placement_ns[2];
	int stage_tid;   /* the second stage's task, whose samples are not the receiver's; -1: none */
	char script[64]; /* "blocks/000.script", relative to the directory; "" if the block has no profile */
	struct run_window *windows;
	size_t nwindows;
	struct run_totals totals;
	struct run_counters counters; /* over the whole block, like totals */
};

#define RUN_MAX_NAPIS   64
#define RUN_MAX_RX_CPUS 64

struct run {
	char version[32], started[32]; /* ISO 8601 UTC */
	json_t *command;               /* array of strings */
	json_t *environment;           /* object of strings, numbers, booleans, objects: shown as it is */
	json_t *device, *load;         /* likewise */
	char event[32];                /* "cycles" or "cpu-clock" */
	double sample_hz, sample_cost_ns, overhead_budget_pct;
	bool napi_threaded;
	/* samples of these tasks are the receiver's; without: all that is not idle */
	int napi_tids[RUN_MAX_NAPIS];
	size_t nnapi_tids;
	int rx_cpus[RUN_MAX_RX_CPUS];
	size_t nrx_cpus;
	char order[16]; /* "abba" or "shuffle" */
	uint64_t seed;
	struct run_variant *variants;
	size_t nvariants;
	struct run_block *blocks;
	size_t nblocks;
	/* Rounds were added until intervals were narrow enough, or time was up. */
	double precision_pct, precision_reached_pct; /* asked for, reached; precision_pct < 0: not asked for */
	char precision_stop[16];                     /* "precision" or "max-time"; "": cut short */
	char ended[64]; /* "complete", or why it stopped early: "interrupted", "device vanished" */
};

/*
 * run_add_*: one more element, zeroed, what can be unknown set to unknown; NULL: out of memory. The arrays move when
 * they grow: a pointer is good until the next element of the same array is added.
 */
void run_init(struct run *r);
void run_release(struct run *r);
struct run_variant *run_add_variant(struct run *r);
struct run_block *run_add_block(struct run *r);
void run_drop_last_block(struct run *r); /* of a block that could not be finished */
struct run_window *run_add_window(struct run_block *b);
struct run_cpu *run_add_cpu(struct run_window *w, int cpu);
struct run_event *run_add_event(struct run_window *w);
double run_window_packets(const struct run_window *w); /* that the program saw: all CPUs, all verdicts */

int run_read(struct run *r, const char *dir, struct diag *d);
int run_write(const struct run *r, const char *dir, struct diag *d); /* dir/run.json, fsynced */

/* {"ethtool": {"rx_queue_0_drops": 12}, "link": {...}, "page-pool": {...}}; null: not known by how much. NULL: no
 * memory */
json_t *run_counters_json(const struct counters *changed);

/*
 * A directory that is complete or absent. begin: removes what recorders to DIR left that have been killed, makes
 * DIR.tmp-PID and its blocks/, -EEXIST when DIR is there and
 * !force; force replaces a run directory or an empty one and nothing else. commit: syncs it and renames it to DIR (with
 * force, the old one is moved aside first and removed last). abort: removes it; after commit there is nothing to abort.
 */
struct run_dir {
	char path[4096], tmp[4096];
	bool force;
	int lock; /* on tmp, as long as this process lives; -1: none */
};
void run_dir_init(struct run_dir *rd);
int run_dir_begin(struct run_dir *rd, const char *path, bool force, struct diag *d);
int run_dir_commit(struct run_dir *rd, struct diag *d);
void run_dir_abort(struct run_dir *rd);

/*
 * "drop/no-touch@native" -> its three parts, checked against the known words. -EINVAL lists them. An operation may
 * carry
 * "+chainNS" or "+walkNS" of 0 to RUN_PLANT_MAX_NS, or "+again": the same program under another name. What was planted
 * is what a variant costs more than the one with 0 ns, which has the fences around the plant too.
 * An action may carry where it goes to: redirect:DEV, redirect-cpu:N, xsk:copy, xsk:zero-copy.
 */
#define RUN_PLANT_MAX_NS 10000
int run_variant_parse(struct run_variant *v, const char *id, struct diag *d);
enum run_stage run_stage_of(const char *action);

#endif
