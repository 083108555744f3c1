// SPDX-License-Identifier: GPL-2.0-or-later
/* The generator as a child process: started, watched and stopped by the recorder. gen.h is its contract. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/child.h"
#include "user/machine/machine.h"
#include "user/gen/gen.h"

#define STOP_PATIENCE_NS 5000000000ULL

/* An anonymous mapping shares this struct with the child. */
struct gen_shared {
	volatile sig_atomic_t ready, short_calls;
	int err;
	struct gen_result result;
	struct diag diag;
};

static volatile sig_atomic_t child_stop;

static void on_term(int sig)
{
	(void)sig;
	child_stop = 1;
}

static int gen_enter_netns(const struct gen_options *o, struct diag *d)
{
	if (o->netns[0] || o->netns_fd < 0)
		return netns_enter(o->netns, d);
	return netns_enter_fd(o->netns_fd) ? diag_set(d, -errno, "cannot go back home: %s", strerror(errno)) : 0;
}

/*
 * The recorder's XDP link and its locks must end with the recorder, also when it is killed. A copy of a descriptor in
 * this child would keep them for longer, so the child closes all of them.
 */
static void close_between(int low, int high)
{
	if (high - low > 1)
		close_range(low + 1, high - 1, 0);
}

/* Closes all descriptors above standard error, except these two; either may be -1. */
static void close_others(int keep, int keep_too)
{
	int low = keep < keep_too ? keep : keep_too, high = keep < keep_too ? keep_too : keep;

	low = low > STDERR_FILENO ? low : STDERR_FILENO;
	high = high > low ? high : low;
	close_between(STDERR_FILENO, low);
	close_between(low, high);
	close_range(high + 1, ~0U, 0);
}

static void gen_child_child_main(struct gen_shared *sh, const struct gen_options *o)
{
	struct sigaction term = {.sa_handler = on_term};
	struct gen_options mine = *o;

	mine.short_calls = &sh->short_calls;
	signal(SIGINT, SIG_IGN); /* Ctrl-C reaches the whole group; the parent decides when to stop */
	sigaction(SIGTERM, &term, NULL);
	sh->err = gen_enter_netns(o, &sh->diag);
	if (o->session_nice)
		priority_session_begin(o->session_nice);
	close_others(o->prog_fd >= 0 ? o->prog_fd : o->counts_fd, o->stage_counts_fd);
	privileges_of_generator();
	if (!sh->err) {
		sh->ready = 1;
		sh->err = gen_run(&mine, &child_stop, &sh->result, &sh->diag);
	}
	_exit(sh->err ? 1 : 0);
}

void gen_init(struct gen *g)
{
	memset(g, 0, sizeof(*g));
	remote_init(&g->remote);
}

bool gen_runs(const struct gen *g)
{
	return g->pid > 0 || g->remote.pid > 0;
}

static int gen_died(struct gen *g, struct diag *d)
{
	int err = g->shared->err;

	g->pid = 0;
	if (err)
		return diag_set(d, err, "generator: %s", g->shared->diag.text);
	return diag_set(d, -ECHILD, "the generator died");
}

int gen_check(struct gen *g, struct diag *d)
{
	int status;

	if (g->remote.host[0])
		return remote_check(&g->remote, d);
	if (g->pid > 0 && waitpid(g->pid, &status, WNOHANG) == 0)
		return 0;
	return gen_died(g, d);
}

int gen_start(struct gen *g, const struct gen_options *o, struct diag *d)
{
	struct timespec pause = {0, 1000000};
	int err;

	gen_release(g);
	if (o->host[0])
		return remote_start(&g->remote, o, d);
	g->shared = mmap(NULL, sizeof(*g->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g->shared == MAP_FAILED) {
		g->shared = NULL;
		return diag_set(d, -ENOMEM, "no memory for the generator");
	}
	g->pid = child_fork(SIGKILL);
	if (g->pid < 0) {
		g->pid = 0;
		return diag_set(d, -errno, "cannot start the generator: %s", strerror(errno));
	}
	if (g->pid == 0)
		gen_child_child_main(g->shared, o);
	while (!g->shared->ready) {
		err = gen_check(g, d);
		if (err)
			return err;
		nanosleep(&pause, NULL);
	}
	return 0;
}

void gen_short_calls(struct gen *g, bool on)
{
	if (g->pid <= 0)
		return;
	g->shared->short_calls = on;
	if (on)
		kill(g->pid, SIGALRM); /* ends the long call that runs now */
}

int gen_stop(struct gen *g, struct gen_result *r, struct diag *d)
{
	struct timespec pause = {0, 2000000};
	struct patience patience = patience_of(STOP_PATIENCE_NS);
	int status = 0, err;
	bool killed = false;

	memset(r, 0, sizeof(*r));
	if (g->remote.host[0])
		return remote_stop(&g->remote, r, d);
	if (!g->pid)
		return diag_set(d, -ECHILD, "the generator is not running");
	/* A signal that comes just before a long call begins does not end that call; so send it again and again. */
	while (kill(g->pid, SIGTERM) == 0 && waitpid(g->pid, &status, WNOHANG) == 0) {
		if (patience_ends(&patience)) {
			status = child_kill(g->pid);
			killed = true;
			break;
		}
		nanosleep(&pause, NULL);
	}
	if (WIFSIGNALED(status) && !killed)
		return gen_died(g, d);
	g->pid = 0;
	err = g->shared->err;
	*r = g->shared->result;
	if (err)
		diag_set(d, err, "generator: %s", g->shared->diag.text);
	gen_release(g);
	return err;
}

void gen_release(struct gen *g)
{
	if (g->pid > 0)
		child_kill(g->pid);
	if (g->shared)
		munmap(g->shared, sizeof(*g->shared));
	remote_release(&g->remote);
	gen_init(g);
}
