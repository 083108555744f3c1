// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verdict on facts that are made by hand: each cause by its facts, and "cannot tell" where a second cause, or none,
 * explains them.
 */
#include "reports/format/format.h"
#include "reports/why/why.h"
#include "tests/unit/unit.h"

/* A device at which nothing happens: 100,000 packets a second for 100 ns each, on CPU 1, which they take 1 % of. */
struct hand {
	struct why_facts f;
	struct why_loss loss;
	struct why_queue queue;
	struct why_task task;
	struct why_change changes[3];
	struct why_facility facilities[2];
	struct why_ledger ledger;
	struct why_cpu cpu;
	struct why_queue_share shares[2];
};

#define BOTH(x) {x, x}

static void quiet(struct hand *h)
{
	*h = (struct hand){
		.f = {.device = "eth0",
		      .two_sides = true,
		      .seconds = BOTH(10),
		      .pps = BOTH(1e5),
		      .pps_p = 0.5,
		      .ns = BOTH(100),
		      .half_ns = 2,
		      .busy_pct = BOTH(1),
		      .per_poll = BOTH(16),
		      .squeezed_per_s = BOTH(0),
		      .state_known = true,
		      .samples_known = true},
		.loss = {.hop = WHY_DEVICE, .name = "eth0 link rx_dropped"},
		.queue = {.hop = WHY_SOCKET,
			  .name = "udp socket at port 9",
			  .unit = "bytes",
			  .socket = 77,
			  .map = -1,
			  .full_pct = BOTH(0),
			  .near_pct = BOTH(0)},
		.task = {.name = "reader (12)",
			 .role = "process",
			 .state = BOTH("S"),
			 .affinity = BOTH("0-1"),
			 .there = BOTH(true),
			 .sockets = {77},
			 .nsockets = 1,
			 .on_cpu_pct = BOTH(20),
			 .waited_pct = BOTH(1),
			 .throttled_pct = BOTH(NAN),
			 .quota = BOTH(NAN)},
		.facilities = {{.name = "netfilter"}, {.name = "BPF program"}},
		.cpu = {.cpu = 1, .packets_pct = BOTH(100), .idle_pct = BOTH(80), .steal_pct = BOTH(0)},
		.shares = {{0, {100, 100}}, {1, {0, 0}}},
	};
	h->f.losses = &h->loss;
	h->f.queues = &h->queue;
	h->f.tasks = &h->task;
	h->f.cpus = &h->cpu;
	h->f.changes = h->changes;
	h->f.facilities = h->facilities;
	h->f.ledger = &h->ledger;
	h->f.queue_shares = h->shares;
	h->f.nlosses = h->f.nqueues = h->f.ntasks = h->f.ncpus = 1;
	h->f.nqueue_shares = h->f.nfacilities = 2;
}

static void changes(struct hand *h, const char *of, const char *name)
{
	struct why_change *c = &h->changes[h->f.nchanges++];

	snprintf(c->of, sizeof(c->of), "%s", of);
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->from, sizeof(c->from), "1");
	snprintf(c->to, sizeof(c->to), "2");
}

static void dearer(struct hand *h, int facility, double ns)
{
	h->f.ns[1] += ns;
	h->f.delta_ns = ns;
	h->facilities[facility].delta_ns = ns;
	h->facilities[facility].dearer = true;
}

/* cause NULL: it must not be sure. */
static void judged(const struct hand *h, const char *cause)
{
	struct why_verdict v;

	why_judge(&h->f, &v);
	if (v.sure != (cause != NULL) || strcmp(v.cause, cause ?: ""))
		fail_msg("\"%s\" instead of \"%s\": %s %s %s", v.cause, cause ?: "", v.sentences[0], v.sentences[1],
			 v.sentences[2]);
	assert_true(*v.sentences[0]);
	assert_true(!v.sure || *v.refuted_by);
}

static void test_nothing(void **state)
{
	struct hand h;

	quiet(&h);
	judged(&h, NULL);
	changes(&h, "eth0", "xdp-native"); /* a change that nothing is seen of is no cause */
	judged(&h, NULL);
	quiet(&h);
	h.loss.per_s[1] = 500; /* half a percent of the packets is no event */
	judged(&h, NULL);
	h.loss.per_s[0] = h.loss.per_s[1] = 50000; /* and what was lost before, too, is not new */
	judged(&h, NULL);
}

static void test_dearer(void **state)
{
	struct hand h;

	quiet(&h);
	dearer(&h, 0, 50);
	judged(&h, NULL);
	changes(&h, "nft", "rules of t c");
	judged(&h, "nftables");
	changes(&h, "", "/proc/sys/net/core/somaxconn");
	judged(&h, NULL); /* nobody knows what such a setting does */
	quiet(&h);
	dearer(&h, 1, 50); /* the program, and not netfilter */
	changes(&h, "nft", "rules of t c");
	judged(&h, NULL);
	changes(&h, "eth0", "xdp-native");
	judged(&h, "program");
	changes(&h, "eth0", "rx-gro"); /* the kernel turns it on for the program */
	judged(&h, "program");
	h.f.half_ns = 60; /* the interval holds zero */
	judged(&h, NULL);
}

static void test_lost_by_cost(void **state)
{
	struct hand h;

	quiet(&h);
	h.loss.per_s[1] = 50000;
	judged(&h, NULL);
	changes(&h, "nft", "rules of t c"); /* rules lose no frame before the stack unless they are dear */
	judged(&h, NULL);
	dearer(&h, 0, 5000);
	judged(&h, "nftables");
}

/* Interrupts come to the CPU of a reader, which has no time left then: their move is the first cause. */
static void test_irq_moved(void **state)
{
	struct hand h;

	quiet(&h);
	h.queue.near_pct[1] = 80;
	h.task.cpu = 1;
	h.cpu.packets_pct[0] = 0;
	judged(&h, NULL);
	changes(&h, "eth0", "cpus of irq 39");
	judged(&h, "steering");
	h.task.waited_pct[1] = 60; /* by ksoftirqd, which takes turns with it */
	judged(&h, "steering");
	h.cpu.packets_pct[0] = 100; /* they came there before */
	judged(&h, "run-queue");
	h.task.waited_pct[1] = 1;
	judged(&h, NULL);
	h.cpu.packets_pct[0] = 0;
	h.task.cpu = 0; /* the reader is elsewhere */
	judged(&h, NULL);
	h.queue.near_pct[1] = 0; /* nobody loses anything: they came to another CPU all the same */
	strcpy(h.changes[0].to, "0");
	judged(&h, NULL);
	strcpy(h.changes[0].to, "1");
	judged(&h, "steering");
	h.cpu.packets_pct[0] = 80;
	judged(&h, NULL);
}

static void test_readers(void **state)
{
	struct hand h;

	quiet(&h);
	h.queue.near_pct[1] = 100;
	judged(&h, NULL);
	strcpy(h.task.state[1], "T");
	judged(&h, "reader-stopped");
	h.task.sockets[0] = 78; /* another one's */
	judged(&h, NULL);
	h.task.sockets[0] = 77;
	strcpy(h.task.state[1], "S");
	h.task.throttled_pct[1] = 90;
	judged(&h, "cgroup-quota");
	h.task.throttled_pct[1] = NAN;
	h.task.waited_pct[1] = 60;
	judged(&h, "run-queue");
	h.task.waited_pct[0] = NAN; /* perhaps as long before */
	judged(&h, NULL);
	h.f.two_sides = false;
	judged(&h, "run-queue");
	h.f.two_sides = true;
	h.task.waited_pct[0] = 1;
	strcpy(h.task.affinity[1], "1");
	judged(&h, "reader-cpu");
	h.task.waited_pct[0] = 50; /* as before */
	judged(&h, NULL);
	h.task.on_cpu_pct[1] = 1; /* but then it got to the CPU */
	judged(&h, "reader-cpu");
	quiet(&h); /* a tap's ring, by the name of its device */
	h.queue.socket = -1;
	strcpy(h.queue.unit, "packets");
	strcpy(h.queue.tap, "tap0");
	h.queue.full_pct[1] = 90;
	strcpy(h.task.state[1], "T");
	judged(&h, NULL);
	h.task.ntaps = 1;
	strcpy(h.task.taps[0], "tap1");
	judged(&h, NULL);
	strcpy(h.task.taps[0], "tap0");
	judged(&h, "reader-stopped");
	h.queue.tap[0] = h.task.taps[0][0] = '\0';
	judged(&h, NULL);
	quiet(&h); /* a queue that was full before, too */
	h.queue.near_pct[0] = h.queue.near_pct[1] = 80;
	judged(&h, NULL);
	strcpy(h.task.state[1], "T");
	judged(&h, "reader-stopped");
	strcpy(h.task.state[0], "T");
	judged(&h, NULL);
}

/* A ring of packets that is nearly full for most of the time, and whose thread waits for a CPU. */
static void test_nearly_full(void **state)
{
	struct hand h;

	quiet(&h);
	h.queue = (struct why_queue){.hop = WHY_REDIRECT,
				     .name = "cpumap 5 on CPU 1",
				     .unit = "packets",
				     .map = 5,
				     .number = 1,
				     .socket = -1,
				     .full_pct = {0, 4},
				     .near_pct = {0, 60}};
	strcpy(h.task.name, "cpumap/1/map:5 (9)");
	h.task.waited_pct[1] = 80;
	judged(&h, "run-queue");
	h.queue.near_pct[1] = 20; /* seldom */
	judged(&h, NULL);
	h.queue.full_pct[1] = 6; /* but for long */
	judged(&h, "run-queue");
	h.queue.full_pct[0] = 4; /* no longer than before */
	judged(&h, NULL);
	h.queue.near_pct[1] = 85; /* but nearly full now, and seldom so before */
	judged(&h, "run-queue");
	h.queue.near_pct[0] = 30;
	judged(&h, NULL);
}

/* Facts about eth0 of a moment.json, with ' for ". */
static void read_moment(const char *moment, struct why_facts *f)
{
	struct run run = {};
	struct run_variant id = {.action = RUN_ACTION_WATCH, .operation = RUN_PART_AFTER, .target = "eth0"};
	struct analysis a = {.run = &run};
	struct analysis_variant v = {.variant = &id, .of = &a};
	char text[2000];
	json_t *o;

	snprintf(text, sizeof(text), "%s", moment);
	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	o = json_loads(text, 0, NULL);
	assert_non_null(o);
	assert_int_equal(why_read(f, &(struct why_sources){.one = &v, .silent = true, .before = o, .after = o}), 0);
	json_decref(o);
}

/* The task was given another CPU just before the reading at the moment. */
static void test_reading_at_the_moment(void **state)
{
	struct why_facts f;

	read_moment("{'sides': [{'part': 'before', 'seconds': 9}, {'part': 'after', 'seconds': 9}], 'state': "
		    "{'readings': [{'at_s': -8, 'tasks': {'r (7)': {'affinity': '0'}}}, {'at_s': 0.7, 'tasks': {'r "
		    "(7)': {'affinity': '1'}}}, {'at_s': 9, 'tasks': {'r (7)': {'affinity': '1'}}}]}}",
		    &f);
	assert_int_equal(f.ntasks, 1);
	assert_string_equal(f.tasks[0].affinity[WHY_BEFORE], "0");
	assert_string_equal(f.tasks[0].affinity[WHY_AFTER], "1");
	why_release(&f);
}

/* Of the ledger's line that begins so. NaN: not known. */
static void hop_is(const struct why_facts *f, const char *of, double in, double lost, double out)
{
	const struct why_ledger *l = NULL;

	for (size_t i = 0; i < f->nledger; i++)
		l = !strncmp(f->ledger[i].of, of, strlen(of)) ? &f->ledger[i] : l;
	assert_true(l != NULL || (isnan(in) && isnan(out)));
	if (!l)
		return;
	assert_true(l->in == in || (isnan(l->in) && isnan(in)));
	assert_true(l->out == out || (isnan(l->out) && isnan(out)));
	assert_true(l->lost == lost || (isnan(l->lost) && isnan(lost)));
	assert_true(isnan(l->rest) ? isnan(in) || isnan(out) : l->rest == in - out - (isnan(lost) ? 0 : lost));
}

/* What passed through queues is known where it is known of each of them; a hop without a counter is not known. */
static void test_ledger_of_queues(void **state)
{
	static const char moment[] =
		"{'sides': [{'part': 'after', 'seconds': 9, 'amounts': {'eth0': {'packets': 1000, 'link rx_packets': "
		"1000, 'ethtool rx_queue_0_xdp_redirect': 600, 'ethtool rx_queue_1_xdp_redirects': 100, 'ethtool "
		"rx_queue_1_xdp_redirect_errors': 7%s}, '(backlog)': {'packets': 50}, 'cpu 0': {'backlog dropped': 2}, "
		"'cpu 1': {'backlog dropped': 3}}, 'queues': [{'kind': 'cpumap', 'map': 1, 'passed': %s}, {'kind': "
		"'cpumap', 'map': 2, 'passed': 400}, {'kind': 'af_xdp rx', 'device': 'eth0', 'passed': 150}, {'kind': "
		"'af_xdp rx', 'device': 'eth1', 'passed': 9}, {'kind': 'tap', 'device': 't', 'passed': 8}]}]}";
	struct why_facts f;
	char text[1000];

	snprintf(text, sizeof(text), moment, "", "100");
	read_moment(text, &f);
	hop_is(&f, "eth0 to NAPI", 1000, NAN, 1000);
	hop_is(&f, "queues of CPUs", NAN, 5, 50);
	hop_is(&f, "taps", NAN, NAN, 8);
	hop_is(&f, "AF_XDP", NAN, NAN, 150);
	hop_is(&f, "CPU maps", NAN, NAN, 500);
	hop_is(&f, "redirected", 700, NAN, NAN);
	why_release(&f);
	snprintf(text, sizeof(text), moment, ", 'ethtool rx_xdp_redirect': 701", "null"); /* of all queues */
	read_moment(text, &f);
	hop_is(&f, "redirected", 701, NAN, NAN);
	hop_is(&f, "CPU maps", NAN, NAN, NAN);
	why_release(&f);
}

static void test_arrivals(void **state)
{
	struct hand h;

	quiet(&h);
	h.f.pps[1] = 1e4;
	judged(&h, NULL); /* by chance */
	h.f.pps_p = 1e-6;
	judged(&h, "fewer-packets");
	h.cpu.idle_pct[1] = 1; /* a sender on this machine may have got no CPU */
	judged(&h, NULL);
	h.cpu.idle_pct[1] = 80;
	changes(&h, "eth0", "mtu");
	judged(&h, "mtu");
	changes(&h, "eth0", "carrier");
	judged(&h, NULL); /* one of both */
	quiet(&h);
	h.f.pps[1] = 1e6;
	h.f.pps_p = 1e-6;
	judged(&h, NULL); /* they are taken */
	h.loss.per_s[1] = 50000;
	judged(&h, "more-packets");
	h.f.pps_p = 0.1; /* a rate so unsteady that it may be chance */
	judged(&h, NULL);
	h.loss.per_s[1] = 1.1e5; /* but more is lost than came before */
	judged(&h, "more-packets");
	h.f.pps[1] = 2e5; /* and not all of that came here */
	judged(&h, NULL);
	quiet(&h);
	h.shares[0].pct[1] = 0;
	h.shares[1].pct[1] = 100;
	judged(&h, "flow-moved");
	changes(&h, "eth0", "rss queues");
	judged(&h, "steering");
}

static void test_ledger(void **state)
{
	struct hand h;

	quiet(&h);
	h.f.nledger = 1;
	h.ledger = (struct why_ledger){.hop = WHY_IP, .in = 1e6, .out = 9e5, .rest = 1e5, .most_rest = 5000};
	judged(&h, NULL);
	changes(&h, "nft", "rules of t c");
	judged(&h, "nftables");
	h.ledger.rest = NAN; /* what no counter tells is no loss */
	judged(&h, NULL);
}

/* Nothing is dearer beyond chance, but a counter shows that packets go where they did not go before. */
static void test_steps(void **state)
{
	static const struct {
		const char *of, *name, *from, *to, *cause;
		int counter; /* 0: received by IP, 1: queued for a CPU, 2: counted by statistics */
	} steps[] = {
		{"nft", "chain ip t c", "none", "input", "nftables", 0},
		{"nft", "rules that look at connections", "none", "1", "conntrack", 0},
		{"packet sockets", "eth0", "none", "1", "packet-socket", 0},
		{"eth0", "rps cpus of rx-0", "0", "1", "rps", 1},
		{"", "/proc/sys/kernel/bpf_stats_enabled", "0", "1", "bpf-stats", 2},
	};
	struct hand h;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		double *const counters[] = {h.f.ip_per_s, h.f.queued_per_s, h.f.counted_per_s};
		double *counter = counters[steps[i].counter];

		quiet(&h);
		changes(&h, steps[i].of, steps[i].name);
		strcpy(h.changes[0].from, steps[i].from);
		strcpy(h.changes[0].to, steps[i].to);
		judged(&h, NULL); /* no packet goes there */
		counter[1] = 9e4;
		judged(&h, steps[i].cause);
		strcpy(h.changes[0].from, "2");
		counter[0] = 9e4; /* they did so before */
		judged(&h, NULL);
		counter[0] = 0;
		strcpy(h.changes[0].from, steps[i].from);
		dearer(&h, 1, 50); /* in the program's part: nothing of the stack explains that */
		judged(&h, steps[i].counter ? steps[i].cause : NULL);
	}
	quiet(&h); /* a program that each packet runs now, and whose part no sample shows */
	changes(&h, "eth0", "tc-ingress");
	h.f.ns[1] = 120;
	h.f.delta_ns = 20;
	judged(&h, NULL); /* it was there before */
	strcpy(h.changes[0].from, "none");
	judged(&h, NULL); /* no packet goes there */
	h.f.ip_per_s[1] = 9e4;
	judged(&h, "program");
	h.f.delta_ns = 8;
	judged(&h, NULL);
	quiet(&h); /* one that the driver ran, and another one runs in the stack now */
	changes(&h, "eth0", "xdp-native");
	h.f.xdp_per_s[0] = 1e5;
	judged(&h, "program");
	h.f.xdp_per_s[1] = 2e4; /* some of them are still its */
	judged(&h, NULL);
	h.f.xdp_per_s[1] = 0;
	changes(&h, "packet sockets", "eth0"); /* has no part in it */
	judged(&h, "program");
	quiet(&h);
	h.f.ip_per_s[1] = 1e6; /* most of them are those of another device */
	changes(&h, "packet sockets", "eth0");
	strcpy(h.changes[0].from, "none");
	judged(&h, NULL);
}

/* A packet socket whose reader is slow is full, and was opened; one that was there before has no cause. */
static void test_tap(void **state)
{
	struct hand h;

	quiet(&h);
	strcpy(h.queue.name, "eth0 packet socket 0");
	h.queue.near_pct[1] = 100;
	judged(&h, NULL);
	changes(&h, "packet sockets", "eth0");
	judged(&h, "packet-socket");
	h.loss.hop = WHY_SOCKET;
	h.loss.per_s[1] = 50000; /* packets are lost at a socket as well, and that is no tap's doing */
	judged(&h, NULL);
}

static void printed(const char *got, const char *part)
{
	if (!strstr(got, part))
		fail_msg("\"%s\" is not in:\n%s", part, got);
}

/* The text of a verdict: its three sentences, and a line for each hop, fact and change. */
static void test_printed(void **state)
{
	const struct render_options o = {.program = "xdpzoom", .command = "xdpzoom why"};
	const struct format *text;
	struct diag d = {""};
	struct document doc;
	struct why why = {};
	struct run run;
	struct hand h;
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	run_init(&run);
	quiet(&h);
	h.f.nledger = 1;
	h.ledger = (struct why_ledger){.hop = WHY_IP,
				       .of = "eth0 to IP",
				       .in = 1e6,
				       .out = 9e5,
				       .lost = 1000,
				       .waiting = NAN,
				       .rest = 99000,
				       .most_rest = 5000};
	changes(&h, "nft", "rules of t c");
	why = (struct why){.facts = h.f, .runs = {&run}};
	why_judge(&why.facts, &why.verdict);
	assert_int_equal(format_find(&text, "text", DOCUMENT_WHY, &d), 0);
	assert_int_equal(format_write(text, out, &doc, document_of_why(&doc, &why), &o), 0);
	fclose(out);
	run_release(&run);
	printed(got,
		"eth0 to IP: 99000 packets go in that no counter explains. What explains it is\nthe rules of nftables: "
		"nft rules of t c was 1 and is 2.\n");
	printed(got, "\n  wrong if  it stays so after nft rules of t c is 1 again\n");
	printed(got, "\n  a  eth0: packets                                                          100000  100000 ");
	printed(got, "\n  c  eth0: cost of a packet                                                 100     100 "
		     "(change ± 2.0) ");
	printed(got, "\n  1,000,000  900,000  1,000  99,000  IP eth0 to IP\n");
	printed(got, "\n      0.0       0.0  nft  rules of t c  1   2\n");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_dearer),
		cmocka_unit_test(test_lost_by_cost),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_irq_moved),
		cmocka_unit_test(test_arrivals),
		cmocka_unit_test(test_ledger),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_tap),
		cmocka_unit_test(test_nearly_full),
		cmocka_unit_test(test_printed),
		cmocka_unit_test(test_reading_at_the_moment),
		cmocka_unit_test(test_ledger_of_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
