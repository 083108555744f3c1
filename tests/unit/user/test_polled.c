// SPDX-License-Identifier: GPL-2.0-or-later
/* What watch makes of polls: what a packet cost, the seconds that are kept, and totals; against numbers by hand. */
#include "tests/unit/unit.h"
#include "user/watch/watch.h"

static void test_growth(void **state)
{
	struct watch_polls before = {.polls = 7, .packets = 100, .thread_ns = UINT64_MAX, .poll_ip = 5, .hist[7] = 3};
	struct watch_polls after = {.polls = 9, .packets = 164, .thread_ns = 9, .poll_ip = 6, .hist[7] = 4}, g,
			   sum = {};

	polled_growth(&g, &before, &after);
	assert_int_equal(g.polls, 2);
	assert_int_equal(g.packets, 64);
	assert_int_equal(g.thread_ns, 10);
	assert_int_equal(g.hist[7], 1);
	assert_int_equal(g.poll_ip, 6);
	polled_add(&sum, &g);
	polled_add(&sum, &g);
	assert_int_equal(sum.packets, 128);
	assert_int_equal(sum.poll_ip, 0);
}

/* 640 packets in softirqs, of which 64 were timed with 6400 ns; 100 packets in a thread with 5000 ns. */
static void test_busy(void **state)
{
	struct watch_polls p = {.polls = 12,
				.packets = 740,
				.softirq_polls = 10,
				.softirq_packets = 640,
				.timed_polls = 1,
				.timed_packets = 64,
				.timed_ns = 6400,
				.thread_polls = 2,
				.thread_packets = 100,
				.thread_ns = 5000};
	struct polled_cost c = polled_cost(&p, 1, NULL);

	assert_float_equal(polled_busy_ns(&p), 69000, 1e-9);
	assert_float_equal(c.ns, 69000. / 740, 1e-9);
	assert_true(isnan(c.half));
}

/* Four timed polls in one softirq, ten in threads; what the programs cost goes, what came after the polls comes. */
static void test_own(void **state)
{
	const struct own_costs own = {.count_ns = 10, .poll_ns = 25, .entry_ns = 30, .tail_ns = 7};
	struct own_costs unknown = {NAN, NAN, NAN, NAN};
	struct watch_polls p = {.polls = 26,
				.softirq_polls = 16,
				.timed_polls = 4,
				.timed_packets = 8,
				.timed_softirqs = 1,
				.timed_ns = 1000,
				.thread_polls = 10,
				.thread_ns = 700},
			   q = p;
	struct polled_own sum = polled_own(&p, &own);

	assert_float_equal(sum.polls_ns, 26 * 10 + 4 * 15, 1e-9);
	assert_float_equal(sum.softirqs_ns, 4 * 15 + 15, 1e-9); /* the beginning of 4 softirqs, and one clock */
	sum = polled_own(&p, &(struct own_costs){.count_ns = 10, .poll_ns = 45, .entry_ns = 30});
	assert_float_equal(sum.softirqs_ns, 35, 1e-9); /* a clock that took longer than all of the beginning */
	polled_correct(&p, &own);
	assert_int_equal(p.timed_ns, 1000 - 3 * 25 - 30 + 7);
	assert_int_equal(p.thread_ns, 600);
	polled_correct(&p, &(struct own_costs){.count_ns = 1000, .poll_ns = 1000, .entry_ns = 1000});
	assert_int_equal(p.timed_ns, 0); /* no time is below 0 */
	assert_int_equal(p.thread_ns, 0);
	polled_correct(&q, &unknown);
	assert_int_equal(q.timed_ns + q.timed_polls + q.timed_packets + q.timed_softirqs, 0);
	assert_int_equal(q.thread_ns, 700);
	q = p;
	polled_correct(&q, &(struct own_costs){.count_ns = NAN, .poll_ns = NAN, .entry_ns = 30, .tail_ns = 7});
	assert_int_equal(q.timed_packets, 0); /* the costs in softirqs may be known before those of polls */
	q = p;
	polled_correct(&q, &unknown);
	assert_true(isnan(polled_own(&q, &unknown).polls_ns));
}

static void test_not_known(void **state)
{
	struct watch_polls none = {}, untimed = {.polls = 3, .packets = 9, .softirq_polls = 3, .softirq_packets = 9};
	struct watch_polls empty = {.polls = 8, .empty = 8, .softirq_polls = 8, .timed_polls = 2, .timed_ns = 100};

	assert_float_equal(polled_busy_ns(&none), 0, 0);
	assert_true(isnan(polled_cost(&none, 1, NULL).ns));
	assert_true(isnan(polled_busy_ns(&untimed)));
	assert_true(isnan(polled_cost(&untimed, 1, NULL).ns));
	assert_float_equal(polled_busy_ns(&empty), 400, 1e-9); /* polls that find nothing cost time */
	assert_true(isnan(polled_cost(&empty, 1, NULL).ns));
}

/* Packets of polls that nobody times cost what the others do. Of such polls alone, nothing is known. */
static void test_polls_of_others(void **state)
{
	struct watch_polls half = {
		.polls = 4, .packets = 20, .thread_polls = 2, .thread_packets = 10, .thread_ns = 1000};
	struct watch_polls all = {.polls = 4, .packets = 20};

	assert_float_equal(polled_busy_ns(&half), 2000, 1e-9);
	assert_float_equal(polled_cost(&half, 1, NULL).ns, 100, 1e-9);
	assert_true(isnan(polled_busy_ns(&all)));
	assert_true(isnan(polled_cost(&all, 1, NULL).ns));
}

/*
 * 10,000 softirqs of a poll of 10 packets, 0.5 s in all, each begun for 20 ns. A poll that is counted for 80 ns: 1 ms
 * of 501 is less than 2 %. For 1200 ns: 12.2 ms of 512.2, 2 % of which is 8.4 tenths of it; for 2500, 4.2 tenths.
 */
static void test_looks_due(void **state)
{
	struct watch_polls polls[WATCH_SLOTS] = {[3] = {.polls = 10000,
							.packets = 100000,
							.softirq_polls = 10000,
							.softirq_packets = 100000,
							.timed_polls = 625,
							.timed_softirqs = 625,
							.timed_packets = 6250,
							.timed_ns = 31250000}};
	struct softnet softnet[2] = {};
	struct watcher w = {.probe = {.ncpus = 1}, .every = WATCH_EVERY, .interval = polls};
	static const struct {
		double count_ns;
		unsigned int every, due;
	} cases[] = {{80, WATCH_EVERY, 10},   {1200, WATCH_EVERY, 8}, {2500, WATCH_EVERY, 4},
		     {50000, WATCH_EVERY, 2}, {50000, 1, 10},         {NAN, WATCH_EVERY, 10}};

	w.softnet = softnet;
	w.softnet_before = softnet + 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct watch_polls kept = polls[3];

		w.every = cases[i].every;
		w.own = (struct own_costs){cases[i].count_ns, cases[i].count_ns, 20, 0};
		w.look_ns = w.interval_ns + 1000000000;
		watcher_end(&w);
		assert_int_equal(w.due, cases[i].due);
		polls[3] = kept;
	}
	/* a thousandth of it, in the same second: 10 polls of 50,000 ns are less than 0.5 % of a CPU */
	polled_scale(&polls[3], 0.001);
	assert_int_equal(polls[3].packets, 100);
	w.own.count_ns = w.own.poll_ns = 50000;
	w.look_ns = w.interval_ns + 1000000000;
	watcher_end(&w);
	assert_int_equal(w.due, 10);
}

/* Three looks of 10 packets, 90, 100 and 110 ns each: sd of the ratio is 100 / sqrt(3) / 10, t95(2) is 4.3027. */
static void test_interval(void **state)
{
	struct watch_polls looks[3] = {{.packets = 10, .thread_packets = 10, .thread_ns = 1000},
				       {.packets = 10, .thread_packets = 10, .thread_ns = 1100},
				       {.packets = 10, .thread_packets = 10, .thread_ns = 900}};
	struct polled_cost c = polled_cost(looks, 3, NULL);

	assert_float_equal(c.ns, 100, 1e-9);
	assert_float_equal(c.half, 4.30265273 * 10 / sqrt(3), 1e-5);
}

/*
 * One of 16 softirqs is timed. Ten looks of one softirq of 10 packets, and one took 1000 ns more: what it adds to the
 * deviations is there in the looks after it, which have no such softirq. Twice as many softirqs have twice as much.
 */
static void test_interval_past(void **state)
{
	struct watch_polls looks[10], all = {};
	struct polled_past past = {};
	struct polled_cost c;

	for (int i = 0; i < 10; i++)
		looks[i] = (struct watch_polls){.packets = 160,
						.softirq_packets = 160,
						.softirq_polls = 16,
						.timed_polls = 1,
						.timed_softirqs = 1,
						.timed_packets = 10,
						.timed_ns = i ? 1000 : 2000};
	polled_remember(&past, looks, 10, 0);
	assert_float_equal(past.deviations, 900 * 900 + 9 * 100 * 100, 1e-6);
	looks[0].timed_ns = 1000;
	assert_float_equal(polled_cost(looks, 10, NULL).half, 0, 1e-9);
	c = polled_cost(looks, 10, &past);
	assert_float_equal(c.ns, 100, 1e-9);
	assert_float_equal(c.half, 2.26215716 * sqrt(10. / 9 * 900000) / 100, 1e-5);
	for (int i = 0; i < 10; i++)
		polled_add(&looks[i], &looks[i]);
	assert_float_equal(polled_cost(looks, 10, &past).half, c.half / sqrt(2), 1e-6);
	polled_remember(&past, looks, 10, 60);
	assert_float_equal(past.deviations / past.softirqs, 900000 * exp(-1) / (10 * exp(-1) + 20), 1e-6);
	polled_remember(&past, &(struct watch_polls){.timed_softirqs = 1, .timed_polls = 1, .timed_ns = 9}, 1, 1);
	assert_float_equal(past.deviations / past.softirqs, 900000 * exp(-1) / (10 * exp(-1) + 20), 1e-6);
	for (int i = 0; i < 10; i++) {
		looks[i].softirq_packets = looks[i].timed_packets; /* none is drawn where all are timed */
		polled_add(&all, &looks[i]);
	}
	assert_float_equal(polled_cost(looks, 10, &past).half, 0, 1e-9);
	/* 20 softirqs of one poll, 200 packets: a quarter of the entry */
	assert_float_equal(polled_own_half(&all, &(struct own_costs){.poll_ns = 99, .entry_ns = 30, .tail_ns = 40}),
			   0.25 * 30 * 20 / 3200, 1e-9);
}

/* Each look of 0.4 s adds 1 packet on CPU 1: a second begins anew once it is a second long; the oldest go first. */
static void test_past(void **state)
{
	struct watch_polls growth[2 * WATCH_SLOTS] = {};
	struct past past = {};
	uint64_t at = 1000, packets = 0;

	growth[WATCH_SLOTS + 5] = (struct watch_polls){.polls = 1, .packets = 1};
	for (int i = 0; i < 3 * PAST_S + 6; i++, at += 400000000)
		assert_int_equal(past_add(&past, at, at + 400000000, growth, 2), 0);
	assert_int_equal(past.n, PAST_S);
	for (size_t i = 0; i < past.n; i++) {
		const struct past_second *s = past_at(&past, i);

		assert_int_equal(s->to_ns - s->from_ns, 1200000000);
		assert_true(!i || s->from_ns == past_at(&past, i - 1)->to_ns);
		assert_int_equal(s->n, 1);
		assert_int_equal(s->entries[0].slot, 5);
		assert_int_equal(s->entries[0].cpu, 1);
		packets += s->entries[0].polls.packets;
	}
	assert_int_equal(packets, 3 * PAST_S);
	assert_int_equal(past_at(&past, past.n - 1)->to_ns, at);
	past_release(&past);
}

static void add_line(struct metrics *m, struct watched *device, const char *name, uint64_t packets)
{
	struct watch_line line = {.device = device, .polls.packets = packets, .cost = {.ns = NAN, .half = NAN}};

	memset(device, 0, sizeof(*device));
	snprintf(device->nd.name, sizeof(device->nd.name), "%s", name);
	assert_int_equal(metrics_add(m, &line), 0);
}

/* Devices that come back under their names go on with their totals: Prometheus refuses a text with a sample twice. */
static void test_device_that_comes_back(void **state)
{
	static const char family[] = "xdpzoom_watch_packets_total{";
	static struct watched devices[3];
	char path[128], line[256], seen[3][256];
	struct metrics *m;
	size_t n = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/watch.prom", folder);
	assert_int_equal(metrics_open(&m, path, NULL), 0);
	add_line(m, &devices[0], "a", 5);
	add_line(m, &devices[1], "b", 7);
	assert_int_equal(metrics_publish(m, 0, NULL), 0);
	add_line(m, &devices[1], "b", 1);
	assert_int_equal(metrics_publish(m, 0, NULL), 0);
	add_line(m, &devices[2], "a", 3); /* another slot: it was gone */
	assert_int_equal(metrics_publish(m, 0, NULL), 0);
	metrics_close(m);
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		if (!strncmp(line, family, strlen(family)) && n < 3)
			strcpy(seen[n++], line + strlen(family));
	fclose(in);
	assert_int_equal(n, 2);
	assert_string_equal(seen[0], "device=\"a\"} 8\n");
	assert_string_equal(seen[1], "device=\"b\"} 8\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_polls_of_others),
		cmocka_unit_test(test_looks_due),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_interval_past),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_device_that_comes_back),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
