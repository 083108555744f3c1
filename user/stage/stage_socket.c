// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "base/known.h"
#include "bpf/layout.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/machine/netdev_genl.h"
#include "user/stage/stage_socket.h"
#include "user/stage/xsk_queue.h"

#define BUFFER      2048 /* holds XDP_PACKET_HEADROOM and a frame of 1500 bytes or so */
#define BUFFER_MOST 4096
#define IDLE_MS     50 /* the thread notices within this time that it must end */
#define STAGE_NICE  (-20)

#ifndef XDP_USE_SG /* linux/if_xdp.h, Linux 6.6 */
#define XDP_USE_SG (1 << 4)
#endif

struct socket_stage {
	struct xsk_queue queues[STAGE_QUEUES];
	struct pollfd fds[STAGE_QUEUES];
	unsigned int n;
	int cpu;
	bool zero_copy, running;
	pthread_t thread;
	clockid_t clock;
	atomic_int tid; /* 0: the thread has not begun, < 0: it failed, -errno */
	atomic_bool stop;
	int counts_fd, ncpus;
	struct redirect_count *counts; /* mapped: an entry for each CPU; the thread uses the entry of its own CPU */
};

static void *receive_main(void *arg)
{
	struct socket_stage *s = arg;
	int err = cpu_pin(0, s->cpu);

	/* with a higher priority than the generator, which may share the CPU */
	setpriority(PRIO_PROCESS, gettid(), STAGE_NICE);
	atomic_store(&s->tid, err ? err : gettid());
	while (!err && !atomic_load_explicit(&s->stop, memory_order_relaxed)) {
		unsigned int n = 0;

		for (unsigned int i = 0; i < s->n; i++)
			n += xsk_queue_receive(&s->queues[i]);
		if (n)
			__atomic_fetch_add(&s->counts[s->cpu].frames, n, __ATOMIC_RELAXED);
		else
			poll(s->fds, s->n, IDLE_MS);
	}
	return NULL;
}

static bool is_zero_copy(const struct xsk_queue *q)
{
	struct xdp_options o = {};
	socklen_t len = sizeof(o);

	return !getsockopt(xsk_socket__fd(q->socket), SOL_XDP, XDP_OPTIONS, &o, &len) && o.flags & XDP_OPTIONS_ZEROCOPY;
}

/*
 * bind(2) returns only an errno. The driver's feature flags show whether the driver has no zero-copy at all, or refuses
 * it because of a setting.
 */
static int refuse_zero_copy(const struct netdev *nd, int err, struct diag *d)
{
	const char *driver = known(nd->driver);
	uint64_t features;

	if (!netdev_genl_xdp(nd->ifindex, &features) && features & XDP_ACT_XSK_ZEROCOPY)
		return diag_set(
			d, -EOPNOTSUPP,
			"%s: driver %s has zero-copy AF_XDP, but refuses it with its settings now: %s; use xsk:copy",
			nd->name, driver, strerror(-err));
	return diag_set(d, -EOPNOTSUPP, "%s: driver %s has no zero-copy AF_XDP in this kernel; use xsk:copy", nd->name,
			driver);
}

static int refuse(const struct netdev *nd, const char *kind, unsigned int queue, bool several, int err, struct diag *d)
{
	if (err == -EAFNOSUPPORT)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no AF_XDP sockets (CONFIG_XDP_SOCKETS)");
	if (err == -EBUSY)
		return diag_set(d, err, "%s: queue %u has an AF_XDP socket already", nd->name, queue);
	if (several && err == -EINVAL) /* a flag of bind(2) that the kernel does not know */
		return diag_set(d, -EOPNOTSUPP,
				"this kernel gives AF_XDP sockets no frames of several buffers (needs Linux 6.6); send "
				"frames of up to %d bytes",
				BUFFER_MOST - XDP_PACKET_HEADROOM);
	if (!strcmp(kind, "zero-copy"))
		return refuse_zero_copy(nd, err, d);
	return diag_set(d, err, "%s: cannot open an AF_XDP socket on queue %u: %s", nd->name, queue, strerror(-err));
}

static bool holds(__u32 buffer, uint32_t frame)
{
	return frame <= buffer - XDP_PACKET_HEADROOM;
}

/* The flags of bind(2). */
static __u16 flags_of(const struct run_variant *v, uint32_t longest)
{
	__u16 flags = holds(BUFFER_MOST, longest) ? 0 : XDP_USE_SG;

	if (!strcmp(v->target, "zero-copy"))
		return flags | XDP_ZEROCOPY;
	return !strcmp(v->target, "copy") || strcmp(v->mode, "native") != 0 ? flags | XDP_COPY : flags;
}

static int open_queues(struct socket_stage *s, const struct netdev *nd, int map_fd, const struct run_variant *v,
		       uint32_t longest, struct diag *d)
{
	unsigned int queues = netdev_rx_queues(nd->name);
	__u32 buffer = holds(BUFFER, longest) ? BUFFER : BUFFER_MOST;
	__u16 flags = flags_of(v, longest);
	int err;

	if (queues > STAGE_QUEUES)
		return diag_set(d, -EOPNOTSUPP, "%s has %u receive queues, more than %d; use fewer: ethtool -L %s",
				nd->name, queues, STAGE_QUEUES, nd->name);
	s->zero_copy = true;
	for (; s->n < queues; s->n++) {
		struct xsk_queue *q = &s->queues[s->n];

		err = xsk_queue_join(q, nd, s->n, flags, buffer, map_fd);
		if (err)
			return refuse(nd, v->target, s->n, flags & XDP_USE_SG, err, d);
		s->fds[s->n] = (struct pollfd){.fd = xsk_socket__fd(q->socket), .events = POLLIN};
		s->zero_copy = s->zero_copy && is_zero_copy(q);
	}
	return 0;
}

/* The counts are in a BPF map, so that the generator's program can read them. */
static int open_counts(struct socket_stage *s, struct diag *d)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	void *p;

	s->ncpus = cpu_possible();
	s->counts_fd =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "stage_counts", sizeof(__u32), sizeof(*s->counts), s->ncpus, &opts);
	if (s->counts_fd < 0)
		return diag_set(d, s->counts_fd, "cannot make a map for the counts: %s", strerror(-s->counts_fd));
	p = mmap(NULL, s->ncpus * sizeof(*s->counts), PROT_READ | PROT_WRITE, MAP_SHARED, s->counts_fd, 0);
	if (p == MAP_FAILED)
		return diag_set(d, -errno, "cannot map the counts: %s", strerror(errno));
	s->counts = p;
	return 0;
}

/* The thread blocks all signals: only the main thread shall receive them. */
static int start_thread(struct socket_stage *s)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&s->thread, NULL, receive_main, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err;
	s->running = true;
	while (!atomic_load(&s->tid))
		sleep_until_ns(now_ns() + 100000);
	err = atomic_load(&s->tid);
	return err < 0 ? err : -pthread_getcpuclockid(s->thread, &s->clock);
}

int socket_stage_open(struct socket_stage **out, const struct netdev *nd, const struct run_variant *v, int map_fd,
		      uint32_t longest, struct diag *d)
{
	struct socket_stage *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, "no memory");
	s->cpu = v->stage_cpu;
	err = open_counts(s, d);
	if (!err)
		err = open_queues(s, nd, map_fd, v, longest, d);
	if (!err) {
		err = start_thread(s);
		if (err)
			diag_set(d, err, "cannot start the receiving thread on CPU %d: %s", s->cpu, strerror(-err));
	}
	if (err)
		socket_stage_close(s);
	else
		*out = s;
	return err;
}

uint64_t socket_stage_frames(const struct socket_stage *s)
{
	return __atomic_load_n(&s->counts[s->cpu].frames, __ATOMIC_RELAXED);
}

/*
 * Does not depend on the thread: the kernel moves the receive ring's producer index in the same poll that redirected
 * the frame.
 */
bool socket_stage_reached(const struct socket_stage *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (__atomic_load_n(s->queues[i].rx.producer, __ATOMIC_RELAXED))
			return true;
	return socket_stage_frames(s) > 0; /* a producer index returns to 0 after 2^32 frames */
}

int64_t socket_stage_dropped(const struct socket_stage *s)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < s->n; i++) {
		int64_t n = xsk_queue_dropped(&s->queues[i]);

		if (n < 0)
			return -1;
		sum += n;
	}
	return sum;
}

/* Exact at any moment: a thread's CPU clock is always up to date. */
bool socket_stage_busy_ns(const struct socket_stage *s, uint64_t *ns)
{
	struct timespec ts;

	if (clock_gettime(s->clock, &ts))
		return false;
	*ns = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	return true;
}

bool socket_stage_zero_copy(const struct socket_stage *s)
{
	return s->zero_copy;
}

unsigned int socket_stage_queues(const struct socket_stage *s)
{
	return s->n;
}

int socket_stage_counts_fd(const struct socket_stage *s)
{
	return s->counts_fd;
}

pid_t socket_stage_tid(const struct socket_stage *s)
{
	return atomic_load(&s->tid);
}

void socket_stage_close(struct socket_stage *s)
{
	if (!s)
		return;
	if (s->running) {
		atomic_store(&s->stop, true);
		pthread_join(s->thread, NULL);
	}
	for (unsigned int i = 0; i < s->n; i++)
		xsk_queue_close(&s->queues[i]);
	if (s->counts)
		munmap(s->counts, s->ncpus * sizeof(*s->counts));
	if (s->counts_fd >= 0)
		close(s->counts_fd);
	free(s);
}
