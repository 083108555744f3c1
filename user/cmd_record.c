// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "user/cli/record_args.h"
#include "user/machine/cpu.h"
#include "user/xdpzoom.h"

#define PRECISION_MAX_TIME_S 600

static json_t *command_line(int argc, char **argv)
{
	json_t *a = json_array();

	json_array_append_new(a, json_string("xdpzoom"));
	for (int i = 0; i < argc; i++)
		json_array_append_new(a, json_string(argv[i]));
	return a;
}

static int check_args(const struct record_args *a, const char *dev)
{
	struct diag d = {};

	if (!a->o.out_dir)
		return complain("record: -o DIR says where the run directory goes"), -1;
	if (a->o.windows % 2)
		return complain("--windows %d: an even number, half of them are profiled", a->o.windows), -1;
	if (strcmp(a->order, "shuffle") && strcmp(a->order, "abba"))
		return complain("--order %s: shuffle or abba", a->order), -1;
	return steer_check(&a->o.session.steer, dev, &d) ? fail(&d, -EINVAL), -1 : 0;
}

int cmd_record(const struct command *c, int argc, char **argv)
{
	json_t *command = command_line(argc, argv);
	struct record_args a;
	double seed = 0;
	int n;

	record_args_init(&a);
	const struct opt opts[] = {
		{"output", 'o', OPT_STRING, &a.o.out_dir, "DIR", "the run directory to make"},
		{"force", 0, OPT_FLAG, &a.o.force, NULL, "replace DIR if it is there"},
		{"variant", 'V', OPT_LIST, &a.variants, "LIST",
		 "e.g. drop/no-touch@native,redirect-cpu:0/parse-ip@skb (six)"},
		{"plant", 0, OPT_LIST, &a.plants, "NS",
		 "each variant with 0 and with so much extra cost too: 50, chain50, walk500"},
		{"blocks", 'b', OPT_INT, &a.o.rounds, "N", "blocks per variant, interleaved (6)", 1, 10000},
		{"window", 'w', OPT_SECONDS, &a.o.window_s, "TIME", "length of a measured window (0.4 s)", 0.05, 3600},
		{"windows", 0, OPT_INT, &a.o.windows, "N", "windows per block, half of them profiled (4)", 2, 1000},
		{"warmup", 0, OPT_SECONDS, &a.o.warmup_s, "TIME", "before the first window (0.2 s)", 0, 3600},
		{"order", 0, OPT_STRING, &a.order, "ORDER", "of the variants in a round: shuffle or abba (shuffle)"},
		{"seed", 0, OPT_NUMBER, &seed, "N", "of the shuffle (from the clock)", 0, 9e15},
		{"overhead", 0, OPT_NUMBER, &a.o.overhead_pct, "PCT", "budget of the profiling (1)", 0.01, 50},
		{"stat-events", 0, OPT_EVENTS, &a.o.stat_events, "LIST",
		 "counted by perf stat, each few in windows of their own; or none (what a PMU has of cycles, "
		 "instructions, "
		 "cache misses)"},
		{"precision", 0, OPT_NUMBER, &a.o.precision_pct, "PCT",
		 "add rounds until the widest interval is below PCT of its base", 0.01, 100},
		{"max-time", 0, OPT_SECONDS, &a.o.max_time_s, "TIME",
		 "begin no further block after it (none; 600 s with --precision)", 1, 1e6},
		{"fentry", 0, OPT_LIST, &a.functions, "FUNCTION",
		 "count and time each call of these kernel functions too"},
		{"rx-cpu", 0, OPT_INT, &a.o.rx_cpu, "CPU", "the lab's receiver (the last CPU); on a NIC: found", 0,
		 4095},
		{"gen-cpu", 0, OPT_INT, &a.gen_cpu, "CPU", "the generator (another core)", 0, 4095},
		{"gen-dev", 'g', OPT_STRING, &a.gen_dev, "DEV", "send live frames out of DEV (the lab's sender; none)"},
		{"gen-netns", 0, OPT_STRING, &a.gen_netns, "NAME", "DEV is in that namespace"},
		{"stage-cpu", 0, OPT_INT, &a.o.stage_cpu, "CPU",
		 "of redirect-cpu without a number, and of AF_XDP's thread (a third core, else the generator's)", 0,
		 4095},
		REMOTE_OPTIONS(&a.remote),
		{"rate", 'r', OPT_NUMBER, &a.rate_pps, "PPS", "limit of the generator (none)", 100, 1e9},
		{"size", 's', OPT_INT, &a.o.session.load.bytes, "BYTES", "frame size without FCS (64)", GEN_MIN_BYTES,
		 GEN_MAX_BYTES},
		{"flows", 'f', OPT_INT, &a.o.session.load.flows, "N", "UDP source ports (1)", 1, 50000},
		{"unwritten", 'u', OPT_FLAG, &a.unwritten, NULL,
		 "do not write each frame: packet data stays in the cache"},
		{"netns", 'N', OPT_STRING, &a.netns, "NAME", "the device is in that network namespace"},
		{"steer", 0, OPT_FLAG, &a.o.session.steer.steer, NULL,
		 "the load on one RX queue, by an ntuple rule or the table of RSS"},
		{"pin-irq", 0, OPT_INT, &a.o.session.steer.pin_cpu, "CPU", "that queue's interrupt there", 0, 4095},
		{"threaded", 0, OPT_FLAG, &a.o.session.steer.threaded, NULL,
		 "poll in a thread on the RX CPU: its busy time is exact"},
		{"quiet", 'q', OPT_FLAG, &a.o.quiet, NULL, "no progress"},
		{},
	};

	n = opts_parse(c, opts, argc, argv);
	if (n >= 0 && n != 1)
		complain("record: name one device, or lab");
	if (n != 1 || check_args(&a, argv[0])) {
		json_decref(command);
		return n < 0 ? opts_exit(n) : EXIT_USAGE;
	}
	a.o.shuffle = !strcmp(a.order, "shuffle");
	if (a.o.precision_pct > 0 && !(a.o.max_time_s > 0))
		a.o.max_time_s = PRECISION_MAX_TIME_S;
	a.o.seed = seed > 0 ? (uint64_t)seed : now_ns() / 1000 % 9007199254740991ULL;
	stop_on_signals();
	return record_with(&a, argv[0], command);
}
