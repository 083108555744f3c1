/*
 * window - what was counted between two commands of the guest, as a file
 *
 * out:   DIR/window.N, N from 0: lines
 *
 *          cpu NUMBER POLLS BETWEEN TOTAL USER [MEMORY]        a vCPU that executed instructions of the kernel; its
 *                                                              lines follow
 *          path DEPTH CALLS INSTRUCTIONS NAME MODULE [MEMORY]  a function below a poll, behind its caller; depth 0: the
 *                                                              poll itself; module "-": the kernel itself
 *          at MEMORY PLACE                                     with memory=on: what the path above did to a data
 *                                                              structure (places.h); its name may have blanks
 *          outside INSTRUCTIONS NAME                           what no poll called, by the function at the bottom of
 *                                                              the stack; or "warm-up" or "second-stage": polls that
 *                                                              are not counted (walk.h)
 *          line INSTRUCTIONS FUNCTION NUMBER FILE\tTEXT         behind all vCPUs: a source line of a program (lines.h),
 *                                                              below polls; one line can have several of them
 *
 *        MEMORY, with memory=on: five numbers, LOADS STORES LINES TRANSFERS DEVICE (memory.h); of a vCPU between entry
 *        and exit of its polls. TRANSFERS is "-" where the machine has one vCPU: no other one can have written a line.
 *        DEVICE is "-" without device=on
 * units: instructions. POLLS: entered and left. BETWEEN: between entry and exit of each poll, without interrupts.
 *        TOTAL: of the kernel. USER: of programs
 * law:   the instructions of the paths sum to BETWEEN, and each of the five to that of the vCPU: independent counts.
 *        The five of the data structures of a path sum to those of the path. The lines of a function sum to the
 *        instructions of its paths. A file is new: no link is followed, and no other file is written
 */
#ifndef VM_PLUGIN_WINDOW_H
#define VM_PLUGIN_WINDOW_H

#include <stdbool.h>

/* What is counted of memory; of a machine with one vCPU no line can come from another one. */
enum window_memory { MEMORY_NOT, MEMORY_OF_ONE, MEMORY_OF_SEVERAL };

void window_begin(enum window_memory memory, bool device); /* device: those lines are known */
void window_end(const char *dir);                          /* a file that cannot be written is reported on stderr */

#endif
