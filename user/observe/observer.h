/*
 * observer - what people leave running beside an XDP program, switched on while one variant is measured
 *
 * in:    one of enum run_observer; the device and the program on it:
 *          bpf-stats      the kernel counts and times the runs of all BPF programs, as bpftop and
 *                         kernel.bpf_stats_enabled have it
 *          packet-socket  a socket like tcpdump's: all frames of the device go into a ring, which a thread empties
 *          fexit          a BPF program at the end of the XDP program, which copies each frame, like xdpdump
 *          dispatcher     nothing here: bench_load() puts libxdp's dispatcher in front of the program
 *          tc             a BPF program in tc, which lets every frame go on
 *          watch          the programs of xdpzoom watch, which count and time all polls
 *          ftrace         all events of the groups net, napi and xdp go into a ring of ftrace, as with trace-cmd
 * law:   observer_close() undoes observer_open(). When this process is killed, descriptors end it. ftrace has none, and
 *        tc has none before Linux 6.6; there a guard waits for the end of this process
 * error: -errno with one sentence; -EOPNOTSUPP this kernel cannot do it
 */
#ifndef USER_OBSERVER_H
#define USER_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "user/programs/programs.h"
#include "user/machine/machine.h"

struct observers_bpf;
struct probe;
struct observer_ring;
struct reader;

struct observer {
	int stats_fd;               /* bpf-stats */
	struct reader *reader;      /* packet-socket */
	struct observers_bpf *skel; /* fexit, tc */
	struct observer_ring *rings;
	int nrings, fexit_fd; /* fexit */
	struct tc_hook hook;  /* tc */
	struct guard guard;   /* ftrace */
	struct probe *probe;  /* watch */
};

struct observer_options {
	enum run_observer kind;
	const struct netdev *nd;
	int prog_fd; /* of the program on the device */
	int cpu;     /* of the packet socket's thread */
};

/* It watches the whole machine, not one device or program. */
bool observer_is_everywhere(enum run_observer kind);
void observer_init(struct observer *ob);
int observer_open(struct observer *ob, const struct observer_options *o, struct diag *d);
int observer_check(const struct observer *ob, struct diag *d); /* does it still watch? */
void observer_close(struct observer *ob); /* in the namespace of observer_open(); may be called twice */

#endif
