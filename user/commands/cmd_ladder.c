// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "reports/format/format.h"
#include "user/cli/command_line.h"
#include "user/commands/ladder_words.h"
#include "user/cli/loaded_run.h"
#include "user/cli/new_run.h"
#include "user/cli/output.h"
#include "user/cli/record_args.h"
#include "user/xdpzoom.h"

static int cmd_ladder_show(const char *dir, struct diag *d)
{
	const struct analysis_options plain = {};
	struct render_options o = {};
	struct loaded_run l;
	struct document doc;
	struct output out;
	int err = loaded_run_open(&l, dir, NULL, &plain, d);

	if (err)
		return err;
	err = output_open(&out, NULL, d);
	if (!err) {
		o.colour = out.colour;
		err = document_of_report(&doc, &l.analysis, NULL);
		err = output_close(&out, err ? err : format_ladder(out.stream, &doc, &o), d);
		document_release(&doc);
	}
	loaded_run_release(&l);
	return err;
}

/* What differs between the lab and a device: the lab's rungs take turns, those of a device are measured in blocks. */
static int cmd_ladder_complete(struct record_args *a, const char *what, const char *dev, struct ladder_words *words,
			       struct diag *d)
{
	bool lab = !strcmp(dev, "lab");

	if (!lab && strcmp(what, "rx") != 0)
		return diag_set(d, -EINVAL, "ladder %s is measured in the lab; only ladder rx takes a device", what);
	if (lab && (a->generator.where || a->netns[0] || steer_wanted(&a->o.session.steer)))
		return diag_set(d, -EINVAL, "--netns, --generator and what steers are for a device: ladder rx DEV");
	if (!a->o.rounds) /* in the lab, all rungs then take one rotation of the devices */
		a->o.rounds = lab ? 12 : 6;
	a->o.window_s = lab ? 2.5 : 0.5;
	a->o.seed = record_args_seed();
	if (!a->variants.n)
		ladder_words_fill(words, lab ? what : "rx-device", NULL, &a->variants);
	return steer_check(&a->o.session.steer, dev, d);
}

/* Takes ownership of command. */
static int cmd_ladder_measure(struct record_args *a, const char *dev, json_t *command)
{
	struct diag d = {};
	struct new_run made;
	int err = new_run_choose(&made, "ladder", &a->o.out_dir, &d), status;

	if (err) {
		json_decref(command);
		return fail(&d, err);
	}
	stop_on_signals();
	status = record_with(a, dev, command);
	new_run_end(&made, a->kept);
	if (!a->kept)
		return status;
	err = cmd_ladder_show(a->o.out_dir, &d);
	return err ? fail(&d, err) : status;
}

int cmd_ladder(const struct command *c, int argc, char **argv)
{
	json_t *command = command_line(argc, argv); /* taken before the parser changes the order of the words */
	struct record_args a;
	const char *what = NULL, *dev = "lab";
	struct diag d = {};
	struct ladder_words words;
	int parsed;

	record_args_init(&a);
	a.o.windows = 2;
	a.o.max_time_s = 180;
	const struct opt opts[] = {
		{"WHAT", 0, OPT_WORD, &what, NULL,
		 "which ladder: rx, where a packet is dropped on its way up; forward, what sends it on; tx, what sends "
		 "it; tcp, what reads or relays a TCP segment",
		 .words = OPT_WORDS("rx", "forward", "tx", "tcp"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"DEV", 0, OPT_DEVICE, &dev, NULL, "of ladder rx: the device that receives; lab: the built-in test bed",
		 .words = OPT_WORDS("lab"), .flags = OPT_ARGUMENT},
		{"output", 'o', OPT_DIR, &a.o.out_dir, "DIR", "the run directory to make",
		 .otherwise = "runs/ladder-DATE-TIME"},
		{"variant", 'V', OPT_LIST, &a.variants, "LIST",
		 "the variants to measure, from the lowest to the highest",
		 .otherwise = "drop/no-touch (forward: tx/swap-macs) in native and in skb mode, then all rungs; tx "
			      "and tcp: all rungs"},
		{"blocks", 'b', OPT_INT, &a.o.rounds, "N", "blocks per rung", 1, 1000,
		 .otherwise = "12, on a device 6"},
		{"max-time", 0, OPT_SECONDS, &a.o.max_time_s, "TIME", "how long the recording may take", 1, 1e6},
		SHAPE_OPTIONS(&a.o.session.load),
		CPUS_OPTION(&a),
		GENERATOR_OPTION(&a.generator),
		FRAMES_OPTION(&a.o.session.frames),
		DEVICE_OPTIONS(&a.netns, &a.o.session.cut_off),
		TUNE_OPTION(&a.o.session),
		{"force", 0, OPT_FLAG, &a.o.force, NULL, "replace DIR if it is there"},
		{"quiet", 'q', OPT_FLAG, &a.o.quiet, NULL, "no progress"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (!parsed && cmd_ladder_complete(&a, what, dev, &words, &d))
		fail(&d, -EINVAL), parsed = -EINVAL;
	if (parsed) {
		json_decref(command);
		return opts_exit(parsed);
	}
	return cmd_ladder_measure(&a, dev, command);
}
