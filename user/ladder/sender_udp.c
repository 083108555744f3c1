// SPDX-License-Identifier: GPL-2.0-or-later
/* Senders of UDP datagrams. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>
#include "user/gen/gen.h"
#include "user/ladder/ladder.h"

#define SOCKET_ROOM   (32 << 20)
#define GSO_MOST      65000 /* bytes of a buffer */
#define NOTIFICATIONS 16    /* read at a time */

static int map_memory(struct sender *s, struct diag *d)
{
	void *p;

	s->bytes = SENDER_BATCH * s->payload;
	p = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p == MAP_FAILED)
		return sender_refuse("get memory for datagrams", d);
	s->memory = p;
	return 0;
}

int sender_open_udp(struct sender *s, struct diag *d)
{
	struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(RUNG_PORT)};
	const int room = SOCKET_ROOM;
	int err = map_memory(s, d);

	if (err)
		return err;
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

int sender_open_zerocopy(struct sender *s, struct diag *d)
{
	const int on = 1;
	int err = sender_open_udp(s, d);

	if (!err && setsockopt(s->fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		err = sender_refuse("switch SO_ZEROCOPY on", d);
	return err;
}

int sender_open_gso(struct sender *s, struct diag *d)
{
	const int segment = (int)s->payload;
	int err = sender_open_udp(s, d);

	if (!err && setsockopt(s->fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		err = sender_refuse("set UDP_SEGMENT", d);
	return err;
}

/* What a loop of calls returns that ended with an error after so many frames. */
static int ended(unsigned int sent)
{
	return sent || sender_no_room() ? (int)sent : -errno;
}

int sender_send_each(struct sender *s, unsigned int n)
{
	bool udp = s->o.way == SENDER_SEND;
	const char *what = udp ? s->memory : s->frame;
	size_t bytes = udp ? s->payload : (size_t)s->o.bytes;

	for (unsigned int i = 0; i < n; i++) {
		s->counts.calls++;
		if (send(s->fd, what, bytes, 0) < 0)
			return ended(i);
	}
	return (int)n;
}

int sender_sendmsg(struct sender *s, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		s->counts.calls++;
		if (sendmsg(s->fd, &s->message, 0) < 0)
			return ended(i);
	}
	return (int)n;
}

int sender_sendmmsg(struct sender *s, unsigned int n)
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

int sender_complete_zerocopy(struct sender *s)
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
int sender_send_zerocopy(struct sender *s, unsigned int n)
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

int sender_send_gso(struct sender *s, unsigned int n)
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
