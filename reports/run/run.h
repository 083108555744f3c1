/* run.h - the run directory, read and written; the words of variants; the names of device counters */
#ifndef REPORTS_RUN_RUN_H
#define REPORTS_RUN_RUN_H

#include "base/base.h"
#include "base/sheet/sheet.h"

/*
 * counters - what a device counts about itself, and how much each counter grew between two readings
 *
 * units: as the driver counts: frames, bytes, events; time in ns
 * law:   counters with the same source and name are one counter, and their values are added (vmxnet3 gives every queue
 *        the same names). A counter that decreased, appeared or vanished between two readings has changed by an unknown
 *        amount. A counter that passed 2^32 or 2^64 from the upper half of its range has wrapped; its growth is known
 * src:   names: the kernel's Documentation/networking/statistics.rst, page_pool.rst,
 *        device_drivers/ethernet/mellanox/mlx5/counters.rst; drivers/net/veth.c, virtio_net.c,
 *        vmxnet3/vmxnet3_ethtool.c
 */

enum counter_source {
	COUNTER_ETHTOOL,   /* the driver's own (ethtool -S) */
	COUNTER_LINK,      /* counters that every device has (ip -s link) */
	COUNTER_PAGE_POOL, /* counters of the device's page pools, by netlink */
	COUNTER_SOURCES
};
extern const char *const counter_source_names[COUNTER_SOURCES]; /* "ethtool" "link" "page-pool" */

struct counter {
	enum counter_source source;
	char name[64]; /* printable ASCII */
	uint64_t value;
	bool known;
};

struct counters {
	struct counter *list;
	size_t n;
};

/* Blanks around the name and bytes that are not printable are removed. */
int counters_append(struct counters *c, enum counter_source source, const char *name, size_t len, uint64_t value,
		    bool known);
void counters_release(struct counters *c); /* may be called twice */

/* In the order of `after`; counters that vanished come last. all: those that did not change too. */
int counters_growth(struct counters *growth, const struct counters *before, const struct counters *after, bool all);

/* ---- counter_names.c: what the names mean; the only file that depends on drivers ------------------------- */

enum counter_role {
	COUNTER_XDP_SEEN,       /* frames that the driver gave to XDP */
	COUNTER_XDP_TX,         /* frames that XDP_TX sent; with some drivers, frames that it tried to send */
	COUNTER_XDP_TX_LOST,    /* frames that XDP_TX could not send */
	COUNTER_XDP_REDIRECTED, /* frames that XDP_REDIRECT sent on; a redirect that failed counts as lost */
	COUNTER_XMIT_TAKEN,     /* XDP frames from other devices that the driver took (ndo_xdp_xmit) */
	COUNTER_XMIT_REFUSED,   /* XDP frames from other devices that the driver refused */
	/* frames lost between the wire and the program; virtio_net includes the frames that XDP dropped */
	COUNTER_RX_DROPS,
	COUNTER_XDP_DROPS,    /* frames that XDP dropped */
	COUNTER_LINK_TX,      /* frames sent, as every device counts them */
	COUNTER_LINK_TX_LOST, /* frames that the stack wanted to send and the device did not take */
	COUNTER_ROLES
};

/* Sum of the counters with this role; -1: there are none, the value of one is not known, or the sum has no room. */
int64_t counters_sum(const struct counters *c, enum counter_role role);
/* Does it count frames or packets that got lost, but for those that an XDP program dropped? By its name alone. */
bool counter_is_loss(const struct counter *c);
const char *counter_meaning(const struct counter *c);

/*
 * run - a run directory: what was recorded, on disk and in memory
 *
 * units: in the names; times are CLOCK_MONOTONIC ns; counters are deltas over their window.
 *        run.json has the members of struct run under the same names. A value that is not known is null in run.json; in
 *        the struct it is NaN, -1 for whole numbers, "" in arrays of char, and NULL for other text. windows[].kind is
 *        "base", "profile", "probe", "calls" or "count"; verdicts are an object with one member per verdict; seed is
 *        text
 * law:   a run directory is complete or absent: the caller makes a directory under a temporary name, run_write()
 *        writes into it, and the caller renames it (run_dir_begin(), run_dir_commit())
 */

#define RUN_SCHEMA   "xdpzoom.run/1"
#define RUN_PART     "run.json.part"
#define RUN_NEW      ".new"     /* behind the name of a file of a run directory while it is written */
#define RUN_CROSSING "crossing" /* a run directory in a run directory of the view "work": the same from another CPU */
/* A file of the view "watch": what was on both sides of its moment (user/watch/dump.h). */
#define RUN_MOMENT        "event.json"
#define RUN_MOMENT_SCHEMA "xdpzoom.watch-event/1"
#define RUN_POLL_HIST     66 /* packets per poll 0..64, then "more than 64" */

/* In the kernel's numbering (enum xdp_action). RUN_UNTOLD: of own programs, which count none. */
enum run_verdict { RUN_ABORTED, RUN_DROP, RUN_PASS, RUN_TX, RUN_REDIRECT, RUN_UNTOLD, RUN_VERDICTS };

/* Where a packet goes on after the receiver: another device, another CPU (cpumap), an AF_XDP socket, a reader. */
enum run_stage {
	RUN_STAGE_NONE,
	RUN_STAGE_DEVICE,
	RUN_STAGE_CPU,
	RUN_STAGE_SOCKET,
	RUN_STAGE_READER /* of a layer: a thread reads what the receiver put into a socket */
};

/*
 * The verdicts of a program that counts none, from frames that were sent for this before the run. The numbers have
 * sources of their own (user/observe/verdicts.h) and should agree.
 */
struct run_verdicts {
	int64_t frames;            /* sent; -1: not counted, and nothing else is known */
	int64_t seen;              /* taken up by NAPI polls */
	int64_t runs;              /* of the program */
	int64_t back;              /* came back to the sender */
	int64_t ended[RUN_UNTOLD]; /* by verdict; -1: cannot be told from the others */
};

/*
 * How long a file is, and a digest of it, so that a script that was cut or changed since is no measurement.
 * src: FNV-1a, 64 bits, Fowler, Noll and Vo, 1991; it finds accidents, and no forger
 */
struct run_seal {
	int64_t bytes; /* -1: not known */
	uint64_t digest;
};

/*
 * The words of a variant. run_action_words[] and the others hold each word at its number; what a variant lacks is "".
 * PROG: a program of the user's own. LAYER: see run_layers[]. STACK: the mode of layers. TCX and so on: of a program of
 * the user's own that is for tc. WATCH, and the parts: see run_watch_variant().
 */
/* clang-format off */
enum run_action {
	RUN_ACTION_NONE, RUN_ACTION_DROP, RUN_ACTION_PASS, RUN_ACTION_TX, RUN_ACTION_ABORTED, RUN_ACTION_REDIRECT,
	RUN_ACTION_REDIRECT_CPU, RUN_ACTION_XSK, RUN_ACTION_PROG, RUN_ACTION_LAYER, RUN_ACTION_WATCH
};
enum run_operation { RUN_NO_OPERATION, RUN_NO_TOUCH, RUN_READ_DATA, RUN_PARSE_IP, RUN_SWAP_MACS, RUN_BARE,
		     RUN_PART_ALL, RUN_PART_BEFORE, RUN_PART_AFTER };
enum run_mode { RUN_MODE_NONE, RUN_MODE_NATIVE, RUN_MODE_SKB, RUN_MODE_HW, RUN_MODE_STACK, RUN_MODE_TCX,
		RUN_MODE_CLSACT, RUN_MODE_NETKIT, RUN_MODE_NETKIT_PEER, RUN_MODES };
enum run_inject { RUN_INJECT_NONE, RUN_INJECT_CHAIN, RUN_INJECT_WALK, RUN_INJECT_AGAIN };
enum run_observer {
	RUN_OBSERVER_NONE, RUN_OBSERVER_BPF_STATS, RUN_OBSERVER_PACKET_SOCKET, RUN_OBSERVER_FEXIT,
	RUN_OBSERVER_DISPATCHER, RUN_OBSERVER_TC, RUN_OBSERVER_FTRACE, RUN_OBSERVER_WATCH, RUN_OBSERVERS
};
/* Layers of ladders, by ladder, each in the order of a packet's way. */
enum run_layer {
	RUN_LAYER_NONE, RUN_LAYER_TEST_RUN, RUN_LAYER_XSK_COPY, RUN_LAYER_CPUMAP, RUN_LAYER_PACKET_RING, RUN_LAYER_TC,
	RUN_LAYER_CLSACT, RUN_LAYER_NFT_INGRESS, RUN_LAYER_NF_BPF, RUN_LAYER_NFT_RAW, RUN_LAYER_CONNTRACK,
	RUN_LAYER_NFT_INPUT, RUN_LAYER_UDP_CLOSED, RUN_LAYER_SOCKET_FILTER, RUN_LAYER_UDP_FULL, RUN_LAYER_UDP_RECV,
	RUN_LAYER_UDP_RECVMMSG, RUN_LAYER_UDP_GRO, RUN_LAYER_UDP_URING, RUN_LAYER_XDP_REDIRECT,
	RUN_LAYER_DEVMAP_PROGRAM, RUN_LAYER_SKB_REDIRECT, RUN_LAYER_TC_REDIRECT, RUN_LAYER_PEER_VETH,
	RUN_LAYER_PEER_NETKIT, RUN_LAYER_NETKIT, RUN_LAYER_BRIDGE, RUN_LAYER_FLOWTABLE, RUN_LAYER_ROUTE,
	RUN_LAYER_TX_LIVE, RUN_LAYER_TX_PKTGEN, RUN_LAYER_TX_PACKET_BYPASS, RUN_LAYER_TX_PACKET_RING, RUN_LAYER_TX_XSK,
	RUN_LAYER_TX_XSK_CSUM, RUN_LAYER_TX_XSK_SW_CSUM, RUN_LAYER_TX_XSK_STAMP, RUN_LAYER_TX_PACKET, RUN_LAYER_TX_SEND,
	RUN_LAYER_TX_SENDMSG, RUN_LAYER_TX_SENDMMSG, RUN_LAYER_TX_ZEROCOPY, RUN_LAYER_TX_GSO, RUN_LAYER_TCP_READ,
	RUN_LAYER_TCP_PASS, RUN_LAYER_TCP_PASS_SKB, RUN_LAYER_TCP_SPLICE, RUN_LAYER_TCP_COPY, RUN_LAYER_TCP_URING,
	RUN_LAYERS
};
/* clang-format on */
extern const char *const run_action_words[],
	*const run_operation_words[], *const run_mode_words[], *const run_inject_words[], *const run_observer_words[];

#define RUN_ID_BYTES 288 /* room for struct run_variant.id */

/* The memory of an AF_XDP socket: its buffers, and the bytes of each. The fill ring has an entry for each buffer. */
struct run_umem {
	unsigned int frames; /* a power of two */
	unsigned int bytes;  /* 2048 or 4096; 0: as much as the longest frame needs */
	unsigned int ring;   /* entries of the receive ring, a power of two; 0: one for each buffer */
	unsigned int flags;  /* RUN_UMEM_* */
};
/* In huge pages; without XDP_USE_NEED_WAKEUP; its reader sleeps in poll(), or polls the queue (SO_PREFER_BUSY_POLL). */
enum { RUN_UMEM_HUGE = 1, RUN_UMEM_NOWAKEUP = 2, RUN_UMEM_POLL = 4, RUN_UMEM_BUSY = 8 };
#define RUN_UMEM_FRAMES 4096 /* where a variant names none */

struct run_variant {
	/* "drop/no-touch@native", "drop/no-touch+chain50@skb", "redirect-cpu:1/no-touch@native", "prog:fw.o@skb" */
	char id[RUN_ID_BYTES];
	enum run_action action;
	enum run_operation operation;
	enum run_mode mode;
	enum run_layer layer; /* of the action "layer" */
	/*
	 * Where redirected packets go, as the user named it: "eth1", "1", "copy"; "": not named. With the action
	 * "prog" it names the program under test, as in run_own_parse(); such a variant has no operation and no inject.
	 */
	char target[200];
	enum run_stage stage;
	struct run_umem umem;         /* of an AF_XDP socket; frames 0: it has none */
	int stage_cpu;                /* CPU of the cpumap entry or of the thread at the socket; -1: not known */
	char stage_text[160];         /* the second stage in words; "": there is none, or nothing was recorded yet */
	struct run_verdicts verdicts; /* of the action "prog" */
	enum run_inject inject;       /* extra work per packet: a chain of multiplications, a walk through memory */
	double inject_asked_ns;
	double injected_ns;         /* cost of the injection, by BPF_PROG_TEST_RUN on the RX CPU; 0: none */
	uint32_t inject_steps;      /* of the chain or walk */
	bool inject_at_once;        /* they do for INJECT_AT_ONCE packets; not in the file */
	struct run_seal object;     /* of the action "prog": the object file, where the program comes from one */
	enum run_observer observer; /* watches while this variant is measured */
};

struct run_cpu {
	int cpu;
	uint64_t verdicts[RUN_VERDICTS]; /* packets that the program saw on this CPU, by verdict */
	/* on-CPU time of the NAPI kthreads that were on this CPU at both ends of the window; NaN: not known */
	double busy_ns;
};

/*
 * The device's counters that changed, their growth, and the packets that the program saw in the same time. The counters
 * are read before the window begins and after it ends, so they have a time span of their own.
 */
struct run_counters {
	uint64_t from_ns, to_ns; /* both 0: not read */
	uint64_t packets;
	struct counters changed;
};

/* A count of perf stat in one window, all RX CPUs together. */
struct run_event {
	char name[96];      /* as perf prints it */
	char unit[16];      /* "msec" of clocks; "" */
	double count;       /* NaN: not counted */
	double running_pct; /* of enabled_ns, in which the event counted; if below 100, count is scaled up */
	double enabled_ns;  /* time in which the event was enabled, summed over the CPUs; NaN: not known */
};

/*
 * One measured window.
 * RUN_BASE:    nothing else runs; gives ns per packet.
 * RUN_PROFILE: perf record samples; gives the shares of the functions.
 * RUN_PROBE:   BPF probes are on that would slow down the other windows; they count packets per poll and measure the
 *              time of softirqs that are not the receiver's.
 * RUN_CALLS:   of older runs, which counted and timed the calls of a kernel function.
 * RUN_COUNT:   perf stat counts a few events. Events are spread over several such windows, so that they need not share
 *              the CPU's counters.
 */
enum run_window_kind { RUN_BASE, RUN_PROFILE, RUN_PROBE, RUN_CALLS, RUN_COUNT, RUN_WINDOW_KINDS };

struct run_window {
	enum run_window_kind kind;
	uint64_t from_ns, to_ns;
	double busy_ns; /* exact on-CPU time of all NAPI kthreads; NaN: not known, the samples must give it */
	/*
	 * Where variants take turns (run.view), this window holds the sums over turns of this variant between from_ns
	 * and to_ns, and own_ns is the time that rates and busy time refer to: in the view "work" the receiver's time
	 * in softirqs, in the others the time from the first stamp of each turn to its last. NaN: the whole window
	 */
	double own_ns;
	/* time of the kthreads' waits to run, which the kernel counts as on-CPU time; busy_ns does not contain it.
	 * NaN: not known, and busy_ns contains it */
	double waits_ns;
	/*
	 * Variants with an injected cost: sum over the packets of what a clock around the injected cost read, with what
	 * the clock itself takes. NaN: no such clock
	 */
	double injected_ns;
	double steal_ns; /* of the RX CPU, by /proc/stat; NaN: not known */
	double freq_khz; /* of the RX CPU at the end; NaN: not known */
	struct run_cpu *cpus;
	size_t ncpus;
	double consumer_busy_ns;  /* on-CPU time of the second stage's task; NaN: not known */
	int64_t consumer_packets; /* packets that the second stage took up; -1: not counted */
	double softirq_ns;        /* probe windows: NET_RX softirqs nested into the NAPI kthread; NaN: not known */
	bool has_polls;           /* the poll probe was on */
	uint64_t polls, poll_packets, polls_empty, poll_hist[RUN_POLL_HIST];
	struct run_counters counters; /* base windows */
	struct run_event *events;     /* count windows */
	size_t nevents;
};

/*
 * Device counters over the whole block, from attach to the last frame; -1: the device does not count this. In the view
 * "turns" the variants of a round share the device, so each of their blocks has the totals of the whole round.
 */
struct run_totals {
	int64_t gen_sent;       /* frames that left the generator's device */
	int64_t gen_errors;     /* frames that the generator's device refused (the receiver's ring was full) */
	int64_t rx_seen;        /* frames that the program saw, all verdicts */
	int64_t rx_named_drops; /* frames lost between generator and program, by a counter with a name */
	int64_t tx_verdicts, tx_errors, sink_frames;
	int64_t stray;            /* frames that the program saw and the generator did not send */
	int64_t perf_lost;        /* samples that perf reported as lost */
	int64_t tx_sent;          /* frames that went out, by the device's own counters */
	int64_t gen_pps;          /* the generator's rate by its own clock, where it runs on another machine */
	int64_t link_sent;        /* frames that went out, by the counter of every device; may lag behind by a ring */
	int64_t redirected;       /* verdicts XDP_REDIRECT */
	int64_t consumer_frames;  /* redirected frames that the second stage took up */
	int64_t consumer_dropped; /* redirected frames lost before the second stage, by counters with a name */
	/* A layer that sends: system calls; completions that the kernel owed, that came, and that said "copied". */
	int64_t send_calls, send_owed, send_completed, send_copied;
};

/*
 * How fast the RX CPU was at one moment: fixed work on it, outside of all windows (user/machine/speed_probe.h). loaded:
 * packets were coming in, and the receiver paused.
 */
struct run_speed {
	uint64_t at_ns; /* when the probe ended */
	double ns;      /* of a step of the work */
	bool loaded;
};

struct run_block {
	int index, round;
	int sample_hz;  /* rate of its samples; the same for a round; 0: not known, or no samples */
	size_t variant; /* index into run.variants */
	uint32_t prog_id;
	char prog_tag[20], prog_name[20];
	enum run_mode mode_found;
	int prog_instructions, prog_bytes; /* as in made.h; -1: not known */
	/* cache-line ping-pong between RX CPU and generator CPU, one way, before and after; NaN: not probed */
	double placement_ns[2];
	int consumer_tid;     /* the second stage's task; its samples are not counted as the receiver's; -1: none */
	char script[64];      /* "blocks/000.script", relative to the directory; "" if the block has no profile */
	struct run_seal seal; /* of the script */
	struct run_window *windows;
	size_t nwindows;
	struct run_speed *speeds; /* in the order of time */
	size_t nspeeds;
	struct run_totals totals;
	struct run_counters counters; /* over the whole block, like totals */
};

/*
 * A BPF program that was loaded for tracepoints or kernel functions while the run was recorded. Programs that are alike
 * in all of this stand there once.
 */
#define RUN_MAX_TRACERS 64
struct run_tracer {
	char name[20], tag[20]; /* the kernel's; the samples' symbol is bpf_prog_TAG_..., with the name in full */
	char hook[64];          /* its raw tracepoint; "": another kind of place, or not known */
	char owner[20];         /* the command of the process that holds it; "": none does, or it may not be seen */
	bool own;               /* the recorder's */
};

/* What programs read of the device, the load and the environment. The text is borrowed; NULL: not known. */
struct run_facts {
	const char *device, *driver, *kernel, *cpu_model;
	const char *kernel_version;                /* which build of the kernel it is: uname -v */
	const char *machine;                       /* another text for each machine */
	const char *compiler;                      /* of the kernel */
	int load_cpu;                              /* the generator's; -1: it is not ours, or on another machine */
	double load_rate_pps;                      /* asked for; 0: as fast as it can */
	double load_bytes, load_batch, load_flows; /* of a frame; frames; NaN: not known */
	double tx_ring_frames;                     /* NaN: not known */
};

enum run_view { RUN_VIEW_BLOCKS, RUN_VIEW_WORK, RUN_VIEW_CROSSING, RUN_VIEW_TURNS, RUN_VIEW_WATCH, RUN_VIEWS };
extern const char *const run_view_words[]; /* indexed by view; ends with NULL */

#define RUN_MAX_NAPIS   64
#define RUN_MAX_RX_CPUS 64

struct run {
	char version[32], started[32]; /* ISO 8601 UTC */
	json_t *command;               /* array of strings */
	json_t *environment;           /* object of strings, numbers, booleans, objects; printed unchanged */
	json_t *device, *load;         /* objects like environment */
	struct run_facts facts;        /* run_take_facts() takes them from the members above */
	char event[64];                /* "cycles" or "cpu-clock"; of an import, any */
	double sample_hz;              /* mean over the blocks with samples, where those have rates of their own */
	double sample_cost_ns, overhead_budget_pct;
	bool napi_threaded;
	/* the receiver's samples are those of these tasks; nnapi_tids 0: all samples that are not idle */
	int napi_tids[RUN_MAX_NAPIS];
	size_t nnapi_tids;
	int rx_cpus[RUN_MAX_RX_CPUS];
	size_t nrx_cpus;
	/*
	 * "blocks": one variant at a time, block by block. "work" and "crossing": the variants of a round take turns of
	 * a few ms, each on a device of its own (turns.h), and the blocks of a round are measured side by side. In
	 * "work" the generator runs on the RX CPU, in "crossing" on another one. "turns": variants of one mode take
	 * turns on the one device that there is, whose program is exchanged. "watch": devices that work, which nobody
	 * touched; a block is a stretch of time, in which samples were taken and busy time was measured alike, so it
	 * has a window of each kind over the same time.
	 */
	enum run_view view;
	char view_why[512]; /* why variants did not take turns where they would have; "": nothing was in the way */
	int turn_frames, turn_lead; /* frames of a turn, and how many before them are left out; 0: no such turns */
	/* In the view "turns": how long a turn is, and how long after each exchange nothing is counted; 0: none */
	int64_t turn_ns, turn_settle_ns;
	double stamp_ns; /* what the stamps add to a softirq, already taken out of own_ns; NaN: not known */
	/* How long the recorder waited before the first block for a steady speed of the RX CPU; NaN: it did not wait */
	double waited_s;
	bool steady; /* the speed was steady at the end of that time */
	/* So many skbs were held for slabs without others (skb_slabs.h); 0: as they were found; -1: not known */
	int held_skbs;
	bool tracers_known; /* false: an import */
	struct run_tracer *tracers;
	size_t ntracers;
	char order[16]; /* "abba" or "shuffle"; of turns "thue-morse" or "balanced" */
	uint64_t seed;
	struct run_variant *variants;
	size_t nvariants;
	struct run_block *blocks;
	size_t nblocks;
	/* The first so many blocks are in the file of run_spill(); those forgotten have nothing in lists here. */
	size_t nspilled, nforgotten;
	struct spill spilled;
	char ended[64]; /* "complete", or why it stopped early: "interrupted", "device vanished" */
};

/* run_add_*: what can be unknown is not known. NULL: no memory. Arrays move when an element is added. */
void run_init(struct run *r);
void run_release(struct run *r);
void run_take_facts(struct run *r); /* run_read() has done it */
struct run_variant *run_add_variant(struct run *r);
struct run_block *run_add_block(struct run *r);
struct run_window *run_add_window(struct run_block *b);
struct run_cpu *run_add_cpu(struct run_window *w, int cpu);
struct run_event *run_add_event(struct run_window *w);
/* Those with an injection of 0 ns have one too. */
bool run_has_inject_clock(const struct run_variant *v);
double run_window_packets(const struct run_window *w); /* packets that the program saw: all CPUs, all verdicts */
double run_window_ns(const struct run_window *w);      /* own_ns where variants take turns, else the whole window */

/* Start time, seed, and the clock of the first window: no two runs share them, and every copy has them. */
#define RUN_IDENTITY_BYTES 96
void run_identity(const struct run *r, char text[RUN_IDENTITY_BYTES]);

#define RUN_MAX_BYTES (256LL << 20) /* of run.json: ten thousand blocks have a tenth of this */
int run_read(struct run *r, const char *dir, struct diag *d);
int run_write(const struct run *r, const char *dir, struct diag *d); /* dir/run.json, fsynced; old or new, no part */
/*
 * While a run is recorded: run_spill() appends the blocks that are not there yet to DIR/run.json.part, from which
 * run_write() takes them, and run_read() those that run.json of a killed recorder lacks. On error the blocks stay to be
 * written later. The recorder forgets the windows, probes and counters of what is in that file: a long run then takes
 * little memory, and cannot be analysed. run_end_spill() removes the file, when run.json has all blocks; the run cannot
 * be written after it.
 */
int run_spill(struct run *r, const char *dir);
void run_block_release(struct run_block *b); /* what it owns; may be called twice */
void run_end_spill(struct run *r, const char *dir);

/*
 * {"ethtool": {"rx_queue_0_drops": 12}, "link": {...}, "page-pool": {...}}; null: the counter changed by an unknown
 * amount. NULL: no memory
 */
json_t *run_counters_json(const struct counters *changed);

#define RUN_SCRIPT_NAME "blocks/%03d.script" /* of a block by its number, as in struct run_block */
/* Notes what a file is by now; inside: of the run directory, whose files are synced. */
int run_seal_file(struct run_seal *s, const char *path, bool inside, struct diag *d);
int run_seal_script(struct run_block *b, const char *dir, struct diag *d);
/* A script that is read once: what it is now is noted on the way. */
struct run_sealed {
	FILE *in, *text;
	struct run_seal now;
};
/* s->text is read instead of in, and both are closed by run_sealed_end(). Where this fails, in is closed. */
int run_sealed_begin(struct run_sealed *s, FILE *in, struct diag *d);
/* -EILSEQ: the block's script is another one than when it was recorded. */
int run_sealed_end(struct run_sealed *s, const struct run_block *b, const char *path, struct diag *d);

/*
 * A directory that is complete or absent.
 * begin:  removes what killed recorders to DIR left behind, less what has a run.json, which is whole: killed names it.
 *         Where DIR begins with a date and time, as in runs/20261125-220000-demo, also what those with other times
 *         left. Then makes DIR.tmp-PID and its blocks/. -EEXIST: DIR exists without force; force replaces a run
 *         directory or an empty one alone. A mount point, ".", and a directory with files that no recording wrote, are
 *         refused.
 * commit: syncs DIR.tmp-PID and renames it to DIR. With force, the old DIR is moved aside first and removed last. Where
 *         that fails, DIR.tmp-PID stays, and the sentence names it.
 * abort:  removes DIR.tmp-PID; does nothing after commit.
 *
 * law:    everything is done below the handle of the parent as it was at begin, and below the handle of DIR.tmp-PID.
 *         Until commit, only this user may write into it. So whoever owns the parent can lose a run, and cannot turn
 *         what this process writes to another place. With sudo, the run belongs to the caller (caller.h).
 */
struct run_dir {
	char path[4096], tmp[4096]; /* names, for sentences */
	char killed[4096];          /* at begin: whole blocks of such a recording that was killed; "": none */
	char at[4096]; /* where to write: leads to the directory itself, also in children of this process */
	bool force;
	int parent, fd; /* handles; fd is locked as long as this process lives; -1: none */
	int old;        /* what force replaces, or -1 */
	unsigned mode;  /* what commit gives the directory */
	bool lent;      /* to another user; uid and gid get it back */
	uid_t uid;
	gid_t gid;
};
void run_dir_init(struct run_dir *rd);
int run_dir_begin(struct run_dir *rd, const char *path, bool force, struct diag *d);
int run_dir_commit(struct run_dir *rd, struct diag *d);
/* Leaves the directory where it is, as a killed recorder does. Returns err; its sentence also says where that is. */
int run_dir_leave(struct run_dir *rd, int err, struct diag *d);
/* After begin: another user, for whom a child of this process writes, owns the directory until it is committed. */
int run_dir_lend(struct run_dir *rd, uid_t uid, gid_t gid, struct diag *d);
void run_dir_reach(struct run_dir *rd); /* in a child of another user: `at` leads there from this process on */
void run_dir_abort(struct run_dir *rd);
/* -ENOTEMPTY: the run directory behind fd holds what no recording wrote; path: its name in the sentence. */
int run_dir_refuse_others(int fd, const char *path, struct diag *d);
/* The sentence names the directory as people know it. */
void run_dir_tell(const struct run_dir *rd, struct diag *d);

/*
 * Splits "drop/no-touch@native" into its three parts and checks them against the known words. -EINVAL: a word is not
 * known; the sentence lists the known ones.
 * An operation may end in "+chainNS" or "+walkNS", NS from 0 to RUN_INJECT_MAX_NS, or in "+again", the same program
 * under another name. The injected cost is the difference to the variant with 0 ns, which has the fences around the
 * inject too.
 * An action may name its target: redirect:DEV, redirect-cpu:N, xsk:copy, xsk:zero-copy; an AF_XDP socket its memory,
 * behind that: xsk:copy:256, xsk:zero-copy:256x2048, layer:xsk-copy:256.
 * Before the mode there may be "+observer:NAME": the same, watched by something that people leave running.
 * What a device did on its own is watch:DEV/PART@MODE.
 * A program of the user's own is prog:FILE.o@MODE, prog:FILE.o:NAME@MODE, prog:pinned:PATH@MODE or prog:id:N@MODE.
 */
#define RUN_INJECT_MAX_NS 10000
int run_variant_parse(struct run_variant *v, const char *id, struct diag *d);
/* The same of a variant that is to be measured: refuses what names a part of the past, watch:DEV/PART@MODE. */
int run_variant_to_measure(struct run_variant *v, const char *id, struct diag *d);
/* The verdict of its packets. RUN_UNTOLD: an own program's. Where the frames of a layer end, they are dropped. */
enum run_verdict run_verdict_of(const struct run_variant *v);
bool run_is_imported(const struct run *r); /* others measured it, and what they did not tell is not known */
/* The event of an imported text; NULL: that has only one, or a name that is too long to be kept. */
const char *run_chosen_event(const struct run *r);
bool run_variant_is_own(const struct run_variant *v);
bool run_mode_is_tc(enum run_mode mode); /* tcx, clsact or at netkit */

enum run_own_kind { RUN_OWN_FILE, RUN_OWN_PINNED, RUN_OWN_ID };
struct run_own {
	enum run_own_kind kind;
	char path[200]; /* of the object file or of the pin */
	char name[64];  /* the program in the file; "": the only one */
	uint32_t id;
};
/* target: of struct run_variant. */
int run_own_parse(struct run_own *o, const char *target, struct diag *d);
/*
 * "watch:eth0/before@native": what a device did on its own, in the part "before" or "after" of a moment, or "all" of a
 * time, with an XDP program in this mode; "none" without one. Its target is the device, its operation the part.
 */
#define RUN_WATCH_WORD "watch:"
bool run_variant_is_watched(const struct run_variant *v);
int run_watch_variant(struct run_variant *v, const char *id, struct diag *d);
/* What a device is called there: by its number, as "?12", if its name has quotes or characters that are not ASCII. */
const char *run_watch_device(char to[16], const char *name, int ifindex);
/*
 * A layer of a ladder, "layer:nft-raw": every frame is dropped at this place in the network stack, or is sent on to
 * another device there, or frames are sent in this way. Its target is its word. It has no operation.
 */
enum run_ladder { RUN_LADDER_RECEIVE, RUN_LADDER_FORWARD, RUN_LADDER_SEND, RUN_LADDER_TCP, RUN_LADDERS };
extern const struct run_layer_kind {
	const char *word;
	enum run_ladder ladder;
	bool aside;  /* run_layer_is_aside() */
	bool reader; /* a thread reads its frames */
	bool merges; /* run_layer_merges() */
} run_layers[RUN_LAYERS];
bool run_variant_is_layer(const struct run_variant *v);
/* A variant without AF_XDP socket stays as it is. */
int run_variant_set_umem(struct run_variant *v, unsigned int frames, struct diag *d);
bool run_layer_forwards(const struct run_variant *v); /* is it a layer of the forwarding ladder? */
bool run_layer_sends(const struct run_variant *v);    /* of the sending ladder, or of TCP's? */
bool run_layer_is_tcp(const struct run_variant *v);   /* of TCP's? Its packets are segments of RUN_TCP_BYTES of data */
#define RUN_TCP_BYTES 1448
/*
 * No other layer goes through what this one adds: connection tracking, an ICMP answer, a copy, a way of reading. A
 * redirect to an AF_XDP socket is such a layer, too.
 */
bool run_layer_is_aside(const struct run_variant *v);
bool run_layer_merges(const struct run_variant *v); /* GRO makes one skb of its frames, which need a checksum for it */

/*
 * made - what the numbers of a run were made with: the compiler and the configuration of its kernel, and the program
 *        under test
 *
 * units: BPF instructions as the kernel has rewritten them; bytes of machine code
 * law:   what a side does not tell is "not known", and never a difference
 */

#define MADE_COMPILER_BYTES 160
#define MADE_CONFIG_BYTES   400 /* options that differ, in words */
#define MADE_DIFFERS_BYTES  (2 * MADE_COMPILER_BYTES + 2 * MADE_CONFIG_BYTES + 300)
#define MADE_MOST           100000000 /* more instructions or bytes than a program has */

struct made_program {
	char tag[20];     /* "": not known, or a layer, which has no program */
	int instructions; /* -1: not known */
	int bytes;        /* 0: the program is interpreted; -1: not known */
};

struct made {
	const char *compiler, *kernel; /* NULL or "": not known */
	struct made_program program;
	const char *config;      /* of the kernel: options, "NAME=VALUE\n" by name; NULL or "": not known */
	const char *mitigations; /* of vulnerabilities, as config: "spectre_v2=Mitigation: Retpolines\n" */
};

/* The compiler in a line such as /proc/version: "Linux version 6.12 (who@where) (gcc 12.2.0, GNU ld 2.40) #1". */
void made_compiler(const char *version, char *compiler, size_t size);
/* As far as both are known. One compiler may be called by two names: gcc-12, x86_64-linux-gnu-gcc-12. */
bool made_other_compiler(const char *a, const char *b);
/* What a run has as an object, as text of calloc() for struct made; NULL: it has none, or no memory. */
char *made_mitigations(const json_t *object);
bool made_is_option(const char *text); /* is this text an option of a kernel, "PAGE_POOL=y"? */
/* Options that both have and that differ, "PAGE_POOL_STATS n and y"; how many. One of one kernel alone is source. */
size_t made_config_differs(const char *base, const char *new, char *line, size_t size);
/* False: nothing is known. */
bool made_words(const struct made *m, char *line, size_t size);
/*
 * What differs: the compiler; the configuration; and the program, where both variants are of one name: their modes may
 * differ. Linux 6.18 and later have other tags of the same program than older ones (SHA-256 for SHA-1), so such tags
 * are not compared. False: nothing differs, as far as both sides tell.
 */
bool made_differs(const struct made *base, const char *base_id, const struct made *new, const char *new_id, char *line,
		  size_t size);

/*
 * own_variant - the words of variants that are programs of the user's own
 *
 *     prog:FILE.o@MODE  prog:FILE.o:NAME@MODE  prog:pinned:PATH@MODE  prog:id:N@MODE
 *
 * law:   the last "@" ends the program, the last colon before a C identifier begins NAME; FILE and PATH may hold both.
 *        Nothing is opened or looked up
 */

#define RUN_OWN_WORD "prog:"

int run_own_variant(struct run_variant *v, const char *id, struct diag *d);

/*
 * turns - the single turns of a run whose variants take turns: which variant had the load when, and what it cost
 *
 * In the views "work" and "crossing" (run.h) every variant of a round is attached to a pair of devices of its own, and
 * one generator turns from device to device every few thousand frames. A round is a stretch of such turns. The blocks
 * of run.json hold the sums of a round; this file holds each turn. In the view "turns" there is one device, number 0,
 * whose program is exchanged every few ten ms.
 *
 * units: ns of CLOCK_MONOTONIC; packets are those between the turn's two stamps, the first frames of a turn (lead)
 *        are in none
 * law:   turns and their rounds are in order, and do not overlap. At most TURNS_MAX turns are kept, 256 MB of text: the
 *        first rounds; left_out counts the others. A file that is read and written again is the same
 */

#define TURNS_FILE         "turns"
#define TURNS_MAX          (1u << 22)
#define TURNS_MAX_VARIANTS 64 /* so many take turns at most */

/*
 * TURN_BASE: nothing else ran; TURN_PROFILE: perf took samples during the whole turn; TURN_SWITCHING: perf was being
 * switched on or off, so the turn is in no window.
 */
enum turn_use { TURN_BASE, TURN_PROFILE, TURN_SWITCHING, TURN_USES };

struct run_turn {
	uint64_t start_ns;
	uint32_t wall_ns; /* from the first stamp to the last */
	/* the receiver's part of wall_ns: in softirqs (work), on the CPU (crossing), or either (turns) */
	uint32_t own_ns;
	uint32_t packets; /* counted between the stamps */
	uint32_t lost;    /* sent in this turn, and never counted */
	/* the part of own_ns that the clock around an injected cost read; 0: there is none, or it is not known */
	uint32_t injected_ns;
	uint32_t round;
	uint16_t variant; /* index into run.variants */
	uint8_t device;   /* number of the pair of devices that the variant was attached to in this round */
	uint8_t use;      /* enum turn_use */
};

struct run_turns {
	struct run_turn *list;
	size_t n, cap;
	uint64_t left_out, from_ns; /* from_ns: start of the first turn */
	/* So many turns before those of list are in the file that turns_write() made, and in this list no more. */
	size_t nwritten;
	struct spill file;
};

void turns_release(struct run_turns *t); /* may be called twice */
int turns_add(struct run_turns *t, const struct run_turn *turns,
	      size_t n); /* -ENOMEM; counts what is beyond TURNS_MAX */
/* The turn that holds this time, in list[0..n); NULL: none does. The list is in order. */
const struct run_turn *turns_find(const struct run_turn *list, size_t n, uint64_t at_ns);

int turns_read(struct run_turns *t, const char *dir, struct diag *d);
/*
 * Moves the turns of the list to the end of DIR/turns, which the first call makes anew. On error they stay in the list.
 * A recorder that dies meanwhile leaves a part of a line at the end, which turns_read() leaves out.
 */
int turns_write(struct run_turns *t, const char *dir, struct diag *d);
int turns_sync(const struct run_turns *t, const char *dir, struct diag *d); /* what turns_write() has written */

#endif
