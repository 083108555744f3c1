/* watch.h - polls of all devices, counted and timed; queues; the flight recorder and its dumps */
#ifndef USER_WATCH_WATCH_H
#define USER_WATCH_WATCH_H

#include "base/base.h"
#include "base/sheet/sheet.h"
#include "bpf/layout.h"
#include "perfparse/perfparse.h"
#include "reports/run/run.h"
#include "user/machine/machine.h"

/*
 * watch - what packets cost on devices that work, second by second, without touching their path; and the last minutes
 * as a run directory
 *
 *     watcher_open(), watcher_begin()
 *     again and again: watcher_look() when watcher_next_ns() says
 *         after WATCH_LOOKS looks: watcher_count(), watcher_line() for each slot, watcher_end()
 *         about once a second: watcher_refresh()
 *
 * NaN: not known. Errors are -errno with one sentence where there is a diag.
 */

/*
 * probe.c: the programs of watch.bpf.c. Law: nothing is attached to a device, and no program is replaced. When this
 * process ends, however it does, nothing of this is left. A NAPI thread that runs now has its time up to now in what is
 * read, and no reading is below the one before. While own costs are measured, times are too long.
 */

struct watch_bpf;

/* What the programs cost on this machine; NaN: not known yet. */
struct own_costs {
	double count_ns; /* a poll that is counted */
	double poll_ns;  /* and timed */
	double entry_ns; /* the beginning of a softirq that is timed */
	double tail_ns;  /* of a device, no cost of these programs: how long a softirq goes on after its last poll */
};

struct probe {
	struct watch_bpf *skel;
	int ncpus;
	struct watch_polls *counts; /* in the kernel's memory */
	struct watch_cpu *cpus;
	bool threads;   /* the programs of NAPI threads are attached */
	bool measuring; /* own */
	struct own_costs own;
	uint64_t softirqs_ns; /* when softirqs of watched devices were last seen, while their cost is measured */
};

void probe_init(struct probe *p);
/* every: one softirq of so many is timed; 0: none. */
int probe_open(struct probe *p, unsigned int every, struct diag *d);
int probe_add_device(struct probe *p, int ifindex, unsigned int slot);
void probe_drop_device(struct probe *p, int ifindex);
int probe_add_thread(struct probe *p, pid_t tid, unsigned int slot, struct diag *d);
void probe_drop_thread(struct probe *p, pid_t tid);
/* A NAPI thread of this slot's device that polled since the last call and was not added; 0: none did. */
pid_t probe_unknown_thread(struct probe *p, unsigned int slot);
/*
 * After each look, until own is known: attaches what measures it, and detaches it when PROBE_MEASURED polls and
 * softirqs have been. softirqs: there were polls in softirqs that are timed.
 */
#define PROBE_MEASURED 128
void probe_measure_own(struct probe *p, bool softirqs);
void probe_see_ends(struct probe *p, bool see); /* of softirqs, from now on */
void probe_pause(struct probe *p);              /* no program runs and nothing is counted until the next call */
int probe_resume(struct probe *p, struct diag *d);
/* before: what the call before has read. */
void probe_read(const struct probe *p, const struct watch_polls *before, struct watch_polls *to);
void probe_close(struct probe *p); /* may be called twice */

/*
 * polled.c: what NAPI polls did between two looks at their counts. Law: all polls of NAPI threads are timed. Of
 * softirqs, some are, drawn at random; the others are taken to cost the same per packet:  busy = thread_ns + timed_ns *
 * softirq_packets / timed_packets. Where no packet was timed, polls take the place of packets, as polls that find
 * nothing cost time too. Polls that are in neither, as those that a socket asked for, are taken to cost the same per
 * packet. Source: the interval of a ratio of sums over looks: Cochran, "Sampling Techniques", 1977, section 6.4. What
 * interrupts a softirq, as a hypervisor does, comes seldom and takes long: ten looks often hold none of it, and would
 * tell too narrow an interval; the minute before holds some.
 */

void polled_sum_histogram(struct watch_polls *p); /* to polls and empty */
/* All leave poll_ip alone. */
void polled_scale(struct watch_polls *p, double by);
void polled_add(struct watch_polls *sum, const struct watch_polls *more);
void polled_growth(struct watch_polls *growth, const struct watch_polls *before, const struct watch_polls *after);

/*
 * Takes what watch's own programs cost out of the times, and adds what comes after a softirq's last poll. While the
 * cost in softirqs is not known, nothing in them is timed. NAPI threads have it in their time until it is known.
 */
void polled_correct(struct watch_polls *p, const struct own_costs *own);
/* What the programs cost in all of these polls, and at the beginning of their softirqs, ns; NaN: not known. */
struct polled_own {
	double polls_ns, softirqs_ns;
};
struct polled_own polled_own(const struct watch_polls *p, const struct own_costs *own);
double polled_busy_ns(const struct watch_polls *p);
double polled_softirqs_ns(const struct watch_polls *p); /* of those in softirqs alone */

/* How far the looks of the last time were from their mean, where softirqs are drawn. All 0: nothing was seen yet. */
struct polled_past {
	double deviations, softirqs; /* squared ns, and the softirqs that were timed */
	uint64_t since_ns;           /* when the device came whose looks they are; 0: the backlog */
};

/*
 * Nanoseconds of a packet over n looks that follow each other; half: of a 95 % interval, by their scatter, or by that
 * of the past where it was larger. NULL: there is no past.
 */
struct polled_cost {
	double ns, half;
};
struct polled_cost polled_cost(const struct watch_polls *looks, size_t n, const struct polled_past *past);
void polled_remember(struct polled_past *past, const struct watch_polls *looks, size_t n, double seconds);
/* By how many ns of a packet these costs may be wrong, as one measurement of them differs from another one. */
double polled_own_half(const struct watch_polls *p, const struct own_costs *own);

/*
 * past.c: what polls did in each of the last PAST_S seconds, by device and CPU. Law: looks lie end to end, and every
 * look is in one second whole, so that sums over seconds are exact. An idle CPU takes no memory.
 */

#define PAST_S 300

struct past_entry {
	uint32_t slot, cpu;
	struct watch_polls polls;
};

/* The XDP program of a device in a second. */
struct past_program {
	uint32_t id; /* 0: none */
	char mode[8], name[20];
};

struct past_second {
	struct past_program programs[WATCH_SLOTS];
	uint64_t from_ns, to_ns;
	struct past_entry *entries;
	size_t n, cap;
};

struct past {
	struct past_second seconds[PAST_S];
	size_t first, n; /* the oldest one, how many there are */
	bool cut;        /* the next look begins a second */
};

/* growth: ncpus times WATCH_SLOTS; a new second begins when the last one is a second long. */
int past_add(struct past *h, uint64_t from_ns, uint64_t to_ns, const struct watch_polls *growth, int ncpus);
/* The second that the last look is in; NULL: there was none yet. */
struct past_second *past_last(struct past *h);
const struct past_second *past_at(const struct past *h, size_t i); /* 0: the oldest one */
void past_forget(struct past *h, unsigned int slot);               /* what is kept of a slot */
void past_release(struct past *h);

/*
 * devices.c: the devices that are watched. Law: a slot goes to another device when none is free that was never used,
 * the one that is empty for longest first: what is remembered of a slot is of one since_ns.
 */

#define WATCH_THREADS 64 /* NAPI threads of one device */

struct watched {
	struct netdev nd;           /* name "": the slot is free */
	uint64_t since_ns, gone_ns; /* gone_ns 0: it is there */
	struct device_counters reader;
	struct counters before, grown; /* at the last interval's end; in that interval */
	struct attached programs[ATTACHED_MAX];
	size_t nprograms;
	pid_t tids[WATCH_THREADS];
	size_t ntids;
};

struct devices {
	const char *const *names; /* borrowed */
	size_t nnames;            /* 0: all devices */
	int sysfs_fd;
	size_t nleft; /* devices that found no slot */
	struct watched list[WATCH_SLOTS];
};

void devices_init(struct devices *ds);
int devices_open(struct devices *ds, const char *const *names, size_t n, struct probe *p, struct diag *d);
/* told: false from now on for each slot whose device, or whose device's programs, are others than before. */
int devices_refresh(struct devices *ds, struct probe *p, bool told[WATCH_SLOTS], struct diag *d);
/* The growth of each device's counters since the last call. */
int devices_count(struct devices *ds);
void devices_release(struct devices *ds); /* may be called twice */

/* The device with this number; NULL: none that is watched. */
struct watched *devices_find(const struct devices *ds, int ifindex);
unsigned int devices_slot_of(const struct devices *ds, pid_t tid); /* of a NAPI thread; WATCH_OTHER: it is none */
bool watched_is(const struct watched *w);                          /* is it there now? */

/*
 * watch.c. Law: ten looks make an interval, of memory alone. Looks lie end to end: the packets of all intervals are all
 * packets that were polled, as long as the programs take WATCH_BUDGET_PCT or less of the receive time of each CPU that
 * they take WATCH_LEAST_PCT of. Where they took more, and softirqs are drawn, they are there in some looks only, and
 * polls go on meanwhile as they did in the last look that was counted. Nothing on the machine is changed.
 */

#define WATCH_LOOKS      10 /* of an interval */
#define WATCH_COUNTED    2  /* of these, at least */
#define WATCH_BUDGET_PCT 2
#define WATCH_LEAST_PCT  0.5

/* What a device did in one interval. */
struct watch_line {
	unsigned int slot;
	const struct watched *device; /* NULL: the backlog's polls, which have no device */
	double time_s, seconds;       /* when the interval ended, since the beginning; how long it was */
	uint64_t at_ns;               /* when it ended, of CLOCK_MONOTONIC */
	struct watch_polls polls;     /* on all CPUs */
	struct polled_cost cost;
	struct polled_own own; /* which is not in cost */
	double busy_pct;       /* of one CPU */
	double counted_pct;    /* of the looks in which polls were counted */
	double tail_ns;        /* after the last poll of a softirq; NaN: not known */
	uint64_t squeezed;     /* softirqs that ran out of budget, on the CPUs that polled this device */
	uint64_t backlog_drops;
	bool programs_changed; /* since the last line of this device */
	size_t unwatched;      /* devices that there is no room for */
	double queue_pct;      /* the highest fill of its queues; NaN, which the caller may fill */
	int cpus[RUN_MAX_RX_CPUS];
	size_t ncpus;
};

/* What the kernel counts for one CPU, whatever the device. */
struct softnet {
	uint64_t dropped, squeezed;
};

struct watcher {
	unsigned int every; /* as in probe_open() */
	struct probe probe;
	struct own_costs own; /* as they were at the look before */
	struct devices devices;
	struct past past;
	uint64_t start_ns, look_ns, interval_ns, refreshed_ns; /* when they were last */
	uint64_t step_ns, next_ns;                             /* from look to look; when the next one is due */
	struct watch_polls *memory;                            /* of the next five, ncpus times WATCH_SLOTS each */
	struct watch_polls *before, *now, *growth, *counted;   /* counted: the growth in the last look of count_ns */
	uint64_t from_ns, count_ns; /* since when polls of this look are counted; for how long they were in that one */
	bool paused;                /* no polls are counted in this look */
	unsigned int due;           /* so many looks of an interval are to be counted */
	uint64_t ends_ns;           /* when ends of softirqs are to be seen again */
	double tails[WATCH_SLOTS], tails_ns[WATCH_SLOTS]; /* those that were seen; the last ones have the most weight */
	struct watch_polls *interval;                     /* the growth in the interval up to now */
	struct watch_polls looks[WATCH_SLOTS][WATCH_LOOKS]; /* those that were counted in the interval, on all CPUs */
	size_t nlooks, ncounted;
	struct polled_past scatter[WATCH_SLOTS];
	struct softnet *softnet_before, *softnet; /* of each CPU */
	uint64_t since_ns[WATCH_SLOTS];           /* of the device whose past is kept */
	bool told[WATCH_SLOTS];                   /* the programs of this slot's device, as they are now */
};

void watcher_init(struct watcher *w);
/* names: of devices, borrowed; none: all */
int watcher_open(struct watcher *w, const char *const *names, size_t nnames, unsigned int every, struct diag *d);
void watcher_begin(struct watcher *w, double interval_s);
uint64_t watcher_next_ns(struct watcher *w); /* each call is for another look */
int watcher_look(struct watcher *w, struct diag *d);
int watcher_count(struct watcher *w); /* what the devices and the kernel counted in the interval. -ENOMEM */
/* The line of a device that was polled, or that was named. false: there is none */
bool watcher_line(struct watcher *w, unsigned int slot, struct watch_line *line);
void watcher_end(struct watcher *w);
int watcher_refresh(struct watcher *w, struct diag *d); /* devices, their programs and threads */
void watcher_release(struct watcher *w);                /* may be called twice */

/*
 * queues.c: how full the queues on packets' way are. Law: a look comes in an interrupt, whatever its CPU is busy with,
 * and QUEUES_CLOCKS of them come while this process has no CPU. Backlogs, and without perf_event_open() all, are looked
 * at when this process has a CPU: of packets that are received on the same CPU it sees what is left. A rate is that of
 * the queue alone, counted where its packets come in or go out; else it is not known, and neither is the wait. UDP
 * counts its datagrams by network namespace, so that a socket's rate is known where it is the only one. Nothing that
 * has gone is followed (queues.bpf.c). Source: the wait of a packet is the mean fill by the packets per second (Little,
 * Operations Research 9, 1961). What is between two queues, such as a bulk in a driver's hands, is in neither of them,
 * so that a wait is too short by some of these packets. Its interval is that of the means of QUEUE_GROUPS groups of
 * looks in their order.
 */

#define QUEUE_SAMPLES 4096 /* of a queue in an interval; further looks count for its means alone */
#define QUEUE_GROUPS  10
#define QUEUE_NEAR    0.9 /* of its size: a queue that is nearly full */

struct queues_bpf;

/* One queue, and what was seen of it since the last queues_end(). */
struct queue {
	struct queue_look last;
	uint64_t looks, unreported, full, near;
	uint64_t first_ns, last_ns; /* passed went through it between both */
	uint64_t passed;
	bool rate_unknown;
	double sum, held;
	uint32_t most;
	uint32_t *fills; /* of the first QUEUE_SAMPLES looks, in order */
	size_t n;
	unsigned int idle; /* intervals in which it was not found */
	uint64_t search;   /* the number of the last search that found it */
};

struct queue_looks {
	uint64_t due, late; /* late: made 0.1 ms or more after it was due, or not at all */
	uint32_t left_out;  /* queues that nobody looked at */
};

/* What was seen of one queue in an interval. */
struct queue_seen {
	enum queue_kind kind;
	int ifindex;         /* 0: of no device */
	unsigned int number; /* of the device's queue, the CPU, the port */
	uint64_t object;     /* of a CPU map: its ID; of a socket: its inode number, as in /proc/PID/fd */
	uint64_t looks;
	double size, p50, p99, most, mean;
	double full_pct, near_pct; /* of the looks: it was full; it was filled to QUEUE_NEAR or more */
	double held, rate, passed; /* packets, packets per second, and all of them; of BQL bytes */
	double wait_us, wait_half_us;
	const char *why; /* NULL, or why its fill is not known */
};

struct queue_clock {
	struct bpf_link *link;
	int fd;          /* the link's */
	uint64_t due_ns; /* 0: not set */
};

struct queues {
	struct queues_bpf *skel;
	struct bpf_link *udp, *cpumap, *taken;
	struct queue_clock clocks[QUEUES_CLOCKS]; /* in the order in which they are due, from `first` on */
	unsigned int nclocks, first;              /* none: this process looks */
	struct queue *list;
	size_t n, cap, hint;
	uint64_t searches;
	uint64_t look_ns;      /* of the look that is taken */
	uint64_t due_ns;       /* the last look that is due */
	bool no_taken;         /* what CPU maps hand on cannot be counted */
	uint32_t backlog_most; /* net.core.netdev_max_backlog */
	uint32_t missed[2];    /* the most queues that a look, or a slow one, left out since the last queues_end() */
	struct queue_looks looks, ended; /* since then, and in the interval that queues_end() ended */
	struct queue_seen *seen;         /* in that interval */
	size_t nseen;
};

/* "ring", "qdisc", "bql", "packet socket", "af_xdp rx", "af_xdp tx", "udp socket", "cpumap", "backlog", "tap" */
extern const char *const queue_words[QUEUE_KINDS];
const char *queue_unit(enum queue_kind kind); /* "packets" or "bytes" */
bool queue_is_socket(enum queue_kind kind);
/* A queue of which nothing else is known. */
struct queue_seen queue_unseen(enum queue_kind kind, int ifindex, unsigned int number, uint64_t object);

int queues_open(struct queues *q, struct diag *d);
int queues_look(struct queues *q);
int queues_look_slow(struct queues *q);
/* When queues_look() is to be called: drawn at random, so that no look is in step with what it looks at. */
uint64_t queues_next_ns(struct queues *q);
/* Ends the interval: what was seen is in the order of devices, kinds and numbers. */
int queues_end(struct queues *q, const struct watcher *w);
void queues_clocks_anew(struct queues *q); /* after CPUs came or went: a clock ends with its CPU, and stays so */
void queues_release(struct queues *q);     /* may be called twice */

/*
 * ksyms.c: names of the kernel's functions by address. Law: a BPF program that was there at a ksyms_refresh() keeps its
 * name for addresses of that time, also when it went and another program has its memory. One that comes and goes
 * between two of them has no name. Source: kallsyms_show_value() of the kernel: who sees addresses.
 */

struct ksym {
	uint64_t start;
	uint64_t from_ns, to_ns;   /* of BPF programs; to_ns 0: it is there */
	const char *name, *module; /* module "": the kernel itself; "bpf": a BPF program */
};

struct ksyms {
	struct ksym *list; /* sorted by start; those of one start by from_ns */
	size_t n, cap;
	char **texts; /* all names, each list of kallsyms in one piece */
	size_t ntexts;
	uint32_t *programs; /* IDs of the BPF programs at the last refresh */
	size_t nprograms;
	uint64_t read_ns; /* when kallsyms was read last */
};

int ksyms_open(struct ksyms *k, struct diag *d);
/* Reads the BPF programs again if there are others than before, at most every KSYMS_PAUSE_S. */
#define KSYMS_PAUSE_S 5
int ksyms_refresh(struct ksyms *k, struct diag *d);
const struct ksym *ksyms_find(const struct ksyms *k, uint64_t address, uint64_t at_ns);
void ksyms_release(struct ksyms *k); /* may be called twice */

/*
 * flight.c: the functions of the last minutes: samples of all CPUs that poll watched devices, in rings that are written
 * over again and again, and whose packets each of them is for. Law: a ring is stopped for the time of a copy of memory
 * alone; the counts of polls go on. A sample below net_rx_action belongs to the device that is polled: the driver's
 * function tells which. Where several devices share that function on a CPU, their busy time in that second is the part
 * of each of them, and what their packets cost by function cannot be told apart. A sample in a NAPI thread belongs to
 * its device. All other samples are nobody's. The parts of a sample add up to 1 at most.
 */

/* A CPU that is sampled into a ring. */
struct flight_cpu {
	int fd;
	void *map;
	uint64_t since_ns; /* 0: not sampled */
};

/* A sample, in the copy. period: ns of cpu-clock, cycles of cycles. */
struct ring_sample {
	uint64_t time_ns, period;
	int tid, cpu;
	const uint64_t *stack; /* innermost first */
	size_t depth;
};

/* What a ring held at one moment. */
struct ring_copy {
	unsigned char *bytes;
	size_t n;
};

struct flight {
	bool on;
	struct diag why; /* on false: why there are no samples */
	char event[16];
	double hz;
	struct flight_cpu *cpus;
	int ncpus;
	struct ksyms names;
	struct components *components;
	struct ring_copy copy;
	double sample_cost_ns, budget_pct;
	uint64_t net_rx_action; /* where that function begins */
	bool told;              /* that some CPU cannot be sampled */
};

/* Measures what a sample costs, which takes half a second of one CPU. */
int flight_open(struct flight *f, const struct watcher *w, double budget_pct, struct diag *d);
/* Once a second: CPUs that began to poll watched devices are sampled from now on; names of new BPF programs. */
int flight_refresh(struct flight *f, struct watcher *w, struct diag *d);

/* A sample of one device: so many of its frames count, and such a part of its period. */
typedef int flight_fn(void *arg, unsigned int slot, double part, const struct ring_sample *s, size_t frames);
/* All samples since then, CPU by CPU, newest first. */
int flight_samples(struct flight *f, const struct watcher *w, uint64_t from_ns, flight_fn *fn, void *arg,
		   struct diag *d);
uint64_t flight_lost(const struct flight *f); /* samples that the kernel lost */
void flight_forget_cpus(struct flight *f);    /* samples begin anew */
/* From when on no ring has lost what was in it, whenever its CPU was sampled first; 0: none has lost any. */
uint64_t flight_kept_ns(struct flight *f);
/* Were all CPUs that polled the slot in that second sampled in all of it? */
bool flight_sampled(const struct flight *f, const struct past_second *s, unsigned int slot);

/* What a packet of one device costs, by component. */
struct flight_cost {
	const char *component;
	double ns, half; /* half: of a 95 % interval */
	uint64_t samples;
};
struct flight_costs {
	struct flight_cost *list; /* dearest first */
	size_t n;
	double packets, seconds;
};
/* costs: one for each slot, to be released. Of the last so many seconds, or of those that there are. */
int flight_cost(struct flight *f, const struct watcher *w, double seconds, struct flight_costs costs[WATCH_SLOTS],
		struct diag *d);
void flight_costs_release(struct flight_costs costs[WATCH_SLOTS]);
void flight_release(struct flight *f); /* may be called twice */

/*
 * sides.c: what devices, queues, CPUs and the stack did in each of the last intervals. Law: everything is read at the
 * end of an interval, so that what goes in and what comes out is of the same time. An interval that lies on both sides
 * of a moment is in neither. A growth that is not known makes the sum not known. Numbers of queues are means over
 * intervals, weighted by looks; most is the highest.
 */

#define SIDES_QUEUES 128 /* of an interval, those that held something first */

struct sides_key {
	char of[24], name[80];
	uint64_t used; /* the number of the last interval in which it was */
	double total;  /* at the last interval's end; NaN: not seen yet */
};

/* The growth of one key. */
struct sides_amount {
	uint32_t key;
	double value;
};

struct sides_interval {
	uint64_t from_ns, to_ns;
	struct sides_amount *amounts;
	struct queue_seen *queues;
	size_t n, cap, nqueues, queues_cap;
};

struct nl_sock;

struct sides {
	struct sides_interval intervals[PAST_S];
	size_t first, n; /* the oldest one, how many there are */
	struct sides_key *keys;
	size_t nkeys, hint;
	uint64_t number;        /* of the interval */
	struct cpu_times *cpus; /* at the last interval's end */
	struct nl_sock *route;  /* in the devices' namespace */
};

int sides_add(struct sides *s, const struct watcher *w, const struct queues *q);
/*
 * The intervals that lie in [from, to), each with from_ns, to_ns and "values" by name: what devices polled, what CPUs
 * did, mean fills of queues. NULL: no memory.
 */
json_t *sides_intervals(const struct sides *s, uint64_t from_ns, uint64_t to_ns);
/* Sums over the intervals that lie in [from, to); NULL: no memory. */
json_t *sides_between(const struct sides *s, uint64_t from_ns, uint64_t to_ns, const char *part);
void sides_release(struct sides *s); /* may be called twice */

/*
 * states.c: the machine's state at many moments. Law: a reading is made by a child, at the priority of this process: at
 * a lower one it would not come to a CPU where the machine is busiest. It ends with this process. It is made when
 * somebody asks, and else as often as STATES_PCT of one CPU pays for, and not more often than each STATES_EVERY_S. A
 * change came between two readings, and its time is that of both.
 */

#define STATES_EVERY_S 5
#define STATES_PCT     0.2
#define STATES_KEPT    64

struct states_reading {
	uint64_t at_ns;
	json_t *state;
	json_t *objects; /* shared with an older one that was the same */
};

struct states {
	pid_t pid; /* of the child that reads; 0: none does */
	int fd;    /* where it writes */
	uint64_t began_ns, ended_ns;
	double cost_ms; /* of the last reading */
	struct states_reading kept[STATES_KEPT];
	size_t first, n;
};

/* Begins a reading, unless one is under way. now: whether or not one is due. */
void states_ask(struct states *s, const struct devices *ds, const struct queues *q, bool now);
/* Takes what a reading has brought. wait: until it has ended. Returns whether none is under way. */
bool states_take(struct states *s, bool wait);
/* The readings in [from, to), whose parts meet at the moment; 0: there is none. NULL: none was read, or no memory. */
json_t *states_between(const struct states *s, uint64_t from_ns, uint64_t moment_ns, uint64_t to_ns);
void states_release(struct states *s); /* may be called twice */

/*
 * state.c: what may make packets dearer, slower or fewer when somebody changes it: a machine's settings, and the tasks
 * that take packets up. Law: nothing is changed. Numbers that the kernel gives anew each time, as those of programs,
 * are no part of a value: two readings differ only if somebody changed something. What cannot be seen is a sentence of
 * "unknown", and has no value; what this process may not see of a task is null.
 */

#define STATE_SOCKETS 256

struct state_wanted {
	uint64_t sockets[STATE_SOCKETS];
	size_t nsockets;
	bool taps;
};

json_t *state_read(const struct devices *ds, const struct state_wanted *wanted);

/*
 * dump.c: the last minutes as a run directory of the view "watch". Law: busy time comes from the polls' clock and costs
 * of functions from samples, so that they check each other. Names are those that the functions had when the samples
 * were taken. Counting goes on meanwhile.
 */

struct dump_options {
	const char *dir;
	bool force;
	uint64_t from_ns, moment_ns; /* moment_ns 0: there was none */
	json_t *command;             /* borrowed */
	const char *why;             /* what asked for it */
	bool trigger;                /* a trigger did */
	json_t *queues;              /* borrowed; what was seen of queues last; NULL: nothing */
	const struct sides *sides;
	const struct states *states;
};

/* On success, *blocks is their number. */
int dump_write(const struct dump_options *o, const struct watcher *w, struct flight *f, size_t *blocks, struct diag *d);

/*
 * show.c: what a watch tells, and whom: people, programs, a terminal, Prometheus, triggers, and who asks for a dump.
 * Units: in the names; NaN, null: not known. Law: every number of the text is in the object, which triggers judge. A
 * cost whose interval is wider than itself is "-" for people.
 */

/* show.c: text of at most 80 columns but for names; objects, which the caller owns. NULL: no memory */

#define WATCH_SCHEMA           "xdpzoom.watch/1"
#define WATCH_FUNCTIONS_SCHEMA "xdpzoom.watch-functions/1"
#define WATCH_QUEUES_SCHEMA    "xdpzoom.watch-queues/1"

#define SHOW_HEAD "   time device            packets/s        ns/packet pk/poll empty  full   busy\n"

const char *show_device(const struct watch_line *line);
void show_programs(FILE *out, const struct watch_line *line);
void show_line(FILE *out, const struct watch_line *line);
json_t *show_line_object(const struct watch_line *line);
/* What a packet of a device costs by component; most: how many components the text has. */
void show_functions(FILE *out, const char *device, const struct flight_costs *costs, size_t most);
json_t *show_functions_object(const char *device, const struct flight_costs *costs, double time_s);
/* "xzrx ring 0", "udp socket at port 9", "cpumap 12 on CPU 1" */
void show_queue_name(const struct queue_seen *s, char *to, size_t size);
/* Queues that held something, and, where all is true, those that nothing is known of. */
void show_queues(FILE *out, const struct queues *q, bool all);
json_t *show_queue_object(const struct queue_seen *s);
json_t *show_queues_object(const struct queues *q, const struct watcher *w);
int show_put(FILE *out, json_t *o); /* a line of JSON Lines; the caller keeps o */

/* screen.c: a terminal: a row for each device, queues, cost, events; redrawn in place from TEXT_LEAST columns on */

#define SCREEN_EVENTS 6

struct screen {
	bool on, paused, help, typing; /* typing: a filter */
	void *terminal;
	struct watch_line lines[WATCH_SLOTS]; /* of this interval; while it is paused, of one before */
	size_t n, order;
	unsigned int chosen;             /* a slot */
	int row;                         /* where the chosen device stands; -1: nowhere */
	size_t fired;                    /* triggers, since the beginning */
	char filter[32], message[200];   /* message: on the last line until the next key */
	char events[SCREEN_EVENTS][240]; /* the newest first */
	char *frame;                     /* as it was drawn last */
};

/* What a frame shows beside lines; all borrowed. */
struct screen_view {
	const struct watcher *w;
	const char *of; /* what is watched, as it was named */
	size_t armed;   /* triggers */
	const struct queues *queues;
	const struct flight_costs *costs; /* of each slot */
};

enum screen_wish { SCREEN_NOTHING, SCREEN_QUIT, SCREEN_DUMP, SCREEN_DRAW };

bool screen_open(struct screen *s); /* false: ncurses does not know this terminal */
/* A line of a log with its time: among the screen's events, or on standard error where there is no screen. */
void screen_event(struct screen *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
enum screen_wish screen_key(struct screen *s);
void screen_draw(struct screen *s, const struct screen_view *v);
void screen_close(struct screen *s); /* gives the terminal back, and prints the last frame; may be called twice */

/* metrics.c: OpenMetrics, in a file that is replaced as a whole, and at http://127.0.0.1:port/metrics */

struct metrics;

/* where: a port, or a file; NULL: *m is NULL, and the others do nothing with that. */
int metrics_open(struct metrics **m, const char *where, struct diag *d);
int metrics_add(struct metrics *m, const struct watch_line *line);
/* In a thread of its own, with the capabilities that the process has then. */
int metrics_serve(struct metrics *m, struct diag *d);
/* After each interval. unwatched: devices that there is no room for. */
int metrics_publish(struct metrics *m, size_t unwatched, struct diag *d);
void metrics_close(struct metrics *m);

/* triggers.c */

#define TRIGGERS_MAX   16
#define TRIGGERS_KEEP  100
#define TRIGGER_FAR    4 /* times the scatter: what is learnt to be unusual */
#define TRIGGER_LEARN  300
#define TRIGGER_ENOUGH 30

enum trigger_measure {
	TRIGGER_LOSSES,
	TRIGGER_SQUEEZED,
	TRIGGER_BACKLOG_DROPS,
	TRIGGER_PPS,
	TRIGGER_NS,
	TRIGGER_PER_POLL,
	TRIGGER_EMPTY_PCT,
	TRIGGER_FULL_PCT,
	TRIGGER_BUSY_PCT,
	TRIGGER_QUEUE_PCT,
	TRIGGER_PROGRAMS, /* 1 in an interval in which the device's programs came or went */
	TRIGGER_MEASURES
};

enum trigger_kind { TRIGGER_NUMBER, TRIGGER_PERCENT, TRIGGER_LEARNT };

struct trigger {
	char name[32];
	enum trigger_measure measure;
	enum trigger_kind kind;
	bool below;
	double threshold, for_s;
	double held_s[WATCH_SLOTS]; /* how long it has been true by now */
	bool fired[WATCH_SLOTS];
};

/* What one device did in one interval. */
struct trigger_values {
	unsigned int slot;
	double seconds, values[TRIGGER_MEASURES];
};

struct triggers {
	struct trigger list[TRIGGERS_MAX];
	size_t n;
	double pause_s; /* no trigger makes a dump so soon after another one */
	int keep;       /* how many dumps of triggers are kept */
	struct trigger_past *past[WATCH_SLOTS];
};

/*
 * A line of the file for each trigger: NAME MEASURE > THRESHOLD [for TIME], or <. "#" begins a comment. THRESHOLD is a
 * number, "N%" of what is usual, or "learnt". "pause TIME", "keep N". path NULL: the triggers of default_text.
 */
int triggers_read(struct triggers *t, const char *path, struct diag *d);
/*
 * In an object of show_line_object() of the device that has this slot since then: the first trigger that came true, as
 * its condition has held for its time, and was false before; NULL: none. words: what is measured, from -> to. What is
 * usual is the median of the last TRIGGER_LEARN intervals, for ns_per_packet of those with as many packets per poll, to
 * an octave; while fewer than TRIGGER_ENOUGH are known, nothing is unusual. What holds a trigger true is not learnt.
 * Scatter is 1.4826 times the median absolute deviation: seconds of a shared machine have heavy tails.
 */
const struct trigger *triggers_object(struct triggers *t, const json_t *o, unsigned int slot, uint64_t since_ns,
				      char *words, size_t size);
/* For a file of such objects, a line each: prints which came true, and counts them. */
int triggers_replay(struct triggers *t, const char *path, unsigned long *count, struct diag *d);
void triggers_release(struct triggers *t); /* may be called twice */

/*
 * ask.c: a dump is asked for by SIGUSR2, or over a socket without a file, which one watch of a namespace has. Where a
 * user has taken its name, root's watch listens at a file in LOCK_DIR.
 */

struct ask_request {
	double after_s; /* go on for so long before the dump */
	char dir[4096]; /* "": the watch chooses */
};

struct ask {
	int listen_fd, client_fd; /* -1: none; the client waits for an answer */
	char beside[64];          /* the file at which it listens; "": none */
};

/* In the namespace where others will ask. A process of another user, root aside, is neither heard nor believed. */
int ask_listen(struct ask *a, struct diag *d);
/* Returns whether somebody asked, without waiting. A signal's request has no directory and the default time. */
bool ask_next(struct ask *a, double default_after_s, struct ask_request *r);
void ask_answer(struct ask *a, int err, const char *sentence);
void ask_release(struct ask *a); /* may be called twice */
/* For another process: waits for the answer, which is put into d. -ESRCH: no watch listens; or what it failed with */
int ask_dump(const struct ask_request *r, struct diag *d);
/* "READY=1", "WATCHDOG=1", as sd_notify(3) has it. Without NOTIFY_SOCKET nothing is done. */
void ask_notify(const char *words);

#endif
