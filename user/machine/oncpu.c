// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <time.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/layout.h"
#include "bpf/waits.skel.h"
#include "user/machine/machine.h"

#define EDGE_POLL_NS 50000

static int refused(struct diag *d, int err)
{
	return diag_set(d, -EOPNOTSUPP, "this kernel allows no probe of scheduler waits (tp_btf/sched_switch): %s",
			strerror(err));
}

int oncpu_open(struct oncpu *c, struct diag *d)
{
	int err;

	c->skel = waits_bpf__open_and_load();
	if (!c->skel)
		return refused(d, errno);
	err = waits_bpf__attach(c->skel);
	if (!err)
		return 0;
	oncpu_close(c);
	return refused(d, -err);
}

int oncpu_watch(struct oncpu *c, pid_t tid)
{
	struct task_waits none = {};

	return c->skel ? bpf_map_update_elem(bpf_map__fd(c->skel->maps.task_waits), &tid, &none, BPF_NOEXIST) : 0;
}

void oncpu_forget(struct oncpu *c, pid_t tid)
{
	if (c->skel)
		bpf_map_delete_elem(bpf_map__fd(c->skel->maps.task_waits), &tid);
}

void oncpu_less_waits(const struct oncpu *c, pid_t tid, struct oncpu_time *t)
{
	struct task_waits w = {};

	if (c->skel)
		bpf_map_lookup_elem(bpf_map__fd(c->skel->maps.task_waits), &tid, &w);
	t->waits_ns = w.charged_ns;
	t->ns -= w.charged_ns;
}

static int charged_ns(pid_t tid, uint64_t *ns)
{
	long long v;
	int err = facts_number(&facts_here, &v, "proc/%d/schedstat", tid);

	if (err)
		return err == -ENOENT || err == -EINVAL ? -ESRCH : err;
	*ns = (uint64_t)v;
	return 0;
}

int oncpu_time(const struct oncpu *c, pid_t tid, struct oncpu_time *t)
{
	int err = charged_ns(tid, &t->ns);

	if (!err)
		oncpu_less_waits(c, tid, t);
	return err;
}

int oncpu_edge(const struct oncpu *c, pid_t tid, uint64_t max_wait_ns, struct oncpu_time *t, uint64_t *after_ns)
{
	struct timespec pause = {0, EDGE_POLL_NS};
	uint64_t start = now_ns(), first, before, now = start;
	int err = charged_ns(tid, &first);

	if (err)
		return err;
	do {
		before = now;
		nanosleep(&pause, NULL);
		err = charged_ns(tid, &t->ns);
		now = now_ns();
		if (err)
			return err;
	} while (t->ns == first && now - start < max_wait_ns);
	oncpu_less_waits(c, tid, t);
	*after_ns = before;
	return 0;
}

void oncpu_close(struct oncpu *c)
{
	waits_bpf__destroy(c->skel);
	c->skel = NULL;
}
