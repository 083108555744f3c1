/*
 * guest - the part of `xdpzoom exact` that runs inside the virtual machine, as root
 *
 * in:    a directory that the host sees too; the NIC, veth for the lab; the variants
 * out:   in the directory: "symbols", "places" (with memory), and "windows.jsonl", a JSON line for each window; the
 *        counting plugin writes window.N beside them
 * units: frames
 * law:   what was sent has arrived, in each window; source.h has the frames
 * error: -errno with one sentence
 */
#ifndef USER_EXACT_GUEST_H
#define USER_EXACT_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"

#define GUEST_PROGRESS "xdpzoom-progress " /* begins a line on stderr: number, of how many, variant */

#define GUEST_MEMORY "memory" /* the argument that asks for counts of memory; else "-" */

int guest_count(const char *dir, bool memory, const char *nic, char *const *variants, size_t nvariants, struct diag *d);

#endif
