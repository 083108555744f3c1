/*
 * jail - takes from this process, for good, what a reader of a stranger's file does not need
 *
 * in:    whether the process has files to write; capabilities that are kept where the process has them
 * out:   the process, and all that it starts, can neither make sockets, load BPF programs, enter namespaces nor trace
 *        processes, where the kernel has seccomp. read_only: it can write to the files that are open already, and can
 *        neither open another one for writing, nor make, rename or remove one, where the kernel has Landlock.
 *        root keeps the right to read everybody's files; without read_only, also to write them and to give them away
 * law:   nothing of it can be undone. A kernel that lacks one of the two gives what it has, and says nothing. What a
 *        process without a capability starts has it no more than the process, but for jail_lower_capabilities()
 * error: none
 * src:   Linux Documentation/userspace-api/landlock.rst, seccomp_filter.rst; capabilities(7)
 */
#ifndef BASE_JAIL_H
#define BASE_JAIL_H

#include <stdbool.h>
#include <stdint.h>

#define JAIL_CAP(number) (UINT64_C(1) << (number))

/* keep: a JAIL_CAP() for each capability that stays besides those for files. Not read_only: writes as before. */
void jail_enter(bool read_only, uint64_t keep);
void jail_drop_capabilities(uint64_t keep);
void jail_lower_capabilities(uint64_t keep); /* programs that root starts have them all again */

#endif
