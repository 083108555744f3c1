/*
 * attached - the BPF programs that sit on a device, by name: XDP, tcx, and classifiers of clsact
 *
 * in:    a device of this process's network namespace
 * out:   at most ATTACHED_MAX programs, in the order of a packet's way in, then out
 * law:   nothing is attached or kept open, and nothing changed but by attached_end()
 * error: none; what cannot be seen is left out. Names need CAP_SYS_ADMIN, and are "" without
 */
#ifndef USER_MACHINE_ATTACHED_H
#define USER_MACHINE_ATTACHED_H

#include <stddef.h>
#include <stdint.h>

struct nl_msg;

#define ATTACHED_MAX 16

struct attached {
	const char
		*hook; /* "xdp-native", "xdp-skb", "xdp-hw", "tcx-ingress", "tcx-egress", "tc-ingress", "tc-egress" */
	uint32_t id;
	char name[20];
};

/* From enum bpf_attach_type of Linux 6.7; many systems have older headers. */
enum { ATTACHED_TCX_INGRESS = 46, ATTACHED_TCX_EGRESS, ATTACHED_NETKIT_PRIMARY = 54, ATTACHED_NETKIT_PEER };

#define ATTACHED_QUERY_MAX 64 /* programs of one hook, as the kernel has it (BPF_MPROG_MAX) */

/* The numbers of the programs at such a hook. How many, or -errno; -EINVAL: this kernel has none. */
int attached_query(int ifindex, int type, uint32_t ids[ATTACHED_QUERY_MAX]);
/* The kind of a filter in a message of RTM_GETTFILTER, "" where it is none, and the number of its BPF program, or 0. */
const char *attached_filter(struct nl_msg *msg, uint32_t *program);

/* How often it ran while kernel.bpf_stats_enabled was 1; 0: never, or it cannot be seen. */
uint64_t attached_runs(const struct attached *a);

/*
 * Ends what the link holds on a device, and closes it; -1 is fine. Closing alone does not: whoever lists the machine's
 * links holds each of them for a moment, and a link that is held stays attached.
 */
void attached_end(int *link_fd);

size_t attached_find(int ifindex, struct attached list[ATTACHED_MAX]);

#endif
