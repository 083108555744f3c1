// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/render/render.h"
#include "user/cli/ladder_words.h"
#include "user/cli/loaded_run.h"
#include "user/cli/new_run.h"
#include "user/cli/output.h"
#include "user/cli/record_args.h"
#include "user/xdpzoom.h"

static int show(const char *dir, struct diag *d)
{
	const struct analysis_options plain = {};
	struct render_options o = {};
	struct loaded_run l;
	struct output out;
	int err = loaded_run_open(&l, dir, NULL, &plain, d);

	if (err)
		return err;
	err = output_open(&out, NULL, d);
	if (!err) {
		o.colour = out.colour;
		err = output_close(&out, render_report_ladder(out.stream, &l.analysis, NULL, &o), d);
	}
	loaded_run_release(&l);
	return err;
}

int cmd_ladder(const struct command *c, int argc, char **argv)
{
	struct record_args a;
	const char *what = NULL;
	struct diag d = {};
	struct new_run made;
	struct ladder_words words;
	int parsed, err, status;

	record_args_init(&a);
	a.o.rounds = 12; /* all rungs then take one rotation of the devices */
	a.o.windows = 2;
	a.o.window_s = 2.5;
	a.o.max_time_s = 180;
	const struct opt opts[] = {
		{"WHAT", 0, OPT_WORD, &what, NULL,
		 "which ladder: rx, where a packet is dropped on its way up; forward, what sends it on; tx, what sends "
		 "it; tcp, what reads or relays a TCP segment",
		 .words = OPT_WORDS("rx", "forward", "tx", "tcp"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"output", 'o', OPT_DIR, &a.o.out_dir, "DIR", "the run directory to make",
		 .otherwise = "runs/ladder-DATE-TIME"},
		{"variant", 'V', OPT_LIST, &a.variants, "LIST",
		 "the variants to measure, from the lowest to the highest",
		 .otherwise = "drop/no-touch (forward: tx/swap-macs) in native and in skb mode, then all rungs; tx "
			      "and tcp: all rungs"},
		{"blocks", 'b', OPT_INT, &a.o.rounds, "N", "blocks per rung", 1, 1000},
		{"max-time", 0, OPT_SECONDS, &a.o.max_time_s, "TIME", "how long the recording may take", 1, 1e6},
		{"force", 0, OPT_FLAG, &a.o.force, NULL, "replace DIR if it is there"},
		{"quiet", 'q', OPT_FLAG, &a.o.quiet, NULL, "no progress"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (!a.variants.n)
		ladder_words_fill(&words, what, NULL, &a.variants);
	err = new_run_choose(&made, "ladder", &a.o.out_dir, &d);
	if (err)
		return fail(&d, err);
	a.o.seed = record_args_seed();
	stop_on_signals();
	status = record_with(&a, "lab", json_pack("[s, s, s]", "xdpzoom", "ladder", what));
	new_run_end(&made, a.kept);
	if (!a.kept)
		return status;
	err = show(a.o.out_dir, &d);
	return err ? fail(&d, err) : status;
}
