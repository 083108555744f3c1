/*
 * priority - the calling thread before others on its CPU, for a while
 *
 * law:   priority_restore() brings back the CPUs and the nice value from before priority_raise()
 * error: none; what is not allowed is not done
 */
#ifndef USER_PRIORITY_H
#define USER_PRIORITY_H

#include <sched.h>
#include <stdbool.h>

struct priority {
	bool raised; /* false: the rest is not filled */
	cpu_set_t cpus;
	int nice;
};

void priority_raise(struct priority *before, int cpu); /* on that CPU, with the nice value that comes first */
void priority_restore(struct priority *before);        /* may be called twice */
/*
 * A real-time task (SCHED_FIFO): before every task that has a nice value. false: the thread is a task of another kind
 * than usual already, or this is not allowed.
 */
bool priority_realtime_begin(void);
void priority_realtime_end(void); /* a usual task again, with its nice value */

#endif
