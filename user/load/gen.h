/*
 * gen - live-frame traffic: XDP frames made in the kernel and sent out of a device, as a NIC would deliver them
 *
 * in:    a device whose driver transmits XDP frames, and the frames' shape
 * out:   frames on the wire; what left is told by the device's own counters, not by what was asked for
 * units: frames, bytes without FCS, frames per second, ns
 *        With a window, frames leave as others are counted by the program they arrive at (rig_close_loop()).
 * law:   one BPF_PROG_TEST_RUN call lasts ten seconds (each pays some 25 ms of set-up and tear-down). Within it the
 * task never gives up its CPU by itself, and the kernel that detaches fentry programs waits until each task has
 * (RCU-tasks). Whoever can ask for short calls before it does so (gen_short_calls()) gets calls of minutes otherwise;
 *        with a count, exactly that many left the device, or the result says how many did
 * error: -EINVAL shape, -EPERM, -EOPNOTSUPP no live frames in this kernel (before 5.18) or a device that sends none,
 *        -ENODEV vanished, -EIO frames do not leave
 * src:   kernel Documentation/bpf/bpf_prog_run.rst, "Running XDP programs in live frame mode"
 */
#ifndef USER_GEN_H
#define USER_GEN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "user/load/remote.h"

#define GEN_MIN_BYTES 60
#define GEN_MAX_BYTES 3000

struct gen_options {
	char dev[16], netns[64]; /* netns "": this one */
	unsigned char dst_mac[6];
	int bytes, flows, batch; /* batch 0: the kernel's 64, less when a rate limit wants it */
	double rate_pps;         /* 0: as fast as it goes */
	/* frames under way to the program whose counts are behind counts_fd; 0: any number */
	int window;
	int counts_fd, counts_cpu; /* a map as in layout.h, and which entry of it; kept open by the caller */
	/* likewise, to the second stage that the program redirects to (stage_close_loop()) */
	int stage_window;
	int stage_counts_fd, stage_cpu;
	uint64_t count;       /* 0: no limit */
	uint64_t duration_ns; /* 0: until stopped */
	/* write each frame before sending: the receiver's first touch misses its cache */
	bool write;
	const volatile sig_atomic_t *short_calls; /* set: calls of a quarter of a second; NULL: nobody asks */
	int cpu;                                  /* < 0: where the scheduler likes */
	int netns_fd; /* of the child: the namespace that netns "" means there; -1: the parent's */
	/* On another machine (remote.h): dev is its device. */
	char host[128];  /* as ssh knows it; "": this machine */
	char tool[8];    /* "pktgen" or "gen" */
	char dst_ip[64]; /* pktgen: "": its own */
	int threads;     /* pktgen */
};

struct gen_result {
	uint64_t handed;       /* frames the program handed to the device */
	int64_t sent, refused; /* by the device's counters; -1: it has none */
	int64_t back;          /* frames that the sending device received meanwhile; -1: not known */
	uint64_t elapsed_ns;
};

void gen_options_init(struct gen_options *o);
int gen_options_check(const struct gen_options *o, struct diag *d);

/* Sends until count, duration or *stop (set by a signal handler installed without SA_RESTART). */
int gen_run(const struct gen_options *o, const volatile sig_atomic_t *stop, struct gen_result *r, struct diag *d);

/* The same in a child process that dies with this one, or on another machine. */
struct gen_shared;
struct gen {
	pid_t pid; /* 0: none */
	struct gen_shared *shared;
	struct remote remote;
};

bool gen_runs(const struct gen *g);
void gen_init(struct gen *g);
int gen_start(struct gen *g, const struct gen_options *o, struct diag *d); /* returns when frames flow */
/* -ECHILD and a sentence when it has died on its own. */
int gen_check(struct gen *g, struct diag *d);
/* while fentry programs are attached; nothing to do for another machine's */
void gen_short_calls(struct gen *g, bool on);
int gen_stop(struct gen *g, struct gen_result *r, struct diag *d);
void gen_release(struct gen *g); /* kills it if it runs; may be called twice */

#endif
