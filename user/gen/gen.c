// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <linux/virtio_net.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "user/bed/bed.h"
#include "bpf/traffic.skel.h"

/* ---- the frames of a list --------------------------------------------------------------------------------------- */

uint32_t gen_longest(const struct gen_options *o)
{
	uint32_t bytes = o->frames ? 0 : (uint32_t)o->bytes;

	for (size_t i = 0; o->frames && i < o->frames->n; i++)
		if (o->frames->list[i].bytes > bytes)
			bytes = o->frames->list[i].bytes;
	return bytes;
}

/* The kernel rounds values up to 8 bytes too. */
static size_t value_bytes(const struct gen_options *o)
{
	return (sizeof(struct gen_frame_head) + gen_longest(o) + 7) / 8 * 8;
}

int gen_frames_alone(const struct gen_options *o, struct diag *d)
{
	if (o->bytes != GEN_BYTES || o->flows != 1)
		return diag_set(d, -EINVAL, "--size and --flows are for the generator's own frames, not for --frames");
	return 0;
}

int gen_frames_check(const struct gen_options *o, struct diag *d)
{
	for (size_t i = 0; o->frames && i < o->frames->n; i++)
		if (o->frames->list[i].bytes > GEN_MAX_BYTES)
			return diag_set(d, -EINVAL,
					"frame %zu has %u bytes; live frames lie in one buffer, which has room for %d "
					"bytes (gen, and record with --view blocks, send longer ones)",
					i + 1, o->frames->list[i].bytes, GEN_MAX_BYTES);
	if (o->frames && o->frames->n > GEN_FRAMES_MAX_BYTES / value_bytes(o))
		return diag_set(d, -EINVAL,
				"%zu frames of up to %u bytes are more than the %u MB that the generator has for them",
				o->frames->n, gen_longest(o), GEN_FRAMES_MAX_BYTES >> 20);
	return 0;
}

int gen_frames_size(struct bpf_map *map, const struct gen_options *o)
{
	int err;

	if (!o->frames)
		return 0;
	err = bpf_map__set_value_size(map, (__u32)value_bytes(o));
	return err ? err : bpf_map__set_max_entries(map, (uint32_t)o->frames->n);
}

int gen_frames_fill(const struct bpf_map *map, const struct gen_options *o, const unsigned char src_mac[6])
{
	unsigned char *value = o->frames ? calloc(1, value_bytes(o)) : NULL;
	struct gen_frame_head *head = (void *)value;
	int err = 0;

	if (!o->frames)
		return 0;
	if (!value)
		return -ENOMEM;
	for (__u32 i = 0; i < o->frames->n && !err; i++) {
		const struct frame *f = &o->frames->list[i];

		head->bytes = f->bytes;
		memcpy(head + 1, f->data, f->bytes);
		memcpy(head + 1, o->dst_mac, ETH_ALEN);
		memcpy((char *)(head + 1) + ETH_ALEN, src_mac, ETH_ALEN);
		err = bpf_map_update_elem(bpf_map__fd(map), &i, value, BPF_ANY);
	}
	free(value);
	return err;
}

/* ---- the generator as a child process: started, watched and stopped by the recorder ------------------------------ */

#define STOP_PATIENCE_NS 5000000000ULL

/* An anonymous mapping shares this struct with the child. */
struct gen_shared {
	volatile sig_atomic_t ready;
	int err;
	struct gen_result result;
	struct diag diag;
};

static volatile sig_atomic_t child_stop;

static void on_term(int sig)
{
	(void)sig;
	child_stop = 1;
}

static int gen_died(struct gen *g, struct diag *d)
{
	int err = g->shared->err;

	g->pid = 0;
	if (err)
		return diag_set(d, err, "generator: %s", g->shared->diag.text);
	return diag_set(d, -ECHILD, "the generator died");
}

int gen_check(struct gen *g, struct diag *d)
{
	int status;

	if (g->remote.host[0])
		return remote_check(&g->remote, d);
	if (g->pid > 0 && waitpid(g->pid, &status, WNOHANG) == 0)
		return 0;
	return gen_died(g, d);
}

int gen_start(struct gen *g, const struct gen_options *o, struct diag *d)
{
	struct timespec pause = {0, 1000000};
	int err;

	gen_release(g);
	if (o->host[0])
		return remote_start(&g->remote, o, d);
	g->shared = mmap(NULL, sizeof(*g->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g->shared == MAP_FAILED) {
		g->shared = NULL;
		return diag_set(d, -ENOMEM, "no memory for the generator");
	}
	g->pid = child_fork(SIGKILL);
	if (g->pid < 0) {
		g->pid = 0;
		return diag_set(d, -errno, "cannot start the generator: %s", strerror(errno));
	}
	if (g->pid == 0) {
		struct gen_shared *sh = g->shared;
		struct sigaction term = {.sa_handler = on_term};
		struct gen_options mine = *o;

		mine.is_child = true;
		signal(SIGINT, SIG_IGN); /* Ctrl-C reaches the whole group; the parent decides when to stop */
		sigaction(SIGTERM, &term, NULL);
		if (o->netns[0] || o->netns_fd < 0)
			sh->err = netns_enter(o->netns, &sh->diag);
		else if (netns_enter_fd(o->netns_fd))
			sh->err = diag_set(&sh->diag, -errno, "cannot go back home: %s", strerror(errno));
		if (o->session_nice)
			priority_session_begin(o->session_nice);
		/*
		 * The recorder's XDP link and its locks must end with the recorder, also when it is killed. A copy of a
		 * descriptor in this child would keep them for longer.
		 */
		close_all_but(STDERR_FILENO + 1, o->prog_fd >= 0 ? o->prog_fd : o->counts_fd, o->stage_counts_fd);
		privileges_keep(PRIVILEGES_OF_GENERATOR);
		if (!sh->err) {
			sh->ready = 1;
			sh->err = gen_run(&mine, &child_stop, &sh->result, &sh->diag);
		}
		_exit(sh->err ? 1 : 0);
	}
	while (!g->shared->ready) {
		err = gen_check(g, d);
		if (err)
			return err;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int gen_stop(struct gen *g, struct gen_result *r, struct diag *d)
{
	struct timespec pause = {0, 2000000};
	struct patience patience = patience_of(STOP_PATIENCE_NS);
	int status = 0, err;
	bool killed = false;

	memset(r, 0, sizeof(*r));
	if (g->remote.host[0])
		return remote_stop(&g->remote, r, d);
	if (!g->pid)
		return diag_set(d, -ECHILD, "the generator is not running");
	/* A signal that comes just before a long call begins does not end that call; so send it again and again. */
	while (kill(g->pid, SIGTERM) == 0 && waitpid(g->pid, &status, WNOHANG) == 0) {
		if (patience_ends(&patience)) {
			status = child_kill(g->pid);
			killed = true;
			break;
		}
		nanosleep(&pause, NULL);
	}
	if (WIFSIGNALED(status) && !killed)
		return gen_died(g, d);
	g->pid = 0;
	err = g->shared->err;
	*r = g->shared->result;
	if (err)
		diag_set(d, err, "generator: %s", g->shared->diag.text);
	gen_release(g);
	return err;
}

void gen_release(struct gen *g)
{
	if (g->pid > 0)
		child_kill(g->pid);
	if (g->shared)
		munmap(g->shared, sizeof(*g->shared));
	remote_release(&g->remote);
	*g = (struct gen){.remote = NO_REMOTE};
}

/* ---- the generator ----------------------------------------------------------------------------------------------- */

#define PATIENCE_NS   20000000
#define DONT_FRAGMENT 0x4000 /* RFC 791 */
#define GEN_NICE      (-15)
#define KERNEL_BATCH  64 /* the kernel's default */
#define CALL_NS       10000000000ULL
#define LONG_CALL_NS  300000000000ULL
#define SOCKET_ROOM   (4 << 20)
#define SLEEP_NS      200000        /* a shorter wait is spun */
#define SOURCE_PORT   34            /* where a frame of gen_frame() has it */
#define STUCK_ROUNDS  3             /* give up after so many calls in a row that sent no frame, */
#define STUCK_NS      1000000000ULL /* and so long: a receiver that gets no CPU for a while takes none */

void gen_options_init(struct gen_options *o)
{
	memset(o, 0, sizeof(*o));
	o->bytes = GEN_BYTES;
	o->flows = 1;
	o->patience_ns = PATIENCE_NS;
	o->cpu = o->netns_fd = o->counts_fd = o->stage_counts_fd = o->prog_fd = -1;
}

void gen_frame(unsigned char *frame, const struct gen_options *o, const unsigned char *src_mac)
{
	struct ethhdr *eth = (void *)frame;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);
	uint32_t sum;

	memset(frame, 0, o->bytes);
	memcpy(eth->h_dest, o->dst_mac, ETH_ALEN);
	memcpy(eth->h_source, src_mac, ETH_ALEN);
	eth->h_proto = htons(ETH_P_IP);
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->protocol = IPPROTO_UDP;
	ip->tot_len = htons(o->bytes - sizeof(*eth));
	if (o->checksum) /* all frames have one IP ID, which GRO of Linux 6.1 and 6.12 merges only with this flag */
		ip->frag_off = htons(DONT_FRAGMENT);
	inet_pton(AF_INET, GEN_SRC_IP, &ip->saddr);
	inet_pton(AF_INET, o->dst_ip[0] ? o->dst_ip : GEN_DST_IP, &ip->daddr);
	ip->check = htons(frames_checksum(0, ip, sizeof(*ip)));
	udp->source = udp->dest = htons(GEN_FIRST_PORT);
	udp->len = htons(o->bytes - sizeof(*eth) - sizeof(*ip));
	/* RFC 768, of both addresses too; the payload is zeros. 0 would mean: no checksum. */
	sum = frames_sum(IPPROTO_UDP + ntohs(udp->len), &ip->saddr, 8);
	if (o->checksum)
		udp->check = htons(frames_checksum(sum, udp, sizeof(*udp)) ?: 0xffff);
}

/* A batch runs with softirqs off, so under a rate limit it must be short: at most 100 us of frames. */
uint32_t gen_batch(const struct gen_options *o)
{
	double frames_in_100_us = o->rate_pps * 1e-4;

	if (o->batch)
		return o->batch;
	if (o->rate_pps <= 0 || frames_in_100_us > KERNEL_BATCH)
		return KERNEL_BATCH;
	return frames_in_100_us < 1 ? 1 : frames_in_100_us;
}

static int load_traffic(struct traffic_bpf **skel, const struct gen_options *o, const struct netdev *nd, struct diag *d)
{
	int err;

	kernel_words_clear();
	*skel = traffic_bpf__open();
	if (!*skel)
		return diag_set(d, -errno, "cannot open the generator's program: %s", strerror(errno));
	(*skel)->rodata->cfg_ifindex = nd->ifindex;
	(*skel)->rodata->cfg_flows = o->flows;
	(*skel)->rodata->cfg_first_port = GEN_FIRST_PORT;
	(*skel)->rodata->cfg_write = o->write;
	(*skel)->rodata->cfg_checksum = o->checksum;
	(*skel)->rodata->cfg_gap_ns = o->rate_pps > 0 ? 1e9 / o->rate_pps : 0;
	(*skel)->rodata->cfg_batch = gen_batch(o);
	(*skel)->rodata->cfg_window = o->window;
	(*skel)->rodata->cfg_rx_cpu = o->counts_cpu;
	(*skel)->rodata->cfg_patience_ns = o->patience_ns;
	(*skel)->rodata->cfg_stage_window = o->stage_window;
	(*skel)->rodata->cfg_stage_cpu = o->stage_cpu;
	if (o->window && bpf_map__reuse_fd((*skel)->maps.counts, o->counts_fd))
		return diag_set(d, -errno, "cannot share the counts of the program under test: %s", strerror(errno));
	if (o->stage_window && bpf_map__reuse_fd((*skel)->maps.stage_counts, o->stage_counts_fd))
		return diag_set(d, -errno, "cannot share the counts of the consumer: %s", strerror(errno));
	memcpy((void *)(*skel)->rodata->cfg_macs, o->dst_mac, 6);
	memcpy((char *)(*skel)->rodata->cfg_macs + 6, nd->mac, 6);
	(*skel)->rodata->cfg_list_frames = o->frames ? (uint32_t)o->frames->n : 0;
	(*skel)->rodata->cfg_list_bytes = o->frames ? gen_longest(o) : 0;
	err = gen_frames_size((*skel)->maps.frames, o) ?: traffic_bpf__load(*skel);
	if (!err)
		err = gen_frames_fill((*skel)->maps.frames, o, nd->mac);
	if (err)
		diag_set(d, err, "cannot load the generator's program: %s%s%s", strerror(-err),
			 err == -EPERM ? " (this needs root)" : "", kernel_words());
	return err;
}

struct sent {
	int64_t xmit, errors;
};

/*
 * Where the driver counts both (veth, for example): the XDP frames that the device took through ndo_xdp_xmit, and those
 * that it refused (veth refuses a frame when the peer's ring is full). With other drivers: all frames that it sent.
 */
static struct sent read_sent(const char *dev)
{
	struct sent c = {-1, -1};
	struct counters all = {};

	if (!netdev_driver_counters(dev, &all)) {
		c.xmit = counters_sum(&all, COUNTER_XMIT_TAKEN);
		c.errors = counters_sum(&all, COUNTER_XMIT_REFUSED);
	}
	counters_release(&all);
	if (c.xmit < 0)
		c.xmit = netdev_packets(dev, true);
	return c;
}

static int gen_send_frames(struct traffic_bpf *skel, const struct gen_options *o, unsigned char *frame,
			   const struct sent *before, uint64_t end_ns, const volatile sig_atomic_t *stop)
{
	/* more frames than any call can send, in whole batches */
	uint64_t frames = INT32_MAX - INT32_MAX % gen_batch(o), last_left = 0;
	struct patience patience = patience_of(STUCK_NS);
	int fd = skel ? bpf_program__fd(skel->progs.traffic) : o->prog_fd, err = 0, stuck = 0;
	bool whole = true;

	while (!*stop && !err && !(end_ns && now_ns() >= end_ns)) {
		if (o->count) {
			/* Still to send: the count less what left the device; without counters, less what it got. */
			struct sent now = read_sent(o->dev);
			uint64_t done = skel->bss->seq;

			if (now.xmit >= 0)
				done = now.xmit - before->xmit;
			uint64_t left = done >= o->count ? 0 : o->count - done;

			stuck = left == last_left && whole ? stuck + 1 : 0;
			if (!stuck)
				patience = patience_of(STUCK_NS);
			if (!left || (patience_ends(&patience) && stuck >= STUCK_ROUNDS))
				break;
			last_left = left;
			frames = left < INT32_MAX ? left : INT32_MAX;
		}
		uint64_t now = now_ns(), ns = o->is_child ? LONG_CALL_NS : CALL_NS;
		struct itimerval it = {};
		if (end_ns && end_ns < now + ns)
			ns = end_ns > now ? end_ns - now : 1;
		it.it_value.tv_sec = (ns + 999) / 1000 / 1000000;
		it.it_value.tv_usec = (ns + 999) / 1000 % 1000000;
		it.it_interval.tv_usec =
			10000; /* repeats: a signal that comes just before the call does not end the call */
		setitimer(ITIMER_REAL, &it, NULL);
		struct xdp_md ctx = {.data_end = gen_longest(o)};
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = gen_longest(o), .ctx_in = &ctx,
			    .ctx_size_in = sizeof(ctx), .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = gen_batch(o),
			    .repeat = frames);
		err = bpf_prog_test_run_opts(fd, &opts);
		sched_yield();
		whole = !err;
		if (err == -EINTR || err == -EAGAIN)
			err = 0;
	}
	return err;
}

/* Is the result an error: has the device vanished, or did frames not leave it? */
static int gen_judge(const struct gen_options *o, const struct netdev *nd, const struct gen_result *r, bool stopped,
		     struct diag *d)
{
	if (netdev_gone(nd))
		return diag_set(d, -ENODEV, "%s has vanished", nd->name);
	if (r->handed && r->sent == 0) {
		char needs[VETH_WORDS];

		if (!veth_is(nd))
			return diag_set(
				d, -EOPNOTSUPP,
				"no frame left %s: its driver (%s) sends no XDP frames, or the other end takes none",
				nd->name, known(nd->driver));
		veth_peer_needs(nd, needs, sizeof(needs));
		return diag_set(d, -EOPNOTSUPP, "no frame left %s: %s", nd->name, needs);
	}
	if (o->count && !stopped && r->sent >= 0 && (uint64_t)r->sent < o->count && !o->duration_ns)
		return diag_set(d, -EIO, "%s: only %lld of %llu frames left the device", nd->name, (long long)r->sent,
				(unsigned long long)o->count);
	return 0;
}

/* The signal only has to interrupt the call. */
static void ignore_tick(int sig)
{
	(void)sig;
}

/* ---- frames that are longer than one buffer, which live frames cannot be: out of a packet socket ------------- */

bool gen_is_large(const struct gen_options *o)
{
	return gen_longest(o) > GEN_MAX_BYTES;
}

static int large_run(const struct gen_options *o, const struct netdev *nd, const volatile sig_atomic_t *stop,
		     struct gen_result *r, struct diag *d)
{
	uint64_t start = now_ns(), end = o->duration_ns ? start + o->duration_ns : UINT64_MAX;
	double gap_ns = o->rate_pps > 0 ? 1e9 / o->rate_pps : 0;
	struct frame own = {.data = malloc(GEN_LONGEST), .bytes = (uint32_t)o->bytes};
	const struct sockaddr_ll device = {.sll_family = AF_PACKET, .sll_ifindex = nd->ifindex};
	const int room = SOCKET_ROOM, on = 1;
	int fd, err = 0;

	if (!own.data)
		return diag_set(d, -ENOMEM, "no memory");
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	/* With this header the kernel puts all behind the first bytes of a long frame into pages of their own. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&device, sizeof(device))) {
		err = diag_set(d, -errno, "%s: cannot set up a packet socket for long frames: %s", nd->name,
			       strerror(errno));
		goto out;
	}
	if (!o->frames)
		gen_frame(own.data, o, nd->mac);
	*r = (struct gen_result){.sent = 0, .refused = 0, .back = -1};
	while (!*stop && !err && now_ns() < end && (!o->count || (uint64_t)r->sent < o->count)) {
		uint64_t due_ns = start + (uint64_t)(gap_ns * (double)r->handed);
		uint64_t now;

		while (!*stop && (now = now_ns()) < due_ns)
			if (due_ns - now > SLEEP_NS)
				sleep_until_ns(due_ns - SLEEP_NS / 2);
		/* The list's next frame, or our own, whose source port is that of the next flow. */
		const struct frame *f = o->frames ? &o->frames->list[r->handed % o->frames->n] : &own;
		uint16_t port = htons((uint16_t)(GEN_FIRST_PORT + r->handed % (uint64_t)o->flows));
		if (!o->frames && o->flows > 1)
			memcpy(own.data + SOURCE_PORT, &port, sizeof(port));
		r->handed++;
		struct virtio_net_hdr head = {.hdr_len = ETH_HLEN};
		unsigned char macs[2 * ETH_ALEN];
		struct iovec parts[] = {
			{&head, sizeof(head)}, {macs, sizeof(macs)}, {f->data + sizeof(macs), f->bytes - sizeof(macs)}};
		memcpy(macs, o->dst_mac, ETH_ALEN);
		memcpy(macs + ETH_ALEN, nd->mac, ETH_ALEN);
		err = writev(fd, parts, 3) < 0 ? -errno : 0;
		r->sent += !err;
		r->refused += err == -ENOBUFS;
		if (err == -ENOBUFS || err == -EINTR || err == -EAGAIN) {
			sched_yield();
			err = 0;
		}
	}
	r->elapsed_ns = now_ns() - start;
	if (err)
		diag_set(d, err, "%s takes no frame of this length: %s", nd->name, strerror(-err));
out:
	fd_close(fd);
	free(own.data);
	return err;
}

/* ---------------------------------------------------------------------------------------------------------------- */

int gen_run(const struct gen_options *o, const volatile sig_atomic_t *stop, struct gen_result *r, struct diag *d)
{
	unsigned char frame[GEN_MAX_BYTES];
	struct sigaction tick = {.sa_handler = ignore_tick};
	struct traffic_bpf *skel = NULL;
	struct sent before, after;
	struct netdev nd = {};
	uint64_t start;
	bool lab;
	int arm, err = 0;

	if (o->bytes < GEN_MIN_BYTES || o->bytes > GEN_LONGEST)
		err = diag_set(d, -EINVAL, "packet size %d is outside %d..%d bytes (without FCS)", o->bytes,
			       GEN_MIN_BYTES, GEN_LONGEST);
	else if (o->flows < 1 || o->flows > 50000)
		err = diag_set(d, -EINVAL, "%d flows is outside 1..50000", o->flows);
	else if (o->rate_pps != 0 && (o->rate_pps < 100 || o->rate_pps > 1e9))
		err = diag_set(d, -EINVAL, "rate %.0f is outside 100..1000000000 packets/s", o->rate_pps);
	else if (!gen_is_large(o))
		err = gen_frames_check(o, d);
	if (!err)
		err = netdev_open(&nd, o->dev, d);
	if (!err && !nd.up)
		err = diag_set(d, -ENETDOWN, "%s is down; bring it up first: ip link set %s up", nd.name,
			       SHELL_NAME(nd.name));
	lab = !strcmp(nd.name, RIG_TX_DEV) || sscanf(nd.name, RIG_SEND_DEV, &arm) == 1;
	if (!err && nd.mtu > 0 && gen_longest(o) > (uint32_t)nd.mtu + ETH_HLEN)
		err = diag_set(d, -EINVAL, "%u bytes are more than %s takes: MTU %d plus the Ethernet header%s",
			       gen_longest(o), nd.name, nd.mtu,
			       lab ? "; a lab with another MTU: xdpzoom lab down, then xdpzoom lab up --mtu N" : "");
	if (!err && o->cpu >= 0 && cpu_pin(0, o->cpu))
		err = diag_set(d, -EINVAL, "cannot run on CPU %d", o->cpu);
	if (!err && o->prog_fd < 0 && !gen_is_large(o))
		err = load_traffic(&skel, o, &nd, d);
	if (err)
		goto out;
	/*
	 * Any other task on this CPU would stop the frames, and the receiver would become idle. Only the recorder gets
	 * a higher priority. The generator must not stay a real-time task, which it may have inherited
	 * from its parent: a real-time task would never let go of the CPU.
	 */
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){});
	setpriority(PRIO_PROCESS, 0, GEN_NICE);
	if (gen_is_large(o)) {
		err = large_run(o, &nd, stop, r, d);
		goto out;
	}
	gen_frame(frame, o, nd.mac);
	before = read_sent(o->dev);
	start = now_ns();
	sigaction(SIGALRM, &tick, NULL);
	err = gen_send_frames(skel, o, frame, &before, o->duration_ns ? start + o->duration_ns : 0, stop);
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	after = read_sent(o->dev);
	*r = (struct gen_result){.handed = (skel ? skel->bss->seq : 0),
				 .sent = -1,
				 .refused = -1,
				 .back = -1,
				 .elapsed_ns = now_ns() - start};
	if (after.xmit >= 0)
		r->sent = after.xmit - before.xmit;
	if (after.errors >= 0)
		r->refused = after.errors - before.errors;
	if (!err)
		err = gen_judge(o, &nd, r, *stop, d);
	if (err)
		diag_set(d, err, "%s: the kernel ended the live-frame run: %s%s", o->dev, strerror(-err),
			 err == -EINVAL ? " (live frames need Linux 5.18)" : "");
out:
	traffic_bpf__destroy(skel);
	return err;
}
