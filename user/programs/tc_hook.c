// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/programs/programs.h"

#include <errno.h>
#include <stdbool.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "user/machine/machine.h"

#define PRIORITY      1
#define ATTACH_TCX_IN 46 /* BPF_TCX_INGRESS of Linux 6.6; many systems have older headers */

void tc_hook_init(struct tc_hook *h)
{
	*h = (struct tc_hook){.link_fd = -1};
	guard_init(&h->guard);
}

/* A filter of clsact, by what the guard knows before it is there: the program's id, which no other filter has. */
struct filter {
	int ifindex;
	__u32 handle;
	bool with_hook; /* the hook is ours, too */
};

static void remove_filter(const void *arg, int keep_fd)
{
	const struct filter *f = arg;
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = f->ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = f->handle, .priority = PRIORITY);

	(void)keep_fd;
	bpf_tc_detach(&hook, &opts);
	hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS; /* both: the hook itself */
	if (f->with_hook)
		bpf_tc_hook_destroy(&hook);
}

/* Linux before 6.6 has no tcx, and gets the program through clsact. */
static int attach_clsact(struct tc_hook *h, const struct netdev *nd, int fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = nd->ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd, .priority = PRIORITY);
	struct filter f = {.ifindex = nd->ifindex};
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	opts.handle = f.handle = info.id;
	err = bpf_tc_hook_create(&hook);
	if (err && err != -EEXIST)
		return err;
	f.with_hook = !err;
	err = guard_start(&h->guard, remove_filter, &f, -1);
	if (err)
		remove_filter(&f, -1);
	return err ? err : bpf_tc_attach(&hook, &opts);
}

int tc_hook_open(struct tc_hook *h, const struct netdev *nd, int prog_fd)
{
	h->link_fd = bpf_link_create(prog_fd, nd->ifindex, ATTACH_TCX_IN, NULL);
	return h->link_fd < 0 ? attach_clsact(h, nd, prog_fd) : 0;
}

void tc_hook_close(struct tc_hook *h)
{
	attached_end(&h->link_fd);
	guard_close(&h->guard);
	tc_hook_init(h);
}
