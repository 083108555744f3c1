// SPDX-License-Identifier: GPL-2.0-or-later
/* Variants that take turns: the order is balanced, and each sample goes to the turn that it was taken in. */
#include "user/record/record.h"
#include "user/turns/turns.h"
#include "user/machine/machine.h"
#include "tests/unit/unit.h"

#define SIZE 4096

/* In each group: how often the arm has its turn, and the sum of its places. */
static void check_groups(const uint8_t *order, size_t n, size_t arms)
{
	size_t group = turn_group(arms);

	for (size_t at = 0; at < n; at += group) {
		size_t times[256] = {0}, places[256] = {0};

		for (size_t i = 0; i < group; i++) {
			assert_true(order[at + i] < arms);
			times[order[at + i]]++;
			places[order[at + i]] += i;
		}
		for (size_t a = 0; a < arms; a++) {
			assert_int_equal(times[a], 2);
			assert_int_equal(places[a], group - 1);
		}
	}
}

static void test_balanced(void **state)
{
	uint8_t order[SIZE], again[SIZE], other[SIZE];

	for (size_t arms = 1; arms <= 16; arms++) {
		size_t n = turn_order_fill(order, SIZE, arms, 4711);

		assert_int_equal(n % turn_group(arms), 0);
		assert_true(n + turn_group(arms) > SIZE);
		check_groups(order, n, arms);
		assert_int_equal(turn_order_fill(again, SIZE, arms, 4711), n);
		assert_memory_equal(order, again, n);
		turn_order_fill(other, SIZE, arms, 4711000);
		if (arms > 2)
			assert_memory_not_equal(order, other, n);
	}
	assert_int_equal(turn_order_fill(order, SIZE, 4, 0), SIZE); /* no seed is a seed: groups differ */
	assert_memory_not_equal(order, order + SIZE / 2, SIZE / 2);
}

/* Groups of sixteen turns of two arms cancel a quadratic drift too. */
static void test_thue_morse(void **state)
{
	static const uint8_t begin[16] = {0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
	uint8_t order[SIZE];

	turn_order_fill(order, SIZE, 2, 0);
	assert_memory_equal(order, begin, sizeof(begin));
	for (uint64_t seed = 0; seed < 1024; seed++) { /* one of its bits says which arm is first */
		turn_order_fill(order, 16, 2, seed);
		assert_int_equal(order[0], seed >> 7 & 1);
	}
	assert_string_equal(turn_order_name(2), "thue-morse");
	assert_string_equal(turn_order_name(3), "balanced");
	turn_order_fill(order, SIZE, 2, 0);
	for (size_t at = 0; at < SIZE; at += 16) {
		long squares[2] = {0, 0};

		for (long i = 0; i < 16; i++)
			squares[order[at + (size_t)i]] += i * i;
		assert_int_equal(squares[0], squares[1]);
	}
}

/* A sample of `tid` at `ns`, with a stack from the leaf up. */
#define SAMPLE(tid, ns, stack) "gen " tid " [001]     1.0000" ns ":    1003009 cpu-clock: \n" stack "\n"
#define FRAME(name)            "\tffffffff81e0ae8b " name " ([kernel.kallsyms])\n"
#define RECEIVING              FRAME("veth_xdp_rcv") FRAME("net_rx_action")
#define SENDING                FRAME("do_softirq.part.0") FRAME("bpf_test_run_xdp_live")

#define SNOOPING FRAME("bpf_prog_0123456789abcdef_snoop") FRAME("bpf_trace_run3")

static const struct run_turn turns[] = {
	{1000010000, 1000, 800, 64, 0, 0, 0, 0, 0, TURN_PROFILE},
	{1000012000, 1000, 800, 64, 0, 0, 0, 1, 1, TURN_PROFILE},
	{1000014000, 1000, 800, 64, 0, 0, 0, 1, 1, TURN_BASE},
	{1000016000, 1000, 800, 64, 0, 0, 0, 1, 1, TURN_PROFILE},
};

static const char text[] = SAMPLE("7", "09999", RECEIVING SENDING)      /* before the first turn */
	SAMPLE("7", "10000", RECEIVING SENDING)                         /* variant 0 */
	SAMPLE("7", "10500", FRAME("memcpy") SENDING)                   /* the generator's own work */
	SAMPLE("7", "10999", FRAME("veth_poll") FRAME("net_rx_action")) /* variant 0, nothing above */
	SAMPLE("7", "11000", RECEIVING SENDING)                         /* between two turns */
	SAMPLE("8", "12000", RECEIVING SENDING)                         /* variant 1, of another task */
	SAMPLE("7", "14500", RECEIVING SENDING)                         /* not profiled */
	SAMPLE("7", "16100", FRAME("sink") RECEIVING SENDING)           /* while the sink was polled */
	SAMPLE("7", "16150",
	       FRAME("bpf_prog_0123456789abcdef_poll_ends") FRAME("bpf_trace_run3")
		       RECEIVING SENDING)                 /* in the clock */
	SAMPLE("7", "16200", RECEIVING SENDING)           /* variant 1 */
	SAMPLE("7", "16300", SNOOPING RECEIVING SENDING); /* variant 1, in somebody else's program */

static const char *const softirqs[] = {"net_rx_action", "net_rx_action"};

static const struct turn_foreign sink[] = {{1000015000, 1000015100}, {1000016100, 1000016200}};

static void allot(struct turn_samples s, const char *in, char got[2][4096], int want)
{
	FILE *f = fmemopen((char *)(uintptr_t)in, strlen(in), "r"), *out[2];
	struct diag d = {};

	memset(got, 0, 2 * 4096);
	for (int i = 0; i < 2; i++)
		out[i] = fmemopen(got[i], 4096, "w");
	s.turns = turns;
	s.nturns = 4;
	s.out = out;
	s.nout = 2;
	assert_int_equal(turn_samples_allot(&s, f, &d), want);
	for (int i = 0; i < 2; i++)
		fclose(out[i]);
	fclose(f);
}

static void test_by_root(void **state)
{
	const struct turn_samples s = {.roots = softirqs, .foreigns = sink, .nforeigns = 2};
	char got[2][4096];

	allot(s, text, got, 0);
	assert_string_equal(got[0], SAMPLE("7", "10000", RECEIVING)
					    SAMPLE("7", "10999", FRAME("veth_poll") FRAME("net_rx_action")));
	assert_string_equal(got[1], SAMPLE("8", "12000", RECEIVING) SAMPLE("7", "16200", RECEIVING)
					    SAMPLE("7", "16300", SNOOPING RECEIVING));
}

/* Variant 1 is the generator's own work. */
static void test_by_other_root(void **state)
{
	static const char *const roots[] = {"net_rx_action", "bpf_test_run_xdp_live"};
	const struct turn_samples s = {.roots = roots};
	char got[2][4096];

	allot(s,
	      SAMPLE("7", "10500", FRAME("memcpy") SENDING) SAMPLE("7", "16200", FRAME("memcpy") SENDING FRAME("ksys"))
		      SAMPLE("7", "16300", RECEIVING),
	      got, 0);
	assert_string_equal(got[0], "");
	assert_string_equal(got[1], SAMPLE("7", "16200", FRAME("memcpy") SENDING));
}

static void test_by_task(void **state)
{
	static const pid_t tids[] = {7, 8};
	const struct turn_samples s = {.tids = tids};
	char got[2][4096];

	allot(s, text, got, 0);
	assert_string_equal(got[0],
			    SAMPLE("7", "10000", RECEIVING SENDING) SAMPLE("7", "10500", FRAME("memcpy") SENDING)
				    SAMPLE("7", "10999", FRAME("veth_poll") FRAME("net_rx_action")));
	assert_string_equal(got[1], SAMPLE("8", "12000", RECEIVING SENDING));
}

/* Variant 1 sends, and its task polls the other end in softirqs: those samples do not count. */
static void test_of_senders(void **state)
{
	static const char *const roots[] = {NULL, "bpf_test_run_xdp_live"};
	static const pid_t tids[] = {7, 8};
	const struct turn_samples s = {.roots = roots, .tids = tids, .without = "net_rx_action"};
	char got[2][4096];

	allot(s,
	      SAMPLE("7", "10500", FRAME("memcpy") FRAME("ksys")) SAMPLE("7", "10600", RECEIVING SENDING)
		      SAMPLE("8", "16200", FRAME("memcpy") SENDING FRAME("ksys"))
			      SAMPLE("8", "16300", RECEIVING SENDING) SAMPLE("8", "16350", FRAME("memcpy")),
	      got, 0);
	assert_string_equal(got[0], SAMPLE("7", "10500", FRAME("memcpy") FRAME("ksys")));
	assert_string_equal(got[1], SAMPLE("8", "16200", FRAME("memcpy") SENDING));
}

/* Task 8 works for variant 0, also while that waits. Outside of its turns it does not. */
static void test_of_helpers(void **state)
{
	static const pid_t tids[] = {7, 7}, helpers[] = {8, 0};
	static const struct turn_foreign wait = {1000010000, 1000010600};
	const struct turn_samples s = {.tids = tids, .helpers = helpers, .foreigns = &wait, .nforeigns = 1};
	char got[2][4096];

	allot(s,
	      SAMPLE("7", "10500", FRAME("ksys")) SAMPLE("8", "10550", FRAME("tcp_v4_rcv"))
		      SAMPLE("7", "10700", FRAME("write")) SAMPLE("8", "16200", FRAME("tcp_v4_rcv")),
	      got, 0);
	assert_string_equal(got[0], SAMPLE("8", "10550", FRAME("tcp_v4_rcv")) SAMPLE("7", "10700", FRAME("write")));
	assert_string_equal(got[1], "");
}

/* A reader's samples are kept whole, in any turn and between turns. */
static void test_of_readers(void **state)
{
	static const pid_t readers[] = {-1, 8};
	const struct turn_samples s = {.roots = softirqs, .readers = readers};
	char got[2][4096];

	allot(s,
	      SAMPLE("8", "09000", FRAME("udp_recvmsg")) SAMPLE("7", "10000", RECEIVING SENDING)
		      SAMPLE("8", "10500", RECEIVING FRAME("udp_recvmsg")),
	      got, 0);
	assert_string_equal(got[0], SAMPLE("7", "10000", RECEIVING));
	assert_string_equal(got[1], SAMPLE("8", "09000", FRAME("udp_recvmsg"))
					    SAMPLE("8", "10500", RECEIVING FRAME("udp_recvmsg")));
}

/* perf ends its text without an empty line when it is cut off, and begins with comments in some versions. */
static void test_odd_texts(void **state)
{
	const struct turn_samples s = {.roots = softirqs};
	char got[2][4096];

	allot(s, "# comment\n" SAMPLE("7", "10000", RECEIVING), got, 0);
	assert_string_equal(got[0], SAMPLE("7", "10000", RECEIVING));
	allot(s, "gen 7 [001]     1.000010000:    1003009 cpu-clock: \n" RECEIVING, got, 0);
	assert_string_equal(got[0], SAMPLE("7", "10000", RECEIVING));
	allot(s, "", got, 0);
	assert_string_equal(got[0], "");
	allot(s, "no sample\n", got, -EINVAL);
}

/* Windows grow so that rotations fill the time that is left, and none begins that would not end in it. */
static void test_time_filled(void **state)
{
	assert_true(record_plan_longer(100, 10, 10, 4) == 1);  /* four of 21 s */
	assert_true(record_plan_longer(100, 10, 10, 2) == 1);  /* two are wanted, and no more time is used */
	assert_true(record_plan_longer(7, 10, 10, 4) == 0);    /* not even what comes around the windows */
	assert_true(record_plan_longer(15.9, 10, 10, 4) == 0); /* too little would be left for windows */
	assert_true(record_plan_longer(0, 10, 10, 4) == 0);
	assert_true(record_plan_longer(-5, 10, 10, INFINITY) == 0);
	for (double left_s = 17; left_s < 84; left_s++) {
		double longer = record_plan_longer(left_s, 10, 10, 4), rotations = left_s < 42 ? 1 : floor(left_s / 21);

		assert_true(longer >= 0.5 && longer <= 3);
		assert_true(fabs(rotations * (11 + 10 * longer) - left_s) < 1e-9);
	}
	assert_true(record_plan_longer(83, 1, 50, 4) > 1); /* one of 51.1 s fits: it lasts all 83 s */
	assert_true(record_plan_longer(1e6, 10, 1, 1e6) < 1.01);
	assert_true(record_plan_longer(1000, 900, 1, 2) == 3); /* windows do not grow without limit */
	assert_true(record_plan_longer(1e9, 10, 10, INFINITY) >= 1);
}

/* Pairs that something interrupted count only where most pairs take as long, as with a slow clock. */
static void test_pairs_of_readings(void **state)
{
	assert_float_equal(work_clock_pair_ns((struct clock_pairs[2]){{10, 800}, {3, 60000}}), 80, 0);
	assert_float_equal(work_clock_pair_ns((struct clock_pairs[2]){{1, 4000}, {3, 60000}}), 16000, 0);
	assert_float_equal(work_clock_pair_ns((struct clock_pairs[2]){{0, 0}, {2, 12000}}), 6000, 0);
	assert_float_equal(work_clock_pair_ns((struct clock_pairs[2]){}), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balanced),          cmocka_unit_test(test_thue_morse),
		cmocka_unit_test(test_by_root),           cmocka_unit_test(test_by_other_root),
		cmocka_unit_test(test_by_task),           cmocka_unit_test(test_of_senders),
		cmocka_unit_test(test_of_helpers),        cmocka_unit_test(test_of_readers),
		cmocka_unit_test(test_odd_texts),         cmocka_unit_test(test_time_filled),
		cmocka_unit_test(test_pairs_of_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
