// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "user/cli/command_line.h"
#include "user/cli/loaded_run.h"
#include "user/cli/record_args.h"
#include "user/cli/report_args.h"
#include "user/commands/resume_args.h"
#include "user/commands/sweep_args.h"
#include "user/xdpzoom.h"

#define PRECISION_MAX_TIME_S 600

/* Fills what follows from the options; -EINVAL: the options do not fit together, or do not fit the device. */
static int cmd_record_complete(struct record_args *a, const char *dev, struct diag *d)
{
	if (a->o.windows % 2)
		return diag_set(d, -EINVAL,
				"--schedule windows=%d: not an even number, and half of the windows are profiled",
				a->o.windows);
	/* On a NIC the order of one round is turned round in the next (ABBA), so a steady drift cancels. */
	a->o.shuffle = a->order ? !strcmp(a->order, "shuffle") : !strcmp(dev, "lab");
	if (a->o.precision_pct > 0 && !(a->o.max_time_s > 0))
		a->o.max_time_s = PRECISION_MAX_TIME_S;
	a->o.seed = a->seed > 0 ? (uint64_t)a->seed : record_args_seed();
	if (a->fail_words && (fail_if_parse(&a->fail_if, a->fail_words, d) || fail_if_fits(&a->fail_if, false, d)))
		return -EINVAL;
	if (a->fail_words && a->variants.n != 2)
		return diag_set(d, -EINVAL, "--fail-if compares two variants; name them with -V OLD,NEW");
	if (a->fail_words && a->sweep.n)
		return diag_set(d, -EINVAL, "--fail-if judges one run, and --sweep makes several");
	return steer_check(&a->o.session.steer, dev, d);
}

/* Returns -1 if the command can go on, else the exit status. */
static int cmd_record_parse(struct record_args *a, const char **dev, const struct command *c, int argc, char **argv)
{
	struct diag d = {};
	const struct opt opts[] = {
		{"DEV", 0, OPT_DEVICE, dev, NULL, "the device that receives; lab: the built-in test bed",
		 .words = OPT_WORDS("lab"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		DIR_OPTIONS(a),
		{"variant", 'V', OPT_LIST, &a->variants, "LIST",
		 "variants, separated by commas: ACTION/OPERATION@MODE, prog:FILE.o@MODE",
		 .words = record_default_variants, .otherwise = "these six", .flags = OPT_OPEN},
		{"plant", 0, OPT_LIST, &a->plants, "NS",
		 "measure each variant also with 0 ns and with NS of planted cost: 50, chain50, walk500"},
		VIEW_OPTIONS(a),
		WINDOW_OPTIONS(a),
		SCHEDULE_OPTION(a),
		{"overhead", 0, OPT_NUMBER, &a->o.overhead_pct, "PCT", "what sampling may take at most", 0.01, 50},
		{"stat-events", 0, OPT_EVENTS, &a->stat_events, "LIST",
		 "events for perf stat, four to a window; or none",
		 .otherwise = "with a PMU: cycles, instructions, cache misses"},
		{"precision", 0, OPT_NUMBER, &a->o.precision_pct, "PCT",
		 "add rounds until the widest interval is below PCT of its base", 0.01, 100},
		{"max-time", 0, OPT_SECONDS, &a->o.max_time_s, "TIME", "begin no block after this time", 1, 1e6,
		 .otherwise = "none; 600 s with --precision"},
		{"fentry", 0, OPT_LIST, &a->functions, "FUNCTION", "count and time calls of these kernel functions"},
		CPUS_OPTION(a),
		GENERATOR_OPTION(&a->generator),
		LOAD_OPTIONS(&a->o.session.load),
		TUNE_OPTION(&a->o.session),
		SWEEP_OPTION(&a->sweep),
		FRAMES_OPTION(&a->o.session.frames),
		UNWRITTEN_OPTION(&a->unwritten),
		DEVICE_OPTIONS(&a->netns, &a->o.session.cut_off),
		OWN_OPTIONS(&a->o.session.own),
		FAIL_OPTION(&a->fail_words),
		{"quiet", 'q', OPT_FLAG, &a->o.quiet, NULL, "no progress"},
		{},
	};

	int parsed = opts_parse(c, opts, argc, argv);

	if (parsed)
		return opts_exit(parsed);
	if (cmd_record_complete(a, *dev, &d))
		return fail(&d, -EINVAL), EXIT_USAGE;
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
		status = fail(&d, err);
	} else if (fail_if_measured(&a->fail_if, &c.headline, why, sizeof(why))) {
		complain("%s: %s", a->variants.items[1], why);
		status = EXIT_GATE;
	}
	compare_release(&c);
	loaded_run_release(&l);
	return status;
}

/* The options are those of the run. A seed from the clock is not among them. */
static int resume(const struct command *c, int argc, char **argv)
{
	struct resume_args former;
	const char *dev = NULL;
	struct record_args a;
	int status = resume_args_open(&former, argc, argv);

	record_args_init(&a);
	if (status == EXIT_OK)
		status = cmd_record_parse(&a, &dev, c, former.argc, former.argv);
	if (status < 0) {
		a.o.out_dir = former.dir;
		a.o.force |= former.in_place;
		a.o.quiet |= former.quiet;
		a.o.seed = former.from.run.seed;
		a.o.resume = &former.from;
		stop_on_signals();
		status = record_with(&a, dev, json_incref(former.from.run.command));
		status = status == EXIT_OK && a.fail_if.given ? cmd_record_judge(&a) : status;
	}
	resume_args_release(&former);
	return status;
}

int cmd_record(const struct command *c, int argc, char **argv)
{
	json_t *command = command_line(argc, argv); /* taken before the parser changes the order of the words */
	const char *dev = NULL;
	struct record_args a;
	int status;

	if (resume_args_wanted(argc, argv)) {
		json_decref(command);
		return resume(c, argc, argv);
	}
	record_args_init(&a);
	status = cmd_record_parse(&a, &dev, c, argc, argv);
	if (status >= 0) {
		json_decref(command);
		return status;
	}
	if (!command)
		return complain("out of memory"), EXIT_FAILED;
	stop_on_signals();
	status = a.sweep.n ? sweep_args_record(&a, dev, command) : record_with(&a, dev, command);
	return status == EXIT_OK && a.fail_if.given ? cmd_record_judge(&a) : status;
}
