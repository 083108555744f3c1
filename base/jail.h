/*
 * jail - takes from this process, for good, what a reader of a stranger's file does not need
 *
 * in:    what the process does besides reading; a directory in which it makes files; capabilities that are kept where
 *        the process has them
 * out:   the process can make those system calls alone that are in the list of jail_calls.c, where the kernel has
 *        seccomp; others return EPERM, or ENOSYS where C libraries know another way. It can read, write to what is
 *        open already, and end. It cannot open a file for writing, make, rename or remove one, change the mode, the
 *        owner or an attribute of a file, start a program, make a socket, use another one's memory, send a signal to
 *        another process or change its limits, type into a terminal, load BPF programs, mount, or make or enter
 *        namespaces. Landlock, where the kernel has it, forbids writes once more.
 *        root becomes the caller of sudo, else the user nobody, and keeps the right to read everybody's files. It
 *        stays root where it lacks that right or those to become another user, or where there is no other user
 * law:   nothing of it can be undone, and what the process starts has it no more than the process, but for
 *        jail_lower_capabilities(). A kernel that lacks seccomp or Landlock gives what it has, and says nothing
 * error: -EOPNOTSUPP with one sentence: root is root still, and no list limits what it calls. Where one of both is
 *        missing, the other one stands
 * src:   Linux Documentation/userspace-api/landlock.rst, seccomp_filter.rst; capabilities(7)
 */
#ifndef BASE_JAIL_H
#define BASE_JAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"

#define JAIL_CAP(number) (UINT64_C(1) << (number))

enum {
	JAIL_STARTS = 1,  /* starts programs, which are in the jail, too, and have the same capabilities */
	JAIL_AS_ROOT = 2, /* root stays root: perf looks at the user, not at its capabilities */
	JAIL_BELOW = 4,   /* openat2(2), of which no filter sees the flags: opens files below a directory */
	JAIL_WRITES = 8,  /* of jail_enter() alone: makes files */
	JAIL_TREES = 16,  /* makes directories and symbolic links there, too, and has an umask of its own */
};

/*
 * dir_fd: where new files may be made, and may take the place of others; -1: nowhere. keep: a JAIL_CAP() for each
 * capability that stays besides the one to read everybody's files.
 */
int jail_enter(unsigned how, int dir_fd, uint64_t keep, struct diag *d);
bool jail_user(uid_t *uid, gid_t *gid); /* who root becomes there; false: this process is not root, or stays root */
bool jail_allow_calls(unsigned how);    /* the second half of jail_enter(); false: there is no list */
void jail_drop_capabilities(uint64_t keep);
void jail_lower_capabilities(uint64_t keep); /* programs that root starts have them all again */

#endif
