// SPDX-License-Identifier: GPL-2.0-or-later
/* Two profiles side by side close to the last digit, across kernels that call things by other
 * names. */
#include "perfparse/diff.h"
#include "tests/unit/unit.h"

static void add(struct profile *p, const char *name, double pct)
{
	struct profile_row row = {.self_pct = pct, .children_pct = -1};

	assert_int_equal(profile_add_symbol(p, name, strlen(name), "", 0, SPACE_KERNEL, &row.symbol), 0);
	assert_int_equal(profile_add_row(p, &row), 0);
}

static const struct diff_row *row(const struct diff *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->nsymbols; i++)
		if (!strcmp(f->symbols[i].name, name))
			return &f->symbols[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void assert_near(double have, double want)
{
	if (!(fabs(have - want) < 1e-9))
		fail_msg("%.12g is not %.12g", have, want);
}

static void test_closure(void **state)
{
	struct profile base, new;
	struct cost_table t, u;
	struct facilities *f;
	struct symkeys *k;
	struct diff x;

	assert_int_equal(facilities_read(&f, NULL, NULL), 0);
	assert_int_equal(symkeys_read(&k, NULL, NULL), 0);
	profile_init(&base);
	profile_init(&new);
	add(&base, "veth_xdp_rcv.constprop.0", 50);
	add(&base, "bpf_prog_0123456789abcdef_drop", 30);
	add(&base, "kfree_skb_reason", 10);
	add(&base, "gone_one", 5);
	add(&new, "veth_xdp_rcv.constprop.1", 20);
	add(&new, "bpf_prog_fedcba9876543210_drop", 30);
	add(&new, "sk_skb_reason_drop", 20);
	add(&new, "napi_gro_receive", 29);
	assert_int_equal(cost_table_build(&t, &base, f, 100, NULL), 0);
	assert_int_equal(cost_table_build(&u, &new, f, 400, NULL), 0);
	assert_int_equal(diff_build(&x, &t, &u, k, NULL), 0);
	assert_int_equal(x.nsymbols, 5);
	assert_near(x.delta_ns, 300);
	assert_near(row(&x, "veth_xdp_rcv.constprop.1")->delta_ns, 30);
	assert_near(row(&x, "bpf_prog_fedcba9876543210_drop")->delta_ns, 90);
	assert_near(row(&x, "sk_skb_reason_drop")->base_ns, 10);
	assert_int_equal(row(&x, "gone_one")->class, DIFF_GONE);
	assert_int_equal(row(&x, "napi_gro_receive")->class, DIFF_NEW);
	assert_near(x.sum_delta_ns + x.residual_ns, x.delta_ns);
	assert_near(x.residual_ns, 4 - 5);
	assert_string_equal(x.symbols[0].name, "napi_gro_receive");
	diff_release(&x);
	diff_release(&x);
	t.unattributed_ns -= 1; /* a row got lost */
	assert_int_equal(diff_build(&x, &t, &u, k, NULL), -ERANGE);
	assert_null(x.symbols);
	cost_table_release(&t);
	cost_table_release(&u);
	profile_release(&base);
	profile_release(&new);
	symkeys_free(k);
	facilities_free(f);
}

/* A list that was cut short can make nothing gone or new that it might have held below its end. */
static void test_cut_short(void **state)
{
	struct profile base, new;
	struct cost_table t, u;
	struct facilities *f;
	struct diff x;

	assert_int_equal(facilities_read(&f, NULL, NULL), 0);
	profile_init(&base);
	profile_init(&new);
	add(&base, "a_1", 30);
	add(&base, "bpf_prog_0123456789abcdef_drop", 10);
	base.absent_pct = 10;
	add(&new, "a_1", 60);
	add(&new, "b_1", 30);
	add(&new, "bpf_prog_01234567", 5);
	add(&new, "c_1", 4);
	assert_int_equal(cost_table_build(&t, &base, f, 100, NULL), 0);
	assert_int_equal(cost_table_build(&u, &new, f, 100, NULL), 0);
	assert_near(t.absent_ns, 10);
	assert_near(u.absent_ns, 0);
	assert_true(cost_table_cut_short(&t) && !cost_table_cut_short(&u));
	assert_int_equal(diff_build(&x, &t, &u, NULL, NULL), 0);
	assert_int_equal(x.nsymbols, 4);
	assert_int_equal(row(&x, "b_1")->class, DIFF_CHANGED);
	assert_near(row(&x, "b_1")->absent_ns, 10);
	assert_int_equal(row(&x, "c_1")->class, DIFF_UNLISTED);
	assert_near(row(&x, "a_1")->absent_ns, 0);
	assert_near(row(&x, "bpf_prog_01234567")->base_ns, 10);
	diff_release(&x);
	cost_table_release(&t);
	cost_table_release(&u);
	profile_release(&base);
	profile_release(&new);
	facilities_free(f);
}

static void check_dso_key(const struct symkeys *k, const char *name, const char *dso, const char *want)
{
	char key[SYMKEY_BYTES];

	symkey(k, name, dso, key);
	assert_string_equal(key, want);
}

static void check_key(const struct symkeys *k, const char *name, const char *want)
{
	check_dso_key(k, name, "[kernel.kallsyms]", want);
}

static void test_keys(void **state)
{
	struct symkeys *k;
	char path[64];
	struct diag d = {""};

	assert_int_equal(symkeys_read(&k, NULL, &d), 0);
	check_key(k, "kfree_skb_reason", "kfree_skb");
	check_key(k, "handle_softirqs", "__do_softirq");
	check_key(k, "page_pool_put_unrefed_netmem.part.0", "page_pool_put_page");
	check_key(k, "bpf_prog_662b9cae761bf6ab", "bpf_prog");
	check_key(k, "bpf_prog_662b9cae761bf6ab_a_b", "bpf_prog_a_b");
	check_key(k, "bpf_prog_662b9cae", "bpf_prog");
	check_key(k, "bpf_prog_662b9c...", "bpf_prog");
	check_key(k, "bpf_prog_662b9cae_a_b", "bpf_prog_a_b");
	check_key(k, "bpf_prog_662b9", "bpf_prog_662b9");
	check_key(k, "bpf_prog_decade", "bpf_prog_decade");
	check_key(k, "bpf_prog_662b9cae761bf6ab0", "bpf_prog_662b9cae761bf6ab0");
	check_key(k, "bpf_prog_run_generic_xdp", "bpf_prog_run_generic_xdp");
	check_key(NULL, "kfree_skb_reason", "kfree_skb_reason");
	check_key(k, "veth_xdp_rcv.constprop.0", "veth_xdp_rcv");
	check_key(k, "do_xdp_generic.part.0.isra.3", "do_xdp_generic");
	check_key(k, "bpf_prog_array_free", "bpf_prog_array_free");
	check_key(k, "bpf_prog_6deef7357e7b4530drop", "bpf_prog_6deef7357e7b4530drop");
	check_dso_key(k, "bpf_prog_6deef7357e7b4530_xdp_drop", "bpf", "bpf_prog_xdp_drop");
	check_dso_key(k, "mlx5e_handle_rx_cqe_mpwrq", "[mlx5_core]", "mlx5e_handle_rx_cqe");
	check_dso_key(k, "veth_poll", "/lib/modules/6.1.0-49-amd64/kernel/drivers/net/veth.ko", "veth_poll");
	check_dso_key(k, "memcpy_erms", "/usr/lib/debug/boot/vmlinux-6.1.0-49-amd64", "memcpy");
	check_dso_key(k, "memcpy_erms", "/usr/bin/perf", "memcpy_erms /usr/bin/perf");
	check_dso_key(k, "main.cold", "/usr/bin/perf", "main /usr/bin/perf");
	check_dso_key(k, "[unknown]", "", "[unknown]");
	symkeys_free(k);
	write_temporary(path, "a b # c\nd b\n");
	assert_int_equal(symkeys_read(&k, path, &d), -EINVAL);
	assert_non_null(strstr(d.text, "b has two keys"));
	unlink(path);
	assert_int_equal(symkeys_read(&k, path, NULL), -ENOENT);
	assert_null(k);
}

/* More names than a table of names has room for at first: each is still found at its number. */
static void test_names_keep_their_numbers(void **state)
{
	struct profile p;
	uint32_t symbol;
	char name[16];

	profile_init(&p);
	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "f%u", i);
			assert_int_equal(profile_add_symbol(&p, name, strlen(name), "", 0, SPACE_KERNEL, &symbol), 0);
			assert_int_equal(symbol, i);
		}
	assert_int_equal(p.nsymbols, 1000);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closure),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_names_keep_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
