// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/gen/gen_large.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "user/gen/gen_frames.h"
#include "user/machine/clock.h"

#define SOCKET_ROOM (4 << 20)
#define SLEEP_NS    200000 /* a shorter wait is spun */

#define SOURCE_PORT 34 /* where a frame of gen_frame() has it */

bool gen_is_large(const struct gen_options *o)
{
	return gen_longest(o) > GEN_MAX_BYTES;
}

static int open_socket(const struct netdev *nd, struct diag *d)
{
	const struct sockaddr_ll device = {.sll_family = AF_PACKET, .sll_ifindex = nd->ifindex};
	const int room = SOCKET_ROOM, on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), err;

	/* With this header the kernel puts all behind the first bytes of a long frame into pages of their own. */
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) &&
	    !setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) &&
	    !setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) &&
	    !bind(fd, (const struct sockaddr *)&device, sizeof(device)))
		return fd;
	err = diag_set(d, -errno, "%s: cannot set up a packet socket for long frames: %s", nd->name, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/* The list's next frame, or our own, whose source port is that of the next flow. */
static const struct frame *next_frame(const struct gen_options *o, const struct frame *own, uint64_t number)
{
	uint16_t port;

	if (o->frames)
		return &o->frames->list[number % o->frames->n];
	if (o->flows > 1) {
		port = htons((uint16_t)(GEN_FIRST_PORT + number % (uint64_t)o->flows));
		memcpy(own->data + SOURCE_PORT, &port, sizeof(port));
	}
	return own;
}

static int send_one(int fd, const struct gen_options *o, const struct netdev *nd, const struct frame *f)
{
	struct virtio_net_hdr head = {.hdr_len = ETH_HLEN};
	unsigned char macs[2 * ETH_ALEN];
	struct iovec parts[] = {
		{&head, sizeof(head)}, {macs, sizeof(macs)}, {f->data + sizeof(macs), f->bytes - sizeof(macs)}};

	memcpy(macs, o->dst_mac, ETH_ALEN);
	memcpy(macs + ETH_ALEN, nd->mac, ETH_ALEN);
	return writev(fd, parts, 3) < 0 ? -errno : 0;
}

static void wait_until(uint64_t due_ns, const volatile sig_atomic_t *stop)
{
	uint64_t now;

	while (!*stop && (now = now_ns()) < due_ns)
		if (due_ns - now > SLEEP_NS)
			sleep_until_ns(due_ns - SLEEP_NS / 2);
}

int gen_large_run(const struct gen_options *o, const struct netdev *nd, const volatile sig_atomic_t *stop,
		  struct gen_result *r, struct diag *d)
{
	uint64_t start = now_ns(), end = o->duration_ns ? start + o->duration_ns : UINT64_MAX;
	double gap_ns = o->rate_pps > 0 ? 1e9 / o->rate_pps : 0;
	struct frame own = {.data = malloc(GEN_LONGEST), .bytes = (uint32_t)o->bytes};
	int fd = own.data ? open_socket(nd, d) : diag_set(d, -ENOMEM, "no memory"), err = 0;

	if (fd < 0)
		goto out;
	if (!o->frames)
		gen_frame(own.data, o, nd->mac);
	*r = (struct gen_result){.sent = 0, .refused = 0, .back = -1};
	while (!*stop && !err && now_ns() < end && (!o->count || (uint64_t)r->sent < o->count)) {
		wait_until(start + (uint64_t)(gap_ns * (double)r->handed), stop);
		err = send_one(fd, o, nd, next_frame(o, &own, r->handed++));
		r->sent += !err;
		r->refused += err == -ENOBUFS;
		if (err == -ENOBUFS || err == -EINTR || err == -EAGAIN) {
			sched_yield();
			err = 0;
		}
	}
	r->elapsed_ns = now_ns() - start;
	close(fd);
	if (err)
		fd = diag_set(d, err, "%s takes no frame of this length: %s", nd->name, strerror(-err));
out:
	free(own.data);
	return fd < 0 ? fd : 0;
}
