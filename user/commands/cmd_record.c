// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <sys/pidfd.h>
#include "user/commands/commands.h"

#define LADDER_MAX_TIME_S 180
#define MAX_POINTS        1000

/*
 * --sweep: the same recording at each combination of values of some options
 *
 * law:   a point that fails leaves no directory, and the others go on. Points of another command are never mixed in
 */
struct axis {
	char name[16];
	double values[OPT_LIST_MAX];
	size_t n;
};

struct grid {
	struct record_args *a;
	const char *dev, *dir;
	json_t *command;
	struct axis axes[SWEEP_PARAMETERS];
	size_t naxes, npoints;
	bool has_inject;
	size_t order[MAX_POINTS];
	size_t recorded, there, failed;
};

/* ---- words ------------------------------------------------------------------------------------------- */

/* The rows of the parameters: options of record, and a cost that is injected. */
/* clang-format off */
#define AXES(a) {                                                                                                      \
	LOAD_OPTIONS(&(a)->o.session.load), BATCH_PART(&(a)->o.session.load), RX_OPTIONS(&(a)->o.session.rx),          \
	{SWEEP_INJECT, 0, OPT_NUMBER, &(a)->injected_ns, NULL, NULL, 0, RUN_INJECT_MAX_NS},                            \
	{SWEEP_UMEM, 0, OPT_INT, &(a)->umem_frames, NULL, NULL, 1, 65536}, {}}
/* clang-format on */

/* The option with this name in a table, or NULL. */
static const struct opt *find_option(const struct opt *table, const char *name, size_t length)
{
	for (; table->name; table++)
		if (strlen(table->name) == length && !strncmp(table->name, name, length))
			return table;
	return NULL;
}

/* Begins a parameter; -1 after a printed sentence. */
static int add_axis(struct grid *g, const struct opt *table, const struct opt **option, const char *word)
{
	size_t length = strcspn(word, "=");

	*option = word[length] ? find_option(table, word, length) : NULL;
	if (!*option)
		return complain("--sweep %s: wants size=, flows=, rate=, batch=, ring=, coalesce=, queues=, "
				"budget=, " SWEEP_UMEM "= or " SWEEP_INJECT
				"= with a list of values, such as size=64,256",
				word),
		       -1;
	if (g->naxes == SWEEP_PARAMETERS)
		return complain("--sweep %s: more than %d parameters", word, SWEEP_PARAMETERS), -1;
	for (size_t i = 0; i < g->naxes; i++)
		if (!strcmp(g->axes[i].name, (*option)->name))
			return complain("--sweep %s: %s is swept twice", word, (*option)->name), -1;
	snprintf(g->axes[g->naxes++].name, sizeof(g->axes[0].name), "%s", (*option)->name);
	g->has_inject |= !strcmp((*option)->name, SWEEP_INJECT);
	return 0;
}

/* -1 after a printed sentence. */
static int add_value(struct axis *x, const struct opt *option, const char *text)
{
	char name[32], copy[64];
	struct opt named = *option;
	double value;

	if (!*text)
		return complain("--sweep %s=: the list of values is empty", x->name), -1;
	snprintf(name, sizeof(name), "sweep %s", option->name);
	snprintf(copy, sizeof(copy), "%s", text);
	named.name = name;
	if (opts_value_set(&named, copy)) /* read as the option itself would, with its limits */
		return -1;
	value = option->type == OPT_INT ? *(int *)option->value : *(double *)option->value;
	for (size_t i = 0; i < x->n; i++)
		if (x->values[i] == value)
			return complain("--sweep %s: the value %s is named twice", x->name, text), -1;
	x->values[x->n++] = value;
	return 0;
}

static int read_words(struct grid *g, const struct opt_list *words)
{
	struct record_args unused = {};
	const struct opt table[] = AXES(&unused);
	const struct opt *option = NULL;

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->items[i], *equals = strchr(word, '=');

		if ((equals || !option) && add_axis(g, table, &option, word))
			return -1;
		if (add_value(&g->axes[g->naxes - 1], option, equals ? equals + 1 : word))
			return -1;
	}
	if (g->a->injected.n && g->has_inject)
		return complain("--inject and --sweep " SWEEP_INJECT "=: both inject a cost; name one of them"), -1;
	g->npoints = 1;
	for (size_t i = 0; i < g->naxes; i++)
		g->npoints *= g->axes[i].n;
	if (g->npoints > MAX_POINTS)
		return complain("--sweep: %zu points; a sweep has at most %d", g->npoints, MAX_POINTS), -1;
	return 0;
}

/* ---- points ------------------------------------------------------------------------------------------ */

static void point_at(const struct grid *g, size_t number, struct sweep_point *p)
{
	*p = (struct sweep_point){.n = g->naxes};
	for (size_t i = g->naxes; i-- > 0;) {
		const struct axis *x = &g->axes[i];

		strcpy(p->names[i], x->name);
		p->values[i] = x->values[number % x->n];
		number /= x->n;
	}
}

static int path_of(const struct grid *g, const struct sweep_point *p, char *path, size_t size)
{
	char name[SWEEP_NAME];

	sweep_point_name(p, name);
	return snprintf(path, size, "%s/%s", g->dir, name) < (int)size ? 0 : -ENAMETOOLONG;
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

/* The words of a command without those that may differ between the points of a sweep. The caller owns the array. */
static json_t *lasting_words(const json_t *command)
{
	json_t *kept = json_array();
	size_t i;
	json_t *value;

	json_array_foreach (command, i, value) {
		const char *word = json_string_value(value);

		if (!word)
			continue;
		if (is_one_of(word, OPT_WORDS("--sweep", "-o", "--output")))
			i++; /* and its value */
		else if (strncmp(word, "--sweep=", 8) && strncmp(word, "--output=", 9) &&
			 !is_one_of(word, OPT_WORDS("-q", "--quiet", "--force")))
			json_array_append(kept, value);
	}
	return kept;
}

enum state { ABSENT, PARTIAL, COMPLETE, OTHER };

/* What there is of a point. OTHER: a run of another command, or no run. */
static enum state look_at(const struct grid *g, const char *path)
{
	json_t *wanted, *words = NULL;
	struct diag unread = {};
	enum state state = OTHER;
	struct run run;

	if (access(path, F_OK))
		return ABSENT;
	wanted = lasting_words(g->command);
	run_init(&run);
	if (!run_read(&run, path, &unread))
		words = lasting_words(run.command);
	if (words && wanted && json_equal(words, wanted))
		state = !strcmp(run.ended, "complete") || !strcmp(run.ended, "time limit") ? COMPLETE : PARTIAL;
	run_release(&run);
	json_decref(words);
	json_decref(wanted);
	return state;
}

/* ---- recording --------------------------------------------------------------------------------------- */

/*
 * Waits for the end of the recorder, and hands a signal to stop on to it. These signals are blocked outside of ppoll(),
 * so that none comes unseen before it.
 */
static int wait_for(pid_t pid, const sigset_t *during)
{
	struct pollfd ended = {.fd = pidfd_open(pid, 0), .events = POLLIN};
	int status;

	while (ended.fd >= 0 && ppoll(&ended, 1, NULL, during) < 0 && errno == EINTR)
		if (stop_requested)
			kill(pid, SIGTERM);
	fd_close(ended.fd);
	status = child_wait(pid);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	complain("the recorder was ended by signal %d", WTERMSIG(status));
	return EXIT_FAILED;
}

static int record_apart(struct grid *g, size_t number, const char *path, bool force)
{
	sigset_t stops, before;
	pid_t pid;
	int status = EXIT_FAILED;
	struct record_args *a;
	struct sweep_point p;

	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGHUP);
	sigprocmask(SIG_BLOCK, &stops, &before);
	fflush(NULL);
	pid = child_fork(SIGTERM);
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		/*
		 * In a process of its own: what a recording chooses for one point does not reach the next one. Does not
		 * return.
		 */
		a = g->a;
		point_at(g, number, &p);
		const struct opt table[] = AXES(a);
		for (size_t i = 0; i < p.n; i++) {
			const struct opt *option = find_option(table, p.names[i], strlen(p.names[i]));

			if (option->type == OPT_INT)
				*(int *)option->value = (int)p.values[i];
			else
				*(double *)option->value = p.values[i];
		}
		a->o.out_dir = path;
		a->o.force = force;
		a->o.seed += number;
		exit(record_with(a, g->dev, g->command));
	}
	if (pid > 0)
		status = wait_for(pid, &before);
	else
		complain("cannot start a recorder: %s", strerror(errno));
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

/* EXIT_USAGE and EXIT_LACKS at the first point end the sweep: they would be those of all points. */
static int record_point(struct grid *g, size_t turn)
{
	char name[SWEEP_NAME], path[4096];
	struct sweep_point p;
	enum state state;
	int status;

	point_at(g, g->order[turn], &p);
	sweep_point_name(&p, name);
	path_of(g, &p, path, sizeof(path));
	state = look_at(g, path);
	if (state == COMPLETE && !g->a->o.force) {
		g->there++;
		return EXIT_OK;
	}
	if (!g->a->o.quiet)
		fprintf(stderr, "point %zu of %zu: %s\n", turn + 1, g->npoints, name);
	status = record_apart(g, g->order[turn], path, g->a->o.force || state == PARTIAL);
	if ((status == EXIT_USAGE || status == EXIT_LACKS) && !g->recorded && !g->there)
		return status;
	if (status == EXIT_OK) {
		g->recorded++;
		return EXIT_OK;
	}
	g->failed++;
	if (!stop_requested)
		complain("the point %s failed", name);
	return EXIT_OK;
}

static int record_points(struct grid *g)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < g->npoints && status == EXIT_OK && !stop_requested; i++)
		status = record_point(g, i);
	if (status != EXIT_OK)
		return status;
	if (!g->a->o.quiet)
		fprintf(stderr, "%zu points recorded, %zu were there, %zu failed, %zu not tried: xdpzoom report %s\n",
			g->recorded, g->there, g->failed, g->npoints - g->recorded - g->there - g->failed, g->dir);
	return g->recorded + g->there == g->npoints ? EXIT_OK : EXIT_FAILED;
}

/* Refuses what cannot become this sweep, before anything is changed. */
static int check_points(const struct grid *g)
{
	struct sweep_point p;
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/run.json", g->dir) < (int)sizeof(path) && !access(path, F_OK))
		return complain("%s is a run directory; --sweep makes a directory of run directories", g->dir),
		       EXIT_FAILED;
	for (size_t i = 0; i < g->npoints; i++) {
		point_at(g, i, &p);
		if (path_of(g, &p, path, sizeof(path)))
			return complain("%s: the name is too long", g->dir), EXIT_FAILED;
		if (!g->a->o.force && look_at(g, path) == OTHER)
			return complain("%s is no run of this command; choose another name or use --force", path),
			       EXIT_FAILED;
	}
	return EXIT_OK;
}

/* *made: the directory was not there before. The caller of sudo gets it, where its parent is the caller's. */
static int make_dir(const char *dir, bool *made)
{
	int fd, parent;

	*made = !mkdir(dir, 0777);
	if (!*made && errno != EEXIST)
		return complain("cannot make %s: %s", dir, strerror(errno)), EXIT_FAILED;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (*made ? O_NOFOLLOW : 0));
	if (fd < 0)
		return complain("cannot open %s: %s", dir, strerror(errno)), EXIT_FAILED;
	parent = *made ? openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (parent >= 0) {
		caller_give(parent, fd);
		close(parent);
	}
	close(fd);
	return EXIT_OK;
}

/* Takes ownership of command. */
static int record_sweep(struct record_args *a, const char *dev, json_t *command)
{
	struct grid *g = calloc(1, sizeof(*g));
	bool made = false;
	int status = EXIT_FAILED;
	uint64_t random;

	if (!g) {
		complain("out of memory");
		goto out;
	}
	g->a = a;
	g->dev = dev;
	g->dir = a->o.out_dir;
	g->command = command;
	status = read_words(g, &a->sweep) ? EXIT_USAGE : check_points(g);
	if (status == EXIT_OK)
		status = make_dir(g->dir, &made);
	if (status == EXIT_OK) {
		random = g->a->o.seed ? g->a->o.seed : 1;
		for (size_t i = 0; i < g->npoints; i++)
			g->order[i] = i;
		random_shuffle(&random, g->order, g->npoints);
		status = record_points(g);
	}
	if (made)
		rmdir(g->dir); /* does nothing to a directory with points */
out:
	free(g);
	json_decref(command);
	return status;
}

/* ---- one run ---------------------------------------------------------------------------------------- */

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
	a->o.seed = a->seed > 0 ? (uint64_t)a->seed : record_args_seed();
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
		 .otherwise = "none; 180 s with --ladder"},
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
		GENERATOR_OPTION(&a->generator, &a->o.session.load),
		LOAD_OPTIONS(&a->o.session.load),
		FRAMES_OPTION(&a->o.session.frames),
		{"unwritten", 'u', OPT_FLAG, &a->unwritten, NULL,
		 "do not write each frame: packet data stays in the cache", .group = GROUP_LOAD},
		DEVICE_OPTIONS(&a->netns, &a->o.session.cut_off),
		TUNE_OPTION(&a->o.session),
		OWN_OPTIONS(&a->o.session.own),
		{"cpus", 0, OPT_PARTS, NULL, "LIST", "which CPUs are used",
		 .parts = (const struct opt[]){{"rx", 0, OPT_INT, &a->o.rx_cpu, "CPU",
						"of the lab's receiver; found by itself on a NIC", 0, 4095,
						.otherwise = "the last CPU"},
					       {"consumer", 0, OPT_INT, &a->o.stage_cpu, "CPU",
						"of redirect-cpu without a number, and of a thread that reads", 0, 4095,
						.otherwise = "a third core, else the generator's"},
					       {}},
		 .group = GROUP_DEVICE},
		{"window", 0, OPT_SECONDS, &a->o.window_s, "TIME", "length of a measured window", 0.05, 3600,
		 .otherwise = "0.4 s; 0.2 s with --view crossing", .group = GROUP_STATISTICS},
		{"schedule", 0, OPT_PARTS, NULL, "LIST", "the windows of a block, and the order of blocks",
		 .parts =
			 (const struct opt[]){
				 {"windows", 0, OPT_INT, &a->o.windows, "N", "windows per block, half of them profiled",
				  2, 1000, .otherwise = "4; 2 with --view crossing"},
				 {"warmup", 0, OPT_SECONDS, &a->o.warmup_s, "TIME", "before the first window", 0, 3600},
				 {"order", 0, OPT_WORD, &a->order, "ORDER", "order in a round",
				  .words = OPT_WORDS("shuffle", "abba"), .otherwise = "shuffle, on a NIC abba"},
				 {"seed", 0, OPT_NUMBER, &a->seed, "N", "seed of the shuffle", 0, 9e15,
				  .otherwise = "from the clock"},
				 {}},
		 .group = GROUP_STATISTICS},
		{"overhead", 0, OPT_NUMBER, &a->o.overhead_pct, "PCT", "what sampling may take at most", 0.01, 50,
		 .group = GROUP_STATISTICS},
		{"stat-events", 0, OPT_EVENTS, &a->stat_events, "LIST",
		 "events for perf stat, four to a window; or none",
		 .otherwise = "with a PMU: cycles, instructions, cache misses", .group = GROUP_STATISTICS},
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
		status = record_sweep(&a, dev, command);
		new_run_end(&made, status == EXIT_OK);
		return status;
	}
	status = record_with(&a, dev, command);
	new_run_end(&made, a.kept);
	if (a.kept && !a.o.quiet) {
		err = record_show(a.o.out_dir, a.ladder, &d);
		status = err ? complain_of(&d, err) : status;
	}
	return status;
}
