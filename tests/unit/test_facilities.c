// SPDX-License-Identifier: GPL-2.0-or-later
/* Every stack belongs to one facility: by rule, by path, or by the caller of a helper. */
#include "perfparse/facilities.h"
#include "perfparse/symname.h"
#include "tests/unit/unit.h"

static struct facilities *rules(const char *text)
{
	struct diag d = {""};
	struct facilities *f;
	char path[64];

	write_temporary(path, text);
	assert_int_equal(facilities_read(&f, path, &d), 0);
	unlink(path);
	return f;
}

/* Names from the leaf outwards, "a b c". */
static const char *of(struct facilities *f, const char *path)
{
	struct profile p;
	uint32_t frames[32];
	unsigned int depth = 0, id;
	char copy[512], *name, *save;

	profile_init(&p);
	snprintf(copy, sizeof(copy), "%s", path);
	for (name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save))
		assert_int_equal(profile_add_symbol(&p, name, strlen(name), "", 0, SPACE_KERNEL, &frames[depth++]), 0);
	assert_int_equal(profile_add_stack(&p, frames, depth, 1, 1), 0);
	id = facilities_of_stack(f, &p, &p.stacks[0]);
	assert_int_equal(facilities_of_stack(f, &p, &p.stacks[0]), id);
	profile_release(&p);
	return facilities_name(f, id);
}

static void test_rules_paths_and_helpers(void **state)
{
	struct facilities *f = rules("# comment\n"
				     "facility sink : taken-out\n\tany b_* under c\n"
				     "facility quiet : idle\n\tsleep\n"
				     "facility clear  # by path\n\tzero* under build outer\n"
				     "facility pool\n\tret\n"
				     "facility drv\n\tdrv_* build\n"
				     "helper\n\tzero* lock alone pool\n\tunlock\n");

	assert_string_equal(of(f, "drv_poll"), "drv");
	assert_string_equal(of(f, "drv_poll.isra.0 x y"), "drv");
	assert_string_equal(of(f, "zero_it build drv_poll"), "clear");
	assert_string_equal(of(f, "zero_it x y outer"), "clear");
	assert_string_equal(of(f, "zero_it drv_poll"), "drv");
	assert_string_equal(of(f, "lock ret drv_poll"), "pool");
	assert_string_equal(of(f, "lock unlock unnamed drv_poll"), "drv");
	assert_string_equal(of(f, "lock"), "pool");
	assert_string_equal(of(f, "unlock"), "rest");
	assert_string_equal(of(f, "lock unnamed"), "rest");
	assert_string_equal(of(f, "unnamed drv_poll"), "rest");
	/* the whole stack, before its leaf; in the right order only */
	assert_string_equal(of(f, "drv_poll b_x drv_y c"), "sink");
	assert_string_equal(of(f, "drv_poll c b_x"), "drv");
	assert_string_equal(of(f, "sleep c"), "quiet");
	assert_string_equal(of(f, "drv_irq sleep"), "drv");
	assert_int_equal(facilities_kind(f, 0), FACILITY_COST);
	assert_string_equal(facilities_name(f, FACILITY_REST), "rest");
	for (unsigned int id = 0; id < facilities_count(f); id++)
		assert_int_equal(facilities_kind(f, id) == FACILITY_TAKEN_OUT, !strcmp(facilities_name(f, id), "sink"));
	facilities_free(f);
	facilities_free(NULL);
}

static void test_first_match_wins_and_reopening(void **state)
{
	struct facilities *f = rules("facility a\nx_1\nfacility b\nx_*\nfacility a\nx_9 y_?\n");

	assert_int_equal(facilities_count(f), 3);
	assert_string_equal(of(f, "x_1"), "a");
	assert_string_equal(of(f, "x_9"), "b");
	assert_string_equal(of(f, "y_1"), "a");
	assert_string_equal(of(f, "y_11"), "rest");
	facilities_free(f);
}

static void refuse_rules(const char *text, const char *why)
{
	struct facilities *f;
	struct diag d = {""};
	char path[64];

	write_temporary(path, text);
	assert_int_equal(facilities_read(&f, path, &d), -EINVAL);
	unlink(path);
	if (!strstr(d.text, why))
		fail_msg("'%s' says nothing of '%s'", d.text, why);
}

/* A symbol has one facility and any number of tags. */
static void test_tags(void **state)
{
	struct facilities *f = rules("facility a\n\tx_*\nhelper\n\tcopy alone a\ntag all of x\n\tx_* copy\n\tlate\n"
				     "tag one\n\tx_1\n");
	static const char *const names[] = {"x_1.cold", "x_2", "copy", "late", "none"};
	static const uint32_t want[] = {3, 1, 1, 1, 0};
	struct profile p;
	uint32_t symbol;
	size_t i;

	assert_int_equal(facilities_tag_count(f), 2);
	assert_string_equal(facilities_tag_name(f, 0), "all of x");
	profile_init(&p);
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(profile_add_symbol(&p, names[i], strlen(names[i]), "", 0, SPACE_KERNEL, &symbol), 0);
		assert_int_equal(facilities_tags_of_symbol(f, &p, symbol), want[i]);
	}
	assert_string_equal(of(f, "late"), "rest");
	profile_release(&p);
	facilities_free(f);
	refuse_rules("tag\nx\n", ":1: a tag's name");
	refuse_rules("tag a\nx\ntag a\n", ":3: this tag stands further up");
}

/* The first glob of a file counts like every other, in a rule and among helpers. */
static void test_first_glob_of_all(void **state)
{
	struct facilities *f = rules("facility a\n\tx y\nfacility b\n\tz\n");

	assert_string_equal(of(f, "x"), "a");
	assert_string_equal(of(f, "y"), "a");
	assert_string_equal(of(f, "z"), "b");
	facilities_free(f);
	f = rules("helper\n\tlock unlock\nfacility a\n\tx\n");
	assert_string_equal(of(f, "lock x"), "a");
	assert_string_equal(of(f, "unlock x"), "a");
	assert_string_equal(of(f, "other x"), "rest");
	facilities_free(f);
}

static void refuse(const char *text, const char *why)
{
	struct diag d = {""};
	struct facilities *f;
	char path[64];

	write_temporary(path, text);
	assert_int_equal(facilities_read(&f, path, &d), -EINVAL);
	assert_null(f);
	assert_non_null(strstr(d.text, why));
	assert_non_null(strstr(d.text, path));
	unlink(path);
}

static void test_refusals(void **state)
{
	struct diag d = {""};
	struct facilities *f;

	refuse("veth_*\n", ":1: ");
	refuse("facility a\nx under\n", ":2: ");
	refuse("facility a\nunder x\n", ":2: ");
	refuse("facility a\nx under under y\n", ":2: ");
	refuse("facility a\n\nany x\n", ":3: ");
	refuse("facility a : busy\n", "taken-out");
	refuse("facility rest : idle\n", "always a cost");
	refuse("facility\n", "1 to 63");
	refuse("helper\nx alone nobody\n", "nobody" + 6);
	assert_int_equal(facilities_read(&f, "/nonexistent/rules", &d), -ENOENT);
	assert_non_null(strstr(d.text, "/nonexistent/rules"));
}

/* The names are of kernels 4.12 to 6.18 on several drivers. */
static void test_built_in_rules(void **state)
{
	static const char *const want[][2] = {
		{"mlx5e_handle_rx_cqe", "driver RX"},
		{"__build_skb", "skb allocation"},
		{"page_frag_free", "skb free"},
		{"mlx5e_xdp_handle", "driver RX"},
		{"mvpp2_rx", "driver RX"},
		{"mvpp2_xdp_xmit_frame", "TX"},
		{"mvneta_xdp_xmit", "TX"},
		{"xsk_umem_peek_addr", "driver RX"},
		{"xsk_umem_complete_tx", "TX"},
		{"__pi___inval_dcache_area", "driver RX"},
		{"arch_sync_dma_for_cpu", "driver RX"},
		{"free_hot_cold_page", "skb free"},
		{"buffered_rmqueue", "skb allocation"},
		{"__copy_skb_header", "skb allocation"},
		{"__copy_skb_header pskb_expand_head do_xdp_generic", "generic XDP"},
		{"check_preemption_disabled", "timekeeping and other overhead"},
		{"check_preemption_disabled kfree_skb", "skb free"},
		{"bpf_prog_662b9cae761bf6ab", "BPF program"},
		{"percpu_array_map_lookup_elem", "BPF program"},
		{"netif_receive_skb_internal", "stack entry"},
		{"mlx5e_page_release", "page recycling"},
		{"napi_gro_receive", "GRO"},
		{"veth_xdp_rcv_one veth_xdp_rcv.constprop.0 veth_poll", "driver RX"},
		{"page_pool_put_unrefed_netmem xdp_return_frame veth_xdp_rcv_one", "page recycling"},
		{"page_pool_put_unrefed_netmem skb_release_data", "skb free"},
		{"_raw_spin_lock_bh page_pool_put_unrefed_netmem skb_release_data", "page ring lock"},
		{"_raw_spin_unlock veth_xdp_rcv_one veth_xdp_rcv", "page ring lock"},
		{"page_pool_put_unrefed_netmem veth_xdp_rcv_one veth_xdp_rcv", "page recycling"},
		{"kmem_cache_free do_xdp_generic __netif_receive_skb_core", "skb free"},
		{"bpf_prog_d9612a16537df20d_napi_poll bpf_trace_run3 __napi_poll", "timekeeping and other overhead"},
		{"page_pool_alloc_netmems mlx5e_post_rx_mpwqes mlx5e_napi_poll", "page recycling"},
		{"page_pool_put_unrefed_netmem receive_buf virtnet_poll", "page recycling"},
		{"get_page_from_freelist __page_pool_alloc_netmems_slow page_pool_alloc_netmems try_fill_recv",
		 "page recycling"},
		{"page_pool_put_unrefed_netmem napi_pp_put_page skb_free_head", "skb free"},
		{"memset_orig sg_init_table sg_init_one virtnet_rq_submit try_fill_recv", "driver RX"},
		{"sg_init_table xmit_skb start_xmit", "TX"},
		{"__free_frozen_pages receive_buf virtnet_poll", "driver RX"},
		{"__free_frozen_pages skb_release_data sk_skb_reason_drop", "skb free"},
		{"post_alloc_hook get_page_from_freelist page_frag_refill napi_alloc_skb", "skb allocation"},
		{"clear_highpages_kasan_tagged", "skb clearing"},
		{"memset_orig __build_skb_around veth_xdp_rcv_skb", "skb clearing"},
		{"memset_orig veth_xdp_rcv_skb", "driver RX"},
		{"bpf_prog_run_generic_xdp do_xdp_generic", "generic XDP"},
		{"veth_xmit generic_xdp_tx do_xdp_generic", "TX"},
		{"veth_xdp_flush_bq veth_poll", "TX"},
		{"__x86_indirect_thunk_rax mlx5e_poll_rx_cq", "driver RX"},
		{"veth_poll __napi_poll net_rx_action handle_softirqs do_softirq.part.0 "
		 "__local_bh_enable_ip "
		 "napi_threaded_poll_loop napi_threaded_poll kthread",
		 "sink"},
		{"veth_poll __napi_poll napi_threaded_poll_loop napi_threaded_poll kthread", "driver RX"},
		{"pv_native_safe_halt default_idle default_enter_idle do_idle", "idle"},
		{"_raw_spin_lock_irq cpuidle_enter do_idle", "idle"},
		{"veth_poll net_rx_action handle_softirqs irq_exit_rcu default_idle do_idle", "driver RX"},
		{"dev_map_enqueue xdp_do_redirect veth_xdp_rcv_one", "redirect"},
		{"veth_xdp_xmit veth_ndo_xdp_xmit bq_xmit_all __dev_flush", "TX"},
		{"__pi_memcpy __xsk_rcv __xsk_map_redirect xdp_do_redirect", "AF_XDP"},
		{"xp_alloc __xsk_rcv __xsk_map_redirect", "AF_XDP"},
		{"xp_alloc ice_alloc_rx_bufs_zc ice_clean_rx_irq_zc", "driver RX"},
		{"_raw_spin_unlock_irqrestore __wake_up_sync_key sock_def_readable __xsk_map_flush xdp_do_flush",
		 "waking the second stage"},
		{"_raw_spin_unlock_irqrestore try_to_wake_up bq_flush_to_queue __cpu_map_flush",
		 "waking the second stage"},
		{"try_to_wake_up hrtimer_wakeup hrtimer_interrupt xdp_do_flush", "timekeeping and other overhead"},
		{"try_to_wake_up swake_up_one rcu_core", "timekeeping and other overhead"},
		{"bpf_prog_2270259a2fcecc87_xdp_cpumap_enqueue bpf_trace_run4 bq_flush_to_queue",
		 "timekeeping and other overhead"},
		{"bpf_prog_f8bd1e8ecba25333_xdp_bench_cpu veth_xdp_rcv_one", "BPF program"},
		{"strange_function hrtimer_interrupt veth_poll", "timekeeping and other overhead"},
		{"strange_function veth_poll", "rest"},
		{"lookup_nulls_elem_raw veth_poll", "BPF program"},
		{"____nf_conntrack_find veth_poll", "netfilter"},
		{"pipapo_get veth_poll", "netfilter"},
		{"expr_call_ops_eval veth_poll", "netfilter"},
		{"tcp_in_window tcp_v4_rcv", "netfilter"},
	};
	struct diag d = {""};
	struct facilities *f;
	size_t i;

	assert_int_equal(facilities_read(&f, NULL, &d), 0);
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_string_equal(of(f, want[i][0]), want[i][1]);
	facilities_free(f);
}

static void test_cache_knows_its_profile(void **state)
{
	struct facilities *f = rules("facility a\nx\nfacility b\ny\n");
	struct profile p;
	uint32_t symbol;
	int i;

	for (i = 0; i < 4; i++) {
		profile_init(&p);
		assert_int_equal(profile_add_symbol(&p, i % 2 ? "x" : "y", 1, "", 0, SPACE_KERNEL, &symbol), 0);
		assert_string_equal(facilities_name(f, facilities_of_symbol(f, &p, symbol)), i % 2 ? "a" : "b");
		assert_int_equal(profile_add_symbol(&p, "x", 1, "late", 4, SPACE_KERNEL, &symbol), 0);
		assert_string_equal(facilities_name(f, facilities_of_symbol(f, &p, symbol)), "a");
		profile_release(&p);
	}
	facilities_free(f);
}

static void test_names(void **state)
{
	assert_int_equal(symname_fold("f.isra.0", 8), 1);
	assert_int_equal(symname_fold("f.constprop.0.cold", 18), 1);
	assert_int_equal(symname_fold("f.part.0.isra.2", 15), 1);
	assert_int_equal(symname_fold("a.b", 3), 3);
	assert_int_equal(symname_fold(".cold", 5), 5);
	assert_true(symname_glob("a*b*c", "aXbYbZc", 7));
	assert_false(symname_glob("a*b*c", "aXbYbZ", 6));
	assert_true(symname_glob("*", "", 0));
	assert_false(symname_glob("?", "", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_paths_and_helpers),
		cmocka_unit_test(test_first_match_wins_and_reopening),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_first_glob_of_all),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_built_in_rules),
		cmocka_unit_test(test_cache_knows_its_profile),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
