// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refuses - preloaded: the kernel seems to refuse what $REFUSES names. "turns": the program that takes turns;
 * "exchange": another program for a link; "links", "links and dies": each XDP program of a bpf_link, and the latter
 * kills the process once netlink attached one; "bpf", "perf_event_open": that call, as under the filter of a container;
 * "gro": UDP_GRO; "bits": now and then, to read the last bit of a relay's buffer as it was sent
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

int raise(int signal); /* signal.h has another syscall() */

#define REAL(name)  ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define RELAY_BYTES (16 * 1448)

static int refuses(const char *what)
{
	const char *named = getenv("REFUSES");

	return named && !strcmp(named, what);
}

long syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if ((number == SYS_bpf && refuses("bpf")) || (number == SYS_perf_event_open && refuses("perf_event_open")))
		return errno = EPERM, -1;
	if ((number == SYS_bpf && a == BPF_LINK_UPDATE && refuses("exchange")) ||
	    (number == SYS_bpf && a == BPF_PROG_LOAD && !strcmp(((union bpf_attr *)b)->prog_name, "turns") &&
	     refuses("turns")))
		return errno = EINVAL, -1;
	return REAL(syscall)(number, a, b, c, d, e, f);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	if (level == IPPROTO_UDP && name == UDP_GRO && refuses("gro"))
		return errno = ENOPROTOOPT, -1;
	return REAL(setsockopt)(fd, level, name, value, len);
}

int bpf_link_create(int program, int target, enum bpf_attach_type type, const struct bpf_link_create_opts *opts)
{
	if (type == BPF_XDP && (refuses("links") || refuses("links and dies")))
		return -EINVAL;
	return REAL(bpf_link_create)(program, target, type, opts);
}

int bpf_xdp_attach(int ifindex, int program, __u32 flags, const struct bpf_xdp_attach_opts *opts)
{
	int err = REAL(bpf_xdp_attach)(ifindex, program, flags, opts);

	if (!err && refuses("links and dies")) {
		fputs("attached\n", stderr);
		raise(9);
	}
	return err;
}

ssize_t read(int fd, void *to, size_t bytes)
{
	static int times;
	ssize_t n = REAL(read)(fd, to, bytes);

	if (n == RELAY_BYTES && bytes == RELAY_BYTES && refuses("bits") && ++times % 100 == 0)
		((char *)to)[RELAY_BYTES - 1] ^= 1;
	return n;
}
