// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "user/cli/cli.h"
#include "user/commands/commands.h"
#include "user/xdpzoom.h"

#define PRECISION_MAX_TIME_S 600
#define LADDER_MAX_TIME_S    180

/*
 * A ladder is its variants, from the lowest layer to the highest, and windows that are long enough for all of them. The
 * lab's layers take turns, those of a device are measured in blocks.
 */
static int complete_ladder(struct record_args *a, const char *dev, struct ladder_words *words, struct diag *d)
{
	bool lab = !strcmp(dev, "lab");

	if (!lab && strcmp(a->ladder, "rx") != 0)
		return diag_set(d, -EINVAL, "--ladder %s is measured in the lab; only --ladder rx takes a device",
				a->ladder);
	if (a->sweep.n)
		return diag_set(d, -EINVAL, "--ladder and --sweep: name one of them");
	if (!a->o.rounds) /* in the lab, all layers then take one rotation of the devices */
		a->o.rounds = lab ? 12 : 6;
	if (!(a->o.window_s > 0))
		a->o.window_s = lab ? 2.5 : 0.5;
	if (!a->o.windows)
		a->o.windows = 2;
	if (!(a->o.max_time_s > 0))
		a->o.max_time_s = LADDER_MAX_TIME_S;
	if (!a->variants.n)
		ladder_words_fill(words, lab ? a->ladder : "rx-device", NULL, &a->variants);
	return 0;
}

/* Fills what follows from the options; -EINVAL: the options do not fit together, or do not fit the device. */
static int cmd_record_complete(struct record_args *a, const char *dev, struct ladder_words *words, struct diag *d)
{
	if (a->o.windows % 2)
		return diag_set(d, -EINVAL,
				"--schedule windows=%d: not an even number, and half of the windows are profiled",
				a->o.windows);
	/* On a NIC the order of one round is turned round in the next (ABBA), so a steady drift cancels. */
	a->o.shuffle = a->order ? !strcmp(a->order, "shuffle") : !strcmp(dev, "lab");
	if (a->ladder && complete_ladder(a, dev, words, d))
		return -EINVAL;
	if (a->o.precision_pct > 0 && !(a->o.max_time_s > 0))
		a->o.max_time_s = PRECISION_MAX_TIME_S;
	a->o.seed = a->seed > 0 ? (uint64_t)a->seed : record_args_seed();
	if (a->fail_words && (fail_if_parse(&a->fail_if, a->fail_words, d) || fail_if_fits(&a->fail_if, false, d)))
		return -EINVAL;
	if (a->fail_words && a->variants.n != 2)
		return diag_set(d, -EINVAL, "--fail-if compares two variants; name them with -V OLD,NEW");
	if (a->fail_words && a->sweep.n)
		return diag_set(d, -EINVAL, "--fail-if evaluates one run, and --sweep makes several");
	return steer_check(&a->o.session.steer, dev, d);
}

/* Returns -1 if the command can go on, else the exit status. */
static int cmd_record_parse(struct record_args *a, const char **dev, struct ladder_words *words,
			    const struct command *c, int argc, char **argv)
{
	struct diag d = {};
	const struct opt opts[] = {
		{"DEV", 0, OPT_DEVICE, dev, NULL, "the device that receives; lab: the built-in testbed",
		 .words = OPT_WORDS("lab"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"output", 'o', OPT_DIR, &a->o.out_dir, "DIR", "the run directory to make",
		 .otherwise = "runs/DATE-TIME-DEV"},
		{"force", 0, OPT_FLAG, &a->o.force, NULL, "replace DIR if it is there", .group = GROUP_OUTPUT},
		{"variant", 'V', OPT_LIST, &a->variants, "LIST",
		 "variants, separated by commas: ACTION/OPERATION@MODE, prog:FILE.o@MODE",
		 .words = record_default_variants, .otherwise = "these six", .flags = OPT_OPEN},
		{"for", 't', OPT_SECONDS, &a->o.max_time_s, "TIME", "begin no block after this time", 1, 1e6,
		 .otherwise = "none; 600 s with --precision, 180 s with --ladder"},
		{"blocks", 'b', OPT_INT, &a->o.rounds, "N", "blocks per variant, interleaved", 1, 10000,
		 .otherwise = "24 in turns, 64 with --view crossing, else 6; fewer in a sweep, 12 of a ladder"},
		{"ladder", 0, OPT_WORD, &a->ladder, "LADDER",
		 "a whole ladder: where a packet is dropped on its way up (rx), what sends it on, what sends it, what "
		 "reads or relays a TCP segment",
		 .words = OPT_WORDS("rx", "forward", "tx", "tcp"), .otherwise = "none"},
		{"sweep", 0, OPT_LIST, &a->sweep, "NAME=LIST",
		 "a run for each of these values of a parameter: size=64,256,1500", .otherwise = "none"},
		{"inject", 0, OPT_LIST, &a->injected, "NS",
		 "measure each variant also with 0 ns and with NS of injected cost: 50, chain50, walk500",
		 .group = GROUP_STATISTICS},
		{"view", 0, OPT_WORD, &a->view, "VIEW",
		 "variants in turns on one CPU, in turns from another CPU, in turns on one device, or block by block",
		 .words = OPT_WORDS("auto", "work", "crossing", "turns", "blocks"), .group = GROUP_STATISTICS},
		{"precision", 0, OPT_NUMBER, &a->o.precision_pct, "PCT",
		 "add rounds until the widest interval is below PCT of its base", 0.01, 100},
		FAIL_OPTION(&a->fail_words),
		GENERATOR_OPTION(&a->generator, &a->o.session.load),
		LOAD_OPTIONS(&a->o.session.load),
		FRAMES_OPTION(&a->o.session.frames),
		UNWRITTEN_OPTION(&a->unwritten),
		DEVICE_OPTIONS(&a->netns, &a->o.session.cut_off),
		TUNE_OPTION(&a->o.session),
		OWN_OPTIONS(&a->o.session.own),
		CPUS_OPTION(a),
		{"window", 0, OPT_SECONDS, &a->o.window_s, "TIME", "length of a measured window", 0.05, 3600,
		 .otherwise = "0.4 s; 0.2 s with --view crossing", .group = GROUP_STATISTICS},
		SCHEDULE_OPTION(a),
		{"overhead", 0, OPT_NUMBER, &a->o.overhead_pct, "PCT", "what sampling may take at most", 0.01, 50,
		 .group = GROUP_STATISTICS},
		{"stat-events", 0, OPT_EVENTS, &a->stat_events, "LIST",
		 "events for perf stat, four to a window; or none",
		 .otherwise = "with a PMU: cycles, instructions, cache misses", .group = GROUP_STATISTICS},
		{"fentry", 0, OPT_LIST, &a->functions, "FUNCTION", "count and time calls of these kernel functions",
		 .group = GROUP_STATISTICS},
		{"quiet", 'q', OPT_FLAG, &a->o.quiet, NULL, "no progress, and no summary at the end"},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv);

	if (parsed)
		return opts_exit(parsed);
	if (cmd_record_complete(a, *dev, words, &d))
		return complain_of(&d, -EINVAL), EXIT_USAGE;
	return -1;
}

static int cmd_record_compare_variants(struct compare *c, const struct analysis *a, const struct opt_list *names,
				       struct diag *d)
{
	const struct analysis_variant *side[2] = {};
	struct run_variant v;

	for (int i = 0; i < 2; i++) {
		int err = run_variant_parse(&v, names->items[i], d);

		side[i] = err ? NULL : analysis_find(a, v.id, d);
		if (!side[i])
			return err ? err : -ENOENT;
	}
	return compare_build(c, side[0], side[1], NULL, d);
}

/* The exit status of a run whose second variant is compared with its first one. */
static int cmd_record_judge(const struct record_args *a)
{
	const struct analysis_options plain = {};
	struct loaded_run l;
	struct compare c = {};
	struct diag d = {};
	char why[200];
	int status = EXIT_OK, err = loaded_run_open(&l, a->o.out_dir, NULL, &plain, &d);

	if (!err)
		err = cmd_record_compare_variants(&c, &l.analysis, &a->variants, &d);
	if (err) {
		status = complain_of(&d, err);
	} else if (fail_if_measured(&a->fail_if, &c.overall, why, sizeof(why))) {
		complain("%s: %s", a->variants.items[1], why);
		status = EXIT_GATE;
	}
	compare_release(&c);
	loaded_run_release(&l);
	return status;
}

int cmd_record(const struct command *c, int argc, char **argv)
{
	json_t *command = command_line(argc, argv); /* taken before the parser changes the order of the words */
	struct ladder_words words;
	const char *dev = NULL;
	struct record_args a;
	struct new_run made = {};
	struct diag d = {};
	int status, err;

	record_args_init(&a);
	status = cmd_record_parse(&a, &dev, &words, c, argc, argv);
	if (status < 0 && !command)
		status = complain_of(&d, diag_set(&d, -ENOMEM, "out of memory"));
	if (status < 0) {
		err = new_run_choose(&made, a.ladder ? "ladder" : a.sweep.n ? "sweep" : dev, &a.o.out_dir, &d);
		status = err ? complain_of(&d, err) : -1;
	}
	if (status >= 0) {
		json_decref(command);
		return status;
	}
	stop_on_signals();
	if (a.sweep.n) {
		status = sweep_args_record(&a, dev, command);
		new_run_end(&made, status == EXIT_OK);
		return status;
	}
	status = record_with(&a, dev, command);
	new_run_end(&made, a.kept);
	if (a.kept && !a.o.quiet) {
		err = record_show(a.o.out_dir, a.ladder, &d);
		status = err ? complain_of(&d, err) : status;
	}
	return status == EXIT_OK && a.fail_if.given ? cmd_record_judge(&a) : status;
}
