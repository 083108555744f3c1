/*
 * jail - takes from this process, for good, what a reader of a stranger's file does not need
 *
 * in:    capabilities that are kept where the process has them
 * out:   the process, and all that it starts, can read files and write to the files that are open already. It can
 *        neither open a file for writing, nor make, rename or remove one, where the kernel has Landlock; neither make
 *        sockets, load BPF programs, enter namespaces nor trace processes, where it has seccomp
 * law:   nothing of it can be undone. A kernel that lacks one of the two gives what it has, and says nothing
 * error: none
 * src:   Linux Documentation/userspace-api/landlock.rst, seccomp_filter.rst; capabilities(7)
 */
#ifndef BASE_JAIL_H
#define BASE_JAIL_H

#include <stdint.h>

void jail_enter(void);
void jail_drop_capabilities(uint64_t keep); /* a bit for each capability that stays */

#endif
