/*
 * locks - one command at a time, and who the other one is
 *
 * law:   a lock is a flock(2) on a file of root's in LOCK_DIR, and ends with the process that holds it; the file stays. A
 *        device has one for its index in its network namespace. Who cannot open the file, such as a user with
 *        capabilities alone, keeps root from nothing, and is refused while root has it
 * error: -EBUSY with one sentence that names who holds the lock; where /run cannot be written there are no locks
 * src:   proc(5), /proc/locks
 */
#ifndef USER_MACHINE_LOCKS_H
#define USER_MACHINE_LOCKS_H

#include <stddef.h>
#include <sys/types.h>
#include "base/diag.h"

#define LOCK_DIR "/run/xdpzoom"

/* *fd: the lock, which close(2) gives back; -1: there are no locks here. 0 or -EBUSY. */
int lock_device(int *fd, int ifindex, const char *name, struct diag *d);
int lock_file(const char *path);                    /* a file of LOCK_DIR, open; or -errno */
pid_t lock_holder(const char *path);                /* 0: nobody, or nobody that can be seen here */
void lock_words(char *out, size_t size, pid_t pid); /* "process 12 (xdpzoom record eth0)" */

#endif
