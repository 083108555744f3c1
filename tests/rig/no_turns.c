// SPDX-License-Identifier: GPL-2.0-or-later
/* Preloaded: the kernel's verifier seems to refuse the generator that takes turns. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>

long syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long (*real)(long, long, long, long, long, long, long) =
		(long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall");

	if (number == SYS_bpf && a == BPF_PROG_LOAD && !strcmp(((union bpf_attr *)b)->prog_name, "turns")) {
		errno = EINVAL;
		return -1;
	}
	return real(number, a, b, c, d, e, f);
}
