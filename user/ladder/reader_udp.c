// SPDX-License-Identifier: GPL-2.0-or-later
/* Readers of a UDP socket by system calls. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>
#include "user/ladder/ladder.h"

#define SOCKET_ROOM (32 << 20) /* a frame of 60 bytes takes a page; the generator's window is far smaller */

static int reader_udp_refuse(const char *what, struct diag *d)
{
	return diag_set(d, -errno, "cannot %s: %s", what, strerror(errno));
}

static int map_memory(struct reader *r, size_t bytes, struct diag *d)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		return reader_udp_refuse("get memory for datagrams", d);
	r->memory = p;
	r->bytes = bytes;
	return 0;
}

int reader_open_udp(struct reader *r, struct diag *d)
{
	const struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(RUNG_PORT)};
	const struct timeval idle = {.tv_usec = READER_IDLE_MS * 1000};
	const int room = SOCKET_ROOM;

	r->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (r->fd < 0)
		return reader_udp_refuse("open a UDP socket", d);
	if (setsockopt(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle)))
		return reader_udp_refuse("set up a UDP socket", d);
	if (bind(r->fd, (const struct sockaddr *)&port, sizeof(port)))
		return reader_udp_refuse("bind to the frames' port", d);
	return map_memory(r, (size_t)READER_BUFFERS * READER_BYTES, d);
}

int reader_open_gro(struct reader *r, struct diag *d)
{
	const int on = 1;
	int err = reader_open_udp(r, d);

	if (!err && setsockopt(r->fd, SOL_UDP, UDP_GRO, &on, sizeof(on)))
		err = reader_udp_refuse("switch UDP_GRO on", d);
	return err;
}

/* What recv(2) and its kin say when nothing came. */
static int nothing(void)
{
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int reader_read_recv(struct reader *r)
{
	return recv(r->fd, r->memory, READER_BYTES, 0) < 0 ? nothing() : 1;
}

int reader_begin_recvmmsg(struct reader *r)
{
	for (size_t i = 0; i < READER_BATCH; i++) {
		r->pieces[i] = (struct iovec){r->memory + i * READER_BYTES, READER_BYTES};
		r->messages[i].msg_hdr = (struct msghdr){.msg_iov = &r->pieces[i], .msg_iovlen = 1};
	}
	return 0;
}

int reader_read_recvmmsg(struct reader *r)
{
	int n = recvmmsg(r->fd, r->messages, READER_BATCH, MSG_WAITFORONE, NULL);

	return n < 0 ? nothing() : n;
}

/* The control message holds the length of one datagram; without it there is only one. */
int reader_read_gro(struct reader *r)
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
