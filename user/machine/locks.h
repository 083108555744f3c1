/*
 * locks - one command at a time, and who the other one is
 *
 * in:    a device of the network namespace that this process is in; the path of a file that is locked by flock(2)
 * out:   a descriptor that holds the lock; a process in words, "process 12 (xdpzoom record eth0)"
 * law:   a lock of a device ends with the process that holds it. It is a name in the device's network namespace, which
 *        is seen in every container, and, for root, a byte of a file in LOCK_DIR. Any process can take the name, but
 *        root's file is root's. So a process that may not change the device, also one that has capabilities in a user
 *        namespace of its own alone, keeps root from nothing, and two commands of root exclude each other still. Who
 *        has capabilities alone is refused then
 * error: -EBUSY with one sentence that names who holds the lock; a kernel without UNIX sockets and a /run where nobody
 *        can write have no locks
 * src:   unix(7), "Abstract sockets" and SO_PEERCRED; proc(5), /proc/locks
 */
#ifndef USER_MACHINE_LOCKS_H
#define USER_MACHINE_LOCKS_H

#include <stddef.h>
#include <sys/types.h>
#include "base/diag.h"

#define LOCK_DIR "/run/xdpzoom"

struct device_lock {
	int name, file; /* negative: not held */
};
int lock_device(struct device_lock *l, int ifindex, const char *name, struct diag *d); /* 0 or -EBUSY */
void lock_release(struct device_lock *l);                                              /* may be called twice */
int lock_file(void);                 /* the file of root's locks, open; or -errno */
pid_t lock_holder(const char *path); /* 0: nobody, or nobody that can be seen here */
void lock_words(char *out, size_t size, pid_t pid);

#endif
