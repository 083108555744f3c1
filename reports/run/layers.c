// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

const struct run_layer_kind run_layers[RUN_LAYERS] = {
	[RUN_LAYER_NONE] = {"", RUN_LADDERS},
	[RUN_LAYER_TEST_RUN] = {"test-run"},
	[RUN_LAYER_XSK_COPY] = {"xsk-copy", .aside = true, .reader = true},
	[RUN_LAYER_CPUMAP] = {"cpumap", .aside = true, .reader = true},
	[RUN_LAYER_PACKET_RING] = {"packet-ring", .aside = true, .reader = true},
	[RUN_LAYER_TC] = {"tc"},
	[RUN_LAYER_CLSACT] = {"clsact", .aside = true},
	[RUN_LAYER_NFT_INGRESS] = {"nft-ingress"},
	[RUN_LAYER_NF_BPF] = {"nf-bpf", .aside = true},
	[RUN_LAYER_NFT_RAW] = {"nft-raw"},
	[RUN_LAYER_CONNTRACK] = {"conntrack", .aside = true},
	[RUN_LAYER_NFT_INPUT] = {"nft-input"},
	[RUN_LAYER_UDP_CLOSED] = {"udp-closed", .aside = true},
	[RUN_LAYER_SOCKET_FILTER] = {"socket-filter", .aside = true},
	[RUN_LAYER_UDP_FULL] = {"udp-full", .aside = true},
	[RUN_LAYER_UDP_RECV] = {"udp-recv", .reader = true},
	[RUN_LAYER_UDP_RECVMMSG] = {"udp-recvmmsg", .aside = true, .reader = true},
	[RUN_LAYER_UDP_GRO] = {"udp-gro", .aside = true, .reader = true, .merges = true},
	[RUN_LAYER_UDP_URING] = {"udp-uring", .aside = true, .reader = true},
	[RUN_LAYER_XDP_REDIRECT] = {"xdp-redirect", RUN_LADDER_FORWARD},
	[RUN_LAYER_DEVMAP_PROGRAM] = {"devmap-program", RUN_LADDER_FORWARD, .aside = true},
	[RUN_LAYER_SKB_REDIRECT] = {"skb-redirect", RUN_LADDER_FORWARD},
	[RUN_LAYER_TC_REDIRECT] = {"tc-redirect", RUN_LADDER_FORWARD},
	[RUN_LAYER_PEER_VETH] = {"peer-veth", RUN_LADDER_FORWARD, .aside = true},
	[RUN_LAYER_PEER_NETKIT] = {"peer-netkit", RUN_LADDER_FORWARD, .aside = true},
	[RUN_LAYER_NETKIT] = {"netkit", RUN_LADDER_FORWARD, .aside = true},
	[RUN_LAYER_BRIDGE] = {"bridge", RUN_LADDER_FORWARD},
	[RUN_LAYER_FLOWTABLE] = {"flowtable", RUN_LADDER_FORWARD, .aside = true},
	[RUN_LAYER_ROUTE] = {"route", RUN_LADDER_FORWARD},
	[RUN_LAYER_TX_LIVE] = {"tx-live", RUN_LADDER_SEND},
	[RUN_LAYER_TX_PKTGEN] = {"tx-pktgen", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_PACKET_BYPASS] = {"tx-packet-bypass", RUN_LADDER_SEND},
	[RUN_LAYER_TX_PACKET_RING] = {"tx-packet-ring", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_XSK] = {"tx-xsk", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_XSK_CSUM] = {"tx-xsk-csum", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_XSK_SW_CSUM] = {"tx-xsk-sw-csum", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_XSK_STAMP] = {"tx-xsk-stamp", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_PACKET] = {"tx-packet", RUN_LADDER_SEND},
	[RUN_LAYER_TX_SEND] = {"tx-send", RUN_LADDER_SEND},
	[RUN_LAYER_TX_SENDMSG] = {"tx-sendmsg", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_SENDMMSG] = {"tx-sendmmsg", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_ZEROCOPY] = {"tx-zerocopy", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TX_GSO] = {"tx-gso", RUN_LADDER_SEND, .aside = true},
	[RUN_LAYER_TCP_READ] = {"tcp-read", RUN_LADDER_TCP},
	[RUN_LAYER_TCP_PASS] = {"tcp-pass", RUN_LADDER_TCP, .aside = true},
	[RUN_LAYER_TCP_PASS_SKB] = {"tcp-pass-skb", RUN_LADDER_TCP, .aside = true},
	[RUN_LAYER_TCP_SPLICE] = {"tcp-splice", RUN_LADDER_TCP},
	[RUN_LAYER_TCP_COPY] = {"tcp-copy", RUN_LADDER_TCP},
	[RUN_LAYER_TCP_URING] = {"tcp-uring", RUN_LADDER_TCP, .aside = true},
};

bool run_variant_is_layer(const struct run_variant *v)
{
	return v->layer != RUN_LAYER_NONE;
}

bool run_layer_is_aside(const struct run_variant *v)
{
	return v->stage == RUN_STAGE_SOCKET || run_layers[v->layer].aside;
}

bool run_layer_forwards(const struct run_variant *v)
{
	return run_layers[v->layer].ladder == RUN_LADDER_FORWARD;
}

bool run_layer_sends(const struct run_variant *v)
{
	return run_layers[v->layer].ladder == RUN_LADDER_SEND || run_layer_is_tcp(v);
}

bool run_layer_is_tcp(const struct run_variant *v)
{
	return run_layers[v->layer].ladder == RUN_LADDER_TCP;
}

bool run_layer_merges(const struct run_variant *v)
{
	return run_layers[v->layer].merges;
}
