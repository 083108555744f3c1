// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/layout.h"
/* the skeleton needs layout.h */
#include "bpf/readers.skel.h"
#include "user/ladder/ladder.h"
#include "user/machine/machine.h"

static const struct reader_kind reader_kinds[] = {
	[READER_NONE] = {.words = "nothing"},
	[READER_RECV] = {.words = "recv, a datagram each", .open = reader_open_udp, .read = reader_read_recv},
	[READER_RECVMMSG] = {.words = "recvmmsg, up to 64 datagrams each",
			     .open = reader_open_udp,
			     .begin = reader_begin_recvmmsg,
			     .read = reader_read_recvmmsg},
	[READER_GRO] = {.words = "recvmsg with UDP_GRO", .open = reader_open_gro, .read = reader_read_gro},
	[READER_URING] = {.words = "io_uring, one request for all datagrams",
			  .open = reader_open_udp,
			  .begin = reader_begin_uring,
			  .read = reader_read_uring,
			  .end = reader_end_uring},
	[READER_RING] = {.words = "a packet socket's ring (TPACKET_V3)",
			 .open = reader_open_ring,
			 .read = reader_read_ring},
	[READER_XSK] = {.words = "an AF_XDP socket's ring (copy, poll)",
			.open = reader_open_xsk,
			.read = reader_read_xsk,
			.end = reader_end_xdp},
	[READER_CPUMAP] = {.words = "the cpumap's thread, which runs a program",
			   .open = reader_open_cpumap,
			   .end = reader_end_xdp},
};

static void *read_main(void *arg)
{
	struct reader *r = arg;
	const struct reader_kind *kind = &reader_kinds[r->o.way];
	int err = cpu_pin(0, r->o.cpu), n;

	setpriority(PRIO_PROCESS, gettid(), READER_NICE); /* perf may share the CPU */
	if (!err && kind->begin)
		err = kind->begin(r);
	atomic_store(&r->tid, err ? err : gettid());
	while (!err && !atomic_load_explicit(&r->stop, memory_order_relaxed)) {
		n = kind->read(r);
		if (n > 0)
			__atomic_fetch_add(&r->counts[r->o.count_cpu].verdicts[XDP_DROP], n, __ATOMIC_RELEASE);
		else if (n < 0)
			err = n;
	}
	if (err)
		atomic_store(&r->failed, err);
	return NULL;
}

/* A map with types (turns.bpf.c says why). -errno: there is none. */
static int make_counts(void)
{
	struct readers_bpf *skel = readers_bpf__open();
	int fd;

	if (!skel)
		return -errno;
	bpf_map__set_autocreate(skel->maps.to_cpu, false);
	bpf_map__set_autocreate(skel->maps.to_socket, false);
	fd = kernel_load(skel->skeleton, (struct bpf_program *[]){NULL}, "a map", NULL);
	if (!fd)
		fd = fcntl(bpf_map__fd(skel->maps.read_counts), F_DUPFD_CLOEXEC, 0);
	readers_bpf__destroy(skel);
	return fd;
}

/* The counts are in a BPF map, so that the generator's program can read them. */
static int open_counts(struct reader *r, struct diag *d)
{
	size_t bytes = sizeof(struct bench_counts);
	void *p;

	r->counts_fd = make_counts();
	if (r->counts_fd < 0)
		return diag_set(d, r->counts_fd, "cannot make a map for the counts: %s", strerror(-r->counts_fd));
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->counts_fd, 0);
	if (p == MAP_FAILED)
		return diag_set(d, -errno, "cannot map the counts: %s", strerror(errno));
	r->counts = p;
	return 0;
}

/* The thread blocks all signals: only the main thread shall receive them. */
static int start_thread(struct reader *r)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&r->thread, NULL, read_main, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err;
	r->running = true;
	while (!atomic_load(&r->tid))
		sleep_until_ns(now_ns() + 100000);
	err = atomic_load(&r->tid);
	return err < 0 ? err : -pthread_getcpuclockid(r->thread, &r->clock);
}

/* A kernel that lacks a system call, an option or a request refuses it in one of these ways; so does its policy. */
static int kernel_lacks(int err)
{
	return err == -ENOSYS || err == -EINVAL || err == -EPERM || err == -ENOPROTOOPT || err == -EAFNOSUPPORT
		       ? -EOPNOTSUPP
		       : err;
}

int reader_open(struct reader **out, const struct reader_options *o, struct diag *d)
{
	struct reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return diag_set(d, -ENOMEM, "no memory");
	r->o = *o;
	r->fd = r->counts_fd = r->link_fd = -1;
	err = open_counts(r, d) ?: kernel_lacks(reader_kinds[o->way].open(r, d));
	if (!err && reader_kinds[o->way].read) {
		err = start_thread(r);
		if (err)
			err = diag_set(d, kernel_lacks(err), "cannot read by %s on CPU %d: %s",
				       reader_kinds[o->way].words, o->cpu, strerror(-err));
	}
	if (err)
		reader_close(r);
	else
		*out = r;
	return err;
}

int reader_counts_fd(const struct reader *r)
{
	return r->counts_fd;
}

uint64_t reader_frames(const struct reader *r)
{
	return __atomic_load_n(&r->counts[r->o.count_cpu].verdicts[XDP_DROP], __ATOMIC_ACQUIRE);
}

/* Exact at any moment: a thread's CPU clock is always up to date. */
bool reader_busy_ns(const struct reader *r, uint64_t *ns)
{
	struct timespec ts;

	if (clock_gettime(r->clock, &ts))
		return false;
	*ns = (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
	return true;
}

pid_t reader_tid(const struct reader *r)
{
	return atomic_load(&r->tid);
}

int reader_check(const struct reader *r, struct diag *d)
{
	int err = atomic_load(&r->failed);

	return err ? diag_set(d, err, "reading by %s failed: %s", reader_words(r->o.way), strerror(-err)) : 0;
}

const char *reader_words(enum reader_way way)
{
	return reader_kinds[way].words;
}

bool reader_is_udp(enum reader_way way)
{
	return way && way < READER_RING;
}

/* Reading the packet socket's counter sets it to 0. */
uint64_t reader_refused(struct reader *r)
{
	struct tpacket_stats_v3 now;
	socklen_t len = sizeof(now);

	if (r->o.way == READER_RING && !getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &now, &len))
		r->refused += now.tp_drops;
	if (r->o.way == READER_XSK)
		r->refused = (uint64_t)xsk_queue_dropped(&r->queue);
	return r->refused;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	if (r->running) {
		atomic_store(&r->stop, true);
		pthread_join(r->thread, NULL);
	}
	if (reader_kinds[r->o.way].end)
		reader_kinds[r->o.way].end(r);
	if (r->fd >= 0)
		close(r->fd);
	if (r->memory)
		munmap(r->memory, r->bytes);
	if (r->counts)
		munmap(r->counts, sizeof(struct bench_counts));
	if (r->counts_fd >= 0)
		close(r->counts_fd);
	free(r);
}
