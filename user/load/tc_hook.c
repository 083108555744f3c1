// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/load/tc_hook.h"

#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define ATTACH_TCX_IN 46 /* BPF_TCX_INGRESS of Linux 6.6; many systems have older headers */

void tc_hook_init(struct tc_hook *h)
{
	*h = (struct tc_hook){.link_fd = -1};
}

/* Linux before 6.6 has no tcx, and gets the program through clsact. */
static int attach_clsact(struct tc_hook *h, const struct netdev *nd, int fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = nd->ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd);
	int err = bpf_tc_hook_create(&hook);

	if (err)
		return err;
	h->clsact_ifindex = nd->ifindex;
	return bpf_tc_attach(&hook, &opts);
}

int tc_hook_open_tcx(struct tc_hook *h, const struct netdev *nd, int prog_fd)
{
	h->link_fd = bpf_link_create(prog_fd, nd->ifindex, ATTACH_TCX_IN, NULL);
	return h->link_fd < 0 ? h->link_fd : 0;
}

int tc_hook_open(struct tc_hook *h, const struct netdev *nd, int prog_fd)
{
	return tc_hook_open_tcx(h, nd, prog_fd) ? attach_clsact(h, nd, prog_fd) : 0;
}

void tc_hook_close(struct tc_hook *h)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = h->clsact_ifindex,
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS); /* both: the hook itself goes */

	if (h->link_fd >= 0)
		close(h->link_fd);
	if (h->clsact_ifindex)
		bpf_tc_hook_destroy(&hook);
	tc_hook_init(h);
}
