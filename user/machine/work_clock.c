// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/edges.skel.h"

#define FOREIGN_BYTES (TURN_FOREIGN * sizeof(struct turn_foreign))

void work_clock_init(struct work_clock *c)
{
	memset(c, 0, sizeof(*c));
	c->stamp_ns = NAN;
}

int work_clock_open(struct work_clock *c, const struct work_clock_options *o, struct diag *d)
{
	void *p;
	int err;

	kernel_words_clear();
	c->of = (struct work_edge){.tid = (__u32)o->tid, .ifindex = (__u32)o->ifindex, .netns = (__u32)o->netns};
	c->skel = edges_bpf__open();
	if (!c->skel)
		return diag_set(d, -errno, "cannot open the clock of the receiver's work: %s", strerror(errno));
	c->skel->rodata->cfg_crossing = o->tid > 0;
	c->skel->rodata->cfg_split = c->skel->rodata->cfg_backlog_apart = !o->tid;
	c->skel->rodata->cfg_rx_cpu = (__u32)o->cpu;
	bpf_program__set_autoload(c->skel->progs.poll_ends, !o->tid);
	bpf_program__set_autoload(c->skel->progs.switched, o->tid > 0);
	bpf_program__set_autoattach(c->skel->progs.softirq_begins_again, false);
	err = edges_bpf__load(c->skel) ?: edges_bpf__attach(c->skel);
	if (err == -ENOMEM)
		return diag_set(d, err, "no memory for the clock of the receiver's work");
	if (err)
		return diag_set(d, -EOPNOTSUPP, "this kernel refuses the clock of the receiver's work: %s",
				kernel_words_first_warning()[0] ? kernel_words_first_warning() : strerror(-err));
	p = mmap(NULL, FOREIGN_BYTES, PROT_READ, MAP_SHARED, bpf_map__fd(c->skel->maps.turn_foreigns), 0);
	if (p == MAP_FAILED)
		return diag_set(d, -errno, "no memory for the polls of other devices");
	c->foreigns = p;
	return 0;
}

int work_clock_read(const struct work_clock *c, struct work_edge *e, struct diag *d)
{
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = e, .ctx_size_in = sizeof(*e));
	int err;

	*e = c->of;
	err = bpf_prog_test_run_opts(bpf_program__fd(c->skel->progs.read_edge), &run);
	return err ? diag_set(d, err, "the clock of the receiver's work cannot be read: %s", strerror(-err)) : 0;
}

void work_clock_keep_foreigns(struct work_clock *c, bool on)
{
	*(volatile __u32 *)&c->skel->bss->foreign = on;
}

void work_clock_forget_foreigns(struct work_clock *c)
{
	*(volatile __u32 *)&c->skel->bss->foreigns = 0;
}

size_t work_clock_foreigns(const struct work_clock *c)
{
	return *(const volatile __u32 *)&c->skel->bss->foreigns;
}

double work_clock_pair_ns(const struct clock_pairs again[2])
{
	struct clock_pairs p = again[0];

	if (again[1].n > p.n) { /* that is what this clock takes */
		p.n += again[1].n;
		p.ns += again[1].ns;
	}
	return p.n ? (double)p.ns / (double)p.n : 0;
}

int work_clock_calibrate(struct work_clock *c, bool on, struct diag *d)
{
	struct bpf_link **link = &c->skel->links.softirq_begins_again;

	if (c->of.tid)
		return 0;
	if (on) {
		memset(c->skel->bss->again, 0, sizeof(c->skel->bss->again));
		*link = bpf_program__attach(c->skel->progs.softirq_begins_again);
		return *link ? 0 : diag_set(d, -errno, "cannot attach the second clock: %s", strerror(errno));
	}
	bpf_link__destroy(*link);
	*link = NULL;
	c->stamp_ns = work_clock_pair_ns(c->skel->bss->again);
	return 0;
}

void work_clock_close(struct work_clock *c)
{
	if (c->foreigns)
		munmap((void *)c->foreigns, FOREIGN_BYTES);
	edges_bpf__destroy(c->skel);
	work_clock_init(c);
}
