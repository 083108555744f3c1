// SPDX-License-Identifier: GPL-2.0-or-later
/* No XDP program in here, but one for tc that shoots long frames. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int classify(struct __sk_buff *skb)
{
	return skb->len > 100 ? TC_ACT_SHOT : TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";
