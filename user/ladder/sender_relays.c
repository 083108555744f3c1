// SPDX-License-Identifier: GPL-2.0-or-later
/* The relays of sender_tcp.h. The data is there and the other side has room, so no call waits. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "user/ladder/ladder.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

int sender_relay_none(struct sender *s, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		ssize_t n = read(s->tcp->in, s->tcp->got + at, least(bytes - at, TCP_CHUNK));

		s->counts.calls++;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		at += (size_t)n;
	}
	return 0;
}

static int sender_relays_write_all(struct sender *s, const char *from, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		ssize_t n = write(s->tcp->out, from + at, bytes - at);

		s->counts.calls++;
		if (n < 0)
			return -errno;
		at += (size_t)n;
	}
	return 0;
}

int sender_relay_copy(struct sender *s, size_t bytes)
{
	for (size_t left = bytes; left;) {
		ssize_t n = read(s->tcp->in, s->tcp->buffer, least(left, TCP_CHUNK));
		int err;

		s->counts.calls++;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		err = sender_relays_write_all(s, s->tcp->buffer, (size_t)n);
		if (err)
			return err;
		left -= (size_t)n;
	}
	return 0;
}

static int empty_pipe(struct sender *s, size_t bytes)
{
	while (bytes) {
		ssize_t n = splice(s->tcp->pipe[0], NULL, s->tcp->out, NULL, bytes, SPLICE_F_MOVE);

		s->counts.calls++;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		bytes -= (size_t)n;
	}
	return 0;
}

int sender_relay_splice(struct sender *s, size_t bytes)
{
	for (size_t left = bytes; left;) {
		ssize_t n = splice(s->tcp->in, NULL, s->tcp->pipe[1], NULL, left, SPLICE_F_MOVE);
		int err;

		s->counts.calls++;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		err = empty_pipe(s, (size_t)n);
		if (err)
			return err;
		left -= (size_t)n;
	}
	return 0;
}

/* A chain: receive a chunk, send it, receive the next. One call hands the whole chain over and returns at its end. */
int sender_relay_uring(struct sender *s, size_t bytes)
{
	struct io_uring *ring = &s->tcp->uring;
	unsigned int n = 0;

	for (size_t at = 0; at < bytes; n += 2) {
		size_t now = least(bytes - at, TCP_CHUNK);
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
