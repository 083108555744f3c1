// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/calls.skel.h"
#include "base/stats.h"
#include "user/programs/programs.h"
#include "user/machine/machine.h"

#define EMPTY_FUNCTION  "bpf_fentry_test1" /* the kernel calls it once for each test run */
#define CALIBRATE_TURNS 41
#define CALIBRATE_CALLS 50  /* in a turn */
#define KERNEL_ENOTSUPP 524 /* the kernel's own error number; the C library has no name for it */

static int refused(const char *function, int err, struct diag *d)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return diag_set(d, -EPERM,
				"this kernel allows no fentry programs (lockdown?), so calls of %s cannot be counted",
				function);
	case -ESRCH:
	case -ENOENT:
		if (!facts_have_btf(&facts_here))
			return diag_set(
				d, -EPERM,
				"this kernel does not tell its types (no BTF in /sys/kernel/btf/vmlinux), so calls of "
				"%s cannot be counted",
				function);
		return diag_set(d, -ENOENT,
				"this kernel has no function %s that fentry can attach to (inlined, renamed by the "
				"compiler, or its module is not loaded)",
				function);
	case -KERNEL_ENOTSUPP:
		return diag_set(d, err,
				"fentry cannot attach to %s: the function has too many arguments for this kernel",
				function);
	default:
		return diag_set(d, err, "fentry cannot attach to %s: %s", function, strerror(-err));
	}
}

static int probe_load(struct call_probe *p, const char *function, struct diag *d)
{
	int err;

	p->function = function;
	p->skel = calls_bpf__open();
	if (!p->skel)
		return refused(function, -errno, d);
	err = bpf_program__set_attach_target(p->skel->progs.enter, 0, function);
	if (!err)
		err = bpf_program__set_attach_target(p->skel->progs.leave, 0, function) ?: calls_bpf__load(p->skel);
	return err ? refused(function, err, d) : 0;
}

static void probe_detach(struct call_probe *p)
{
	bpf_link__destroy(p->enter);
	bpf_link__destroy(p->leave);
	p->enter = p->leave = NULL;
}

/* Counts begin at 0, and calls that were running when the probe was detached are forgotten. */
static int probe_reset(const struct call_probe *p)
{
	int running = bpf_map__fd(p->skel->maps.running_calls), err;
	struct call_count *zero = calloc(cpu_possible(), sizeof(*zero));
	__u32 key = 0, task;

	if (!zero)
		return -ENOMEM;
	err = bpf_map_update_elem(bpf_map__fd(p->skel->maps.call_counts), &key, zero, BPF_ANY);
	free(zero);
	while (!err && !bpf_map_get_next_key(running, NULL, &task))
		err = bpf_map_delete_elem(running, &task);
	return err;
}

static int probe_attach(struct call_probe *p, struct diag *d)
{
	int err = probe_reset(p);

	if (!err && !(p->leave = bpf_program__attach_trace(p->skel->progs.leave)))
		err = -errno;
	if (!err && !(p->enter = bpf_program__attach_trace(p->skel->progs.enter)))
		err = -errno;
	if (err)
		probe_detach(p);
	return err ? refused(p->function, err, d) : 0;
}

static int probe_read(const struct call_probe *p, const int *cpus, size_t ncpus, struct call_count *sum)
{
	int possible = cpu_possible(), err;
	struct call_count *per_cpu = calloc(possible, sizeof(*per_cpu));
	__u32 key = 0;

	memset(sum, 0, sizeof(*sum));
	if (!per_cpu)
		return -ENOMEM;
	err = bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.call_counts), &key, per_cpu);
	for (int cpu = 0; cpu < possible && !err; cpu++) {
		bool asked = !ncpus;

		for (size_t i = 0; i < ncpus; i++)
			asked |= cpus[i] == cpu;
		if (!asked)
			continue;
		sum->calls += per_cpu[cpu].calls;
		sum->timed += per_cpu[cpu].timed;
		sum->ns += per_cpu[cpu].ns;
	}
	free(per_cpu);
	return err;
}

/* The mean time of CALIBRATE_CALLS calls of a function that does nothing. */
static int calibrate_turn(const struct call_probe *p, double *ns)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct call_count sum = {};
	int err = probe_reset(p);

	for (int i = 0; i < CALIBRATE_CALLS && !err; i++)
		err = bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.enter), &opts);
	if (!err)
		err = probe_read(p, NULL, 0, &sum);
	if (!err && !sum.timed)
		err = -ENODATA;
	*ns = err ? 0 : (double)sum.ns / sum.timed;
	return err;
}

/*
 * The time that the probe adds to a call; 0 where the kernel has no empty function to call. The median over turns, not
 * the mean: an interrupt or another task during one call makes the mean of its whole turn wrong.
 */
static double calls_calibrate(void)
{
	double ns[CALIBRATE_TURNS];
	struct call_probe p = {};
	int err = probe_load(&p, EMPTY_FUNCTION, NULL) ?: probe_attach(&p, NULL);

	for (int i = 0; i < CALIBRATE_TURNS && !err; i++)
		err = calibrate_turn(&p, &ns[i]);
	probe_detach(&p);
	calls_bpf__destroy(p.skel);
	return err ? 0 : stats_median(ns, CALIBRATE_TURNS);
}

int calls_open(struct calls *c, const char *const *functions, size_t n, struct diag *d)
{
	int err = 0;

	memset(c, 0, sizeof(*c));
	if (n > CALLS_MAX)
		return diag_set(d, -E2BIG, "more than %d functions", CALLS_MAX);
	for (; c->n < n && !err; c->n++)
		err = probe_load(&c->probes[c->n], functions[c->n], d);
	if (err)
		calls_close(c);
	else if (n)
		c->probe_ns = calls_calibrate();
	return err;
}

int calls_attach(struct calls *c, size_t i, struct diag *d)
{
	return probe_attach(&c->probes[i], d);
}

void calls_detach(struct calls *c, size_t i)
{
	probe_detach(&c->probes[i]);
}

int calls_read(const struct calls *c, size_t i, const int *cpus, size_t ncpus, struct call_count *sum)
{
	return probe_read(&c->probes[i], cpus, ncpus, sum);
}

void calls_close(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		probe_detach(&c->probes[i]);
		calls_bpf__destroy(c->probes[i].skel);
	}
	memset(c, 0, sizeof(*c));
}
