/*
 * device - lines of the guest's memory that something else than a vCPU changed: a device wrote them
 *
 * in:    the guest's RAM, which QEMU keeps in a memfd (vm/run: memory-backend-memfd) that this process can read; each
 *        access of the kernel
 * out:   of how many lines of 64 bytes the access is the first one since a device wrote them
 * law:   A copy of the RAM is made when a window begins, and follows each access of the kernel. Bytes of a line that
 *        differ from the copy, but for those that the access itself stores, were written by a device. A device that
 *        writes the same bytes again is not seen. Stores that QEMU does not show (of the CPU itself to a stack when an
 *        interrupt comes, of programs) look like those of a device: memory.h leaves stacks out
 * error: the RAM is no memfd: device_begin() returns false, and nothing is known
 */
#ifndef VM_PLUGIN_DEVICE_H
#define VM_PLUGIN_DEVICE_H

#include "vm/plugin/qemu_plugin.h"

bool device_begin(void); /* a window begins */
unsigned int device_lines(qemu_plugin_meminfo_t info, uint64_t address);

#endif
