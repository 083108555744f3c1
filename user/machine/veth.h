/*
 * veth - the other end of a veth, and what an end of one needs for XDP frames, in words with the command
 *
 * in:    a veth in this process's network namespace
 * out:   words for a sentence; commands work in the shell that started this process, wherever the end is
 * law:   changes nothing
 * error: -ENODEV: the other end is in a namespace that no process here is in and that has no name; words then do
 *        without its name
 * src:   kernel drivers/net/veth.c, veth_xdp_xmit(), veth_set_features(); rtnetlink(7), RTM_GETNSID
 */
#ifndef USER_VETH_H
#define USER_VETH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "user/machine/netdev.h"

#define VETH_WORDS 320

struct veth_peer {
	char name[16];
	char run[120]; /* what commands for the end begin with: "ip netns exec NAME "; "": nothing */
	bool up;
	int mtu;
	uint32_t tx_queues; /* in use; 0: not known */
};

bool veth_is(const struct netdev *nd);
int veth_peer_find(const struct netdev *nd, struct veth_peer *p);
/* Why the other end takes no XDP frames: "its peer vb needs an XDP program, or gro on: ethtool -K vb gro on". */
void veth_peer_needs(const struct netdev *nd, char *words, size_t size);
/*
 * What nd itself needs to have NAPI without a program, and so to take XDP frames in skb mode and to be polled in a
 * thread: "gro on (ethtool -K vb gro on)". "": it is no veth, or has gro on.
 */
void veth_needs(const struct netdev *nd, char *words, size_t size);
/* -ETIMEDOUT, and the sentence that no packets arrive at nd, of any driver; skb: its program is a generic one. */
int veth_no_packets(const struct netdev *nd, bool skb, struct diag *d);

#endif
