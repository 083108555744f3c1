// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/base.h"
#include "reports/sweep/sweep.h"

#define MAX_POINTS 1000

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

/* Reads a value as the option itself would, with its limits; -1 after a printed sentence. */
static int read_value(const struct opt *option, const char *text, double *value)
{
	char name[32], copy[64];
	struct opt named = *option;

	snprintf(name, sizeof(name), "sweep %s", option->name);
	snprintf(copy, sizeof(copy), "%s", text);
	named.name = name;
	if (opts_value_set(&named, copy))
		return -1;
	*value = option->type == OPT_INT ? *(int *)option->value : *(double *)option->value;
	return 0;
}

/* Begins a parameter; -1 after a printed sentence. */
static int add_axis(struct grid *g, const struct opt *table, const struct opt **option, const char *word)
{
	size_t length = strcspn(word, "=");

	*option = word[length] ? find_option(table, word, length) : NULL;
	if (!*option) {
		complain("--sweep %s: wants size=, flows=, rate=, batch=, ring=, coalesce=, queues=, "
			 "budget=, " SWEEP_UMEM "= or " SWEEP_INJECT "= with a list of values, such as size=64,256",
			 word);
		return -1;
	}
	if (g->naxes == SWEEP_PARAMETERS) {
		complain("--sweep %s: more than %d parameters", word, SWEEP_PARAMETERS);
		return -1;
	}
	for (size_t i = 0; i < g->naxes; i++)
		if (!strcmp(g->axes[i].name, (*option)->name)) {
			complain("--sweep %s: %s is swept twice", word, (*option)->name);
			return -1;
		}
	snprintf(g->axes[g->naxes++].name, sizeof(g->axes[0].name), "%s", (*option)->name);
	g->has_inject |= !strcmp((*option)->name, SWEEP_INJECT);
	return 0;
}

static int add_value(struct axis *x, const struct opt *option, const char *text)
{
	double value;

	if (!*text) {
		complain("--sweep %s=: the list of values is empty", x->name);
		return -1;
	}
	if (read_value(option, text, &value))
		return -1;
	for (size_t i = 0; i < x->n; i++)
		if (x->values[i] == value) {
			complain("--sweep %s: the value %s is named twice", x->name, text);
			return -1;
		}
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
	if (g->a->injected.n && g->has_inject) {
		complain("--inject and --sweep " SWEEP_INJECT "=: both inject a cost; name one of them");
		return -1;
	}
	g->npoints = 1;
	for (size_t i = 0; i < g->naxes; i++)
		g->npoints *= g->axes[i].n;
	if (g->npoints > MAX_POINTS) {
		complain("--sweep: %zu points; a sweep has at most %d", g->npoints, MAX_POINTS);
		return -1;
	}
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

static bool same_command(const json_t *one, const json_t *other)
{
	json_t *a = lasting_words(one), *b = lasting_words(other);
	bool same = a && b && json_equal(a, b);

	json_decref(a);
	json_decref(b);
	return same;
}

enum state { ABSENT, PARTIAL, COMPLETE, OTHER };

/* What there is of a point. OTHER: a run of another command, or no run. */
static enum state sweep_args_look_at(const struct grid *g, const char *path)
{
	struct diag unread = {};
	enum state state = OTHER;
	struct run run;

	if (access(path, F_OK))
		return ABSENT;
	run_init(&run);
	if (!run_read(&run, path, &unread) && same_command(run.command, g->command))
		state = !strcmp(run.ended, "complete") || !strcmp(run.ended, "time limit") ? COMPLETE : PARTIAL;
	run_release(&run);
	return state;
}

/* ---- recording --------------------------------------------------------------------------------------- */

static void set_values(struct record_args *a, const struct sweep_point *p)
{
	const struct opt table[] = AXES(a);

	for (size_t i = 0; i < p->n; i++) {
		const struct opt *option = find_option(table, p->names[i], strlen(p->names[i]));

		if (option->type == OPT_INT)
			*(int *)option->value = (int)p->values[i];
		else
			*(double *)option->value = p->values[i];
	}
}

/*
 * Waits for the end of the recorder, and hands a signal to stop on to it. These signals are blocked outside of ppoll(),
 * so that none comes unseen before it.
 */
static int sweep_args_wait_for(pid_t pid, const sigset_t *during)
{
	struct pollfd ended = {.fd = pidfd_open(pid, 0), .events = POLLIN};
	int status;

	while (ended.fd >= 0 && ppoll(&ended, 1, NULL, during) < 0 && errno == EINTR)
		if (stop_requested)
			kill(pid, SIGTERM);
	if (ended.fd >= 0)
		close(ended.fd);
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
		set_values(a, &p);
		a->o.out_dir = path;
		a->o.force = force;
		a->o.seed += number;
		exit(record_with(a, g->dev, g->command));
	}
	if (pid > 0)
		status = sweep_args_wait_for(pid, &before);
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
	state = sweep_args_look_at(g, path);
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

	if (snprintf(path, sizeof(path), "%s/run.json", g->dir) < (int)sizeof(path) && !access(path, F_OK)) {
		complain("%s is a run directory; --sweep makes a directory of run directories", g->dir);
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < g->npoints; i++) {
		point_at(g, i, &p);
		if (path_of(g, &p, path, sizeof(path))) {
			complain("%s: the name is too long", g->dir);
			return EXIT_FAILED;
		}
		if (!g->a->o.force && sweep_args_look_at(g, path) == OTHER) {
			complain("%s is no run of this command; choose another name or use --force", path);
			return EXIT_FAILED;
		}
	}
	return EXIT_OK;
}

/* *made: the directory was not there before. The caller of sudo gets it, where its parent is the caller's. */
static int make_dir(const char *dir, bool *made)
{
	int fd, parent;

	*made = !mkdir(dir, 0777);
	if (!*made && errno != EEXIST) {
		complain("cannot make %s: %s", dir, strerror(errno));
		return EXIT_FAILED;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (*made ? O_NOFOLLOW : 0));
	if (fd < 0) {
		complain("cannot open %s: %s", dir, strerror(errno));
		return EXIT_FAILED;
	}
	parent = *made ? openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (parent >= 0) {
		caller_give(parent, fd);
		close(parent);
	}
	close(fd);
	return EXIT_OK;
}

int sweep_args_record(struct record_args *a, const char *dev, json_t *command)
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
