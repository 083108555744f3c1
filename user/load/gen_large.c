// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/load/gen_large.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "user/load/gen_frames.h"
#include "user/machine/clock.h"

#define SOCKET_ROOM (4 << 20)
#define SLEEP_NS    200000 /* a shorter wait is spun */

bool gen_is_large(const struct gen_options *o)
{
	return gen_frames_longest(o) > GEN_MAX_BYTES;
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

static int send_one(int fd, const struct gen_options *o, const struct netdev *nd, uint64_t number)
{
	const struct frame *f = &o->frames->list[number % o->frames->n];
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
	int fd = open_socket(nd, d), err = 0;

	if (fd < 0)
		return fd;
	*r = (struct gen_result){.sent = 0, .refused = 0, .back = -1};
	while (!*stop && !err && now_ns() < end && (!o->count || (uint64_t)r->sent < o->count)) {
		wait_until(start + (uint64_t)(gap_ns * (double)r->handed), stop);
		err = send_one(fd, o, nd, r->handed++);
		r->sent += !err;
		r->refused += err == -ENOBUFS;
		if (err == -ENOBUFS || err == -EINTR || err == -EAGAIN) {
			sched_yield();
			err = 0;
		}
	}
	r->elapsed_ns = now_ns() - start;
	close(fd);
	return err ? diag_set(d, err, "%s takes no frame of this length: %s", nd->name, strerror(-err)) : 0;
}
