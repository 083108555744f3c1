// SPDX-License-Identifier: GPL-2.0-or-later
/* watch - what packets cost on devices that work, second by second, and the last minutes as a run directory */
#include <glob.h>
#include <malloc.h>
#include "user/cli/cli.h"
#include "user/watch/watch.h"

#define HEAD_EVERY      20 /* lines */
#define COMPONENTS      6  /* in text; JSON and the screen have all */
#define TRIGGER_AFTER_S 10 /* from a trigger to its dump, where --after gives no other time */
#define EVERY           10 /* intervals, from one profile of functions to the next */
#define REFRESH_NS      1000000000ULL

struct watch_args {
	struct opt_list devices;
	const char *netns, *format, *output, *triggers, *replay, *metrics, *timing;
	double interval_s, for_s, overhead_pct, last_s, after_s;
	int count;
	bool dump, no_queues;
	json_t *command;
};

/* A watch that runs. */
struct watching {
	const struct watch_args *a;
	bool json;
	struct watcher w;
	struct flight flight;
	struct ask ask;
	struct ask_request asked;   /* what due_ns is for */
	uint64_t moment_ns, due_ns; /* due_ns 0: no dump was asked for */
	bool read_last;             /* the state for the dump that is due is read */
	struct triggers triggers;
	struct metrics *metrics;
	bool told_pauses;
	bool deaf;                         /* the last text of metrics could not be written, which was told */
	char why[200];                     /* the trigger that due_ns is for; "": somebody asked */
	uint64_t dumped_ns;                /* when a trigger's dump was made last; 0: none */
	char kept[TRIGGERS_KEEP + 2][128]; /* directories of triggers' dumps, the oldest first */
	size_t nkept;
	double functions_s;             /* of a profile of functions */
	unsigned long lines, intervals; /* printed so far */
	char online[160];               /* CPUs */
	char of[80];                    /* what is watched, as it was named */
	struct queues queues;           /* skel NULL: nobody looks at queues */
	json_t *seen_last;              /* what was seen of them last */
	struct sides sides;
	struct states states;
	struct screen screen;
};

/* ---- dumps ------------------------------------------------------------------------------------------------------ */

/* A dump is due after so many seconds; no second of the past lies on both sides of the moment. */
static void dump_later(struct watching *r, double after_s)
{
	r->due_ns = r->w.look_ns + (uint64_t)(after_s * 1e9);
	r->moment_ns = after_s > 0 ? r->w.look_ns : 0;
	r->w.past.cut = true;
	states_take(&r->states, false);
	states_ask(&r->states, &r->w.devices, &r->queues, true);
}

/* A trigger that comes true asks for a dump, unless one is due, or the last one is too young. */
static void judge(struct watching *r, const struct watch_line *line, const json_t *o)
{
	double after_s = r->a->after_s > 0 ? r->a->after_s : TRIGGER_AFTER_S;
	uint64_t now = r->w.look_ns, since_ns = line->device ? line->device->since_ns : 0;
	char words[160];

	if (!r->triggers.n || !triggers_object(&r->triggers, o, line->slot, since_ns, words, sizeof(words)))
		return;
	r->screen.fired++;
	if (r->due_ns || (r->dumped_ns && (double)(now - r->dumped_ns) < r->triggers.pause_s * 1e9)) {
		screen_event(&r->screen, "%.20s %s; dump suppressed: %s", show_device(line), words,
			     r->due_ns ? "one is due" : "the last one is too young");
		return;
	}
	screen_event(&r->screen, "%.20s %s; dump in %g s", show_device(line), words, after_s);
	snprintf(r->why, sizeof(r->why), "%.20s: %s", show_device(line), words);
	r->asked.dir[0] = '\0';
	dump_later(r, after_s);
}

/* Removes the oldest dump that a trigger of this watch made; what others laid into it stays. false: there is none. */
static bool drop_oldest(struct watching *r)
{
	struct diag d = {};
	char *dir;
	int fd;

	if (!r->nkept)
		return false;
	dir = r->kept[0];
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && run_dir_refuse_others(fd, dir, &d)) {
		complain("%s", d.text);
	} else if (fd >= 0) {
		tree_remove(fd);
		rmdir(dir);
	}
	fd_close(fd);
	memmove(r->kept[0], r->kept[1], --r->nkept * sizeof(r->kept[0]));
	return true;
}

/* When triggers have asked for too many dumps, the oldest goes. */
static void remember_dump(struct watching *r, const char *dir)
{
	snprintf(r->kept[r->nkept++], sizeof(r->kept[0]), "%s", dir);
	while (r->nkept > (size_t)r->triggers.keep)
		drop_oldest(r);
}

/* The dumps that triggers made when this command ran before, in the order of their names, which is that of time. */
static void find_dumps(struct watching *r)
{
	char path[sizeof(r->kept[0]) + 16];
	glob_t found;

	if (glob("runs/*-watch*", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		json_t *run, *why;

		snprintf(path, sizeof(path), "%.127s/run.json", found.gl_pathv[i]);
		run = json_load_file(path, 0, NULL);
		why = json_object_get(json_object_get(json_object_get(run, "environment"), "watch"), "trigger");
		if (json_is_true(why) && json_equal(json_object_get(run, "command"), r->a->command))
			remember_dump(r, found.gl_pathv[i]);
		json_decref(run);
	}
	globfree(&found);
}

/* sentence: what became of it. A failure ends nothing. */
static int dump(struct watching *r, const char *dir, const char *why, struct diag *sentence)
{
	double back_s = r->a->last_s > 0 ? r->a->last_s : 60;
	struct dump_options o = {
		.dir = dir,
		.moment_ns = r->moment_ns,
		.from_ns = (r->moment_ns ? r->moment_ns : r->w.look_ns) - (uint64_t)(back_s * 1e9),
		.command = r->a->command,
		.why = why,
		.trigger = r->why[0],
		.queues = r->seen_last,
		.sides = &r->sides,
		.states = &r->states,
	};
	struct new_run chosen = {.reserves = true};
	struct diag d = {};
	size_t blocks = 0;
	int err;

	do { /* where the disk is full, the newest event is worth more than the oldest one */
		o.dir = dir;
		err = new_run_choose(&chosen, "watch", &o.dir, &d);
		o.force = chosen.reserved;
		err = err ?: dump_write(&o, &r->w, &r->flight, &blocks, &d);
		new_run_end(&chosen, !err);
	} while (err == -ENOSPC && o.trigger && drop_oldest(r));
	if (!err && o.trigger)
		remember_dump(r, o.dir);
	if (err)
		return diag_set(sentence, err, "%s", d.text[0] ? d.text : strerror(-err));
	return diag_set(sentence, 0, "%s holds %zu blocks%s", o.dir, blocks, r->flight.on ? "" : ", without functions");
}

static void dump_if_due(struct watching *r)
{
	struct diag sentence = {};
	int err;

	if (!states_take(&r->states, false) || !r->due_ns || r->w.look_ns < r->due_ns)
		return;
	if (!r->read_last) { /* the state after the moment is that of now */
		states_ask(&r->states, &r->w.devices, &r->queues, true);
		r->read_last = true;
		if (!states_take(&r->states, false))
			return;
	}
	r->read_last = false;
	err = dump(r, r->asked.dir[0] ? r->asked.dir : NULL, r->why[0] ? r->why : "asked for", &sentence);
	if (!err && *r->why) /* the sentence begins with the directory */
		screen_event(&r->screen, "dump%s: xdpzoom why %.*s", sentence.text + strcspn(sentence.text, " "),
			     (int)strcspn(sentence.text, " "), sentence.text);
	else
		screen_event(&r->screen, "%s", sentence.text);
	if (r->why[0])
		r->dumped_ns = r->w.look_ns;
	else
		ask_answer(&r->ask, err, sentence.text);
	r->due_ns = r->moment_ns = 0;
	r->why[0] = '\0';
}

/* ---- an interval ------------------------------------------------------------------------------------------------ */

static int tell_line(struct watching *r, struct watch_line *line)
{
	int ifindex = line->device ? line->device->nd.ifindex : 0, err;
	json_t *o = NULL;

	for (const struct queue_seen *q = r->queues.seen; q < r->queues.seen + r->queues.nseen; q++)
		if (q->ifindex == ifindex && (ifindex || q->kind == QUEUE_BACKLOG)) /* fmax() ignores NaN */
			line->queue_pct = fmax(line->queue_pct, 100 * q->most / q->size);
	if (r->json || r->triggers.n)
		o = show_line_object(line);
	err = (r->json || r->triggers.n) && !o ? -ENOMEM : metrics_add(r->metrics, line);
	judge(r, line, o);
	if (r->screen.on && !r->screen.paused)
		r->screen.lines[r->screen.n++] = *line;
	if (!r->screen.on && r->json && !err)
		err = show_put(stdout, o);
	json_decref(o);
	if (r->screen.on || r->json)
		return err;
	if (r->lines++ % HEAD_EVERY == 0)
		fputs(SHOW_HEAD, stdout);
	if (line->programs_changed)
		show_programs(stdout, line);
	show_line(stdout, line);
	return err;
}

static int draw(struct watching *r, struct diag *d)
{
	struct flight_costs costs[WATCH_SLOTS];
	int err = flight_cost(&r->flight, &r->w, r->functions_s, costs, d);
	const struct screen_view v = {&r->w, r->of, r->triggers.n, &r->queues, costs};

	if (!err)
		screen_draw(&r->screen, &v);
	flight_costs_release(costs);
	return err;
}

/* What is told of the interval beside its lines. */
static int print_rest(struct watching *r, bool polled, bool first, struct diag *d)
{
	double time_s = (double)(r->w.look_ns - r->w.start_ns) / 1e9;
	struct flight_costs costs[WATCH_SLOTS];
	int err = 0;

	if (r->screen.on)
		return r->screen.paused ? 0 : draw(r, d);
	if (!polled && !r->json)
		printf("%7.1f idle: %s: no packets\n", time_s, r->of);
	if (r->json && r->seen_last)
		err = show_put(stdout, r->seen_last);
	else if (r->seen_last)
		show_queues(stdout, &r->queues, first);
	if (!err && r->flight.on && r->intervals % EVERY == 0) {
		err = flight_cost(&r->flight, &r->w, r->functions_s, costs, d);
		for (unsigned int slot = 0; slot < WATCH_SLOTS && !err; slot++) {
			const char *name = r->w.devices.list[slot].nd.name;
			json_t *o = r->json && costs[slot].n ? show_functions_object(name, &costs[slot], time_s) : NULL;

			if (costs[slot].n && r->json)
				err = show_put(stdout, o);
			else if (costs[slot].n)
				show_functions(stdout, name, &costs[slot], COMPONENTS);
			json_decref(o);
		}
		flight_costs_release(costs);
	}
	return err ? err : fflush(stdout) || ferror(stdout) ? -errno : 0;
}

static int after_interval(struct watching *r, struct diag *d)
{
	struct diag deaf = {};
	struct watch_line line;
	bool polled = false, first = !r->seen_last;
	int err = watcher_count(&r->w);

	if (!err && r->queues.skel) {
		err = queues_end(&r->queues, &r->w);
		json_decref(r->seen_last);
		r->seen_last = err ? NULL : show_queues_object(&r->queues, &r->w);
		err = r->seen_last ? 0 : -ENOMEM;
	}
	r->screen.n = r->screen.paused ? r->screen.n : 0;
	for (unsigned int i = WATCH_BACKLOG + 1; i <= WATCH_SLOTS && !err; i++)
		if (watcher_line(&r->w, i < WATCH_SLOTS ? i : WATCH_BACKLOG, &line)) { /* the backlog comes last */
			polled = true;
			err = tell_line(r, &line);
		}
	r->intervals++;
	err = err ?: sides_add(&r->sides, &r->w, &r->queues) ?: print_rest(r, polled, first, d);
	watcher_end(&r->w);
	if (r->w.due < WATCH_LOOKS && !r->told_pauses) {
		screen_event(&r->screen,
			     "polls are counted for a part of the time, so that this takes %d %% of what packets take; "
			     "--timing all counts all",
			     WATCH_BUDGET_PCT);
		r->told_pauses = true;
	}
	if (err)
		return diag_set(d, err, "cannot write: %s", strerror(-err));
	/* told once, and ends nothing: the disk may have room again */
	if (metrics_publish(r->metrics, r->w.devices.nleft, &deaf) && !r->deaf)
		complain("%s", deaf.text);
	r->deaf = deaf.text[0];
	return 0;
}

/* ---- looks ------------------------------------------------------------------------------------------------------ */

/* Looks at queues meanwhile. */
static int wait_until(struct watching *r, uint64_t until_ns)
{
	uint64_t next_ns;
	int err = 0;

	while (r->queues.skel && !err && !stop_requested && (next_ns = queues_next_ns(&r->queues)) < until_ns) {
		sleep_until_ns(next_ns);
		err = stop_requested ? 0 : queues_look(&r->queues);
	}
	sleep_until_ns(until_ns);
	return err || !r->queues.skel ? err : queues_look_slow(&r->queues);
}

static int look_again_and_again(struct watching *r, struct diag *d)
{
	const struct watch_args *a = r->a;
	struct watcher *w = &r->w;
	uint64_t end_ns;
	int err = 0;

	watcher_begin(w, a->interval_s);
	end_ns = a->for_s > 0 ? w->start_ns + (uint64_t)(a->for_s * 1e9) : UINT64_MAX;
	while (!err && !stop_requested && w->look_ns < end_ns &&
	       (!a->count || r->intervals < (unsigned long)a->count)) {
		uint64_t next_ns = watcher_next_ns(w);

		err = wait_until(r, next_ns < end_ns ? next_ns : end_ns);
		if (stop_requested && !w->nlooks)
			break;
		err = err ? diag_set(d, err, "cannot sample queues: %s", strerror(-err)) : watcher_look(w, d);
		if (!err) {
			enum screen_wish wish = r->screen.on ? screen_key(&r->screen) : SCREEN_NOTHING;
			struct diag sentence = {};

			if (wish == SCREEN_QUIT)
				stop_requested = SIGINT;
			if (wish == SCREEN_DUMP && !r->due_ns) {
				dump(r, NULL, "a key", &sentence);
				screen_event(&r->screen, "%s", sentence.text);
			}
			if (!r->due_ns && ask_next(&r->ask, r->a->after_s, &r->asked))
				dump_later(r, r->asked.after_s);
			dump_if_due(r);
			err = wish == SCREEN_DUMP || wish == SCREEN_DRAW ? draw(r, d) : 0;
		}
		if (!err && (w->nlooks == WATCH_LOOKS || stop_requested || w->look_ns >= end_ns))
			err = after_interval(r, d);
		if (err || w->look_ns - w->refreshed_ns < REFRESH_NS)
			continue;
		ask_notify("WATCHDOG=1");
		states_ask(&r->states, &w->devices, &r->queues, false);
		/* What the kernel does for a CPU ends when that goes, and does not begin again when it comes back. */
		char online[sizeof(r->online)];
		if (!(facts_line(&facts_here, online, sizeof(online), "sys/devices/system/cpu/online") ||
		      !strcmp(online, r->online))) {
			if (r->online[0]) {
				screen_event(
					&r->screen,
					"CPUs came or went, %s are there: samples of functions and queues begin anew",
					online);
				queues_clocks_anew(&r->queues);
				flight_forget_cpus(&r->flight);
			}
			strcpy(r->online, online);
		}
		err = watcher_refresh(w, d) ?: flight_refresh(&r->flight, w, d);
	}
	return err == -EPIPE ? 0 : err;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static bool has_word(const struct watch_args *a, const char *word)
{
	for (size_t i = 0; i < a->devices.n; i++)
		if (!strcmp(a->devices.items[i], word))
			return true;
	return false;
}

static int open_all(struct watching *r, struct diag *d)
{
	const struct watch_args *a = r->a;
	bool counts_only = !strcmp(a->timing, "none");
	unsigned int every = counts_only ? 0 : !strcmp(a->timing, "all") ? 1 : WATCH_EVERY;
	bool lab = has_word(a, "lab"), all = has_word(a, "all") || lab; /* all devices of a namespace */
	struct diag deaf = {}, blind = {};
	char armed[200] = "";
	int err = a->triggers ? triggers_read(&r->triggers, strcmp(a->triggers, "default") ? a->triggers : NULL, d) : 0;

	if (err)
		return err;
	if (a->triggers)
		find_dumps(r);
	err = metrics_open(&r->metrics, a->metrics, d);
	if (err)
		return err;
	r->functions_s = fmin(fmax(1, EVERY * a->interval_s), PAST_S);
	ask_listen(&r->ask, &deaf); /* in this namespace, where others will ask; it runs without, too */
	if (lab && !rig_exists())
		return diag_set(d, -ENODEV, "the lab is down; run: xdpzoom lab up");
	err = netns_enter(lab ? RIG_RX_NETNS : a->netns, d)
		      ?: watcher_open(&r->w, a->devices.items, all ? 0 : a->devices.n, every, d);
	if (!err && a->overhead_pct > 0)
		err = flight_open(&r->flight, &r->w, a->overhead_pct, d);
	if (err)
		return err;
	if (!a->no_queues && !counts_only)
		queues_open(&r->queues, &blind);
	for (const struct diag *told[] = {&deaf, &blind, &r->flight.why}, **one = told; one < told + 3; one++)
		if ((*one)->text[0] && (one < told + 2 || !r->flight.on))
			complain("%s", (*one)->text);
	for (size_t i = 0; i < a->devices.n; i++)
		listed_add(r->of, sizeof(r->of), " ", "%s", a->devices.items[i]);
	if (!a->devices.n || (all && !lab))
		snprintf(r->of, sizeof(r->of), "all devices%s%.60s", *a->netns ? " of " : "", a->netns);
	if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && !r->json)
		screen_open(&r->screen); /* else lines do */
	for (size_t i = 0; i < r->triggers.n; i++)
		listed_add(armed, sizeof(armed), ", ", "%s", r->triggers.list[i].name);
	if (r->triggers.n)
		screen_event(&r->screen, "armed: %s", armed);
	privileges_settle(true, false, false); /* CAP_SYS_ADMIN: the names of programs */
	err = metrics_serve(r->metrics, d);    /* its thread has what is left */
	if (!err)
		ask_notify("READY=1");
	return err;
}

static int run_watch(const struct watch_args *a)
{
	struct watching r = {.a = a, .json = !strcmp(a->format, "jsonl"), .ask = {-1, -1}};
	struct diag d = {}, sentence = {};
	int err;

	/*
	 * Tables of functions and of BTF are read once and freed. glibc would then keep such blocks in the heap, and
	 * the holes that they leave are never given back: 11 MB, for as long as this runs.
	 */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	watcher_init(&r.w);
	err = open_all(&r, &d) ?: look_again_and_again(&r, &d);
	screen_close(&r.screen);
	if (!err && a->output) { /* what a watch leaves at its end */
		r.moment_ns = 0;
		states_take(&r.states, true);
		states_ask(&r.states, &r.w.devices, &r.queues, true);
		states_take(&r.states, true);
		if (dump(&r, a->output, "at the end", &sentence))
			err = diag_set(&d, -EIO, "%s", sentence.text);
		else
			complain("%s", sentence.text);
	}
	if (err)
		complain_of(&d, err);
	metrics_close(r.metrics);
	queues_release(&r.queues);
	sides_release(&r.sides);
	states_release(&r.states);
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

	if (a->output && a->output[0] != '/' && !getcwd(here, sizeof(here)))
		return complain("cannot find the working directory: %s", strerror(errno)), EXIT_FAILED;
	if (a->output)
		snprintf(r.dir, sizeof(r.dir), "%s%s%.2000s", a->output[0] == '/' ? "" : here,
			 a->output[0] == '/' ? "" : "/", a->output);
	err = ask_dump(&r, &d);
	if (err)
		return complain_of(&d, err);
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

	err = jail_enter(0, -1, 0, &d) ?: triggers_read(&t, path, &d) ?: triggers_replay(&t, a->replay, &count, &d);
	triggers_release(&t);
	if (err)
		return complain_of(&d, err);
	return count ? EXIT_GATE : EXIT_OK;
}

static int cmd_watch_check(const struct watch_args *a, struct diag *d)
{
	if ((has_word(a, "lab") || has_word(a, "all")) && a->devices.n > 1)
		return diag_set(d, -EINVAL, "all and lab stand alone; name no device beside them");
	if (a->devices.n && (a->dump || a->replay))
		return diag_set(d, -EINVAL, "--%s watches nothing; name no device", a->dump ? "dump" : "replay");
	if (has_word(a, "lab") && *a->netns)
		return diag_set(d, -EINVAL, "--netns: the lab has namespaces of its own");
	if (a->output && !(a->last_s > 0) && !a->dump)
		return diag_set(d, -EINVAL, "--output: how much of the past? give --last, such as --last 60");
	if (a->last_s > PAST_S)
		return diag_set(d, -EINVAL, "--last: %d s are kept", PAST_S);
	return 0;
}

int cmd_watch(const struct command *c, int argc, char **argv)
{
	struct watch_args a = {
		.netns = "", .format = "text", .timing = "sampled", .interval_s = 1, .overhead_pct = 0.5};
	const struct opt opts[] = {
		{"DEV", 0, OPT_LIST, &a.devices, NULL, "devices; all: those of this network namespace; lab: the lab's",
		 .words = OPT_WORDS("all", "lab"), .otherwise = "all", .flags = OPT_ARGUMENT | OPT_OPEN},
		{"interval", 'i', OPT_SECONDS, &a.interval_s, "TIME", "time between two lines, e.g. 0.5 or 250ms", 0.01,
		 3600},
		{"count", 'c', OPT_INT, &a.count, "N", "stop after so many intervals", 1, 1000000000,
		 .otherwise = "until Ctrl-C"},
		{"for", 't', OPT_SECONDS, &a.for_s, "TIME", "stop after this time", 0.01, 1e9,
		 .otherwise = "until Ctrl-C"},
		{"timing", 0, OPT_WORD, &a.timing, "HOW",
		 "what the clock is read for: nothing, so that packets and polls are counted alone; a random softirq "
		 "of 16; or all",
		 .words = OPT_WORDS("none", "sampled", "all")},
		{"no-queues", 0, OPT_FLAG, &a.no_queues, NULL, "do not sample the queues on the path of the packets"},
		{"overhead", 0, OPT_NUMBER, &a.overhead_pct, "PCT",
		 "what samples of functions may take of a CPU, in percent; 0: no samples", 0, 10},
		{"dump", 0, OPT_FLAG, &a.dump, NULL,
		 "ask the watch that runs here to keep its last minute, and watch nothing"},
		{"last", 0, OPT_SECONDS, &a.last_s, "TIME", "how much of the past a dump holds", 1, 300,
		 .otherwise = "60 s"},
		{"after", 0, OPT_SECONDS, &a.after_s, "TIME", "go on for so long before a dump that is asked for", 0,
		 200, .otherwise = "dump at once"},
		{"output", 'o', OPT_DIR, &a.output, "DIR", "at the end, keep the last time as a run directory",
		 .otherwise = "none; of dumps that are asked for: runs/DATE-TIME-watch"},
		{"triggers", 0, OPT_FILE, &a.triggers, "FILE",
		 "conditions that make a dump, 10 s after one came true; default: those that are built in",
		 .otherwise = "none"},
		{"replay", 0, OPT_FILE, &a.replay, "FILE",
		 "print which triggers would have come true with these lines of watch -f jsonl, and watch nothing",
		 .otherwise = "none"},
		{"metrics", 0, OPT_STRING, &a.metrics, "WHERE",
		 "for Prometheus: a PORT, at http://127.0.0.1:PORT/metrics; or a FILE, replaced after each interval, "
		 "for node_exporter's textfile collector",
		 .otherwise = "none"},
		{"netns", 'N', OPT_NETNS, &a.netns, "NAME", "the network namespace of the devices",
		 .otherwise = "this one"},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "jsonl prints an object per device and interval",
		 .words = OPT_WORDS("text", "jsonl")},
		{},
	};
	struct command here = *c;
	struct diag d = {};
	int parsed, status;

	here.ready = NULL; /* who only asks, or reads, needs no rights */
	a.command = command_line(argc, argv);
	parsed = opts_parse(&here, opts, argc, argv);
	if (!parsed && cmd_watch_check(&a, &d)) {
		complain_of(&d, -EINVAL);
		parsed = OPTS_USAGE;
	}
	if (!parsed && !a.replay && !a.dump && c->ready)
		parsed = c->ready(c);
	if (parsed) {
		json_decref(a.command);
		return opts_exit(parsed);
	}
	stop_on_signals();
	status = a.replay ? replay(&a) : a.dump ? ask_running(&a) : run_watch(&a);
	json_decref(a.command);
	return status;
}
