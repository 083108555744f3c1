/*
 * stage - the second stage of a redirect: another device, another CPU (cpumap), an AF_XDP socket
 *
 * in:    a variant that redirects, its program loaded and not yet attached, the device it will be attached to
 * out:   the program's map filled; frames that the second stage took up, those lost on the way by counters with a name,
 *        the on-CPU time of the task it runs in
 * units: frames and ns since stage_open()
 *        dropped: the target device's or the socket's own counters where there are any, else the kernel's tracepoints
 * law:   verdicts XDP_REDIRECT == frames + dropped once nothing is under way; what is not known is -1
 *        The second stage's time is never part of the variant's own: a task is another task than the receiver, and what
 *        runs in softirqs inside the receiver's NAPI thread is taken out (analysis.h)
 * error: -errno with one sentence: no such device, the device itself, CPU offline, no zero-copy, no AF_XDP
 */
#ifndef USER_STAGE_H
#define USER_STAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "user/load/gen.h"
#include "user/programs/bench.h"
#include "user/machine/device_counters.h"
#include "user/machine/netdev.h"
#include "user/machine/oncpu.h"

struct redirects_bpf;
struct socket_stage;

struct stage {
	enum run_stage kind;
	bool native, lab;
	struct netdev out; /* the target device */
	struct device_counters out_counters;
	int cpu;   /* of the task; -1: none */
	pid_t tid; /* that does the second stage's work; -1: none */
	struct redirects_bpf *probe;
	struct redirect_count *counts; /* mapped: ncpus entries */
	int ncpus;
	bool counts_frames, counts_drops; /* the probe does */
	struct socket_stage *socket;
	int64_t frames_before, dropped_before;
};

/*
 * What a variant that redirects leaves open: the lab's second device, a CPU for the cpumap or for the thread at the
 * socket. Checked before anything is touched. -EINVAL
 */
int stage_choose(struct run_variant *v, bool lab, int cpu, struct diag *d);

void stage_init(struct stage *s);
/* Fills v->stage_text and, for whoever reads it, tid and cpu. Without a second stage: nothing, 0. */
int stage_open(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd, bool lab,
	       struct diag *d);
int64_t stage_frames(const struct stage *s);
int64_t stage_dropped(const struct stage *s);
/* Frames so far and the task's on-CPU time, cheap enough for the edge of a window; not known: -1, false. */
int64_t stage_frames_now(const struct stage *s);
bool stage_busy_ns(const struct stage *s, const struct oncpu *clock, uint64_t *ns);
/*
 * Where the loop is closed at the program under test (rig_close_loop()), close it at the second stage as well: the
 * whole path then runs at the pace of its slowest part, and drops nothing.
 */
void stage_close_loop(const struct stage *s, struct gen_options *o);
/* -EOPNOTSUPP and why, when so many redirects brought not one frame to the second stage; however busy the machine. */
int stage_check(const struct stage *s, uint64_t redirected, struct diag *d);
void stage_release(struct stage *s); /* may be called twice */

#endif
