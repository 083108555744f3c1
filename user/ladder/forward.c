// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/ladder/forward.h"

#include <errno.h>
#include <linux/if_link.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/forward.skel.h"
#include "user/ladder/forward_net.h"
#include "user/bed/rig_parts.h"
#include "user/machine/kernel_words.h"
#include "user/programs/bench.h"

void forward_init(struct forward *f)
{
	*f = (struct forward){.link_fd = -1};
	tc_hook_init(&f->hook);
	device_counters_init(&f->out_counters);
}

/* xzout comes up last: veth takes redirected frames only if its peer has gro on by then (Linux 6.3). */
static int open_pair(struct forward *f, struct diag *d)
{
	int err = rig_make_pair(FORWARD_END_DEV, FORWARD_OUT_DEV, RIG_SAME_NETNS, false, f->in.mtu, d);

	if (!err)
		err = rig_setup_sink(FORWARD_END_DEV, d);
	if (!err)
		err = rig_set_up(FORWARD_OUT_DEV, d);
	if (!err)
		err = netdev_open(&f->out, FORWARD_OUT_DEV, d);
	if (!err)
		err = netdev_open(&f->end, FORWARD_END_DEV, d);
	if (!err)
		device_counters_open(&f->out_counters, &f->out);
	return err;
}

static int load(struct forward *f, struct diag *d)
{
	bool tc = f->way == FORWARD_TC;

	kernel_words_clear();
	f->skel = forward_bpf__open();
	if (!f->skel)
		return diag_set(d, -errno, "cannot open its programs: %s", strerror(errno));
	f->skel->rodata->cfg_out = (__u32)f->out.ifindex;
	bpf_program__set_autoload(f->skel->progs.tc_to_device, tc);
	bpf_program__set_autoload(f->skel->progs.xdp_to_device, !tc);
	bpf_program__set_autoload(f->skel->progs.second_program, f->way == FORWARD_DEVMAP);
	bench_say_frags(f->skel->progs.xdp_to_device, &f->in);
	bench_say_frags(f->skel->progs.second_program, &f->in);
	return forward_bpf__load(f->skel) ? diag_set(d, -EOPNOTSUPP, "cannot load its program: %s%s%s", strerror(errno),
						     kernel_words_sep(), kernel_words())
					  : 0;
}

static int open_tc(struct forward *f, struct diag *d)
{
	int err = load(f, d);

	if (err)
		return err;
	err = tc_hook_open(&f->hook, &f->in, bpf_program__fd(f->skel->progs.tc_to_device));
	return err ? diag_set(d, err, "%s takes no tc program: %s%s%s", f->in.name, strerror(-err), kernel_words_sep(),
			      kernel_words())
		   : 0;
}

static int open_xdp(struct forward *f, struct diag *d)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = f->way == FORWARD_SKB ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
	struct bpf_devmap_val to = {.ifindex = (__u32)f->out.ifindex, .bpf_prog.fd = -1};
	int err = load(f, d);
	__u32 key = 0;

	if (err)
		return err;
	if (f->way == FORWARD_DEVMAP)
		to.bpf_prog.fd = bpf_program__fd(f->skel->progs.second_program);
	if (bpf_map_update_elem(bpf_map__fd(f->skel->maps.out_device), &key, &to, BPF_ANY))
		return diag_set(d, -errno, "%s cannot be redirected to: %s", f->out.name, strerror(errno));
	f->link_fd = bpf_link_create(bpf_program__fd(f->skel->progs.xdp_to_device), f->in.ifindex, BPF_XDP, &opts);
	return f->link_fd < 0 ? diag_set(d, f->link_fd, "%s takes no XDP program: %s%s%s", f->in.name,
					 strerror(-f->link_fd), kernel_words_sep(), kernel_words())
			      : 0;
}

static int open_way(struct forward *f, struct diag *d)
{
	switch (f->way) {
	case FORWARD_NONE:
		break;
	case FORWARD_XDP:
	case FORWARD_DEVMAP:
	case FORWARD_SKB:
		return open_xdp(f, d);
	case FORWARD_TC:
		return open_tc(f, d);
	case FORWARD_BRIDGE:
		return forward_bridge(&f->in, &f->out, d);
	case FORWARD_ROUTE:
		return forward_route(&f->in, &f->out, d);
	}
	return 0;
}

int forward_open(struct forward *f, enum forward_way way, const struct netdev *in, struct diag *d)
{
	int err;

	f->way = way;
	f->in = *in;
	err = open_pair(f, d);
	if (!err)
		err = open_way(f, d);
	if (err)
		forward_close(f);
	return err;
}

int forward_frames(const struct forward *f, uint64_t *frames, struct diag *d)
{
	int err = bench_count_attached(&f->end, frames);

	return err ? diag_set(d, err, "cannot read the sink's count: %s", strerror(-err)) : 0;
}

/* The device is new, so its counters began at 0. */
int forward_lost(const struct forward *f, uint64_t *frames, struct diag *d)
{
	struct counters now = {};
	int64_t skbs, xdp;

	if (device_counters_read(&f->out_counters, &now))
		return diag_set(d, -ENOMEM, "no memory");
	skbs = counters_sum(&now, COUNTER_LINK_TX_LOST);
	xdp = counters_sum(&now, COUNTER_XMIT_REFUSED);
	counters_release(&now);
	*frames = (uint64_t)((skbs > 0 ? skbs : 0) + (xdp > 0 ? xdp : 0));
	return 0;
}

void forward_close(struct forward *f)
{
	if (f->link_fd >= 0)
		close(f->link_fd);
	tc_hook_close(&f->hook);
	forward_bpf__destroy(f->skel);
	if (f->way == FORWARD_BRIDGE)
		forward_bridge_close(&f->in);
	if (f->way == FORWARD_ROUTE)
		forward_route_close(&f->in);
	device_counters_release(&f->out_counters);
	if (f->way != FORWARD_NONE)
		rig_delete_link(FORWARD_END_DEV); /* the kernel deletes its peer too */
	forward_init(f);
}
