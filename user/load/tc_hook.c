// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/load/tc_hook.h"

#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define ATTACH_TCX_IN 46 /* BPF_TCX_INGRESS of Linux 6.6; many systems have older headers */

void tc_hook_init(struct tc_hook *h)
{
	*h = (struct tc_hook){.link_fd = -1};
	guard_init(&h->guard);
}

/* The guard's: the clsact hook goes, and the program with it. Both attach points mean the hook itself. */
static void remove_clsact(const void *ifindex, int keep_fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = *(const int *)ifindex,
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	(void)keep_fd;
	bpf_tc_hook_destroy(&hook);
}

/*
 * Linux before 6.6 has no tcx, and gets the program through clsact. A hook that was there is another's, and so it is
 * asked for before there is a guard.
 */
static int attach_clsact(struct tc_hook *h, const struct netdev *nd, int fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = nd->ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd);
	int err = bpf_tc_hook_create(&hook);

	if (err)
		return err;
	err = guard_start(&h->guard, remove_clsact, &nd->ifindex, -1);
	if (err)
		remove_clsact(&nd->ifindex, -1);
	return err ? err : bpf_tc_attach(&hook, &opts);
}

int tc_hook_open(struct tc_hook *h, const struct netdev *nd, int prog_fd)
{
	h->link_fd = bpf_link_create(prog_fd, nd->ifindex, ATTACH_TCX_IN, NULL);
	return h->link_fd < 0 ? attach_clsact(h, nd, prog_fd) : 0;
}

void tc_hook_close(struct tc_hook *h)
{
	if (h->link_fd >= 0)
		close(h->link_fd);
	guard_close(&h->guard);
	tc_hook_init(h);
}
