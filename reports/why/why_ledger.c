// SPDX-License-Identifier: GPL-2.0-or-later
/* What went into each hop, came out, was counted as lost, and is left. */
#include <fnmatch.h>
#include "reports/why/why.h"

static int add_hop(struct why_facts *f, const struct why_ledger *hop)
{
	struct why_ledger *l = array_add(&f->ledger, &f->nledger, sizeof(*l));

	if (!l)
		return -ENOMEM;
	*l = *hop;
	l->rest = l->in - l->out - (isnan(l->lost) ? 0 : l->lost) - (isnan(l->waiting) ? 0 : l->waiting);
	return 0;
}

/* What the stack counts: queues of CPUs, of devices without NAPI and of packet steering; IP; UDP. */
static int stack_hops(struct why_facts *f, const json_t *side)
{
	struct why_ledger backlog = {.hop = WHY_BACKLOG,
				     .in = NAN,
				     .out = why_amount(side, "(backlog)", "packets"),
				     .waiting = NAN,
				     .most_rest = NAN};
	double in = why_amount(side, "", "Ip.InReceives");
	struct why_ledger ip = {.hop = WHY_IP,
				.in = in,
				.out = why_amount(side, "", "Ip.InDelivers") + why_amount(side, "", "Ip.ForwDatagrams"),
				.most_rest = 64 + 0.005 * in};
	struct why_ledger udp = {.hop = WHY_SOCKET,
				 .in = NAN,
				 .out = why_amount(side, "", "Udp.InDatagrams"),
				 .lost = why_amount(side, "", "Udp.NoPorts") + why_amount(side, "", "Udp.InErrors"),
				 .most_rest = NAN};
	const char *of;
	json_t *o;
	int err = 0;

	json_object_foreach (json_object_get(side, "amounts"), of, o)
		if (!strncmp(of, "cpu ", 4))
			backlog.lost += why_amount(side, of, "backlog dropped");
	snprintf(backlog.of, sizeof(backlog.of), "queues of CPUs, to the stack");
	snprintf(backlog.counters, sizeof(backlog.counters),
		 "polls, dropped of softnet_stat; what comes in has no counter");
	if (backlog.out + backlog.lost > 0)
		err = add_hop(f, &backlog);
	/* Netfilter's drops are in no counter of IP: they are what is left. */
	ip.lost = why_amount(side, "", "Ip.InHdrErrors") + why_amount(side, "", "Ip.InAddrErrors") +
		  why_amount(side, "", "Ip.InUnknownProtos") + why_amount(side, "", "Ip.InDiscards") +
		  why_amount(side, "", "IpExt.InNoRoutes") + why_amount(side, "", "IpExt.InTruncatedPkts");
	snprintf(ip.of, sizeof(ip.of), "IPv4, from receipt to delivery");
	snprintf(ip.counters, sizeof(ip.counters),
		 "Ip.InReceives, InDelivers, ForwDatagrams, errors; netfilter has no counter");
	if (!err && in > 0)
		err = add_hop(f, &ip);
	snprintf(udp.of, sizeof(udp.of), "UDP, from delivery to a read");
	snprintf(udp.counters, sizeof(udp.counters),
		 "Udp.InDatagrams, NoPorts, InErrors; what comes in has no counter of its own");
	if (!err && udp.out + udp.lost > 0)
		err = add_hop(f, &udp);
	return err;
}

/* What passed through the queues of a kind, of this device or of all. NaN: of one it is not known. */
static int queue_hop(struct why_facts *f, const json_t *side, const char *kind, const char *device, const char *words)
{
	struct why_ledger l = {.hop = why_hop_of_queue(kind), .in = NAN, .lost = NAN, .waiting = NAN, .most_rest = NAN};
	json_t *o;
	size_t i;

	json_array_foreach (json_object_get(side, "queues"), i, o)
		if (!strcmp(json_text_of(o, "kind"), kind) && (!device || !strcmp(json_text_of(o, "device"), device)))
			l.out += json_text_number(o, "passed");
	snprintf(l.of, sizeof(l.of), "%s", words);
	snprintf(l.counters, sizeof(l.counters), "passed of queues; neither what comes in nor what is lost is counted");
	return l.out > 0 ? add_hop(f, &l) : 0;
}

/* What programs of the device redirect, wherever to: a map does not tell whose packets it got. */
static int redirect_hop(struct why_facts *f, const json_t *side)
{
	struct why_ledger l = {
		.hop = WHY_REDIRECT, .in = NAN, .out = NAN, .lost = NAN, .waiting = NAN, .most_rest = NAN};
	const char *name;
	json_t *value;

	json_object_foreach (json_object_get(json_object_get(side, "amounts"), f->device), name, value) {
		if (!strcmp(name, "ethtool rx_xdp_redirect")) { /* of all queues */
			l.in = json_number_value(value);
			break;
		}
		if (!fnmatch("ethtool *xdp_redirect?(s)?(\\[*\\])", name, FNM_EXTMATCH))
			l.in = (isnan(l.in) ? 0 : l.in) + json_number_value(value);
	}
	snprintf(l.of, sizeof(l.of), "redirected by programs of %.15s", f->device);
	snprintf(l.counters, sizeof(l.counters),
		 "xdp_redirect of the driver; a map does not count whose packets it got");
	return l.in > 0 ? add_hop(f, &l) : 0;
}

int why_read_ledger(struct why_facts *f, const json_t *side)
{
	/* From the device's own count of frames to NAPI's count of polled packets. A ring holds what is on the way. */
	double packets = why_amount(side, f->device, "packets"), in = why_amount(side, f->device, "link rx_packets");
	struct why_ledger ring = {.hop = WHY_DEVICE,
				  .in = in,
				  .out = packets,
				  .lost = NAN,
				  .waiting = NAN,
				  .most_rest = 2048 + 0.005 * packets};
	const char *of;
	json_t *o;
	int err;

	if (why_amount(side, f->device, "packets estimated") > 0)
		ring.out = NAN;
	if (!(in > 0) && packets > 0)
		ring.in = NAN; /* this driver does not count them there */
	snprintf(ring.of, sizeof(ring.of), "%s to NAPI", f->device);
	snprintf(ring.counters, sizeof(ring.counters),
		 "link rx_packets, polls; frames that found the ring full are in neither");
	err = add_hop(f, &ring)
		       ?: stack_hops(f, side)
		       ?: queue_hop(f, side, "af_xdp rx", f->device, "AF_XDP, to a read")
		       ?: queue_hop(f, side, "tap", NULL, "taps, to a read")
		       ?: redirect_hop(f, side)
		       ?: queue_hop(f, side, "cpumap", NULL, "CPU maps of the machine, to their CPUs");
	json_object_foreach (json_object_get(side, "amounts"), of, o) {
		struct why_ledger l = {.hop = WHY_QDISC,
				       .in = NAN,
				       .out = why_amount(side, of, "qdisc packets"),
				       .lost = why_amount(side, of, "qdisc drops"),
				       .waiting = why_amount(side, of, "qdisc waiting"),
				       .most_rest = NAN};

		if (!json_object_get(o, "qdisc packets") && !json_object_get(o, "qdisc drops"))
			continue;
		snprintf(l.of, sizeof(l.of), "qdisc of %.40s", of);
		snprintf(l.counters, sizeof(l.counters), "packets, drops and qlen of tc; what comes in has no counter");
		err = err ?: add_hop(f, &l);
	}
	return err;
}
