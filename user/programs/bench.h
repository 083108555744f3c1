/*
 * bench - the program under test: loaded for one variant, attached in one mode, counted
 *
 * in:    a parsed variant (run.h), a device that is up
 * out:   an attached program that leaves with this process (bpf_link), its id, tag and the mode the kernel reports
 * units: packets, per CPU and verdict, since loading
 *        drop/bare is the program that only returns XDP_DROP, what counting is measured against: its counts stay 0
 * law:   after bench_attach() returned 0 the kernel has confirmed program id and mode; native never becomes skb
 *        silently; a device that carries a program already is left alone
 * error: -EBUSY a program is there, -EOPNOTSUPP the driver refuses the mode (in the driver's own words where it has
 *        any), -EPERM; nothing is left attached
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

struct xdp_bench_bpf;
struct bpf_program;

struct bench {
	struct xdp_bench_bpf *skel;
	struct bench_count *counts; /* mapped: ncpus entries, written by the program */
	int counts_fd;              /* the map behind it */
	int ncpus;
	struct bpf_program *prog;
	int prog_fd;
	int out_fd; /* the map that frames are redirected through, empty at first: stage.h fills it; -1: none */
	int link_fd;
	uint32_t prog_id;
	char tag[20], name[20], mode_found[8];
};

void bench_init(struct bench *b);
int bench_load(struct bench *b, const struct run_variant *v, struct diag *d);
int bench_attach(struct bench *b, const struct netdev *nd, const char *mode, struct diag *d);
/* Attached in the netlink way, to stay when this process ends; `ip link set DEV xdp off` takes it away. */
int bench_attach_for_good(struct bench *b, const struct netdev *nd, struct diag *d);
/* The counters of a program somebody else attached for good: 0 and *seen, or -ENOENT without one of ours. */
int bench_count_attached(const struct netdev *nd, uint64_t *seen);
void bench_read(const struct bench *b, struct bench_count *per_cpu); /* ncpus entries */
void bench_read_cpu(const struct bench *b, int cpu, struct bench_count *c);
uint64_t bench_seen(const struct bench *b);                           /* all CPUs, all verdicts */
uint64_t bench_verdicts(const struct bench *b, unsigned int verdict); /* all CPUs */
/* All verdicts of as many CPUs as were read. */
uint64_t bench_counts_sum(const struct bench_count *counts, int ncpus);
/* The kernel still runs this program in this mode on the device. */
bool bench_confirm(struct bench *b, const struct netdev *nd);
void bench_detach(struct bench *b);  /* the counts stay readable */
void bench_release(struct bench *b); /* detaches; may be called twice */

const char *bench_verdict_name(unsigned int verdict); /* "XDP_DROP" */
const char *bench_action_name(const char *action);    /* "drop" -> "XDP_DROP" */

#endif
