// SPDX-License-Identifier: GPL-2.0-or-later
/* Puts a program on a device and takes it off. bench.h has the contract. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "base/known.h"
#include "base/shell_word.h"
#include "bpf/arrivals.skel.h"
#include "user/programs/programs.h"
#include "user/machine/machine.h"

static const __u32 mode_flags[RUN_MODES] = {
	[RUN_MODE_NATIVE] = XDP_FLAGS_DRV_MODE,
	[RUN_MODE_SKB] = XDP_FLAGS_SKB_MODE,
	[RUN_MODE_HW] = XDP_FLAGS_HW_MODE,
};

static const char *program_name(__u32 id, char *name, size_t size)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	snprintf(name, size, "?");
	if (fd < 0)
		return name;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		snprintf(name, size, "%.16s", info.name);
	close(fd);
	return name;
}

static int refuse_occupied(const struct netdev *nd, struct diag *d)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	char name[20];
	__u32 id;

	if (bpf_xdp_query(nd->ifindex, 0, &q))
		return 0; /* if there is a program, attaching will fail and report it */
	id = q.drv_prog_id ?: q.skb_prog_id ?: q.hw_prog_id ?: q.prog_id;
	if (!id)
		return 0;
	return diag_set(d, -EBUSY, "%s already carries XDP program %u (%s) in %s mode; remove it first", nd->name, id,
			program_name(id, name, sizeof(name)),
			q.drv_prog_id   ? "native"
			: q.skb_prog_id ? "skb"
					: "hw");
}

struct asked {
	int ifindex;
	__u32 flag;
};

/* Only our own program: where another one is there by now, or none, the kernel refuses. */
static void take_off(const void *arg, int prog_fd)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = prog_fd);
	const struct asked *a = arg;

	bpf_xdp_detach(a->ifindex, a->flag, &opts);
}

/*
 * Attaching by bpf_link returns only an errno. Attaching by netlink also returns the driver's own sentence (extended
 * ack). So this function attaches by netlink to get that sentence. Attaching may succeed this time, and what netlink
 * attached outlives this process. So a guard detaches it, also when this process is killed in between.
 */
static void ask_driver_why(struct bench *b, const struct netdev *nd, __u32 flag)
{
	struct asked a = {.ifindex = nd->ifindex, .flag = flag};
	struct guard guard;

	kernel_words_clear();
	guard_init(&guard);
	if (guard_start(&guard, take_off, &a, b->prog_fd))
		return;
	bpf_xdp_attach(nd->ifindex, b->prog_fd, flag | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
	guard_close(&guard);
}

static int attach_refused(struct bench *b, const struct netdev *nd, enum run_mode mode, int err, struct diag *d)
{
	const struct native_limit *l = native_limit_of(nd->driver);
	struct native_refusal r;
	bool of_mtu;

	if (err == -ENODEV || netdev_gone(nd))
		return diag_set(d, -ENODEV, "%s: no such device", nd->name);
	if (err == -EPERM)
		return diag_set(d, err, "%s: attaching XDP programs needs root (CAP_NET_ADMIN)", nd->name);
	ask_driver_why(b, nd, mode_flags[mode]);
	of_mtu = strcasestr(kernel_words(), "MTU"); /* a program of the user's own may know one buffer alone */
	if (mode == RUN_MODE_NATIVE && native_why(nd, b->frags && !of_mtu, &r))
		return diag_set(
			d, err, "%s: driver %s refuses native XDP with its settings now: %s%s%s; the remedy: %s%s",
			nd->name, known(nd->driver), r.why, kernel_words_sep(), kernel_words(), r.mend,
			of_mtu && l && l->frags ? ", or a program of your own that takes frames of several buffers "
						  "(SEC(\"xdp.frags\"))"
						: "");
	/* The driver's own words are about a setting when they are not "does not support XDP in native mode". */
	if (err == -EOPNOTSUPP && kernel_words()[0] && !strstr(kernel_words(), "does not support XDP in native mode"))
		return diag_set(d, err,
				"%s: driver %s refuses %s XDP with its settings now: %s; xdpzoom doctor %s shows the "
				"remedy",
				nd->name, nd->driver, run_mode_words[mode], kernel_words(), nd->name);
	if (of_mtu)
		return diag_set(d, err,
				"%s: driver %s refuses an XDP program in %s mode with this MTU: %s; xdpzoom doctor %s "
				"shows the remedy, or a program of your own may take frames of several buffers "
				"(SEC(\"xdp.frags\"))",
				nd->name, known(nd->driver), run_mode_words[mode], kernel_words(), nd->name);
	if (strstr(kernel_words(), "bound to different device"))
		return diag_set(d, err,
				"the program reads the driver's metadata, so it is bound to one device, and %s is "
				"another; give --view blocks, where variants do not take turns on several",
				nd->name);
	if (err == -EOPNOTSUPP && mode == RUN_MODE_NATIVE) {
		return diag_set(d, err, "%s: driver %s has no native XDP%s%s; use skb mode", nd->name,
				known(nd->driver), kernel_words_sep(), kernel_words());
	}
	return diag_set(d, err, "%s: driver %s refuses an XDP program in %s mode: %s%s%s", nd->name, known(nd->driver),
			run_mode_words[mode], strerror(-err), kernel_words_sep(), kernel_words());
}

bool bench_confirm(struct bench *b, const struct netdev *nd)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	b->mode_found = RUN_MODE_NONE;
	if (bpf_xdp_query(nd->ifindex, 0, &q))
		return false;
	if (q.drv_prog_id == b->prog_id)
		b->mode_found = RUN_MODE_NATIVE;
	else if (q.skb_prog_id == b->prog_id)
		b->mode_found = RUN_MODE_SKB;
	else if (q.hw_prog_id == b->prog_id)
		b->mode_found = RUN_MODE_HW;
	else
		return false;
	return true;
}

void bench_watch(struct bench *b, const struct netdev *nd)
{
	if (!b->arrivals)
		return;
	b->arrivals->bss->netns_inum = netns_inum();
	b->arrivals->bss->ifindex = nd->ifindex;
}

int bench_attach(struct bench *b, const struct netdev *nd, enum run_mode mode, struct diag *d)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = mode_flags[mode]);
	int err;

	if (!nd->up)
		return diag_set(d, -ENETDOWN, "%s is down; bring it up first: ip link set %s up", nd->name,
				SHELL_NAME(nd->name));
	if (b->arrivals && mode == RUN_MODE_NATIVE && !strcmp(nd->driver, "vmxnet3"))
		return diag_set(
			d, -EOPNOTSUPP,
			"%s: the polls of driver vmxnet3 count only frames that pass, so the packets of a program "
			"of your own cannot be counted in native mode; use skb mode",
			nd->name);
	err = refuse_occupied(nd, d);
	if (err)
		return err;
	bench_watch(b, nd);
	b->link_fd = bpf_link_create(b->prog_fd, nd->ifindex, BPF_XDP, &opts);
	if (b->link_fd < 0)
		return attach_refused(b, nd, mode, b->link_fd, d);
	if (!bench_confirm(b, nd) || b->mode_found != mode) {
		attached_end(&b->link_fd);
		return diag_set(d, -EIO, "%s: program %u was attached in %s mode, but the kernel reports mode %s",
				nd->name, b->prog_id, run_mode_words[mode], run_mode_words[b->mode_found]);
	}
	return 0;
}

static bool link_holds(int link_fd, uint32_t prog_id)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(link_fd, &info, &len) && info.prog_id == prog_id;
}

int bench_exchange(struct bench *attached, struct bench *next, const struct netdev *nd, struct diag *d)
{
	int err;

	kernel_words_clear();
	err = bpf_link_update(attached->link_fd, next->prog_fd, NULL);
	if (err && netdev_gone(nd))
		return diag_set(d, -ENODEV, "%s has vanished", nd->name);
	if (err)
		return diag_set(d, -EOPNOTSUPP,
				"%s: the kernel refuses to exchange program %u (%s) for %u (%s) by bpf_link_update: "
				"%s%s%s",
				nd->name, attached->prog_id, attached->name, next->prog_id, next->name, strerror(-err),
				kernel_words_sep(), kernel_words());
	if (!link_holds(attached->link_fd, next->prog_id))
		return diag_set(d, -EIO, "%s: program %u was exchanged for %u, but the kernel reports another one",
				nd->name, attached->prog_id, next->prog_id);
	next->link_fd = attached->link_fd;
	attached->link_fd = -1;
	next->mode_found = attached->mode_found;
	return 0;
}

int bench_attach_for_good(struct bench *b, const struct netdev *nd, struct diag *d)
{
	int err = bpf_xdp_attach(nd->ifindex, b->prog_fd, XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);

	if (err)
		return attach_refused(b, nd, RUN_MODE_NATIVE, err, d);
	return 0;
}

void bench_detach(struct bench *b)
{
	attached_end(&b->link_fd);
}
