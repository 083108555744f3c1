// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/import/import.h"

#define MOST_PPS     1e12 /* and of --pps: a larger number is no rate */
#define CUT          0.8  /* of the others: less is of a part of a second */
#define MOST_STREAMS 1000 /* that are looked through for one of this name */

#define IS(s, end, word)  ((size_t)((end) - (s)) >= sizeof(word) - 1 && !memcmp(s, word, sizeof(word) - 1))
#define HAS(s, end, word) (memmem(s, (size_t)((end) - (s)), word, sizeof(word) - 1) != NULL)

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
	bool sends;        /* the title says that a generator runs */
	int threads;       /* of the command line; 0: not named */
	bool queued;       /* what was sent on is of the lines about the queue of a CPU */
	char options[128]; /* of xdp_rxq_info's head */
};

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
	g = add ? array_add(&c->r->groups, &c->r->ngroups, sizeof(*g)) : NULL;
	if (!g)
		return NULL;
	*g = (struct rates_group){.tool = c->tool, .measurement = c->since};
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
	struct rates_reading *new = g ? array_add(&g->readings, &g->n, sizeof(*new)) : NULL;
	if (new)
		*new = (struct rates_reading){received, sent};
	c->failed |= !new;
	return new ? g : NULL;
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

/*
 * "Summary  8,148,972 rx/s  0 err,drop/s", "eth0->eth1  ...", "eth0:0  ...", "sock0  ...": the columns that
 * stats_print() and dump_stats() write behind the name of a stream; NaN: not there.
 */
static bool read_sample(struct scan *c, const char *s, const char *end)
{
	const char *name = span_skip_word(s, end);
	double received = NAN, sent = NAN, redirected = NAN, errors = NAN, value;
	bool drops = false;

	if (!(IS(s, end, "Summary") || IS(s, end, "sock") || HAS(s, name, "->") || HAS(s, name, ":")))
		return false;
	for (const char *at = name, *next; at < end && (next = rates_number(at, end, &value));
	     at = span_skip_blanks(span_skip_word(next, end), end)) {
		if (IS(next, end, "rx/s"))
			received = value;
		else if (IS(next, end, "xmit/s"))
			sent = value;
		else if (IS(next, end, "redir/s"))
			redirected = value;
		else if (IS(next, end, "err/s") || IS(next, end, "err,drop/s"))
			errors = value;
		else
			return false;
		drops |= IS(next, end, "err,drop/s");
	}
	c->tool = !isnan(received) ? "xdp-bench" : !isnan(redirected) || drops ? "xdp-monitor" : "xdp-trafficgen";
	if (isnan(received)) /* xdp-monitor counts redirects, with --stats */
		received = redirected;
	if (isnan(sent))
		sent = !isnan(redirected)           ? redirected
		       : drops && received > errors ? received - errors
		       : drops && received >= 0     ? 0
						    : NAN;
	if (isnan(received) && isnan(sent))
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

	struct rates_group *g = c->last;
	double packets, drops;
	const char *at;

	if (IS(s, end, "cpu:")) {
		/* "cpu:1   9656 pkt/s ...": one that received packets; "cpu:1->3" queued them. 1 % is no load. */
		at = span_skip_word(s, end);
		if (g && !HAS(s, at, "->") && rates_number(at, end, &packets) &&
		    packets >= 0.01 * g->readings[g->n - 1].received && ++c->cpus > 1)
			g->why = "several CPUs received these packets, and the cost of a packet is that of one";
	} else if (IS(s, end, "enqueue to cpu ")) {
		/* "enqueue to cpu 3   650,000 pkt/s   520,000 drop/s   7.82 bulk-avg" */
		at = rates_number(span_skip_word(span_skip_blanks(s + 15, end), end), end, &packets);
		if (at && IS(at, end, "pkt/s") && rates_number(at + 5, end, &drops))
			take_queued(c, g, packets, drops);
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

/* ---- counters of a device ------------------------------------------------------------------------------------ */

/*
 * ethtool_stats.pl: "Ethtool(eth0    ) stat:      8165032 (      8,165,032) <= rx_packets /sec". What a counter counts
 * was received or sent: its name has "tx" or "xmit" in it, or not.
 */
static bool read_ethtool_rates(struct scan *c, const char *s, const char *end)
{
	const char *at = memmem(s, (size_t)(end - s), " stat:", 6), *name;
	struct counter one = {.source = COUNTER_ETHTOOL};
	struct rates_group *g;
	double pps;
	bool sent;

	if (IS(s, end, "Show adapter(s) ("))
		return true;
	if (!IS(s, end, "Ethtool(") || !at || !(at = rates_number(at + 6, end, &pps)) ||
	    !(name = memmem(at, (size_t)(end - at), "<= ", 3)))
		return false;
	name += 3;
	*c->device = *c->driver = '\0';
	word_after(c->device, sizeof(c->device), s, end, "Ethtool(");
	end = span_skip_word(name, end);
	/* mlx5 counts, beside XDP's packets, descriptors, completions and descriptors that hold their packet. */
	if (HAS(name, end, "byte") || HAS(name, end, "_mpwqe") || HAS(name, end, "_inlnw") || HAS(name, end, "_nops") ||
	    HAS(name, end, "_cqe") ||
	    !(HAS(name, end, "packet") || HAS(name, end, "pkt") || HAS(name, end, "xdp") || HAS(name, end, "frames") ||
	      HAS(name, end, "ucast")))
		return true;
	sent = HAS(name, end, "tx") || HAS(name, end, "xmit");
	g = rates_take(c, name, (size_t)(end - name), sent ? NAN : pps, sent ? pps : NAN);
	snprintf(one.name, sizeof(one.name), "%.*s", (int)(end - name < 63 ? end - name : 63), name);
	if (g && counter_is_loss(&one))
		g->why = "this counter is of dropped packets";
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
	{"ethtool_stats.pl", read_ethtool_rates},
	{"xdp-bench", read_detail},
};

/* -------------------------------------------------------------------------------------------------------------- */

static double rate_of(const struct rates_reading *one)
{
	return isnan(one->received) ? one->sent : one->received;
}

int rates_find(struct rates *r, const char *text, size_t len)
{
	struct scan c = {.r = r, .xsk_received = NAN};
	const char *end = text + len, *eol, *stop;
	double threads;

	*r = (struct rates){};
	for (const char *s = text; s < end && !c.failed; s = eol + 1) {
		eol = memchr(s, '\n', (size_t)(end - s));
		eol = eol ? eol : end;
		for (stop = eol; stop > s && stop[-1] == '\r'; stop--)
			;
		s = span_skip_blanks(s, stop);
		bool taken = s == stop;
		for (size_t i = 0; i < sizeof(readers) / sizeof(*readers) && !taken; i++) {
			c.tool = readers[i].tool;
			taken = readers[i].read(&c, s, stop);
		}
		if (taken)
			continue;
		/* Prose: another measurement may follow. */
		c.since = c.r->ngroups;
		/* "xdp-trafficgen udp -t 2 eth0": how many threads sent. */
		const char *at = HAS(s, stop, "xdp-trafficgen") ? s : NULL;
		while (at && (at = memchr(at, '-', (size_t)(stop - at))) != NULL) {
			at += IS(at, stop, "--threads") ? 9 : IS(at, stop, "-t") ? 2 : 1;
			if (at[-1] != '-' && rates_number(at + (at < stop && *at == '='), stop, &threads))
				c.threads = (int)fmin(threads, 1e6);
		}
	}
	/* Packets of several actions or protocols in the same seconds: the CPU's time is that of all of them. */
	for (size_t i = 0; i < r->ngroups; i++)
		for (size_t k = 0; k < r->ngroups; k++)
			if (k != i && r->groups[i].part && r->groups[k].part &&
			    r->groups[i].measurement == r->groups[k].measurement &&
			    r->groups[i].tool == r->groups[k].tool && !r->groups[i].why &&
			    rate_of(r->groups[k].readings) >= 0.01 * rate_of(r->groups[i].readings))
				r->groups[i].why = "in the same seconds the CPU had packets of other kinds, and its "
						   "time is that of all";
	/* Traffic begins and ends within a second: a first or last reading that is far below all others is cut. */
	for (size_t i = 0; i < 2 * r->ngroups; i++) {
		struct rates_group *g = &r->groups[i / 2];
		size_t last = i % 2 == 0;
		double least = INFINITY, most = 0, end_pps;

		if (g->n <= 2 || g->why)
			continue;
		end_pps = rate_of(&g->readings[last ? g->n - 1 : 0]);
		for (size_t k = !last; k < g->n - last; k++) {
			least = fmin(least, rate_of(&g->readings[k]));
			most = fmax(most, rate_of(&g->readings[k]));
		}
		if (!(end_pps < CUT * least) || !(least > CUT * most))
			continue;
		g->cut = end_pps;
		if (!last)
			memmove(g->readings, g->readings + 1, (g->n - 1) * sizeof(*g->readings));
		g->n--;
	}
	for (size_t i = 0; i < r->ngroups; i++)
		if (r->groups[i].zeros >= r->groups[i].n && !r->groups[i].why)
			r->groups[i].why = "at least half of its readings are 0: what was measured stood still";
	if (c.failed)
		rates_release(r);
	return c.failed ? -ENOMEM : 0;
}

void rates_release(struct rates *r)
{
	for (size_t i = 0; i < r->ngroups; i++)
		free(r->groups[i].readings);
	free(r->groups);
	*r = (struct rates){};
}
