/*
 * rates - packet rates in what other tools wrote
 *
 * in:    a text with the lines of xdp-bench, xdp-monitor, xdp-trafficgen and the kernel's former samples, xdpsock,
 *        xdp_rxq_info, pktgen, ethtool_stats.pl, bench xdp-lb, netperf, neper and kperf; two outputs of ethtool -S; or
 *        LNST's results (run-data-N.json), an array of objects, those with "type": "measurement"
 * out:   one group for each measurement, in the order of the text. A title, a line of prose, and the summary at the end
 *        separate measurements; between them, each stream (a pair of devices, a CPU, a counter) is one. LNST gives one
 *        reading, the mean over its iterations: what the receiver processed (xdp-bench), what the forwarder received
 *        (forwarding), what the CPU of the NIC took up (xdp-redirect-cpu)
 * units: packets per second, unless the group says why it has none
 * law:   what was received and what was sent on are two rates, and neither stands for the other; NaN: not printed.
 *        Lines without packets are none: nothing ran, so nothing was measured. A document that is no JSON has no
 *        measurement of LNST. device and driver are "" where the text does not name them
 * error: -ENOMEM
 * src:   xdp-tools, lib/util/xdp_sample.c, stats_print(), and lib/util/xdpsock.c, dump_stats(); Linux, samples/bpf,
 *        xdp1_user.c and xdp_redirect_user.c, poll_stats(), xdp_rxq_info_user.c, xdp_redirect_cpu_user.c and
 *        xdp_monitor_user.c, stats_print(), net/core/pktgen.c, show_results(), and
 *        tools/testing/selftests/bpf/benchs/bench_bpf_timing.c, bpf_bench_timing_report(); network-testing,
 *        bin/ethtool_stats.pl, print_stats(); netperf, src/nettest_omni.c; neper, rr.c and stream.c; kperf, client.c
 */
#ifndef REPORTS_RATES_H
#define REPORTS_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rates_reading {
	double received, sent; /* sent: on to another device, or by a generator */
};

struct rates_group {
	struct rates_reading *readings; /* one or more */
	size_t n;
	size_t zeros; /* readings of no packets behind the first one; they are left out */
	double cut;   /* the first or the last reading, of a second that the traffic did not fill; left out; 0: none */
	size_t measurement; /* groups of one were measured together */
	bool part;          /* its packets are a part of those that the CPU had in these seconds */
	const char *tool;
	const char *unit; /* "packets/s" */
	const char *why;  /* the numbers are no rates of packets, or of nobody knows what time; NULL: they are */
	bool failed;      /* LNST says so */
	bool two_ends;    /* what was sent is what the other end sent, and nothing was sent on */
	char kind[32];    /* LNST's word */
	char stream[64];  /* "eth0->eth1", "CPU 1", "rx_xdp_drop"; "": there is one */
	char device[32], driver[32];
};

struct rates {
	struct rates_group *groups;
	size_t ngroups;
};

/*
 * seconds: between two outputs of ethtool -S; 0: the text says, or nobody knows. payload_bytes: how much data each
 * packet of a stream had; 0: nobody knows.
 */
int rates_find(struct rates *r, const char *text, size_t len, double seconds, double payload_bytes);
/* A line for each group; they are numbered from first on. */
void rates_list(FILE *out, const struct rates *r, size_t first);
void rates_release(struct rates *r); /* may be called twice */

#endif
