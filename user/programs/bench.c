// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <sys/mman.h>
#include "user/programs/programs.h"
#include "bpf/arrivals.skel.h"
#include "bpf/xdp_bench.skel.h"

/* ---- tc_hook ---- */

#define PRIORITY 1

void tc_hook_init(struct tc_hook *h)
{
	*h = (struct tc_hook){.link_fd = -1, .guard = NO_GUARD};
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

int tc_hook_open_clsact(struct tc_hook *h, const struct netdev *nd, int fd)
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
	h->link_fd = bpf_link_create(prog_fd, nd->ifindex, (enum bpf_attach_type)ATTACHED_TCX_INGRESS, NULL);
	return h->link_fd < 0 ? tc_hook_open_clsact(h, nd, prog_fd) : 0;
}

void tc_hook_close(struct tc_hook *h)
{
	attached_end(&h->link_fd);
	guard_close(&h->guard);
	tc_hook_init(h);
}

/* ---- bench ---- */

static const char *const verdicts[RUN_VERDICTS] = {
	[RUN_ABORTED] = "XDP_ABORTED", [RUN_DROP] = "XDP_DROP",         [RUN_PASS] = "XDP_PASS",
	[RUN_TX] = "XDP_TX",           [RUN_REDIRECT] = "XDP_REDIRECT", [RUN_UNTOLD] = "own program",
};

/* The number in the programs' configuration; of others, and of a program without an operation, OP_NO_TOUCH. */
static const enum bench_operation operations[RUN_PART_AFTER + 1] = {
	[RUN_READ_DATA] = OP_READ_DATA,
	[RUN_PARSE_IP] = OP_PARSE_IP,
	[RUN_SWAP_MACS] = OP_SWAP_MACS,
};

_Static_assert((int)RUN_ABORTED == XDP_ABORTED && (int)RUN_DROP == XDP_DROP && (int)RUN_PASS == XDP_PASS &&
		       (int)RUN_TX == XDP_TX && (int)RUN_REDIRECT == XDP_REDIRECT,
	       "run.h must number verdicts as the kernel does, because the programs use the kernel's numbers");
_Static_assert((int)RUN_UNTOLD == BENCH_UNTOLD, "run.h and the programs disagree about packets without a verdict");
_Static_assert((int)RUN_VERDICTS <= BENCH_VERDICTS, "the programs have no room to count every verdict");

const char *bench_verdict_name(unsigned int verdict)
{
	return verdict < RUN_VERDICTS ? verdicts[verdict] : "XDP_UNKNOWN";
}

void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->prog_fd = b->link_fd = b->counts_fd = b->out_fd = b->instructions = b->bytes = -1;
	tc_hook_init(&b->clsact);
	dispatcher_init(&b->dispatcher);
}

bool bench_frags(const struct netdev *nd)
{
	struct veth_peer p;

	/* A veth receives what its peer's MTU allows. */
	return nd->mtu > ETH_DATA_LEN || (veth_is(nd) && !veth_peer_find(nd, &p) && p.mtu > ETH_DATA_LEN);
}

void bench_say_frags(struct bpf_program *p, const struct netdev *nd)
{
	if (bench_frags(nd))
		bpf_program__set_flags(p, bpf_program__flags(p) | BPF_F_XDP_HAS_FRAGS);
}

/* NULL: the variant redirects nothing. */
static struct bpf_map *out_map_of(struct xdp_bench_bpf *skel, enum run_stage stage)
{
	struct bpf_map *const maps[] = {
		[RUN_STAGE_DEVICE] = skel->maps.to_device,
		[RUN_STAGE_CPU] = skel->maps.to_cpu,
		[RUN_STAGE_SOCKET] = skel->maps.to_socket,
		[RUN_STAGE_READER] = NULL,
	};

	return maps[stage];
}

/* Lets libbpf load only the program, and create only the redirect map, that the variant needs. */
static int bench_configure(struct bench *b, const struct run_variant *v)
{
	struct xdp_bench_bpf *skel = b->skel;
	struct bpf_program *const by_verdict[RUN_VERDICTS] = {
		[RUN_ABORTED] = skel->progs.xdp_bench_abort,
		[RUN_DROP] = skel->progs.xdp_bench,
		[RUN_PASS] = skel->progs.xdp_bench_pass,
		[RUN_TX] = skel->progs.xdp_bench_tx,
	};
	struct bpf_program *const by_stage[] = {
		[RUN_STAGE_DEVICE] = skel->progs.xdp_bench_dev,
		[RUN_STAGE_CPU] = skel->progs.xdp_bench_cpu,
		[RUN_STAGE_SOCKET] = skel->progs.xdp_bench_xsk,
		[RUN_STAGE_READER] = NULL, /* of a layer, which is no program */
	};
	__u32 operation = operations[v->operation];
	__u32 inject = v->inject == RUN_INJECT_CHAIN  ? INJECT_CHAIN
		       : v->inject == RUN_INJECT_WALK ? INJECT_WALK
						      : INJECT_NONE;
	struct bpf_program *p;

	skel->rodata->cfg.operation = inject == INJECT_NONE ? operation : OP_INJECT;
	skel->rodata->cfg.before_inject = operation;
	skel->rodata->cfg.inject = inject;
	skel->rodata->cfg.inject_steps = v->inject_steps;
	skel->rodata->cfg.inject_mask = v->inject_at_once ? INJECT_AT_ONCE - 1 : 0;
	if (inject == INJECT_WALK && bpf_map__set_max_entries(skel->maps.walk_lines, INJECT_WALK_LINES))
		return -EINVAL;
	b->prog = by_stage[v->stage]         ? by_stage[v->stage]
		  : v->operation == RUN_BARE ? skel->progs.xdp_bare
					     : by_verdict[run_verdict_of(v)];
	if (!b->prog) /* there is none for this variant */
		return -EINVAL;
	for (p = bpf_object__next_program(skel->obj, NULL); p; p = bpf_object__next_program(skel->obj, p))
		bpf_program__set_autoload(p, p == b->prog);
	for (enum run_stage s = RUN_STAGE_DEVICE; s <= RUN_STAGE_SOCKET; s++)
		bpf_map__set_autocreate(out_map_of(skel, s), s == v->stage);
	skel->rodata->cfg.stage_cpu = v->stage_cpu < 0 ? 0 : v->stage_cpu;
	return v->stage == RUN_STAGE_CPU ? bpf_map__set_max_entries(skel->maps.to_cpu, b->ncpus) : 0;
}

/*
 * Links all lines to one random ring (Sattolo, 1986), in which neither cache nor prefetcher can guess the next line.
 * The ring is the same every time, because the seed is.
 */
static int bench_lay_walk(struct bench *b)
{
	size_t size = INJECT_WALK_LINES * sizeof(struct inject_line);
	struct inject_line *lines;
	uint64_t random = 88172645463325252ULL;

	if (!b->skel || b->skel->rodata->cfg.inject != INJECT_WALK)
		return 0;
	lines = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(b->skel->maps.walk_lines), 0);
	if (lines == MAP_FAILED)
		return -errno;
	for (__u32 i = 0; i < INJECT_WALK_LINES; i++)
		lines[i].next = i;
	for (__u32 i = INJECT_WALK_LINES - 1; i > 0; i--) {
		__u32 j = (__u32)random_below(&random, i), next = lines[i].next;

		lines[i].next = lines[j].next;
		lines[j].next = next;
	}
	munmap(lines, size);
	return 0;
}

/* The program itself is loaded already; only the one that counts for it has to be. */
static int load_own(struct bench *b, const struct own *own, struct diag *d)
{
	int err;

	b->arrivals = arrivals_bpf__open();
	err = b->arrivals ? arrivals_bpf__load(b->arrivals) : -errno;
	if (!err)
		err = arrivals_bpf__attach(b->arrivals);
	if (err)
		return diag_set(d, err,
				"this kernel allows no count of NAPI polls (tp_btf/napi_poll), by which the "
				"packets of your own program are counted: %s",
				strerror(-err));
	b->prog_fd = fcntl(own->dispatcher.skel ? dispatcher_fd(&own->dispatcher) : own->prog_fd, F_DUPFD_CLOEXEC, 0);
	b->counts_fd = bpf_map__fd(b->arrivals->maps.counts);
	return b->prog_fd < 0 ? diag_set(d, -errno, "%s: %s", own->id, strerror(errno)) : 0;
}

static int load_ours(struct bench *b, const struct run_variant *v, struct diag *d)
{
	int err;

	b->skel = xdp_bench_bpf__open();
	if (!b->skel)
		return diag_set(d, -errno, "cannot open the program under test: %s", strerror(errno));
	err = bench_configure(b, v);
	if (!err && b->frags)
		bpf_program__set_flags(b->prog, bpf_program__flags(b->prog) | BPF_F_XDP_HAS_FRAGS);
	if (!err && v->observer == RUN_OBSERVER_DISPATCHER) {
		int refused = dispatcher_open(&b->dispatcher, b->prog, d);

		if (refused)
			return refused;
	}
	if (!err)
		err = xdp_bench_bpf__load(b->skel);
	if (dispatcher_refused(&b->dispatcher, err, d))
		return err;
	if (err) {
		diag_set(d, err, "cannot load the XDP program for %s: %s%s%s", v->id, strerror(-err),
			 err == -EPERM ? " (this needs root: CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON)" : "",
			 kernel_words());
		return err;
	}
	b->prog_fd = bpf_program__fd(b->prog);
	if (v->observer == RUN_OBSERVER_DISPATCHER) {
		err = dispatcher_link(&b->dispatcher, b->prog, d);
		b->prog_fd = dispatcher_fd(&b->dispatcher);
	}
	if (v->stage != RUN_STAGE_NONE)
		b->out_fd = bpf_map__fd(out_map_of(b->skel, v->stage));
	b->counts_fd = bpf_map__fd(b->skel->maps.bss);
	return err;
}

int bench_load(struct bench *b, const struct run_variant *v, const struct own_list *own, struct diag *d)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	const struct own *mine = NULL;
	void *counts;
	int err;

	for (size_t i = 0; own && i < own->n && !mine; i++)
		if (!strcmp(own->list[i].id, v->id))
			mine = &own->list[i];
	b->ncpus = cpu_possible();
	kernel_words_clear();
	if (b->ncpus > BENCH_CPUS)
		err = diag_set(d, -EINVAL, "this machine may have %d CPUs, and packets are counted on %d at most",
			       b->ncpus, BENCH_CPUS);
	else if (run_variant_is_layer(v))
		err = diag_set(d, -EINVAL, "%s is no XDP program; record lab and ladder measure layers", v->id);
	else if (run_variant_is_own(v) && !mine)
		err = diag_set(d, -EINVAL, "%s: no program of your own can be used here", v->id);
	else
		err = mine ? load_own(b, mine, d) : load_ours(b, v, d);
	if (!err) {
		counts = mmap(NULL, sizeof(struct bench_counts), PROT_READ, MAP_SHARED, b->counts_fd, 0);
		err = counts == MAP_FAILED ? -errno : 0;
		b->counts = err ? NULL : counts;
	}
	if (!err)
		err = bench_lay_walk(b);
	if (!err && bpf_obj_get_info_by_fd(b->prog_fd, &info, &len))
		err = -errno;
	if (err) {
		diag_set(d, err, "cannot read the XDP program's counters: %s", strerror(-err));
		bench_release(b);
		return err;
	}
	b->prog_id = info.id;
	/* 0 for those who may not see programs. Each program has an instruction, and one that is compiled a byte. */
	b->instructions = info.xlated_prog_len ? (int)(info.xlated_prog_len / sizeof(struct bpf_insn)) : -1;
	b->bytes = info.xlated_prog_len ? (int)info.jited_prog_len : -1;
	snprintf(b->name, sizeof(b->name), "%.16s", info.name);
	for (int i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(b->tag + 2 * i, 3, "%02x", info.tag[i]);
	return 0;
}

/* It is the .bss of an attached xdp_bench program. */
int bench_open_counts(const struct netdev *nd)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	__u32 map_ids[8] = {}, len, id;
	struct bpf_prog_info info = {.nr_map_ids = 8, .map_ids = (__u64)(uintptr_t)map_ids};
	int prog;

	if (bpf_xdp_query(nd->ifindex, 0, &q))
		return -ENOENT;
	id = q.drv_prog_id ? q.drv_prog_id : q.skb_prog_id;
	prog = id ? bpf_prog_get_fd_by_id(id) : -ENOENT;
	if (prog < 0)
		return -ENOENT;
	len = sizeof(info);
	if (bpf_obj_get_info_by_fd(prog, &info, &len))
		info.nr_map_ids = 0;
	close(prog);
	for (__u32 i = 0; i < info.nr_map_ids && i < 8; i++) {
		struct bpf_map_info map = {};
		int fd = bpf_map_get_fd_by_id(map_ids[i]);

		len = sizeof(map);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &map, &len) && !strcmp(map.name, "xdp_benc.bss") &&
		    map.value_size == sizeof(struct bench_counts))
			return fd;
		fd_close(fd);
	}
	return -ENOENT;
}

const struct bench_counts *bench_counts_of(const struct netdev *nd)
{
	int fd = bench_open_counts(nd);
	void *p = MAP_FAILED;

	errno = ENOENT;
	if (fd >= 0)
		p = mmap(NULL, sizeof(struct bench_counts), PROT_READ, MAP_SHARED, fd, 0);
	fd_close(fd);
	return p == MAP_FAILED ? NULL : p;
}

int bench_count_attached(const struct netdev *nd, uint64_t *seen)
{
	const struct bench_counts *c = bench_counts_of(nd);
	int err = -errno;

	*seen = c ? bench_counts_sum(c->cpus, cpu_possible()) : 0;
	return c ? munmap((void *)c, sizeof(*c)) : err;
}

void bench_read_cpu(const struct bench *b, int cpu, struct bench_count *c)
{
	const volatile struct bench_count *from = &b->counts[cpu];

	for (int v = 0; v < BENCH_VERDICTS; v++)
		c->verdicts[v] = from->verdicts[v];
	c->injected_ns = from->injected_ns;
}

uint64_t bench_verdicts(const struct bench *b, unsigned int verdict)
{
	const volatile struct bench_count *from = b->counts;
	uint64_t sum = 0;

	for (int cpu = 0; cpu < b->ncpus; cpu++)
		sum += from[cpu].verdicts[verdict];
	return sum;
}

double bench_injected_ns(const struct bench *b)
{
	const volatile struct bench_count *from = b->counts;
	double sum = 0;

	for (int cpu = 0; cpu < b->ncpus; cpu++)
		sum += (double)from[cpu].injected_ns;
	return sum;
}

uint64_t bench_seen(const struct bench *b)
{
	uint64_t seen = 0;

	for (unsigned int v = 0; v < BENCH_VERDICTS; v++)
		seen += bench_verdicts(b, v);
	return seen;
}

uint64_t bench_counts_sum(const struct bench_count *counts, int ncpus)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < ncpus; cpu++)
		for (int v = 0; v < BENCH_VERDICTS; v++)
			sum += counts[cpu].verdicts[v];
	return sum;
}

void bench_release(struct bench *b)
{
	bench_detach(b);
	if (b->counts)
		munmap(b->counts, sizeof(struct bench_counts));
	if (b->arrivals && b->prog_fd >= 0)
		close(b->prog_fd);
	arrivals_bpf__destroy(b->arrivals);
	dispatcher_close(&b->dispatcher);
	xdp_bench_bpf__destroy(b->skel);
	bench_init(b);
}

/* ---- bench_attach ---- */

static const __u32 mode_flags[RUN_MODES] = {
	[RUN_MODE_NATIVE] = XDP_FLAGS_DRV_MODE,
	[RUN_MODE_SKB] = XDP_FLAGS_SKB_MODE,
	[RUN_MODE_HW] = XDP_FLAGS_HW_MODE,
};

static int refuse_occupied(const struct netdev *nd, struct diag *d)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	struct bpf_prog_info info = {.name = "?"};
	__u32 id, len = sizeof(info);
	int fd;

	if (bpf_xdp_query(nd->ifindex, 0, &q))
		return 0; /* if there is a program, attaching will fail and report it */
	id = q.drv_prog_id ?: q.skb_prog_id ?: q.hw_prog_id ?: q.prog_id;
	if (!id)
		return 0;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd >= 0)
		bpf_obj_get_info_by_fd(fd, &info, &len);
	fd_close(fd);
	return diag_set(d, -EBUSY, "%s already carries XDP program %u (%.16s) in %s mode; remove it first", nd->name,
			id, info.name,
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

static int attach_refused(struct bench *b, const struct netdev *nd, enum run_mode mode, int err, struct diag *d)
{
	static const char *const checks[] = {"queues", "mtu", "lro", "gro-hw"};
	const struct native_limit *l = native_limit_of(nd->driver);
	struct native_refusal r;
	bool of_mtu, by_settings = false;

	if (err == -ENODEV || netdev_gone(nd))
		return diag_set(d, -ENODEV, "%s: no such device", nd->name);
	if (err == -EPERM)
		return diag_set(d, err, "%s: attaching XDP programs needs root (CAP_NET_ADMIN)", nd->name);
	/*
	 * Attaching by bpf_link returns only an errno. Attaching by netlink also returns the driver's own sentence
	 * (extended ack). So this function attaches by netlink to get that sentence. Attaching may succeed this time,
	 * and what netlink attached outlives this process. So a guard detaches it, also when this process is killed in
	 * between.
	 */
	__u32 flag = mode_flags[mode];
	struct asked a = {.ifindex = nd->ifindex, .flag = flag};
	struct guard guard = NO_GUARD;
	kernel_words_clear();
	if (!guard_start(&guard, take_off, &a, b->prog_fd)) {
		bpf_xdp_attach(nd->ifindex, b->prog_fd, flag | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
		guard_close(&guard);
	}
	of_mtu = strcasestr(kernel_words(), "MTU"); /* a program of the user's own may know one buffer alone */
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && mode == RUN_MODE_NATIVE && !by_settings; i++)
		by_settings = native_refused(nd, checks[i], b->frags && !of_mtu, &r);
	if (by_settings)
		return diag_set(
			d, err, "%s: driver %s refuses native XDP with its settings now: %s%s; the remedy: %s%s",
			nd->name, known(nd->driver), r.why, kernel_words(), r.fix,
			of_mtu && l && l->frags ? ", or a program of your own that takes frames of several buffers "
						  "(SEC(\"xdp.frags\"))"
						: "");
	/* The driver's own words are about a setting when they are not "does not support XDP in native mode". */
	if (err == -EOPNOTSUPP && kernel_words()[0] && !strstr(kernel_words(), "does not support XDP in native mode"))
		return diag_set(d, err,
				"%s: driver %s refuses %s XDP with its settings now%s; xdpzoom doctor %s shows the "
				"remedy",
				nd->name, nd->driver, run_mode_words[mode], kernel_words(), nd->name);
	if (of_mtu)
		return diag_set(d, err,
				"%s: driver %s refuses an XDP program in %s mode with this MTU%s; xdpzoom doctor %s "
				"shows the remedy, or a program of your own may take frames of several buffers "
				"(SEC(\"xdp.frags\"))",
				nd->name, known(nd->driver), run_mode_words[mode], kernel_words(), nd->name);
	if (strstr(kernel_words(), "bound to different device"))
		return diag_set(d, err,
				"the program reads the driver's metadata, so it is bound to one device, and %s is "
				"another; give --view blocks, where variants do not take turns on several",
				nd->name);
	if (err == -EOPNOTSUPP && mode == RUN_MODE_NATIVE) {
		return diag_set(d, err, "%s: driver %s has no native XDP%s; use skb mode", nd->name, known(nd->driver),
				kernel_words());
	}
	return diag_set(d, err, "%s: driver %s refuses an XDP program in %s mode: %s%s", nd->name, known(nd->driver),
			run_mode_words[mode], strerror(-err), kernel_words());
}

/* A link of tcx or XDP that somebody detached still has its program, and no device. */
static bool link_holds(int link_fd, int ifindex, uint32_t prog_id)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(link_fd, &info, &len) && info.prog_id == prog_id &&
	       info.xdp.ifindex == (__u32)ifindex; /* info.tcx and info.netkit have it at the same place */
}

bool bench_confirm(struct bench *b, const struct netdev *nd)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = nd->ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = b->prog_id, .priority = PRIORITY);

	if (b->mode_found == RUN_MODE_CLSACT)
		return !bpf_tc_query(&hook, &opts) && opts.prog_id == b->prog_id;
	if (run_mode_is_tc(b->mode_found))
		return link_holds(b->link_fd, b->netkit ?: nd->ifindex, b->prog_id);
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

static int attach_tc(struct bench *b, const struct netdev *nd, enum run_mode mode, struct diag *d)
{
	int at = b->netkit ? ATTACHED_NETKIT_PRIMARY : ATTACHED_TCX_INGRESS, to = b->netkit ?: nd->ifindex, err = 0;
	netns_scope int saved = -1;

	if (mode == RUN_MODE_NETKIT_PEER) { /* the kernel wants to know it by its primary device */
		at = ATTACHED_NETKIT_PEER;
		to = b->primary;
		err = netns_visit_fd(b->primary_netns, &saved, d);
	}
	if (err)
		return err;
	kernel_words_clear();
	if (mode == RUN_MODE_CLSACT)
		err = tc_hook_open_clsact(&b->clsact, nd, b->prog_fd);
	else
		err = b->link_fd = bpf_link_create(b->prog_fd, to, (enum bpf_attach_type)at, NULL);
	if (err == -EINVAL && mode == RUN_MODE_TCX)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no tcx (Linux 6.6); use @clsact");
	if (err < 0)
		return diag_set(d, err, "%s: the kernel refuses a program in %s: %s%s", nd->name, run_mode_words[mode],
				strerror(-err), kernel_words());
	b->mode_found = mode;
	return bench_confirm(b, nd) ? 0
				    : diag_set(d, -EIO, "%s: program %u was attached in %s, and is not there", nd->name,
					       b->prog_id, run_mode_words[mode]);
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
	bench_watch(b, nd);
	if (run_mode_is_tc(mode))
		return attach_tc(b, nd, mode, d);
	err = refuse_occupied(nd, d);
	if (err)
		return err;
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

int bench_exchange(struct bench *attached, struct bench *next, const struct netdev *nd, struct diag *d)
{
	struct bench was;
	int err;

	kernel_words_clear();
	err = bpf_link_update(attached->link_fd, next->prog_fd, NULL);
	if (err && netdev_gone(nd))
		return diag_set(d, -ENODEV, "%s has vanished", nd->name);
	if (err)
		return diag_set(d, -EOPNOTSUPP,
				"%s: the kernel refuses to exchange program %u (%s) for %u (%s) by bpf_link_update: "
				"%s%s",
				nd->name, attached->prog_id, attached->name, next->prog_id, next->name, strerror(-err),
				kernel_words());
	if (!link_holds(attached->link_fd, nd->ifindex, next->prog_id))
		return diag_set(d, -EIO, "%s: program %u was exchanged for %u, but the kernel reports another one",
				nd->name, attached->prog_id, next->prog_id);
	next->link_fd = attached->link_fd;
	attached->link_fd = -1;
	next->mode_found = attached->mode_found;
	was = *attached;
	*attached = *next;
	*next = was;
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
	tc_hook_close(&b->clsact);
}
