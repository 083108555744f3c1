// SPDX-License-Identifier: GPL-2.0-or-later
/* watch - what packets cost on devices that work, second by second, and the last minutes as a run directory */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/printable.h"
#include "base/stop.h"
#include "base/tree.h"
#include "user/bed/rig.h"
#include "user/cli/command_line.h"
#include "user/cli/new_run.h"
#include "user/machine/clock.h"
#include "user/machine/netns.h"
#include "user/machine/privileges.h"
#include "user/watch/alarms.h"
#include "user/watch/ask.h"
#include "user/watch/dump.h"
#include "user/watch/flight.h"
#include "user/watch/lines.h"
#include "user/watch/metrics.h"
#include "user/watch/notify.h"
#include "user/watch/own_cost.h"
#include "user/watch/queue_lines.h"
#include "user/watch/screen.h"
#include "user/xdpzoom.h"

#define HEAD_EVERY      20 /* lines */
#define TRIGGER_AFTER_S 10 /* from a trigger to its dump, where --after gives no other time */
#define KEEP_MOST       100
#define COST_S          60 /* that --cost has, where --for and --count give no other time */

struct watch_args {
	struct opt_list devices;
	const char *netns, *format, *output, *triggers, *replay, *textfile;
	double interval_s, for_s, overhead_pct, functions_s, last_s, after_s, pause_s;
	int count, keep, port;
	bool count_only, time_all, force, cost, no_queues;
	json_t *command;
};

/* A watch that runs. */
struct watching {
	const struct watch_args *a;
	struct watcher w;
	struct flight flight;
	struct ask ask;
	struct ask_request asked;   /* what due_ns is for */
	uint64_t moment_ns, due_ns; /* due_ns 0: no dump was asked for */
	bool read_last;             /* the state for the dump that is due is read */
	struct triggers triggers;
	struct metrics *metrics;
	bool deaf;                 /* the last text of metrics could not be written, which was told */
	char why[200];             /* the trigger that due_ns is for; "": somebody asked */
	uint64_t dumped_ns;        /* when a trigger's dump was made last; 0: none */
	char kept[KEEP_MOST][128]; /* directories of triggers' dumps, in a circle */
	size_t nkept;
	uint64_t functions_ns; /* when they were printed last */
	unsigned long lines;   /* printed so far */
	bool printed;          /* in this interval */
	struct own_rounds own;
	struct queues queues;    /* skel NULL: nobody looks at queues */
	struct queue_seen *seen; /* in this interval; NULL: not summed up yet */
	size_t nseen;
	json_t *seen_last; /* as an object, of the last interval */
	struct sides sides;
	struct states states;
	struct screen screen;
	bool untold; /* what is not known of queues was told */
};

static bool is_json(const struct watch_args *a)
{
	return !strcmp(a->format, "jsonl");
}

/* A trigger that comes true asks for a dump, unless one is due, or the last one is too young. */
static void judge(struct watching *r, const struct watch_line *line)
{
	uint64_t now = r->w.look_ns;
	char words[160];

	if (!r->triggers.n || !alarms_judge(&r->triggers, line, words, sizeof(words)))
		return;
	complain("%s: %s", line->device ? line->device->nd.name : "(backlog)", words);
	if (r->due_ns || (r->dumped_ns && (double)(now - r->dumped_ns) < r->a->pause_s * 1e9))
		return;
	snprintf(r->why, sizeof(r->why), "%.20s: %s", line->device ? line->device->nd.name : "(backlog)", words);
	r->asked = (struct ask_request){.after_s = r->a->after_s > 0 ? r->a->after_s : TRIGGER_AFTER_S};
	r->moment_ns = now;
	r->due_ns = now + (uint64_t)(r->asked.after_s * 1e9);
	r->w.past.cut = true;
	states_ask(&r->states, &r->w.devices, &r->queues, true);
}

/* ---- queues ----------------------------------------------------------------------------------------------------- */

static double backlog_pps(void *arg, unsigned int cpu)
{
	const struct watching *r = arg;

	return watcher_backlog_pps(&r->w, cpu);
}

/* Sums up what was seen of queues in the interval, once. */
static int see_queues(struct watching *r)
{
	const struct watcher *w = &r->w;
	int err;

	if (r->seen || !r->queues.skel)
		return 0;
	err = queues_end(&r->queues, backlog_pps, r, &r->seen, &r->nseen);
	if (err)
		return err;
	json_decref(r->seen_last);
	r->seen_last = queue_lines_object(r->seen, r->nseen, &r->queues.ended, (double)(w->look_ns - w->start_ns) / 1e9,
					  (double)(w->look_ns - w->interval_ns) / 1e9);
	return r->seen_last ? 0 : -ENOMEM;
}

static int print_queues(struct watching *r)
{
	int err = see_queues(r);

	if (!err && r->seen && !r->screen.on)
		err = is_json(r->a) ? queue_lines_json(r->seen_last)
				    : queue_lines_text(r->seen, r->nseen, &r->queues.ended, !r->untold);
	r->untold = true;
	free(r->seen);
	r->seen = NULL;
	return err;
}

/* Between two looks at the polls. */
static int look_at_queues(void *arg, uint64_t until_ns)
{
	struct watching *r = arg;
	int err = 0;

	uint64_t next_ns;

	while (r->queues.skel && !err && !stop_requested && (next_ns = queues_next_ns(&r->queues)) < until_ns) {
		sleep_until_ns(next_ns);
		err = stop_requested ? 0 : queues_look(&r->queues);
	}
	sleep_until_ns(until_ns);
	return err || !r->queues.skel ? err : queues_look_slow(&r->queues);
}

static void open_queues(struct watching *r)
{
	struct diag d = {};

	if (r->a->no_queues || r->a->count_only || r->a->cost)
		return;
	queues_open(&r->queues, &d);
	if (d.text[0])
		complain("%s", d.text);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static int print_line(void *arg, const struct watch_line *polled)
{
	struct watch_line with_queues = *polled, *line = &with_queues;
	struct watching *r = arg;
	int err = see_queues(r);

	if (err)
		return err;
	line->queue_pct = queue_lines_most_pct(r->seen, r->nseen, line->device ? line->device->nd.ifindex : 0);

	if (r->a->cost)
		return own_line(&r->own, line), 0;
	judge(r, line);
	if (r->screen.on && !r->printed)
		screen_begin(&r->screen);
	r->printed = true;
	if (metrics_add(r->metrics, line))
		return -ENOMEM;
	if (is_json(r->a))
		return lines_json(line);
	if (r->screen.on)
		return screen_line(&r->screen, line), 0;
	if (r->lines++ % HEAD_EVERY == 0)
		lines_head();
	return lines_text(line);
}

/* ---- functions ------------------------------------------------------------------------------------------------- */

static int cmd_watch_print_functions(struct watching *r, struct diag *d)
{
	struct flight_costs costs[WATCH_SLOTS];
	int err = flight_cost(&r->flight, &r->w, r->a->functions_s, costs, d);

	for (unsigned int slot = 0; slot < WATCH_SLOTS && !err; slot++)
		if (costs[slot].n)
			err = is_json(r->a) ? lines_functions_json(&r->w, slot, &costs[slot])
					    : lines_functions(&r->w, slot, &costs[slot]);
	flight_costs_release(costs);
	return err;
}

/* A failure is told once, and ends nothing: the disk may have room again. */
static void publish(struct watching *r)
{
	struct diag d = {};
	int err = metrics_publish(r->metrics, &d);

	if (err && !r->deaf)
		complain("%s", d.text);
	r->deaf = err;
}

static int draw(struct watching *r, struct diag *d)
{
	struct flight_costs costs[WATCH_SLOTS];
	int err = flight_cost(&r->flight, &r->w, r->a->functions_s, costs, d);

	if (!err)
		screen_draw(&r->screen, costs, r->seen, r->nseen);
	flight_costs_release(costs);
	return err;
}

static int after_interval(void *arg, struct watcher *w, struct diag *d)
{
	struct watching *r = arg;
	int err;

	if (r->a->cost) {
		stop_requested |= own_round(&r->own, w);
		return 0;
	}
	if (r->screen.on && !r->screen.paused)
		err = draw(r, d);
	else if (!r->screen.on && !r->printed && !is_json(r->a)) {
		printf("%7.1f nothing was polled\n", (double)(w->look_ns - w->start_ns) / 1e9);
		fflush(stdout);
	}
	r->printed = false;
	err = see_queues(r) ?: sides_add(&r->sides, w, r->seen, r->seen ? r->nseen : 0) ?: print_queues(r);
	if (err)
		return diag_set(d, err, "cannot write: %s", strerror(-err));
	publish(r);
	if (!r->flight.on || r->screen.on || (double)(w->look_ns - r->functions_ns) < r->a->functions_s * 1e9 * 0.99)
		return 0;
	r->functions_ns = w->look_ns;
	return cmd_watch_print_functions(r, d);
}

static int each_second(void *arg, struct watcher *w, struct diag *d)
{
	struct watching *r = arg;

	notify_manager("WATCHDOG=1");
	if (!r->a->cost)
		states_ask(&r->states, &w->devices, &r->queues, false);
	return flight_refresh(&r->flight, w, d);
}

/* ---- dumps ------------------------------------------------------------------------------------------------------ */

static double back_s(const struct watch_args *a)
{
	return a->last_s > 0 ? a->last_s : 60;
}

static void remove_dump(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	tree_remove(fd);
	close(fd);
	rmdir(path);
}

/* When triggers have asked this watch for too many dumps, the oldest goes. */
static void bound_dumps(struct watching *r, const char *dir)
{
	char *slot = r->kept[r->nkept++ % (size_t)r->a->keep];

	if (*slot)
		remove_dump(slot);
	snprintf(slot, sizeof(r->kept[0]), "%s", dir);
}

/* A failure is told, and ends nothing. sentence: what became of it. */
static int cmd_watch_keep(struct watching *r, const char *dir, const char *why, struct diag *sentence)
{
	struct dump_options o = {
		.dir = dir,
		.force = r->a->force,
		.moment_ns = r->moment_ns,
		.from_ns = (r->moment_ns ? r->moment_ns : r->w.look_ns) - (uint64_t)(back_s(r->a) * 1e9),
		.command = r->a->command,
		.why = why,
		.queues = r->seen_last,
		.sides = &r->sides,
		.states = &r->states,
	};
	struct new_run chosen = {};
	struct diag d = {};
	size_t blocks = 0;
	int err = new_run_choose(&chosen, "watch", &o.dir, &d) ?: dump_write(&o, &r->w, &r->flight, &blocks, &d);

	new_run_end(&chosen, !err);
	if (!err && r->why[0])
		bound_dumps(r, o.dir);
	if (err)
		return diag_set(sentence, err, "%s", d.text[0] ? d.text : strerror(-err));
	return diag_set(sentence, 0, "%s holds %zu blocks%s", o.dir, blocks, r->flight.on ? "" : ", without functions");
}

/* For a dump that nobody waited for. */
static void read_now(struct watching *r)
{
	states_take(&r->states, true);
	states_ask(&r->states, &r->w.devices, &r->queues, true);
	states_take(&r->states, true);
}

static int dump_if_due(struct watching *r)
{
	struct diag sentence = {};
	int err;

	if (!r->due_ns || r->w.look_ns < r->due_ns)
		return 0;
	if (!r->read_last) { /* the state after the moment is that of now */
		if (!states_take(&r->states, false))
			return 0;
		states_ask(&r->states, &r->w.devices, &r->queues, true);
		r->read_last = true;
	}
	if (!states_take(&r->states, false))
		return 0;
	r->read_last = false;
	err = cmd_watch_keep(r, r->asked.dir[0] ? r->asked.dir : NULL, r->why[0] ? r->why : "asked for", &sentence);
	complain("%s", sentence.text);
	if (r->why[0])
		r->dumped_ns = r->w.look_ns;
	else
		ask_answer(&r->ask, err, sentence.text);
	r->due_ns = r->moment_ns = 0;
	r->why[0] = '\0';
	return 0;
}

static int obey_key(struct watching *r, struct diag *d)
{
	enum screen_wish wish = r->screen.on ? screen_key(&r->screen) : SCREEN_NOTHING;
	struct diag sentence = {};

	if (wish == SCREEN_QUIT)
		stop_requested = SIGINT;
	if (wish == SCREEN_DUMP && !r->due_ns) {
		cmd_watch_keep(r, NULL, "a key", &sentence);
		snprintf(r->screen.message, sizeof(r->screen.message), "%.199s", sentence.text);
	}
	return wish == SCREEN_DUMP || wish == SCREEN_DRAW ? draw(r, d) : 0;
}

static int each_look(void *arg, struct watcher *w, struct diag *d)
{
	struct watching *r = arg;
	int err = obey_key(r, d);

	if (err)
		return err;
	if (!r->due_ns && ask_next(&r->ask, r->a->after_s, &r->asked)) {
		r->due_ns = w->look_ns + (uint64_t)(r->asked.after_s * 1e9);
		r->moment_ns = r->asked.after_s > 0 ? w->look_ns : 0;
		w->past.cut = true; /* no second lies on both sides of the moment */
		states_take(&r->states, false);
		states_ask(&r->states, &w->devices, &r->queues, true);
	}
	states_take(&r->states, false);
	return dump_if_due(r);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

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

	if (lab && !rig_exists())
		return diag_set(d, -ENODEV, "there is no lab; xdpzoom lab up makes one");
	o->names = a->devices.items;
	o->nnames = lab || all ? 0 : a->devices.n;
	return netns_enter(lab ? RIG_RX_NETNS : a->netns, d);
}

static int open_all(struct watching *r, struct watch_options *o, struct diag *d)
{
	struct diag deaf = {};
	int err;

	if (r->a->triggers) {
		err = triggers_read(&r->triggers, strcmp(r->a->triggers, "default") ? r->a->triggers : NULL, d);
		if (err)
			return err;
	}
	err = metrics_open(&r->metrics, r->a->textfile, r->a->port, d);
	if (err)
		return err;
	ask_listen(&r->ask, &deaf); /* in this namespace, where others will ask; it runs without, too */
	err = choose_devices(r->a, o, d) ?: watcher_open(&r->w, d);
	if (!err && r->a->overhead_pct > 0)
		err = flight_open(&r->flight, &r->w, r->a->overhead_pct, d);
	if (!err && deaf.text[0])
		complain("%s", deaf.text);
	if (!err)
		open_queues(r);
	if (!err && !r->flight.on && r->flight.why.text[0])
		complain("%s", r->flight.why.text);
	return err;
}

static int print_cost(const struct watching *r, struct diag *d)
{
	if (r->own.n < 2)
		return diag_set(d, -ENODATA,
				"too few packets were polled to tell what a watch costs; it takes %d polls and as many "
				"softirqs, again and again; --for gives it more time",
				PROBE_MEASURED);
	own_print(&r->own, &r->w, &r->flight);
	return 0;
}

static int run_watch(const struct watch_args *a)
{
	struct watching r = {.a = a};
	struct watch_options o = {
		.every = a->count_only ? 0
			 : a->time_all ? 1
				       : WATCH_EVERY,
		.interval_s = a->interval_s,
		.for_s = a->cost && !a->count && !(a->for_s > 0) ? COST_S : a->for_s,
		.count = a->count,
		.line = print_line,
		.after = after_interval,
		.look = each_look,
		.second = each_second,
		.wait = look_at_queues,
		.arg = &r,
	};
	struct diag d = {}, sentence = {};
	int err;

	/*
	 * Tables of functions and of BTF are read once and freed. glibc would then keep such blocks in the heap, and
	 * the holes that they leave are never given back: 11 MB, for as long as this runs.
	 */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	watcher_init(&r.w, &o);
	ask_init(&r.ask);
	err = open_all(&r, &o, &d);
	if (!err && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && !is_json(a) && !a->cost &&
	    screen_open(&r.screen, &sentence))
		sentence = (struct diag){}; /* lines do */
	if (!err) {
		privileges_settle(true, false, false); /* CAP_SYS_ADMIN: the names of programs */
		notify_manager("READY=1");
		err = watch_run(&r.w, &d);
	}
	screen_close(&r.screen);
	if (!err && a->cost) {
		err = print_cost(&r, &d);
	} else if (!err && a->output) {
		r.moment_ns = 0;
		read_now(&r);
		err = cmd_watch_keep(&r, a->output, "at the end", &sentence);
		complain("%s", sentence.text);
	}
	if (err && !sentence.text[0])
		fail(&d, err);
	metrics_close(r.metrics);
	queues_release(&r.queues);
	sides_release(&r.sides);
	states_release(&r.states);
	free(r.seen);
	json_decref(r.seen_last);
	triggers_release(&r.triggers);
	flight_release(&r.flight);
	watcher_release(&r.w);
	ask_release(&r.ask);
	return err ? err == -EPERM || err == -EOPNOTSUPP ? EXIT_LACKS : EXIT_FAILED : EXIT_OK;
}

/* Asks a watch that runs. What follows the name of a directory is resolved here: the watch works in another one. */
static int ask_running(const struct watch_args *a)
{
	struct ask_request r = {.after_s = a->after_s};
	struct diag d = {};
	char here[2048];
	int err;

	if (a->output && a->output[0] != '/' && !getcwd(here, sizeof(here))) {
		complain("cannot tell where this is: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (a->output)
		snprintf(r.dir, sizeof(r.dir), "%s%s%.2000s", a->output[0] == '/' ? "" : here,
			 a->output[0] == '/' ? "" : "/", a->output);
	err = ask_dump(&r, &d);
	if (err)
		return fail(&d, err);
	printable_printf(stdout, "%s\n", d.text);
	return EXIT_OK;
}

/* Which triggers would have come true with the lines of a watch; status 3 when one did. */
static int replay(const struct watch_args *a)
{
	const char *path = a->triggers && strcmp(a->triggers, "default") ? a->triggers : NULL;
	unsigned long count = 0;
	struct triggers t = {};
	struct diag d = {};
	int err;

	err = triggers_read(&t, path, &d) ?: alarms_replay(&t, a->replay, &count, &d);
	triggers_release(&t);
	if (err)
		return fail(&d, err);
	return count ? EXIT_GATE : EXIT_OK;
}

static int cmd_watch_check(const struct watch_args *a, struct diag *d)
{
	bool word = has_word(a, "dump") || has_word(a, "lab") || has_word(a, "all");

	if (word && a->devices.n > 1)
		return diag_set(d, -EINVAL, "all, lab and dump stand alone; name nothing beside them");
	if (a->count_only && a->time_all)
		return diag_set(d, -EINVAL, "only one of --count-only and --time-all");
	if (has_word(a, "lab") && *a->netns)
		return diag_set(d, -EINVAL, "--netns: the lab has namespaces of its own");
	if (a->output && !(a->last_s > 0) && !has_word(a, "dump"))
		return diag_set(d, -EINVAL, "--output: how much of the past? give --last, such as --last 60");
	if (a->cost && (a->count_only || a->output || a->triggers || a->textfile || a->port || is_json(a)))
		return diag_set(d, -EINVAL, "--cost prints what a watch costs, and does nothing else");
	if (a->last_s > PAST_S)
		return diag_set(d, -EINVAL, "--last: %d s are kept", PAST_S);
	return 0;
}

int cmd_watch(const struct command *c, int argc, char **argv)
{
	struct watch_args a = {.netns = "",
			       .format = "text",
			       .interval_s = 1,
			       .overhead_pct = 0.5,
			       .functions_s = 10,
			       .pause_s = 60,
			       .keep = 10};
	const struct opt opts[] = {
		{"DEV", 0, OPT_LIST, &a.devices, NULL,
		 "devices; all: those of this network namespace; lab: the lab's; dump: no device, but the watch that "
		 "runs keeps its last minute",
		 .words = OPT_WORDS("all", "lab", "dump"), .otherwise = "all", .flags = OPT_ARGUMENT | OPT_OPEN},
		{"interval", 'i', OPT_SECONDS, &a.interval_s, "TIME", "time between two lines, e.g. 0.5 or 250ms", 0.01,
		 3600},
		{"count", 'c', OPT_INT, &a.count, "N", "stop after so many intervals", 1, 1000000000,
		 .otherwise = "until Ctrl-C"},
		{"for", 't', OPT_SECONDS, &a.for_s, "TIME", "stop after this time", 0.01, 1e9,
		 .otherwise = "until Ctrl-C"},
		{"count-only", 0, OPT_FLAG, &a.count_only, NULL, "count polls and packets, and read no clock"},
		{"time-all", 0, OPT_FLAG, &a.time_all, NULL, "time every softirq, and not a random one of 16"},
		{"cost", 0, OPT_FLAG, &a.cost, NULL,
		 "print what a watch costs on this machine and at this load, after 10 intervals or more, and 60 s at "
		 "most if --for gives no other time"},
		{"no-queues", 0, OPT_FLAG, &a.no_queues, NULL, "do not look at the queues on packets' way"},
		{"overhead", 0, OPT_NUMBER, &a.overhead_pct, "PCT",
		 "what samples of functions may take of a CPU, in percent; 0: no samples", 0, 10},
		{"functions", 0, OPT_SECONDS, &a.functions_s, "TIME", "print what functions cost so often", 1, 300},
		{"last", 'l', OPT_SECONDS, &a.last_s, "TIME", "how much of the past a dump holds", 1, 300,
		 .otherwise = "60 s"},
		{"after", 'a', OPT_SECONDS, &a.after_s, "TIME", "go on for so long before a dump that is asked for", 0,
		 200, .otherwise = "dump at once"},
		{"output", 'o', OPT_DIR, &a.output, "DIR", "at the end, keep the last time as a run directory",
		 .otherwise = "none; of dumps that are asked for: runs/watch-DATE-TIME"},
		{"triggers", 0, OPT_FILE, &a.triggers, "FILE",
		 "conditions that make a dump, 10 s after one came true; default: those that are built in",
		 .otherwise = "none"},
		{"pause", 0, OPT_SECONDS, &a.pause_s, "TIME", "no trigger makes a dump so soon after another one", 0,
		 1e6},
		{"keep", 0, OPT_INT, &a.keep, "N", "how many dumps of triggers are kept; the oldest goes", 1,
		 KEEP_MOST},
		{"replay", 0, OPT_FILE, &a.replay, "FILE",
		 "print which triggers would have come true with these lines of watch -f jsonl, and watch nothing",
		 .otherwise = "none"},
		{"textfile", 0, OPT_FILE, &a.textfile, "FILE",
		 "replace FILE after each interval, for node_exporter's textfile collector", .otherwise = "none"},
		{"listen", 0, OPT_INT, &a.port, "PORT", "answer Prometheus at http://127.0.0.1:PORT/metrics", 1, 65535,
		 .otherwise = "do not"},
		{"force", 0, OPT_FLAG, &a.force, NULL, "replace a run directory"},
		{"netns", 'N', OPT_NETNS, &a.netns, "NAME", "the network namespace of the devices",
		 .otherwise = "this one"},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "jsonl prints an object per device and interval",
		 .words = OPT_WORDS("text", "jsonl")},
		{},
	};
	struct diag d = {};
	int parsed, status;

	a.command = command_line(argc, argv);
	parsed = opts_parse(c, opts, argc, argv);
	if (parsed || cmd_watch_check(&a, &d)) {
		json_decref(a.command);
		if (parsed)
			return opts_exit(parsed);
		return fail(&d, -EINVAL), EXIT_USAGE;
	}
	stop_on_signals();
	status = a.replay ? replay(&a) : has_word(&a, "dump") ? ask_running(&a) : run_watch(&a);
	json_decref(a.command);
	return status;
}
