// SPDX-License-Identifier: GPL-2.0-or-later
/* Readers of what an XDP program redirects: an AF_XDP socket, and the thread of a cpumap, which runs a program. */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/layout.h"
/* the skeleton needs layout.h */
#include "bpf/readers.skel.h"
#include "user/stage/stage.h"
#include "user/ladder/ladder.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"

static int reader_xdp_load(struct reader *r, struct diag *d)
{
	bool cpumap = r->o.way == READER_CPUMAP;

	r->skel = readers_bpf__open();
	if (!r->skel)
		return diag_set(d, -errno, "cannot open its programs: %s", strerror(errno));
	r->skel->rodata->cfg_cpu = (__u32)r->o.cpu;
	r->skel->rodata->cfg_count_cpu = (__u32)r->o.count_cpu;
	bench_say_frags(r->skel->progs.xdp_to_cpu, r->o.nd);
	bench_say_frags(r->skel->progs.second_program, r->o.nd);
	bench_say_frags(r->skel->progs.xdp_to_socket, r->o.nd);
	bpf_map__set_autocreate(r->skel->maps.to_cpu, cpumap);
	bpf_map__set_autocreate(r->skel->maps.to_socket, !cpumap);
	if (bpf_map__set_max_entries(r->skel->maps.to_cpu, (__u32)cpu_possible()) ||
	    bpf_map__reuse_fd(r->skel->maps.read_counts, r->counts_fd))
		return diag_set(d, -EOPNOTSUPP, "cannot make its maps: %s", strerror(errno));
	return kernel_load(r->skel->skeleton,
			   (struct bpf_program *[]){cpumap ? r->skel->progs.xdp_to_cpu : r->skel->progs.xdp_to_socket,
						    cpumap ? r->skel->progs.second_program : NULL, NULL},
			   "its program", d);
}

int reader_open_xsk(struct reader *r, struct diag *d)
{
	int err = reader_xdp_load(r, d);

	if (err)
		return err;
	err = xsk_queue_join(&r->queue, r->o.nd, 0, XDP_COPY, READER_BYTES, bpf_map__fd(r->skel->maps.to_socket));
	if (err)
		return diag_set(d, err, "cannot open an AF_XDP socket at %s: %s", r->o.nd->name, strerror(-err));
	return kernel_attach_xdp(&r->link_fd, r->skel->progs.xdp_to_socket, r->o.nd, XDP_FLAGS_DRV_MODE, d);
}

int reader_read_xsk(struct reader *r)
{
	struct pollfd readable = {.fd = xsk_socket__fd(r->queue.socket), .events = POLLIN};
	unsigned int n = xsk_queue_receive(&r->queue);

	if (n)
		return (int)n;
	return poll(&readable, 1, READER_IDLE_MS) < 0 && errno != EINTR ? -errno : 0;
}

int reader_open_cpumap(struct reader *r, struct diag *d)
{
	struct bpf_cpumap_val value = {.qsize = CPUMAP_QUEUE};
	struct bpf_map_info info = {};
	__u32 key = (__u32)r->o.cpu, len = sizeof(info);
	int err = reader_xdp_load(r, d), map;
	pid_t tid;

	if (err)
		return err;
	map = bpf_map__fd(r->skel->maps.to_cpu);
	value.bpf_prog.fd = bpf_program__fd(r->skel->progs.second_program);
	if (bpf_map_update_elem(map, &key, &value, 0) || bpf_obj_get_info_by_fd(map, &info, &len))
		return diag_set(d, -errno, "cannot redirect to CPU %d: %s", r->o.cpu, strerror(errno));
	tid = cpumap_kthread(r->o.cpu, info.id);
	if (tid < 0)
		return diag_set(d, -ESRCH, "the cpumap's thread on CPU %d did not appear", r->o.cpu);
	err = -clock_getcpuclockid(tid, &r->clock);
	if (err)
		return diag_set(d, err, "the time of the cpumap's thread cannot be read: %s", strerror(-err));
	setpriority(PRIO_PROCESS, (id_t)tid, READER_NICE);
	atomic_store(&r->tid, tid);
	return kernel_attach_xdp(&r->link_fd, r->skel->progs.xdp_to_cpu, r->o.nd, XDP_FLAGS_DRV_MODE, d);
}

void reader_end_xdp(struct reader *r)
{
	attached_end(&r->link_fd);
	xsk_queue_close(&r->queue);
	readers_bpf__destroy(r->skel);
}
