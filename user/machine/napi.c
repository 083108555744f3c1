// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "base/array.h"
#include "bpf/polls.skel.h"
#include "user/machine/machine.h"

#define MOST_NAPIS 256

static int open_threaded(const char *dev, int sysfs_fd, int how)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "class/net/%s/threaded", dev);
	fd = openat(sysfs_fd, path, how | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int napi_threaded(const char *dev, int sysfs_fd)
{
	int fd = open_threaded(dev, sysfs_fd, O_RDONLY), on;
	char digit;

	if (fd < 0)
		return fd;
	on = read(fd, &digit, 1) == 1 ? digit != '0' : -EIO;
	close(fd);
	return on;
}

int napi_set_threaded(const char *dev, int sysfs_fd, bool on)
{
	int fd = open_threaded(dev, sysfs_fd, O_WRONLY), err = 0;

	if (fd < 0)
		return fd;
	if (write(fd, on ? "1" : "0", 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

/*
 * The ID in a task's name "napi/DEV-ID"; -1: the task is no NAPI kthread of dev. Old kernels cut the name after 15
 * characters.
 */
static long napi_id_of(const char *comm, const char *dev)
{
	char want[40], *end;
	long id;

	snprintf(want, sizeof(want), "napi/%s-", dev);
	if (strncmp(comm, want, strlen(want)) != 0)
		return -1;
	id = strtol(comm + strlen(want), &end, 10);
	return *end || end == comm + strlen(want) ? -1 : id;
}

struct kthread {
	long id;
	pid_t tid;
};

/* A NAPI that only sends has the id 0; it comes last. */
static int by_id(const void *a, const void *b)
{
	unsigned long x = ((const struct kthread *)a)->id - 1UL, y = ((const struct kthread *)b)->id - 1UL;

	return ORDER(x, y);
}

/*
 * Devices of other network namespaces may have the same name. IDs are those of one device only; without an answer of
 * the kernel about them, which needs Linux 6.8, names must do. Returns how many of the threads stay.
 */
static size_t keep_own(struct kthread *found, size_t n, const char *dev)
{
	struct netdev_napi napis[MOST_NAPIS];
	int ifindex = n ? (int)if_nametoindex(dev) : 0;
	int known = ifindex ? netdev_genl_napis(ifindex, napis, MOST_NAPIS) : 0;
	size_t kept = 0;

	if (known <= 0)
		return n;
	for (size_t i = 0; i < n; i++) {
		bool own = !found[i].id;

		for (int k = 0; k < known && !own; k++)
			own = napis[k].id == (uint32_t)found[i].id;
		if (own)
			found[kept++] = found[i];
	}
	return kept;
}

size_t napi_kthreads(const char *dev, pid_t *tids, size_t max)
{
	DIR *proc = facts_dir(&facts_here, "proc");
	struct kthread found[MOST_NAPIS];
	char comm[80];
	size_t n = 0;
	pid_t tid;

	while (n < sizeof(found) / sizeof(*found) &&
	       (tid = facts_next_process(&facts_here, proc, comm, sizeof(comm)))) {
		long id = napi_id_of(comm, dev);

		if (id >= 0 && facts_is_kthread(&facts_here, tid))
			found[n++] = (struct kthread){id, tid};
	}
	if (proc)
		closedir(proc);
	n = keep_own(found, n, dev);
	qsort(found, n, sizeof(*found), by_id);
	for (size_t i = 0; i < n && i < max; i++)
		tids[i] = found[i].tid;
	return n;
}

bool napi_kthreads_seen(void)
{
	return facts_is_kthread(&facts_here, 2); /* kthreadd */
}

pid_t napi_kthread(const char *dev)
{
	pid_t tid = -ENOENT;

	napi_kthreads(dev, &tid, 1);
	return tid;
}

int napi_cpu(pid_t tid)
{
	struct process_stat s;
	int err = facts_process_stat(&facts_here, tid, &s);

	return err ? err : s.cpu;
}

int polls_try(struct diag *d)
{
	struct polls_bpf *skel = polls_bpf__open_and_load();
	int err = errno;

	polls_bpf__destroy(skel);
	return skel ? 0
		    : diag_set(d, -EOPNOTSUPP, "this kernel allows no poll probe (tp_btf/napi_poll): %s",
			       strerror(err));
}

int polls_open(struct polls *p, int ifindex, unsigned int netns_inum, pid_t tid, struct diag *d)
{
	int err;

	p->skel = polls_bpf__open();
	if (!p->skel)
		return diag_set(d, -EOPNOTSUPP, "cannot open the poll probe: %s", strerror(errno));
	p->skel->rodata->cfg_ifindex = ifindex;
	p->skel->rodata->cfg_netns_inum = netns_inum;
	p->skel->rodata->cfg_tid = tid;
	err = polls_bpf__load(p->skel) ?: polls_bpf__attach(p->skel);
	if (!err)
		return 0;
	polls_close(p);
	return diag_set(d, -EOPNOTSUPP, "this kernel allows no poll probe (tp_btf/napi_poll): %s", strerror(-err));
}

void polls_enable(struct polls *p, bool on)
{
	if (!p->skel)
		return;
	*(volatile __u64 *)&p->skel->bss->enabled_at_ns = now_ns();
	*(volatile bool *)&p->skel->bss->enabled = on;
}

int polls_read(const struct polls *p, struct poll_count *sum)
{
	int ncpus = cpu_possible(), err = 0;
	struct poll_count *per_cpu;
	__u32 key = 0;

	memset(sum, 0, sizeof(*sum));
	if (!p->skel)
		return -EOPNOTSUPP;
	per_cpu = calloc(ncpus, sizeof(*per_cpu));
	if (!per_cpu)
		return -ENOMEM;
	if (bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.poll_counts), &key, per_cpu))
		err = -errno;
	for (int i = 0; i < ncpus && !err; i++) {
		sum->polls += per_cpu[i].polls;
		sum->packets += per_cpu[i].packets;
		sum->empty += per_cpu[i].empty;
		sum->softirq_ns += per_cpu[i].softirq_ns;
		for (int b = 0; b < POLL_BUCKETS; b++)
			sum->hist[b] += per_cpu[i].hist[b];
	}
	free(per_cpu);
	return err;
}

void polls_close(struct polls *p)
{
	polls_bpf__destroy(p->skel);
	p->skel = NULL;
}
