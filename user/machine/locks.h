/*
 * locks - one command at a time, and who the other one is
 *
 * in:    a device of the network namespace that this process is in; the path of a file that is locked by flock(2)
 * out:   a descriptor that holds the lock; a process in words, "process 12 (xdpzoom record eth0)"
 * law:   a lock of a device ends with the process that holds it, and is seen in every container, because it is a name
 *        in the device's network namespace. A process that may not change the device, also one that
 *        has capabilities in a user namespace of its own alone, cannot hold it
 * error: -EBUSY with one sentence that names who holds the lock; a kernel without UNIX sockets has no locks
 * src:   unix(7), "Abstract sockets" and SO_PEERCRED; proc(5), /proc/locks
 */
#ifndef USER_MACHINE_LOCKS_H
#define USER_MACHINE_LOCKS_H

#include <stddef.h>
#include <sys/types.h>
#include "base/diag.h"

int lock_device(int ifindex, const char *name, struct diag *d); /* the descriptor; closing it releases the lock */
pid_t lock_holder(const char *path);                            /* 0: nobody, or nobody that can be seen here */
void lock_words(char *out, size_t size, pid_t pid);

#endif
