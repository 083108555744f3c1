// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/observe/observe.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "bpf/observers.skel.h"
#include "user/ladder/ladder.h"
#include "user/watch/watch.h"

#define RING_PAGES   64  /* a power of two */
#define REMOVE_TRIES 100 /* an instance is busy while somebody reads its files */
#define REMOVE_US    20000

/* A ring of perf, for one CPU. It is mapped for reading only, so that the kernel writes over what is old. */
struct observer_ring {
	int fd;
	void *memory;
	size_t bytes;
};

static int open_bpf_stats(struct observer *ob, const struct observer_options *o, struct diag *d)
{
	(void)o;
	ob->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	return ob->stats_fd >= 0 ? 0
				 : diag_set(d, ob->stats_fd, "this kernel keeps no statistics of BPF programs: %s",
					    strerror(-ob->stats_fd));
}

static int open_packet_socket(struct observer *ob, const struct observer_options *o, struct diag *d)
{
	const struct reader_options ro = {.layer = RUN_LAYER_PACKET_RING, .nd = o->nd, .cpu = o->cpu};

	return reader_open(&ob->reader, &ro, d);
}

static int open_rings(struct observer *ob)
{
	int map = bpf_map__fd(ob->skel->maps.dumps), n = cpu_possible(), err = 0;

	ob->rings = calloc((size_t)n, sizeof(*ob->rings));
	if (!ob->rings)
		return -ENOMEM;
	for (; ob->nrings < n && !err; ob->nrings++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_BPF_OUTPUT,
			.size = sizeof(attr),
			.sample_type = PERF_SAMPLE_RAW,
			.sample_period = 1,
			.wakeup_watermark = UINT32_MAX,
			.watermark = 1,
			.write_backward = 1,
		};
		struct observer_ring *r = &ob->rings[ob->nrings];
		__u32 key = (__u32)ob->nrings;

		r->fd = (int)syscall(SYS_perf_event_open, &attr, -1, ob->nrings, -1, PERF_FLAG_FD_CLOEXEC);
		if (r->fd < 0) {
			err = errno == ENODEV ? 0 : -errno; /* that CPU is offline */
			continue;
		}
		r->bytes = (size_t)(RING_PAGES + 1) * (size_t)getpagesize();
		r->memory = mmap(NULL, r->bytes, PROT_READ, MAP_SHARED, r->fd, 0);
		if (r->memory == MAP_FAILED)
			r->memory = NULL;
		err = r->memory ? bpf_map_update_elem(map, &key, &r->fd, BPF_ANY) : -errno;
	}
	return err;
}

static int open_fexit(struct observer *ob, const struct observer_options *o, struct diag *d)
{
	struct bpf_func_info func = {};
	struct bpf_prog_info info = {
		.nr_func_info = 1, .func_info = (__u64)(uintptr_t)&func, .func_info_rec_size = sizeof(func)};
	__u32 len = sizeof(info);
	struct bpf_program *dump;
	const struct btf_type *t;
	struct btf *btf = NULL;
	char name[128];
	int err;

	ob->skel = observers_bpf__open();
	if (!ob->skel)
		return diag_set(d, -errno, "cannot open the observers: %s", strerror(errno));
	/* The function that the program begins with, from its BTF; prog_info cuts names after 15 characters. */
	if (!bpf_obj_get_info_by_fd(o->prog_fd, &info, &len) && info.btf_id && info.nr_func_info)
		btf = btf__load_from_kernel_by_id(info.btf_id);
	t = btf ? btf__type_by_id(btf, func.type_id) : NULL;
	snprintf(name, sizeof(name), "%s", t ? btf__name_by_offset(btf, t->name_off) : "");
	btf__free(btf);
	if (!*name)
		return diag_set(d, -EINVAL, "the XDP program has no BTF, which fexit needs; compile it with -g");
	dump = ob->skel->progs.dump;
	err = bpf_program__set_attach_target(dump, o->prog_fd, name);
	if (!err)
		err = bpf_map__set_max_entries(ob->skel->maps.dumps, (__u32)cpu_possible());
	if (!err)
		err = kernel_load(ob->skel->skeleton, (struct bpf_program *[]){dump, NULL},
				  "a program at the exit of another (fexit)", d)
			      ?: open_rings(ob);
	if (!err) {
		ob->fexit_fd = bpf_link_create(bpf_program__fd(dump), 0, BPF_TRACE_FEXIT, NULL);
		err = ob->fexit_fd < 0 ? ob->fexit_fd : 0;
	}
	return err ? diag_set(d, err, "fexit cannot be attached to %s: %s", name, strerror(-err)) : 0;
}

static int observer_open_tc(struct observer *ob, const struct observer_options *o, struct diag *d)
{
	int err;

	ob->skel = observers_bpf__open();
	if (!ob->skel)
		return diag_set(d, -errno, "cannot open the observers: %s", strerror(errno));
	err = kernel_load(ob->skel->skeleton, (struct bpf_program *[]){ob->skel->progs.look, NULL}, "a program in tc",
			  d);
	if (err)
		return err;
	err = tc_hook_open(&ob->hook, o->nd, bpf_program__fd(ob->skel->progs.look));
	return err ? diag_set(d, err, "%s takes no tc program: %s", o->nd->name, strerror(-err)) : 0;
}

/* ---- ftrace: an instance with events on, which nothing but writing to its files ends; a guard does it ---------- */

static const char *const groups[] = {"net", "napi", "xdp"};

#define NGROUPS (sizeof(groups) / sizeof(*groups))

static int switch_events(int tracefs, const char *instance, const char *word)
{
	char path[128];
	int err = 0;

	for (size_t i = 0; i < NGROUPS && !err; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/enable", instance, groups[i]);
		err = file_put(tracefs, path, word);
	}
	return err;
}

/* The guard's. */
static void remove_instance(const void *instance, int tracefs)
{
	switch_events(tracefs, instance, "0");
	for (int i = 0; i < REMOVE_TRIES && unlinkat(tracefs, instance, AT_REMOVEDIR) && errno == EBUSY; i++)
		usleep(REMOVE_US);
}

static int open_ftrace(struct observer *ob, const struct observer_options *o, struct diag *d)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC), tracefs = -1, err; /* mounted nowhere */
	char instance[64];

	(void)o;
	if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		tracefs = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	err = -errno;
	fd_close(fs);
	if (tracefs < 0)
		return diag_set(d, -EOPNOTSUPP, "ftrace cannot be used here: %s", strerror(-err));
	snprintf(instance, sizeof(instance), "instances/xdpzoom-%d", getpid());
	err = guard_start(&ob->guard, remove_instance, instance, tracefs);
	if (!err && mkdirat(tracefs, instance, 0700))
		err = -errno;
	if (!err)
		err = switch_events(tracefs, instance, "1");
	close(tracefs);
	if (!err)
		return 0;
	guard_close(&ob->guard);
	return diag_set(d, -EOPNOTSUPP, "this kernel's ftrace traces no events of net, napi and xdp: %s",
			strerror(-err));
}

/* --------------------------------------------------------------------------------------------------------------- */

static int open_watch(struct observer *ob, const struct observer_options *o, struct diag *d)
{
	const unsigned int slot = WATCH_BACKLOG + 1;
	pid_t tids[RUN_MAX_NAPIS];
	size_t n = napi_kthreads(o->nd->name, tids, RUN_MAX_NAPIS);
	int err;

	ob->probe = calloc(1, sizeof(*ob->probe));
	if (!ob->probe)
		return diag_set(d, -ENOMEM, "no memory");
	probe_init(ob->probe);
	err = probe_open(ob->probe, WATCH_EVERY, d) ?: probe_add_device(ob->probe, o->nd->ifindex, slot);
	for (size_t i = 0; i < n && i < RUN_MAX_NAPIS && !err; i++)
		err = probe_add_thread(ob->probe, tids[i], slot, d);
	return err;
}

static const struct {
	bool everywhere;
	int (*open)(struct observer *ob, const struct observer_options *o, struct diag *d); /* NULL: bench_load() did */
} kinds[RUN_OBSERVERS] = {
	[RUN_OBSERVER_BPF_STATS] = {true, open_bpf_stats}, [RUN_OBSERVER_PACKET_SOCKET] = {false, open_packet_socket},
	[RUN_OBSERVER_FEXIT] = {false, open_fexit},        [RUN_OBSERVER_DISPATCHER] = {false, NULL},
	[RUN_OBSERVER_TC] = {false, observer_open_tc},     [RUN_OBSERVER_FTRACE] = {true, open_ftrace},
	[RUN_OBSERVER_WATCH] = {true, open_watch},
};

bool observer_is_everywhere(enum run_observer kind)
{
	return kinds[kind].everywhere;
}

void observer_init(struct observer *ob)
{
	memset(ob, 0, sizeof(*ob));
	ob->stats_fd = ob->fexit_fd = -1;
	ob->guard = NO_GUARD;
	tc_hook_init(&ob->hook);
}

int observer_open(struct observer *ob, const struct observer_options *o, struct diag *d)
{
	struct diag why = {};
	int err = o->kind && kinds[o->kind].open ? kinds[o->kind].open(ob, o, &why) : 0;

	if (!err)
		return 0;
	observer_close(ob);
	return diag_set(d, err, "observer %s: %s", run_observer_words[o->kind], why.text);
}

void observer_close(struct observer *ob)
{
	fd_close(ob->stats_fd);
	fd_close(ob->fexit_fd);
	reader_close(ob->reader);
	tc_hook_close(&ob->hook);
	for (int i = 0; i < ob->nrings; i++) {
		if (ob->rings[i].memory)
			munmap(ob->rings[i].memory, ob->rings[i].bytes);
		fd_close(ob->rings[i].fd);
	}
	free(ob->rings);
	observers_bpf__destroy(ob->skel);
	guard_close(&ob->guard);
	if (ob->probe)
		probe_close(ob->probe);
	free(ob->probe);
	observer_init(ob);
}
