// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/import/import.h"
#include "base/printable.h"

#define MOST_PPS            1e12 /* and of --pps: a larger number is no rate */
#define CUT                 0.8  /* of the others: less is of a part of a second */
#define MOST_STREAMS        1000 /* that are looked through for one of this name */
#define TRANSACTIONS        (-1) /* instead of the bits of a unit */
#define LARGEST_FRAME_BYTES 1472 /* of UDP's data, at an MTU of 1500 */

#define IS(s, end, word)  ((size_t)((end) - (s)) >= sizeof(word) - 1 && !memcmp(s, word, sizeof(word) - 1))
#define HAS(s, end, word) (memmem(s, (size_t)((end) - (s)), word, sizeof(word) - 1) != NULL)

struct counter_read {
	char name[48];
	double value;
};

/* What the lines so far have told. */
struct scan {
	struct rates *r;
	const char *tool;
	size_t since; /* the first group of this measurement: the lines of a stream are of one group */
	char device[32], driver[32], stream[64];
	bool failed;              /* out of memory */
	struct rates_group *last; /* of the line of xdp-bench before; NULL: none */
	size_t cpus;              /* that received its packets, as the lines below it tell */
	double xsk_received;
	double seconds; /* between two outputs of ethtool -S; 0: not known, NaN: two command lines differ */
	bool given;     /* the seconds, by the caller */
	bool in_counters;
	struct counter_read *before, *now;
	size_t nbefore, nnow;
	bool sends;                   /* the title says that a generator runs */
	int threads;                  /* of the command line; 0: not named */
	bool queued;                  /* what was sent on is of the lines about the queue of a CPU */
	char options[128];            /* of xdp_rxq_info's head */
	char asked[2][32], whose[32]; /* devices of the command lines of ethtool -S to come, and of the last output */
	const struct socket_table *table;    /* whose numbers are to come; NULL: none */
	double message_bytes, messages_sent; /* NaN: their line is to come */
	double payload_bytes;                /* of a packet; 0: not known */
	double unit_bits;                    /* of the number that is to come */
};

static struct rates_group *rates_begin(struct rates *r, const char *tool)
{
	struct rates_group *g = array_add(&r->groups, &r->ngroups, sizeof(*g));

	if (g)
		*g = (struct rates_group){.tool = tool, .unit = "packets/s"};
	return g;
}

static bool rates_add(struct rates_group *g, double received, double sent)
{
	struct rates_reading *new = array_add(&g->readings, &g->n, sizeof(*new));

	if (new)
		*new = (struct rates_reading){received, sent};
	return new;
}

/* The group of a stream. NULL: there is none, or, with add, no memory. */
static struct rates_group *group_of(struct scan *c, const char *stream, size_t len, bool add)
{
	struct rates_group *g;
	char name[sizeof(g->stream)];

	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), stream);
	for (size_t i = c->since + MOST_STREAMS > c->r->ngroups ? c->since : c->r->ngroups - MOST_STREAMS;
	     i < c->r->ngroups; i++)
		if (c->r->groups[i].tool == c->tool && !strcmp(c->r->groups[i].stream, name))
			return &c->r->groups[i];
	g = add ? rates_begin(c->r, c->tool) : NULL;
	if (!g)
		return NULL;
	g->measurement = c->since;
	memcpy(g->stream, name, sizeof(name));
	memcpy(g->device, c->device, sizeof(g->device));
	memcpy(g->driver, c->driver, sizeof(g->driver));
	return g;
}

/* One reading. Without packets it is none. */
static struct rates_group *rates_take(struct scan *c, const char *stream, size_t len, double received, double sent)
{
	struct rates_group *g;

	c->last = NULL; /* the groups may move */
	if (!(received > 0) && !(sent > 0)) {
		g = group_of(c, stream, len, false);
		if (g)
			g->zeros++;
		return NULL;
	}
	if (received >= MOST_PPS || sent >= MOST_PPS)
		return NULL;
	g = group_of(c, stream, len, true);
	if (g && rates_add(g, received, sent))
		return g;
	c->failed = true;
	return NULL;
}

/* ---- words of a line ----------------------------------------------------------------------------------------- */

/* The number that comes next; NULL: none. Behind it, blanks are skipped. */
static const char *rates_number(const char *s, const char *end, double *value)
{
	s = number_read_grouped(span_skip_blanks(s, end), end, value);
	return s ? span_skip_blanks(s, end) : NULL;
}

/* The word behind a text, up to a blank, a bracket or a semicolon. */
static void word_after(char *to, size_t size, const char *s, const char *end, const char *text)
{
	size_t n = 0;

	s = memmem(s, (size_t)(end - s), text, strlen(text));
	if (!s)
		return;
	s += strlen(text);
	while (s + n < end && !memchr(" ;)", s[n], 3))
		n++;
	snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), s);
}

/* ---- xdp-tools ----------------------------------------------------------------------------------------------- */

/* The columns that stats_print() and dump_stats() write behind the name of a stream; NaN: not there. */
static bool read_columns(const char *s, const char *end, double *received, double *sent, const char **tool)
{
	double redirected = NAN, errors = NAN, value;
	bool drops = false;

	*received = *sent = NAN;
	for (const char *next; s < end && (next = rates_number(s, end, &value));
	     s = span_skip_blanks(span_skip_word(next, end), end)) {
		if (IS(next, end, "rx/s"))
			*received = value;
		else if (IS(next, end, "xmit/s"))
			*sent = value;
		else if (IS(next, end, "redir/s"))
			redirected = value;
		else if (IS(next, end, "err/s") || IS(next, end, "err,drop/s"))
			errors = value;
		else
			return false;
		drops |= IS(next, end, "err,drop/s");
	}
	*tool = !isnan(*received) ? "xdp-bench" : !isnan(redirected) || drops ? "xdp-monitor" : "xdp-trafficgen";
	if (isnan(*received)) /* xdp-monitor counts redirects, with --stats */
		*received = redirected;
	if (isnan(*sent))
		*sent = !isnan(redirected)            ? redirected
			: drops && *received > errors ? *received - errors
			: drops && *received >= 0     ? 0
						      : NAN;
	return !isnan(*received) || !isnan(*sent);
}

/* "Summary  8,148,972 rx/s  0 err,drop/s", "eth0->eth1  ...", "eth0:0  ...", "sock0  ...". */
static bool read_sample(struct scan *c, const char *s, const char *end)
{
	const char *name = span_skip_word(s, end);
	double received, sent;

	if (!(IS(s, end, "Summary") || IS(s, end, "sock") || HAS(s, name, "->") || HAS(s, name, ":")) ||
	    !read_columns(name, end, &received, &sent, &c->tool))
		return false;
	c->last = rates_take(c, s, IS(s, end, "Summary") ? 0 : (size_t)(name - s), received, sent);
	c->cpus = 0;
	c->queued = false;
	return true;
}

/* "Dropping packets on eth0 (ifindex 2; driver mlx5_core)", "Redirecting from eth0 (ifindex 2; driver ...) to ..." */
static bool read_title(struct scan *c, const char *s, const char *end)
{
	if (!HAS(s, end, " (ifindex "))
		return false;
	*c->device = *c->driver = '\0';
	c->since = c->r->ngroups;
	c->sends = IS(s, end, "Transmitting on ");
	word_after(c->device, sizeof(c->device), s, end, HAS(s, end, " on ") ? " on " : " from ");
	word_after(c->driver, sizeof(c->driver), s, end, "; driver ");
	return true;
}

/* sample_summary_print(), which ends a measurement. */
static bool read_summary(struct scan *c, const char *s, const char *end)
{
	static const char *const words[] = {"Duration",   "Packets ",   "Average ",
					    "Rx dropped", "Tx dropped", "Errors recorded"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if ((size_t)(end - s) > strlen(words[i]) && !memcmp(s, words[i], strlen(words[i])) &&
		    HAS(s, end, " : ")) {
			c->since = c->r->ngroups;
			return true;
		}
	return false;
}

/* "cpu:1   9656 pkt/s ...": a CPU that received packets; "cpu:1->3" sent them to a queue. One percent is no load. */
static void count_cpu(struct scan *c, const char *s, const char *end)
{
	struct rates_group *g = c->last;
	double pps;

	if (!g || HAS(s, span_skip_word(s, end), "->") || !rates_number(span_skip_word(s, end), end, &pps) ||
	    pps < 0.01 * g->readings[g->n - 1].received)
		return;
	if (++c->cpus > 1)
		g->why = "several CPUs received these packets, and the cost of a packet is that of one";
}

/* What a CPU's queue took of the packets that were redirected to it: those that were not dropped went on. */
static void take_queued(struct scan *c, struct rates_group *g, double packets, double drops)
{
	struct rates_reading *one = g ? &g->readings[g->n - 1] : NULL;

	if (!one)
		return;
	one->sent = (c->queued ? one->sent : 0) + fmax(0, packets - drops);
	c->queued = true;
}

/* Lines of --extended, and of ^C at its end. */
static bool read_detail(struct scan *c, const char *s, const char *end)
{
	static const char *const names[] = {"receive",   "cpu:",     "rxq:",     "enqueue to",    "kthread",
					    "xdp_stats", "redirect", "E",        "xdp_exception", "devmap_xmit",
					    "xmit ",     "XDP_",     "Dropped ", "Invalid",       "Queue full",
					    "Fill ring", "TX ring"};

	double packets, drops;
	const char *at;

	if (IS(s, end, "cpu:"))
		count_cpu(c, s, end);
	else if (IS(s, end, "enqueue to cpu ")) {
		/* "enqueue to cpu 3   650,000 pkt/s   520,000 drop/s   7.82 bulk-avg" */
		at = rates_number(span_skip_word(span_skip_blanks(s + 15, end), end), end, &packets);
		if (at && IS(at, end, "pkt/s") && rates_number(at + 5, end, &drops))
			take_queued(c, c->last, packets, drops);
	} else if (!IS(s, end, "receive"))
		c->last = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if ((size_t)(end - s) > strlen(names[i]) && !memcmp(s, names[i], strlen(names[i])))
			return HAS(s, end, "/s") || HAS(s, end, " sched");
	return IS(s, end, "^C");
}

/* xdp-filter, and others with its statistics: "XDP_DROP   81650 pkts (   8165032 pps) ..." */
static bool read_actions(struct scan *c, const char *s, const char *end)
{
	const char *name = span_skip_word(s, end), *at;
	struct rates_group *g;
	double pkts, pps;

	if (IS(s, end, "Period of ")) /* ... ending at ...: the head of each second */
		return true;
	if (!IS(s, end, "XDP_") || !(at = rates_number(name, end, &pkts)) || !IS(at, end, "pkts (") ||
	    !(at = rates_number(at + 6, end, &pps)) || !IS(at, end, "pps)"))
		return false;
	if (c->sends)
		c->tool = "xdp-trafficgen";
	g = rates_take(c, s, (size_t)(name - s), c->sends ? NAN : pps, c->sends ? pps : NAN);
	if (g)
		g->part = !c->sends;
	if (g && c->sends && c->threads > 1)
		g->why = "several threads sent these packets, each on its own CPU";
	return true;
}

/* ---- the kernel's samples ------------------------------------------------------------------------------------ */

/* xdp1, xdp2: "proto 17:    8165032 pkt/s"; xdp_redirect: "ifindex 4:    8165032 pkt/s" */
static bool read_first_samples(struct scan *c, const char *s, const char *end)
{
	const char *colon = memchr(s, ':', (size_t)(end - s)), *at;
	struct rates_group *g;
	double pps;

	if (!(IS(s, end, "proto ") || IS(s, end, "ifindex ")) || !colon || !(at = rates_number(colon + 1, end, &pps)) ||
	    !IS(at, end, "pkt/s"))
		return false;
	g = rates_take(c, s, (size_t)(colon - s), pps, NAN);
	if (g)
		g->part = *s == 'p';
	return true;
}

/*
 * xdp_rxq_info: "XDP-RX CPU      1       8,148,972   0"; xdp_redirect_cpu: "XDP-RX          1       7,723,038   0  0".
 * The total is of several CPUs, so it is none of a packet's cost.
 */
static bool read_per_cpu(struct scan *c, const char *s, const char *end)
{
	static const char *const tables[] = {"Running XDP",    "XDP stats",    "RXQ stats",
					     "rx_queue_index", "XDP-cpumap",   "cpumap-enqueue",
					     "cpumap_kthread", "redirect_err", "xdp_exception"};
	double cpu, pps, drops;
	char stream[32];
	const char *at;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if ((size_t)(end - s) >= strlen(tables[i]) && !memcmp(s, tables[i], strlen(tables[i]))) {
			if (HAS(s, end, " on dev:"))
				word_after(c->device, sizeof(c->device), s, end, " on dev:");
			if (IS(s, end, "Running XDP") &&
			    (strncmp(c->options, s, strlen(c->options)) != 0 || !*c->options)) {
				c->since = c->r->ngroups; /* another action, or another option */
				snprintf(c->options, sizeof(c->options), "%.*s", (int)(end - s), s);
			}
			if (IS(s, end, "cpumap-enqueue") && (at = rates_number(s + 14, end, &cpu)) && at < end &&
			    *at == ':' && (at = rates_number(span_skip_word(at, end), end, &pps)) &&
			    rates_number(at, end, &drops))
				take_queued(
					c,
					group_of(c, stream,
						 (size_t)snprintf(stream, sizeof(stream), "CPU %.0f", fmin(cpu, 1e6)),
						 false),
					pps, drops);
			return true;
		}
	if (!IS(s, end, "XDP-RX "))
		return false;
	s = span_skip_blanks(s + 7, end);
	if (IS(s, end, "CPU"))
		s += 3;
	at = rates_number(s, end, &cpu);
	if (at && rates_number(at, end, &pps))
		rates_take(c, stream, (size_t)snprintf(stream, sizeof(stream), "CPU %.0f", fmin(cpu, 1e6)), pps, NAN);
	c->queued = false;
	return true;
}

/* xdpsock: " sock0@eth0:0 rxdrop xdp-drv", "    pps   pkts   1.00", "rx   8,165,032   8,165,100", "tx   0   0" */
static bool read_xdpsock(struct scan *c, const char *s, const char *end)
{
	const char *at = s + 2;
	double pps, pkts;

	if (IS(s, end, "sock") && HAS(s, end, "@")) {
		snprintf(c->stream, sizeof(c->stream), "%.*s", (int)(end - s), s); /* "... rxdrop xdp-skb" */
		c->xsk_received = NAN;
		return true;
	}
	if (IS(s, end, "pps") && HAS(s, end, "pkts"))
		return true;
	if (!(IS(s, end, "rx ") || IS(s, end, "tx ")) || !(at = rates_number(at, end, &pps)) ||
	    !rates_number(at, end, &pkts))
		return false;
	if (*s == 'r')
		c->xsk_received = pps;
	else
		rates_take(c, c->stream, strlen(c->stream), c->xsk_received, pps);
	return true;
}

/* pktgen: "  8147952pps 3911Mb/sec (3911016960bps) errors: 0" */
static bool read_pktgen(struct scan *c, const char *s, const char *end)
{
	double pps;
	const char *at = rates_number(s, end, &pps);

	if (!at || !IS(at, end, "pps ") || !HAS(s, end, "b/sec ("))
		return IS(s, end, "Result: OK");
	rates_take(c, "", 0, NAN, pps);
	return true;
}

/* bench xdp-lb: "tcp-v4-lru-hit: median 84.32 ns/op, ...", "RESULT scenario=tcp-v4-lru-hit ... median=84.32 ..." */
static bool read_bench_lb(struct scan *c, const char *s, const char *end)
{
	const char *median = memmem(s, (size_t)(end - s), "median", 6), *name = s, *name_end = s;
	double ns;

	if (IS(s, end, "Scenario: ")) { /* of a former version, whose lines below have no name */
		snprintf(c->stream, sizeof(c->stream), "%.*s", (int)(span_skip_word(s + 10, end) - s - 10), s + 10);
		return true;
	}
	if (IS(s, end, "RESULT scenario="))
		name_end = span_skip_word(name = s + 16, end);
	else if (median == s && *c->stream && HAS(s, end, " ns/op"))
		name_end = (name = c->stream) + strlen(c->stream);
	else if (median && median - s > 2 && HAS(median, end, " ns/op") && median[-2] == ':')
		name_end = median - 2;
	if (name_end == name || !median || !rates_number(median + 7, end, &ns) || !(ns > 0))
		return false;
	rates_take(c, name, (size_t)(name_end - name), 1e9 / ns, NAN);
	return true;
}

/* ---- counters of a device ------------------------------------------------------------------------------------ */

/* mlx5 counts, beside XDP's packets, descriptors, completions and descriptors that hold their packet. */
static bool counts_packets(const char *s, const char *end)
{
	return !HAS(s, end, "byte") && !HAS(s, end, "_mpwqe") && !HAS(s, end, "_inlnw") && !HAS(s, end, "_nops") &&
	       !HAS(s, end, "_cqe") &&
	       (HAS(s, end, "packet") || HAS(s, end, "pkt") || HAS(s, end, "xdp") || HAS(s, end, "frames") ||
		HAS(s, end, "ucast"));
}

/* What a counter counts was received or sent: its name has "tx" or "xmit" in it, or not. */
static struct rates_group *take_counter(struct scan *c, const char *s, const char *end, double pps)
{
	bool sent = HAS(s, end, "tx") || HAS(s, end, "xmit");
	struct rates_group *g = rates_take(c, s, (size_t)(end - s), sent ? NAN : pps, sent ? pps : NAN);
	struct counter one = {.source = COUNTER_ETHTOOL};

	snprintf(one.name, sizeof(one.name), "%.*s", (int)(end - s < 63 ? end - s : 63), s);
	if (g && counter_is_loss(&one))
		g->why = "this counter is of dropped packets";
	return g;
}

/* ethtool_stats.pl: "Ethtool(eth0    ) stat:      8165032 (      8,165,032) <= rx_packets /sec" */
static bool read_ethtool_rates(struct scan *c, const char *s, const char *end)
{
	const char *at = memmem(s, (size_t)(end - s), " stat:", 6), *name;
	double pps;

	if (IS(s, end, "Show adapter(s) ("))
		return true;
	if (!IS(s, end, "Ethtool(") || !at || !(at = rates_number(at + 6, end, &pps)) ||
	    !(name = memmem(at, (size_t)(end - at), "<= ", 3)))
		return false;
	name += 3;
	*c->device = *c->driver = '\0';
	word_after(c->device, sizeof(c->device), s, end, "Ethtool(");
	if (counts_packets(name, span_skip_word(name, end)))
		take_counter(c, name, span_skip_word(name, end), pps);
	return true;
}

static void compare_counter(struct scan *c, const struct counter_read *now)
{
	const struct counter_read *was = &c->before[c->nnow - 1];
	const char *end = now->name + strlen(now->name);
	double seconds = c->seconds > 0 ? c->seconds : 1;
	struct rates_group *g;

	if (c->nnow > c->nbefore || strcmp(was->name, now->name) || !counts_packets(now->name, end))
		return;
	g = take_counter(c, now->name, end, (now->value - was->value) / seconds);
	if (g && g->why)
		return;
	if (g && !(c->seconds > 0)) {
		g->unit = "packets";
		g->why = "how many seconds were between the two outputs of ethtool? give --window";
	}
}

/* Queues of vmxnet3 have counters of the same names: the second is "ucast pkts rx #2". */
static void name_counter(const struct scan *c, struct counter_read *new, const char *s, const char *end)
{
	size_t len = (size_t)(end - s) < sizeof(new->name) - 6 ? (size_t)(end - s) : sizeof(new->name) - 6;
	int number = 1;

	for (const struct counter_read *one = new; one > c->now &&number < 1000 && new - one < MOST_STREAMS;)
		if (!memcmp((--one)->name, s, len) && (!one->name[len] || !memcmp(&one->name[len], " #", 2)))
			number++;
	snprintf(new->name, sizeof(new->name), number > 1 ? "%.*s #%d" : "%.*s", (int)len, s, number);
}

/* "NIC statistics:" and its counters, "     rx_packets: 8165032"; with the output before it, a difference of each. */
static bool read_ethtool_pair(struct scan *c, const char *s, const char *end)
{
	const char *colon = memrchr(s, ':', (size_t)(end - s));
	struct counter_read *new;
	double value;

	if (IS(s, end, "NIC statistics:")) {
		free(c->before);
		c->before = c->now;
		c->nbefore = *c->asked[0] && *c->whose && strcmp(c->asked[0], c->whose) ? 0 : c->nnow; /* another's */
		c->now = NULL;
		c->nnow = 0;
		memcpy(c->whose, c->asked[0], sizeof(c->whose));
		memcpy(c->asked[0], c->asked[1], sizeof(c->asked[0]));
		*c->asked[1] = '\0';
		return c->in_counters = true;
	}
	if (!c->in_counters || !colon || rates_number(colon + 1, end, &value) != end)
		return c->in_counters = false;
	new = array_add(&c->now, &c->nnow, sizeof(*new));
	if (!new) {
		c->failed = true;
		return true;
	}
	name_counter(c, new, s, colon);
	new->value = value;
	compare_counter(c, new);
	return true;
}

/* "ethtool -S eth0; sleep 10; ethtool -S eth0": whose counters come, and how long the time between two of them was. */
static void read_command(struct scan *c, const char *s, const char *end)
{
	double seconds;

	for (const char *at = s; (at = memmem(at, (size_t)(end - at), "ethtool -S ", 11)) != NULL;) {
		char *to = c->asked[*c->asked[0] != '\0'];

		at += 11;
		*to = '\0';
		word_after(to, sizeof(c->asked[0]), at - 1, end, " ");
	}
	for (const char *at = s; HAS(s, end, "xdp-trafficgen") && (at = memchr(at, '-', (size_t)(end - at))) != NULL;) {
		at += IS(at, end, "--threads") ? 9 : IS(at, end, "-t") ? 2 : 1;
		if (at[-1] != '-' && rates_number(at + (at < end && *at == '='), end, &seconds))
			c->threads = (int)fmin(seconds, 1e6);
	}
	for (const char *at = s; !c->given && (at = memmem(at, (size_t)(end - at), "sleep ", 6)) != NULL;) {
		at = number_read_decimal(at + 6, end, &seconds);
		if (!at)
			return;
		seconds *= at == end || *at == 's' ? 1 : *at == 'm' ? 60 : *at == 'h' ? 3600 : 1;
		c->seconds = c->seconds == 0 || c->seconds == seconds ? seconds : NAN;
	}
}

/* ---- sockets ------------------------------------------------------------------------------------------------- */

/* Tables of netperf and kperf: what ends their head, which number of a line is the result, and what it counts. */
static const struct socket_table {
	const char *head, *tool, *stream;
	size_t result;    /* 0: the last one, and lines hold commas */
	double unit_bits; /* 0: of UDP_STREAM, -1: transactions */
} socket_tables[] = {
	{"Okay Errors   Throughput", "netperf", "UDP_STREAM", 4, 0},
	{"Size     Time     Throughput", "netperf", "TCP_STREAM", 5, 1e6},
	{"Request  Resp.   Elapsed  Trans.", "netperf", "", 6, TRANSACTIONS},
	{"Request Resp.  Elapsed Trans.", "netperf", "", 6, TRANSACTIONS},
	{"retrans,reord,ce,rtt,", "kperf", "", 0, 1e9},
};

/* The units of netperf -f, in the line below the head: "bytes  bytes  bytes    secs.    10^6bits/sec" */
static void read_units(struct scan *c, const char *s, const char *end)
{
	static const struct {
		const char *word;
		double bits;
	} units[] = {
		{"10^3bits", 1e3},
		{"10^6bits", 1e6},
		{"10^9bits", 1e9},
		{"KBytes", 8.0 * 1024},
		{"MBytes", 8.0 * (1u << 20)},
		{"GBytes", 8.0 * (1u << 30)},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (c->unit_bits > 0 && memmem(s, (size_t)(end - s), units[i].word, strlen(units[i].word)))
			c->unit_bits = units[i].bits;
}

/*
 * What the last reading of a group counts. Bits of a stream are packets if it is known how much data each has, and a
 * transaction is one packet both ways if its data fit into it.
 */
static void take_units(const struct scan *c, struct rates_group *g, double unit_bits, double largest_bytes)
{
	bool transactions = unit_bits < 0, known = c->payload_bytes > 0 && largest_bytes <= c->payload_bytes;
	double *value = &g->readings[g->n - 1].received;

	if (isnan(unit_bits)) {
		g->unit = "of another unit";
		g->why = "its unit is not known here";
		return;
	}
	if (!transactions)
		*value *= known ? unit_bits / 8 / c->payload_bytes : unit_bits / 1e6;
	g->unit = known ? "packets/s" : transactions ? "transactions/s" : "Mbit/s";
	g->why = known && *value < MOST_PPS ? NULL
		 : known                    ? "no device has so many packets"
		 : !transactions            ? "these are bits of streams; --payload gives the data of each packet"
		 : c->payload_bytes > 0     ? "a request or a response was larger than a packet"
					    : "these are transactions; --payload gives the data of a packet, if each "
					      "is one packet both ways";
}

/* UDP_STREAM: "212992   64   10.00   5000000   0   256.00", and below, of the receiver, "212992  10.00  4900000 ..." */
static void take_messages(struct scan *c, const double *n)
{
	struct rates_group *g;

	if (isnan(c->messages_sent)) {
		c->message_bytes = n[1];
		c->messages_sent = n[3] / n[2];
		return;
	}
	g = rates_take(c, c->table->stream, strlen(c->table->stream), n[2] / n[1], c->messages_sent);
	c->table = NULL;
	if (!g)
		return;
	g->two_ends = true;
	if (c->message_bytes > LARGEST_FRAME_BYTES) {
		g->unit = "messages/s";
		g->why = "netperf's messages were larger than a frame, so they are no packets";
	}
}

static bool read_socket_table(struct scan *c, const char *s, const char *end)
{
	struct rates_group *g;
	double n[64];
	size_t got = 0;

	for (size_t i = 0; i < sizeof(socket_tables) / sizeof(*socket_tables); i++)
		if (memmem(s, (size_t)(end - s), socket_tables[i].head, strlen(socket_tables[i].head))) {
			c->table = &socket_tables[i];
			c->unit_bits = c->table->unit_bits;
			c->messages_sent = NAN;
			return true;
		}
	if (!c->table)
		return false;
	for (const char *at = s; at && at < end && got < sizeof(n) / sizeof(*n);) {
		at = c->table->result ? rates_number(at, end, &n[got]) : number_read_decimal(at, end, &n[got]);
		got += at != NULL;
		if (!c->table->result && at && at < end && *at == ',')
			at++;
	}
	if (!got || got < c->table->result) {
		read_units(c, s, end);
		if (IS(s, end, "Size ") || IS(s, end, "bytes ") || IS(s, end, "Send "))
			return true;
		c->table = NULL;
		return false;
	}
	if (!c->table->unit_bits) {
		take_messages(c, n);
		return true;
	}
	c->tool = c->table->tool;
	g = rates_take(c, c->table->stream, strlen(c->table->stream),
		       n[(c->table->result ? c->table->result : got) - 1], NAN);
	if (g)
		take_units(c, g, c->unit_bits, c->unit_bits < 0 ? fmax(n[2], n[3]) : 0);
	if (c->table->result)
		c->table = NULL;
	return true;
}

/* neper: "num_transactions=329605", "throughput=33009.84", and of a stream "throughput_units=Mbit/s" behind it. */
static bool read_neper(struct scan *c, const char *s, const char *end)
{
	struct rates_group *g;
	double value;

	if (IS(s, end, "throughput_units=") && c->unit_bits < 0 && (g = group_of(c, "", 0, false)) != NULL) {
		c->unit_bits = IS(s + 17, end, "Mbit/s") ? 1e6 : IS(s + 17, end, "Gbit/s") ? 1e9 : NAN;
		take_units(c, g, c->unit_bits, 0);
		return true;
	}
	if (!IS(s, end, "throughput=") || !rates_number(s + 11, end, &value))
		return false;
	g = rates_take(c, "", 0, value, NAN);
	if (g)
		take_units(c, g, c->unit_bits = TRANSACTIONS, 0);
	return true;
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

/* Each is shown a line without the blanks in front, and returns true if the line is its tool's. */
static const struct {
	const char *tool;
	bool (*read)(struct scan *c, const char *s, const char *end);
} readers[] = {
	{"xdp-tools", read_title},
	{"xdp-bench", read_sample},
	{"xdp-bench", read_summary},
	{"xdp-filter", read_actions},
	{"samples/bpf", read_first_samples},
	{"samples/bpf", read_per_cpu},
	{"xdpsock", read_xdpsock},
	{"pktgen", read_pktgen},
	{"bench xdp-lb", read_bench_lb},
	{"ethtool_stats.pl", read_ethtool_rates},
	{"ethtool -S", read_ethtool_pair},
	{"netperf", read_socket_table},
	{"neper", read_neper},
	{"xdp-bench", read_detail},
};

static void rates_read_line(struct scan *c, const char *s, const char *end)
{
	s = span_skip_blanks(s, end);
	if (s == end)
		return;
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		c->tool = readers[i].tool;
		if (readers[i].read(c, s, end))
			return;
	}
	/* Prose: another measurement may follow. */
	c->since = c->r->ngroups;
	read_command(c, s, end);
}

static int rates_read_lines(struct rates *r, const char *text, size_t len, double seconds, double payload_bytes)
{
	struct scan c = {
		.r = r, .seconds = seconds, .given = seconds > 0, .xsk_received = NAN, .payload_bytes = payload_bytes};
	const char *end = text + len, *eol, *stop;

	for (const char *s = text; s < end && !c.failed; s = eol + 1) {
		eol = memchr(s, '\n', (size_t)(end - s));
		eol = eol ? eol : end;
		for (stop = eol; stop > s && stop[-1] == '\r'; stop--)
			;
		rates_read_line(&c, s, stop);
	}
	free(c.before);
	free(c.now);
	return c.failed ? -ENOMEM : 0;
}

/* ---- LNST ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *type, *received, *sent, *why;
} lnst_rates[] = {
	{"xdp-bench", "receiver_results", NULL, NULL},
	{"forwarding", "forwarder_rx_results", "forwarder_tx_results", NULL},
	{"xdp-redirect-cpu", "forwarded_results", NULL, NULL},
	{"flow", "receiver_results", NULL, "LNST counted bits or transactions of this flow, and nobody its packets"},
};

static int read_measurement(struct rates *r, const json_t *o)
{
	const char *type = json_string_value(json_object_get(o, "measurement_type"));
	const char *result = json_string_value(json_object_get(o, "result"));
	const json_t *data = json_object_get(o, "data"), *sent = NULL;
	const char *why = NULL;
	struct rates_group *g;
	double pps = 0;

	for (size_t i = 0; type && i < sizeof(lnst_rates) / sizeof(*lnst_rates); i++)
		if (!strcmp(type, lnst_rates[i].type)) {
			pps = json_number_value(json_object_get(data, lnst_rates[i].received));
			sent = lnst_rates[i].sent ? json_object_get(data, lnst_rates[i].sent) : NULL;
			why = lnst_rates[i].why;
		}
	if (!(pps > 0 && pps < MOST_PPS)) /* json_number_value() is 0 for what is no number */
		return 0;
	g = rates_begin(r, "LNST");
	if (!g || !rates_add(g, pps, json_is_number(sent) ? json_number_value(sent) : NAN))
		return -ENOMEM;
	g->unit = why ? "units/s" : g->unit;
	g->why = why;
	snprintf(g->kind, sizeof(g->kind), "%s", type);
	g->failed = !result || strcmp(result, "PASS");
	return 0;
}

static int read_lnst(struct rates *r, const char *text, size_t len)
{
	json_t *list = json_loadb(text, len, 0, NULL), *o;
	int err = 0;
	size_t i;

	if (!json_is_array(list)) {
		json_decref(list);
		return 0;
	}
	json_array_foreach (list, i, o)
		if (!err)
			err = read_measurement(r, o);
	json_decref(list);
	return err;
}

/* -------------------------------------------------------------------------------------------------------------- */

static double rate_of(const struct rates_reading *one)
{
	return isnan(one->received) ? one->sent : one->received;
}

/* Traffic begins and ends within a second: the reading of a first or last second that is far below all others. */
static void leave_cut_out(struct rates_group *g)
{
	for (int last = 1; last >= 0 && g->n > 2 && !g->why; last--) {
		double least = INFINITY, most = 0, end = rate_of(&g->readings[last ? g->n - 1 : 0]);

		for (size_t i = !last; i < g->n - (size_t)last; i++) {
			least = fmin(least, rate_of(&g->readings[i]));
			most = fmax(most, rate_of(&g->readings[i]));
		}
		if (!(end < CUT * least) || !(least > CUT * most))
			continue;
		g->cut = end;
		if (!last)
			memmove(g->readings, g->readings + 1, (g->n - 1) * sizeof(*g->readings));
		g->n--;
	}
}

int rates_find(struct rates *r, const char *text, size_t len, double seconds, double payload_bytes)
{
	int err;

	*r = (struct rates){};
	err = read_lnst(r, text, len);
	if (!err && !r->ngroups)
		err = rates_read_lines(r, text, len, seconds, payload_bytes);
	/* Packets of several actions or protocols in the same seconds: the CPU's time is that of all of them. */
	for (size_t i = 0; i < r->ngroups; i++)
		for (size_t k = 0; k < r->ngroups; k++)
			if (k != i && r->groups[i].part && r->groups[k].part &&
			    r->groups[i].measurement == r->groups[k].measurement &&
			    r->groups[i].tool == r->groups[k].tool && !r->groups[i].why &&
			    rate_of(r->groups[k].readings) >= 0.01 * rate_of(r->groups[i].readings))
				r->groups[i].why = "in the same seconds the CPU had packets of other kinds, and its "
						   "time is that of all";
	for (size_t i = 0; i < r->ngroups; i++)
		leave_cut_out(&r->groups[i]);
	for (size_t i = 0; i < r->ngroups; i++)
		if (r->groups[i].zeros >= r->groups[i].n && !r->groups[i].why)
			r->groups[i].why = "at least half of its readings are 0: what was measured stood still";
	if (err)
		rates_release(r);
	return err;
}

void rates_list(FILE *out, const struct rates *r, size_t first)
{
	for (size_t i = 0; i < r->ngroups; i++) {
		const struct rates_group *g = &r->groups[i];
		const struct rates_reading *one = &g->readings[0];

		printable_printf(out, "%3zu  %zu rate%s of %s%s%s%s%s%s%s%s  first:", first + i, g->n,
				 g->n == 1 ? "" : "s", g->tool, *g->kind ? ": " : "", g->kind, *g->device ? ", " : "",
				 g->device, *g->stream ? ", " : "", g->stream, g->failed ? ", failed" : "");
		if (!isnan(one->received))
			printable_printf(out, " %.0f %s received%s", one->received, g->unit,
					 isnan(one->sent) ? "" : ",");
		if (!isnan(one->sent))
			printable_printf(out, " %.0f %s sent%s", one->sent, g->unit,
					 isnan(one->received) ? ""
					 : g->two_ends        ? " by the other end"
							      : " on");
		if (g->cut > 0)
			printable_printf(out, "; %.0f of a part of a second left out", g->cut);
		if (g->zeros)
			printable_printf(out, "; %zu of 0 left out", g->zeros);
		printable_printf(out, "%s%s\n", g->why ? "; " : "", g->why ? g->why : "");
	}
}

void rates_release(struct rates *r)
{
	for (size_t i = 0; i < r->ngroups; i++)
		free(r->groups[i].readings);
	free(r->groups);
	*r = (struct rates){};
}
