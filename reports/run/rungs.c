// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <string.h>

const struct run_rung run_rungs[] = {
	{"test-run"},
	{"xsk-copy", .aside = true, .reader = true},
	{"cpumap", .aside = true, .reader = true},
	{"packet-ring", .aside = true, .reader = true},
	{"tc"},
	{"nft-ingress"},
	{"nft-raw"},
	{"conntrack", .aside = true},
	{"nft-input"},
	{"udp-closed", .aside = true},
	{"udp-full", .aside = true},
	{"udp-recv", .reader = true},
	{"udp-recvmmsg", .aside = true, .reader = true},
	{"udp-gro", .aside = true, .reader = true, .merges = true},
	{"udp-uring", .aside = true, .reader = true},
	{"xdp-redirect", RUN_LADDER_FORWARD},
	{"devmap-program", RUN_LADDER_FORWARD, .aside = true},
	{"skb-redirect", RUN_LADDER_FORWARD},
	{"tc-redirect", RUN_LADDER_FORWARD},
	{"bridge", RUN_LADDER_FORWARD},
	{"flowtable", RUN_LADDER_FORWARD, .aside = true},
	{"route", RUN_LADDER_FORWARD},
	{"tx-live", RUN_LADDER_SEND},
	{"tx-pktgen", RUN_LADDER_SEND, .aside = true},
	{"tx-packet-bypass", RUN_LADDER_SEND},
	{"tx-packet-ring", RUN_LADDER_SEND, .aside = true},
	{"tx-xsk", RUN_LADDER_SEND, .aside = true},
	{"tx-packet", RUN_LADDER_SEND},
	{"tx-send", RUN_LADDER_SEND},
	{"tx-sendmsg", RUN_LADDER_SEND, .aside = true},
	{"tx-sendmmsg", RUN_LADDER_SEND, .aside = true},
	{"tx-zerocopy", RUN_LADDER_SEND, .aside = true},
	{"tx-gso", RUN_LADDER_SEND, .aside = true},
	{"tcp-read", RUN_LADDER_TCP},
	{"tcp-pass", RUN_LADDER_TCP, .aside = true},
	{"tcp-pass-skb", RUN_LADDER_TCP, .aside = true},
	{"tcp-splice", RUN_LADDER_TCP},
	{"tcp-copy", RUN_LADDER_TCP},
	{"tcp-uring", RUN_LADDER_TCP, .aside = true},
};

_Static_assert(sizeof(run_rungs) / sizeof(run_rungs[0]) == RUN_RUNGS, "run.h tells how many rungs there are");

bool run_variant_is_rung(const struct run_variant *v)
{
	return !strcmp(v->action, "rung");
}

/* What every rung lacks, where the variant is none. */
static const struct run_rung *rung_of(const struct run_variant *v)
{
	static const struct run_rung none = {.ladder = RUN_LADDERS};

	for (int i = 0; run_variant_is_rung(v) && i < RUN_RUNGS; i++)
		if (!strcmp(v->target, run_rungs[i].word))
			return &run_rungs[i];
	return &none;
}

bool run_rung_is_aside(const struct run_variant *v)
{
	return v->stage == RUN_STAGE_SOCKET || rung_of(v)->aside;
}

bool run_rung_forwards(const struct run_variant *v)
{
	return rung_of(v)->ladder == RUN_LADDER_FORWARD;
}

bool run_rung_sends(const struct run_variant *v)
{
	return rung_of(v)->ladder == RUN_LADDER_SEND || run_rung_is_tcp(v);
}

bool run_rung_is_tcp(const struct run_variant *v)
{
	return rung_of(v)->ladder == RUN_LADDER_TCP;
}

bool run_rung_merges(const struct run_variant *v)
{
	return rung_of(v)->merges;
}
