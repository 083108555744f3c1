/*
 * priority - gives the calling thread priority over other tasks on its CPU, for a while
 *
 * law:   priority_restore() restores the CPUs and the nice value from before priority_raise()
 * error: none; a change that the kernel does not allow is not made
 */
#ifndef USER_PRIORITY_H
#define USER_PRIORITY_H

#include <sched.h>
#include <stdbool.h>

struct priority {
	bool raised; /* false: the other members are not filled */
	cpu_set_t cpus;
	int nice;
};

void priority_raise(struct priority *before, int cpu); /* pins the thread to cpu and sets the nice value -20 */
void priority_restore(struct priority *before);        /* may be called twice */
/*
 * Makes the thread a real-time task (SCHED_FIFO), which runs before every task that has a nice value. false: the
 * thread's scheduling policy is not the usual one (SCHED_OTHER), or the kernel does not allow the change.
 */
bool priority_realtime_begin(void);
void priority_realtime_end(void); /* makes the thread a usual task again (SCHED_OTHER), with its nice value */
/*
 * Makes the process the leader of a new session and gives that session a nice value. The kernel may share a CPU among
 * sessions first (sched(7), "The autogroup feature"); a task's nice value then counts only within its own session, and
 * a busy neighbour in another session takes half of the CPU from a task with nice -20.
 */
void priority_session_begin(int nice);

#endif
