/*
 * kernel - the few members of kernel structs that the programs read
 *
 * law: CO-RE relocates each member to the running kernel's struct; a member that no program reads is not listed
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include <linux/types.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
};

struct task_struct {
	__u32 pid;
	unsigned int flags;
};

#define PF_KTHREAD 0x00200000 /* of flags, in all kernels since 2.6.27 */

/* The kernel's enum has no name that CO-RE could find it by. This value is that of all kernels since 4.15. */
#define NAPI_STATE_IN_BUSY_POLL 6

struct napi_struct {
	struct net_device *dev;
	int weight;
	unsigned long state;
	int (*poll)(struct napi_struct *napi, int budget);
	struct task_struct *thread;
};

struct xdp_buff {
	void *data, *data_end;
};

struct sk_buff {
	struct net_device *dev;
};

enum skb_drop_reason { SKB_DROP_REASON_TC_INGRESS };

struct bpf_prog_aux {
	__u32 id;
};

struct bpf_prog {
	struct bpf_prog_aux *aux;
};

#pragma clang attribute pop

/* Returns whether dev is the device IFINDEX of the network namespace NETNS: an ifindex is unique only within one. */
static inline bool is_device(const struct net_device *dev, int ifindex, __u32 netns)
{
	return dev && dev->ifindex == ifindex && dev->nd_net.net->ns.inum == netns;
}

#endif
