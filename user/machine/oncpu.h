/*
 * oncpu - the time that tasks were on a CPU
 *
 * in:    thread ids, as in /proc
 * units: ns on the CPU since the task began, with the time that interrupts took meanwhile
 * law:   the time is the first field of /proc/PID/schedstat, which the kernel updates at each tick. For a watched task,
 *        the time is less the waits: the kernel also charges a task for the wait between its wakeup and its start
 *        (waits.bpf.c). With the waits, a receiver that sleeps between polls would seem up to two or three times as
 *        busy (tests/bench/wakeups.sh). Watching costs two table look-ups for each context switch, and nothing for a
 *        task that is not switched
 * error: -EOPNOTSUPP the kernel allows no such program: the times then contain the waits. -ESRCH no such task
 */
#ifndef USER_ONCPU_H
#define USER_ONCPU_H

#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"

struct waits_bpf;

struct oncpu_time {
	uint64_t ns;
	int64_t waits_ns; /* the waits since oncpu_watch(), which ns does not contain; 0: the task is not watched */
};

struct oncpu {
	struct waits_bpf *skel; /* NULL: waits are not known */
};

int oncpu_open(struct oncpu *c, struct diag *d);
/* -EEXIST: the task is watched already; -E2BIG: no room to watch another task. */
int oncpu_watch(struct oncpu *c, pid_t tid);
void oncpu_forget(struct oncpu *c, pid_t tid);
int oncpu_time(const struct oncpu *c, pid_t tid, struct oncpu_time *t);
/*
 * oncpu_time() for an edge of a window: waits (at most max_wait_ns) until the kernel updates the time, so that the time
 * is true at the moment of return. The update came after *after_ns. When *after_ns is long ago, this thread lost its
 * CPU in between, and the moment of the update is not known well.
 */
int oncpu_edge(const struct oncpu *c, pid_t tid, uint64_t max_wait_ns, struct oncpu_time *t, uint64_t *after_ns);
/* Subtracts the waits from t->ns, a time that the caller read from another clock of the kernel; fills t->waits_ns. */
void oncpu_less_waits(const struct oncpu *c, pid_t tid, struct oncpu_time *t);
void oncpu_close(struct oncpu *c); /* may be called twice */

#endif
