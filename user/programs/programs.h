/* programs - XDP and tc programs: loaded, attached, with injected costs, counted */
#ifndef USER_PROGRAMS_H
#define USER_PROGRAMS_H

#include "base/base.h"
#include "bpf/layout.h"
#include "reports/run/run.h"
#include "user/machine/machine.h"

/*
 * dispatcher - an XDP program that calls the program under test, as libxdp's dispatcher does (bpf/dispatcher.bpf.c)
 *
 * law:   dispatcher_open() turns the program into a replacement (freplace) for the dispatcher's function; then it can
 *        be attached to nothing else. All is gone after dispatcher_close(), and when this process ends
 */

struct bpf_program;
struct dispatcher_bpf;

struct dispatcher {
	struct dispatcher_bpf *skel; /* NULL: not open */
	int link_fd;
};

void dispatcher_init(struct dispatcher *dp);
/* prog: opened and not yet loaded. */
int dispatcher_open(struct dispatcher *dp, struct bpf_program *prog, struct diag *d);
/* The same program, loaded. */
int dispatcher_link(struct dispatcher *dp, const struct bpf_program *prog, struct diag *d);
/* The sentence when the program cannot be loaded; false: the reason lies elsewhere. */
bool dispatcher_refused(const struct dispatcher *dp, int err, struct diag *d);
int dispatcher_fd(const struct dispatcher *dp); /* of the program to attach; -1: not open */
void dispatcher_close(struct dispatcher *dp);   /* may be called twice */

/*
 * tc_hook - a tc program on the way into a device
 *
 * law:   tc_hook_close() removes what tc_hook_open() attached. When this process is killed, the kernel does (tcx, from
 *        Linux 6.6 on), or a guard. A clsact hook that was there stays there. Of two hooks of ours on one device, the
 *        later one is closed first
 */

struct tc_hook {
	int link_fd;        /* where the kernel has tcx (6.6); -1: none */
	struct guard guard; /* of a filter of clsact */
};

void tc_hook_init(struct tc_hook *h);
/* By tcx, or on Linux before 6.6 by clsact; and by clsact. */
int tc_hook_open(struct tc_hook *h, const struct netdev *nd, int prog_fd);
int tc_hook_open_clsact(struct tc_hook *h, const struct netdev *nd, int prog_fd);
void tc_hook_close(struct tc_hook *h); /* may be called twice */

/*
 * bench - the program under test: loaded for one variant, attached in one mode, counted
 *
 * law:   after bench_attach() returned 0 the kernel has confirmed program id and mode; native never becomes skb
 *        silently; a program that another process attached is never replaced
 */

struct xdp_bench_bpf;
struct arrivals_bpf;
struct own_list;

struct bench {
	struct xdp_bench_bpf *skel;    /* NULL: a program of the user's own */
	struct arrivals_bpf *arrivals; /* counts for it; else NULL */
	struct bench_count *counts;    /* mapped: of each CPU, written by the program */
	int counts_fd;                 /* the map that counts is mapped from: one struct bench_counts */
	int ncpus;
	struct bpf_program *prog;
	struct dispatcher dispatcher; /* in front of our own program; of the user's, see struct own */
	int prog_fd;                  /* what is attached */
	int out_fd;                   /* the map that frames are redirected through; stage_open() fills it; -1: none */
	int link_fd;                  /* of XDP, tcx or netkit; -1: none */
	int netkit;                   /* the device whose program it is in that mode; 0: the one that frames come to */
	int primary, primary_netns;   /* where it is a peer: the primary device, and that one's namespace */
	struct tc_hook clsact;        /* the filter, in that mode */
	bool frags; /* set before bench_load(): our program says that it takes frames of several buffers */
	uint32_t prog_id;
	char tag[20], name[20];
	enum run_mode mode_found;
	int instructions, bytes; /* of BPF, and of machine code (0: it is interpreted); -1: not known */
};

void bench_init(struct bench *b);
/* Does the MTU (of a veth: its peer's) allow frames of several buffers? Drivers then want a program to say so. */
bool bench_frags(const struct netdev *nd);
/* Lets one program of a skeleton that is not loaded yet say so. A map that holds programs wants all alike. */
void bench_say_frags(struct bpf_program *p, const struct netdev *nd);
/* own: holds the program of a variant prog:...; NULL: there is no such variant. */
int bench_load(struct bench *b, const struct run_variant *v, const struct own_list *own, struct diag *d);
int bench_attach(struct bench *b, const struct netdev *nd, enum run_mode mode, struct diag *d);
/* Attaches by netlink, so that the program stays when this process ends; `ip link set DEV xdp off` removes it. */
int bench_attach_for_good(struct bench *b, const struct netdev *nd, struct diag *d);
/* *seen: packets that a program of bench_attach_for_good() has counted. -ENOENT: there is no such program on nd. */
int bench_count_attached(const struct netdev *nd, uint64_t *seen);
/* The map of counts of our program on nd, in either mode; the caller closes it. -ENOENT: none of ours counts there. */
int bench_open_counts(const struct netdev *nd);
const struct bench_counts *bench_counts_of(const struct netdev *nd); /* for munmap(); NULL: as above, errno */
void bench_read_cpu(const struct bench *b, int cpu, struct bench_count *c);
uint64_t bench_seen(const struct bench *b);                           /* all CPUs, all verdicts */
uint64_t bench_verdicts(const struct bench *b, unsigned int verdict); /* all CPUs */
double bench_injected_ns(const struct bench *b); /* read by the clock around the injection so far, all CPUs */
/* The sum over all verdicts of ncpus entries. */
uint64_t bench_counts_sum(const struct bench_count *counts, int ncpus);
/* Asks the kernel: is this program still on the device? Fills b->mode_found. */
bool bench_confirm(struct bench *b, const struct netdev *nd);
/* What counts for a program of the user's own counts all packets of nd from now on, whatever is attached there. */
void bench_watch(struct bench *b, const struct netdev *nd);
/*
 * By one bpf_link_update(): the device never is without a program. *attached and *next change places.
 * -EOPNOTSUPP: refused, all is as it was.
 */
int bench_exchange(struct bench *attached, struct bench *next, const struct netdev *nd, struct diag *d);
void bench_detach(struct bench *b);  /* the counts stay readable */
void bench_release(struct bench *b); /* detaches; may be called twice */

const char *bench_verdict_name(unsigned int verdict); /* "XDP_DROP" */

/*
 * fillers - programs that nobody uses, loaded so that the next program lies at a place in memory that is drawn
 *
 * What a native packet costs depends by up to 10 % on where its program lies. The kernel puts a program at the first
 * place that is free, which is the same one again and again, until something else on the machine changes: then all
 * costs jump.
 *
 * law:   programs that are loaded already stay where they are. Where the kernel takes no fillers, nothing is drawn
 * src:   costs at 150 addresses (docs/figures.rst); Curtsinger and Berger, Stabilizer, ASPLOS 2013
 */

#define FILLERS_MOST 256

struct fillers {
	int fds[FILLERS_MOST];
	size_t n;
};

/* f: all zero, or as the last call left it; more are added. */
void fillers_load(struct fillers *f, uint64_t seed);
void fillers_release(struct fillers *f); /* may be called twice */

/*
 * own - programs of the user's own: loaded or found, given their values, set up, and removed again
 *
 * law:   a variant's mode says whether its program is for XDP or for tc. It is loaded once and keeps its maps until
 *        own_list_close(): what --setup fills stays filled.
 *        A file is loaded as libbpf loads it: tail calls through program arrays that the object fills, BTF, xdp.frags.
 *        One that the verifier wants bound to a device, because it calls metadata kfuncs, is bound to dev.
 *        A map that the object pins by name is the pinned one where the pin exists; else it is pinned nowhere.
 *        Nothing is changed in the object but the values of --set. All that own_list_open() loaded, mounted, pinned or
 *        started is gone after own_list_close(), and when this process ends
 */

struct bpf_object;

struct own_options {
	struct opt_list values;       /* NAME=VALUE */
	const char *setup, *teardown; /* commands for sh; NULL: none */
	double patience_s;            /* for each of them */
	bool verbose;                 /* print the verifier's whole log when it refuses a program */
};

/* clang-format off */
#define OWN_OPTIONS(o)                                                                                                 \
	{"set", 0, OPT_LIST, &(o)->values, "NAME=VALUE", "set a global variable of the programs prog:FILE.o", \
	 .group = GROUP_PROGRAM}, \
	{"setup", 0, OPT_STRING, &(o)->setup, "COMMAND", "run this when a program prog: is loaded, to fill its maps",  \
	 .otherwise = "none", .group = GROUP_PROGRAM},                                                                 \
	{"teardown", 0, OPT_STRING, &(o)->teardown, "COMMAND", "run this before a program prog: is removed",           \
	 .otherwise = "none", .group = GROUP_PROGRAM},                                                                 \
	{"verbose", 'v', OPT_FLAG, &(o)->verbose, NULL, "print more, such as the verifier's whole log", \
	 .group = GROUP_PROGRAM}
/* clang-format on */

#define OWN_PATIENCE_S 60

struct own {
	const struct own_options *o;
	char id[RUN_ID_BYTES];
	struct bpf_object *obj; /* NULL: the program was loaded by somebody else */
	struct bpf_program *prog;
	enum run_mode mode; /* of the variant: for XDP or for tc */
	int prog_fd;
	struct dispatcher dispatcher; /* in front of it; not open: none */
	uint32_t prog_id;
	int pins_fd; /* a BPF file system of our own, mounted nowhere, for the pins that --setup sees; -1: none */
	bool is_up;  /* --setup has run, or there is none */
};

struct own_list {
	struct own_options o;
	char dev[16]; /* the receiver */
	struct own *list;
	size_t n;
};

void own_options_init(struct own_options *o);
/* -EINVAL: the options do not fit together, or no variant is an own program and an option needs one. */
int own_options_check(const struct own_options *o, const struct run_variant *variants, size_t n, struct diag *d);

void own_list_init(struct own_list *l, const struct own_options *o);
/* Loads the own programs among the variants; there may be none. dev: the receiver's name, for --setup. */
int own_list_open(struct own_list *l, const struct run_variant *variants, size_t n, const char *dev, struct diag *d);
/* Runs --teardown for each program that is up, and removes them. A teardown that fails is said in d. */
int own_list_close(struct own_list *l, struct diag *d);

/*
 * inject - extra work in the program under test that costs a known time, to see whether reports find that time again
 *
 * law:   injected_ns is what the clock around the injected cost (bench_count.injected_ns) reads, less what it reads
 *        around none, by BPF_PROG_TEST_RUN back to back; under load the same clock reads it in place, and reports
 *        compare with that. Only whole steps can be injected: it differs from inject_asked_ns by half a step, a
 *        twentieth or what it is not known better than. at_once: a turn has 2048 packets or more, so chains of up to
 *        500 ns are injected for so many at once
 */

/* Fills inject_steps and injected_ns, in one to three seconds for each injection, or ten on a busy machine. */
int injects_calibrate(struct run_variant *v, size_t n, int cpu, bool at_once, struct diag *d);

/*
 * source_lines - the source lines of the XDP programs that are loaded
 *
 * law:   a program without line information (built without -g) has no lines. An address in the compiled code of a
 *        program belongs to the line that began last, in its own function
 */

struct source_line {
	uint64_t address, end; /* end: of its function's code */
	char words[500];       /* "NUMBER FILE\tTEXT", without blanks before the text; a line that is longer is cut */
};

struct source_lines {
	struct source_line *list;
	size_t n, cap;
};

int source_lines_read(struct source_lines *s, struct diag *d);
void source_lines_release(struct source_lines *s); /* may be called twice */
/* The words of the line that this address belongs to; NULL: none. s is a struct source_lines. */
const char *source_lines_find(const void *s, uint64_t address);

#endif
