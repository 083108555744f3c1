// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "user/machine/cpu.h"
#include "user/load/gen.h"
#include "user/machine/netns.h"
#include "user/load/rig.h"
#include "user/xdpzoom.h"

static int parse_mac(const char *text, unsigned char *mac)
{
	unsigned int v[6];
	int end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &end) != 6 || text[end])
		return -EINVAL;
	for (int i = 0; i < 6; i++)
		mac[i] = v[i];
	return 0;
}

static void print_result(const struct gen_result *r, const char *format)
{
	double seconds = r->elapsed_ns / 1e9;
	double pps = seconds > 0 ? (r->sent >= 0 ? r->sent : (int64_t)r->handed) / seconds : 0;

	if (!strcmp(format, "json")) {
		printf("{\"schema\":\"xdpzoom.gen/1\",\"sent\":%" PRId64 ",\"refused\":%" PRId64 ",\"handed\":%" PRIu64
		       ",\"seconds\":%.6f,\"pps\":%.0f}\n",
		       r->sent, r->refused, r->handed, seconds, pps);
		return;
	}
	if (r->sent >= 0)
		printf("sent %" PRId64 " frames in %.3f s: %.0f pps", r->sent, seconds, pps);
	else
		printf("handed %" PRIu64 " frames to the device in %.3f s: %.0f pps; the device does not count",
		       r->handed, seconds, pps);
	if (r->refused > 0)
		printf("; %" PRId64 " more were refused (the receiver's ring was full)", r->refused);
	printf("\n");
}

int cmd_gen(const struct command *c, int argc, char **argv)
{
	double seconds = 0, count = 0, rate = 0;
	const char *format = "text", *mac = NULL, *netns = "";
	struct gen_options o;
	struct gen_result r = {};
	struct diag d = {};
	int n, lock, err = 0;
	const struct opt opts[] = {
		{"size", 's', OPT_INT, &o.bytes, "BYTES", "frame size without FCS (64)", GEN_MIN_BYTES, GEN_MAX_BYTES},
		{"flows", 'f', OPT_INT, &o.flows, "N", "that many UDP source ports (1)", 1, 50000},
		{"rate", 'r', OPT_NUMBER, &rate, "PPS", "limit, e.g. 1.5M (none)", 100, 1e9},
		{"count", 'n', OPT_NUMBER, &count, "N", "exactly that many frames (until stopped)", 1, 1e15},
		{"duration", 't', OPT_SECONDS, &seconds, "TIME", "that long (until stopped)", 0.001, 1e6},
		{"write", 'w', OPT_FLAG, &o.write, NULL, "write each frame, so that its first touch misses the cache"},
		{"batch", 'b', OPT_INT, &o.batch, "N", "frames per batch (the kernel's 64)", 1, 256},
		{"cpu", 'c', OPT_INT, &o.cpu, "CPU", "run there", 0, 4095},
		{"dst-mac", 'm', OPT_STRING, &mac, "MAC", "destination (the lab's receiver, or broadcast)"},
		{"netns", 'N', OPT_STRING, &netns, "NAME", "the device is in that network namespace"},
		{"format", 0, OPT_STRING, &format, "text|json", "how the result is printed (text)"},
		{},
	};

	gen_options_init(&o);
	n = opts_parse(c, opts, argc, argv);
	if (n < 0)
		return opts_exit(n);
	if (n != 1)
		return complain("gen: name one device, or lab"), EXIT_USAGE;
	if (strcmp(format, "text") && strcmp(format, "json"))
		return complain("--format %s: text or json", format), EXIT_USAGE;
	if (count != (double)(uint64_t)count)
		return complain("--count: not a whole number"), EXIT_USAGE;
	if (o.cpu >= 0 && cpu_check(o.cpu))
		return complain("CPU %d is not there or offline", o.cpu), EXIT_USAGE;
	if (!strcmp(argv[0], "lab")) {
		if (!rig_exists())
			return complain("the lab is down; run: xdpzoom lab up"), EXIT_FAILED;
		lock = rig_lock(false, &d); /* shared with those who look on; until this process ends */
		err = lock < 0 ? lock : rig_gen_options(&o, &d);
		if (o.cpu < 0)
			o.cpu = cpu_pick_load(rig_rx_cpu());
	} else if (strlen(argv[0]) >= sizeof(o.dev) || strlen(netns) >= sizeof(o.netns)) {
		return complain("%s: no such device", argv[0]), EXIT_FAILED;
	} else {
		strcpy(o.dev, argv[0]);
		strcpy(o.netns, netns);
	}
	if (mac && parse_mac(mac, o.dst_mac))
		return complain("--dst-mac %s: not a MAC address", mac), EXIT_USAGE;
	o.rate_pps = rate;
	o.count = count;
	o.duration_ns = seconds * 1e9;
	stop_on_signals();
	if (!err)
		err = netns_enter(o.netns, &d);
	if (!err)
		err = gen_run(&o, &stop_requested, &r, &d);
	if (r.elapsed_ns)
		print_result(&r, format);
	return err ? fail(&d, err) : EXIT_OK;
}
