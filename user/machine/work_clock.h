/*
 * work_clock - how long a CPU worked for one device: the time of its NAPI thread there, or of its polls in softirqs
 *
 * in:    a device, the CPU that receives its packets, and the thread of its NAPI, if it has one
 * out:   the clock at one moment (struct work_edge); it only grows
 * units: ns; times are CLOCK_MONOTONIC
 * law:   of a thread it is the time from each switch to it until the switch away from it, without waits, and without
 *        the NET_RX softirqs inside, which poll other devices. Of softirqs it is the time of NET_RX softirqs on that
 *        CPU, without the polls of other devices; a poll counts when it ends. The programs are gone when this process
 *        ends, however it ends
 * error: -EOPNOTSUPP this kernel refuses the programs (the sentence has its reason), -ENOMEM
 */
#ifndef USER_WORK_CLOCK_H
#define USER_WORK_CLOCK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "bpf/layout.h"
#include "base/diag.h"

struct edges_bpf;

struct work_clock {
	struct edges_bpf *skel;                       /* NULL: not open */
	struct work_edge of;                          /* whose work */
	const volatile struct turn_foreign *foreigns; /* mapped: polls of other devices, in order */
	double stamp_ns;                              /* what one pair of readings adds; NaN: not measured */
};

struct work_clock_options {
	int cpu, ifindex;
	unsigned int netns; /* inode number of the device's network namespace */
	pid_t tid;          /* of the NAPI thread; 0: polled in softirqs */
};

void work_clock_init(struct work_clock *c);
int work_clock_open(struct work_clock *c, const struct work_clock_options *o, struct diag *d);
int work_clock_read(const struct work_clock *c, struct work_edge *e, struct diag *d);
/* While on, the polls of other devices in softirqs are kept, TURN_FOREIGN of them at most since forget. */
void work_clock_keep_foreigns(struct work_clock *c, bool on);
void work_clock_forget_foreigns(struct work_clock *c);
size_t work_clock_foreigns(const struct work_clock *c);
/* What a pair of readings adds: the mean of those that nothing interrupted; of all, where most took long. 0: no pair */
double work_clock_pair_ns(const struct clock_pairs again[2]);
/* Attach and detach a second stamp; after detaching, stamp_ns is what it measured. Does nothing for a thread. */
int work_clock_calibrate(struct work_clock *c, bool on, struct diag *d);
void work_clock_close(struct work_clock *c); /* may be called twice */

#endif
