// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits send DEV MAC RATE BURST            bursts of frames at random times, RATE frames per second on average
 * waits read WORK_NS PLACE                 reads: UDP port 9 (socket), what comes to wrx (packet), or the tap wtap
 * waits meter WORK_NS PLACE                stamps frames and takes them up, with the programs of waits.bpf.c
 *
 * PLACE: ring, qdisc, socket, packet, tap, backlog, xsk, or cpumap:CPU, between wtx and wrx of this network namespace,
 * or bql:DEV, what the driver of a NIC has.
 * read and meter print a line 100 times a second: time, packets that were taken up, and the sum of their waits, in ns
 * of CLOCK_MONOTONIC. All end by SIGTERM.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <math.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <xdp/xsk.h>
#include "waits.skel.h"

#define STAMP_AT 42
#define MARK     0x78646d7a7761697fULL
#define STEP_NS  10000000
#define FRAMES   2048 /* of AF_XDP */

struct stamp {
	uint64_t mark, ns;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

_Noreturn static void fail(const char *what)
{
	fprintf(stderr, "waits: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

_Noreturn static void send_frames(const char *dev, const char *mac, double rate, long burst)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_protocol = htons(0x0800), .sll_halen = 6};
	unsigned char frame[106] = {};
	struct iphdr *ip = (void *)(frame + 14);
	struct udphdr *udp = (void *)(frame + 34);
	struct stamp s = {.mark = MARK};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	uint64_t next = now_ns();
	uint32_t sum = 0;

	to.sll_ifindex = (int)if_nametoindex(dev);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		fail(dev);
	sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", frame, frame + 1, frame + 2, frame + 3, frame + 4, frame + 5);
	memset(frame + 6, 2, 6);
	frame[12] = 8;
	*ip = (struct iphdr){.ihl = 5, .version = 4, .tot_len = htons(sizeof(frame) - 14), .ttl = 64, .protocol = 17};
	ip->saddr = inet_addr("10.99.0.2");
	ip->daddr = inet_addr("10.99.0.1");
	for (int i = 0; i < 10; i++)
		sum += ((uint16_t *)ip)[i];
	ip->check = (uint16_t)~(sum + (sum >> 16));
	*udp = (struct udphdr){.source = htons(7), .dest = htons(9), .len = htons(sizeof(frame) - 34)};
	memcpy(frame + STAMP_AT, &s, sizeof(s));
	for (;;) {
		next += (uint64_t)(-log(1 - drand48()) * 1e9 * (double)burst / rate);
		if (now_ns() > next + 10000000) /* without a CPU; this is not made up for */
			next = now_ns();
		if (next > now_ns())
			sleep_until(next);
		for (long i = 0; i < burst; i++)
			send(fd, frame, sizeof(frame), 0);
	}
}

struct waits {
	uint64_t packets, ns, next;
};

static void print_step(struct waits *w)
{
	uint64_t now = now_ns();

	if (now < w->next)
		return;
	w->next = now + STEP_NS;
	printf("%lu %lu %lu\n", now, w->packets, w->ns);
	fflush(stdout);
}

/* What was read: when it went into the queue, if it is one of ours. */
static void take_frame(const void *at, ssize_t n, uint64_t work_ns, struct waits *w)
{
	uint64_t now = now_ns();
	struct stamp s;

	if (n < (ssize_t)sizeof(s))
		return;
	memcpy(&s, at, sizeof(s));
	if (s.mark != MARK)
		return;
	w->packets++;
	w->ns += now - s.ns;
	while (now_ns() < now + work_ns)
		;
}

static int open_socket(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = INADDR_ANY};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) ? -1 : fd;
}

static int open_packet(void)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	at.sll_ifindex = (int)if_nametoindex("wrx");
	return fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) ? -1 : fd;
}

static int open_tap(void)
{
	struct ifreq tap = {.ifr_name = "wtap", .ifr_flags = IFF_TAP | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR);

	return fd < 0 || ioctl(fd, TUNSETIFF, &tap) ? -1 : fd;
}

_Noreturn static void read_from(uint64_t work_ns, const char *place)
{
	int fd = !strcmp(place, "tap") ? open_tap() : !strcmp(place, "packet") ? open_packet() : open_socket();
	size_t at = !strcmp(place, "socket") ? 0 : STAMP_AT;
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	struct waits w = {};
	char frame[2048];

	if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK))
		fail(place);
	for (;;) {
		ssize_t n = read(fd, frame, sizeof(frame));

		if (n < 0)
			poll(&wait, 1, STEP_NS / 1000000);
		else
			take_frame(frame + at, n - (ssize_t)at, work_ns, &w);
		print_step(&w);
	}
}

static void at_tc(const char *dev, enum bpf_tc_attach_point point, const struct bpf_program *p)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)if_nametoindex(dev), .attach_point = point);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = bpf_program__fd(p));
	int err = bpf_tc_hook_create(&hook);

	if ((err && err != -EEXIST) || bpf_tc_attach(&hook, &opts))
		fail(bpf_program__name(p));
}

static void at_xdp(const struct bpf_program *p)
{
	if (bpf_xdp_attach((int)if_nametoindex("wrx"), bpf_program__fd(p), XDP_FLAGS_DRV_MODE, NULL))
		fail(bpf_program__name(p));
}

/* Between a program that stamps and the one that takes up. */
static void attach(struct waits_bpf *b, const char *place)
{
	if (!strcmp(place, "qdisc") || !strcmp(place, "ring"))
		at_tc("wtx", BPF_TC_EGRESS, b->progs.stamp_tc);
	if (!strcmp(place, "qdisc")) {
		at_xdp(b->progs.stamp_xdp);
		if (!bpf_program__attach(b->progs.take_xmit))
			fail("net_dev_start_xmit");
	} else if (!strcmp(place, "ring")) {
		at_xdp(b->progs.take_xdp);
	} else if (!strcmp(place, "socket")) {
		at_tc("wrx", BPF_TC_INGRESS, b->progs.stamp_tc);
	} else if (!strcmp(place, "tap")) {
		at_tc("wtap", BPF_TC_EGRESS, b->progs.stamp_tc);
	} else if (!strcmp(place, "packet")) { /* a frame comes to packet sockets before it comes to tc */
		at_xdp(b->progs.stamp_xdp);
		at_tc("wrx", BPF_TC_INGRESS, b->progs.take_tc);
	} else if (!strcmp(place, "xsk")) {
		at_xdp(b->progs.stamp_xdp);
	} else if (!strncmp(place, "bql:", 4)) {
		if (!bpf_program__attach(b->progs.stamp_xmit) || !bpf_program__attach(b->progs.take_consumed))
			fail("consume_skb");
	} else if (!strcmp(place, "backlog")) {
		at_xdp(b->progs.stamp_xdp);
		at_tc("wrx", BPF_TC_INGRESS, b->progs.take_tc);
	} else {
		struct bpf_cpumap_val v = {.qsize = 2048, .bpf_prog.fd = bpf_program__fd(b->progs.take_cpumap)};

		if (bpf_map_update_elem(bpf_map__fd(b->maps.cpus), (const void *)&b->rodata->to_cpu, &v, 0))
			fail("cpumap");
		at_xdp(b->progs.stamp_xdp);
	}
}

/* By a socket of AF_XDP. */
_Noreturn static void read_xsk(uint64_t work_ns, struct waits_bpf *b)
{
	const struct xsk_socket_config config = {.rx_size = FRAMES,
						 .tx_size = FRAMES,
						 .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
						 .bind_flags = XDP_COPY};
	static char frames[FRAMES * XSK_UMEM__DEFAULT_FRAME_SIZE] __attribute__((aligned(4096)));
	struct xsk_ring_prod fill, tx;
	struct xsk_ring_cons done, rx;
	struct xsk_socket *xsk;
	struct xsk_umem *umem;
	struct pollfd wait = {.events = POLLIN};
	struct waits w = {};
	__u32 at;

	if (xsk_umem__create(&umem, frames, sizeof(frames), &fill, &done, NULL) ||
	    xsk_socket__create(&xsk, "wrx", 0, umem, &rx, &tx, &config) ||
	    xsk_socket__update_xskmap(xsk, bpf_map__fd(b->maps.xsks)) ||
	    xsk_ring_prod__reserve(&fill, FRAMES, &at) != FRAMES)
		fail("AF_XDP");
	for (__u32 i = 0; i < FRAMES; i++)
		*xsk_ring_prod__fill_addr(&fill, at + i) = i * XSK_UMEM__DEFAULT_FRAME_SIZE;
	xsk_ring_prod__submit(&fill, FRAMES);
	wait.fd = xsk_socket__fd(xsk);
	for (;;) {
		struct xdp_desc d;

		if (xsk_ring_cons__peek(&rx, 1, &at)) {
			d = *xsk_ring_cons__rx_desc(&rx, at);
			xsk_ring_cons__release(&rx, 1);
			take_frame(frames + d.addr + STAMP_AT, (ssize_t)d.len - STAMP_AT, work_ns, &w);
			xsk_ring_prod__reserve(&fill, 1, &at);
			*xsk_ring_prod__fill_addr(&fill, at) = xsk_umem__extract_addr(d.addr);
			xsk_ring_prod__submit(&fill, 1);
		} else {
			poll(&wait, 1, STEP_NS / 1000000);
		}
		print_step(&w);
	}
}

_Noreturn static void meter(uint64_t work_ns, const char *place)
{
	struct waits_bpf *b = waits_bpf__open();
	bool reads = !strcmp(place, "xsk");
	struct waits w = {};

	if (!b)
		fail("open");
	b->rodata->work_ns = reads ? 0 : work_ns;
	b->rodata->ifindex = if_nametoindex(strncmp(place, "bql:", 4) ? "wtx" : place + 4);
	b->rodata->pass = !strcmp(place, "backlog") || !strcmp(place, "packet");
	b->rodata->to_cpu = !strncmp(place, "cpumap:", 7) ? atoi(place + 7) : -1;
	b->rodata->to_xsk = reads;
	if (waits_bpf__load(b))
		fail("load");
	attach(b, place);
	if (reads)
		read_xsk(work_ns, b);
	for (;;) {
		w.packets = w.ns = 0;
		for (size_t i = 0; i < sizeof(b->bss->waited) / sizeof(*b->bss->waited); i++) {
			w.packets += b->bss->waited[i].packets;
			w.ns += b->bss->waited[i].ns;
		}
		print_step(&w);
		usleep(STEP_NS / 1000);
	}
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "send"))
		send_frames(argv[2], argv[3], atof(argv[4]), atol(argv[5]));
	if (argc == 4 && !strcmp(argv[1], "read"))
		read_from((uint64_t)atoll(argv[2]), argv[3]);
	if (argc == 4 && !strcmp(argv[1], "meter"))
		meter((uint64_t)atoll(argv[2]), argv[3]);
	return 2;
}
