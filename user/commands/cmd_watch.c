// SPDX-License-Identifier: GPL-2.0-or-later
/* watch - what packets cost on devices that work, second by second */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/stop.h"
#include "user/bed/rig.h"
#include "user/machine/netns.h"
#include "user/machine/privileges.h"
#include "user/watch/lines.h"
#include "user/xdpzoom.h"

#define HEAD_EVERY 20 /* lines */

struct watch_args {
	struct opt_list devices;
	const char *netns, *format;
	double interval_s, for_s;
	int count;
	bool count_only, time_all;
	unsigned long lines; /* printed so far */
};

static bool is_json(const struct watch_args *a)
{
	return !strcmp(a->format, "jsonl");
}

static int print_line(void *arg, const struct watch_line *line)
{
	struct watch_args *a = arg;

	if (is_json(a))
		return lines_json(line);
	if (a->lines++ % HEAD_EVERY == 0)
		lines_head();
	return lines_text(line);
}

static bool has_word(const struct watch_args *a, const char *word)
{
	for (size_t i = 0; i < a->devices.n; i++)
		if (!strcmp(a->devices.items[i], word))
			return true;
	return false;
}

/* Enters the devices' namespace. The words "all" and "lab" stand for all devices of a namespace. */
static int choose_devices(const struct watch_args *a, struct watch_options *o, struct diag *d)
{
	bool lab = has_word(a, "lab"), all = has_word(a, "all") || !a->devices.n;

	if ((lab || all) && a->devices.n > 1)
		return diag_set(d, -EINVAL, "%s is all devices; name nothing beside it", lab ? "lab" : "all");
	if (lab && *a->netns)
		return diag_set(d, -EINVAL, "--netns: the lab has namespaces of its own");
	if (lab && !rig_exists())
		return diag_set(d, -ENODEV, "there is no lab; xdpzoom lab up makes one");
	o->names = a->devices.items;
	o->nnames = lab || all ? 0 : a->devices.n;
	return netns_enter(lab ? RIG_RX_NETNS : a->netns, d);
}

static int run_watch(struct watch_args *a)
{
	struct watch_options o = {
		.every = a->count_only ? 0
			 : a->time_all ? 1
				       : WATCH_EVERY,
		.interval_s = a->interval_s,
		.for_s = a->for_s,
		.count = a->count,
		.line = print_line,
		.arg = a,
	};
	struct watcher w;
	struct diag d = {};
	int err;

	watcher_init(&w, &o);
	err = choose_devices(a, &o, &d);
	if (err == -EINVAL)
		return fail(&d, err), EXIT_USAGE;
	if (!err)
		err = watcher_open(&w, &d);
	if (!err) {
		privileges_settle(true, false, false); /* CAP_SYS_ADMIN: the names of programs */
		err = watch_run(&w, &d);
	}
	watcher_release(&w);
	return err ? fail(&d, err) : EXIT_OK;
}

int cmd_watch(const struct command *c, int argc, char **argv)
{
	struct watch_args a = {.netns = "", .format = "text", .interval_s = 1};
	const struct opt opts[] = {
		{"DEV", 0, OPT_LIST, &a.devices, NULL, "devices; all: those of this network namespace; lab: the lab's",
		 .words = OPT_WORDS("all", "lab"), .otherwise = "all", .flags = OPT_ARGUMENT | OPT_OPEN},
		{"interval", 'i', OPT_SECONDS, &a.interval_s, "TIME", "time between two lines, e.g. 0.5 or 250ms", 0.01,
		 3600},
		{"count", 'c', OPT_INT, &a.count, "N", "stop after so many intervals", 1, 1000000000,
		 .otherwise = "until Ctrl-C"},
		{"for", 't', OPT_SECONDS, &a.for_s, "TIME", "stop after this time", 0.01, 1e9,
		 .otherwise = "until Ctrl-C"},
		{"count-only", 0, OPT_FLAG, &a.count_only, NULL, "count polls and packets, and read no clock"},
		{"time-all", 0, OPT_FLAG, &a.time_all, NULL, "time every softirq, and not a random one of 16"},
		{"netns", 'N', OPT_NETNS, &a.netns, "NAME", "the network namespace of the devices",
		 .otherwise = "this one"},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "jsonl prints an object per device and interval",
		 .words = OPT_WORDS("text", "jsonl")},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv);

	if (parsed)
		return opts_exit(parsed);
	if (a.count_only && a.time_all) {
		complain("only one of --count-only and --time-all");
		return EXIT_USAGE;
	}
	stop_on_signals();
	return run_watch(&a);
}
