// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/bpf.h>
#include <linux/ethtool.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
/* the skeleton needs layout.h */
#include "bpf/redirects.skel.h"
#include "user/stage/stage.h"
#include "user/bed/bed.h"

#define STAGE_WINDOW   1024 /* half of that queue, and a quarter of a socket's ring */
#define STAGE_NICE     (-20)
#define BUFFER         2048 /* holds XDP_PACKET_HEADROOM and a frame of 1500 bytes or so */
#define BUFFER_MOST    4096
#define IDLE_MS        50   /* the thread notices within this time that it must end */
#define ENOUGH         1000 /* redirects; with fewer, stage_check() cannot tell that none arrives */
#define SILENCE_NS     2000000000ULL
#define CPUMAP_WAIT_NS 1000000000ULL

#ifndef XDP_USE_SG /* linux/if_xdp.h, Linux 6.6 */
#define XDP_USE_SG (1 << 4)
#endif

int stage_choose(struct run_variant *v, bool lab, int cpu, struct diag *d)
{
	if (v->mode >= RUN_MODE_NETKIT && !lab)
		return diag_set(d, -EINVAL, "%s: the netkit pair is a part of the lab; name lab as the device", v->id);
	if (v->stage == RUN_STAGE_NONE)
		return 0;
	if (v->umem.flags & RUN_UMEM_BUSY)
		return diag_set(d, -EINVAL, "%s: a reader that polls its queue is counted by xdpzoom exact alone",
				v->id);
	if (v->stage == RUN_STAGE_DEVICE) {
		if (!v->target[0] && !lab)
			return diag_set(d, -EINVAL, "%s: name the device to redirect to: redirect:DEV/%s@%s", v->id,
					run_operation_words[v->operation], run_mode_words[v->mode]);
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
}

/* ---- AF_XDP sockets, one for each RX queue, and the thread that receives from them ---------------------------- */

/*
 * The thread has a CPU of its own. It puts each received frame back into the fill ring without reading it, and sleeps
 * in poll(2) while there is none. So every buffer is in a fill ring or in a receive ring, and no frame is lost for lack
 * of one: frames received and frames dropped are those that were redirected.
 */
struct socket_stage {
	struct xsk_queue queues[STAGE_QUEUES];
	struct pollfd fds[STAGE_QUEUES];
	unsigned int n;
	int cpu;
	bool zero_copy;
	struct worker worker;
	int counts_fd, ncpus;
	struct redirect_count *counts; /* mapped: an entry for each CPU; the thread uses the entry of its own CPU */
};

static void *receive_main(void *arg)
{
	struct socket_stage *s = arg;
	int err = worker_enter(s->cpu);

	atomic_store(&s->worker.tid, err ? err : gettid());
	while (!err && !atomic_load_explicit(&s->worker.stop, memory_order_relaxed)) {
		unsigned int n = 0;

		for (unsigned int i = 0; i < s->n; i++)
			n += xsk_queue_receive(&s->queues[i]);
		if (n)
			__atomic_fetch_add(&s->counts[s->cpu].frames, n, __ATOMIC_RELAXED);
		else
			poll(s->fds, s->n, IDLE_MS);
	}
	return NULL;
}

int stage_join(struct xsk_queue *q, const struct xsk_place *at, const struct run_variant *v, struct diag *d)
{
	const struct netdev *nd = at->nd;
	struct run_umem umem = v->umem;
	__u16 flags = 0; /* of bind(2) */
	uint64_t features;
	int err;

	if (!umem.bytes)
		umem.bytes = (at->longest <= BUFFER - XDP_PACKET_HEADROOM) ? BUFFER : BUFFER_MOST;
	if (!(at->longest <= umem.bytes - XDP_PACKET_HEADROOM))
		flags |= XDP_USE_SG;
	if (!strcmp(v->target, "zero-copy"))
		flags |= XDP_ZEROCOPY;
	else if (!strcmp(v->target, "copy") || v->mode != RUN_MODE_NATIVE)
		flags |= XDP_COPY;
	err = xsk_queue_join(q, nd, at->queue, flags, &umem, at->map_fd);
	if (!err)
		return 0;
	if (err == -EAFNOSUPPORT)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no AF_XDP sockets (CONFIG_XDP_SOCKETS)");
	if (err == -EBUSY)
		return diag_set(d, err, "%s: queue %u has an AF_XDP socket already", nd->name, at->queue);
	if (flags & XDP_USE_SG && err == -EINVAL) /* a flag of bind(2) that the kernel does not know */
		return diag_set(d, -EOPNOTSUPP,
				"this kernel gives AF_XDP sockets no frames of several buffers (needs Linux 6.6); send "
				"frames of up to %d bytes",
				BUFFER_MOST - XDP_PACKET_HEADROOM);
	if (strcmp(v->target, "zero-copy") != 0 || err == -ENOMEM)
		return diag_set(d, err, "%s: cannot open an AF_XDP socket on queue %u: %s", nd->name, at->queue,
				xsk_queue_error(&v->umem, err));
	/*
	 * bind(2) returns only an errno. The driver's feature flags show whether the driver has no zero-copy at all, or
	 * refuses it because of a setting.
	 */
	if (!netdev_genl_xdp(nd->ifindex, &features) && features & XDP_ACT_XSK_ZEROCOPY)
		return diag_set(d, -EOPNOTSUPP,
				"%s: driver %s has zero-copy AF_XDP, but refuses it with its settings now: %s; use "
				"xsk:copy",
				nd->name, known(nd->driver), strerror(-err));
	return diag_set(d, -EOPNOTSUPP, "%s: driver %s has no zero-copy AF_XDP in this kernel; use xsk:copy", nd->name,
			known(nd->driver));
}

/* ---- counts from tracepoints ------------------------------------------------------------------------------- */

static void probe_close(struct stage *s)
{
	if (s->counts)
		munmap(s->counts, s->ncpus * sizeof(*s->counts));
	redirects_bpf__destroy(s->probe);
	s->counts = NULL;
	s->probe = NULL;
}

/*
 * Loads the wanted tracepoints that this kernel has. *have: it has all of them, and they are counted. Otherwise the
 * counts stay unknown, which is no error.
 */
static void probe_open(struct stage *s, int map_fd, const char *const wanted[], bool *have)
{
	struct redirects_bpf *skel;
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct bpf_program *p;
	void *counts;
	int n = 0;

	*have = false;
	kernel_words_clear();
	skel = s->probe = redirects_bpf__open();
	if (!skel)
		return;
	*have = true;
	for (p = bpf_object__next_program(skel->obj, NULL); p; p = bpf_object__next_program(skel->obj, p))
		bpf_program__set_autoload(p, false);
	for (; *wanted; wanted++) {
		p = bpf_object__find_program_by_name(skel->obj, *wanted);
		if (p && libbpf_find_vmlinux_btf_id((*wanted), BPF_TRACE_RAW_TP) > 0)
			n += !bpf_program__set_autoload(p, true);
		else
			*have = false;
	}
	s->ncpus = cpu_possible();
	if (n && !bpf_obj_get_info_by_fd(map_fd, &info, &len)) {
		skel->rodata->cfg_map_id = info.id;
		skel->rodata->cfg_ifindex = s->out.ifindex;
		skel->rodata->cfg_netns_inum = netns_inum();
		if (!bpf_map__set_max_entries(skel->maps.redirect_counts, s->ncpus) && !redirects_bpf__load(skel) &&
		    !redirects_bpf__attach(skel)) {
			counts = mmap(NULL, s->ncpus * sizeof(*s->counts), PROT_READ, MAP_SHARED,
				      bpf_map__fd(skel->maps.redirect_counts), 0);
			s->counts = counts == MAP_FAILED ? NULL : counts;
		}
	}
	if (!s->counts) {
		*have = false;
		probe_close(s);
	}
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

static int stage_open_device(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd,
			     uint32_t longest, struct diag *d)
{
	static const char *const probes[][3] = {{"xdp_redirect_err", NULL},
						{"xdp_redirect_err", "xdp_devmap_xmit", NULL}};
	__u32 key = 0, ifindex;
	uint64_t features;
	bool have;
	int err;
	pid_t kthread;

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
				SHELL_NAME(s->out.name));
	/* Since 6.3 the kernel reports what the target takes. On an older kernel stage_check() finds out. */
	if (s->native && !netdev_genl_xdp(s->out.ifindex, &features)) {
		if (!(features & XDP_ACT_NDO_XMIT))
			return refuse_deaf(s, d);
		if (longest > GEN_MAX_BYTES && !(features & XDP_ACT_NDO_XMIT_SG))
			return diag_set(d, -EOPNOTSUPP,
					"%s takes no redirected frames of several buffers in native mode: its driver "
					"(%s) has no ndo-xmit-sg; send frames of up to %d bytes, or use skb mode",
					s->out.name, known(s->out.driver), GEN_MAX_BYTES);
	}
	ifindex = s->out.ifindex;
	if (bpf_map_update_elem(b->out_fd, &key, &ifindex, 0))
		return diag_set(d, -errno, "cannot redirect to %s: %s", s->out.name, strerror(errno));
	device_counters_open(&s->out_counters, &s->out);
	s->dropped_before = device_dropped(s);
	probe_open(s, b->out_fd, probes[s->native && s->dropped_before < 0], &have);
	s->counts_drops = have && s->native && s->dropped_before < 0;
	s->frames_before = s->lab ? rig_frames(RIG_END_DEV) : netdev_packets(s->out.name, true);
	kthread = napi_kthread(s->out.name);
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
	return 0;
}

/* ---- another CPU ------------------------------------------------------------------------------------------- */

/* It is named "cpumap/CPU/map:ID"; old kernels cut the name after 15 characters. */
pid_t cpumap_kthread(int cpu, __u32 map_id)
{
	struct patience patience = patience_of(CPUMAP_WAIT_NS);
	char want[40], comm[80];
	pid_t tid;

	snprintf(want, sizeof(want), "cpumap/%d/map:%u", cpu, map_id);
	for (;; sleep_until_ns(now_ns() + 1000000)) {
		process_scan (&facts_here, tid, comm)
			if ((!strcmp(comm, want) || (strlen(comm) == 15 && !strncmp(comm, want, 15))) &&
			    facts_is_kthread(&facts_here, tid))
				return tid;
		if (patience_ends(&patience))
			return -1;
	}
}

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

static int stage_open_socket(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd,
			     uint32_t longest, struct diag *d)
{
	struct socket_stage *so = s->socket = calloc(1, sizeof(*so));
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct ethtool_channels ch = {.cmd = ETHTOOL_GCHANNELS};
	struct xdp_options has = {};
	socklen_t len = sizeof(has);
	unsigned int queues;
	char memory[96];
	void *p;
	int err;

	if (!so)
		return diag_set(d, -ENOMEM, "no memory");
	s->cpu = so->cpu = v->stage_cpu;
	/* The counts are in a BPF map, so that the generator's program can read them. */
	so->ncpus = cpu_possible();
	so->counts_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "stage_counts", sizeof(__u32), sizeof(*so->counts),
				       so->ncpus, &opts);
	if (so->counts_fd < 0)
		return diag_set(d, so->counts_fd, "cannot make a map for the counts: %s", strerror(-so->counts_fd));
	p = mmap(NULL, so->ncpus * sizeof(*so->counts), PROT_READ | PROT_WRITE, MAP_SHARED, so->counts_fd, 0);
	if (p == MAP_FAILED)
		return diag_set(d, -errno, "cannot map the counts: %s", strerror(errno));
	so->counts = p;
	queues = netdev_ethtool(nd->name, &ch) ? 0 : ch.rx_count + ch.combined_count;
	if (!queues) /* the driver does not report a number */
		queues = 1;
	if (queues > STAGE_QUEUES)
		return diag_set(d, -EOPNOTSUPP, "%s has %u receive queues, more than %d; use fewer: ethtool -L %s",
				nd->name, queues, STAGE_QUEUES, SHELL_NAME(nd->name));
	so->zero_copy = true;
	for (; so->n < queues; so->n++) {
		struct xsk_queue *q = &so->queues[so->n];

		err = stage_join(q, &(struct xsk_place){nd, so->n, b->out_fd, longest}, v, d);
		if (err)
			return err;
		so->fds[so->n] = (struct pollfd){.fd = xsk_socket__fd(q->socket), .events = POLLIN};
		so->zero_copy = so->zero_copy &&
				!getsockopt(xsk_socket__fd(q->socket), SOL_XDP, XDP_OPTIONS, &has, &len) &&
				has.flags & XDP_OPTIONS_ZEROCOPY;
	}
	err = worker_start(&so->worker, receive_main, so);
	if (err)
		return diag_set(d, err, "cannot start the receiving thread on CPU %d: %s", so->cpu, strerror(-err));
	xsk_queue_words(&so->queues[0].has, memory, sizeof(memory));
	s->tid = atomic_load(&so->worker.tid);
	snprintf(v->stage_text, sizeof(v->stage_text), "AF_XDP thread on CPU %d (%s, poll, %u queue%s, %s)", s->cpu,
		 so->zero_copy ? "zero-copy" : "copy", so->n, so->n == 1 ? "" : "s", memory);
	return 0;
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

int stage_open(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd,
	       const struct stage_options *o, struct diag *d)
{
	int err = 0;

	stage_init(s);
	s->kind = v->stage;
	s->native = v->mode == RUN_MODE_NATIVE;
	s->lab = o->lab;
	if (s->kind == RUN_STAGE_DEVICE)
		err = stage_open_device(s, v, b, nd, o->longest, d);
	else if (s->kind == RUN_STAGE_CPU)
		err = open_cpu(s, v, b, d);
	else if (s->kind == RUN_STAGE_SOCKET)
		err = stage_open_socket(s, v, b, nd, o->longest, d);
	if (err)
		stage_release(s);
	return err;
}

int64_t consumer_frames(const struct stage *s, bool cheap)
{
	int64_t now;

	if (s->kind == RUN_STAGE_SOCKET)
		return __atomic_load_n(&s->socket->counts[s->socket->cpu].frames, __ATOMIC_RELAXED);
	if (s->kind != RUN_STAGE_DEVICE || cheap)
		return s->counts_frames ? (int64_t)probe_sum(s).frames : -1;
	now = s->lab ? rig_frames(RIG_END_DEV) : netdev_packets(s->out.name, true);
	return now < 0 || s->frames_before < 0 ? -1 : now - s->frames_before;
}

int64_t consumer_dropped(const struct stage *s)
{
	struct redirect_count c = probe_sum(s);
	int64_t now;

	if (s->kind == RUN_STAGE_SOCKET) {
		int64_t sum = 0;

		for (unsigned int i = 0; i < s->socket->n; i++) {
			int64_t n = xsk_queue_dropped(&s->socket->queues[i]);

			if (n < 0)
				return -1;
			sum += n;
		}
		return sum;
	}
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
	unsigned int room = STAGE_WINDOW;

	if (!o->window)
		return;
	if (s->kind == RUN_STAGE_SOCKET) { /* each frame under way needs a buffer and an entry of the ring */
		o->stage_counts_fd = s->socket->counts_fd;
		room = s->socket->queues[0].has.ring ?: s->socket->queues[0].has.frames;
	} else if (s->kind == RUN_STAGE_CPU && s->counts_frames && s->counts_drops) {
		o->stage_counts_fd = bpf_map__fd(s->probe->maps.redirect_counts);
	} else {
		return;
	}
	o->stage_window = room < STAGE_WINDOW ? (int)room : STAGE_WINDOW;
	o->stage_cpu = s->cpu;
}

bool consumer_busy_ns(const struct stage *s, const struct oncpu *clock, uint64_t *ns)
{
	struct oncpu_time t;

	if (s->kind == RUN_STAGE_SOCKET) {
		t.ns = clock_ns(s->socket->worker.clock);
		oncpu_less_waits(clock, s->tid, &t);
	} else if (s->tid <= 0 || oncpu_time(clock, s->tid, &t)) {
		return false;
	}
	*ns = t.ns;
	return true;
}

/*
 * An error only when it is certain; the answer does not depend on when a task gets the CPU, for frames that wait for
 * the second stage's task have reached the second stage.
 */
int stage_check(const struct stage *s, uint64_t redirected, struct diag *d)
{
	struct patience patience = patience_of(SILENCE_NS);
	const struct socket_stage *so = s->socket;
	bool reached = redirected < ENOUGH || s->kind == RUN_STAGE_NONE || s->kind == RUN_STAGE_READER;

	if (s->kind == RUN_STAGE_DEVICE) { /* waits: some drivers update their counters only once a second */
		while (!reached && consumer_frames(s, false) == 0) {
			if (patience_ends(&patience))
				return refuse_deaf(s, d);
			sleep_until_ns(now_ns() + 20000000);
		}
		return 0;
	}
	/*
	 * A cpumap's queue takes the first frames even when its kthread does not run. So the queue took none only when
	 * every redirected frame was dropped.
	 */
	if (!reached && s->kind == RUN_STAGE_CPU)
		reached = consumer_frames(s, false) != 0 || consumer_dropped(s) < (int64_t)redirected;
	/*
	 * Does not depend on the thread: the kernel moves the receive ring's producer index in the same poll that
	 * redirected the frame. The index returns to 0 after 2^32 frames.
	 */
	for (unsigned int i = 0; !reached && so && i < so->n; i++)
		reached = __atomic_load_n(so->queues[i].rx.producer, __ATOMIC_RELAXED);
	if (reached || (so && __atomic_load_n(&so->counts[so->cpu].frames, __ATOMIC_RELAXED) > 0))
		return 0;
	return diag_set(d, -EOPNOTSUPP, "no redirected packet reaches %s",
			s->kind == RUN_STAGE_CPU ? "the cpumap's kthread" : "the AF_XDP socket");
}

void stage_release(struct stage *s)
{
	struct socket_stage *so = s->socket;

	probe_close(s);
	if (so) {
		worker_stop(&so->worker);
		for (unsigned int i = 0; i < so->n; i++)
			xsk_queue_close(&so->queues[i]);
		if (so->counts)
			munmap(so->counts, so->ncpus * sizeof(*so->counts));
		fd_close(so->counts_fd);
		free(so);
	}
	device_counters_release(&s->out_counters);
	stage_init(s);
}
