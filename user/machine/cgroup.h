/*
 * cgroup - do the limits of this process's control group leave room for a measurement?
 *
 * in:    /proc/self/cgroup, /proc/self/mountinfo, and memory.max, pids.max and pids.current of the group and of all
 *        groups that it is in, as far as they can be seen from here
 * units: bytes; processes and threads, which one limit counts alike
 * law:   only version 2 of control groups is looked at; without it, and where nothing can be read, there is room. What
 *        others in the group use can change at any time, and memory that the kernel can take back is not in use; so
 *        room is needed and not sufficient
 * error: -EOPNOTSUPP with one sentence that names the group, its limit, and what is needed
 * src:   linux Documentation/admin-guide/cgroup-v2.rst
 */
#ifndef USER_MACHINE_CGROUP_H
#define USER_MACHINE_CGROUP_H

#include "base/diag.h"

/* what: the command, for the sentence. */
int cgroup_check(const char *what, struct diag *d);

#endif
