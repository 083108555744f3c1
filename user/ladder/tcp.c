// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <bpf/libbpf.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include "user/bed/bed.h"
#include "user/ladder/ladder.h"
#include "bpf/senders.skel.h"

/*
 * TCP segments that arrive at this machine, and relays that send them on
 *
 *     far namespace:  src --> xzfarN == veth ==> xznearN --> in: relay      a reader ends here
 *                     dst <-- xzfarN <== veth == xznearN <-- out: relay     a relay sends on
 *
 * A call feeds a burst into src, waits until all of it is at in, reads it or relays it, and waits until all of it is
 * at dst. Both devices are polled by NAPI kthreads on the caller's CPU, while the caller waits. What counts is the
 * caller's time in the relay, and the time of the kthread of xznearN: the softirq side, which receives the data and
 * the ACKs.
 *
 * law:   what arrived is what was fed, byte for byte, by a digest of both; otherwise sending fails with -EBADMSG. The
 *        devices of a killed process go with their namespaces
 */

#define SEGMENT   RUN_TCP_BYTES          /* of data in a frame of 1514 bytes, with TCP's timestamps */
#define TCP_BURST 64                     /* segments */
#define TCP_CHUNK ((size_t)16 * SEGMENT) /* of a relay's buffer */

struct sender_tcp {
	int far_fd;            /* of the far network namespace; -1: none */
	int src, in, out, dst; /* sockets; -1: none */
	int pipe[2];
	struct io_uring uring;
	bool has_uring;
	char *fed, *got; /* a burst each */
	char buffer[TCP_BURST * SEGMENT];
	uint64_t bursts, fed_digest, got_digest;
	uint64_t relay_ns;
	clockid_t poller_clock; /* of the NAPI kthread of xznearN */
	char near_name[16], far_name[16];
};

/*
 * All of these bytes from in to out, if there is an out. The data is there and the other side has room, so no call
 * waits.
 */
static int relay_by_calls(struct sender *s, size_t bytes)
{
	bool splices = s->o.layer == RUN_LAYER_TCP_SPLICE, reads = s->o.layer < RUN_LAYER_TCP_SPLICE;
	struct sender_tcp *t = s->tcp;

	for (size_t at = 0; at < bytes;) {
		char *to = reads ? t->got + at : t->buffer;
		size_t most = bytes - at < TCP_CHUNK ? bytes - at : TCP_CHUNK;
		ssize_t n = splices ? splice(t->in, NULL, t->pipe[1], NULL, bytes - at, SPLICE_F_MOVE)
				    : read(t->in, to, most);

		s->counts.calls++;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		at += (size_t)n;
		for (size_t left = reads ? 0 : (size_t)n; left; left -= (size_t)n, to += n) {
			n = splices ? splice(t->pipe[0], NULL, t->out, NULL, left, SPLICE_F_MOVE)
				    : write(t->out, to, left);
			s->counts.calls++;
			if (n <= 0)
				return n ? -errno : -EPIPE;
		}
	}
	return 0;
}

/* A chain: receive a chunk, send it, receive the next. One call hands the whole chain over and returns at its end. */
static int relay_by_uring(struct sender *s, size_t bytes)
{
	struct io_uring *ring = &s->tcp->uring;
	unsigned int n = 0;

	for (size_t at = 0; at < bytes; n += 2) {
		size_t now = bytes - at < TCP_CHUNK ? bytes - at : TCP_CHUNK;
		struct io_uring_sqe *in = io_uring_get_sqe(ring), *out = io_uring_get_sqe(ring);

		if (!in || !out)
			return -EBUSY;
		io_uring_prep_recv(in, s->tcp->in, s->tcp->buffer + at, now, MSG_WAITALL);
		io_uring_prep_send(out, s->tcp->out, s->tcp->buffer + at, now, MSG_WAITALL);
		in->flags |= IOSQE_IO_LINK;
		at += now;
		out->flags |= at < bytes ? IOSQE_IO_LINK : 0;
	}
	s->counts.calls++;
	if (io_uring_submit_and_wait(ring, n) < 0)
		return -EIO;
	for (size_t moved = 0; n; n--) {
		struct io_uring_cqe *cqe;
		int got;

		if (io_uring_peek_cqe(ring, &cqe))
			return -EIO;
		got = cqe->res;
		io_uring_cqe_seen(ring, cqe);
		moved += got > 0 ? (size_t)got : 0;
		if (got <= 0)
			return got ? got : -EPIPE;
		if (n == 1 && moved != 2 * bytes)
			return -EIO;
	}
	return 0;
}

#define NEAR_DEV    "xznear%s"
#define FAR_DEV     "xzfar%s"
#define NEAR_IP     "198.18.1.1"
#define FAR_IP      "198.18.1.2"
#define ROOM        (4 << 20)
#define YIELDS      64 /* then the thread sleeps, as the CPU may have other tasks */
#define SLEEP_NS    50000
#define PATIENCE_NS 2000000000ULL
#define RING_SLOTS  64

/* ---- devices ------------------------------------------------------------------------------------------------- */

/* A veth whose sender has TSO is not polled by NAPI, and gets no segments, but 64 KiB at once. */
static int sender_tcp_open_device(const char *name, const char *address, int cpu, struct diag *d)
{
	struct netdev nd;
	int err = netdev_ethtool(name, &(struct ethtool_value){.cmd = ETHTOOL_STSO});

	if (err)
		return diag_set(d, err, "cannot switch TSO off for %s: %s", name, strerror(-err));
	err = rig_open_receiver(name, d) ?: netdev_open(&nd, name, d) ?: rig_change_address(&nd, address, 30, true, d);
	return err ? err : rig_thread_politely(name, cpu, d);
}

/* NAPI kthreads are found by the names of their devices, so each arm's devices have the arm's number. */
static int open_devices(struct sender *s, struct diag *d)
{
	const char *arm = s->o.nd->name, *number = arm + strcspn(arm, "0123456789");
	unsigned int mode = s->o.layer == RUN_LAYER_TCP_PASS ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
	struct sender_tcp *t = s->tcp;
	netns_scope int saved = -1;
	struct netdev nd;
	int err;

	snprintf(t->near_name, sizeof(t->near_name), NEAR_DEV, number);
	snprintf(t->far_name, sizeof(t->far_name), FAR_DEV, number);
	err = netns_make(&t->far_fd, d);
	if (!err)
		err = rig_make_pair(t->near_name, t->far_name, t->far_fd, RIG_VETH, 0, d)
			      ?: netns_visit_fd(t->far_fd, &saved, d);
	if (err)
		return err;
	rig_quiet_ipv6();
	err = sender_tcp_open_device(t->far_name, FAR_IP, s->o.cpu, d);
	netns_back(&saved);
	if (!err && (s->o.layer == RUN_LAYER_TCP_PASS || s->o.layer == RUN_LAYER_TCP_PASS_SKB)) {
		s->skel = senders_bpf__open();
		if (!s->skel)
			return diag_set(d, -errno, "cannot open its program: %s", strerror(errno));
		err = kernel_load(s->skel->skeleton, (struct bpf_program *[]){s->skel->progs.pass, NULL}, "its program",
				  d)
			      ?: netdev_open(&nd, t->near_name, d)
			      ?: kernel_attach_xdp(&s->link_fd, s->skel->progs.pass, &nd, mode, d);
	}
	if (!err)
		err = sender_tcp_open_device(t->near_name, NEAR_IP, s->o.cpu, d);
	if (err)
		return err;
	s->poller = napi_kthread(t->near_name);
	if (s->poller <= 0 || clock_getcpuclockid(s->poller, &t->poller_clock))
		return diag_set(d, -ESRCH, "the time of the NAPI kthread of %s cannot be read", t->near_name);
	return 0;
}

/* ---- connections --------------------------------------------------------------------------------------------- */

static int tcp_socket_in(int netns_fd, struct diag *d)
{
	netns_scope int saved = -1;
	int err = netns_fd < 0 ? 0 : netns_visit_fd(netns_fd, &saved, d);

	if (err)
		return err;
	const int room = ROOM, on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* A socket that connects in one namespace (-1: this one), and the one that it meets in another. */
static int meet(int from_netns, int *from, int to_netns, int *to, const char *ip, struct diag *d)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int listener = tcp_socket_in(to_netns, d), err = 0;

	*from = tcp_socket_in(from_netns, d);
	inet_pton(AF_INET, ip, &at.sin_addr);
	if (listener < 0 || *from < 0 || bind(listener, (struct sockaddr *)&at, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &len) || connect(*from, (struct sockaddr *)&at, len))
		err = sender_refuse("connect over TCP", d);
	if (!err) {
		*to = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (*to < 0 || fcntl(*from, F_SETFL, O_NONBLOCK))
			err = sender_refuse("accept a connection", d);
	}
	fd_close(listener);
	return err;
}

static int sender_open_tcp(struct sender *s, struct diag *d)
{
	struct sender_tcp *t = s->tcp = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return diag_set(d, -ENOMEM, "no memory");
	t->far_fd = t->src = t->in = t->out = t->dst = t->pipe[0] = t->pipe[1] = -1;
	t->fed = calloc(TCP_BURST, SEGMENT);
	t->got = calloc(TCP_BURST, SEGMENT);
	if (!t->fed || !t->got)
		return diag_set(d, -ENOMEM, "no memory");
	err = open_devices(s, d) ?: meet(t->far_fd, &t->src, -1, &t->in, NEAR_IP, d);
	if (!err && s->o.layer >= RUN_LAYER_TCP_SPLICE)
		err = meet(-1, &t->out, t->far_fd, &t->dst, FAR_IP, d);
	if (err)
		return err;
	if (s->o.layer == RUN_LAYER_TCP_SPLICE &&
	    (pipe2(t->pipe, O_CLOEXEC | O_NONBLOCK) || fcntl(t->pipe[1], F_SETPIPE_SZ, 1 << 20) < 0))
		return sender_refuse("make a pipe", d);
	if (s->o.layer == RUN_LAYER_TCP_URING) {
		err = io_uring_queue_init(RING_SLOTS, &t->uring, 0);
		t->has_uring = !err;
	}
	return err ? diag_set(d, -EOPNOTSUPP, "this kernel has no io_uring, or forbids it: %s", strerror(-err)) : 0;
}

static void sender_close_tcp(struct sender *s)
{
	struct sender_tcp *t = s->tcp;
	const int fds[] = {t ? t->src : -1,     t ? t->in : -1,      t ? t->out : -1,    t ? t->dst : -1,
			   t ? t->pipe[0] : -1, t ? t->pipe[1] : -1, t ? t->far_fd : -1, s->link_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		fd_close(fds[i]);
	senders_bpf__destroy(s->skel);
	if (!t)
		return;
	if (t->has_uring)
		io_uring_queue_exit(&t->uring);
	rig_delete_link(t->near_name); /* the kernel deletes its peer too */
	free(t->fed);
	free(t->got);
	free(t);
}

/* ---- a burst ------------------------------------------------------------------------------------------------- */

/* The kthreads get the CPU. false: nothing has changed for too long. */
static bool give_way(int *times, struct patience *p)
{
	if (++*times % YIELDS)
		sched_yield();
	else
		sleep_until_ns(now_ns() + SLEEP_NS);
	return !patience_ends(p);
}

static uint64_t digest(uint64_t h, const char *data, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, data + at, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	return h;
}

/* Waits until all of it is where the relay begins. */
static int feed(struct sender_tcp *t, size_t bytes)
{
	struct patience patience = patience_of(PATIENCE_NS);
	size_t at = 0;
	int there = 0, times = 0;

	while (at < bytes || (size_t)there < bytes) {
		ssize_t n = at < bytes ? write(t->src, t->fed + at, bytes - at) : 0;

		if (n < 0 && !sender_no_room())
			return -errno;
		at += n > 0 ? (size_t)n : 0;
		if (!give_way(&times, &patience))
			return -ETIMEDOUT;
		if (ioctl(t->in, SIOCINQ, &there))
			return -errno;
	}
	return 0;
}

static int drain(struct sender_tcp *t, size_t bytes)
{
	struct patience patience = patience_of(PATIENCE_NS);
	int times = 0;

	for (size_t at = 0; at < bytes;) {
		ssize_t n = read(t->dst, t->got + at, bytes - at);

		if (!n || (n < 0 && !sender_no_room()))
			return n ? -errno : -EPIPE;
		at += n > 0 ? (size_t)n : 0;
		if (n < 0 && !give_way(&times, &patience))
			return -ETIMEDOUT;
	}
	return 0;
}

/* In bursts. From the begin of an interval that away() gets until its end the thread did not send. */
static int sender_send_tcp(struct sender *s, unsigned int n)
{
	struct sender_tcp *t = s->tcp;
	int err = 0;

	for (unsigned int sent = 0, segments; sent < n && !err; sent += segments) {
		uint64_t from = now_ns(), clock;
		size_t bytes;

		segments = n - sent < TCP_BURST ? n - sent : TCP_BURST;
		bytes = (size_t)segments * SEGMENT;
		for (unsigned int i = 0; i < segments; i++) { /* each segment begins with a number that no other has */
			uint64_t number = t->bursts * TCP_BURST + i;

			memcpy(t->fed + (size_t)i * SEGMENT, &number, sizeof(number));
		}
		t->bursts++;
		t->fed_digest = digest(t->fed_digest, t->fed, bytes);
		err = feed(t, bytes);
		if (s->away)
			s->away(s->away_arg, from);
		clock = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (!err)
			err = s->o.layer == RUN_LAYER_TCP_URING ? relay_by_uring(s, bytes) : relay_by_calls(s, bytes);
		t->relay_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - clock;
		from = now_ns();
		if (!err && s->o.layer >= RUN_LAYER_TCP_SPLICE)
			err = drain(t, bytes);
		t->got_digest = digest(t->got_digest, t->got, bytes);
		if (s->away)
			s->away(s->away_arg, from);
		if (!err && t->got_digest != t->fed_digest)
			err = -EBADMSG;
		s->counts.arrived += err ? 0 : segments;
	}
	return err ? err : (int)n;
}

static uint64_t sender_tcp_ns(const struct sender *s)
{
	return s->tcp->relay_ns + clock_ns(s->tcp->poller_clock);
}

const struct sender_kind sender_tcp = {.open = sender_open_tcp,
				       .send = sender_send_tcp,
				       .own_ns = sender_tcp_ns,
				       .close = sender_close_tcp,
				       .awaits = true};
