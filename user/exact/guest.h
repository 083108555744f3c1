/*
 * guest - the part of `xdpzoom exact` that runs inside the virtual machine, as root
 *
 * in:    a directory that the host sees too; what to count, by the words that the host was called with
 * out:   in the directory: "symbols", "lines", "places" (with memory), and "windows.jsonl", a JSON line for each
 *        window; the counting plugin writes window.N beside them. A variant that this kernel or the driver lacks has a line "left_out" with the reason
 * units: frames
 * law:   what was sent has arrived, in each window; source.h has the frames. Commands of own programs (own.h) run here:
 *        they see the files of the host that vm/run shows, and what they write stays in the virtual machine
 * error: -errno with one sentence
 */
#ifndef USER_EXACT_GUEST_H
#define USER_EXACT_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "user/gen/gen.h"
#include "user/programs/programs.h"

/* begins a line on stderr: the compiler of the guest's kernel */
#define GUEST_COMPILER "xdpzoom-compiler "
#define GUEST_PROGRESS "xdpzoom-progress " /* begins a line on stderr: number, of how many, variant */

#define GUEST_FLAG "--in-guest" /* before the NIC and the words of the host, if this process is the guest's */

struct guest_options {
	const char *nic; /* by its driver; veth: the lab */
	const char *const *variants;
	size_t nvariants;
	size_t rungs;                /* of the variants; they have no lines from other CPUs */
	bool memory;                 /* count loads, stores and lines too */
	struct own_options own;      /* of programs of the user's own */
	const struct frames *frames; /* sent in this order, again and again; NULL: the generator's own frame */
};

int guest_count(const struct guest_options *o, const char *dir, struct diag *d);

#endif
