// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <bpf/bpf.h>
#include <glob.h>
#include <linux/if_tun.h>
#include <linux/pci_regs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#define NIC_DEV "rx0"
#define RX_CPU  1
/* Nothing arrives for so long: nothing will. Emulated, and on a busy machine, a batch can take a second. */
#define PATIENCE_NS 20000000000ULL
#define LOOK_NS     500000ULL
#define HUGE_PAGES  "/proc/sys/vm/nr_hugepages" /* of 2 MiB */
#define MASK_ALL    (PCI_MSIX_FLAGS_MASKALL >> 8)
#define BUSY_FIRST  16
#define ARRIVE_NS   2000000ULL /* a batch is in the NIC's ring by then, mostly; else it takes another poll */

/* ---- a layer, with a pair of veth devices of its own ----------------------------------------------------------- */

static void layer_pair_close(struct layer_pair *p)
{
	int saved;

	if (p->layer.forward.layer && !p->arms.n && !netns_visit(RIG_RX_NETNS, &saved, NULL)) { /* of a program */
		forward_close(&p->layer.forward);
		netns_back(&saved);
	}
	if (p->arms.n && !netns_visit_fd(p->arms.netns_fds[0], &saved, NULL)) {
		layer_close(&p->layer);
		netns_back(&saved);
	}
	if (p->arms.n)
		rig_arms_down(&p->arms);
	if (p->sink) {
		munmap((void *)p->sink, sizeof(*p->sink));
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){});
	}
	frames_release(&p->frames);
	*p = (struct layer_pair){};
	layer_init(&p->layer);
}

static int layer_pair_open(struct layer_pair *p, const struct run_variant *v, struct diag *d)
{
	const struct sched_param real_time = {.sched_priority = 1};
	struct layer_options o = {.umem = v->umem, .bytes = GEN_BYTES};
	unsigned char frame[GEN_BYTES];
	struct gen_options shape;
	netns_scope int saved = -1;
	char name[16];
	int err;

	layer_pair_close(p);
	p->arms = (struct rig_arms){.n = 1, .apart = true, .addressed = true, .reversed = run_layer_sends(v)};
	snprintf(name, sizeof(name), RIG_SEND_DEV, 0);
	err = rig_arms_up(&p->arms, 0, d) ?: netns_visit(RIG_TX_NETNS, &saved, d) ?: netdev_open(&p->tx, name, d);
	if (!err && run_layer_sends(v)) {
		p->sink = bench_counts_of(&p->tx);
		if (!p->sink)
			err = diag_set(d, -errno, "cannot read the sink's count: %s", strerror(errno));
	} else if (!err) {
		gen_options_init(&shape);
		shape.checksum = run_layer_merges(v);
		gen_frame(frame, &shape, p->tx.mac);
		if (frames_add(&p->frames, frame, sizeof(frame)))
			err = diag_set(d, -ENOMEM, "no memory");
	}
	netns_back(&saved);
	snprintf(name, sizeof(name), RIG_ARM_DEV, 0);
	if (!err) /* the rest is in the namespace of the receiver */
		err = netns_visit_fd(p->arms.netns_fds[0], &saved, d) ?: netdev_open(&p->rx, name, d);
	memcpy(o.peer_mac, p->tx.mac, sizeof(o.peer_mac));
	if (!err)
		err = layer_open(&p->layer, v->layer, &p->rx, &o, d);
	if (!err && p->layer.reader &&
	    sched_setscheduler(atomic_load(&p->layer.reader->worker.tid), SCHED_FIFO, &real_time))
		err = diag_set(d, -errno, "%s: cannot prefer the thread that reads: %s", v->id, strerror(errno));
	netns_back(&saved);
	if (err)
		layer_pair_close(p);
	return err;
}

/* ---- the source ------------------------------------------------------------------------------------------------ */

void source_init(struct source *s)
{
	*s = (struct source){.port = -1, .tap = -1};
	layer_init(&s->pair.layer);
}

/*
 * A poll is in a system call of this task. Where the kernel preempts it, the scheduler's instructions would be the
 * packet's. So it is a real-time task before ksoftirqd, and the kernel takes no time for others from it (the second
 * file is that of Linux 6.12 and later).
 */
static int prefer_sender(struct diag *d)
{
	const struct sched_param first = {.sched_priority = 3};

	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	file_put(AT_FDCWD, "/proc/sys/kernel/sched_rt_runtime_us", "-1");
	file_put(AT_FDCWD, "/sys/kernel/debug/sched/fair_server/cpu0/runtime", "0");
	return sched_setscheduler(0, SCHED_FIFO, &first)
		       ? diag_set(d, -errno, "cannot prefer the sender: %s", strerror(errno))
		       : 0;
}

int source_open(struct source *s, const char *nic, const struct frames *frames, struct diag *d)
{
	const struct sched_param p = {.sched_priority = 2}; /* before a layer's thread that reads */
	char name[32];
	glob_t g;

	/*
	 * When a softirq takes long, the kernel leaves the rest to ksoftirqd, and the sender goes on; on one CPU the
	 * ring would overflow. As a real-time task ksoftirqd runs before the next batch.
	 */
	for (pid_t pid = 2; pid < 1000; pid++)
		if (!facts_line(&facts_here, name, sizeof(name), "proc/%d/comm", pid) &&
		    !strncmp(name, "ksoftirqd/", 10) && sched_setscheduler(pid, SCHED_FIFO, &p))
			return diag_set(d, -errno, "cannot prefer ksoftirqd: %s", strerror(errno));
	s->frames = frames;
	s->lab = !strcmp(nic, SOURCE_VETH);
	s->two_cpus = s->lab && sysconf(_SC_NPROCESSORS_ONLN) > 1;
	if (s->lab)
		return rig_up(s->two_cpus ? RX_CPU : 0, 0, d);
	if (!strcmp(nic, SOURCE_TUN)) {
		/*
		 * The way of a process such as QEMU without vhost: frames come by write(), which does not wait, and so
		 * native XDP runs before there is an skb (tun_can_build_skb() in drivers/net/tun.c).
		 */
		struct ifreq ifr = {.ifr_name = NIC_DEV, .ifr_flags = IFF_TAP | IFF_NO_PI};
		struct gen_options shape;
		int err = prefer_sender(d);

		if (err)
			return err;
		mkdir("/dev/net", 0755);
		if (mknod("/dev/net/tun", S_IFCHR | 0600, makedev(10, 200)) && errno != EEXIST)
			return diag_set(d, -errno, "cannot make /dev/net/tun: %s", strerror(errno));
		s->tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (s->tap < 0 || ioctl(s->tap, TUNSETIFF, &ifr))
			return diag_set(d, -EOPNOTSUPP, "this kernel has no taps (CONFIG_TUN): %s", strerror(errno));
		file_put(AT_FDCWD, "/proc/sys/net/ipv6/conf/" NIC_DEV "/disable_ipv6", "1");
		if (netdev_ioctl(NIC_DEV, SIOCGIFFLAGS, &ifr))
			return diag_set(d, -errno, "the tap has no flags: %s", strerror(errno));
		ifr.ifr_flags |= IFF_UP;
		if (netdev_ioctl(NIC_DEV, SIOCSIFFLAGS, &ifr))
			return diag_set(d, -errno, "the tap does not come up: %s", strerror(errno));
		gen_options_init(&shape);
		gen_frame(s->frame, &shape, (const unsigned char[6]){0x52, 0x54, 0, 0, 0, 2});
		return netdev_open(&s->nd, NIC_DEV, d);
	}
	if (netdev_open(&s->nd, NIC_DEV, NULL))
		return diag_set(d, -ENODEV, "this kernel has no driver for the NIC %s", nic);
	if (!glob("/dev/vport*p" WIRE_PORT, 0, NULL, &g) && g.gl_pathc > 0)
		s->port = open(g.gl_pathv[0], O_RDWR | O_CLOEXEC);
	globfree(&g);
	return s->port < 0 ? diag_set(d, -ENODEV, "no way to the host: the virtual machine has no port " WIRE_PORT) : 0;
}

/* Frames that have come where the program sends or redirects them; -1: it does neither. */
static int64_t source_landed(struct source *s)
{
	unsigned int n;

	if (!s->socket.socket)
		return s->landed ? rig_frames(s->landed) : -1;
	while ((n = xsk_queue_receive(&s->socket)))
		s->received += n;
	return s->received;
}

/* A device of igb does so itself at each interrupt (EIAM), and QEMU does not. */
static void mask_interrupts(bool mask)
{
	unsigned char next = 0, word[4] = {};
	int fd = open("/sys/class/net/" NIC_DEV "/device/config", O_RDWR | O_CLOEXEC);
	bool more = fd >= 0 && pread(fd, &next, 1, PCI_CAPABILITY_LIST) == 1;

	while (more && next && pread(fd, word, sizeof(word), next) == sizeof(word) && word[0] != PCI_CAP_ID_MSIX)
		next = word[1];
	word[3] = (unsigned char)((word[3] & ~MASK_ALL) | (mask ? MASK_ALL : 0));
	if (word[0] == PCI_CAP_ID_MSIX && pwrite(fd, word + 3, 1, next + 3) != 1)
		complain("cannot mask the interrupts of " NIC_DEV ": %s", strerror(errno));
	fd_close(fd);
}

/*
 * A poll arms the timer anew. Until it fires no interrupt comes and no softirq polls, so it fires after more time than
 * a variant takes, and as often as it takes to be switched off.
 */
static int interrupts_wait(bool wait, struct diag *d)
{
	static const char *const words[][2] = {{"napi_defer_hard_irqs", "1000000"},
					       {"gro_flush_timeout", "1000000000000"}};
	char path[96];
	int err = 0;

	for (size_t i = 0; i < 2 && !err; i++) {
		snprintf(path, sizeof(path), "/sys/class/net/" NIC_DEV "/%s", words[i][0]);
		err = file_put(AT_FDCWD, path, wait ? words[i][1] : "0");
	}
	return err ? diag_set(d, err, "cannot write %s: %s", path, strerror(-err)) : 0;
}

static int send_over_wire(struct source *s, const struct bench *b, unsigned int batch, unsigned int batches,
			  struct diag *d);

int source_attach(struct source *s, struct bench *b, const struct run_variant *v, struct diag *d)
{
	const char *dev = s->lab ? RIG_RX_DEV : NIC_DEV;
	unsigned int napi = 0;
	socklen_t len = sizeof(napi);
	int home = -1, err = 0;

	s->landed = NULL;
	if (v->umem.flags & RUN_UMEM_HUGE)
		file_put(AT_FDCWD, HUGE_PAGES, "128"); /* 65536 frames of 4096 bytes */
	if (run_variant_is_layer(v)) {                 /* counts its frames where they land */
		err = layer_pair_open(&s->pair, v, d);
		return !err && s->pair.layer.sender ? prefer_sender(d) : err;
	}
	s->landed = v->stage == RUN_STAGE_DEVICE ? RIG_END_DEV : v->action == RUN_ACTION_TX ? RIG_TX_DEV : NULL;
	if (v->stage == RUN_STAGE_DEVICE)
		err = rig_out_up(d);
	if (s->lab && !err)
		err = netns_visit(RIG_RX_NETNS, &home, d);
	if (err)
		return err;
	if (v->stage == RUN_STAGE_DEVICE) {
		uint32_t key = 0, ifindex = if_nametoindex(RIG_OUT_DEV);

		if (bpf_map_update_elem(b->out_fd, &key, &ifindex, 0))
			err = diag_set(d, -errno, "cannot redirect to " RIG_OUT_DEV ": %s", strerror(errno));
	}
	if (!err && !s->two_cpus && s->tap < 0) { /* in the softirq that the sender's batch ends in, or the interrupt */
		err = napi_set_threaded(dev, false);
		err = err ? diag_set(d, err, "cannot take the NAPI thread from %s: %s", dev, strerror(-err)) : 0;
	}
	if (!err)
		err = netdev_open(&s->nd, dev, d) ?: forward_attach(&s->pair.layer.forward, b, &s->nd, v->mode, d);
	if (!err && v->stage == RUN_STAGE_SOCKET) {
		struct gen_options load;

		gen_options_init(&load);
		load.frames = s->frames;
		s->received = 0;
		err = stage_join(&s->socket, &(struct xsk_place){&s->nd, 0, b->out_fd, gen_longest(&load)}, v, d);
	}
	if (!err && v->stage == RUN_STAGE_SOCKET && v->umem.flags & RUN_UMEM_BUSY) {
		/* A batch by interrupts first: the socket may know its NAPI instance by its first frame. */
		err = send_over_wire(s, b, BUSY_FIRST, 1, d) ?: interrupts_wait(true, d);
		if (!err &&
		    (getsockopt(xsk_socket__fd(s->socket.socket), SOL_SOCKET, SO_INCOMING_NAPI_ID, &napi, &len) ||
		     !napi))
			err = diag_set(d, -EOPNOTSUPP,
				       "this kernel and driver let no AF_XDP socket in this mode poll its queue");
		else if (!err)
			mask_interrupts(true);
	}
	netns_back(&home);
	return err;
}

void source_detach(struct source *s)
{
	layer_pair_close(&s->pair);
	if (s->socket.has.flags & RUN_UMEM_BUSY) {
		mask_interrupts(false);
		interrupts_wait(false, NULL);
	}
	xsk_queue_close(&s->socket);
	file_put(AT_FDCWD, HUGE_PAGES, "0");
}

int source_seen(const struct source *s, const struct bench *b, uint64_t *frames, struct diag *d)
{
	const struct layer_pair *p = &s->pair;
	netns_scope int saved = -1;

	if (p->arms.n > 0 && !p->sink)
		return netns_visit_fd(p->arms.netns_fds[0], &saved, d) ?: layer_frames(&p->layer, frames, d);
	/* The sink's without a system call, whose work would be done while the layer sends. */
	*frames = p->sink ? bench_counts_sum(p->sink->cpus, 1) : bench_seen(b);
	return 0;
}

/* Waits until the program under test has counted so many frames. */
static int source_wait_for(const struct source *s, const struct bench *b, uint64_t wanted, struct diag *d)
{
	uint64_t seen, last, since = now_ns();
	int err = source_seen(s, b, &seen, d);

	last = seen;
	while (!err && seen < wanted && !stop_requested) {
		sleep_until_ns(now_ns() + LOOK_NS);
		err = source_seen(s, b, &seen, d);
		if (seen != last)
			since = now_ns();
		last = seen;
		if (now_ns() - since > PATIENCE_NS)
			return diag_set(d, -EIO, "frames are lost on the way to the program: %" PRIu64 " are missing",
					wanted - seen);
	}
	return err ? err : stopped(d);
}

/* Waits until so many frames have landed. A verdict alone says nothing: the kernel can throw the frame away later. */
static int wait_to_land(struct source *s, int64_t wanted, struct diag *d)
{
	uint64_t until = now_ns() + PATIENCE_NS;

	for (int64_t landed; (landed = source_landed(s)) >= 0 && landed < wanted && !stop_requested;) {
		if (now_ns() > until)
			return diag_set(d, -EIO, "%lld frames that the program sent on have not arrived",
					(long long)(wanted - landed));
		sleep_until_ns(now_ns() + LOOK_NS);
	}
	return stopped(d);
}

static int send_in_lab(struct source *s, const struct bench *b, unsigned int batch, unsigned int batches,
		       uint64_t *sent, struct diag *d)
{
	int64_t landed = source_landed(s);
	uint64_t before;
	struct gen_options o;
	struct gen_result r = {};
	int home, err = source_seen(s, b, &before, d);

	if (err)
		return err;
	gen_options_init(&o);
	o.frames = s->frames;
	if (s->pair.arms.n > 0) {
		strcpy(o.dev, s->pair.tx.name);
		strcpy(o.netns, RIG_TX_NETNS);
		memcpy(o.dst_mac, s->pair.rx.mac, sizeof(o.dst_mac));
		o.frames = &s->pair.frames;
	} else {
		err = rig_gen_options(&o, d);
	}
	if (!err)
		err = netns_visit(o.netns, &home, d);
	if (err)
		return err;
	o.cpu = 0;
	o.batch = (int)batch;
	o.count = (uint64_t)batch * batches;
	if (s->two_cpus) { /* as `xdpzoom record lab` sends */
		rig_close_loop(&o, b->counts_fd, RX_CPU);
		o.patience_ns = PATIENCE_NS;
		o.write = true;
	}
	err = gen_run(&o, &stop_requested, &r, d);
	netns_back(&home);
	*sent = (uint64_t)r.sent;
	if (!err && r.refused > 0)
		err = diag_set(d, -EIO, "%lld frames were dropped (ring full)", (long long)r.refused);
	if (!err)
		err = source_wait_for(s, b, before + *sent, d);
	return err ? err : wait_to_land(s, landed + (int64_t)*sent, d);
}

static int ask_sent(const struct source *s, uint64_t *sent, struct diag *d)
{
	char line[32] = "";
	size_t n = 0;
	ssize_t got = 0;

	if (write(s->port, WIRE_SENT "\n", strlen(WIRE_SENT "\n")) < 0)
		return diag_set(d, -errno, "cannot ask the host: %s", strerror(errno));
	while (n < sizeof(line) - 1 && !strchr(line, '\n')) {
		got = read(s->port, line + n, sizeof(line) - 1 - n);
		if (got <= 0)
			return diag_set(d, -EIO, "the host does not answer");
		n += (size_t)got;
	}
	return sscanf(line, "%" SCNu64, sent) == 1 ? 0 : diag_set(d, -EIO, "the host's answer is no number: %s", line);
}

static int send_over_wire(struct source *s, const struct bench *b, unsigned int batch, unsigned int batches,
			  struct diag *d)
{
	uint64_t wanted = bench_seen(b);
	int64_t landed = source_landed(s);
	int err = 0;

	for (unsigned int i = 0; i < batches && !err; i++) {
		wanted += batch;
		if (dprintf(s->port, WIRE_SEND " %u\n", batch) < 0)
			return diag_set(d, -errno, "cannot ask the host for frames: %s", strerror(errno));
		if (s->socket.has.flags & RUN_UMEM_BUSY)
			sleep_until_ns(now_ns() + ARRIVE_NS);
		else if (s->socket.has.flags & RUN_UMEM_POLL)
			poll(&(struct pollfd){.fd = xsk_socket__fd(s->socket.socket), .events = POLLIN}, 1,
			     (int)(PATIENCE_NS / 1000000));
		else
			err = source_wait_for(s, b, wanted, d);
		if (!err)
			err = wait_to_land(s, landed += batch, d);
	}
	return err;
}

int source_send(struct source *s, const struct bench *b, unsigned int batch, unsigned int batches, uint64_t *sent,
		struct diag *d)
{
	uint64_t before, after, wanted;
	int err;

	*sent = (uint64_t)batch * batches;
	if (s->pair.layer.sender) { /* the other end is polled in a kthread, which runs when this task waits */
		err = source_seen(s, NULL, &wanted, d);
		for (uint64_t left = *sent; left && !err; left -= batch) {
			int took = sender_send(s->pair.layer.sender, batch);

			if (took != (int)batch)
				return diag_set(d, took < 0 ? took : -EIO, "of %u frames %d were sent", batch, took);
			err = source_wait_for(s, NULL, wanted += batch, d);
		}
		return err;
	}
	if (s->lab)
		return send_in_lab(s, b, batch, batches, sent, d);
	if (s->tap >= 0) {
		/* Other tasks run between two batches. */
		uint64_t frames = *sent;

		for (uint64_t i = 0; i < frames && !stop_requested; i++) {
			const struct frame *f = s->frames ? &s->frames->list[i % s->frames->n] : NULL;
			size_t bytes = f ? f->bytes : sizeof(s->frame);

			if (write(s->tap, f ? f->data : s->frame, bytes) != (ssize_t)bytes)
				return diag_set(d, -EIO, "the tap takes no frames: %s", strerror(errno));
			if (i % batch == batch - 1)
				sleep_until_ns(now_ns() + LOOK_NS);
		}
		return stopped(d);
	}
	err = ask_sent(s, &before, d) ?: send_over_wire(s, b, batch, batches, d) ?: ask_sent(s, &after, d);
	if (!err)
		*sent = after - before;
	return err;
}

void source_release(struct source *s)
{
	source_detach(s);
	if (s->lab)
		rig_down(NULL);
	fd_close(s->port);
	fd_close(s->tap);
	source_init(s);
}
