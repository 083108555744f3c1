/*
 * probe - the programs of watch.bpf.c: which devices and threads they count, and what they have counted
 *
 * in:    slots from WATCH_BACKLOG + 1 on, which the caller gives to devices; this process is in the devices' namespace
 * out:   probe_read(): counts, ncpus times WATCH_SLOTS of them, in the caller's memory, without a system call
 * units: packets, polls, ns
 * law:   nothing is attached to a device, and no program is replaced. When this process ends, however it does, nothing
 *        of this is left. A NAPI thread that runs now has its time up to now in what is read, and no reading is below
 *        the one before. While own costs are measured, times are too long
 * error: -EOPNOTSUPP this kernel cannot do it; -EEXIST two devices, or two threads, share an entry of the table
 */
#ifndef USER_WATCH_PROBE_H
#define USER_WATCH_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/types.h>
#include "base/diag.h"
#include "bpf/layout.h"

struct watch_bpf;

/* What the programs cost on this machine; NaN: not known yet. */
struct own_costs {
	double count_ns; /* a poll that is counted */
	double poll_ns;  /* and timed */
	double entry_ns; /* the beginning of a softirq that is timed */
	double tail_ns;  /* no cost of these programs: how long a softirq goes on after its last poll */
};

struct probe {
	struct watch_bpf *skel;
	int ncpus;
	struct watch_polls *counts; /* in the kernel's memory */
	struct watch_cpu *cpus;
	bool threads; /* the programs of NAPI threads are attached */
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
pid_t probe_stranger(struct probe *p, unsigned int slot);
/* The function by which a slot's device is polled becomes unknown, for another device. */
void probe_forget(struct probe *p, unsigned int slot);
/*
 * After each look, until own is known: attaches what measures it, and detaches it when PROBE_MEASURED polls and
 * softirqs have been. softirqs: there were polls in softirqs that are timed.
 */
#define PROBE_MEASURED 128
void probe_measure_own(struct probe *p, bool softirqs);
/* before: what the call before has read. */
void probe_read(const struct probe *p, const struct watch_polls *before, struct watch_polls *to);
void probe_close(struct probe *p); /* may be called twice */

#endif
