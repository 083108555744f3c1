// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "user/gen/gen.h"
#include "user/ladder/ladder.h"

#define HEADERS 42 /* Ethernet, IPv4, UDP */

#define TCP                                                                                                            \
	{.open = sender_open_tcp,                                                                                      \
	 .send = sender_send_tcp,                                                                                      \
	 .own_ns = sender_tcp_ns,                                                                                      \
	 .close = sender_close_tcp,                                                                                    \
	 .awaits = true}

static const struct sender_kind sender_kinds[] = {
	[SENDER_SEND] = {.open = sender_open_udp, .send = sender_send_each},
	[SENDER_SENDMSG] = {.open = sender_open_udp, .send = sender_sendmsg},
	[SENDER_SENDMMSG] = {.open = sender_open_udp, .send = sender_sendmmsg},
	[SENDER_ZEROCOPY] = {.open = sender_open_zerocopy,
			     .send = sender_send_zerocopy,
			     .complete = sender_complete_zerocopy},
	[SENDER_GSO] = {.open = sender_open_gso, .send = sender_send_gso},
	[SENDER_PACKET] = {.open = sender_open_packet, .send = sender_send_each},
	[SENDER_PACKET_BYPASS] = {.open = sender_open_bypass, .send = sender_send_each},
	[SENDER_PACKET_RING] = {.open = sender_open_ring, .send = sender_send_ring, .complete = sender_complete_ring},
	[SENDER_XSK] = {.open = sender_open_xsk, .send = sender_send_xsk, .complete = sender_complete_xsk},
	[SENDER_LIVE] = {.open = sender_open_live,
			 .send = sender_send_live,
			 .own_ns = sender_kernel_ns,
			 .close = sender_close_kernel,
			 .nonstop = true},
	[SENDER_PKTGEN] = {.open = sender_open_pktgen,
			   .send = sender_send_pktgen,
			   .own_ns = sender_kernel_ns,
			   .close = sender_close_pktgen,
			   .nonstop = true},
	[SENDER_TCP_READ] = TCP,
	[SENDER_TCP_PASS] = TCP,
	[SENDER_TCP_PASS_SKB] = TCP,
	[SENDER_TCP_SPLICE] = TCP,
	[SENDER_TCP_COPY] = TCP,
	[SENDER_TCP_URING] = TCP,
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

static int make_frame(struct sender *s, struct diag *d)
{
	struct gen_options shape;

	gen_options_init(&shape);
	shape.bytes = s->o.bytes;
	memcpy(shape.dst_mac, s->o.peer_mac, sizeof(shape.dst_mac));
	s->frame = calloc(1, (size_t)s->o.bytes);
	if (!s->frame)
		return diag_set(d, -ENOMEM, "no memory");
	gen_frame((unsigned char *)s->frame, &shape, s->o.nd->mac);
	s->payload = (size_t)s->o.bytes - HEADERS;
	return 0;
}

int sender_open(struct sender **out, const struct sender_options *o, struct diag *d)
{
	struct sender *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, "no memory");
	s->o = *o;
	s->fd = s->link_fd = s->netns_fd = -1;
	err = make_frame(s, d) ?: sender_kinds[o->way].open(s, d);
	if (err)
		sender_close(s);
	else
		*out = s;
	return err;
}

int sender_send(struct sender *s, unsigned int n)
{
	int sent = sender_kinds[s->o.way].send(s, n);

	if (sent > 0)
		s->counts.frames += (uint64_t)sent;
	return sent;
}

int sender_complete(struct sender *s)
{
	return sender_kinds[s->o.way].complete ? sender_kinds[s->o.way].complete(s) : 0;
}

uint64_t sender_clock_ns(clockid_t clock)
{
	struct timespec ts = {};

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

uint64_t sender_own_ns(const struct sender *s)
{
	const struct sender_kind *kind = &sender_kinds[s->o.way];

	return kind->own_ns ? kind->own_ns(s) : sender_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

pid_t sender_task(const struct sender *s)
{
	return s->task;
}

const char *sender_root(const struct sender *s)
{
	return s->o.way == SENDER_LIVE ? "bpf_prog_test_run_xdp" : NULL;
}

pid_t sender_helper(const struct sender *s)
{
	return s->tcp ? s->tcp->poller : 0;
}

bool sender_awaits(const struct sender *s)
{
	return sender_kinds[s->o.way].awaits;
}

void sender_on_away(struct sender *s, void (*away)(void *arg, uint64_t from_ns), void *arg)
{
	s->away = away;
	s->away_arg = arg;
}

void sender_was_away(const struct sender *s, uint64_t from_ns)
{
	if (s->away)
		s->away(s->away_arg, from_ns);
}

bool sender_is_nonstop(const struct sender *s)
{
	return sender_kinds[s->o.way].nonstop;
}

const struct sender_counts *sender_counts(const struct sender *s)
{
	return &s->counts;
}

void sender_close(struct sender *s)
{
	if (!s)
		return;
	if (sender_kinds[s->o.way].close)
		sender_kinds[s->o.way].close(s);
	if (s->xsk)
		xsk_socket__delete(s->xsk);
	if (s->umem)
		xsk_umem__delete(s->umem);
	if (s->fd >= 0)
		close(s->fd);
	if (s->memory)
		munmap(s->memory, s->bytes);
	free(s->frame);
	free(s);
}
