// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/printable.h"
#include "user/cli/remote_args.h"
#include "user/commands/tick.h"
#include "user/commands/watch.h"
#include "user/bed/rig.h"
#include "user/machine/cpu.h"
#include "user/programs/plant.h"
#include "user/session/session.h"
#include "user/xdpzoom.h"

struct stat_args {
	const char *action, *operation, *mode, *netns;
	struct watch_options watch;
	struct opt_list functions;
	struct remote_args remote;
	struct session_options session;
};

/* Stops our own load, if there is one, and prints how many frames it sent. */
static int end_load(struct session *s, struct diag *d)
{
	struct gen_result r;
	int err = session_stop_load(s, &r, d);

	if (!err && s->o.own_load)
		fprintf(stderr,
			"%s sent %" PRId64 " frames in %.2f s, %.0f pps, %" PRId64 " errors; %" PRId64 " came back\n",
			s->o.load.host, r.sent, r.elapsed_ns / 1e9, r.elapsed_ns ? r.sent * 1e9 / r.elapsed_ns : 0,
			r.refused, r.back);
	return err;
}

/*
 * Attaches all probes of functions at once, for as long as the program is attached. The counts of calls are exact.
 * The
 * time of a function contains the probes of the watched functions that it calls.
 */
static int begin_calls(struct session *s, struct diag *d)
{
	struct diag refused = {};
	int err = session_open_calls(s, &refused, d);

	if (refused.text[0])
		complain("%s; packets are counted all the same", refused.text);
	for (size_t i = 0; i < s->calls.n && !err; i++)
		err = calls_attach(&s->calls, i, d);
	return err;
}

static int parse_variant(struct run_variant *v, const struct stat_args *a, bool lab, int rx_cpu, struct diag *d)
{
	char id[RUN_ID_BYTES + 64];
	int err;

	snprintf(id, sizeof(id), "%s%s%s@%s", a->action, a->operation ? "/" : "", a->operation ? a->operation : "",
		 a->mode);
	err = run_variant_parse(v, id, d);
	if (!err)
		err = own_options_check(&a->session.own, v, 1, d);
	return err ? err : stage_choose(v, lab, cpu_pick_keeper(rx_cpu, cpu_pick_load(rx_cpu)), d);
}

/* Opens the session and attaches the program, up to the point where packets arrive. */
static int begin(struct session *s, const struct stat_args *a, struct run_variant *v, const char *dev, struct diag *d)
{
	char words[STEER_WORDS];
	int err = session_open(s, dev, a->netns, -1, false, d);

	if (!err) {
		remote_warn(s);
		err = plant_calibrate(v, cpu_pick_rx(), d);
	}
	if (!err)
		err = session_open_own(s, v, 1, d);
	if (!err)
		err = session_try(s, v, d);
	if (!err)
		err = session_steer(s, v->mode, d);
	if (!err)
		err = begin_calls(s, d);
	if (err)
		return err;
	session_settle(s, v, 1, false);
	err = session_attach(s, v, d);
	if (!err)
		err = session_load(s, d);
	if (err)
		return err;
	steer_words(&s->steer, words, sizeof(words));
	printable_printf(stderr, "%s", words);
	if (!strcmp(a->watch.format, "text"))
		tick_print_heading();
	return 0;
}

static int run_watch(struct session *s, const struct stat_args *a, const struct run_variant *v, struct diag *d)
{
	struct watch w = {.o = &a->watch, .v = v, .session = s};
	int err = watch_run(&w, d);
	double seconds = (w.last_ns - w.start_ns) / 1e9;
	uint64_t seen;

	if (!err)
		err = end_load(s, d);
	seen = session_seen(s);
	session_detach(s);
	if (err != -EOPNOTSUPP) /* with -EOPNOTSUPP nothing was measured */
		fprintf(stderr,
			"%" PRIu64 " packets in %.2f s, %.0f pps on average; %s has no XDP program of ours any more\n",
			seen, seconds, seconds > 0 ? seen / seconds : 0, s->target.nd.name);
	watch_release(&w);
	return err;
}

static int run_stat(const struct stat_args *a, const char *dev)
{
	struct diag d = {}, undone = {};
	struct run_variant v;
	struct session s;
	int err, undo_err;

	session_init(&s, &a->session);
	s.rx_cpu = !strcmp(dev, "lab") ? rig_rx_cpu() : cpu_pick_rx();
	err = parse_variant(&v, a, !strcmp(dev, "lab"), s.rx_cpu, &d);
	if (err)
		return fail(&d, err), EXIT_USAGE;
	err = begin(&s, a, &v, dev, &d);
	if (!err)
		err = run_watch(&s, a, &v, &d);
	undo_err = session_close(&s, &undone);
	if (undo_err)
		fail(&undone, undo_err);
	session_release(&s);
	return err ? fail(&d, err) : undo_err ? EXIT_FAILED : EXIT_OK;
}

/* Fills what follows from the options; -EINVAL: the options do not fit together, or do not fit the device. */
static int complete(struct stat_args *a, const char *dev, struct diag *d)
{
	struct session_options *o = &a->session;
	int err = steer_check(&o->steer, dev, d);

	if (err)
		return err;
	if (!strncmp(a->action, "prog:", 5)) {
		if (a->operation)
			return diag_set(d, -EINVAL, "--operation: your own program does what it does");
	} else if (!a->operation) /* tx needs swap-macs, or the frame goes back to the wrong address */
		a->operation = strcmp(a->action, "tx") ? "no-touch" : "swap-macs";
	if (a->remote.generator && !strcmp(dev, "lab"))
		return diag_set(d, -EINVAL, "--generator: the lab has its own generator, xdpzoom gen lab");
	err = remote_args_apply(&a->remote, &o->load, d);
	o->own_load = o->load.host[0];
	o->functions = a->functions.items;
	o->nfunctions = a->functions.n;
	return err;
}

int cmd_stat(const struct command *c, int argc, char **argv)
{
	struct stat_args a = {
		.action = "drop",
		.mode = "native",
		.netns = "",
		.watch = {.format = "text", .interval_s = 1},
		.session.steer = {.pin_cpu = -1, .rx_cpu = -1, .load_cpu = -1},
		.session.rx = {-1, -1, -1, -1},
	};
	struct gen_options *load = &a.session.load;
	const char *dev = NULL;
	struct diag d = {};
	int parsed;

	gen_options_init(load);
	own_options_init(&a.session.own);
	const struct opt opts[] = {
		{"DEV", 0, OPT_DEVICE, &dev, NULL, "the device that receives; lab: the built-in rig",
		 .words = OPT_WORDS("lab"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"action", 'a', OPT_WORD, &a.action, "ACTION", "what the program does with a packet",
		 .words = OPT_WORDS("drop", "pass", "tx", "aborted", "redirect:DEV", "redirect-cpu:N", "xsk",
				    "prog:FILE.o", "prog:FILE.o:NAME", "prog:pinned:PATH", "prog:id:N"),
		 .flags = OPT_OPEN},
		{"operation", 'p', OPT_WORD, &a.operation, "OP",
		 "what it does with the packet's data before the action",
		 .words = OPT_WORDS("no-touch", "read-data", "parse-ip", "swap-macs"),
		 .otherwise = "no-touch; swap-macs with tx", .flags = OPT_OPEN},
		{"mode", 'm', OPT_WORD, &a.mode, "MODE", "how the program is attached",
		 .words = OPT_WORDS("native", "skb", "hw")},
		{"extended", 'e', OPT_FLAG, &a.watch.extended, NULL,
		 "per CPU and verdict, the second stage, and the device's counters that change"},
		{"interval", 'i', OPT_SECONDS, &a.watch.interval_s, "TIME", "time between two lines, e.g. 0.5 or 250ms",
		 0.001, 86400},
		{"duration", 't', OPT_SECONDS, &a.watch.duration_s, "TIME", "stop after this time", 0.01, 1e6,
		 .otherwise = "until Ctrl-C"},
		{"fentry", 0, OPT_LIST, &a.functions, "FUNCTION", "count and time the calls of these kernel functions"},
		STEER_OPTIONS(&a.session.steer),
		DEVICE_OPTIONS(&a.netns, &a.session.cut_off),
		OWN_OPTIONS(&a.session.own),
		REMOTE_OPTIONS(&a.remote),
		LOAD_OPTIONS(load),
		{"format", 0, OPT_WORD, &a.watch.format, "FORMAT", "json prints a line per interval",
		 .words = OPT_WORDS("text", "json")},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (complete(&a, dev, &d))
		return fail(&d, -EINVAL), EXIT_USAGE;
	stop_on_signals();
	return run_stat(&a, dev);
}
