// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/probe.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "bpf/watch.skel.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/machine/kernel_words.h"
#include "user/machine/netns.h"

#define TRIES 8 /* to read the time of a thread that a switch does not come between */

void probe_init(struct probe *p)
{
	memset(p, 0, sizeof(*p));
}

static size_t counts_bytes(const struct probe *p)
{
	return (size_t)p->ncpus * WATCH_SLOTS * sizeof(*p->counts);
}

static size_t cpus_bytes(const struct probe *p)
{
	return (size_t)p->ncpus * sizeof(*p->cpus);
}

static void *map_of(const struct bpf_map *map, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

/* What counting needs and this kernel lacks. */
static int probe_refused(int err, struct diag *d)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return diag_set(
			d, -EOPNOTSUPP,
			"this kernel has no BTF (CONFIG_DEBUG_INFO_BTF), without which polls cannot be counted; "
			"record, which attaches programs of its own, still works");
	return diag_set(d, -EOPNOTSUPP,
			"this kernel refuses programs at the tracepoint napi_poll (%s), so polls cannot be counted%s%s",
			strerror(-err), kernel_words_sep(), kernel_words_first_warning());
}

int probe_open(struct probe *p, unsigned int every, struct diag *d)
{
	int err;

	kernel_words_clear();
	p->ncpus = cpu_possible();
	p->skel = watch_bpf__open();
	if (!p->skel)
		return probe_refused(-errno, d);
	p->skel->rodata->cfg_netns = netns_inum();
	p->skel->rodata->cfg_every = every;
	bpf_map__set_max_entries(p->skel->maps.watch_counts, (unsigned int)p->ncpus * WATCH_SLOTS);
	bpf_map__set_max_entries(p->skel->maps.watch_cpus, (unsigned int)p->ncpus);
	bpf_program__set_autoattach(p->skel->progs.watch_switch, false);
	bpf_program__set_autoattach(p->skel->progs.watch_softirq_end, false);
	bpf_program__set_autoattach(p->skel->progs.watch_softirq_again, false); /* has to be behind watch_softirq */
	bpf_program__set_autoattach(p->skel->progs.watch_softirq, every > 0);
	err = watch_bpf__load(p->skel);
	if (!err)
		err = watch_bpf__attach(p->skel);
	if (err)
		return probe_refused(err, d);
	p->counts = map_of(p->skel->maps.watch_counts, counts_bytes(p));
	p->cpus = map_of(p->skel->maps.watch_cpus, cpus_bytes(p));
	return p->counts && p->cpus ? 0 : diag_set(d, -ENOMEM, "no memory for the counts of polls");
}

void probe_calibrate(struct probe *p)
{
	struct bpf_link **link = &p->skel->links.watch_softirq_again;
	uint64_t ns = 0, n = 0;

	if (p->stamp_ns > 0 || !p->skel->links.watch_softirq)
		return;
	if (!*link)
		*link = bpf_program__attach(p->skel->progs.watch_softirq_again);
	for (int cpu = 0; cpu < p->ncpus; cpu++) {
		ns += *(const volatile __u64 *)&p->cpus[cpu].again_ns;
		n += *(const volatile __u64 *)&p->cpus[cpu].again;
	}
	if (n < PROBE_STAMPS)
		return;
	p->stamp_ns = (double)ns / (double)n;
	bpf_link__destroy(*link);
	*link = NULL;
}

/* The key is written last: until then nobody takes the entry for his. */
static int add_key(struct watch_key *table, uint32_t key, unsigned int slot)
{
	volatile struct watch_key *k = &table[key % WATCH_KEYS];

	if (k->key && k->key != key)
		return -EEXIST;
	k->slot = slot;
	__atomic_store_n(&k->key, key, __ATOMIC_RELEASE);
	return 0;
}

static void drop_key(struct watch_key *table, uint32_t key)
{
	volatile struct watch_key *k = &table[key % WATCH_KEYS];

	if (k->key == key)
		k->key = 0;
}

int probe_add_device(struct probe *p, int ifindex, unsigned int slot)
{
	return add_key(p->skel->bss->by_ifindex, (uint32_t)ifindex, slot);
}

void probe_drop_device(struct probe *p, int ifindex)
{
	drop_key(p->skel->bss->by_ifindex, (uint32_t)ifindex);
}

static int attach_threads(struct probe *p, struct diag *d)
{
	struct bpf_program *const programs[] = {p->skel->progs.watch_softirq_end, p->skel->progs.watch_switch,
						p->skel->progs.watch_softirq};
	struct bpf_link **const links[] = {&p->skel->links.watch_softirq_end, &p->skel->links.watch_switch,
					   &p->skel->links.watch_softirq};

	for (int i = 0; i < 3; i++) {
		if (!*links[i])
			*links[i] = bpf_program__attach(programs[i]);
		if (!*links[i])
			return diag_set(d, -errno, "NAPI threads cannot be timed: %s", strerror(errno));
	}
	p->threads = true;
	*(volatile __u32 *)&p->skel->data->threads = 1;
	return 0;
}

int probe_add_thread(struct probe *p, pid_t tid, unsigned int slot, struct diag *d)
{
	int err = p->threads || !p->skel->rodata->cfg_every ? 0 : attach_threads(p, d);

	return err ? err : add_key(p->skel->bss->by_tid, (uint32_t)tid, slot);
}

void probe_drop_thread(struct probe *p, pid_t tid)
{
	drop_key(p->skel->bss->by_tid, (uint32_t)tid);
}

void probe_forget(struct probe *p, unsigned int slot)
{
	for (int cpu = 0; cpu < p->ncpus; cpu++)
		p->counts[(size_t)cpu * WATCH_SLOTS + slot].poll_ip = 0;
}

/* The time of the thread that is on the CPU now is not in the counts yet. */
static void add_running(const struct probe *p, int cpu, struct watch_polls *to)
{
	const volatile struct watch_cpu *c = &p->cpus[cpu];

	for (int i = 0; i < TRIES; i++) {
		uint64_t since = c->thread_since_ns, softirq = c->softirq_ns, now;
		uint32_t slot = c->thread_slot % WATCH_SLOTS;
		uint64_t before = *(const volatile __u64 *)&p->counts[(size_t)cpu * WATCH_SLOTS + slot].thread_ns;

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		now = softirq ? softirq : now_ns();
		if (c->thread_since_ns != since || c->thread_slot != slot || c->softirq_ns != softirq)
			continue;
		if (since && now > since)
			to[slot].thread_ns = before + now - since;
		return;
	}
}

void probe_read(const struct probe *p, struct watch_polls *to)
{
	for (int cpu = 0; cpu < p->ncpus; cpu++) {
		memcpy(&to[(size_t)cpu * WATCH_SLOTS], &p->counts[(size_t)cpu * WATCH_SLOTS],
		       WATCH_SLOTS * sizeof(*to));
		if (p->threads)
			add_running(p, cpu, &to[(size_t)cpu * WATCH_SLOTS]);
	}
}

void probe_close(struct probe *p)
{
	if (p->counts)
		munmap(p->counts, counts_bytes(p));
	if (p->cpus)
		munmap(p->cpus, cpus_bytes(p));
	watch_bpf__destroy(p->skel);
	probe_init(p);
}
