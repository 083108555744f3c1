// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "base/known.h"
#include "bpf/redirects.skel.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/machine/kernel_words.h"
#include "user/machine/napi.h"
#include "user/machine/netdev_genl.h"
#include "user/machine/netns.h"
#include "user/machine/veth.h"
#include "user/stage/cpumap.h"
#include "user/bed/rig.h"
#include "user/stage/stage.h"
#include "user/stage/stage_socket.h"

#define STAGE_WINDOW 1024 /* half of that queue, and a quarter of a socket's ring */
#define STAGE_NICE   (-20)
#define ENOUGH       1000 /* redirects; with fewer, stage_check() cannot tell that none arrives */
#define SILENCE_NS   2000000000ULL

int stage_choose(struct run_variant *v, bool lab, int cpu, struct diag *d)
{
	if (v->stage == RUN_STAGE_NONE)
		return 0;
	if (v->stage == RUN_STAGE_DEVICE) {
		if (!v->target[0] && !lab)
			return diag_set(d, -EINVAL, "%s: say which device to redirect to: redirect:DEV/%s@%s", v->id,
					v->operation, v->mode);
		return 0;
	}
	if (v->stage_cpu < 0)
		v->stage_cpu = cpu;
	if (cpu_check(v->stage_cpu))
		return diag_set(d, -EINVAL, "%s: CPU %d is not there or offline", v->id, v->stage_cpu);
	return 0;
}

void stage_init(struct stage *s)
{
	memset(s, 0, sizeof(*s));
	s->cpu = s->tid = -1;
	device_counters_init(&s->out_counters);
}

/* ---- counts from tracepoints ------------------------------------------------------------------------------- */

static bool kernel_has(const char *tracepoint)
{
	return libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP) > 0;
}

/* Chooses the wanted tracepoints that this kernel has; returns their number. *have: this kernel has all of them. */
static int choose_probes(struct redirects_bpf *skel, const char *const wanted[], bool *have)
{
	struct bpf_program *p;
	int n = 0;

	*have = true;
	for (p = bpf_object__next_program(skel->obj, NULL); p; p = bpf_object__next_program(skel->obj, p))
		bpf_program__set_autoload(p, false);
	for (; *wanted; wanted++) {
		p = bpf_object__find_program_by_name(skel->obj, *wanted);
		if (p && kernel_has(*wanted))
			n += !bpf_program__set_autoload(p, true);
		else
			*have = false;
	}
	return n;
}

static void probe_close(struct stage *s)
{
	if (s->counts)
		munmap(s->counts, s->ncpus * sizeof(*s->counts));
	redirects_bpf__destroy(s->probe);
	s->counts = NULL;
	s->probe = NULL;
}

static int probe_load(struct stage *s, int map_fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	void *p;
	int err;

	if (bpf_obj_get_info_by_fd(map_fd, &info, &len))
		return -errno;
	s->probe->rodata->cfg_map_id = info.id;
	s->probe->rodata->cfg_ifindex = s->out.ifindex;
	s->probe->rodata->cfg_netns_inum = netns_inum();
	s->ncpus = cpu_possible();
	err = bpf_map__set_max_entries(s->probe->maps.redirect_counts, s->ncpus);
	if (!err)
		err = redirects_bpf__load(s->probe);
	if (!err)
		err = redirects_bpf__attach(s->probe);
	if (err)
		return err;
	p = mmap(NULL, s->ncpus * sizeof(*s->counts), PROT_READ, MAP_SHARED,
		 bpf_map__fd(s->probe->maps.redirect_counts), 0);
	if (p == MAP_FAILED)
		return -errno;
	s->counts = p;
	return 0;
}

/* *have: all wanted tracepoints are counted. Otherwise the counts stay unknown, which is no error. */
static void probe_open(struct stage *s, int map_fd, const char *const wanted[], bool *have)
{
	*have = false;
	kernel_words_clear();
	s->probe = redirects_bpf__open();
	if (s->probe && choose_probes(s->probe, wanted, have) && !probe_load(s, map_fd))
		return;
	*have = false;
	probe_close(s);
}

static struct redirect_count probe_sum(const struct stage *s)
{
	const volatile struct redirect_count *c = s->counts;
	struct redirect_count sum = {};

	for (int i = 0; c && i < s->ncpus; i++) {
		sum.cpumap_drops += c[i].cpumap_drops;
		sum.frames += c[i].frames;
		sum.device_drops += c[i].device_drops;
		sum.errors += c[i].errors;
	}
	return sum;
}

/* ---- another device ---------------------------------------------------------------------------------------- */

/*
 * Drops by the target device's own counters. Native mode: XDP frames that the driver refused, -1 when the driver has no
 * counter for them. Generic mode: lost skbs, which every device counts.
 */
static int64_t device_dropped(const struct stage *s)
{
	struct counters now = {};
	int64_t n = -1;

	if (!device_counters_read(&s->out_counters, &now))
		n = counters_sum(&now, s->native ? COUNTER_XMIT_REFUSED : COUNTER_LINK_TX_LOST);
	counters_release(&now);
	return n;
}

/* In the lab: frames that arrived at the far end. Otherwise: frames that the target device sent. */
static int64_t device_frames(const struct stage *s)
{
	return s->lab ? rig_end_frames() : netdev_tx_packets(s->out.name);
}

static void describe_device(struct stage *s, struct run_variant *v)
{
	pid_t kthread = napi_kthread(s->out.name);

	if (s->lab) {
		snprintf(v->stage_text, sizeof(v->stage_text), "polls of %s, where %s's frames arrive", RIG_END_DEV,
			 RIG_OUT_DEV);
	} else if (kthread > 0) {
		s->tid = kthread;
		snprintf(v->stage_text, sizeof(v->stage_text), "NAPI kthread of %s", s->out.name);
	} else {
		snprintf(v->stage_text, sizeof(v->stage_text), "sending and completion by %s (%s)", s->out.name,
			 known(s->out.driver));
	}
}

static int refuse_deaf(const struct stage *s, struct diag *d)
{
	char needs[VETH_WORDS];

	if (!veth_is(&s->out))
		return diag_set(d, -EOPNOTSUPP,
				"no redirected frame leaves %s: its driver (%s) takes none with its settings now; it "
				"may need an XDP program on %s",
				s->out.name, known(s->out.driver), s->out.name);
	veth_peer_needs(&s->out, needs, sizeof(needs));
	return diag_set(d, -EOPNOTSUPP, "no redirected frame leaves %s: %s", s->out.name, needs);
}

/* Does the kernel report (since 6.3) that the target takes no frames? On an older kernel stage_check() finds out. */
static bool is_deaf(const struct stage *s)
{
	uint64_t features;

	return s->native && !netdev_genl_xdp(s->out.ifindex, &features) && !(features & XDP_ACT_NDO_XMIT);
}

/* The kernel reports since 6.3, too, whether the target takes frames of several buffers. */
static int check_long(const struct stage *s, struct diag *d)
{
	uint64_t features;

	if (!s->native || netdev_genl_xdp(s->out.ifindex, &features) || features & XDP_ACT_NDO_XMIT_SG)
		return 0;
	return diag_set(d, -EOPNOTSUPP,
			"%s takes no redirected frames of several buffers in native mode: its driver (%s) has no "
			"ndo-xmit-sg; send frames of up to %d bytes, or use skb mode",
			s->out.name, known(s->out.driver), GEN_MAX_BYTES);
}

static int open_device(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd,
		       uint32_t longest, struct diag *d)
{
	static const char *const probes[][3] = {{"xdp_redirect_err", NULL},
						{"xdp_redirect_err", "xdp_devmap_xmit", NULL}};
	__u32 key = 0, ifindex;
	bool have;
	int err;

	s->lab = s->lab && !v->target[0];
	err = s->lab ? rig_out_up(d) : 0;
	if (!err)
		err = netdev_open(&s->out, s->lab ? RIG_OUT_DEV : v->target, d);
	if (err)
		return err;
	if (s->out.ifindex == nd->ifindex)
		return diag_set(d, -EINVAL, "redirect:%s sends back to %s itself; use tx/swap-macs for this", nd->name,
				nd->name);
	if (!s->out.up)
		return diag_set(d, -ENETDOWN, "%s is down; bring it up first: ip link set %s up", s->out.name,
				s->out.name);
	if (is_deaf(s))
		return refuse_deaf(s, d);
	err = longest > GEN_MAX_BYTES ? check_long(s, d) : 0;
	if (err)
		return err;
	ifindex = s->out.ifindex;
	if (bpf_map_update_elem(b->out_fd, &key, &ifindex, 0))
		return diag_set(d, -errno, "cannot redirect to %s: %s", s->out.name, strerror(errno));
	device_counters_open(&s->out_counters, &s->out);
	s->dropped_before = device_dropped(s);
	probe_open(s, b->out_fd, probes[s->native && s->dropped_before < 0], &have);
	s->counts_drops = have && s->native && s->dropped_before < 0;
	s->frames_before = device_frames(s);
	describe_device(s, v);
	return 0;
}

/* ---- another CPU ------------------------------------------------------------------------------------------- */

static int open_cpu(struct stage *s, struct run_variant *v, const struct bench *b, struct diag *d)
{
	/*
	 * In generic mode, xdp_redirect_err reports each skb that the queue had no room for. That is as good as
	 * xdp_cpumap_enqueue, and costs time only when an skb is lost.
	 */
	static const char *const probes[][3] = {{"xdp_cpumap_kthread", "xdp_redirect_err", NULL},
						{"xdp_cpumap_kthread", "xdp_cpumap_enqueue", NULL}};
	struct bpf_cpumap_val value = {.qsize = CPUMAP_QUEUE};
	struct bpf_map_info info = {};
	__u32 key = v->stage_cpu, len = sizeof(info);
	bool have;

	if (bpf_map_update_elem(b->out_fd, &key, &value, 0))
		return diag_set(d, -errno, "cannot redirect to CPU %d: %s", v->stage_cpu, strerror(errno));
	if (bpf_obj_get_info_by_fd(b->out_fd, &info, &len))
		return diag_set(d, -errno, "cannot read the cpumap: %s", strerror(errno));
	s->cpu = v->stage_cpu;
	s->tid = cpumap_kthread(s->cpu, info.id);
	if (s->tid > 0) /* with a higher priority than the generator, which may share the CPU */
		setpriority(PRIO_PROCESS, s->tid, STAGE_NICE);
	probe_open(s, b->out_fd, probes[s->native], &have);
	s->counts_frames = s->counts_drops = have;
	snprintf(v->stage_text, sizeof(v->stage_text), "cpumap kthread on CPU %d, which hands packets to the stack",
		 s->cpu);
	return 0;
}

/* ---- an AF_XDP socket -------------------------------------------------------------------------------------- */

static int open_socket(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd,
		       uint32_t longest, struct diag *d)
{
	int err = socket_stage_open(&s->socket, nd, v, b->out_fd, longest, d);

	if (err)
		return err;
	s->cpu = v->stage_cpu;
	s->tid = socket_stage_tid(s->socket);
	snprintf(v->stage_text, sizeof(v->stage_text), "AF_XDP thread on CPU %d (%s, poll, %u queue%s)", s->cpu,
		 socket_stage_zero_copy(s->socket) ? "zero-copy" : "copy", socket_stage_queues(s->socket),
		 socket_stage_queues(s->socket) == 1 ? "" : "s");
	return 0;
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

int stage_open(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd,
	       const struct stage_options *o, struct diag *d)
{
	int err = 0;

	stage_init(s);
	s->kind = v->stage;
	s->native = !strcmp(v->mode, "native");
	s->lab = o->lab;
	if (s->kind == RUN_STAGE_DEVICE)
		err = open_device(s, v, b, nd, o->longest, d);
	else if (s->kind == RUN_STAGE_CPU)
		err = open_cpu(s, v, b, d);
	else if (s->kind == RUN_STAGE_SOCKET)
		err = open_socket(s, v, b, nd, o->longest, d);
	if (err)
		stage_release(s);
	return err;
}

int64_t stage_frames_now(const struct stage *s)
{
	if (s->kind == RUN_STAGE_SOCKET)
		return socket_stage_frames(s->socket);
	return s->counts_frames ? (int64_t)probe_sum(s).frames : -1;
}

int64_t stage_frames(const struct stage *s)
{
	int64_t now;

	if (s->kind != RUN_STAGE_DEVICE)
		return stage_frames_now(s);
	now = device_frames(s);
	return now < 0 || s->frames_before < 0 ? -1 : now - s->frames_before;
}

int64_t stage_dropped(const struct stage *s)
{
	struct redirect_count c = probe_sum(s);
	int64_t now;

	if (s->kind == RUN_STAGE_SOCKET)
		return socket_stage_dropped(s->socket);
	if (s->counts_drops)
		return c.cpumap_drops + c.device_drops + c.errors;
	if (s->kind != RUN_STAGE_DEVICE || s->dropped_before < 0)
		return -1;
	now = device_dropped(s);
	return now < 0 ? -1 : now - s->dropped_before + (int64_t)c.errors;
}

/*
 * Redirects to a device need no window of their own: in the lab, the receiver's own polls empty that device's ring, so
 * nothing overruns it.
 */
void stage_close_loop(const struct stage *s, struct gen_options *o)
{
	if (!o->window)
		return;
	if (s->kind == RUN_STAGE_SOCKET)
		o->stage_counts_fd = socket_stage_counts_fd(s->socket);
	else if (s->kind == RUN_STAGE_CPU && s->counts_frames && s->counts_drops)
		o->stage_counts_fd = bpf_map__fd(s->probe->maps.redirect_counts);
	else
		return;
	o->stage_window = STAGE_WINDOW;
	o->stage_cpu = s->cpu;
}

bool stage_busy_ns(const struct stage *s, const struct oncpu *clock, uint64_t *ns)
{
	struct oncpu_time t;

	if (s->kind == RUN_STAGE_SOCKET) {
		if (!socket_stage_busy_ns(s->socket, &t.ns))
			return false;
		oncpu_less_waits(clock, s->tid, &t);
	} else if (s->tid <= 0 || oncpu_time(clock, s->tid, &t)) {
		return false;
	}
	*ns = t.ns;
	return true;
}

/* Waits before it decides: some drivers update their counters only once a second. */
static bool device_stays_silent(const struct stage *s)
{
	uint64_t give_up = now_ns() + SILENCE_NS;

	while (stage_frames(s) == 0) {
		if (now_ns() > give_up)
			return true;
		sleep_until_ns(now_ns() + 20000000);
	}
	return false;
}

/*
 * True only when it is certain; the answer does not depend on when a task gets the CPU, for frames that wait for the
 * second stage's task have reached the second stage. A cpumap's queue takes the first frames even when its kthread does
 * not run. So the queue took none only when every redirected frame was dropped.
 */
static bool is_out_of_reach(const struct stage *s, uint64_t redirected)
{
	switch (s->kind) {
	case RUN_STAGE_DEVICE:
		return device_stays_silent(s);
	case RUN_STAGE_CPU:
		return stage_frames(s) == 0 && stage_dropped(s) >= (int64_t)redirected;
	case RUN_STAGE_SOCKET:
		return !socket_stage_reached(s->socket);
	case RUN_STAGE_NONE:
	case RUN_STAGE_READER: /* is no stage of this file: rung.h */
		break;
	}
	return false;
}

int stage_check(const struct stage *s, uint64_t redirected, struct diag *d)
{
	if (redirected < ENOUGH || !is_out_of_reach(s, redirected))
		return 0;
	if (s->kind == RUN_STAGE_DEVICE)
		return refuse_deaf(s, d);
	return diag_set(d, -EOPNOTSUPP, "no redirected packet reaches %s",
			s->kind == RUN_STAGE_CPU ? "the cpumap's kthread" : "the AF_XDP socket");
}

void stage_release(struct stage *s)
{
	probe_close(s);
	socket_stage_close(s->socket);
	device_counters_release(&s->out_counters);
	stage_init(s);
}
