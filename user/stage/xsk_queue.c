// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/stage/stage.h"

#include <linux/if_xdp.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define BATCH 64
#ifndef XDP_PKT_CONTD /* linux/if_xdp.h, Linux 6.6 */
#define XDP_PKT_CONTD (1 << 0)
#endif
#define HUGE_PAGE ((size_t)2 << 20)

unsigned int xsk_queue_receive(struct xsk_queue *q)
{
	__u32 from, to;
	unsigned int n, frames = 0;

	if (q->has.flags & RUN_UMEM_BUSY)
		recvfrom(xsk_socket__fd(q->socket), NULL, 0, MSG_DONTWAIT, NULL, NULL);
	n = xsk_ring_cons__peek(&q->rx, BATCH, &from);
	if (!n)
		return 0;
	/* cannot happen; if it did, the frames would stay in the receive ring until the next call */
	if (xsk_ring_prod__reserve(&q->fill, n, &to) != n) {
		xsk_ring_cons__cancel(&q->rx, n);
		return 0;
	}
	for (unsigned int i = 0; i < n; i++) {
		const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&q->rx, from + i);

		*xsk_ring_prod__fill_addr(&q->fill, to + i) = desc->addr;
		frames += !(desc->options & XDP_PKT_CONTD);
	}
	xsk_ring_prod__submit(&q->fill, n);
	xsk_ring_cons__release(&q->rx, n);
	/* a driver that ran out of buffers sleeps until this call wakes it */
	if (xsk_ring_prod__needs_wakeup(&q->fill) && !(q->has.flags & RUN_UMEM_BUSY))
		recvfrom(xsk_socket__fd(q->socket), NULL, 0, MSG_DONTWAIT, NULL, NULL);
	return frames;
}

/* The fill ring has room for all frames, and the receive ring, if the variant names no other size. */
static int queue_open(struct xsk_queue *q, const struct netdev *nd, unsigned int number, __u16 bind_flags,
		      const struct run_umem *umem)
{
	const struct xsk_umem_config memory = {
		.fill_size = umem->frames,
		.comp_size = umem->frames,
		.frame_size = umem->bytes,
	};
	const struct xsk_socket_config socket = {
		.rx_size = umem->ring ?: umem->frames,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = bind_flags | (umem->flags & RUN_UMEM_NOWAKEUP ? 0 : XDP_USE_NEED_WAKEUP),
	};
	bool in_huge = umem->flags & RUN_UMEM_HUGE;
	size_t bytes = (size_t)umem->frames * umem->bytes, huge = in_huge ? HUGE_PAGE : 1;
	size_t mapped = (bytes + huge - 1) / huge * huge;
	void *p = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | (in_huge ? MAP_HUGETLB | MAP_HUGE_2MB : 0), -1, 0);
	__u32 at;
	int err;

	if (p == MAP_FAILED)
		return -errno;
	q->memory = p;
	q->bytes = mapped;
	q->has = *umem;
	err = xsk_umem__create(&q->umem, p, bytes, &q->fill, &q->completion, &memory);
	if (!err && xsk_ring_prod__reserve(&q->fill, umem->frames, &at) != umem->frames)
		err = -ENOSPC;
	if (err)
		return err;
	for (__u32 i = 0; i < umem->frames; i++)
		*xsk_ring_prod__fill_addr(&q->fill, at + i) = (__u64)i * umem->bytes;
	xsk_ring_prod__submit(&q->fill, umem->frames);
	err = xsk_socket__create(&q->socket, nd->name, number, q->umem, &q->rx, NULL, &socket);
	/*
	 * As in Documentation/networking/af_xdp.rst of the kernel: each recvfrom() polls the queue's NAPI instance
	 * once.
	 */
	if (err || !(umem->flags & RUN_UMEM_BUSY))
		return err;
	int fd = xsk_socket__fd(q->socket);
	static const int prefer = 1, time_us = 20, budget = BATCH;
	return setsockopt(fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, &prefer, sizeof(prefer)) ||
			       setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &time_us, sizeof(time_us)) ||
			       setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget, sizeof(budget))
		       ? -errno
		       : 0;
}

void xsk_queue_close(struct xsk_queue *q)
{
	if (q->socket)
		xsk_socket__delete(q->socket);
	if (q->umem)
		xsk_umem__delete(q->umem);
	if (q->memory)
		munmap(q->memory, q->bytes);
	memset(q, 0, sizeof(*q));
}

int xsk_queue_join(struct xsk_queue *q, const struct netdev *nd, unsigned int number, __u16 bind_flags,
		   const struct run_umem *umem, int map_fd)
{
	struct patience patience = patience_of(BUSY_PATIENCE_NS);
	int err = queue_open(q, nd, number, bind_flags, umem);

	while (err == -EBUSY && !patience_ends(&patience)) {
		xsk_queue_close(q);
		sleep_until_ns(now_ns() + 5000000);
		err = queue_open(q, nd, number, bind_flags, umem);
	}
	if (!err)
		err = xsk_socket__update_xskmap(q->socket, map_fd);
	if (err)
		xsk_queue_close(q);
	return err;
}

void xsk_queue_words(const struct run_umem *has, char *words, size_t size)
{
	char ring[24] = "";

	if (has->ring)
		snprintf(ring, sizeof(ring), ", a ring of %u", has->ring);
	snprintf(words, size, "%u frames of %u bytes%s%s%s", has->frames, has->bytes, ring,
		 has->flags & RUN_UMEM_HUGE ? ", in huge pages" : "",
		 has->flags & RUN_UMEM_NOWAKEUP ? ", without needs-wakeup" : "");
}

const char *xsk_queue_error(const struct run_umem *wanted, int err)
{
	return wanted->flags & RUN_UMEM_HUGE && err == -ENOMEM
		       ? "too few free huge pages of 2 MiB: sysctl vm.nr_hugepages"
		       : strerror(-err);
}

int64_t xsk_queue_dropped(const struct xsk_queue *q)
{
	struct xdp_statistics st = {};
	socklen_t len = sizeof(st);

	if (getsockopt(xsk_socket__fd(q->socket), SOL_XDP, XDP_STATISTICS, &st, &len))
		return -1;
	return (int64_t)(st.rx_dropped + st.rx_ring_full);
}
