// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#define CROSSING_SHARE 0.25 /* of the time */

/*
 * The overall once more with frames from another CPU, into a run directory in that of the demo. No samples: what is
 * asked is how much more it costs.
 */
static int record_crossing(const struct record_args *first, int rounds, double max_time_s)
{
	struct record_args a;
	char dir[4096];

	record_args_init(&a);
	a.view = "crossing";
	a.variants = (struct opt_list){{"drop/no-touch@native", "drop/no-touch@skb"}, 2};
	a.o.rounds = rounds;
	a.o.no_profile = true;
	a.o.max_time_s = max_time_s;
	a.o.seed = record_args_seed();
	a.o.out_dir = dir;
	snprintf(dir, sizeof(dir), "%s/" RUN_CROSSING, first->o.out_dir);
	return record_with(&a, "lab", json_pack("[s, s]", "xdpzoom", "demo"));
}

int cmd_demo(const struct command *c, int argc, char **argv)
{
	struct record_args a;
	struct diag d = {};
	struct new_run made = {};
	int parsed, err, status;
	double max_time_s;

	record_args_init(&a);
	a.o.rounds = 24;
	a.o.windows = 2;
	a.o.window_s = 0.7;
	a.o.max_time_s = 80; /* both views; calibration and analysis come on top, and all ends within 90 s */
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &a.o.out_dir, "DIR", "the run directory to make",
		 .otherwise = "runs/DATE-TIME-demo"},
		{"force", 0, OPT_FLAG, &a.o.force, NULL, "replace DIR if it is there"},
		{"for", 't', OPT_SECONDS, &a.o.max_time_s, "TIME", "how long the recording may take", 1, 1e6},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	err = new_run_choose(&made, "demo", &a.o.out_dir, &d);
	if (err)
		return complain_of(&d, err);
	a.o.shuffle = true;
	a.o.seed = record_args_seed();
	stop_on_signals();
	max_time_s = a.o.max_time_s;
	a.o.max_time_s *= 1 - CROSSING_SHARE;
	status = record_with(&a, "lab", json_pack("[s, s]", "xdpzoom", "demo"));
	if (a.kept && status == EXIT_OK && a.o.view == RUN_VIEW_WORK && cpu_pick_other(a.o.rx_cpu, -1) != a.o.rx_cpu)
		status = record_crossing(&a, 2 * a.o.rounds, max_time_s * CROSSING_SHARE);
	new_run_end(&made, a.kept);
	if (!a.kept)
		return status;
	err = record_show(a.o.out_dir, false, &d);
	return err ? complain_of(&d, err) : status;
}
