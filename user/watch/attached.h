/*
 * attached - the BPF programs that sit on a device, by name: XDP, tcx, and classifiers of clsact
 *
 * in:    a device of this process's network namespace
 * out:   at most ATTACHED_MAX programs, in the order of a packet's way in, then out
 * law:   nothing is attached, changed or kept open
 * error: none; what cannot be seen is left out. Names need CAP_SYS_ADMIN, and are "" without
 */
#ifndef USER_WATCH_ATTACHED_H
#define USER_WATCH_ATTACHED_H

#include <stddef.h>
#include <stdint.h>

#define ATTACHED_MAX 16

struct attached {
	const char *hook; /* "xdp native", "xdp skb", "xdp hw", "tcx in", "tcx out", "tc in", "tc out" */
	uint32_t id;
	char name[20];
};

size_t attached_find(int ifindex, struct attached list[ATTACHED_MAX]);
/* The mode of its XDP program: "native", "skb", "hw"; "none". */
const char *attached_mode(const struct attached *list, size_t n);

#endif
