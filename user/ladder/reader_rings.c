// SPDX-License-Identifier: GPL-2.0-or-later
/* Readers of rings that kernel and process share: io_uring's, and that of a packet socket. */
#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include "user/gen/gen.h"
#include "user/ladder/ladder.h"

/* ---- io_uring ------------------------------------------------------------------------------------------------ */

#define GROUP         1
#define BUFFERS_BYTES (READER_BUFFERS * sizeof(struct io_uring_buf))

static char *buffer(const struct reader *r, unsigned int number)
{
	return r->memory + (size_t)number * READER_BYTES;
}

static int map_buffers(struct reader *r)
{
	struct io_uring_buf_reg group = {.ring_entries = READER_BUFFERS, .bgid = GROUP};
	void *p = mmap(NULL, BUFFERS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	r->buffers = p;
	io_uring_buf_ring_init(r->buffers);
	for (unsigned int i = 0; i < READER_BUFFERS; i++)
		io_uring_buf_ring_add(r->buffers, buffer(r, i), READER_BYTES, (unsigned short)i, READER_BUFFERS - 1,
				      (int)i);
	io_uring_buf_ring_advance(r->buffers, READER_BUFFERS);
	group.ring_addr = (unsigned long)r->buffers;
	return io_uring_register_buf_ring(&r->uring, &group, 0);
}

int reader_begin_uring(struct reader *r)
{
	struct io_uring_params p = {.flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER |
					     IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
				    .cq_entries = 4 * READER_BUFFERS};
	int err = io_uring_queue_init_params(READER_BATCH, &r->uring, &p);

	if (err == -EINVAL) { /* Linux 6.0 has no DEFER_TASKRUN */
		p = (struct io_uring_params){.flags = IORING_SETUP_CQSIZE, .cq_entries = 4 * READER_BUFFERS};
		err = io_uring_queue_init_params(READER_BATCH, &r->uring, &p);
	}
	if (err)
		return err;
	r->has_uring = true;
	return map_buffers(r);
}

/* The request ends when the buffers have run out. */
static int arm(struct reader *r)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

	if (!sqe)
		return -EBUSY;
	io_uring_prep_recv_multishot(sqe, r->fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
	r->armed = true;
	return 0;
}

int reader_read_uring(struct reader *r)
{
	struct __kernel_timespec idle = {.tv_nsec = READER_IDLE_MS * 1000000LL};
	struct io_uring_cqe *cqe;
	unsigned int head, n = 0, frames = 0;
	int err = r->armed ? 0 : arm(r), failed = 0;

	if (!err)
		err = io_uring_submit_and_wait_timeout(&r->uring, &cqe, 1, &idle, NULL);
	if (err < 0)
		return err == -ETIME || err == -EINTR ? 0 : err;
	io_uring_for_each_cqe(&r->uring, head, cqe)
	{
		n++;
		if (!(cqe->flags & IORING_CQE_F_MORE))
			r->armed = false;
		if (cqe->res < 0 && cqe->res != -ENOBUFS)
			failed = cqe->res;
		if (!(cqe->flags & IORING_CQE_F_BUFFER))
			continue;
		io_uring_buf_ring_add(r->buffers, buffer(r, cqe->flags >> IORING_CQE_BUFFER_SHIFT), READER_BYTES,
				      (unsigned short)(cqe->flags >> IORING_CQE_BUFFER_SHIFT), READER_BUFFERS - 1,
				      (int)frames++);
	}
	io_uring_buf_ring_advance(r->buffers, (int)frames);
	io_uring_cq_advance(&r->uring, n);
	return failed ? failed : (int)frames;
}

void reader_end_uring(struct reader *r)
{
	if (r->has_uring)
		io_uring_queue_exit(&r->uring);
	if (r->buffers)
		munmap(r->buffers, BUFFERS_BYTES);
}

/* ---- a packet socket's ring ---------------------------------------------------------------------------------- */

/* TPACKET_V3 puts a head before each frame, and aligns the frame's link header as an IP header needs it. */
#define RING_FRAME_MOST (GEN_MAX_BYTES + TPACKET3_HDRLEN + 4 * TPACKET_ALIGNMENT)
_Static_assert(READER_BLOCK / RING_FRAME_MOST * (READER_BLOCKS - 1) >= READER_RING_WINDOW,
	       "the ring would overflow before the generator stops");

int reader_open_ring(struct reader *r, struct diag *d)
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
	if (setsockopt(r->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		return diag_set(d, -errno, "cannot make a packet socket's ring: %s", strerror(errno));
	r->bytes = (size_t)READER_BLOCKS * READER_BLOCK;
	p = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (p == MAP_FAILED)
		return diag_set(d, -errno, "cannot map a packet socket's ring: %s", strerror(errno));
	r->memory = p;
	if (bind(r->fd, (const struct sockaddr *)&device, sizeof(device)))
		return diag_set(d, -errno, "cannot bind a packet socket: %s", strerror(errno));
	return 0;
}

/* As a program would that has a use for the frames. */
static void look_at_frames(const struct tpacket_block_desc *block)
{
	const char *at = (const char *)block + block->hdr.bh1.offset_to_first_pkt;

	for (__u32 n = block->hdr.bh1.num_pkts; n; n--) {
		const struct tpacket3_hdr *head = (const void *)at;

		(void)*(const volatile char *)(at + head->tp_mac);
		at += head->tp_next_offset;
	}
}

int reader_read_ring(struct reader *r)
{
	struct tpacket_block_desc *block = (void *)(r->memory + (size_t)r->block * READER_BLOCK);
	struct pollfd readable = {.fd = r->fd, .events = POLLIN};
	__u32 *status = &block->hdr.bh1.block_status;
	int n;

	if (!(__atomic_load_n(status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
		return poll(&readable, 1, READER_IDLE_MS) < 0 && errno != EINTR ? -errno : 0;
	look_at_frames(block);
	n = (int)block->hdr.bh1.num_pkts;
	__atomic_store_n(status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	r->block = (r->block + 1) % READER_BLOCKS;
	return n;
}
