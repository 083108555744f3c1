// SPDX-License-Identifier: GPL-2.0-or-later
/* Preloaded: the kernel seems to refuse to exchange the program of a link. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>

long syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long (*real)(long, long, long, long, long, long, long) =
		(long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall");

	if (number == SYS_bpf && a == BPF_LINK_UPDATE) {
		errno = EINVAL;
		return -1;
	}
	return real(number, a, b, c, d, e, f);
}
