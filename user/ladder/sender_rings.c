// SPDX-License-Identifier: GPL-2.0-or-later
/* Senders of whole frames: packet sockets, with and without a ring, and AF_XDP. */
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include "user/ladder/ladder.h"

#define SOCKET_ROOM (32 << 20)
#define SLOT_BYTES  4096
#define BLOCK_BYTES (16 * SLOT_BYTES)
#define DATA_AT     (TPACKET2_HDRLEN - sizeof(struct sockaddr_ll)) /* in a slot of a ring for sending */
#define KICKS       64 /* calls for one batch; the kernel takes at least a frame in each */

/* ---- packet sockets ------------------------------------------------------------------------------------------ */

/* Protocol 0: the socket receives nothing. */
int sender_open_packet(struct sender *s, struct diag *d)
{
	const struct sockaddr_ll device = {.sll_family = AF_PACKET, .sll_ifindex = s->o.nd->ifindex};
	const int room = SOCKET_ROOM;

	s->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    bind(s->fd, (const struct sockaddr *)&device, sizeof(device)))
		return sender_refuse("set up a packet socket", d);
	return 0;
}

int sender_open_bypass(struct sender *s, struct diag *d)
{
	const int on = 1;
	int err = sender_open_packet(s, d);

	if (!err && setsockopt(s->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		err = sender_refuse("switch PACKET_QDISC_BYPASS on", d);
	return err;
}

static struct tpacket2_hdr *slot(const struct sender *s, unsigned int number)
{
	return (void *)(s->memory + (size_t)(number % SENDER_SLOTS) * SLOT_BYTES);
}

int sender_open_ring(struct sender *s, struct diag *d)
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
int sender_complete_ring(struct sender *s)
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

/* A call sends all slots that are filled, until one finds no room. */
static int send_slots(struct sender *s, unsigned int n)
{
	uint64_t left = (uint64_t)n * (uint64_t)s->o.bytes;

	for (int i = 0; i < KICKS && left; i++) {
		ssize_t sent = send(s->fd, NULL, 0, MSG_DONTWAIT);

		s->counts.calls++;
		if (sent < 0 && !sender_no_room())
			return -errno;
		left -= sent > 0 ? (uint64_t)sent : 0;
	}
	return left ? -EIO : 0;
}

int sender_send_ring(struct sender *s, unsigned int n)
{
	int err = sender_complete_ring(s);
	unsigned int sent = 0;

	while (!err && sent < n && s->head - s->tail < SENDER_SLOTS) {
		unsigned int most = n - sent < SENDER_BATCH ? n - sent : SENDER_BATCH, now = 0;

		for (; now < most && s->head - s->tail < SENDER_SLOTS; now++, s->head++) {
			slot(s, s->head)->tp_len = (__u32)s->o.bytes;
			__atomic_store_n(&slot(s, s->head)->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
		}
		s->counts.awaited += now;
		err = send_slots(s, now);
		sent += now;
	}
	return err ? err : (int)sent;
}

/* ---- AF_XDP -------------------------------------------------------------------------------------------------- */

int sender_open_xsk(struct sender *s, struct diag *d)
{
	const struct xsk_umem_config memory = {
		.fill_size = SENDER_SLOTS,
		.comp_size = SENDER_SLOTS,
		.frame_size = SLOT_BYTES,
	};
	const struct xsk_socket_config socket = {
		.tx_size = SENDER_SLOTS,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY | XDP_USE_NEED_WAKEUP,
	};
	void *p;
	int err;

	s->bytes = (size_t)SENDER_SLOTS * SLOT_BYTES;
	p = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p == MAP_FAILED)
		return sender_refuse("get memory for frames", d);
	s->memory = p;
	for (unsigned int i = 0; i < SENDER_SLOTS; i++)
		memcpy(s->memory + (size_t)i * SLOT_BYTES, s->frame, (size_t)s->o.bytes);
	err = xsk_umem__create(&s->umem, p, s->bytes, &s->fill, &s->completion, &memory);
	if (!err)
		err = xsk_socket__create(&s->xsk, s->o.nd->name, 0, s->umem, NULL, &s->tx, &socket);
	errno = -err;
	return err ? sender_refuse("open an AF_XDP socket", d) : 0;
}

int sender_complete_xsk(struct sender *s)
{
	__u32 at;
	unsigned int n = xsk_ring_cons__peek(&s->completion, SENDER_SLOTS, &at);

	xsk_ring_cons__release(&s->completion, n);
	s->tail += n;
	s->counts.completions += n;
	return 0;
}

/* A call takes at most 32 frames (Linux 6.18), and says EAGAIN when it left some. */
static int kick(struct sender *s)
{
	for (int i = 0; i < KICKS && __atomic_load_n(s->tx.consumer, __ATOMIC_ACQUIRE) != *s->tx.producer; i++) {
		s->counts.calls++;
		if (sendto(xsk_socket__fd(s->xsk), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 && !sender_no_room() &&
		    errno != EBUSY)
			return -errno;
	}
	return __atomic_load_n(s->tx.consumer, __ATOMIC_ACQUIRE) == *s->tx.producer ? 0 : -EIO;
}

/* Buffers are used in turn: the frame in each is the same, and the ring's order is that of the completions. */
int sender_send_xsk(struct sender *s, unsigned int n)
{
	int err = sender_complete_xsk(s);
	unsigned int sent = 0;

	while (!err && sent < n && s->head - s->tail < SENDER_SLOTS) {
		unsigned int most = n - sent < SENDER_BATCH ? n - sent : SENDER_BATCH,
			     room = SENDER_SLOTS - (s->head - s->tail);
		__u32 at;

		most = xsk_ring_prod__reserve(&s->tx, most < room ? most : room, &at);
		if (!most)
			break;
		for (unsigned int i = 0; i < most; i++, s->head++)
			*xsk_ring_prod__tx_desc(&s->tx, at + i) = (struct xdp_desc){
				.addr = (__u64)(s->head % SENDER_SLOTS) * SLOT_BYTES, .len = (__u32)s->o.bytes};
		xsk_ring_prod__submit(&s->tx, most);
		s->counts.awaited += most;
		err = kick(s);
		sent += most;
	}
	return err ? err : (int)sent;
}
