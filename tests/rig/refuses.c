// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refuses - preloaded: the kernel seems to refuse what $REFUSES names. "turns": the program that takes turns;
 * "exchange": another program for a link; "bpf", "perf_event_open": that call, as under the filter of a container;
 * "gro": UDP_GRO
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static int refuses(const char *what)
{
	const char *named = getenv("REFUSES");

	return named && !strcmp(named, what);
}

long syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");

	if ((number == SYS_bpf && refuses("bpf")) || (number == SYS_perf_event_open && refuses("perf_event_open")))
		return errno = EPERM, -1;
	if ((number == SYS_bpf && a == BPF_LINK_UPDATE && refuses("exchange")) ||
	    (number == SYS_bpf && a == BPF_PROG_LOAD && !strcmp(((union bpf_attr *)b)->prog_name, "turns") &&
	     refuses("turns")))
		return errno = EINVAL, -1;
	return real(number, a, b, c, d, e, f);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int (*real)(int, int, int, const void *, socklen_t) =
		(int (*)(int, int, int, const void *, socklen_t))dlsym(RTLD_NEXT, "setsockopt");

	if (level == IPPROTO_UDP && name == UDP_GRO && refuses("gro"))
		return errno = ENOPROTOOPT, -1;
	return real(fd, level, name, value, len);
}
