// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <jansson.h>
#include <nftables/libnftables.h>
#include "bpf/rungs.skel.h"
#include "reports/run/run.h"
#include "user/load/forward_net.h"
#include "user/load/reader.h"
#include "user/load/rung.h"
#include "user/machine/cpu.h"
#include "user/machine/kernel_words.h"

#define FILLING 64

/*
 * rules: what nft reads, with %s for the device; where nothing else does, its named counter "seen" counts the frames.
 *        NULL: no rules.
 * udp_column: the column of the line "Udp:" in /proc/net/snmp that counts the frames; NULL: another counter does.
 */
struct rung_kind {
	const char *word, *rules, *udp_column;
	bool tc, socket;
	bool floor; /* a program that the generator calls itself */
	enum reader_way reader;
	enum forward_way forward;
	enum sender_way sender;
};

#define NFT(family, hook, match)                                                                                       \
	"add table " family " xdpzoom\n"                                                                               \
	"add counter " family " xdpzoom seen\n"                                                                        \
	"add chain " family " xdpzoom rung { type filter hook " hook "; policy accept; }\n"                            \
	"add rule " family " xdpzoom rung " match "counter name seen drop\n"

/* The first frames make a connection, which the flowtable then takes over. */
#define FLOWTABLE                                                                                                      \
	"add table ip xdpzoom\n"                                                                                       \
	"add flowtable ip xdpzoom fast { hook ingress priority 0; devices = { \"%s\", " FORWARD_OUT_DEV " }; }\n"      \
	"add chain ip xdpzoom rung { type filter hook forward priority 0; policy accept; }\n"                          \
	"add rule ip xdpzoom rung ip protocol udp flow add @fast\n"

/*
 * A dropped frame's connection is never confirmed, so the rung conntrack makes and forgets a connection for each frame,
 * as a flood of new flows would.
 */
static const struct rung_kind kinds[] = {
	{.word = "test-run", .floor = true},
	{.word = "xsk-copy", .reader = READER_XSK},
	{.word = "cpumap", .reader = READER_CPUMAP},
	{.word = "packet-ring", .tc = true, .reader = READER_RING}, /* gets a copy; the frame ends at tc */
	{.word = "tc", .tc = true},
	{.word = "nft-ingress", .rules = NFT("netdev", "ingress device \"%s\" priority 0", "")},
	{.word = "nft-raw", .rules = NFT("ip", "prerouting priority -300", "iifname \"%s\" ")},
	{.word = "conntrack",
	 .rules = NFT("ip", "prerouting priority 0", "iifname \"%s\" ct state new,established,invalid ")},
	{.word = "nft-input", .rules = NFT("ip", "input priority 0", "iifname \"%s\" ")},
	{.word = "udp-closed", .udp_column = "NoPorts"},
	{.word = "udp-full", .udp_column = "RcvbufErrors", .socket = true},
	{.word = "udp-recv", .reader = READER_RECV},
	{.word = "udp-recvmmsg", .reader = READER_RECVMMSG},
	{.word = "udp-gro", .reader = READER_GRO},
	{.word = "udp-uring", .reader = READER_URING},
	{.word = "xdp-redirect", .forward = FORWARD_XDP},
	{.word = "devmap-program", .forward = FORWARD_DEVMAP},
	{.word = "skb-redirect", .forward = FORWARD_SKB},
	{.word = "tc-redirect", .forward = FORWARD_TC},
	{.word = "bridge", .forward = FORWARD_BRIDGE},
	{.word = "flowtable", .forward = FORWARD_ROUTE, .rules = FLOWTABLE},
	{.word = "route", .forward = FORWARD_ROUTE},
	{.word = "tx-live", .sender = SENDER_LIVE},
	{.word = "tx-pktgen", .sender = SENDER_PKTGEN},
	{.word = "tx-packet-bypass", .sender = SENDER_PACKET_BYPASS},
	{.word = "tx-packet-ring", .sender = SENDER_PACKET_RING},
	{.word = "tx-xsk", .sender = SENDER_XSK},
	{.word = "tx-packet", .sender = SENDER_PACKET},
	{.word = "tx-send", .sender = SENDER_SEND},
	{.word = "tx-sendmsg", .sender = SENDER_SENDMSG},
	{.word = "tx-sendmmsg", .sender = SENDER_SENDMMSG},
	{.word = "tx-zerocopy", .sender = SENDER_ZEROCOPY},
	{.word = "tx-gso", .sender = SENDER_GSO},
	{.word = "tcp-read", .sender = SENDER_TCP_READ},
	{.word = "tcp-pass", .sender = SENDER_TCP_PASS},
	{.word = "tcp-pass-skb", .sender = SENDER_TCP_PASS_SKB},
	{.word = "tcp-splice", .sender = SENDER_TCP_SPLICE},
	{.word = "tcp-copy", .sender = SENDER_TCP_COPY},
	{.word = "tcp-uring", .sender = SENDER_TCP_URING},
};

#define NKINDS (sizeof(kinds) / sizeof(*kinds))

/*
 * Frames under way to a reader. Each holds a page of the generator's pool, which has room for a batch alone, so more
 * would measure the page allocator. The packet socket's ring holds copies.
 */
#define UDP_WINDOW 256

static const struct rung_kind *kind_of(const char *word)
{
	for (size_t i = 0; i < NKINDS; i++)
		if (!strcmp(kinds[i].word, word))
			return &kinds[i];
	return NULL;
}

void rung_init(struct rung *r)
{
	*r = (struct rung){.socket = -1};
	forward_init(&r->forward);
	bench_init(&r->floor);
	tc_hook_init(&r->hook);
}

/* ---- nft ----------------------------------------------------------------------------------------------------- */

/* The first line of what nft says. */
static int nft_failed(const struct rung *r, const char *what, struct diag *d)
{
	const char *words = nft_ctx_get_error_buffer(r->nft);

	return diag_set(d, -EOPNOTSUPP, "rung:%s: nft cannot %s: %.*s", r->kind->word, what,
			(int)strcspn(words ? words : "", "\n"), words ? words : "");
}

static int open_rules(struct rung *r, const struct netdev *nd, struct diag *d)
{
	char rules[1024];

	r->nft = nft_ctx_new(NFT_CTX_DEFAULT);
	if (!r->nft || nft_ctx_buffer_output(r->nft) || nft_ctx_buffer_error(r->nft))
		return diag_set(d, -ENOMEM, "rung:%s: no memory for nft", r->kind->word);
	nft_ctx_output_set_flags(r->nft, NFT_CTX_OUTPUT_JSON);
	snprintf(rules, sizeof(rules), r->kind->rules, nd->name);
	return nft_run_cmd_from_buffer(r->nft, rules) ? nft_failed(r, "set its rules", d) : 0;
}

/* {"nftables": [{...}, {"counter": {"name": "seen", "packets": N, ...}}]} */
static int rules_frames(const struct rung *r, uint64_t *frames, struct diag *d)
{
	json_t *answer, *list, *member, *packets = NULL;
	size_t i;

	if (nft_run_cmd_from_buffer(r->nft, "list counters"))
		return nft_failed(r, "read its counter", d);
	answer = json_loads(nft_ctx_get_output_buffer(r->nft), 0, NULL);
	list = json_object_get(answer, "nftables");
	json_array_foreach (list, i, member)
		packets = packets ?: json_object_get(json_object_get(member, "counter"), "packets");
	*frames = (uint64_t)json_integer_value(packets);
	json_decref(answer);
	return packets ? 0 : diag_set(d, -EIO, "rung:%s: nft shows no counter", r->kind->word);
}

/* ---- tc ------------------------------------------------------------------------------------------------------ */

static int open_tc(struct rung *r, const struct netdev *nd, struct diag *d)
{
	int err;

	kernel_words_clear();
	r->skel = rungs_bpf__open_and_load();
	if (!r->skel)
		return diag_set(d, -errno, "rung:tc: cannot load the program: %s%s%s", strerror(errno),
				kernel_words_sep(), kernel_words());
	err = tc_hook_open(&r->hook, nd, bpf_program__fd(r->skel->progs.tc_drop));
	return err ? diag_set(d, err, "rung:tc: %s takes no tc program: %s%s%s", nd->name, strerror(-err),
			      kernel_words_sep(), kernel_words())
		   : 0;
}

static int tc_frames(const struct rung *r, uint64_t *frames, struct diag *d)
{
	int ncpus = cpu_possible();
	uint64_t *counts = calloc((size_t)ncpus, sizeof(*counts));
	__u32 key = 0;
	int err = 0;

	*frames = 0;
	if (!counts)
		return diag_set(d, -ENOMEM, "no memory");
	if (bpf_map_lookup_elem(bpf_map__fd(r->skel->maps.dropped), &key, counts))
		err = diag_set(d, -errno, "rung:tc: cannot read the program's count: %s", strerror(errno));
	for (int i = 0; i < ncpus && !err; i++)
		*frames += counts[i];
	free(counts);
	return err;
}

/* ---- UDP ----------------------------------------------------------------------------------------------------- */

/* Nobody reads from the socket. The kernel gives it room for some 2 KiB, which it fills with datagrams to itself. */
static int open_socket(struct rung *r, struct diag *d)
{
	struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(RUNG_PORT)}, self = port;
	int least = 0;

	self.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	r->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (r->socket < 0 || setsockopt(r->socket, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)) ||
	    bind(r->socket, (struct sockaddr *)&port, sizeof(port)))
		return diag_set(d, -errno, "rung:%s: cannot open the socket: %s", r->kind->word, strerror(errno));
	for (int i = 0; i < FILLING; i++)
		if (sendto(r->socket, "", 1, MSG_DONTWAIT, (struct sockaddr *)&self, sizeof(self)) < 0)
			return diag_set(d, -errno, "rung:%s: cannot fill the socket: %s", r->kind->word,
					strerror(errno));
	return 0;
}

/* The number of the column with this name, from 0; -1: there is none. */
static int column_of(char *line, const char *name)
{
	int column = 0;

	for (char *rest = line, *word; (word = strtok_r(rest, " \n", &rest)); column++)
		if (!strcmp(word, name))
			return column;
	return -1;
}

static uint64_t number_in(char *line, int column)
{
	char *rest = line, *word = NULL;

	for (int i = 0; i <= column; i++)
		word = strtok_r(rest, " \n", &rest);
	return word ? strtoull(word, NULL, 10) : 0;
}

/* Two lines begin with "Udp:": the names of the columns, and then their values (proc(5), /proc/net/snmp). */
static int udp_frames(const struct rung *r, const char *name, uint64_t *frames, struct diag *d)
{
	FILE *f = fopen("/proc/thread-self/net/snmp", "re");
	char line[1024];
	int column = -1;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "Udp:", 4))
			continue;
		if (column >= 0) {
			*frames = number_in(line, column);
			fclose(f);
			return 0;
		}
		column = column_of(line, name);
		if (column < 0)
			break;
	}
	if (f)
		fclose(f);
	return diag_set(d, -EOPNOTSUPP, "rung:%s: this kernel does not count %s", r->kind->word, name);
}

/* -------------------------------------------------------------------------------------------------------------- */

static int count(const struct rung *r, uint64_t *frames, struct diag *d)
{
	if (r->kind->floor) {
		*frames = bench_seen(&r->floor);
		return 0;
	}
	if (r->sender) {
		*frames = sender_counts(r->sender)->frames;
		return 0;
	}
	if (r->kind->forward)
		return forward_frames(&r->forward, frames, d);
	if (r->reader) {
		*frames = reader_frames(r->reader);
		return reader_check(r->reader, d);
	}
	return r->kind->tc ? tc_frames(r, frames, d)
	       : r->nft    ? rules_frames(r, frames, d)
			   : udp_frames(r, r->kind->udp_column, frames, d);
}

static int count_lost(const struct rung *r, uint64_t *lost, struct diag *d)
{
	*lost = 0;
	if (r->kind->forward)
		return forward_lost(&r->forward, lost, d);
	if (!r->reader)
		return 0;
	if (reader_is_udp(r->kind->reader))
		return udp_frames(r, "RcvbufErrors", lost, d);
	*lost = reader_refused(r->reader);
	return 0;
}

static int open_reader(struct rung *r, const struct netdev *nd, const struct rung_options *ro, struct diag *d)
{
	const struct reader_options o = {
		.way = r->kind->reader,
		.nd = nd,
		.cpu = ro->reader_cpu,
		.count_cpu = ro->rx_cpu,
	};
	struct diag why = {};
	int err = o.way ? reader_open(&r->reader, &o, &why) : 0;

	return err ? diag_set(d, err, "rung:%s: %s", r->kind->word, why.text) : 0;
}

/* The same program as drop/no-touch@native, attached to no device. */
static int open_floor(struct rung *r, struct diag *d)
{
	struct run_variant drop;
	int err = run_variant_parse(&drop, "drop/no-touch@native", d);

	return err ? err : bench_load(&r->floor, &drop, NULL, d);
}

static int open_forward(struct rung *r, const struct netdev *nd, struct diag *d)
{
	struct diag why = {};
	int err = r->kind->forward ? forward_open(&r->forward, r->kind->forward, nd, &why) : 0;

	return err ? diag_set(d, err, "rung:%s: %s", r->kind->word, why.text) : 0;
}

static int open_sender(struct rung *r, const struct netdev *nd, const struct rung_options *ro, struct diag *d)
{
	struct sender_options o = {.way = r->kind->sender, .nd = nd, .bytes = ro->bytes, .cpu = ro->rx_cpu};
	struct diag why = {};
	int err;

	if (!o.way)
		return 0;
	memcpy(o.peer_mac, ro->peer_mac, sizeof(o.peer_mac));
	err = forward_reach(nd, o.peer_mac, &why);
	if (!err)
		err = sender_open(&r->sender, &o, &why);
	return err ? diag_set(d, err, "rung:%s: %s", r->kind->word, why.text) : 0;
}

int rung_open(struct rung *r, const char *word, const struct netdev *nd, const struct rung_options *o, struct diag *d)
{
	int err;

	rung_close(r);
	r->kind = kind_of(word);
	if (!r->kind)
		return diag_set(d, -EINVAL, "unknown rung \"%s\"", word);
	err = r->kind->floor ? open_floor(r, d) : open_forward(r, nd, d);
	if (!err && r->kind->tc)
		err = open_tc(r, nd, d);
	else if (!err && r->kind->rules)
		err = open_rules(r, nd, d);
	else if (!err && r->kind->socket)
		err = open_socket(r, d);
	if (!err)
		err = open_reader(r, nd, o, d);
	if (!err)
		err = open_sender(r, nd, o, d);
	if (!err)
		err = count(r, &r->before, d);
	if (!err)
		err = count_lost(r, &r->lost_before, d);
	if (err)
		rung_close(r);
	return err;
}

int rung_frames(const struct rung *r, uint64_t *frames, struct diag *d)
{
	uint64_t now = r->before;
	int err = count(r, &now, d);

	*frames = now - r->before;
	return err;
}

int rung_lost(const struct rung *r, uint64_t *lost, struct diag *d)
{
	uint64_t now = r->lost_before;
	int err = count_lost(r, &now, d);

	*lost = now - r->lost_before;
	return err;
}

int rung_counts_fd(const struct rung *r)
{
	return r->reader ? reader_counts_fd(r->reader) : r->floor.counts_fd;
}

int rung_floor_fd(const struct rung *r)
{
	return r->floor.prog_fd;
}

int rung_window(const struct rung *r)
{
	return !r->reader ? 0 : r->kind->reader == READER_RING ? READER_RING_WINDOW : UDP_WINDOW;
}

const char *rung_reader_words(const char *word)
{
	const struct rung_kind *kind = kind_of(word);

	return kind && kind->reader ? reader_words(kind->reader) : "";
}

void rung_close(struct rung *r)
{
	reader_close(r->reader);
	sender_close(r->sender);
	if (r->nft) {
		nft_run_cmd_from_buffer(r->nft, strstr(r->kind->rules, "netdev") ? "delete table netdev xdpzoom\n"
										 : "delete table ip xdpzoom\n");
		nft_ctx_free(r->nft);
	}
	forward_close(&r->forward);
	bench_release(&r->floor);
	tc_hook_close(&r->hook);
	rungs_bpf__destroy(r->skel);
	if (r->socket >= 0)
		close(r->socket);
	rung_init(r);
}
