/*
 * bench - the program under test: loaded for one variant, attached in one mode, counted
 *
 * in:    a parsed variant (run.h), a device that is up
 * out:   an attached program that is detached when this process ends (bpf_link); its id, tag and the mode that the
 *        kernel reports
 * units: packets, per CPU and verdict, since loading
 *        drop/bare is the program that only returns XDP_DROP. Its counts stay 0; it shows what counting costs.
 *        A program of the user's own (own.h) counts nothing that we can read: its packets are those that the
 *        device's NAPI polls took up, all of them under BENCH_UNTOLD
 * law:   after bench_attach() returned 0 the kernel has confirmed program id and mode; native never becomes skb
 *        silently; a program that another process attached is never replaced
 * error: -EBUSY the device carries a program already, -EOPNOTSUPP the driver refuses the mode (the sentence has the
 *        driver's own words, if any), -EPERM; nothing is left attached
 */
#ifndef USER_BENCH_H
#define USER_BENCH_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include "bpf/layout.h"
#include "base/diag.h"
#include "reports/run/run.h"
#include "user/machine/netdev.h"
#include "user/programs/dispatcher.h"

struct xdp_bench_bpf;
struct arrivals_bpf;
struct own_list;
struct bpf_program;

struct bench {
	struct xdp_bench_bpf *skel;    /* NULL: a program of the user's own */
	struct arrivals_bpf *arrivals; /* counts for it; else NULL */
	struct bench_count *counts;    /* mapped: of each CPU, written by the program */
	int counts_fd;                 /* the map that counts is mapped from: one struct bench_counts */
	int ncpus;
	struct bpf_program *prog;
	struct dispatcher dispatcher; /* in front of our own program; of a program of the user's own, see own.h */
	int prog_fd;                  /* what is attached */
	int out_fd;                   /* the map that frames are redirected through; stage_open() fills it; -1: none */
	int link_fd;
	bool frags; /* set before bench_load(): our program says that it takes frames of several buffers */
	uint32_t prog_id;
	char tag[20], name[20];
	enum run_mode mode_found;
	int instructions, bytes; /* of BPF, and of machine code (0: it is interpreted); -1: not known */
};

void bench_init(struct bench *b);
/*
 * Does the device's MTU, or that of a veth's peer, allow frames that lie in several buffers? Drivers then refuse a
 * program that does not say that it takes them.
 */
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
void bench_read(const struct bench *b, struct bench_count *per_cpu); /* ncpus entries */
void bench_read_cpu(const struct bench *b, int cpu, struct bench_count *c);
uint64_t bench_seen(const struct bench *b);                           /* all CPUs, all verdicts */
uint64_t bench_verdicts(const struct bench *b, unsigned int verdict); /* all CPUs */
double bench_plant_ns(const struct bench *b); /* read by the clock around the plant so far, all CPUs */
/* The sum over all verdicts of ncpus entries. */
uint64_t bench_counts_sum(const struct bench_count *counts, int ncpus);
/* Asks the kernel: is this program still on the device? Fills b->mode_found. */
bool bench_confirm(struct bench *b, const struct netdev *nd);
/* What counts for a program of the user's own counts all packets of nd from now on, whatever is attached there. */
void bench_watch(struct bench *b, const struct netdev *nd);
/*
 * Puts the loaded program next on nd in the place of the attached one, in the same mode, by one bpf_link_update(): the
 * device never is without a program. -EOPNOTSUPP: the kernel or the driver refuses; then everything is as it was.
 */
int bench_exchange(struct bench *attached, struct bench *next, const struct netdev *nd, struct diag *d);
void bench_detach(struct bench *b);  /* the counts stay readable */
void bench_release(struct bench *b); /* detaches; may be called twice */

const char *bench_verdict_name(unsigned int verdict); /* "XDP_DROP" */

#endif
