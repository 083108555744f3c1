// SPDX-License-Identifier: GPL-2.0-or-later
/* What a comparison joins: events, counters, functions under the names of two kernels, modes of one program. */
#include "reports/compare/compare.h"
#include "reports/document/document.h"
#include "tests/unit/compared.h"

static void test_events(void **state)
{
	struct synthetic_options o = two_modes();
	const struct compare_event *e;
	struct measured m, other;
	struct compare c;

	o.counted = true;
	measure(&m, &o);
	o.counted = false;
	measure(&other, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_int_equal(c.nevents, 4);
	e = &c.events[0];
	assert_string_equal(e->name, "cycles");
	near_to(e->delta, 3 * c.headline.delta_ns, 0.01 * e->delta);
	assert_true(e->half > 0 && e->half < 0.05 * e->delta && e->p < 0.001);
	near_to(e->delta, e->new - e->base, 1e-9);
	near_to(c.events[2].running_pct, 66.67, 1e-9);
	assert_true(isnan(c.events[3].delta) && isnan(c.events[3].half)); /* counted on neither side */
	compare_release(&c);
	compare(&c, &other.a.variants[0], &m.a.variants[0]); /* counted on one side alone */
	assert_int_equal(c.nevents, 4);
	assert_true(isnan(c.events[0].base) && c.events[0].new > 0 && isnan(c.events[0].delta));
	compare_release(&c);
	measured_release(&other);
	measured_release(&m);
}

static const struct compare_counter *counter(const struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->ncounters; i++)
		if (!strcmp(c->counters[i].name, name))
			return &c->counters[i];
	fail_msg("no counter %s", name);
	return NULL;
}

/* Losses, recycling and what differs come first; what stood still on one side is 0, what was not read is not known. */
static void test_counters(void **state)
{
	struct synthetic_options o = two_modes();
	const struct compare_counter *lost, *slow;
	struct measured m, other;
	struct compare c;

	o.counted = true;
	measure(&m, &o);
	o.counted = false;
	measure(&other, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	assert_int_equal(c.ncounters, 9);
	assert_int_equal(c.nmatter, 7);
	for (size_t i = 0; i < c.ncounters; i++)
		assert_int_equal(c.counters[i].matters, i < 7);
	lost = counter(&c, "rx_out_of_buffer"); /* one a us */
	near_to(lost->base, m.a.variants[0].base_ns / 1000, 0.001);
	near_to(lost->delta, c.headline.delta_ns / 1000, 0.002);
	slow = counter(&c, "rx_pp_alloc_slow");
	near_to(slow->base, 0, 0);
	near_to(slow->new, 0.01, 1e-4);
	assert_false(counter(&c, "rx7_packets")->matters);
	assert_true(counter(&c, "rx_steer_missed_packets")->matters &&
		    isnan(counter(&c, "rx_steer_missed_packets")->delta));
	compare_release(&c);
	compare(&c, &other.a.variants[0], &m.a.variants[0]); /* read on one side alone */
	assert_true(isnan(counter(&c, "rx7_packets")->base) && isnan(counter(&c, "rx7_packets")->delta));
	assert_true(counter(&c, "rx7_packets")->matters);
	compare_release(&c);
	measured_release(&other);
	measured_release(&m);
}

/* One function under the names of two kernels, one of a BPF program whose "tag" is a word, one that both call alike. */
static const struct synthetic_stack old_names[] = {
	{100, "kfree_skb_reason veth_poll"},
	{80, "bpf_prog_0123456789abcdefX veth_poll"},
	{60, "veth_xdp_rcv.constprop.0 veth_poll"},
};
static const struct synthetic_stack new_names[] = {
	{150, "sk_skb_reason_drop veth_poll"},
	{80, "bpf_prog_fedcba9876543210X veth_poll"},
	{60, "veth_xdp_rcv.isra.0 veth_poll"},
};

static void measure_names(struct measured *m, const struct synthetic_stack *stacks, const char *kernel)
{
	const struct synthetic_variant variants[] = {
		{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", stacks, 3},
	};
	struct synthetic_options o = two_modes();

	o.variants = variants;
	o.nvariants = 1;
	measure(m, &o);
	json_object_set_new(m->run.environment, "kernel", json_string(kernel));
	run_take_facts(&m->run);
}

static bool has_row(const struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->nsymbols; i++)
		if (!strcmp(c->symbols[i].name, name))
			return true;
	return false;
}

static void test_names_of_two_kernels(void **state)
{
	const struct analysis_variant *base, *new;
	struct measured old_run, new_run;
	const struct compare_row *freed;
	struct symkeys *keys;
	struct diag d = {""};
	struct compare c;

	measure_names(&old_run, old_names, "6.1.0");
	measure_names(&new_run, new_names, "6.12.0");
	base = &old_run.a.variants[0];
	new = &new_run.a.variants[0];
	assert_int_equal(compare_read_renames(&keys, NULL, base, new, &d), 0);
	assert_non_null(keys);
	assert_int_equal(compare_build(&c, base, new, keys, &d), 0);
	assert_int_equal(c.nsymbols, 4);
	assert_false(has_row(&c, "kfree_skb_reason"));
	freed = find(c.symbols, c.nsymbols, "sk_skb_reason_drop", "skb free");
	assert_true(freed->base_samples && freed->new_samples);
	near_to(freed->delta_ns, 50, 3);
	assert_true(has_row(&c, "bpf_prog_0123456789abcdefX") && has_row(&c, "bpf_prog_fedcba9876543210X"));
	compare_release(&c);
	symkeys_free(keys);

	/* on one kernel they are two functions, unless a file renames them */
	json_object_set_new(new_run.run.environment, "kernel", json_string("6.1.0"));
	run_take_facts(&new_run.run);
	assert_int_equal(compare_read_renames(&keys, NULL, base, new, &d), 0);
	assert_null(keys);
	compare(&c, base, new);
	assert_true(has_row(&c, "kfree_skb_reason") && has_row(&c, "sk_skb_reason_drop"));
	compare_release(&c);
	assert_int_equal(compare_read_renames(&keys, "/nonexistent", base, new, &d), -ENOENT);
	measured_release(&old_run);
	measured_release(&new_run);
}

static void sum_allocator(const struct analysis_variant *v, const char *const facilities[2], double *ns,
			  uint64_t *samples)
{
	*ns = 0;
	*samples = 0;
	for (size_t i = 0; i < v->nsymbols; i++)
		if (!strncmp(v->symbols[i].name, "kmem_cache_", 11)) {
			assert_true(!strcmp(v->symbols[i].facility, facilities[0]) ||
				    !strcmp(v->symbols[i].facility, facilities[1]));
			*ns += v->symbols[i].self_ns;
			*samples += v->symbols[i].samples;
		}
}

/* A tag is the sum of its functions, in whatever facilities they are, and is compared as they are. */
static void test_tags(void **state)
{
	static const char *const facilities[2] = {"skb allocation", "skb free"};
	struct synthetic_options o = two_modes();
	double base_ns, new_ns;
	uint64_t samples;
	struct measured m;
	struct compare c;

	measure(&m, &o);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	sum_allocator(c.base, facilities, &base_ns, &samples);
	assert_int_equal(samples, 0);
	assert_int_equal(c.base->ntags, 0); /* nothing that has a tag ran */
	sum_allocator(c.new, facilities, &new_ns, &samples);
	assert_true(samples > 0);
	assert_int_equal(c.new->ntags, 1);
	assert_string_equal(c.new->tags[0].name, "memory allocator");
	assert_int_equal(c.new->tags[0].samples, samples);
	near_to(c.new->tags[0].self_ns, new_ns, 1e-9);
	assert_int_equal(c.ntags, 1);
	assert_int_equal(c.tags[0].class, COMPARE_NEW);
	assert_int_equal(c.tags[0].new_samples, samples);
	assert_true(c.tags[0].half_ns > 0 && c.tags[0].delta_ns > 0 && c.tags[0].base_ns == 0);
	compare_release(&c);
	measured_release(&m);
}

static void test_overview(void **state)
{
	struct synthetic_options o = two_modes();
	struct overview v;
	struct measured m;

	o.nvariants = 3;
	measure(&m, &o);
	assert_int_equal(overview_build(&v, &m.a, NULL), 0);
	assert_int_equal(v.nrows, 2);
	assert_string_equal(v.rows[0].name, "drop/no-touch");
	assert_true(v.rows[0].native == &m.a.variants[0] && v.rows[0].skb == &m.a.variants[1]);
	near_to(v.rows[0].difference.delta_ns, 300, 2);
	assert_string_equal(v.rows[1].name, "tx/swap-macs");
	assert_true(v.rows[1].skb == NULL && !v.rows[1].have_difference);
	overview_release(&v);
	overview_release(&v);
	m.a.variants[1].nused = 0; /* nothing to compare with */
	assert_int_equal(overview_build(&v, &m.a, NULL), 0);
	assert_true(v.rows[0].skb == &m.a.variants[1] && !v.rows[0].have_difference);
	overview_release(&v);
	measured_release(&m);
}

/* Two that slept alike say nothing of what waking up cost each; two that hardly slept are alike. */
static void test_sleepers(void **state)
{
	static const struct {
		double base, new;
		enum quality_verdict verdict;
	} cases[] = {
		{70, 72, QUALITY_CANNOT_TELL}, {89, 91, QUALITY_CANNOT_TELL}, {91, 89, QUALITY_CANNOT_TELL},
		{90, 93, QUALITY_HOLDS},       {70, 80, QUALITY_FAILS},
	};
	struct synthetic_options o = two_modes();
	struct measured m;

	o.rounds = 4;
	measure(&m, &o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quality_row *row;
		struct sentence s;
		struct compare c;

		m.a.variants[0].busy_pct = cases[i].base;
		m.a.variants[1].busy_pct = cases[i].new;
		compare(&c, &m.a.variants[0], &m.a.variants[1]);
		row = gate(&c.quality, "busy-alike");
		assert_int_equal(quality_verdict(row), cases[i].verdict);
		near_to(row->value, fabs(cases[i].base - cases[i].new), 1e-9);
		sentence_of_difference(&s, &c);
		sentence_add_waking(&s, &c);
		assert_int_equal(!strstr(s.after, "with what waking up costs"),
				 cases[i].verdict != QUALITY_CANNOT_TELL);
		compare_release(&c);
	}
	/* Where they may be far apart: an estimate above 100 % is a CPU that never slept. */
	assert_int_equal(quality_limits_parse(&m.a.options.limits, "busy-alike=60", NULL), 0);
	for (int new = 0; new < 2; new ++) {
		struct sentence s;
		struct compare c;

		m.a.variants[!new].busy_pct = 70;
		m.a.variants[new].busy_pct = 120;
		compare(&c, &m.a.variants[0], &m.a.variants[1]);
		sentence_of_difference(&s, &c);
		sentence_add_waking(&s, &c);
		assert_non_null(strstr(s.after, new ? "busy for 70 and 100 %" : "busy for 100 and 70 %"));
		compare_release(&c);
	}
	measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleepers), cmocka_unit_test(test_events),
		cmocka_unit_test(test_counters), cmocka_unit_test(test_names_of_two_kernels),
		cmocka_unit_test(test_tags),     cmocka_unit_test(test_overview),
	};

	return cmocka_run_group_tests_name("compare_joins", tests, make_folder, remove_folder);
}
