// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits send DEV MAC RATE BURST            bursts of frames at random times, RATE frames per second on average
 * waits read WORK_NS                       reads UDP port 9
 * waits meter WORK_NS PLACE                stamps frames and takes them up, with the programs of waits.bpf.c
 *
 * PLACE: ring, qdisc, socket, backlog, or cpumap:CPU, between wtx and wrx of this network namespace.
 * read and meter print a line 100 times a second: time, packets that were taken up, and the sum of their waits, in ns
 * of CLOCK_MONOTONIC. All end by SIGTERM.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <math.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "waits.skel.h"

#define STAMP_AT 42
#define MARK     0x78646d7a7761697fULL
#define STEP_NS  10000000

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

static void print_step(uint64_t *next, uint64_t packets, uint64_t ns)
{
	uint64_t now = now_ns();

	if (now < *next)
		return;
	*next = now + STEP_NS;
	printf("%lu %lu %lu\n", now, packets, ns);
	fflush(stdout);
}

_Noreturn static void read_socket(uint64_t work_ns)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = INADDR_ANY};
	struct timeval most = {.tv_usec = STEP_NS / 1000};
	uint64_t packets = 0, ns = 0, next = 0;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char payload[256];

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)))
		fail("port 9");
	for (;;) {
		const struct stamp *s = (void *)payload;
		ssize_t n = recv(fd, payload, sizeof(payload), 0);
		uint64_t now = now_ns();

		if (n >= (ssize_t)sizeof(*s) && s->mark == MARK) {
			packets++;
			ns += now - s->ns;
			while (now_ns() < now + work_ns)
				;
		}
		print_step(&next, packets, ns);
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

_Noreturn static void meter(uint64_t work_ns, const char *place)
{
	struct waits_bpf *b = waits_bpf__open();
	uint64_t next = 0;

	if (!b)
		fail("open");
	b->rodata->work_ns = work_ns;
	b->rodata->ifindex = if_nametoindex("wtx");
	b->rodata->pass = !strcmp(place, "backlog");
	b->rodata->to_cpu = !strncmp(place, "cpumap:", 7) ? atoi(place + 7) : -1;
	if (waits_bpf__load(b))
		fail("load");
	attach(b, place);
	for (;;) {
		uint64_t packets = 0, ns = 0;

		for (size_t i = 0; i < sizeof(b->bss->waited) / sizeof(*b->bss->waited); i++) {
			packets += b->bss->waited[i].packets;
			ns += b->bss->waited[i].ns;
		}
		print_step(&next, packets, ns);
		usleep(STEP_NS / 1000);
	}
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "send"))
		send_frames(argv[2], argv[3], atof(argv[4]), atol(argv[5]));
	if (argc == 3 && !strcmp(argv[1], "read"))
		read_socket((uint64_t)atoll(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "meter"))
		meter((uint64_t)atoll(argv[2]), argv[3]);
	return 2;
}
