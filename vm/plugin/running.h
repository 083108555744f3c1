/*
 * running - the number of the vCPU that executes now
 *
 * in:    the number that QEMU passed to a callback; how many vCPUs there are
 * out:   a number below VCPUS (stacks.h), the same one for all that this vCPU executes
 * law:   QEMU 10 and 11, where one thread executes all vCPUs, pass the number of the vCPU that a block was translated
 *        for, whichever executes it. So a vCPU is known by its per-CPU area: gs points to it in the kernel, and swapgs
 *        keeps it in the other register meanwhile. Numbers are given in the order in which vCPUs are seen. A machine
 *        with one vCPU, and a QEMU whose plugins cannot read registers (7.2, whose numbers are right), need none of
 *        this
 * error: the emulator ends with one sentence when a register is missing, or there are more areas than vCPUs
 */
#ifndef VM_PLUGIN_RUNNING_H
#define VM_PLUGIN_RUNNING_H

#include "vm/plugin/qemu_plugin.h"

void running_init(unsigned int vcpus); /* how many there are */

/* The flags of callbacks that call running_read(). */
enum qemu_plugin_cb_flags running_flags(void);

unsigned int running_read(unsigned int said); /* reads the registers */
unsigned int running_same(unsigned int said); /* that of the last running_read(): in a callback of the same block */

#endif
