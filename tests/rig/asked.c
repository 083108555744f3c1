// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asked - a device that refuses each program of a bpf_link, and a process that is killed, or not, once netlink attached
 *         one
 * usage: cc -shared -fPIC -D_GNU_SOURCE -o asked.so asked.c -ldl; [ASKED_DIES=1] LD_PRELOAD=asked.so COMMAND
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int bpf_link_create(int prog_fd, int target, int type, const void *opts)
{
	int (*create)(int, int, int, const void *) =
		(int (*)(int, int, int, const void *))dlsym(RTLD_NEXT, "bpf_link_create");

	return type == 37 /* BPF_XDP */ ? -EINVAL : create(prog_fd, target, type, opts);
}

int bpf_xdp_attach(int ifindex, int prog_fd, unsigned int flags, const void *opts)
{
	int (*attach)(int, int, unsigned int, const void *) =
		(int (*)(int, int, unsigned int, const void *))dlsym(RTLD_NEXT, "bpf_xdp_attach");
	int err = attach(ifindex, prog_fd, flags, opts);

	if (!err)
		(void)!write(2, "asked\n", 6);
	if (!err && getenv("ASKED_DIES"))
		kill(getpid(), SIGKILL);
	return err;
}
