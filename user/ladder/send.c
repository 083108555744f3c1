// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/errqueue.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/mman.h>
#include "user/ladder/ladder.h"
#include "bpf/senders.skel.h"

/* ---- UDP datagrams -------------------------------------------------------------------------------------------- */

#define HEADERS       42 /* Ethernet, IPv4, UDP */
#define SOCKET_ROOM   (32 << 20)
#define GSO_MOST      65000 /* bytes of a buffer */
#define NOTIFICATIONS 16    /* read at a time */

static int sender_open_udp(struct sender *s, struct diag *d)
{
	struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(LAYER_PORT)};
	const int room = SOCKET_ROOM;

	s->bytes = SENDER_BATCH * s->payload;
	s->memory = memory_map(s->bytes);
	if (!s->memory)
		return sender_refuse("get memory for datagrams", d);
	inet_pton(AF_INET, GEN_SRC_IP, &peer.sin_addr);
	s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    connect(s->fd, (const struct sockaddr *)&peer, sizeof(peer)))
		return sender_refuse("set up a UDP socket", d);
	s->piece = (struct iovec){s->memory, s->payload};
	s->message = (struct msghdr){.msg_iov = &s->piece, .msg_iovlen = 1};
	for (size_t i = 0; i < SENDER_BATCH; i++)
		s->messages[i].msg_hdr = s->message;
	return 0;
}

/* What a loop of calls returns that ended with an error after so many frames. */
static int ended(unsigned int sent)
{
	return sent || sender_no_room() ? (int)sent : -errno;
}

/* UDP and AF_PACKET */
static int sender_send_each(struct sender *s, unsigned int n)
{
	bool udp = s->o.layer == RUN_LAYER_TX_SEND;
	const char *what = udp ? s->memory : s->frame;
	size_t bytes = udp ? s->payload : (size_t)s->o.bytes;

	for (unsigned int i = 0; i < n; i++) {
		s->counts.calls++;
		if (send(s->fd, what, bytes, 0) < 0)
			return ended(i);
	}
	return (int)n;
}

static int sender_sendmsg(struct sender *s, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		s->counts.calls++;
		if (sendmsg(s->fd, &s->message, 0) < 0)
			return ended(i);
	}
	return (int)n;
}

static int sender_sendmmsg(struct sender *s, unsigned int n)
{
	unsigned int sent = 0;

	while (sent < n) {
		unsigned int most = n - sent < SENDER_BATCH ? n - sent : SENDER_BATCH;
		int got = sendmmsg(s->fd, s->messages, most, 0);

		s->counts.calls++;
		if (got < 0)
			return ended(sent);
		sent += (unsigned int)got;
	}
	return (int)n;
}

/* One notification stands for all calls from ee_info to ee_data (Documentation/networking/msg_zerocopy.rst). */
static void take_notification(struct sender *s, const struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR((struct msghdr *)m, c)) {
		struct sock_extended_err e;
		uint64_t calls;

		if (c->cmsg_level != SOL_IP || c->cmsg_type != IP_RECVERR)
			continue;
		memcpy(&e, CMSG_DATA(c), sizeof(e));
		if (e.ee_errno || e.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
			continue;
		calls = (uint64_t)(e.ee_data - e.ee_info) + 1;
		s->counts.completions += calls;
		if (e.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
			s->counts.copied += calls;
	}
}

static int sender_complete_zerocopy(struct sender *s)
{
	char control[NOTIFICATIONS][CMSG_SPACE(sizeof(struct sock_extended_err) + sizeof(struct sockaddr_in))];
	struct mmsghdr m[NOTIFICATIONS];
	int got = NOTIFICATIONS;

	while (s->counts.completions < s->counts.awaited && got == NOTIFICATIONS) {
		memset(m, 0, sizeof(m));
		for (int i = 0; i < NOTIFICATIONS; i++)
			m[i].msg_hdr = (struct msghdr){.msg_control = control[i], .msg_controllen = sizeof(control[i])};
		got = recvmmsg(s->fd, m, NOTIFICATIONS, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
		s->counts.calls++;
		if (got < 0)
			return sender_no_room() ? 0 : -errno;
		for (int i = 0; i < got; i++)
			take_notification(s, &m[i].msg_hdr);
	}
	return 0;
}

/* The kernel keeps a limited number of notifications, and refuses to send until they are read. */
static int sender_send_zerocopy(struct sender *s, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t before = s->counts.completions;
		ssize_t sent = send(s->fd, s->memory, s->payload, MSG_ZEROCOPY);

		s->counts.calls++;
		if (sent < 0 && errno == ENOBUFS && !sender_complete_zerocopy(s) && s->counts.completions > before) {
			i--; /* again */
			continue;
		}
		if (sent < 0)
			return ended(i);
		s->counts.awaited++;
	}
	return sender_complete_zerocopy(s) ?: (int)n;
}

static int sender_send_gso(struct sender *s, unsigned int n)
{
	unsigned int most = (unsigned int)(GSO_MOST / s->payload), sent = 0;

	if (most > SENDER_BATCH)
		most = SENDER_BATCH;
	while (sent < n) {
		unsigned int now = n - sent < most ? n - sent : most;

		s->piece.iov_len = now * s->payload;
		s->counts.calls++;
		if (sendmsg(s->fd, &s->message, 0) < 0)
			return ended(sent);
		sent += now;
	}
	return (int)n;
}

/* ---- whole frames: packet sockets, with and without a ring ------------------------------------------------------ */

#define SLOT_BYTES  ((size_t)4096)
#define BLOCK_BYTES (16 * SLOT_BYTES)
#define DATA_AT     (TPACKET2_HDRLEN - sizeof(struct sockaddr_ll)) /* in a slot of a ring for sending */
#define KICKS       64 /* calls for one batch; the kernel takes at least a frame in each */

/* Protocol 0: the socket receives nothing. */
static int sender_open_packet(struct sender *s, struct diag *d)
{
	const struct sockaddr_ll device = {.sll_family = AF_PACKET, .sll_ifindex = s->o.nd->ifindex};
	const int room = SOCKET_ROOM;

	s->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    bind(s->fd, (const struct sockaddr *)&device, sizeof(device)))
		return sender_refuse("set up a packet socket", d);
	return 0;
}

static struct tpacket2_hdr *slot(const struct sender *s, unsigned int number)
{
	return (void *)(s->memory + (size_t)(number % SENDER_SLOTS) * SLOT_BYTES);
}

static int sender_open_ring(struct sender *s, struct diag *d)
{
	const struct tpacket_req ring = {
		.tp_block_size = BLOCK_BYTES,
		.tp_block_nr = SENDER_SLOTS / (BLOCK_BYTES / SLOT_BYTES),
		.tp_frame_size = SLOT_BYTES,
		.tp_frame_nr = SENDER_SLOTS,
	};
	const int version = TPACKET_V2;
	int err = sender_open_packet(s, d);
	void *p;

	if (err)
		return err;
	if (setsockopt(s->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(s->fd, SOL_PACKET, PACKET_TX_RING, &ring, sizeof(ring)))
		return sender_refuse("make a packet socket's ring", d);
	s->bytes = (size_t)SENDER_SLOTS * SLOT_BYTES;
	p = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (p == MAP_FAILED)
		return sender_refuse("map a packet socket's ring", d);
	s->memory = p;
	for (unsigned int i = 0; i < SENDER_SLOTS; i++)
		memcpy((char *)slot(s, i) + DATA_AT, s->frame, (size_t)s->o.bytes);
	return 0;
}

/* The kernel gives a slot back when the frame's memory is free again. */
static int sender_complete_ring(struct sender *s)
{
	for (; s->tail != s->head; s->tail++) {
		__u32 status = __atomic_load_n(&slot(s, s->tail)->tp_status, __ATOMIC_ACQUIRE);

		if (status & TP_STATUS_WRONG_FORMAT)
			return -EIO;
		if (status != TP_STATUS_AVAILABLE)
			break;
		s->counts.completions++;
	}
	return 0;
}

static int sender_send_ring(struct sender *s, unsigned int n)
{
	int err = sender_complete_ring(s);
	unsigned int sent = 0;

	while (!err && sent < n && s->head - s->tail < SENDER_SLOTS) {
		unsigned int most = n - sent < SENDER_BATCH ? n - sent : SENDER_BATCH, now = 0;
		uint64_t left;

		for (; now < most && s->head - s->tail < SENDER_SLOTS; now++, s->head++) {
			slot(s, s->head)->tp_len = (__u32)s->o.bytes;
			__atomic_store_n(&slot(s, s->head)->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
		}
		s->counts.awaited += now;
		/* A call sends all slots that are filled, until one finds no room. */
		left = (uint64_t)now * (uint64_t)s->o.bytes;
		for (int i = 0; i < KICKS && left; i++) {
			ssize_t got = send(s->fd, NULL, 0, MSG_DONTWAIT);

			s->counts.calls++;
			if (got < 0 && !sender_no_room())
				return -errno;
			left -= got > 0 ? (uint64_t)got : 0;
		}
		err = left ? -EIO : 0;
		sent += now;
	}
	return err ? err : (int)sent;
}

/* ---- AF_XDP -------------------------------------------------------------------------------------------------- */

#ifndef XDP_UMEM_TX_METADATA_LEN /* linux/if_xdp.h, Linux 6.8 and 6.11 */
#define XDP_TX_METADATA          (1 << 1)
#define XDP_TXMD_FLAGS_TIMESTAMP (1 << 0)
#define XDP_TXMD_FLAGS_CHECKSUM  (1 << 1)
#define XDP_UMEM_TX_SW_CSUM      (1 << 1)
#define XDP_UMEM_TX_METADATA_LEN (1 << 2)
#endif
#define FRAME_AT   64 /* in a slot, behind what goes with the frame: a line of its own */
#define RING_BYTES (8 * SLOT_BYTES)

/* struct xsk_tx_metadata: the kernel writes the stamp where a request for a checksum would be. */
struct xsk_metadata {
	__u64 flags;
	union {
		struct {
			__u16 start, offset;
		} checksum;
		__u64 stamp_ns;
	};
};

static struct xsk_metadata *metadata(const struct sender *s, unsigned int number)
{
	return (void *)(s->memory + (size_t)(number % SENDER_SLOTS) * SLOT_BYTES);
}

static int sender_open_xsk(struct sender *s, struct diag *d)
{
	const struct sockaddr_xdp device = {.sxdp_family = AF_XDP,
					    .sxdp_flags = XDP_COPY | XDP_USE_NEED_WAKEUP,
					    .sxdp_ifindex = (__u32)s->o.nd->ifindex};
	const int slots = SENDER_SLOTS;
	struct patience patience = patience_of(BUSY_PATIENCE_NS);
	struct xsk_metadata with = {.flags = s->kind->metadata};
	struct xdp_mmap_offsets at;
	socklen_t len = sizeof(at);
	char *tx, *completed;
	struct { /* xdp_umem_reg, with its last member */
		__u64 addr, len;
		__u32 chunk_size, headroom, flags, tx_metadata_len;
	} memory = {.len = SENDER_SLOTS * SLOT_BYTES,
		    .chunk_size = SLOT_BYTES,
		    .flags = s->kind->umem_flags,
		    .tx_metadata_len = FRAME_AT};

	s->bytes = SENDER_SLOTS * SLOT_BYTES + 2 * RING_BYTES;
	s->memory = memory_map(s->bytes);
	if (!s->memory)
		return sender_refuse("get memory for frames", d);
	memory.addr = (uintptr_t)s->memory;
	if (with.flags & XDP_TXMD_FLAGS_CHECKSUM) { /* without the pseudo header: the sink reads no checksum */
		with.checksum.start = HEADERS - sizeof(struct udphdr);
		with.checksum.offset = offsetof(struct udphdr, check);
	}
	for (unsigned int i = 0; i < SENDER_SLOTS; i++) {
		*metadata(s, i) = with;
		memcpy((char *)metadata(s, i) + FRAME_AT, s->frame, (size_t)s->o.bytes);
	}
	s->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_XDP, XDP_UMEM_REG, &memory, sizeof(memory)))
		return with.flags && errno == EINVAL
			       ? diag_set(d, -EOPNOTSUPP, "this kernel has no TX metadata for AF_XDP (Linux 6.11)")
			       : sender_refuse("open an AF_XDP socket", d);
	if (setsockopt(s->fd, SOL_XDP, XDP_UMEM_FILL_RING, &slots, sizeof(slots)) ||
	    setsockopt(s->fd, SOL_XDP, XDP_UMEM_COMPLETION_RING, &slots, sizeof(slots)) ||
	    setsockopt(s->fd, SOL_XDP, XDP_TX_RING, &slots, sizeof(slots)) ||
	    getsockopt(s->fd, SOL_XDP, XDP_MMAP_OFFSETS, &at, &len))
		return sender_refuse("make an AF_XDP socket's rings", d);
	/* They are behind the frames in the memory, so that they go with it. */
	tx = mmap(s->memory + SENDER_SLOTS * SLOT_BYTES, at.tx.desc + SENDER_SLOTS * sizeof(struct xdp_desc),
		  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, s->fd, XDP_PGOFF_TX_RING);
	completed = mmap(s->memory + SENDER_SLOTS * SLOT_BYTES + RING_BYTES, at.cr.desc + SENDER_SLOTS * sizeof(__u64),
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, s->fd,
			 (off_t)XDP_UMEM_PGOFF_COMPLETION_RING);
	if (tx == MAP_FAILED || completed == MAP_FAILED)
		return sender_refuse("map an AF_XDP socket's rings", d);
	s->xsk.descs = (void *)(tx + at.tx.desc);
	s->xsk.filled = (void *)(tx + at.tx.producer);
	s->xsk.taken = (void *)(tx + at.tx.consumer);
	s->xsk.completed = (void *)(completed + at.cr.producer);
	s->xsk.seen = (void *)(completed + at.cr.consumer);
	/* a queue stays busy for some time after its last socket was closed */
	while (bind(s->fd, (const struct sockaddr *)&device, sizeof(device))) {
		if (errno != EBUSY || patience_ends(&patience))
			return sender_refuse("bind an AF_XDP socket", d);
		sleep_until_ns(now_ns() + 1000000);
	}
	return 0;
}

/* The ring's order is that of the frames. Who asked for stamps reads them: there has to be one for each frame. */
static int sender_complete_xsk(struct sender *s)
{
	unsigned int end = __atomic_load_n(s->xsk.completed, __ATOMIC_ACQUIRE);

	s->counts.completions += end - s->tail;
	for (; s->tail != end; s->tail++) {
		if (!(s->kind->metadata & XDP_TXMD_FLAGS_TIMESTAMP))
			continue;
		if (!metadata(s, s->tail)->stamp_ns)
			return -ENODATA;
		metadata(s, s->tail)->stamp_ns = 0;
	}
	__atomic_store_n(s->xsk.seen, end, __ATOMIC_RELEASE);
	return 0;
}

/* Buffers are used in turn: the frame in each is the same. */
static int sender_send_xsk(struct sender *s, unsigned int n)
{
	int err = sender_complete_xsk(s);
	unsigned int sent = 0;

	while (!err && sent < n && s->head - s->tail < SENDER_SLOTS) {
		unsigned int from = s->head, most = n - sent < SENDER_BATCH ? n - sent : SENDER_BATCH;

		for (; s->head - from < most && s->head - s->tail < SENDER_SLOTS; s->head++)
			s->xsk.descs[s->head % SENDER_SLOTS] =
				(struct xdp_desc){.addr = (__u64)(s->head % SENDER_SLOTS) * SLOT_BYTES + FRAME_AT,
						  .len = (__u32)s->o.bytes,
						  .options = s->kind->metadata ? XDP_TX_METADATA : 0};
		__atomic_store_n(s->xsk.filled, s->head, __ATOMIC_RELEASE);
		s->counts.awaited += s->head - from;
		/* A call takes at most 32 frames (Linux 6.18), and says EAGAIN when it left some. */
		for (int i = 0; i < KICKS && __atomic_load_n(s->xsk.taken, __ATOMIC_ACQUIRE) != s->head; i++) {
			s->counts.calls++;
			if (sendto(s->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 && !sender_no_room() && errno != EBUSY)
				return -errno;
		}
		err = __atomic_load_n(s->xsk.taken, __ATOMIC_ACQUIRE) == s->head ? 0 : -EIO;
		sent += s->head - from;
	}
	return err ? err : (int)sent;
}

/* ---- inside the kernel: live frames, and pktgen. A call sends a whole turn's frames ----------------------------- */

#define PKTGEN       "/proc/thread-self/net/pktgen/"
#define KPKTGEND     "kpktgend_%d" /* a thread of this name is in each network namespace, and its file */
#define LIVE_BATCH   64
#define PKTGEN_TASKS 256 /* pktgen's threads on one CPU, of all network namespaces */

/* The thread that sends is in another namespace, which gives the number of the device to another device, or to none. */
static int sender_kernel_load(struct sender *s, struct diag *d)
{
	int err;

	s->netns_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (s->netns_fd < 0)
		return diag_set(d, -errno, "cannot open its network namespace: %s", strerror(errno));
	s->skel = senders_bpf__open();
	if (!s->skel)
		return diag_set(d, -errno, "cannot open its programs: %s", strerror(errno));
	s->skel->rodata->cfg_ifindex = (__u32)s->o.nd->ifindex;
	bpf_program__set_autoattach(s->skel->progs.live, false);
	err = kernel_load(s->skel->skeleton,
			  (struct bpf_program *[]){s->skel->progs.softirq_begins, s->skel->progs.softirq_ends,
						   s->o.layer == RUN_LAYER_TX_LIVE ? s->skel->progs.live : NULL, NULL},
			  "the clock of softirqs", d);
	if (err)
		return err;
	err = senders_bpf__attach(s->skel);
	return err ? diag_set(d, -EOPNOTSUPP, "this kernel refuses the clock of softirqs: %s", strerror(-err)) : 0;
}

/* The softirqs that the sender's task ran meanwhile polled the other end. */
static uint64_t sender_kernel_ns(const struct sender *s)
{
	uint64_t all = clock_ns(s->task ? s->clock : CLOCK_THREAD_CPUTIME_ID);

	return all - *(volatile __u64 *)&s->skel->bss->softirq_ns;
}

/* pktgen reads a command up to the end of its line. */
static int sender_kernel_put(const char *file, const char *words)
{
	char path[80];

	snprintf(path, sizeof(path), PKTGEN "%s", file);
	return file_put(AT_FDCWD, path, words);
}

static void sender_close_kernel(struct sender *s)
{
	char thread[32];

	if (s->o.layer == RUN_LAYER_TX_PKTGEN) {
		snprintf(thread, sizeof(thread), KPKTGEND, s->o.cpu);
		sender_kernel_put(thread, "rem_device_all\n");
	}
	attached_end(&s->link_fd);
	fd_close(s->netns_fd);
	senders_bpf__destroy(s->skel);
}

/* ---- live frames --------------------------------------------------------------------------------------------- */

/*
 * Before a call the kernel tells all its XDP drivers of the program, unless a device has it already, and waits some
 * 25 ms for that; after the call, again. So the device gets it. The device receives nothing.
 */
static int sender_open_live(struct sender *s, struct diag *d)
{
	return sender_kernel_load(s, d)
		       ?: kernel_attach_xdp(&s->link_fd, s->skel->progs.live, s->o.nd, XDP_FLAGS_DRV_MODE, d);
}

static int sender_send_live(struct sender *s, unsigned int n)
{
	struct xdp_md ctx = {.data_end = (__u32)s->o.bytes};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = s->frame, .data_size_in = (__u32)s->o.bytes, .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = LIVE_BATCH,
		    .repeat = (int)n);
	netns_scope int saved = -1;
	int err;

	s->skel->bss->tid = (__u32)gettid();
	err = netns_visit_fd(s->netns_fd, &saved, NULL)
		      ?: bpf_prog_test_run_opts(bpf_program__fd(s->skel->progs.live), &opts);
	s->counts.calls++;
	if (err == -EINVAL)
		err = -EOPNOTSUPP;
	return err ? err : (int)n;
}

/* ---- pktgen -------------------------------------------------------------------------------------------------- */

static int sender_open_pktgen(struct sender *s, struct diag *d)
{
	const unsigned char *m = s->o.peer_mac;
	char thread[32], words[32], path[80], mac[40], bytes[40];
	const char *const lines[] = {mac,
				     bytes,
				     "delay 0",
				     "clone_skb 0",
				     "dst " GEN_SRC_IP,
				     "src_min " GEN_DST_IP,
				     "udp_dst_min 9",
				     "udp_dst_max 9"};
	int err;

	if (access(PKTGEN "pgctrl", F_OK))
		return diag_set(d, -EOPNOTSUPP,
				"this kernel has no pktgen, or its module is not loaded (modprobe pktgen)");
	snprintf(thread, sizeof(thread), KPKTGEND, s->o.cpu);
	snprintf(words, sizeof(words), "add_device %s\n", s->o.nd->name);
	err = sender_kernel_put(thread, words);
	if (err)
		return diag_set(d, err, "pktgen takes no %s: %s", s->o.nd->name, strerror(-err));
	snprintf(path, sizeof(path), PKTGEN "%s", s->o.nd->name);
	s->fd = open(path, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return diag_set(d, -errno, "cannot open pktgen's file of %s: %s", s->o.nd->name, strerror(errno));
	snprintf(mac, sizeof(mac), "dst_mac %02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
	snprintf(bytes, sizeof(bytes), "pkt_size %d", s->o.bytes);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (write(s->fd, lines[i], strlen(lines[i])) < 0)
			return diag_set(d, -errno, "pktgen refuses \"%s\": %s", lines[i], strerror(errno));
	return sender_kernel_load(s, d);
}

struct task {
	pid_t tid;
	clockid_t clock;
	uint64_t ns;
};

/* A call returns when all frames have left. The first ones show which thread sends: the one that works meanwhile. */
static int sender_send_pktgen(struct sender *s, unsigned int n)
{
	static const char member[] = "pkts-sofar: "; /* frames that the device took in the last run */
	struct task tasks[PKTGEN_TASKS], *ours = NULL;
	char name[32], comm[80], text[4096], *at;
	uint64_t most = 0;
	size_t ntasks = 0;
	ssize_t bytes;
	int saved = -1, err;
	pid_t tid;

	snprintf(name, sizeof(name), KPKTGEND, s->o.cpu);
	if (!s->task) {
		process_scan (&facts_here, tid, comm) {
			if (ntasks == PKTGEN_TASKS || strcmp(comm, name) != 0 || !facts_is_kthread(&facts_here, tid) ||
			    clock_getcpuclockid(tid, &tasks[ntasks].clock))
				continue;
			tasks[ntasks].tid = tid;
			tasks[ntasks].ns = clock_ns(tasks[ntasks].clock);
			ntasks++;
		}
	}
	err = netns_visit_fd(s->netns_fd, &saved, NULL);
	if (!err)
		err = dprintf(s->fd, "count %u\n", n) < 0 ? -errno : sender_kernel_put("pgctrl", "start\n");
	netns_back(&saved);
	s->counts.calls++;
	for (size_t i = 0; i < ntasks; i++) {
		uint64_t grown = clock_ns(tasks[i].clock) - tasks[i].ns;

		if (grown > most) {
			most = grown;
			ours = &tasks[i];
		}
	}
	if (ours) {
		s->task = ours->tid;
		s->clock = ours->clock;
		s->skel->bss->tid = (__u32)s->task;
	}
	if (err || !s->task)
		return err ? err : -ESRCH;
	bytes = pread(s->fd, text, sizeof(text) - 1, 0);
	if (bytes < 0)
		return -errno;
	text[bytes] = '\0';
	at = strstr(text, member);
	return at ? (int)strtoll(at + strlen(member), NULL, 10) : -EIO;
}

/* ---- the layers that send -------------------------------------------------------------------------------------- */

#define XSK(asked, memory)                                                                                             \
	.open = sender_open_xsk, .send = sender_send_xsk, .complete = sender_complete_xsk,                             \
	.poll = "z __xsk_generic_xmit", .metadata = (asked), .umem_flags = (memory)

#define PACKET_POLL "z packet_sendmsg"
#define UDP         .open = sender_open_udp, .poll = "z inet_sendmsg"

const struct sender_kind sender_kinds[RUN_LAYERS] = {
	[RUN_LAYER_TX_SEND] = {UDP, .send = sender_send_each},
	[RUN_LAYER_TX_SENDMSG] = {UDP, .send = sender_sendmsg},
	[RUN_LAYER_TX_SENDMMSG] = {UDP, .send = sender_sendmmsg},
	[RUN_LAYER_TX_ZEROCOPY] = {.open = sender_open_udp,
				   .option = {SOL_SOCKET, SO_ZEROCOPY, "switch SO_ZEROCOPY on"},
				   .send = sender_send_zerocopy,
				   .complete = sender_complete_zerocopy},
	[RUN_LAYER_TX_GSO] = {.open = sender_open_udp,
			      .option = {SOL_UDP, UDP_SEGMENT, "set UDP_SEGMENT"},
			      .send = sender_send_gso},
	[RUN_LAYER_TX_PACKET] = {.open = sender_open_packet, .poll = PACKET_POLL, .send = sender_send_each},
	[RUN_LAYER_TX_PACKET_BYPASS] = {.open = sender_open_packet,
					.poll = PACKET_POLL,
					.option = {SOL_PACKET, PACKET_QDISC_BYPASS, "switch PACKET_QDISC_BYPASS on"},
					.send = sender_send_each},
	[RUN_LAYER_TX_PACKET_RING] = {.open = sender_open_ring,
				      .poll = PACKET_POLL,
				      .send = sender_send_ring,
				      .complete = sender_complete_ring},
	[RUN_LAYER_TX_XSK] = {XSK(0, 0)},
	[RUN_LAYER_TX_XSK_CSUM] = {XSK(XDP_TXMD_FLAGS_CHECKSUM, XDP_UMEM_TX_METADATA_LEN)},
	[RUN_LAYER_TX_XSK_SW_CSUM] = {XSK(XDP_TXMD_FLAGS_CHECKSUM, XDP_UMEM_TX_METADATA_LEN | XDP_UMEM_TX_SW_CSUM)},
	[RUN_LAYER_TX_XSK_STAMP] = {XSK(XDP_TXMD_FLAGS_TIMESTAMP, XDP_UMEM_TX_METADATA_LEN)},
	[RUN_LAYER_TX_LIVE] = {.open = sender_open_live,
			       .send = sender_send_live,
			       .own_ns = sender_kernel_ns,
			       .close = sender_close_kernel,
			       .root = "bpf_prog_test_run_xdp",
			       .nonstop = true},
	[RUN_LAYER_TX_PKTGEN] = {.open = sender_open_pktgen,
				 .send = sender_send_pktgen,
				 .own_ns = sender_kernel_ns,
				 .close = sender_close_kernel,
				 .nonstop = true},
};

int sender_refuse(const char *what, struct diag *d)
{
	int err = errno;
	bool lacks = err == EINVAL || err == ENOPROTOOPT || err == EAFNOSUPPORT || err == EOPNOTSUPP;

	return diag_set(d, lacks ? -EOPNOTSUPP : -err, "cannot %s: %s", what, strerror(err));
}

int sender_no_room(void)
{
	return errno == ENOBUFS || errno == EAGAIN || errno == EINTR;
}

int sender_open(struct sender **out, const struct sender_options *o, struct diag *d)
{
	struct sender *s = calloc(1, sizeof(*s));
	struct gen_options shape;
	int err, value;

	if (!s)
		return diag_set(d, -ENOMEM, "no memory");
	gen_options_init(&shape);
	shape.bytes = o->bytes;
	memcpy(shape.dst_mac, o->peer_mac, sizeof(shape.dst_mac));
	s->o = *o;
	s->kind = o->layer >= RUN_LAYER_TCP_READ ? &sender_tcp : &sender_kinds[o->layer];
	s->fd = s->link_fd = s->netns_fd = -1;
	s->payload = (size_t)o->bytes - HEADERS;
	s->frame = calloc(1, (size_t)o->bytes);
	if (s->frame)
		gen_frame((unsigned char *)s->frame, &shape, o->nd->mac);
	err = s->frame ? s->kind->open(s, d) : diag_set(d, -ENOMEM, "no memory");
	value = s->kind->option.name == UDP_SEGMENT ? (int)s->payload : 1;
	if (!err && s->kind->option.what &&
	    setsockopt(s->fd, s->kind->option.level, s->kind->option.name, &value, sizeof(value)))
		err = sender_refuse(s->kind->option.what, d);
	if (err)
		sender_close(s);
	else
		*out = s;
	return err;
}

int sender_send(struct sender *s, unsigned int n)
{
	int sent = s->kind->send(s, n);

	if (sent > 0)
		s->counts.frames += (uint64_t)sent;
	return sent;
}

uint64_t sender_own_ns(const struct sender *s)
{
	return s->kind->own_ns ? s->kind->own_ns(s) : clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void sender_close(struct sender *s)
{
	if (!s)
		return;
	if (s->kind->close)
		s->kind->close(s);
	fd_close(s->fd);
	if (s->memory)
		munmap(s->memory, s->bytes);
	free(s->frame);
	free(s);
}
