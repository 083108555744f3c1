// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verdict on facts that are made by hand: each cause by its facts, and "cannot tell" where a second cause, or none,
 * explains them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "reports/why/why.h"

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

	(void)state;
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

	(void)state;
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

	(void)state;
	quiet(&h);
	h.loss.per_s[1] = 50000;
	judged(&h, NULL);
	changes(&h, "nft", "rules of t c"); /* rules lose no frame before the stack unless they are dear */
	judged(&h, NULL);
	dearer(&h, 0, 5000);
	judged(&h, "nftables");
}

static void test_readers(void **state)
{
	struct hand h;

	(void)state;
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
	strcpy(h.task.affinity[1], "1");
	judged(&h, "reader-cpu");
	h.task.waited_pct[0] = 50; /* as before */
	judged(&h, NULL);
}

static void test_arrivals(void **state)
{
	struct hand h;

	(void)state;
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

	(void)state;
	quiet(&h);
	h.f.nledger = 1;
	h.ledger = (struct why_ledger){.hop = WHY_IP, .in = 1e6, .out = 9e5, .rest = 1e5, .most_rest = 5000};
	judged(&h, NULL);
	changes(&h, "nft", "rules of t c");
	judged(&h, "nftables");
	h.ledger.rest = NAN; /* what no counter tells is no loss */
	judged(&h, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_dearer),   cmocka_unit_test(test_lost_by_cost),
		cmocka_unit_test(test_readers), cmocka_unit_test(test_arrivals), cmocka_unit_test(test_ledger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
