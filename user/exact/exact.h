/* exact.h - counting in a virtual machine: host.c starts it (vm.c, wire.c), guest.c counts in it (source.c, names.c) */
#ifndef USER_EXACT_EXACT_H
#define USER_EXACT_EXACT_H

#include "base/base.h"
#include "reports/run/run.h"
#include "user/bed/bed.h"
#include "user/gen/gen.h"
#include "user/ladder/ladder.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"
#include "user/stage/stage.h"

/*
 * What `xdpzoom exact` is doing, and the seconds that are left, on stderr. What the steps took on a machine with two
 * CPUs, otherwise idle, is known, but for the build of a kernel. How long the start of the virtual machine takes here
 * tells how much slower this machine is now; and the windows so far tell how long the others take.
 */
enum step { STEP_BUILD, STEP_FETCH, STEP_BOOT, STEP_START };

struct steps {
	bool quiet;
	double variant_s; /* of one variant */
	size_t nvariants;
	bool open; /* the line on the terminal has no end yet */
	uint64_t start_ns, first_window_ns;
	double slower; /* than the known machine; 1 until it is known */
};

/*
 * The host's end of the NIC's wire: frames are sent when the guest asks for them, each once; any user may; no network
 * but two UNIX sockets.
 */
#define WIRE_PORT "4" /* the number of the guest's virtio port */
#define WIRE_SEND "send"
#define WIRE_SENT "sent"

struct wire {
	int dir_fd, listen_fd, ask_fd, frames_fd; /* -1: closed */
	uint64_t sent, random;                    /* random: the state that payloads come from */
	struct frames frames;                     /* a copy, with the addresses of both ends */
	unsigned char *batch;                     /* that is being sent */
	bool varies;                              /* the generator's own frame, with another payload each time */
	char line[64];
	size_t len;
};

void wire_init(struct wire *w);
int wire_open(struct wire *w, const char *dir, const struct frames *frames, struct diag *d);
/* readable: call wire_serve() */
int wire_serve(struct wire *w, struct diag *d);
void wire_release(struct wire *w); /* may be called twice */

/*
 * The harness of virtual machines (vm/): finds it, fetches a kernel, runs a command in a machine.
 *
 * law:   what is started ends with this process, however it ends; a machine that makes no progress is ended; a line
 *        of the guest names no kernel and controls no terminal
 */
struct vm {
	char program[PATH_MAX];                        /* this one */
	char room[2 * PATH_MAX], plugin[2 * PATH_MAX]; /* the folder of vm/run; the counting plugin */
	char word[64];                                 /* the kernel, as vm/run names it */
	char emulator[64];                             /* QEMU's version */
	char compiler[MADE_COMPILER_BYTES];            /* of the guest's kernel; text of the guest, printable */
	char image[PATH_MAX], modules[PATH_MAX];       /* of a tree's kernel; modules "": it has none */
	char options[32768];                           /* of the kernel's configuration, "NAME=VALUE\n" by name */
	char source[128];                              /* what git calls the tree's sources; "": nothing */
	char kernel[128];                              /* the release, once the guest has reported it */
	json_t *mitigations;                           /* object: what the guest says of each vulnerability */
	double patience_s;                             /* what the guest may do in silence, beyond the usual */
	bool verbose;
	bool fetching;    /* vm/fetch or vm/tree speaks, and no guest */
	char words[4096]; /* the last line on stderr that reports no progress */
	struct steps *steps;
	struct wire *wire; /* NULL: the guest's NIC has no wire to the host */
	struct diag *d;
};

int vm_find(struct vm *v);
/* The kernel in a tree of Linux, for vm_fetch(); nic: the driver that it needs. build: what is missing or old. */
int vm_tree(struct vm *v, const char *tree, const char *nic, bool build);
/*
 * Fetches the kernel if the cache lacks it, or makes a kernel of one's own bootable: a file, with the folder of its
 * modules (NULL: none). v->word is then its name for vm/run, and v->options has its options, as far as something tells
 * them.
 */
int vm_fetch(struct vm *v, const char *kernel, const char *modules);
/* argv: a program of the harness without its folder, and its arguments; ends with NULL. Returns when it has ended. */
int vm_run(struct vm *v, const char **argv);

/*
 * places - what the memory of this kernel holds: slab caches, per-CPU memory, pages of page pools, vmalloc
 *
 * law:   a page of a slab has the name of its cache: of several caches that the kernel has merged, that of the first. A
 *        page of the page allocator that is of no slab and of no page pool is "page": packets, buffers and rings of
 *        drivers, free pages too. What this kernel does not tell has no line
 */
struct segment { /* of /proc/kcore */
	uint64_t start, bytes, offset;
};

enum place_symbol { DIRECT_MAP, PAGE_STRUCTS, CPU_OFFSETS, CPU_BYTES, PLACE_SYMBOLS };

struct places {
	uint64_t symbols[PLACE_SYMBOLS]; /* addresses; 0: this kernel has none */
	struct segment segments[64];
	size_t nsegments;
	int kcore, flags; /* -1: not open */
	/* offsets of members; struct_page: the size; order: of a free block, 0: not known */
	uint32_t struct_page, slab_cache, cache_name, pp_magic, order;
	uint16_t *of_page; /* by number: index of names, + 1 */
	size_t npages;
	char (*names)[64];
	uint64_t *caches; /* by index of names; 0: no slab cache */
	size_t nnames;
};

void places_init(struct places *p);
void places_open(struct places *p); /* after symbols_write(), which notes what it needs */
int places_write(struct places *p, const char *path, struct diag *d);
void places_release(struct places *p); /* may be called twice */

/*
 * symbols - the functions of this kernel for the counting plugin: /proc/kallsyms, read once, and the program under test
 *
 * law:   /proc/kallsyms takes seconds under emulation, so it is read for the first program, and of the next ones only
 *        their own functions are taken. A program of several functions is read from /proc/kallsyms
 */
struct symbols {
	char program[160]; /* out: the symbol of the program */
	/* in: "z NAME": each call of this function is a poll; "r NAME": it is counted beside polls; NULL: neither */
	const char *poll;
	bool polls;       /* private: the kernel has this function */
	uint64_t address; /* private: of a function of the kernel with that name; 0: there is none */
	long kernel;      /* private: bytes of the file that belong to the kernel; 0: to be written */
};

/*
 * places NULL: no data structures are wanted. function: without a program under test, a function of this kernel that
 * the polls of any device may call, once for each frame; the device that is polled first is under test. All of
 * /proc/kallsyms is read then: modules and programs may be new. NULL: b has a program.
 */
int symbols_write(struct symbols *s, const char *dir, const struct bench *b, const char *function,
		  struct places *places, struct diag *d);

/*
 * A layer of a ladder, with a pair of veth devices of its own, as in `record --ladder`. Softirqs receive. A thread that
 * reads is a real-time task on the same CPU: after each batch it runs until nothing is left to read, so each batch
 * finds it asleep. Frames for the layer udp-gro have a UDP checksum, without which GRO merges none (gen.h); those for
 * other layers have none, as for XDP programs.
 */
/* Veth calls it once for each frame that the generator sends. */
#define LAYER_PAIR_FUNCTION "veth_xdp_rcv_one"

struct layer_pair {
	struct rig_arms arms;
	struct netdev rx, tx;
	struct layer layer;
	const struct bench_counts *sink; /* at tx; NULL: the layer counts the frames */
	struct frames frames; /* one: the generator writes it anew each time, because layers change headers */
};

/*
 * source - where the frames of `xdpzoom exact` come from, inside the virtual machine
 * On the lab (veth) the kernel's live frames come from the other end of the pair; in a machine of two CPUs, from the
 * other CPU, as `xdpzoom record lab` sends them. On a NIC frames come from the host, over the wire: the guest asks for
 * a batch, and the host sends it. On a tap (tun) they are written to it, one by one.
 *
 * law:   a batch is asked for when the one before has been counted, so no ring overflows. Frames are received in
 *        softirq: nothing is lost, and runs repeat to the instruction. In a machine of two CPUs the sender keeps the
 *        ring full, and a NAPI kthread receives: polls and pages then depend on how the CPUs take turns
 */
#define SOURCE_VETH "veth"
#define SOURCE_TUN  "tun"
/* A tap has no NAPI unless it asks for one: each frame that is written is received within this function. */
#define SOURCE_TUN_POLL "z tun_get_user"
/* What the reader of an AF_XDP socket calls; where it polls its queue, NAPI is polled within that call. */
#define SOURCE_READER_BUSY   "z __sys_recvfrom"
#define SOURCE_READER_ASKED  "r __sys_recvfrom"
#define SOURCE_READER_SLEEPS "r do_sys_poll"

struct source {
	bool lab, two_cpus; /* two_cpus: sender and receiver have one each */
	const char *landed; /* the lab's device where the frames arrive that the program sends or redirects; or NULL */
	struct xsk_queue socket; /* where it redirects them to, if it is open; it is read between two batches */
	int64_t received;        /* frames that were read from it */
	int port;                /* to the host; -1: none */
	int tap;                 /* whose frames are written here; -1: none */
	unsigned char frame[GEN_BYTES];
	const struct frames *frames;
	struct netdev nd;
	struct layer_pair pair; /* open: a layer is counted, and no program */
};

void source_init(struct source *s);
int source_open(struct source *s, const char *nic, const struct frames *frames, struct diag *d);
/* A variant that is a layer: opens it, and leaves b alone. */
int source_attach(struct source *s, struct bench *b, const struct run_variant *v, struct diag *d);
void source_detach(struct source *s); /* closes a layer; may be called twice */
int source_seen(const struct source *s, const struct bench *b, uint64_t *frames, struct diag *d);
/* Sends so many batches; *sent is what the sender itself counted. */
int source_send(struct source *s, const struct bench *b, unsigned int batch, unsigned int batches, uint64_t *sent,
		struct diag *d);
void source_release(struct source *s); /* may be called twice */

/*
 * guest - the part of `xdpzoom exact` that runs inside the virtual machine, as root
 *
 * law:   what was sent has arrived, in each window. Commands of own programs run here: they see the files of the host
 *        that vm/run shows, and what they write stays in the virtual machine
 */
/* begins a line on stderr: the compiler of the guest's kernel */
#define GUEST_COMPILER   "xdpzoom-compiler "
#define GUEST_MITIGATION "xdpzoom-mitigation " /* begins a line on stderr: a vulnerability, and what is done about it */
#define GUEST_PROGRESS   "xdpzoom-progress "   /* begins a line on stderr: number, of how many, variant */

#define GUEST_FLAG "--in-guest" /* before the NIC and the words of the host, if this process is the guest's */

struct guest_options {
	const char *nic; /* by its driver; veth: the lab */
	const char *const *variants;
	size_t nvariants;
	size_t layers;               /* of the variants; they have no lines from other CPUs */
	bool memory;                 /* count loads, stores and lines too */
	struct own_options own;      /* of programs of the user's own */
	const struct frames *frames; /* sent in this order, again and again; NULL: the generator's own frame */
};

int guest_count(const struct guest_options *o, const char *dir, struct diag *d);

/*
 * host - the part of `xdpzoom exact` that starts the virtual machine and turns what it counted into a run directory
 *
 * law:   any user may; nothing is written but the run directory and the cache of kernels ($XDG_CACHE_HOME/xdpzoom, or
 *        ~/.cache/xdpzoom); the virtual machine ends with this process, however that ends; a run directory is complete
 *        or absent. The guest is a stranger: its files are read as foreign ones, its names, numbers and words are
 *        checked, and of this machine's files it sees those that were named
 */
struct host_options {
	struct guest_options what;
	const char *words; /* of the command line, for the guest: an argz vector */
	size_t words_bytes;
	json_t *command;    /* the whole command line, for run.json */
	json_t *pmu;        /* members of run.json: what a PMU counted, "variants": of each by its id; NULL: nothing */
	const char *append; /* what the kernel boots with, behind the usual; "": nothing */
	const char *kernel; /* a version of Debian's, a file, FILE:DIR with its modules, or a tree of Linux */
	const char *out_dir;
	bool build;                        /* what of the tree is missing or old */
	const struct frame_source *frames; /* whose files the guest reads */
	bool force, quiet;
};

int host_count(const struct host_options *o, struct diag *d);

#endif
