// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/polls.skel.h"
#include "user/machine/cpu.h"
#include "user/machine/napi.h"

int napi_set_threaded(const char *dev, int sysfs_fd, bool on)
{
	char path[64];
	int fd, err = 0;

	snprintf(path, sizeof(path), "class/net/%s/threaded", dev);
	fd = openat(sysfs_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, on ? "1" : "0", 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

/* "napi/DEV-ID": ID, or -1 when the task is not one of dev's. Old kernels cut the name after 15 characters. */
static long kthread_napi_id(const char *pid, const char *dev)
{
	char path[280], comm[80] = "", want[40];
	char *end;
	long id;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = 0;
	fclose(f);
	comm[strcspn(comm, "\n")] = 0;
	snprintf(want, sizeof(want), "napi/%s-", dev);
	if (strncmp(comm, want, strlen(want)))
		return -1;
	id = strtol(comm + strlen(want), &end, 10);
	return *end || end == comm + strlen(want) ? -1 : id;
}

struct kthread {
	long id;
	pid_t tid;
};

/* A NAPI that only sends has no id of its own and is called 0: behind the others. */
static int by_id(const void *a, const void *b)
{
	unsigned long x = ((const struct kthread *)a)->id - 1UL, y = ((const struct kthread *)b)->id - 1UL;

	return (x > y) - (x < y);
}

size_t napi_kthreads(const char *dev, pid_t *tids, size_t max)
{
	struct kthread found[256];
	DIR *proc = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	if (!proc)
		return 0;
	while (n < sizeof(found) / sizeof(*found) && (e = readdir(proc))) {
		long id = isdigit((unsigned char)e->d_name[0]) ? kthread_napi_id(e->d_name, dev) : -1;

		if (id >= 0)
			found[n++] = (struct kthread){id, atoi(e->d_name)};
	}
	closedir(proc);
	qsort(found, n, sizeof(*found), by_id);
	for (size_t i = 0; i < n && i < max; i++)
		tids[i] = found[i].tid;
	return n;
}

pid_t napi_kthread(const char *dev)
{
	pid_t tid = -ENOENT;

	napi_kthreads(dev, &tid, 1);
	return tid;
}

/* Field 39 of /proc/PID/stat; the name, field 2, may hold blanks, but is the last in parentheses. */
int napi_cpu(pid_t tid)
{
	char path[64], line[1024], *at;
	int cpu = -EINVAL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	at = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	if (at)
		cpu = atoi(at + 1);
	fclose(f);
	return cpu;
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
		return diag_set(d, -EOPNOTSUPP, "no poll probe: %s", strerror(errno));
	p->skel->rodata->cfg_ifindex = ifindex;
	p->skel->rodata->cfg_netns_inum = netns_inum;
	p->skel->rodata->cfg_tid = tid;
	err = polls_bpf__load(p->skel);
	if (!err)
		err = polls_bpf__attach(p->skel);
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
