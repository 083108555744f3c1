// SPDX-License-Identifier: GPL-2.0-or-later
/* Self costs and what is unattributed add up to the base; idle and foreign stacks are never in
 * them. */
#include "perfparse/cost.h"
#include "tests/unit/unit.h"

#define NEAR 1e-9

static struct facilities *f;

/* cmocka's own compares floats. */
static void assert_near(double have, double want, double tolerance)
{
	if (!(fabs(have - want) <= tolerance))
		fail_msg("%.12g is not %.12g +- %g", have, want, tolerance);
}

static int read_rules(void **state)
{
	return facilities_read(&f, NULL, NULL);
}

static int free_rules(void **state)
{
	facilities_free(f);
	return 0;
}

static uint32_t symbol(struct profile *p, const char *name)
{
	uint32_t id;

	assert_int_equal(profile_add_symbol(p, name, strlen(name), "", 0, SPACE_KERNEL, &id), 0);
	return id;
}

static void add(struct profile *p, const char *path, uint64_t samples, double weight)
{
	uint32_t frames[32];
	unsigned int depth = 0;
	char copy[512], *name, *save;

	snprintf(copy, sizeof(copy), "%s", path);
	for (name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save))
		frames[depth++] = symbol(p, name);
	assert_int_equal(profile_add_stack(p, frames, depth, samples, weight), 0);
}

static void add_row(struct profile *p, const char *name, double self_pct, double children_pct)
{
	struct profile_row r = {.symbol = symbol(p, name), .self_pct = self_pct, .children_pct = children_pct};

	assert_int_equal(profile_add_row(p, &r), 0);
}

static const struct cost_row *row(const struct cost_table *t, const char *name, const char *facility)
{
	size_t i;

	for (i = 0; i < t->nrows; i++)
		if (!strcmp(t->rows[i].name, name) &&
		    (!facility || !strcmp(facilities_name(f, t->rows[i].facility), facility)))
			return &t->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static double self_sum(const struct cost_table *t)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < t->nrows; i++)
		sum += t->rows[i].self_ns;
	return sum;
}

static void test_stacks(void **state)
{
	struct cost_table t;
	struct profile p;

	profile_init(&p);
	add(&p, "veth_xdp_rcv_one veth_poll napi_threaded_poll", 50, 500);
	add(&p, "page_pool_put_page xdp_return_frame veth_xdp_rcv_one veth_poll napi_threaded_poll", 30, 300);
	add(&p, "page_pool_put_page skb_release_data veth_poll napi_threaded_poll", 10, 100);
	add(&p, "veth_poll veth_poll napi_threaded_poll", 10, 100);
	add(&p, "pv_native_safe_halt do_idle", 100, 1000);
	add(&p, "veth_poll net_rx_action do_softirq napi_threaded_poll", 100, 1000);
	assert_int_equal(cost_table_build(&t, &p, f, 80, NULL), 0);
	assert_int_equal(t.samples, 100);
	assert_true(t.busy_weight == 1000 && t.idle_weight == 1000 && t.taken_out_weight == 1000);
	assert_near(row(&t, "veth_xdp_rcv_one", NULL)->self_ns, 40, NEAR);
	assert_near(row(&t, "veth_xdp_rcv_one", NULL)->children_ns, 64, NEAR);
	/* one symbol, two facilities */
	assert_near(row(&t, "page_pool_put_page", "page recycling")->self_ns, 24, NEAR);
	assert_near(row(&t, "page_pool_put_page", "skb free")->self_ns, 8, NEAR);
	/* recursion counts once, the sink's stack not at all */
	assert_near(row(&t, "veth_poll", NULL)->children_pct, 100, NEAR);
	assert_near(row(&t, "veth_poll", NULL)->self_pct, 10, NEAR);
	/* a caller without a self cost has a row */
	assert_near(row(&t, "napi_threaded_poll", NULL)->children_ns, 80, NEAR);
	assert_true(row(&t, "napi_threaded_poll", NULL)->self_ns == 0);
	assert_near(self_sum(&t) + t.unattributed_ns, 80, NEAR);
	assert_near(t.unattributed_ns, 0, NEAR);
	assert_string_equal(t.rows[0].name, "veth_xdp_rcv_one");
	cost_table_release(&t);
	cost_table_release(&t);
	profile_release(&p);
}

/* Wilson's interval of 10 in 100 is 5.52 % to 17.44 %. */
static void test_interval(void **state)
{
	struct cost_table t;
	struct profile p;

	profile_init(&p);
	add(&p, "veth_poll", 10, 10);
	add(&p, "veth_xdp_rcv", 90, 90);
	assert_int_equal(cost_table_build(&t, &p, f, 100, NULL), 0);
	assert_near(row(&t, "veth_poll", NULL)->ci95_ns[0], 5.5229, 1e-3);
	assert_near(row(&t, "veth_poll", NULL)->ci95_ns[1], 17.4366, 1e-3);
	cost_table_release(&t);
	profile_release(&p);
}

static void test_table_rows(void **state)
{
	struct cost_table t;
	struct profile p;

	profile_init(&p);
	add_row(&p, "veth_poll", 30, 40);
	add_row(&p, "kfree_skb", 9.5, 9.5);
	add_row(&p, "default_idle", 50, 50);
	add_row(&p, "start_secondary", 0, 100);
	add_row(&p, "veth_poll", 10, 10); /* the same on another CPU */
	assert_int_equal(cost_table_build(&t, &p, f, 200, NULL), 0);
	assert_near(row(&t, "veth_poll", NULL)->self_ns, 160, NEAR);
	assert_near(row(&t, "veth_poll", NULL)->children_pct, 100, NEAR);
	assert_true(isnan(row(&t, "veth_poll", NULL)->ci95_ns[0]));
	assert_true(row(&t, "start_secondary", NULL)->children_pct < 0); /* idle is in there */
	assert_near(t.unattributed_ns, 2, 1e-6);
	assert_near(t.idle_weight, 50, NEAR);
	assert_near(self_sum(&t) + t.unattributed_ns, 200, NEAR);
	cost_table_release(&t);
	profile_release(&p);
}

static void test_refusals(void **state)
{
	struct diag d = {""};
	struct cost_table t;
	struct profile p;

	profile_init(&p);
	assert_int_equal(cost_table_build(&t, &p, f, 100, &d), -EINVAL);
	assert_string_equal(d.text, "no busy samples");
	add(&p, "pv_native_safe_halt", 1, 1);
	assert_int_equal(cost_table_build(&t, &p, f, 100, NULL), -EINVAL);
	add(&p, "veth_poll", 1, 1);
	assert_int_equal(cost_table_build(&t, &p, f, 0, NULL), -EINVAL);
	assert_int_equal(cost_table_build(&t, &p, f, NAN, NULL), -EINVAL);
	profile_release(&p);
	add_row(&p, "veth_poll", -1, 40);
	add_row(&p, "do_idle", -1, 60);
	d.text[0] = '\0';
	assert_int_equal(cost_table_build(&t, &p, f, 100, &d), -EINVAL);
	assert_non_null(strstr(d.text, "--no-children"));
	profile_release(&p);
	add_row(&p, "veth_poll", 60, -1);
	add_row(&p, "veth_xmit", 41, -1);
	d.text[0] = '\0';
	assert_int_equal(cost_table_build(&t, &p, f, 100, &d), -ERANGE);
	assert_null(t.rows);
	assert_non_null(strstr(d.text, "101.00"));
	profile_release(&p);
	add_row(&p, "default_idle", 90, -1); /* 100.3 % of all is rounding, and 103 % of the busy 10 % is not */
	add_row(&p, "veth_poll", 10.3, -1);
	d.text[0] = '\0';
	assert_int_equal(cost_table_build(&t, &p, f, 100, &d), -ERANGE);
	assert_null(t.rows);
	assert_non_null(strstr(d.text, "103.00 % of the busy time"));
	profile_release(&p);
	add_row(&p, "default_idle", 90, -1);
	add_row(&p, "veth_poll", 10.05, -1);
	assert_int_equal(cost_table_build(&t, &p, f, 100, NULL), 0);
	cost_table_release(&t);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_table_rows),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, read_rules, free_rules);
}
