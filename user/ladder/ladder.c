// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <linux/netfilter.h>
#include <nftables/libnftables.h>
#include <sys/syscall.h>
#include "user/ladder/ladder.h"
#include "bpf/layers.skel.h"

#define FILLING 64 /* datagrams that a full socket gets */

/* ---- is the port free? --------------------------------------------------------------------------------------- */

static int bind_to_port(int *fd, struct diag *d)
{
	struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(LAYER_PORT)};
	static const char *const lists[] = {"proc/thread-self/net/udp", "proc/thread-self/net/udp6"};
	unsigned long inode = 0, its; /* of the socket at the port; 0: there is none */
	struct fd_owner owner;
	unsigned int its_port;
	char link[40], line[512];
	int err;

	*fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*fd >= 0 && !bind(*fd, (struct sockaddr *)&port, sizeof(port)))
		return 0;
	err = -errno;
	if (err == -EACCES)
		return diag_set(d, -EOPNOTSUPP, "binding to UDP port %d needs CAP_NET_BIND_SERVICE", LAYER_PORT);
	if (err != -EADDRINUSE)
		return diag_set(d, err, "cannot bind to UDP port %d: %s", LAYER_PORT, strerror(-err));
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		file_scan (line, "%s", lists[i])
			if (!inode &&
			    sscanf(line, " %*[^:]: %*[0-9A-Fa-f]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &its_port,
				   &its) == 2 &&
			    its_port == LAYER_PORT)
				inode = its;
	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	if (inode && fd_owner_find(link, NULL, &owner))
		return diag_set(d, err, "%s (process %d) has UDP port %d, which the frames go to", owner.comm,
				(int)owner.pid, LAYER_PORT);
	return diag_set(d, err, "UDP port %d, which the frames go to, is in use", LAYER_PORT);
}

/* ---- the device's address ------------------------------------------------------------------------------------ */

bool layer_udp_address(const char *dev, char words[64])
{
	struct ifaddrs *all, *a;
	bool found = false, preferred = false;
	char address[INET_ADDRSTRLEN];

	if (getifaddrs(&all))
		return false;
	for (a = all; a && !preferred; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET || strcmp(a->ifa_name, dev) != 0)
			continue;
		inet_ntop(AF_INET, &((struct sockaddr_in *)a->ifa_addr)->sin_addr, address, sizeof(address));
		preferred = !strcmp(address, GEN_DST_IP);
		if (!found || preferred)
			strcpy(words, address);
		found = true;
	}
	freeifaddrs(all);
	return found;
}

/* ---- a full socket ------------------------------------------------------------------------------------------- */

/* Opens the socket of a layer that takes no frame. */
static int layer_udp_socket(struct layer *r, bool full, struct diag *d)
{
	struct sockaddr_in self = {
		.sin_family = AF_INET, .sin_port = htons(LAYER_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0); /* takes no byte of any datagram */
	const struct sock_fprog filter = {.len = 1, .filter = &none};
	int least = 0, err = bind_to_port(&r->socket, d);

	if (err)
		return err;
	if (!full)
		return setsockopt(r->socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter))
			       ? diag_set(d, -errno, "cannot filter the socket: %s", strerror(errno))
			       : 0;
	/* The kernel gives it room for some 2 KiB, which it fills with datagrams to itself. */
	if (setsockopt(r->socket, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)))
		return diag_set(d, -errno, "cannot make the socket's buffer small: %s", strerror(errno));
	for (int i = 0; i < FILLING; i++)
		if (sendto(r->socket, "", 1, MSG_DONTWAIT, (struct sockaddr *)&self, sizeof(self)) < 0)
			return diag_set(d, errno == ENETUNREACH ? -EOPNOTSUPP : -errno,
					"cannot fill the socket through the loopback device: %s", strerror(errno));
	return 0;
}

/* ---- what the kernel counts ---------------------------------------------------------------------------------- */

/* Two lines begin with "Udp:": the names of the columns, and then their values (proc(5), /proc/net/snmp). */
static int udp_count(const char *column, uint64_t *frames, struct diag *d)
{
	char line[1024], heads[1024] = "";

	file_scan (line, "proc/thread-self/net/snmp") {
		char *head, *value, *rest_of_heads = heads, *rest = line;

		if (strncmp(line, "Udp:", 4))
			continue;
		if (!heads[0]) {
			strcpy(heads, line);
			continue;
		}
		while ((head = strtok_r(rest_of_heads, " \n", &rest_of_heads)) &&
		       (value = strtok_r(rest, " \n", &rest)))
			if (!strcmp(head, column)) {
				*frames = strtoull(value, NULL, 10);
				return 0;
			}
	}
	return diag_set(d, -EOPNOTSUPP, "this kernel does not count %s", column);
}

/* ---- rules of nft ---------------------------------------------------------------------------------------------- */

static struct nft_ctx *context(void)
{
	struct nft_ctx *ctx = nft_ctx_new(NFT_CTX_DEFAULT);

	if (ctx && (nft_ctx_buffer_output(ctx) || nft_ctx_buffer_error(ctx))) {
		nft_ctx_free(ctx);
		return NULL;
	}
	if (ctx)
		nft_ctx_output_set_flags(ctx, NFT_CTX_OUTPUT_JSON);
	return ctx;
}

/* The first line of what nft says. */
static int failed(const struct layer_nft *n, const char *what, struct diag *d)
{
	const char *words = nft_ctx_get_error_buffer(n->ctx);

	return diag_set(d, -EOPNOTSUPP, "nft cannot %s: %.*s", what, (int)strcspn(words ? words : "", "\n"),
			words ? words : "");
}

static int layer_nft_open(struct layer_nft *n, const char *family, const char *rules, const char *dev, struct diag *d)
{
	char words[1024];

	snprintf(n->family, sizeof(n->family), "%s", family);
	snprintf(n->table, sizeof(n->table), "xdpzoom_%d", (int)getpid());
	n->ctx = context();
	if (!n->ctx)
		return diag_set(d, -ENOMEM, "no memory for nft");
	snprintf(words, sizeof(words), "add table %s %s { flags owner; }\n", n->family, n->table);
	if (nft_run_cmd_from_buffer(n->ctx, words))
		return failed(n, "make a table that ends with this process", d);
	snprintf(words, sizeof(words), rules, dev, n->table);
	return nft_run_cmd_from_buffer(n->ctx, words) ? failed(n, "set its rules", d) : 0;
}

/* {"nftables": [{...}, {"counter": {"name": "seen", "packets": N, ...}}]} */
static int layer_nft_frames(const struct layer_nft *n, uint64_t *frames, struct diag *d)
{
	json_t *answer, *list, *member, *packets = NULL;
	char words[80];
	size_t i;

	snprintf(words, sizeof(words), "list counter %s %s seen", n->family, n->table);
	if (nft_run_cmd_from_buffer(n->ctx, words))
		return failed(n, "read its counter", d);
	answer = json_loads(nft_ctx_get_output_buffer(n->ctx), 0, NULL);
	list = json_object_get(answer, "nftables");
	json_array_foreach (list, i, member)
		packets = packets ?: json_object_get(json_object_get(member, "counter"), "packets");
	*frames = (uint64_t)json_integer_value(packets);
	json_decref(answer);
	return packets ? 0 : diag_set(d, -EIO, "nft shows no counter");
}

/* ---- rules of others ----------------------------------------------------------------------------------------- */

void layer_nft_foreign(char *words, size_t size)
{
	struct nft_ctx *ctx = facts_module_is_out(&facts_here, "nf_tables") ? NULL : context();
	json_t *answer = NULL, *list, *member;
	size_t i;
	char line[64];

	words[0] = '\0';
	if (ctx && !nft_run_cmd_from_buffer(ctx, "list tables")) {
		answer = json_loads(nft_ctx_get_output_buffer(ctx), 0, NULL);
		list = json_object_get(answer, "nftables");
		json_array_foreach (list, i, member) {
			json_t *table = json_object_get(member, "table");

			if (table)
				listed_add(words, size, ", ", "table %s %s",
					   json_string_value(json_object_get(table, "family")) ?: "",
					   json_string_value(json_object_get(table, "name")) ?: "");
		}
		json_decref(answer);
	}
	if (ctx)
		nft_ctx_free(ctx);
	/* iptables of the old kind have tables of their own, which nft does not show. */
	file_scan (line, "proc/thread-self/net/ip_tables_names") {
		line[strcspn(line, "\n")] = '\0';
		listed_add(words, size, ", ", "table ip %s (iptables)", line);
	}
}

/* ---- programs at hooks ---------------------------------------------------------------------------------------- */

/*
 * rules: as layer_nft_open() takes them, in a table of this family; where nothing else does, their named counter "seen"
 *        counts the frames. NULL: no rules.
 * udp_column: the column of the line "Udp:" in /proc/net/snmp that counts the frames; NULL: another counter does.
 */
struct layer_kind {
	const char *family, *rules, *udp_column;
	bool hook;      /* a program is loaded and attached */
	bool socket;    /* one that takes no frame is opened */
	bool floor;     /* a program that the generator calls itself */
	bool tracks;    /* the frame makes an entry in the table of connections */
	bool addressed; /* the frame must go to an address of the device */
};

static const struct layer_kind kinds[RUN_LAYERS];

/* Numbers of Linux 6.4, which headers and libbpf of many systems lack. */
#define PROG_TYPE_NETFILTER 32
#define ATTACH_NETFILTER    45

/*
 * Loads and attaches the program of a layer: at tc, of peer-veth, peer-netkit and netkit at their other end; or at
 * IPv4's prerouting hook, where nft's raw table is, too.
 */
static int open_hook(struct layer *r, const struct netdev *nd, struct diag *d)
{
	struct {
		__u32 prog_fd, target_fd, attach_type, flags;
		__u32 family, hook;
		__s32 priority;
		__u32 hook_flags;
	} link = {
		.attach_type = ATTACH_NETFILTER, .family = NFPROTO_IPV4, .hook = NF_INET_PRE_ROUTING, .priority = -300};
	bool netfilter = r->kind == &kinds[RUN_LAYER_NF_BPF];
	netns_scope int saved = -1;
	struct bpf_program *p;
	int err = r->forward.end_netns < 0 ? 0 : netns_visit_fd(r->forward.end_netns, &saved, d), fd;

	if (err)
		return err;
	if (r->forward.end_netns >= 0)
		nd = &r->forward.end;
	r->skel = layers_bpf__open();
	if (!r->skel)
		return diag_set(d, -errno, "cannot open its program: %s", strerror(errno));
	p = netfilter ? r->skel->progs.nf_drop : r->skel->progs.tc_drop;
	if (netfilter) {
		bpf_program__set_type(p, PROG_TYPE_NETFILTER);
		bpf_program__set_expected_attach_type(p, ATTACH_NETFILTER);
	}
	err = kernel_load(r->skel->skeleton, (struct bpf_program *[]){p, NULL}, "its program", d);
	if (err)
		return err;
	fd = bpf_program__fd(p);
	if (fd < 0)
		return fd;
	if (netfilter) {
		link.prog_fd = (__u32)fd;
		r->hook.link_fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));
		err = r->hook.link_fd < 0 ? -errno : 0;
	} else if (r->kind == &kinds[RUN_LAYER_CLSACT]) {
		err = tc_hook_open_clsact(&r->hook, nd, fd);
	} else {
		err = tc_hook_open(&r->hook, nd, fd);
	}
	return err ? diag_set(d, err, "%s takes no %s program: %s%s", nd->name, netfilter ? "netfilter" : "tc",
			      strerror(-err), kernel_words())
		   : 0;
}

/* ---- layers ---------------------------------------------------------------------------------------------------- */

#define NFT(of, hook, match)                                                                                           \
	.family = of, .rules = "add counter " of " %2$s seen\n"                                                        \
			       "add chain " of " %2$s layer { type filter hook " hook "; policy accept; }\n"           \
			       "add rule " of " %2$s layer " match "counter name seen drop\n"

/* The first frames make a connection, which the flowtable then takes over. */
#define FLOWTABLE                                                                                                      \
	.family = "ip",                                                                                                \
	.rules = "add flowtable ip %2$s fast { hook ingress priority 0; devices = { \"%1$s\", " FORWARD_OUT_DEV        \
		 " }; }\n"                                                                                             \
		 "add chain ip %2$s layer { type filter hook forward priority 0; policy accept; }\n"                   \
		 "add rule ip %2$s layer ip protocol udp flow add @fast\n"

/*
 * A dropped frame's connection is never confirmed, so the layer conntrack makes and forgets a connection for each
 * frame, as a flood of new flows would.
 */
static const struct layer_kind kinds[RUN_LAYERS] = {
	[RUN_LAYER_TEST_RUN] = {.floor = true},
	[RUN_LAYER_PACKET_RING] = {.hook = true}, /* gets a copy; the frame ends at tc */
	[RUN_LAYER_TC] = {.hook = true},
	[RUN_LAYER_CLSACT] = {.hook = true},
	[RUN_LAYER_NFT_INGRESS] = {NFT("netdev", "ingress device \"%1$s\" priority 0", "")},
	[RUN_LAYER_NF_BPF] = {.hook = true},
	[RUN_LAYER_NFT_RAW] = {NFT("ip", "prerouting priority -300", "iif \"%1$s\" ")},
	[RUN_LAYER_CONNTRACK] = {.tracks = true,
				 NFT("ip", "prerouting priority 0", "iif \"%1$s\" ct state new,established,invalid ")},
	[RUN_LAYER_NFT_INPUT] = {.addressed = true, NFT("ip", "input priority 0", "iif \"%1$s\" ")},
	[RUN_LAYER_UDP_CLOSED] = {.addressed = true, .udp_column = "NoPorts"},
	[RUN_LAYER_SOCKET_FILTER] = {.addressed = true, .udp_column = "InErrors", .socket = true},
	[RUN_LAYER_UDP_FULL] = {.addressed = true, .udp_column = "RcvbufErrors", .socket = true},
	[RUN_LAYER_UDP_RECV] = {.addressed = true},
	[RUN_LAYER_UDP_RECVMMSG] = {.addressed = true},
	[RUN_LAYER_UDP_GRO] = {.addressed = true},
	[RUN_LAYER_UDP_URING] = {.addressed = true},
	[RUN_LAYER_PEER_VETH] = {.hook = true},
	[RUN_LAYER_PEER_NETKIT] = {.hook = true},
	[RUN_LAYER_NETKIT] = {.hook = true},
	[RUN_LAYER_FLOWTABLE] = {FLOWTABLE},
};

static enum run_layer layer_of(const struct layer *r)
{
	return (enum run_layer)(r->kind - kinds);
}

void layer_init(struct layer *r)
{
	*r = (struct layer){.socket = -1};
	forward_init(&r->forward);
	bench_init(&r->floor);
	tc_hook_init(&r->hook);
}

/* -------------------------------------------------------------------------------------------------------------- */

/* A sentence of what a layer consists of begins with the layer. */
static int of_layer(const struct layer *r, int err, const struct diag *why, struct diag *d)
{
	return err ? diag_set(d, err, "layer:%s: %s", run_layers[layer_of(r)].word, why->text) : 0;
}

static int count_frames(const struct layer *r, uint64_t *frames, struct diag *d)
{
	const struct reader *reader = r->reader;
	int err = 0;

	*frames = 0;
	if (r->kind->floor) {
		*frames = bench_seen(&r->floor);
	} else if (r->sender) {
		*frames = r->sender->counts.frames;
	} else if (r->forward.layer && !r->kind->hook) {
		err = bench_count_attached(&r->forward.end, frames);
		if (err)
			diag_set(d, err, "cannot read the sink's count: %s", strerror(-err));
	} else if (reader) {
		*frames = __atomic_load_n(&reader->counts[reader->o.count_cpu].verdicts[XDP_DROP], __ATOMIC_ACQUIRE);
		err = reader_check(reader, d);
	} else if (r->kind->hook) {
		int ncpus = cpu_possible();
		uint64_t *counts = calloc((size_t)ncpus, sizeof(*counts));
		__u32 key = 0;

		if (!counts)
			return diag_set(d, -ENOMEM, "no memory");
		if (bpf_map_lookup_elem(bpf_map__fd(r->skel->maps.dropped), &key, counts))
			err = diag_set(d, -errno, "cannot read the program's count: %s", strerror(errno));
		for (int i = 0; i < ncpus && !err; i++)
			*frames += counts[i];
		free(counts);
	} else if (r->nft.ctx) {
		err = layer_nft_frames(&r->nft, frames, d);
	} else {
		err = udp_count(r->kind->udp_column, frames, d);
	}
	return err;
}

static int count_lost(const struct layer *r, uint64_t *lost, struct diag *d)
{
	struct reader *reader = r->reader;
	struct tpacket_stats_v3 ring;
	socklen_t len = sizeof(ring);
	struct counters now = {};
	int64_t skbs, xdp;

	*lost = 0;
	if (r->forward.layer) { /* the device is new, so its counters began at 0 */
		if (device_counters_read(&r->forward.out_counters, &now))
			return diag_set(d, -ENOMEM, "no memory");
		skbs = counters_sum(&now, COUNTER_LINK_TX_LOST);
		xdp = counters_sum(&now, COUNTER_XMIT_REFUSED);
		counters_release(&now);
		*lost = (uint64_t)((skbs > 0 ? skbs : 0) + (xdp > 0 ? xdp : 0));
	} else if (reader && reader->kind->udp) {
		return udp_count("RcvbufErrors", lost, d);
	} else if (reader) {
		/*
		 * Reading the packet socket's counter sets it to 0. The queue of a cpumap is longer than any window.
		 */
		if (layer_of(r) == RUN_LAYER_PACKET_RING &&
		    !getsockopt(reader->fd, SOL_PACKET, PACKET_STATISTICS, &ring, &len))
			reader->refused += ring.tp_drops;
		if (layer_of(r) == RUN_LAYER_XSK_COPY)
			reader->refused = (uint64_t)xsk_queue_dropped(&reader->queue);
		*lost = reader->refused;
	}
	return 0;
}

static int open_parts(struct layer *r, const struct netdev *nd, const struct layer_options *o, struct diag *d)
{
	const struct layer_kind *kind = r->kind;
	const struct reader_kind *reads = &reader_kinds[layer_of(r)];
	enum run_ladder ladder = run_layers[layer_of(r)].ladder;
	struct reader_options ro = {
		.layer = layer_of(r), .nd = nd, .umem = o->umem, .cpu = o->reader_cpu, .count_cpu = o->rx_cpu};
	struct sender_options so = {.layer = layer_of(r), .nd = nd, .bytes = o->bytes, .cpu = o->rx_cpu};
	struct run_variant drop;
	long long n = -1, most = -1;
	int err = 0, port;

	if (kind->floor) /* the same program as drop/no-touch@native, attached to no device */
		err = run_variant_parse(&drop, "drop/no-touch@native", d) ?: bench_load(&r->floor, &drop, NULL, d);
	if (!err && ladder == RUN_LADDER_FORWARD)
		err = forward_open(&r->forward, layer_of(r), nd, d);
	if (!err && (kind->udp_column || reads->udp)) { /* it has to be free */
		err = bind_to_port(&port, d);
		fd_close(port);
	}
	/* A connection that finds no room is dropped before any rule sees it. */
	facts_number(&facts_here, &n, "proc/sys/net/netfilter/nf_conntrack_count");
	facts_number(&facts_here, &most, "proc/sys/net/netfilter/nf_conntrack_max");
	if (!err && kind->tracks && most > 0 && n >= most)
		err = diag_set(d, -ENOSPC, "the table of connections is full (%lld of %lld)", n, most);
	if (!err && kind->rules)
		err = layer_nft_open(&r->nft, kind->family, kind->rules, nd->name, d);
	if (!err && kind->socket)
		err = layer_udp_socket(r, layer_of(r) == RUN_LAYER_UDP_FULL, d);
	if (!err && kind->hook)
		err = open_hook(r, nd, d);
	if (!ro.umem.bytes)
		ro.umem.bytes = READER_BYTES;
	if (!err && reads->open)
		err = reader_open(&r->reader, &ro, d);
	memcpy(so.peer_mac, o->peer_mac, sizeof(so.peer_mac));
	if (!err && ladder >= RUN_LADDER_SEND)
		err = forward_reach(nd, so.peer_mac, d) ?: sender_open(&r->sender, &so, d);
	return err;
}

int layer_open(struct layer *r, enum run_layer layer, const struct netdev *nd, const struct layer_options *o,
	       struct diag *d)
{
	struct diag why = {};
	int err;

	layer_close(r);
	r->kind = &kinds[layer];
	err = open_parts(r, nd, o, &why) ?: count_frames(r, &r->before, &why) ?: count_lost(r, &r->lost_before, &why);
	err = of_layer(r, err, &why, d);
	if (err)
		layer_close(r);
	return err;
}

int layer_frames(const struct layer *r, uint64_t *frames, struct diag *d)
{
	struct diag why = {};
	int err = count_frames(r, frames, &why);

	*frames = err ? 0 : *frames - r->before;
	return of_layer(r, err, &why, d);
}

int layer_lost(const struct layer *r, uint64_t *lost, struct diag *d)
{
	struct diag why = {};
	int err = count_lost(r, lost, &why);

	*lost = err ? 0 : *lost - r->lost_before;
	return of_layer(r, err, &why, d);
}

bool layer_is_addressed(enum run_layer layer)
{
	return kinds[layer].addressed;
}

int layer_window(const struct layer *r)
{
	const struct run_umem *umem;
	unsigned int room;

	if (!r->reader)
		return 0;
	umem = &r->reader->o.umem;
	room = umem->ring ?: umem->frames;
	if (layer_of(r) == RUN_LAYER_XSK_COPY && room < READER_WINDOW)
		return (int)room;
	return layer_of(r) == RUN_LAYER_PACKET_RING ? READER_RING_WINDOW : READER_WINDOW;
}

void layer_close(struct layer *r)
{
	char words[80];

	reader_close(r->reader);
	sender_close(r->sender);
	/* may be called twice */
	if (r->nft.ctx) {
		snprintf(words, sizeof(words), "delete table %s %s", r->nft.family, r->nft.table);
		nft_run_cmd_from_buffer(r->nft.ctx, words);
		nft_ctx_free(r->nft.ctx);
		r->nft.ctx = NULL;
	}
	forward_close(&r->forward);
	bench_release(&r->floor);
	tc_hook_close(&r->hook);
	layers_bpf__destroy(r->skel);
	fd_close(r->socket);
	layer_init(r);
}
