/*
 * guest - the part of `xdpzoom exact` that runs inside the virtual machine, as root
 *
 * in:    a directory that the host sees too; the variants
 * out:   in the directory: "symbols" and "windows.jsonl", a JSON line for each window; the counting plugin writes
 *        window.N beside them
 * units: frames
 * law:   the lab's NAPI runs in softirq on the sender's CPU, so that each batch is received as it was sent: nothing is
 *        lost, and runs repeat to the instruction
 * error: -errno with one sentence
 */
#ifndef USER_EXACT_GUEST_H
#define USER_EXACT_GUEST_H

#include <stddef.h>
#include "base/diag.h"

#define GUEST_PROGRESS "xdpzoom-progress " /* begins a line on stderr: number, of how many, variant */

int guest_count(const char *dir, char *const *variants, size_t nvariants, struct diag *d);

#endif
