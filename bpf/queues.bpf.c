// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queues - looks at the queues on a packet's way, at a moment that user space chooses; no packet pays for it
 *
 * in:    BPF_PROG_TEST_RUN of `look`, ticks of clocks after that, each with its number as cookie, and readers of the
 *        two iterators; all of a process in the network namespace that is looked at
 * out:   looked, searched: what was found, in the order of the kernel's lists; searched by the iterators
 * law:   each look begins at the network namespace, which that process holds: what has gone is in no list any more, and
 *        the kernel frees nothing that was in one before this program ends (it runs under rcu_read_lock()). UDP sockets
 *        and CPU maps, which a search has found, are followed from there on as long as they are what they were: their
 *        memory is read by bpf_probe_read_kernel(), and what it holds is counted if it still has the inode and the port
 *        of the socket, or the ID of the map
 *        Sockets are told apart by the inode number that /proc/PID/fd shows, or by their address where nobody holds one
 * src:   ptr_ring: its consumer frees up to 16 entries at a time, so that it may have no room, which is what counts as
 *        full, with 15 packets less in it
 */
#include "bpf/maps.bpf.h"

#define MOST_DEVICES 256
#define MOST_SOCKETS 256
#define MOST_CPUS    1024 /* of a CPU map */
#define BATCH        8    /* that the thread of a CPU map takes at a time */
#define TCQ_BUILTIN  1
#define TCQ_CPUSTATS 0x20
#define POISON_TOP   0x1000 /* no address of an object is below it */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next;
};
struct hlist_node {
	struct hlist_node *next;
};
struct hlist_head {
	struct hlist_node *first;
};
struct ptr_ring {
	int producer, consumer_head, size;
	void **queue;
};
struct netns_packet {
	struct hlist_head sklist;
};
struct netns_xdp {
	struct hlist_head list;
};
struct net {
	struct list_head dev_base_head;
	struct netns_packet packet;
	struct netns_xdp xdp;
};
struct nsproxy {
	struct net *net_ns;
};
struct task_struct {
	unsigned int __state; /* since 5.14 */
	struct nsproxy *nsproxy;
};
struct rtnl_link_ops {
	const char *kind;
};
struct Qdisc_ops {
	char id[16];
};
struct qdisc_skb_head {
	__u32 qlen;
};
struct u64_stats {
	__u64 v;
};
struct gnet_stats_basic_sync {
	struct u64_stats packets;
};
struct Qdisc {
	void *enqueue;
	unsigned int flags;
	__u32 limit;
	const struct Qdisc_ops *ops;
	struct qdisc_skb_head q;
	struct gnet_stats_basic_sync bstats;
	long privdata[0];
};
struct skb_array {
	struct ptr_ring ring;
};
struct pfifo_fast_priv {
	struct skb_array q[3];
};
struct dql {
	unsigned int num_queued, num_completed, limit;
};
struct netdev_queue {
	struct Qdisc *qdisc;
	struct dql dql;
};
struct net_device {
	struct netdev_queue *_tx;
	unsigned int real_num_tx_queues, real_num_rx_queues;
	int ifindex;
	struct list_head dev_list;
	const struct rtnl_link_ops *rtnl_link_ops;
	__u8 priv[0];
};
struct veth_stats {
	__u64 xdp_packets;
};
struct veth_rq_stats {
	struct veth_stats vs;
};
struct veth_rq {
	struct ptr_ring xdp_ring;
	struct veth_rq_stats stats;
	struct napi_struct *napi; /* since 5.13 */
};
struct veth_priv {
	struct veth_rq *rq;
};
struct tun_file {
	struct ptr_ring tx_ring;
};
struct tun_struct {
	struct tun_file *tfiles[256];
	unsigned int numqueues;
};
struct sock_common {
	struct hlist_node skc_node;
	__u16 skc_num;
	int skc_bound_dev_if;
};
typedef struct {
	int counter;
} atomic_t;
struct sk_buff_head {
	__u32 qlen;
};
struct inode {
	unsigned long i_ino;
};
struct file {
	struct inode *f_inode;
};
struct socket {
	struct file *file;
};
struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	struct {
		atomic_t rmem_alloc;
	} sk_backlog;
	int sk_rcvbuf;
	struct sk_buff_head sk_receive_queue;
};
struct inet_sock {
	struct sock sk;
};
struct udp_sock {
	struct inet_sock inet;
	struct sk_buff_head reader_queue;
};
struct packet_ring_buffer {
	void *pg_vec;
};
struct packet_sock {
	struct sock sk;
	struct packet_ring_buffer rx_ring;
	union {
		struct {
			unsigned int tp_packets;
		} stats1;
	} stats;
	int ifindex;
};
struct xdp_ring {
	__u32 producer, consumer;
};
struct xsk_queue {
	__u32 nentries, cached_prod;
	struct xdp_ring *ring;
};
struct xdp_sock {
	struct sock sk;
	struct xsk_queue *rx, *tx;
	struct net_device *dev;
	__u16 queue_id;
};
struct bpf_map {
	enum bpf_map_type map_type;
	__u32 id, max_entries;
};
struct bpf_cpu_map_entry {
	struct ptr_ring *queue;
	struct task_struct *kthread;
};
struct bpf_cpu_map {
	struct bpf_map map;
	struct bpf_cpu_map_entry **cpu_map;
};
struct bpf_iter__udp {
	struct udp_sock *udp_sk;
};
struct bpf_iter__bpf_map {
	struct bpf_map *map;
};

#pragma clang attribute pop

struct queues_looked looked[QUEUES_CLOCKS + 1] = {}, searched = {}; /* by the clocks, and by `look` */
__u32 clock_does[QUEUES_CLOCKS] = {};
struct net *looked_at = NULL;
struct queue_known known[QUEUES_KNOWN] = {}; /* by user space */
__u32 nknown = 0;

static __always_inline __u32 at_most(struct queues_looked *to, __u32 n, __u32 most)
{
	if (n > most)
		to->left_out += n - most;
	return n > most ? most : n;
}

/* Where the next one goes; NULL: there is no room. */
static __always_inline struct queue_look *next_of(struct queues_looked *to)
{
	__u32 n = to->n;

	if (n >= QUEUES_MOST) {
		to->left_out++;
		return NULL;
	}
	to->n = n + 1;
	return &to->list[n & (QUEUES_MOST - 1)];
}

static __always_inline void put(struct queue_look *q, __u32 kind, __u32 ifindex, __u32 number, const void *object,
				const void *at, __u32 fill, __u32 size, __u32 held, __u64 passed)
{
	if (!q)
		return;
	q->kind = kind;
	q->ifindex = ifindex;
	q->number = number;
	q->object = (__u64)object;
	q->at = (__u64)at;
	q->fill = fill;
	q->size = size;
	q->held = held;
	q->passed = passed;
}

static __always_inline bool is_word(const char *at, const char *word, int bytes)
{
	char text[16] = {};

	if (bpf_probe_read_kernel_str(text, sizeof(text), at) != bytes)
		return false;
	for (int i = 0; i < bytes && i < 16; i++)
		if (text[i] != word[i])
			return false;
	return true;
}

/* Has the producer no room? Then the ring counts as full, though some of its entries may be taken out already. */
static __always_inline bool ring_full(struct ptr_ring *r, __u32 size)
{
	__u32 tail = BPF_CORE_READ(r, producer);
	void **queue = BPF_CORE_READ(r, queue), *entry = NULL;

	if (tail >= size || bpf_probe_read_kernel(&entry, sizeof(entry), queue + tail) || !entry)
		return false;
	return tail == (__u32)BPF_CORE_READ(r, producer); /* it has put nothing there meanwhile */
}

static __always_inline __u32 ring_fill(struct ptr_ring *r, __u32 size, bool full)
{
	__u32 head = BPF_CORE_READ(r, consumer_head), tail = BPF_CORE_READ(r, producer);

	if (!size || head >= size || tail >= size)
		return 0;
	return head == tail && full ? size : (tail + size - head) % size;
}

/* more: what the consumer has taken out of it, and what waits all the same. */
static __always_inline void add_ring(struct queues_looked *to, __u32 kind, __u32 ifindex, __u32 number,
				     const void *object, const void *at, struct ptr_ring *r, __u32 more, __u64 passed)
{
	__u32 size = BPF_CORE_READ(r, size), fill;
	bool full = ring_full(r, size);

	fill = ring_fill(r, size, full);
	put(next_of(to), kind, ifindex, number, object, at, full ? size : fill, size, fill + more, passed);
}

/* ---- devices ------------------------------------------------------------------------------------------------- */

struct at_device {
	struct queues_looked *to;
	struct netdev_queue *tx;
	void *private, *last;
	__u32 ifindex;
};

static long look_ring(__u32 i, void *ctx)
{
	struct at_device *d = ctx;
	struct veth_priv *v = d->private;
	void *all = BPF_CORE_READ(v, rq);
	struct veth_rq *rq = all + i * bpf_core_type_size(struct veth_rq);
	struct ptr_ring *ring = (void *)rq + bpf_core_field_offset(struct veth_rq, xdp_ring);
	__u64 passed = 0;

	if (!all)
		return 1;
	/* Without NAPI the entries are freed, and the numbers stay. Packets are in the backlog then. */
	if (bpf_core_field_exists(rq->napi) && !BPF_CORE_READ(rq, napi))
		return 0;
	if (!BPF_CORE_READ(ring, size))
		return 0;
	if (bpf_core_field_exists(rq->stats.vs.xdp_packets))
		passed = 1 + BPF_CORE_READ(
				     rq, stats.vs.xdp_packets); /* all that its NAPI has taken, with XDP and without */
	add_ring(d->to, QUEUE_RING, d->ifindex, i, NULL, NULL, ring, 0, passed);
	return 0;
}

static long look_tap(__u32 i, void *ctx)
{
	struct at_device *d = ctx;
	struct tun_struct *tun = d->private;
	struct tun_file *file = NULL;

	bpf_probe_read_kernel(&file, sizeof(file), (void *)&tun->tfiles + i * sizeof(file));
	if (file)
		add_ring(d->to, QUEUE_TAP, d->ifindex, i, NULL, NULL, &file->tx_ring, 0, 0);
	return 0;
}

/* The driver may be a module that nobody had loaded when this program was. */
static __always_inline void look_taps(struct at_device *d)
{
	struct tun_struct *tun = d->private;

	if (bpf_core_field_exists(tun->tfiles) && bpf_core_field_exists(tun->numqueues) &&
	    bpf_core_field_exists(struct tun_file, tx_ring))
		bpf_loop(at_most(d->to, BPF_CORE_READ(tun, numqueues), QUEUES_OF_DEVICE), look_tap, d, 0);
	else
		put(next_of(d->to), QUEUE_TAP, d->ifindex, 0, NULL, NULL, QUEUE_UNTOLD, 0, QUEUE_UNTOLD, 0);
}

/* pfifo_fast has a ring for each of its three bands, and its counts are per CPU. */
static __always_inline __u32 bands_fill(struct Qdisc *q, __u32 *size)
{
	struct pfifo_fast_priv *p = (void *)q + bpf_core_field_offset(struct Qdisc, privdata);
	__u32 fill = 0;

	*size = 0;
	for (int i = 0; i < 3; i++) {
		struct ptr_ring *r = (void *)&p->q[i];
		__u32 n = BPF_CORE_READ(r, size);

		fill += ring_fill(r, n, ring_full(r, n));
		*size += n;
	}
	return fill;
}

static long look_tx(__u32 i, void *ctx)
{
	struct at_device *d = ctx;
	struct netdev_queue *tx = (void *)d->tx + i * bpf_core_type_size(struct netdev_queue);
	struct Qdisc *q = BPF_CORE_READ(tx, qdisc);
	__u32 queued, completed, fill;

	if (q && q != d->last) { /* one that all TX queues share is one queue */
		__u32 flags = BPF_CORE_READ(q, flags), size = BPF_CORE_READ(q, limit), qlen = BPF_CORE_READ(q, q.qlen);
		__u64 passed = 0;

		if (!BPF_CORE_READ(q, enqueue) || flags & TCQ_BUILTIN)
			goto bql;
		if (flags & TCQ_CPUSTATS) {
			qlen = QUEUE_UNTOLD;
			if (bpf_core_type_exists(struct pfifo_fast_priv) && bpf_core_field_exists(q->privdata) &&
			    is_word(BPF_CORE_READ(q, ops)->id, "pfifo_fast", 11))
				qlen = bands_fill(q, &size);
		} else {
			bpf_probe_read_kernel(&passed, sizeof(passed), &q->bstats.packets);
			passed++;
		}
		put(next_of(d->to), QUEUE_QDISC, d->ifindex, i, NULL, NULL, qlen, size, qlen, passed);
	}
bql:
	d->last = q;
	if (!bpf_core_field_exists(tx->dql))
		return 0;
	completed = BPF_CORE_READ(tx, dql.num_completed); /* first: what is completed was queued before */
	queued = BPF_CORE_READ(tx, dql.num_queued);
	if (!queued) /* the driver does not tell what it sends */
		return 0;
	fill = queued - completed;
	put(next_of(d->to), QUEUE_BQL, d->ifindex, i, NULL, NULL, fill, BPF_CORE_READ(tx, dql.limit), fill, queued);
	return 0;
}

struct walk {
	struct queues_looked *to;
	void *at, *end;
};

static long look_device(__u32 i, void *ctx)
{
	struct walk *w = ctx;
	struct list_head *at = w->at;
	struct net_device *dev = (void *)at - bpf_core_field_offset(struct net_device, dev_list);
	struct at_device d = {.to = w->to};
	__u32 nrx, ntx;

	if (at == w->end || (unsigned long)at < POISON_TOP)
		return 1;
	w->at = BPF_CORE_READ(at, next);
	d.ifindex = BPF_CORE_READ(dev, ifindex);
	d.tx = BPF_CORE_READ(dev, _tx);
	nrx = BPF_CORE_READ(dev, real_num_rx_queues);
	ntx = BPF_CORE_READ(dev, real_num_tx_queues);
	/* netdev_priv(): the end of net_device, a member since 6.9, and before that the next multiple of 32 bytes. */
	if (bpf_core_field_exists(dev->priv))
		d.private = (void *)dev + bpf_core_field_offset(struct net_device, priv);
	else
		d.private = (void *)dev + ((bpf_core_type_size(struct net_device) + 31) & ~31UL);
	if (bpf_core_type_exists(struct veth_priv) && bpf_core_type_exists(struct veth_rq) &&
	    is_word(BPF_CORE_READ(dev, rtnl_link_ops, kind), "veth", 5))
		bpf_loop(at_most(w->to, nrx, QUEUES_OF_DEVICE), look_ring, &d, 0);
	if (is_word(BPF_CORE_READ(dev, rtnl_link_ops, kind), "tun", 4))
		look_taps(&d);
	bpf_loop(at_most(w->to, ntx, QUEUES_OF_DEVICE), look_tx, &d, 0);
	return 0;
}

/* ---- sockets ------------------------------------------------------------------------------------------------- */

static __always_inline struct sock *next_sock(struct walk *w)
{
	struct hlist_node *at = w->at;

	if ((unsigned long)at < POISON_TOP)
		return NULL;
	w->at = BPF_CORE_READ(at, next);
	return (void *)at - bpf_core_field_offset(struct sock_common, skc_node);
}

static __always_inline const void *identity(struct sock *sk)
{
	unsigned long inode = BPF_CORE_READ(sk, sk_socket, file, f_inode, i_ino);

	return inode ? (const void *)inode : sk;
}

static long look_packet(__u32 i, void *ctx)
{
	struct walk *w = ctx;
	struct sock *sk = next_sock(w);
	struct packet_sock *p = (void *)sk;
	__u32 fill;

	if (!sk)
		return 1;
	/* The kernel keeps no count of frames that were not read in a ring that the process has mapped. */
	fill = BPF_CORE_READ(p, rx_ring.pg_vec) ? QUEUE_UNTOLD : BPF_CORE_READ(sk, sk_backlog.rmem_alloc.counter);
	put(next_of(w->to), QUEUE_PACKET, BPF_CORE_READ(p, ifindex), 0, identity(sk), NULL, fill,
	    BPF_CORE_READ(sk, sk_rcvbuf), BPF_CORE_READ(sk, sk_receive_queue.qlen),
	    1 + (__u64)BPF_CORE_READ(p, stats.stats1.tp_packets));
	return 0;
}

/* Frames that a poll has put into a ring for received ones come out for the process when that poll ends. They wait. */
static __always_inline void look_xsk_ring(struct queues_looked *to, __u32 kind, struct xdp_sock *xs,
					  struct xsk_queue *q)
{
	__u32 consumer, producer, size, more = 0;

	if (!q)
		return;
	consumer = BPF_CORE_READ(q, ring, consumer);
	producer = BPF_CORE_READ(q, ring, producer);
	size = BPF_CORE_READ(q, nentries);
	if (kind == QUEUE_XSK_RX && bpf_core_field_exists(q->cached_prod))
		more = BPF_CORE_READ(q, cached_prod) - producer;
	put(next_of(to), kind, BPF_CORE_READ(xs, dev, ifindex), BPF_CORE_READ(xs, queue_id), identity(&xs->sk), NULL,
	    producer - consumer, size, producer - consumer + (more > size ? 0 : more), 1 + (__u64)producer);
}

static long look_xsk(__u32 i, void *ctx)
{
	struct walk *w = ctx;
	struct xdp_sock *xs = (void *)next_sock(w);

	if (!xs)
		return 1;
	look_xsk_ring(w->to, QUEUE_XSK_RX, xs, BPF_CORE_READ(xs, rx));
	look_xsk_ring(w->to, QUEUE_XSK_TX, xs, BPF_CORE_READ(xs, tx));
	return 0;
}

/* ---- what only iterators lead to --------------------------------------------------------------------------------- */

static __always_inline void look_udp(struct queue_look *to, struct sock *sk)
{
	put(to, QUEUE_UDP, BPF_CORE_READ(sk, __sk_common.skc_bound_dev_if), BPF_CORE_READ(sk, __sk_common.skc_num),
	    identity(sk), sk, BPF_CORE_READ(sk, sk_backlog.rmem_alloc.counter), BPF_CORE_READ(sk, sk_rcvbuf),
	    BPF_CORE_READ(sk, sk_receive_queue.qlen) + BPF_CORE_READ((struct udp_sock *)sk, reader_queue.qlen), 0);
}

struct on_cpu {
	__u32 map, cpu;
};

struct taken {
	__u64 n;     /* that its program is through with; 1 more than that */
	__u64 apart; /* 1 + the place of the ring's consumer minus n, while the thread slept; 0: not known yet */
};

/* What the threads of CPU maps have taken. One thread counts each. */
MAP(taken, HASH, MOST_CPUS, struct on_cpu, struct taken);

/* Attached once there is a CPU map, as nothing else counts its packets. A thread takes up to 8 at a time. */
SEC("raw_tp/xdp_cpumap_kthread")
int count_cpumap(struct bpf_raw_tracepoint_args *ctx)
{
	struct on_cpu key = {.map = (__u32)ctx->args[0], .cpu = bpf_get_smp_processor_id()};
	struct taken *t = bpf_map_lookup_elem(&taken, &key), first = {.n = 1 + (__u32)ctx->args[1]};

	if (t)
		t->n += (__u32)ctx->args[1];
	else
		bpf_map_update_elem(&taken, &key, &first, BPF_NOEXIST);
	return 0;
}

/*
 * Packets that the thread has taken out of the ring, and that wait for those before them. It is through with all of a
 * batch at once, so that half of the others of a batch wait on average. Where the ring's consumer stands belongs to the
 * count of a thread that sleeps.
 */
static __always_inline __u32 waiting_in_batch(struct bpf_cpu_map_entry *e, struct ptr_ring *ring, struct taken *t)
{
	__u32 size = BPF_CORE_READ(ring, size), head = BPF_CORE_READ(ring, consumer_head), place, batch;
	bool sleeps = bpf_core_field_exists(e->kthread->__state) && BPF_CORE_READ(e, kthread, __state);

	if (!size)
		return 0;
	place = (head + size - t->n % size) % size;
	if (sleeps && head == (__u32)BPF_CORE_READ(ring, consumer_head))
		t->apart = 1 + place;
	if (!t->apart)
		return 0;
	batch = (place + size + 1 - t->apart) % size;
	if (batch > BATCH) /* the entry was made anew, and its ring with it */
		batch = t->apart = 0;
	return batch ? (batch - 1 + (bpf_get_prandom_u32() & 1)) / 2 : 0;
}

static __always_inline void look_cpu(struct queues_looked *to, struct bpf_cpu_map *c, __u32 map, __u32 cpu)
{
	struct bpf_cpu_map_entry *e = NULL;
	struct on_cpu key = {.map = map, .cpu = cpu};
	struct ptr_ring *ring;
	struct taken *t;

	bpf_probe_read_kernel(&e, sizeof(e), BPF_CORE_READ(c, cpu_map) + cpu);
	if (!e)
		return;
	ring = BPF_CORE_READ(e, queue);
	t = bpf_map_lookup_elem(&taken, &key);
	add_ring(to, QUEUE_CPUMAP, 0, cpu, (void *)(unsigned long)map, c, ring, t ? waiting_in_batch(e, ring, t) : 0,
		 t ? t->n : 0);
}

/* What is there no more, or is another one by now, is left out. */
static long look_known(__u32 i, void *ctx)
{
	struct walk *w = ctx;
	struct queue_known *k = &known[i & (QUEUES_KNOWN - 1)];
	struct sock *sk = (void *)k->at;
	struct bpf_cpu_map *c = (void *)k->at;

	if (k->kind == QUEUE_UDP && (__u64)identity(sk) == k->object &&
	    BPF_CORE_READ(sk, __sk_common.skc_num) == k->number)
		look_udp(next_of(w->to), sk);
	if (k->kind == QUEUE_CPUMAP && bpf_core_type_exists(struct bpf_cpu_map) &&
	    BPF_CORE_READ(c, map.id) == k->object && BPF_CORE_READ(c, map.map_type) == BPF_MAP_TYPE_CPUMAP &&
	    k->number < BPF_CORE_READ(c, map.max_entries))
		look_cpu(w->to, c, (__u32)k->object, k->number);
	return 0;
}

/*
 * Sockets that hold nothing are left out: there may be very many. Where too many hold something, the fuller one of
 * those that share a place is kept: who has thousands of sockets with a datagram each does not hide one that is full.
 */
SEC("iter/udp")
int search_udp(struct bpf_iter__udp *ctx)
{
	struct sock *sk = (void *)ctx->udp_sk;
	struct queue_look *kept;
	__u32 fill;

	if (!sk)
		return 0;
	searched.udp_sockets++;
	fill = BPF_CORE_READ(sk, sk_backlog.rmem_alloc.counter);
	if (!fill)
		return 0;
	if (searched.n < QUEUES_UDP) {
		look_udp(next_of(&searched), sk);
		return 0;
	}
	searched.left_out++;
	kept = &searched.list[((__u32)(__u64)identity(sk) * 2654435761U >> 16) & (QUEUES_UDP - 1)];
	if (kept->fill < fill)
		look_udp(kept, sk);
	return 0;
}

static long search_cpu(__u32 i, void *ctx)
{
	struct bpf_cpu_map **c = ctx;

	look_cpu(&searched, *c, BPF_CORE_READ(*c, map.id), i);
	return 0;
}

SEC("iter/bpf_map")
int search_cpumap(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	struct bpf_cpu_map *c = (void *)map;

	if (!map || BPF_CORE_READ(map, map_type) != BPF_MAP_TYPE_CPUMAP || !bpf_core_type_exists(struct bpf_cpu_map))
		return 0;
	bpf_loop(at_most(&searched, BPF_CORE_READ(map, max_entries), MOST_CPUS), search_cpu, &c, 0);
	return 0;
}

/* ---- looks ------------------------------------------------------------------------------------------------------ */

static __always_inline void look_at(struct net *net, struct queues_looked *to)
{
	struct walk w = {.to = to};

	to->n = 0;
	to->at_ns = bpf_ktime_get_ns();
	to->left_out = 0;
	w.end = (void *)net + bpf_core_field_offset(struct net, dev_base_head);
	w.at = BPF_CORE_READ(net, dev_base_head.next);
	bpf_loop(MOST_DEVICES, look_device, &w, 0);
	to->left_out += w.at != w.end;
	if (bpf_core_type_exists(struct packet_sock) && bpf_core_field_exists(net->packet)) {
		w.at = BPF_CORE_READ(net, packet.sklist.first);
		bpf_loop(MOST_SOCKETS, look_packet, &w, 0);
		to->left_out += w.at != NULL;
	}
	if (bpf_core_type_exists(struct xdp_sock) && bpf_core_field_exists(net->xdp)) {
		w.at = BPF_CORE_READ(net, xdp.list.first);
		bpf_loop(MOST_SOCKETS, look_xsk, &w, 0);
		to->left_out += w.at != NULL;
	}
	bpf_loop(nknown > QUEUES_KNOWN ? QUEUES_KNOWN : nknown, look_known, &w, 0);
}

SEC("raw_tp")
int look(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	looked_at = BPF_CORE_READ(task, nsproxy, net_ns);
	look_at(looked_at, &looked[QUEUES_CLOCKS]);
	return 0;
}

/* In an interrupt of a clock, which leaves no sample: 0. */
SEC("perf_event")
int look_in_time(void *ctx)
{
	__u64 clock = bpf_get_attach_cookie(ctx);

	if (clock >= QUEUES_CLOCKS ||
	    __sync_val_compare_and_swap(&clock_does[clock], QUEUES_CLOCK_DUE, QUEUES_CLOCK_LOOKS) != QUEUES_CLOCK_DUE)
		return 0;
	look_at(looked_at, &looked[clock]);
	__sync_lock_test_and_set(&clock_does[clock], QUEUES_CLOCK_NOTHING);
	return 0;
}
