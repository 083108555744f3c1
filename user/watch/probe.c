// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <sys/mman.h>
#include "bpf/watch.skel.h"

#define PATIENCE_NS 1000000000ULL /* from softirqs to the next ones, in which their cost is still measured */
#define TRIES       8             /* to read the time of a thread that a switch does not come between */

void probe_init(struct probe *p)
{
	memset(p, 0, sizeof(*p));
	p->own = (struct own_costs){NAN, NAN, NAN, NAN};
}

static void *map_of(const struct bpf_map *map, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

/* What counting needs and this kernel lacks. */
static int probe_refused(int err, struct diag *d)
{
	if (!facts_have_btf(&facts_here))
		return diag_set(d, -EOPNOTSUPP,
				"there is no BTF of the kernel here (/sys/kernel/btf/vmlinux), without which polls "
				"cannot be counted; record, which attaches programs of its own, needs none");
	if (err == -EPERM)
		return diag_set(d, -EOPNOTSUPP,
				"programs are refused here, as by lockdown or a container's filter of system calls "
				"(bpf: %s), so polls cannot be counted",
				strerror(-err));
	return diag_set(d, -EOPNOTSUPP,
			"this kernel refuses programs at the tracepoint napi_poll (%s), so polls cannot be counted",
			*kernel_words_first_warning() ? kernel_words_first_warning() : strerror(-err));
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
	if (!p->skel->rodata->cfg_netns)
		return diag_set(d, -EOPNOTSUPP, "there is no /proc here, which shows the owner of the devices");
	p->skel->rodata->cfg_every = every;
	bpf_map__set_max_entries(p->skel->maps.watch_counts, (unsigned int)p->ncpus * WATCH_SLOTS);
	bpf_map__set_max_entries(p->skel->maps.watch_cpus, (unsigned int)p->ncpus);
	bpf_program__set_autoattach(p->skel->progs.watch_switch, false);
	bpf_program__set_autoattach(p->skel->progs.watch_softirq_end, false);
	bpf_program__set_autoattach(p->skel->progs.watch_softirq_again, false);
	bpf_program__set_autoattach(p->skel->progs.watch_poll_again, false);
	bpf_program__set_autoattach(p->skel->progs.watch_softirq, every > 0);
	err = watch_bpf__load(p->skel) ?: watch_bpf__attach(p->skel);
	if (err)
		return probe_refused(err, d);
	p->counts = map_of(p->skel->maps.watch_counts, (size_t)p->ncpus * WATCH_SLOTS * sizeof(*p->counts));
	p->cpus = map_of(p->skel->maps.watch_cpus, (size_t)p->ncpus * sizeof(*p->cpus));
	return p->counts && p->cpus ? 0 : diag_set(d, -ENOMEM, "no memory for the counts of polls");
}

/* ---- what the programs cost ------------------------------------------------------------------------------------- */

static void detach(struct bpf_link **link)
{
	bpf_link__destroy(*link);
	*link = NULL;
}

/* A program that is attached last runs last. */
static void attach_behind(struct bpf_program *program, struct bpf_link **link)
{
	if (!*link)
		*link = bpf_program__attach(program);
}

/* The mean over all CPUs of one member's histogram, without the 5 % at either end; NaN: it is too little. */
static double mean_of(const struct probe *p, size_t member)
{
	double all[WATCH_OWN_BUCKETS] = {0}, n = 0, rank = 0, sum = 0, low, high;

	for (int cpu = 0; cpu < p->ncpus; cpu++) {
		const volatile struct watch_own *own = (const void *)((const char *)&p->cpus[cpu] + member);

		for (size_t i = 0; i < WATCH_OWN_BUCKETS; i++)
			all[i] += own->hist[i];
	}
	for (size_t i = 0; i < WATCH_OWN_BUCKETS; i++)
		n += all[i];
	if (n < PROBE_MEASURED)
		return NAN;
	low = 0.05 * n;
	high = 0.95 * n;
	for (size_t i = 0; i < WATCH_OWN_BUCKETS; i++) {
		double end = rank + all[i];

		sum += fmax(0, fmin(end, high) - fmax(rank, low)) * ((double)i + 0.5) * WATCH_OWN_NS;
		rank = end;
	}
	return sum / (high - low);
}

void probe_measure_own(struct probe *p, bool softirqs)
{
	bool polls = isnan(p->own.count_ns);
	double all_ns, part_ns;

	if (softirqs)
		p->softirqs_ns = now_ns();
	softirqs = now_ns() - p->softirqs_ns < PATIENCE_NS && isnan(p->own.entry_ns) && p->skel->links.watch_softirq;
	if (!p->skel->rodata->cfg_every)
		return;
	/* In this order, and at the very beginning: what somebody else attaches to these tracepoints later lies behind
	 * all of them, and is not measured. */
	if (polls || softirqs) {
		*(volatile __u32 *)&p->skel->data->measuring = p->measuring = true;
		attach_behind(p->skel->progs.watch_poll_again, &p->skel->links.watch_poll_again);
		if (p->skel->links.watch_softirq)
			attach_behind(p->skel->progs.watch_softirq_again, &p->skel->links.watch_softirq_again);
	}
	all_ns = polls ? mean_of(p, offsetof(struct watch_cpu, poll)) : NAN;
	part_ns = polls ? mean_of(p, offsetof(struct watch_cpu, clock)) : NAN;
	if (!isnan(all_ns) && !isnan(part_ns)) {
		p->own.poll_ns = all_ns;
		p->own.count_ns = fmax(0, all_ns - part_ns);
	}
	if (softirqs)
		p->own.entry_ns = mean_of(p, offsetof(struct watch_cpu, entry));
	if (isnan(p->own.count_ns) || (softirqs && isnan(p->own.entry_ns)) || !p->skel->links.watch_poll_again)
		return;
	*(volatile __u32 *)&p->skel->data->measuring = p->measuring = false;
	detach(&p->skel->links.watch_poll_again);
	detach(&p->skel->links.watch_softirq_again);
}

void probe_see_ends(struct probe *p, bool see)
{
	if (see)
		attach_behind(p->skel->progs.watch_softirq_end, &p->skel->links.watch_softirq_end);
	else if (!p->threads)
		detach(&p->skel->links.watch_softirq_end);
}

/* ---- pauses ----------------------------------------------------------------------------------------------------- */

/* What a CPU was in the midst of when the programs left ends here: the time of its NAPI thread is counted up to now. */
static void leave_cpus(struct probe *p)
{
	for (int cpu = 0; cpu < p->ncpus; cpu++) {
		struct watch_cpu *c = &p->cpus[cpu];
		uint64_t until = c->softirq_ns ? c->softirq_ns : now_ns();

		if (c->thread_since_ns && until > c->thread_since_ns)
			p->counts[(size_t)cpu * WATCH_SLOTS + c->thread_slot % WATCH_SLOTS].thread_ns +=
				until - c->thread_since_ns;
		c->thread_since_ns = c->softirq_ns = c->timing = 0;
	}
}

/* The program at polls goes first and comes last: without the others it would time what lies between softirqs. */
void probe_pause(struct probe *p)
{
	detach(&p->skel->links.watch_poll);
	detach(&p->skel->links.watch_softirq);
	detach(&p->skel->links.watch_softirq_end);
	detach(&p->skel->links.watch_switch);
	leave_cpus(p);
}

int probe_resume(struct probe *p, struct diag *d)
{
	leave_cpus(p); /* a program that ran while it was detached ended since */
	attach_behind(p->skel->progs.watch_softirq, &p->skel->links.watch_softirq);
	if (p->threads) {
		attach_behind(p->skel->progs.watch_softirq_end, &p->skel->links.watch_softirq_end);
		attach_behind(p->skel->progs.watch_switch, &p->skel->links.watch_switch);
	}
	attach_behind(p->skel->progs.watch_poll, &p->skel->links.watch_poll);
	return p->skel->links.watch_poll ? 0 : probe_refused(-errno, d);
}

/* ---- devices and threads ---------------------------------------------------------------------------------------- */

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

int probe_add_thread(struct probe *p, pid_t tid, unsigned int slot, struct diag *d)
{
	struct bpf_program *const programs[] = {p->skel->progs.watch_softirq_end, p->skel->progs.watch_switch,
						p->skel->progs.watch_softirq};
	struct bpf_link **const links[] = {&p->skel->links.watch_softirq_end, &p->skel->links.watch_switch,
					   &p->skel->links.watch_softirq};

	if (!p->threads && p->skel->rodata->cfg_every) {
		for (int i = 0; i < 3; i++) {
			if (!*links[i])
				*links[i] = bpf_program__attach(programs[i]);
			if (!*links[i])
				return diag_set(d, -errno, "NAPI threads cannot be timed: %s", strerror(errno));
		}
		p->threads = true;
		*(volatile __u32 *)&p->skel->data->threads = 1;
	}
	return add_key(p->skel->bss->by_tid, (uint32_t)tid, slot);
}

void probe_drop_thread(struct probe *p, pid_t tid)
{
	drop_key(p->skel->bss->by_tid, (uint32_t)tid);
}

pid_t probe_unknown_thread(struct probe *p, unsigned int slot)
{
	return (pid_t)__atomic_exchange_n(&p->skel->bss->unknown_threads[slot], 0, __ATOMIC_RELAXED);
}

/*
 * Polls go on meanwhile: a copy is one that none of them changed, as packets of one and the time of another are no
 * cost. The time of the thread that is on the CPU now is not in the counts yet.
 */
void probe_read(const struct probe *p, const struct watch_polls *before, struct watch_polls *to)
{
	size_t n = (size_t)p->ncpus * WATCH_SLOTS;

	for (int cpu = 0; cpu < p->ncpus; cpu++) {
		const volatile struct watch_cpu *c = &p->cpus[cpu];

		for (size_t i = (size_t)cpu * WATCH_SLOTS; i < ((size_t)cpu + 1) * WATCH_SLOTS; i++)
			for (int try = 0; try < TRIES; try++) {
				memcpy(&to[i], &p->counts[i], sizeof(*to));
				__atomic_thread_fence(__ATOMIC_ACQUIRE);
				if (!memcmp(&to[i], &p->counts[i], sizeof(*to)))
					break;
			}
		for (int try = 0; try < TRIES && p->threads; try++) {
			uint64_t since = c->thread_since_ns, softirq = c->softirq_ns, now;
			size_t at = (size_t)cpu * WATCH_SLOTS + c->thread_slot % WATCH_SLOTS;
			uint64_t counted = *(const volatile __u64 *)&p->counts[at].thread_ns;

			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			now = softirq ? softirq : now_ns();
			if (c->thread_since_ns != since || c->thread_slot != at % WATCH_SLOTS ||
			    c->softirq_ns != softirq)
				continue;
			if (since && now > since)
				to[at].thread_ns = counted + now - since;
			break;
		}
	}
	for (size_t i = 0; i < n; i++) {
		/*
		 * A thread that left its CPU while we looked may have its time in the counts and as that of a running
		 * one, and its clock may be behind ours. Such time was too much, and counts once: growth is never
		 * negative.
		 */
		if (to[i].thread_ns < before[i].thread_ns)
			to[i].thread_ns = before[i].thread_ns;
		polled_sum_histogram(&to[i]);
	}
}

void probe_close(struct probe *p)
{
	if (p->counts)
		munmap(p->counts, (size_t)p->ncpus * WATCH_SLOTS * sizeof(*p->counts));
	if (p->cpus)
		munmap(p->cpus, (size_t)p->ncpus * sizeof(*p->cpus));
	watch_bpf__destroy(p->skel);
	probe_init(p);
}
