// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include "reports/render/render.h"
#include "user/cli/loaded_run.h"
#include "user/cli/new_run.h"
#include "user/cli/output.h"
#include "user/cli/record_args.h"
#include "user/xdpzoom.h"

static bool receives(const struct run_variant *v)
{
	return !run_rung_forwards(v) && !run_rung_sends(v);
}

/* A ladder has these variants too, which are XDP programs of ours: each below this rung, which is the first or not. */
static const struct ladder {
	const char *what;
	bool (*has)(const struct run_variant *v); /* is this rung one of the ladder's? */
	struct {
		const char *variant, *rung;
	} ours[2];
} ladders[] = {
	{"rx", receives, {{"drop/no-touch@native", "xsk-copy"}, {"drop/no-touch@skb", "packet-ring"}}},
	{"forward", run_rung_forwards, {{"tx/swap-macs@native", "xdp-redirect"}, {"tx/swap-macs@skb", "skb-redirect"}}},
	{"tx", run_rung_sends, {}},
};

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

/* All rungs from the driver upwards, as words of variants. */
static void all_rungs(struct opt_list *list, const struct ladder *ladder, char words[][32])
{
	struct run_variant v;

	for (size_t i = 0; run_rung_words[i]; i++) {
		snprintf(words[i], sizeof(words[i]), "rung:%s", run_rung_words[i]);
		if (run_variant_parse(&v, words[i], NULL) || !ladder->has(&v))
			continue;
		for (int k = 0; k < 2; k++)
			if (ladder->ours[k].rung && !strcmp(ladder->ours[k].rung, run_rung_words[i]))
				list->items[list->n++] = ladder->ours[k].variant;
		list->items[list->n++] = words[i];
	}
}

static const struct ladder *ladder_of(const char *what)
{
	const struct ladder *l = ladders;

	while (strcmp(l->what, what) != 0)
		l++;
	return l;
}

int cmd_ladder(const struct command *c, int argc, char **argv)
{
	struct record_args a;
	const char *what = NULL;
	struct diag d = {};
	struct new_run made;
	char words[64][32];
	int parsed, err, status;

	record_args_init(&a);
	a.o.rounds = 12; /* all rungs then take one rotation of the devices */
	a.o.windows = 2;
	a.o.window_s = 2.5;
	a.o.max_time_s = 180;
	const struct opt opts[] = {
		{"WHAT", 0, OPT_WORD, &what, NULL,
		 "which ladder: rx, where a packet is dropped on its way up; forward, what sends it on; tx, what sends "
		 "it",
		 .words = OPT_WORDS("rx", "forward", "tx"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"output", 'o', OPT_DIR, &a.o.out_dir, "DIR", "the run directory to make",
		 .otherwise = "runs/ladder-DATE-TIME"},
		{"variant", 'V', OPT_LIST, &a.variants, "LIST",
		 "the variants to measure, from the lowest to the highest",
		 .otherwise = "drop/no-touch (forward: tx/swap-macs) in native and in skb mode, then all rungs; tx: "
			      "all rungs"},
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
		all_rungs(&a.variants, ladder_of(what), words);
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
