/*
 * oncpu - the time that tasks were on a CPU
 *
 * in:    thread ids as /proc has them
 * units: ns on the CPU since the task was born, with what interrupts took meanwhile
 * law:   the time is the kernel's, /proc/PID/schedstat, first field, which it brings up to date at each tick; less
 *        what it
 *        charged the task for waiting between wakeup and start (waits.bpf.c), of those that are watched. Without that a
 *        receiver that sleeps between polls seems up to two or three times as busy (tests/bench/wakeups.sh). Watching
 *        costs
 *        each context switch two looks at a table, a task that is not switched nothing
 * error: -EOPNOTSUPP the kernel lets no such program in: then the times are with the waits. -ESRCH no such task
 */
#ifndef USER_ONCPU_H
#define USER_ONCPU_H

#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"

struct waits_bpf;

struct oncpu_time {
	uint64_t ns;
	int64_t waits_ns; /* not in ns: since the task is watched; 0 if it is not */
};

struct oncpu {
	struct waits_bpf *skel; /* NULL: waits are not known */
};

int oncpu_open(struct oncpu *c, struct diag *d);
/* -EEXIST: it is watched already; -E2BIG: as many as can be are. */
int oncpu_watch(struct oncpu *c, pid_t tid);
void oncpu_forget(struct oncpu *c, pid_t tid);
int oncpu_time(const struct oncpu *c, pid_t tid, struct oncpu_time *t);
/*
 * The same at an edge of a window: waits (at most max_wait_ns) until the kernel has just brought the figure up to date,
 * so that it is true at the time of return. That came to pass after *after_ns: long ago, if the CPU was taken away
 * here.
 */
int oncpu_edge(const struct oncpu *c, pid_t tid, uint64_t max_wait_ns, struct oncpu_time *t, uint64_t *after_ns);
/* Takes the waits out of t->ns, which another clock of the kernel told, and says them. */
void oncpu_less_waits(const struct oncpu *c, pid_t tid, struct oncpu_time *t);
void oncpu_close(struct oncpu *c); /* may be called twice */

#endif
