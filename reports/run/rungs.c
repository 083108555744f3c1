// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

const struct run_rung_kind run_rungs[RUN_RUNGS] = {
	[RUN_RUNG_NONE] = {"", RUN_LADDERS},
	[RUN_RUNG_TEST_RUN] = {"test-run"},
	[RUN_RUNG_XSK_COPY] = {"xsk-copy", .aside = true, .reader = true},
	[RUN_RUNG_CPUMAP] = {"cpumap", .aside = true, .reader = true},
	[RUN_RUNG_PACKET_RING] = {"packet-ring", .aside = true, .reader = true},
	[RUN_RUNG_TC] = {"tc"},
	[RUN_RUNG_NFT_INGRESS] = {"nft-ingress"},
	[RUN_RUNG_NFT_RAW] = {"nft-raw"},
	[RUN_RUNG_CONNTRACK] = {"conntrack", .aside = true},
	[RUN_RUNG_NFT_INPUT] = {"nft-input"},
	[RUN_RUNG_UDP_CLOSED] = {"udp-closed", .aside = true},
	[RUN_RUNG_UDP_FULL] = {"udp-full", .aside = true},
	[RUN_RUNG_UDP_RECV] = {"udp-recv", .reader = true},
	[RUN_RUNG_UDP_RECVMMSG] = {"udp-recvmmsg", .aside = true, .reader = true},
	[RUN_RUNG_UDP_GRO] = {"udp-gro", .aside = true, .reader = true, .merges = true},
	[RUN_RUNG_UDP_URING] = {"udp-uring", .aside = true, .reader = true},
	[RUN_RUNG_XDP_REDIRECT] = {"xdp-redirect", RUN_LADDER_FORWARD},
	[RUN_RUNG_DEVMAP_PROGRAM] = {"devmap-program", RUN_LADDER_FORWARD, .aside = true},
	[RUN_RUNG_SKB_REDIRECT] = {"skb-redirect", RUN_LADDER_FORWARD},
	[RUN_RUNG_TC_REDIRECT] = {"tc-redirect", RUN_LADDER_FORWARD},
	[RUN_RUNG_BRIDGE] = {"bridge", RUN_LADDER_FORWARD},
	[RUN_RUNG_FLOWTABLE] = {"flowtable", RUN_LADDER_FORWARD, .aside = true},
	[RUN_RUNG_ROUTE] = {"route", RUN_LADDER_FORWARD},
	[RUN_RUNG_TX_LIVE] = {"tx-live", RUN_LADDER_SEND},
	[RUN_RUNG_TX_PKTGEN] = {"tx-pktgen", RUN_LADDER_SEND, .aside = true},
	[RUN_RUNG_TX_PACKET_BYPASS] = {"tx-packet-bypass", RUN_LADDER_SEND},
	[RUN_RUNG_TX_PACKET_RING] = {"tx-packet-ring", RUN_LADDER_SEND, .aside = true},
	[RUN_RUNG_TX_XSK] = {"tx-xsk", RUN_LADDER_SEND, .aside = true},
	[RUN_RUNG_TX_PACKET] = {"tx-packet", RUN_LADDER_SEND},
	[RUN_RUNG_TX_SEND] = {"tx-send", RUN_LADDER_SEND},
	[RUN_RUNG_TX_SENDMSG] = {"tx-sendmsg", RUN_LADDER_SEND, .aside = true},
	[RUN_RUNG_TX_SENDMMSG] = {"tx-sendmmsg", RUN_LADDER_SEND, .aside = true},
	[RUN_RUNG_TX_ZEROCOPY] = {"tx-zerocopy", RUN_LADDER_SEND, .aside = true},
	[RUN_RUNG_TX_GSO] = {"tx-gso", RUN_LADDER_SEND, .aside = true},
	[RUN_RUNG_TCP_READ] = {"tcp-read", RUN_LADDER_TCP},
	[RUN_RUNG_TCP_PASS] = {"tcp-pass", RUN_LADDER_TCP, .aside = true},
	[RUN_RUNG_TCP_PASS_SKB] = {"tcp-pass-skb", RUN_LADDER_TCP, .aside = true},
	[RUN_RUNG_TCP_SPLICE] = {"tcp-splice", RUN_LADDER_TCP},
	[RUN_RUNG_TCP_COPY] = {"tcp-copy", RUN_LADDER_TCP},
	[RUN_RUNG_TCP_URING] = {"tcp-uring", RUN_LADDER_TCP, .aside = true},
};

bool run_variant_is_rung(const struct run_variant *v)
{
	return v->rung != RUN_RUNG_NONE;
}

bool run_rung_is_aside(const struct run_variant *v)
{
	return v->stage == RUN_STAGE_SOCKET || run_rungs[v->rung].aside;
}

bool run_rung_forwards(const struct run_variant *v)
{
	return run_rungs[v->rung].ladder == RUN_LADDER_FORWARD;
}

bool run_rung_sends(const struct run_variant *v)
{
	return run_rungs[v->rung].ladder == RUN_LADDER_SEND || run_rung_is_tcp(v);
}

bool run_rung_is_tcp(const struct run_variant *v)
{
	return run_rungs[v->rung].ladder == RUN_LADDER_TCP;
}

bool run_rung_merges(const struct run_variant *v)
{
	return run_rungs[v->rung].merges;
}
