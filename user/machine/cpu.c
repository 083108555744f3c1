// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <gsl/gsl_sort.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "bpf/polls.skel.h"
#include "bpf/waits.skel.h"
#include "user/machine/machine.h"

/* ---- CPUs ---- */

int cpu_possible(void)
{
	int n = libbpf_num_possible_cpus();

	return n > 0 ? n : 1;
}

int cpu_check(int cpu)
{
	long long online;

	if (cpu < 0 || cpu >= cpu_possible() || cpu >= CPU_SETSIZE)
		return -EINVAL;
	/* CPU 0 often has no such file, because it cannot go offline */
	if (facts_number(&facts_here, &online, "sys/devices/system/cpu/cpu%d/online", cpu))
		return 0;
	return online ? 0 : -EINVAL;
}

int cpu_pick_rx(void)
{
	cpu_set_t set;

	if (sched_getaffinity(getpid(), sizeof(set), &set)) /* the kernel has more CPUs than the set */
		CPU_ZERO(&set);
	for (int cpu = CPU_SETSIZE - 1; cpu > 0; cpu--)
		if (CPU_ISSET(cpu, &set))
			return cpu;
	return 0;
}

static int core_id(int cpu)
{
	long long id;

	return facts_number(&facts_here, &id, "sys/devices/system/cpu/cpu%d/topology/core_id", cpu) ? cpu : (int)id;
}

int cpu_pick_other(int rx_cpu, int load_cpu)
{
	int sibling = rx_cpu;
	cpu_set_t set;

	if (sched_getaffinity(getpid(), sizeof(set), &set))
		CPU_ZERO(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set) || cpu == rx_cpu || cpu == load_cpu)
			continue;
		if (core_id(cpu) != core_id(rx_cpu))
			return cpu;
		sibling = cpu;
	}
	return load_cpu >= 0 ? load_cpu : sibling;
}

int cpu_pin(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

double cpu_freq_khz(int cpu)
{
	long long khz;

	return facts_number(&facts_here, &khz, "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)
		       ? NAN
		       : (double)khz;
}

/* ---- clock ---- */

uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = {};

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void sleep_until_ns(uint64_t t_ns)
{
	struct timespec ts = {t_ns / 1000000000ULL, t_ns % 1000000000ULL};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

struct patience patience_of(uint64_t ns)
{
	return (struct patience){ns, now_ns()};
}

bool patience_ends(struct patience *p)
{
	uint64_t now = now_ns(), step = now - p->looked_ns;

	step = step < PATIENCE_STEP_NS ? step : PATIENCE_STEP_NS;
	p->looked_ns = now;
	p->left_ns -= step < p->left_ns ? step : p->left_ns;
	return !p->left_ns;
}

/* ---- priority ---- */

bool priority_realtime_begin(void)
{
	struct sched_param param = {.sched_priority = 1};

	return sched_getscheduler(0) == SCHED_OTHER && sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

void priority_session_begin(int nice)
{
	int fd = setsid() < 0 ? -1 : open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "%d", nice);
	close(fd);
}

/* ---- worker ---- */

void *memory_map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int worker_start(struct worker *w, void *(*main)(void *arg), void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&w->thread, NULL, main, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err;
	w->runs = true;
	while (!atomic_load(&w->tid))
		sleep_until_ns(now_ns() + 100000);
	err = atomic_load(&w->tid);
	return err < 0 ? err : -pthread_getcpuclockid(w->thread, &w->clock);
}

int worker_enter(int cpu)
{
	int err = cpu_pin(0, cpu);

	setpriority(PRIO_PROCESS, (id_t)gettid(), PRIORITY_FIRST); /* the generator or perf may share the CPU */
	return err;
}

void worker_stop(struct worker *w)
{
	if (!w->runs)
		return;
	atomic_store(&w->stop, true);
	pthread_join(w->thread, NULL);
	w->runs = false;
}

/* ---- oncpu ---- */

#define EDGE_POLL_NS 50000

int oncpu_open(struct oncpu *c, struct diag *d)
{
	int err;

	c->skel = waits_bpf__open_and_load();
	err = c->skel ? waits_bpf__attach(c->skel) : -errno;
	if (!err)
		return 0;
	oncpu_close(c);
	return diag_set(d, -EOPNOTSUPP, "this kernel allows no probe of scheduler waits (tp_btf/sched_switch): %s",
			strerror(-err));
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

/* ---- ping_pong ---- */

/* Two threads write the flag in turns. The flag has its own cache line. */
struct ping_pong {
	_Alignas(128) atomic_uint flag;
	_Alignas(128) int cpu[2];
	int pinned[2];
	_Atomic uint64_t give_up;
	double ns_one_way;
};

#define PING_BATCH   64
#define PING_BATCHES 200
#define PING_ROUNDS  (PING_BATCH * PING_BATCHES)
#define PING_LOOK    10000      /* turns of the wait loop between two readings of the clock */
#define PING_MOST_NS 500000000u /* the most time for all batches; some ms are usual */
/* The most time for the first batch: with virtual CPUs that never run together, each turn takes a time slice. */
#define PING_FIRST_NS 100000000u

static int ping_wait(struct ping_pong *pp, unsigned int want)
{
	for (unsigned int turns = 1;; turns++) {
		if (atomic_load_explicit(&pp->flag, memory_order_acquire) == want)
			return 0;
		if (turns % PING_LOOK == 0 && now_ns() > pp->give_up)
			return -ETIMEDOUT;
	}
}

static void *ping_answer(void *arg)
{
	struct ping_pong *pp = arg;

	pp->pinned[1] = cpu_pin(0, pp->cpu[1]);
	for (unsigned int i = 0; i < PING_ROUNDS; i++) {
		if (ping_wait(pp, 2 * i + 1))
			break;
		atomic_store_explicit(&pp->flag, 2 * i + 2, memory_order_release);
	}
	return NULL;
}

static void *ping_ask(void *arg)
{
	struct ping_pong *pp = arg;
	double ns[PING_BATCHES];
	unsigned int n = 0;

	pp->pinned[0] = cpu_pin(0, pp->cpu[0]);
	for (unsigned int b = 0; b < PING_BATCHES; b++) {
		uint64_t start = now_ns();

		for (unsigned int i = b * PING_BATCH; i < (b + 1) * PING_BATCH; i++) {
			atomic_store_explicit(&pp->flag, 2 * i + 1, memory_order_release);
			if (ping_wait(pp, 2 * i + 2))
				return NULL;
		}
		ns[n++] = (double)(now_ns() - start) / (2 * PING_BATCH);
		if (!b)
			atomic_store(&pp->give_up, start + PING_MOST_NS);
	}
	pp->ns_one_way = stats_median(ns, n);
	return NULL;
}

double cpu_ping_pong_ns(int cpu_a, int cpu_b)
{
	struct ping_pong pp = {.cpu = {cpu_a, cpu_b}, .ns_one_way = NAN, .give_up = now_ns() + PING_FIRST_NS};
	pthread_t ask, answer;

	if (cpu_a == cpu_b || pthread_create(&answer, NULL, ping_answer, &pp))
		return NAN;
	if (pthread_create(&ask, NULL, ping_ask, &pp)) {
		pthread_cancel(answer);
		pthread_join(answer, NULL);
		return NAN;
	}
	pthread_join(ask, NULL);
	pthread_join(answer, NULL);
	return pp.pinned[0] || pp.pinned[1] ? NAN : pp.ns_one_way;
}

/* ---- speed_probe ---- */

#define CHAINS      8
#define TABLE_BITS  14   /* of 4 bytes: 64 kB. A larger table scatters more than the speed of the CPU does */
#define STEPS       4096 /* of a piece: some 40 us, much longer than reading the clock */
#define PIECES      20   /* 0.8 ms in all at 10 ns a step */
#define WARM_PIECES 2    /* bring the table into the caches; not counted */

struct speed_probe {
	int cpu;
	double ns;       /* per step; < 0: failed */
	uint32_t result; /* so that the compiler leaves the work in */
	uint32_t table[1 << TABLE_BITS];
};

static uint32_t work(const uint32_t *table, uint32_t seed)
{
	uint32_t x[CHAINS], all = 0;

	for (uint32_t c = 0; c < CHAINS; c++)
		x[c] = seed + c * 2654435769u;
	for (int i = 0; i < STEPS; i++)
		for (int c = 0; c < CHAINS; c++)
			x[c] = x[c] * 1664525u + table[x[c] >> (32 - TABLE_BITS)];
	for (int c = 0; c < CHAINS; c++)
		all ^= x[c];
	return all;
}

static void *probe_main(void *arg)
{
	const struct sched_param first = {.sched_priority = 1};
	double ns[PIECES];
	struct speed_probe *p = arg;
	uint64_t start = now_ns(), from;
	size_t n = 0;

	if (cpu_pin(0, p->cpu))
		return NULL;
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &first); /* refused: the pieces are longer, and fewer */
	for (int i = 0; i < WARM_PIECES; i++)
		p->result += work(p->table, p->result);
	while (n < PIECES && (n < 4 || now_ns() - start < SPEED_PROBE_MAX_NS)) {
		from = now_ns();
		p->result += work(p->table, p->result);
		ns[n++] = (double)(now_ns() - from) / STEPS;
	}
	gsl_sort(ns, 1, n);
	p->ns = ns[n / 4];
	return NULL;
}

double speed_probe_ns(int cpu)
{
	struct speed_probe p = {.cpu = cpu, .ns = -1};
	pthread_t thread;

	for (uint32_t i = 0; i < 1 << TABLE_BITS; i++)
		p.table[i] = i * 2246822519u + 1;
	if (pthread_create(&thread, NULL, probe_main, &p))
		return -1;
	pthread_join(thread, NULL);
	return p.ns;
}

/* ---- napi ---- */

#define MOST_NAPIS 256

int napi_threaded(const char *dev, int sysfs_fd)
{
	char path[64], digit;
	int fd, on;

	snprintf(path, sizeof(path), "class/net/%s/threaded", dev);
	fd = openat(sysfs_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	on = read(fd, &digit, 1) == 1 ? digit != '0' : -EIO;
	close(fd);
	return on;
}

int napi_set_threaded(const char *dev, bool on)
{
	int sysfs = netns_sysfs(NULL), err;
	char path[64];

	if (sysfs < 0)
		return sysfs;
	snprintf(path, sizeof(path), "class/net/%s/threaded", dev);
	err = file_put(sysfs, path, on ? "1" : "0");
	close(sysfs);
	return err;
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

size_t napi_kthreads(const char *dev, pid_t *tids, size_t max)
{
	struct netdev_napi napis[MOST_NAPIS];
	struct kthread found[MOST_NAPIS];
	char comm[80], want[40], *end;
	size_t n = 0, kept = 0, length;
	int ifindex, known;
	pid_t tid;

	snprintf(want, sizeof(want), "napi/%s-", dev);
	length = strlen(want);
	process_scan (&facts_here, tid, comm) {
		long id = strncmp(comm, want, length) ? -1 : strtol(comm + length, &end, 10);

		/* Old kernels cut the name after 15 characters. */
		if (id >= 0 && !*end && end != comm + length && n < sizeof(found) / sizeof(*found) &&
		    facts_is_kthread(&facts_here, tid))
			found[n++] = (struct kthread){id, tid};
	}
	if (!n)
		return 0;
	/*
	 * Devices of other network namespaces may have the same name. IDs are those of one device only; without an
	 * answer of the kernel about them, which needs Linux 6.8, names must do.
	 */
	ifindex = (int)if_nametoindex(dev);
	known = ifindex ? netdev_genl_napis(ifindex, napis, MOST_NAPIS) : 0;
	for (size_t i = 0; i < n && known > 0; i++) {
		bool own = !found[i].id;

		for (int k = 0; k < known && !own; k++)
			own = napis[k].id == (uint32_t)found[i].id;
		if (own)
			found[kept++] = found[i];
	}
	n = known > 0 ? kept : n;
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
