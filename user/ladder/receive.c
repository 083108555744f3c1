// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "user/ladder/ladder.h"
#include "bpf/readers.skel.h"

#define READER_BLOCKS   64 /* of a packet socket's ring */
#define READER_BLOCK    (64 * 1024)
#define READER_BUFFERS  256 /* of io_uring; a power of two */
#define READER_GRO_MOST 65536

/* ---- a UDP socket, by system calls ---------------------------------------------------------------------------- */

#define SOCKET_ROOM (32 << 20) /* a frame of 60 bytes takes a page; the generator's window is far smaller */

static int reader_udp_refuse(const char *what, struct diag *d)
{
	return diag_set(d, -errno, "cannot %s: %s", what, strerror(errno));
}

static int reader_open_udp(struct reader *r, struct diag *d)
{
	const struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(LAYER_PORT)};
	const struct timeval idle = {.tv_usec = READER_IDLE_MS * 1000};
	const int room = SOCKET_ROOM, on = 1;

	r->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (r->fd < 0)
		return reader_udp_refuse("open a UDP socket", d);
	if (setsockopt(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle)))
		return reader_udp_refuse("set up a UDP socket", d);
	if (bind(r->fd, (const struct sockaddr *)&port, sizeof(port)))
		return reader_udp_refuse("bind to the frames' port", d);
	r->bytes = (size_t)READER_BUFFERS * READER_BYTES;
	r->memory = memory_map(r->bytes);
	if (!r->memory)
		return reader_udp_refuse("get memory for datagrams", d);
	if (r->o.layer == RUN_LAYER_UDP_GRO && setsockopt(r->fd, SOL_UDP, UDP_GRO, &on, sizeof(on)))
		return reader_udp_refuse("switch UDP_GRO on", d);
	return 0;
}

/* What recv(2) and its kin say when nothing came. */
static int nothing(void)
{
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

static int reader_read_recv(struct reader *r)
{
	return recv(r->fd, r->memory, READER_BYTES, 0) < 0 ? nothing() : 1;
}

static int reader_begin_recvmmsg(struct reader *r)
{
	for (size_t i = 0; i < READER_BATCH; i++) {
		r->pieces[i] = (struct iovec){r->memory + i * READER_BYTES, READER_BYTES};
		r->messages[i].msg_hdr = (struct msghdr){.msg_iov = &r->pieces[i], .msg_iovlen = 1};
	}
	return 0;
}

static int reader_read_recvmmsg(struct reader *r)
{
	int n = recvmmsg(r->fd, r->messages, READER_BATCH, MSG_WAITFORONE, NULL);

	return n < 0 ? nothing() : n;
}

/* The control message holds the length of one datagram; without it there is only one. */
static int reader_read_gro(struct reader *r)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec piece = {r->memory, READER_GRO_MOST};
	struct msghdr m = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(r->fd, &m, 0);
	int each = 0;

	if (n < 0)
		return nothing();
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO)
			memcpy(&each, CMSG_DATA(c), sizeof(each));
	return each > 0 ? (int)((n + each - 1) / each) : 1;
}

/* ---- io_uring ------------------------------------------------------------------------------------------------ */

#define GROUP         1
#define BUFFERS_BYTES (READER_BUFFERS * sizeof(struct io_uring_buf))

static int reader_begin_uring(struct reader *r)
{
	struct io_uring_params p = {.flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER |
					     IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
				    .cq_entries = 4 * READER_BUFFERS};
	struct io_uring_buf_reg group = {.ring_entries = READER_BUFFERS, .bgid = GROUP};
	int err = io_uring_queue_init_params(READER_BATCH, &r->uring, &p);
	void *buffers;

	if (err == -EINVAL) { /* Linux 6.0 has no DEFER_TASKRUN */
		p = (struct io_uring_params){.flags = IORING_SETUP_CQSIZE, .cq_entries = 4 * READER_BUFFERS};
		err = io_uring_queue_init_params(READER_BATCH, &r->uring, &p);
	}
	if (err)
		return err;
	r->has_uring = true;
	buffers = mmap(NULL, BUFFERS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffers == MAP_FAILED)
		return -errno;
	r->buffers = buffers;
	io_uring_buf_ring_init(r->buffers);
	for (unsigned int i = 0; i < READER_BUFFERS; i++)
		io_uring_buf_ring_add(r->buffers, r->memory + (size_t)i * READER_BYTES, READER_BYTES, (unsigned short)i,
				      READER_BUFFERS - 1, (int)i);
	io_uring_buf_ring_advance(r->buffers, READER_BUFFERS);
	group.ring_addr = (unsigned long)r->buffers;
	return io_uring_register_buf_ring(&r->uring, &group, 0);
}

static int reader_read_uring(struct reader *r)
{
	struct __kernel_timespec idle = {.tv_nsec = READER_IDLE_MS * 1000000LL};
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned int head, n = 0, frames = 0;
	int err, failed = 0;

	if (!r->armed) { /* the request ends when the buffers have run out */
		sqe = io_uring_get_sqe(&r->uring);
		if (!sqe)
			return -EBUSY;
		io_uring_prep_recv_multishot(sqe, r->fd, NULL, 0, 0);
		sqe->flags |= IOSQE_BUFFER_SELECT;
		sqe->buf_group = GROUP;
		r->armed = true;
	}
	err = io_uring_submit_and_wait_timeout(&r->uring, &cqe, 1, &idle, NULL);
	if (err < 0)
		return err == -ETIME || err == -EINTR ? 0 : err;
	io_uring_for_each_cqe(&r->uring, head, cqe)
	{
		unsigned int number = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

		n++;
		if (!(cqe->flags & IORING_CQE_F_MORE))
			r->armed = false;
		if (cqe->res < 0 && cqe->res != -ENOBUFS)
			failed = cqe->res;
		if (cqe->flags & IORING_CQE_F_BUFFER)
			io_uring_buf_ring_add(r->buffers, r->memory + (size_t)number * READER_BYTES, READER_BYTES,
					      (unsigned short)number, READER_BUFFERS - 1, (int)frames++);
	}
	io_uring_buf_ring_advance(r->buffers, (int)frames);
	io_uring_cq_advance(&r->uring, n);
	return failed ? failed : (int)frames;
}

/* ---- a packet socket's ring ---------------------------------------------------------------------------------- */

/* TPACKET_V3 puts a head before each frame, and aligns the frame's link header as an IP header needs it. */
#define RING_FRAME_MOST (GEN_MAX_BYTES + TPACKET3_HDRLEN + 4 * TPACKET_ALIGNMENT)
_Static_assert(READER_BLOCK / RING_FRAME_MOST * (READER_BLOCKS - 1) >= READER_RING_WINDOW,
	       "the ring would overflow before the generator stops");

static int reader_open_ring(struct reader *r, struct diag *d)
{
	const struct sockaddr_ll device = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = r->o.nd->ifindex};
	const struct tpacket_req3 ring = {
		.tp_block_size = READER_BLOCK,
		.tp_block_nr = READER_BLOCKS,
		.tp_frame_size = TPACKET_ALIGNMENT << 7,
		.tp_frame_nr = READER_BLOCK / (TPACKET_ALIGNMENT << 7) * READER_BLOCKS,
		.tp_retire_blk_tov = 1, /* ms; the last frames of a turn wait for so long */
	};
	const int version = TPACKET_V3;
	void *p;

	r->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (r->fd < 0)
		return diag_set(d, -errno, "cannot open a packet socket: %s", strerror(errno));
	r->bytes = (size_t)READER_BLOCKS * READER_BLOCK;
	if (setsockopt(r->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)) ||
	    (p = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0)) == MAP_FAILED)
		return diag_set(d, -errno, "cannot make a packet socket's ring: %s", strerror(errno));
	r->memory = p;
	if (bind(r->fd, (const struct sockaddr *)&device, sizeof(device)))
		return diag_set(d, -errno, "cannot bind a packet socket: %s", strerror(errno));
	return 0;
}

static int reader_read_ring(struct reader *r)
{
	struct tpacket_block_desc *block = (void *)(r->memory + (size_t)r->block * READER_BLOCK);
	struct pollfd readable = {.fd = r->fd, .events = POLLIN};
	__u32 *status = &block->hdr.bh1.block_status;
	const char *at;
	int n;

	if (!(__atomic_load_n(status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
		return poll(&readable, 1, READER_IDLE_MS) < 0 && errno != EINTR ? -errno : 0;
	at = (const char *)block + block->hdr.bh1.offset_to_first_pkt;
	n = (int)block->hdr.bh1.num_pkts;
	for (int i = 0; i < n; i++) { /* looked at, as a program would that has a use for the frames */
		const struct tpacket3_hdr *head = (const void *)at;

		(void)*(const volatile char *)(at + head->tp_mac);
		at += head->tp_next_offset;
	}
	__atomic_store_n(status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	r->block = (r->block + 1) % READER_BLOCKS;
	return n;
}

/* ---- what an XDP program redirects: to an AF_XDP socket, to the thread of a cpumap, which runs a program -------- */

static int reader_xdp_load(struct reader *r, struct diag *d)
{
	bool cpumap = r->o.layer == RUN_LAYER_CPUMAP;

	r->skel = readers_bpf__open();
	if (!r->skel)
		return diag_set(d, -errno, "cannot open its programs: %s", strerror(errno));
	r->skel->rodata->cfg_cpu = (__u32)r->o.cpu;
	r->skel->rodata->cfg_count_cpu = (__u32)r->o.count_cpu;
	bench_say_frags(r->skel->progs.xdp_to_cpu, r->o.nd);
	bench_say_frags(r->skel->progs.second_program, r->o.nd);
	bench_say_frags(r->skel->progs.xdp_to_socket, r->o.nd);
	bpf_map__set_autocreate(r->skel->maps.to_cpu, cpumap);
	bpf_map__set_autocreate(r->skel->maps.to_socket, !cpumap);
	if (bpf_map__set_max_entries(r->skel->maps.to_cpu, (__u32)cpu_possible()) ||
	    bpf_map__reuse_fd(r->skel->maps.read_counts, r->counts_fd))
		return diag_set(d, -EOPNOTSUPP, "cannot make its maps: %s", strerror(errno));
	return kernel_load(r->skel->skeleton,
			   (struct bpf_program *[]){cpumap ? r->skel->progs.xdp_to_cpu : r->skel->progs.xdp_to_socket,
						    cpumap ? r->skel->progs.second_program : NULL, NULL},
			   "its program", d);
}

static int reader_open_xsk(struct reader *r, struct diag *d)
{
	int err = reader_xdp_load(r, d);

	if (err)
		return err;
	err = xsk_queue_join(&r->queue, r->o.nd, 0, XDP_COPY, &r->o.umem, bpf_map__fd(r->skel->maps.to_socket));
	if (err)
		return diag_set(d, err, "cannot open an AF_XDP socket at %s: %s", r->o.nd->name,
				xsk_queue_error(&r->o.umem, err));
	return kernel_attach_xdp(&r->link_fd, r->skel->progs.xdp_to_socket, r->o.nd, XDP_FLAGS_DRV_MODE, d);
}

static int reader_read_xsk(struct reader *r)
{
	struct pollfd readable = {.fd = xsk_socket__fd(r->queue.socket), .events = POLLIN};
	unsigned int n = xsk_queue_receive(&r->queue);

	if (n)
		return (int)n;
	return poll(&readable, 1, READER_IDLE_MS) < 0 && errno != EINTR ? -errno : 0;
}

static int reader_open_cpumap(struct reader *r, struct diag *d)
{
	struct bpf_cpumap_val value = {.qsize = CPUMAP_QUEUE};
	struct bpf_map_info info = {};
	__u32 key = (__u32)r->o.cpu, len = sizeof(info);
	int err = reader_xdp_load(r, d), map;
	pid_t tid;

	if (err)
		return err;
	map = bpf_map__fd(r->skel->maps.to_cpu);
	value.bpf_prog.fd = bpf_program__fd(r->skel->progs.second_program);
	if (bpf_map_update_elem(map, &key, &value, 0) || bpf_obj_get_info_by_fd(map, &info, &len))
		return diag_set(d, -errno, "cannot redirect to CPU %d: %s", r->o.cpu, strerror(errno));
	tid = cpumap_kthread(r->o.cpu, info.id);
	if (tid < 0)
		return diag_set(d, -ESRCH, "the cpumap's thread on CPU %d did not appear", r->o.cpu);
	err = -clock_getcpuclockid(tid, &r->worker.clock);
	if (err)
		return diag_set(d, err, "the time of the cpumap's thread cannot be read: %s", strerror(-err));
	setpriority(PRIO_PROCESS, (id_t)tid, READER_NICE);
	atomic_store(&r->worker.tid, tid);
	return kernel_attach_xdp(&r->link_fd, r->skel->progs.xdp_to_cpu, r->o.nd, XDP_FLAGS_DRV_MODE, d);
}

/* ---- the layers that read -------------------------------------------------------------------------------------- */

const struct reader_kind reader_kinds[RUN_LAYERS] = {
	[RUN_LAYER_UDP_RECV] = {.udp = true,
				.words = "recv, a datagram each",
				.open = reader_open_udp,
				.read = reader_read_recv},
	[RUN_LAYER_UDP_RECVMMSG] = {.udp = true,
				    .words = "recvmmsg, up to 64 datagrams each",
				    .open = reader_open_udp,
				    .begin = reader_begin_recvmmsg,
				    .read = reader_read_recvmmsg},
	[RUN_LAYER_UDP_GRO] = {.udp = true,
			       .words = "recvmsg with UDP_GRO",
			       .open = reader_open_udp,
			       .read = reader_read_gro},
	[RUN_LAYER_UDP_URING] = {.udp = true,
				 .words = "io_uring, one request for all datagrams",
				 .open = reader_open_udp,
				 .begin = reader_begin_uring,
				 .read = reader_read_uring},
	[RUN_LAYER_PACKET_RING] = {.words = "a packet socket's ring (TPACKET_V3)",
				   .open = reader_open_ring,
				   .read = reader_read_ring},
	[RUN_LAYER_XSK_COPY] = {.words = "an AF_XDP socket's ring (copy, poll)",
				.open = reader_open_xsk,
				.read = reader_read_xsk},
	[RUN_LAYER_CPUMAP] = {.words = "the cpumap's thread, which runs a program", .open = reader_open_cpumap},
};

static void *read_main(void *arg)
{
	struct reader *r = arg;
	int err = worker_enter(r->o.cpu), n;

	if (!err && r->kind->begin)
		err = r->kind->begin(r);
	atomic_store(&r->worker.tid, err ? err : gettid());
	while (!err && !atomic_load_explicit(&r->worker.stop, memory_order_relaxed)) {
		n = r->kind->read(r);
		if (n > 0)
			__atomic_fetch_add(&r->counts[r->o.count_cpu].verdicts[XDP_DROP], n, __ATOMIC_RELEASE);
		else if (n < 0)
			err = n;
	}
	if (err)
		atomic_store(&r->failed, err);
	return NULL;
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
	struct readers_bpf *skel;
	void *p = MAP_FAILED;
	int err = 0;

	if (!r)
		return diag_set(d, -ENOMEM, "no memory");
	r->o = *o;
	r->kind = &reader_kinds[o->layer];
	r->fd = r->link_fd = -1;
	/* Counts are in a BPF map with types (turns.bpf.c says why), so that the generator's program can read them. */
	skel = readers_bpf__open();
	r->counts_fd = -errno;
	if (skel) {
		bpf_map__set_autocreate(skel->maps.to_cpu, false);
		bpf_map__set_autocreate(skel->maps.to_socket, false);
		r->counts_fd = kernel_load(skel->skeleton, (struct bpf_program *[]){NULL}, "a map", NULL);
		if (!r->counts_fd)
			r->counts_fd = fcntl(bpf_map__fd(skel->maps.read_counts), F_DUPFD_CLOEXEC, 0);
		readers_bpf__destroy(skel);
	}
	if (r->counts_fd < 0)
		err = diag_set(d, r->counts_fd, "cannot make a map for the counts: %s", strerror(-r->counts_fd));
	else
		p = mmap(NULL, sizeof(struct bench_counts), PROT_READ | PROT_WRITE, MAP_SHARED, r->counts_fd, 0);
	if (!err && p == MAP_FAILED)
		err = diag_set(d, -errno, "cannot map the counts: %s", strerror(errno));
	if (!err) {
		r->counts = p;
		err = kernel_lacks(r->kind->open(r, d));
	}
	if (!err && r->kind->read) {
		err = worker_start(&r->worker, read_main, r);
		if (err)
			err = diag_set(d, kernel_lacks(err), "cannot read by %s on CPU %d: %s", r->kind->words, o->cpu,
				       strerror(-err));
	}
	if (err)
		reader_close(r);
	else
		*out = r;
	return err;
}

int reader_check(const struct reader *r, struct diag *d)
{
	int err = atomic_load(&r->failed);

	return err ? diag_set(d, err, "reading by %s failed: %s", r->kind->words, strerror(-err)) : 0;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	worker_stop(&r->worker);
	if (r->has_uring)
		io_uring_queue_exit(&r->uring);
	if (r->buffers)
		munmap(r->buffers, BUFFERS_BYTES);
	attached_end(&r->link_fd);
	xsk_queue_close(&r->queue);
	readers_bpf__destroy(r->skel);
	fd_close(r->fd);
	if (r->memory)
		munmap(r->memory, r->bytes);
	if (r->counts)
		munmap(r->counts, sizeof(struct bench_counts));
	fd_close(r->counts_fd);
	free(r);
}
