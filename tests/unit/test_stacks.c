// SPDX-License-Identifier: GPL-2.0-or-later
/* Call paths with their cost add up to the base, and path by path to the rows of the analysis. */
#include "perfparse/perfparse.h"
#include "reports/compare/compare.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

static struct facilities *facilities;

static int set_up(void **state)
{
	struct diag d = {""};

	return make_folder(state) ? -1 : facilities_read(&facilities, "tests/synthetic.conf", &d);
}

static int tear_down(void **state)
{
	facilities_free(facilities);
	return remove_folder(state);
}

static void measure(struct run *r, struct analysis *a, const struct synthetic_options *o)
{
	struct analysis_options ao = {.stacks = true};
	struct diag d = {""};
	static int number;
	char path[128];

	snprintf(path, sizeof(path), "%s/run%d", folder, number++);
	if (synthetic_write(path, o, &d) || run_read(r, path, &d) || analysis_build(a, r, path, facilities, &ao, &d))
		fail_msg("%s", d.text);
}

/* What the paths that end in a symbol cost together, in one facility. */
static double self_ns(const struct stacks *s, const struct analysis_row *row)
{
	double sum = 0;

	for (size_t i = 0; i < s->nrows; i++) {
		const struct stacks_row *path = &s->rows[i];
		const struct profile_symbol *leaf = &s->symbols[path->frames[path->depth - 1]];

		if (!strcmp(leaf->name, row->name) && !strcmp(leaf->dso, row->dso) &&
		    !strcmp(path->facility, row->facility))
			sum += path->cost;
	}
	return sum;
}

static void check_variant(const struct analysis_variant *v)
{
	double sum = 0;
	uint64_t samples = 0;

	assert_true(v->stacks.nrows > 0);
	for (size_t i = 0; i < v->stacks.nrows; i++) {
		assert_true(v->stacks.rows[i].depth > 0);
		sum += v->stacks.rows[i].cost;
		samples += v->stacks.rows[i].samples;
	}
	near_to(sum, v->base_ns - v->unattributed_ns, 1e-6);
	assert_int_equal(samples, v->samples);
	for (size_t i = 0; i < v->nsymbols; i++)
		near_to(self_ns(&v->stacks, &v->symbols[i]), v->symbols[i].self_ns, 1e-6);
}

static void check_run(struct synthetic_options *o)
{
	struct analysis a;
	struct run r;

	o->variants = synthetic_veth;
	o->nvariants = 3;
	measure(&r, &a, o);
	for (size_t i = 0; i < a.nvariants; i++)
		check_variant(&a.variants[i]);
	analysis_release(&a);
	run_release(&r);
}

static void test_adds_up(void **state)
{
	struct synthetic_options o = synthetic_defaults;

	check_run(&o);
}

static void test_set_aside_blocks_are_out(void **state)
{
	struct synthetic_options o = synthetic_defaults;

	o.placements = "nnnffnnmnfnnnnnnnnnnnnffnnnnnnnnnnnn";
	check_run(&o);
}

static void test_idle_is_out(void **state)
{
	struct synthetic_options o = synthetic_defaults;

	o.threaded = false;
	o.busy = 0.8;
	check_run(&o);
}

/* The sink's stacks are in the text and not among the paths. */
static void test_taken_out_is_out(void **state)
{
	struct synthetic_options o = synthetic_defaults;
	struct analysis a;
	struct run r;

	o.variants = synthetic_veth;
	o.nvariants = 3;
	measure(&r, &a, &o);
	assert_true(a.variants[2].taken_out_ns > 30);
	for (size_t i = 0; i < a.variants[2].stacks.nrows; i++) {
		const struct stacks_row *row = &a.variants[2].stacks.rows[i];

		for (unsigned int k = 0; k < row->depth; k++)
			assert_string_not_equal(a.variants[2].stacks.symbols[row->frames[k]].name, "net_rx_action");
		assert_string_equal(a.variants[2].stacks.symbols[row->frames[0]].name, "ret_from_fork_asm");
	}
	analysis_release(&a);
	run_release(&r);
}

static void test_without_samples(void **state)
{
	struct synthetic_options o = synthetic_defaults;
	struct analysis a;
	struct run r;

	o.variants = synthetic_veth;
	o.nvariants = 1;
	o.period_ns = 1e12;
	measure(&r, &a, &o);
	assert_int_equal(a.variants[0].stacks.nrows, 0);
	near_to(a.variants[0].unattributed_ns, a.variants[0].base_ns, 1e-6);
	analysis_release(&a);
	run_release(&r);
}

/* The path from the outermost frame to the leaf, with ";" between. */
static void write_path(char *out, size_t size, const struct profile_symbol *symbols, const uint32_t *frames,
		       unsigned int depth)
{
	size_t n = 0;

	out[0] = '\0';
	for (unsigned int i = 0; i < depth && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ";" : "", symbols[frames[i]].name);
}

static const struct stacks_diff_row *find_row(const struct stacks_diff *d, const char *tail)
{
	const struct stacks_diff_row *found = NULL;
	char path[2048];

	for (size_t i = 0; i < d->nrows; i++) {
		write_path(path, sizeof(path), d->symbols, d->rows[i].frames, d->rows[i].depth);
		if (strlen(path) >= strlen(tail) && !strcmp(path + strlen(path) - strlen(tail), tail)) {
			assert_null(found); /* one row per path */
			found = &d->rows[i];
		}
	}
	return found;
}

/* What both have is one row, what one has alone has 0 on the other side, and both sums are kept. */
static void test_two_sides(void **state)
{
	struct synthetic_options o = synthetic_defaults;
	const struct stacks_diff_row *row;
	double base_ns = 0, new_ns = 0;
	struct compare c;
	struct analysis a;
	struct run r;

	o.variants = synthetic_veth;
	o.nvariants = 3;
	measure(&r, &a, &o);
	assert_int_equal(compare_build(&c, &a.variants[0], &a.variants[2], NULL, NULL), 0);
	for (size_t i = 0; i < c.stacks.nrows; i++) {
		base_ns += c.stacks.rows[i].base_cost;
		new_ns += c.stacks.rows[i].new_cost;
	}
	near_to(base_ns, a.variants[0].sum_ns, 1e-6);
	near_to(new_ns, a.variants[2].sum_ns, 1e-6);
	row = find_row(&c.stacks, "veth_poll;veth_xdp_rcv.constprop.0;veth_xdp_rcv_one");
	assert_non_null(row);
	assert_true(row->base_cost > 18 && row->base_cost < 26);
	assert_true(row->new_cost > 18 && row->new_cost < 26);
	row = find_row(&c.stacks, "veth_xdp_xmit");
	assert_non_null(row);
	assert_true(row->base_cost == 0 && !row->base_samples && row->new_cost > 30);
	row = find_row(&c.stacks, "xdp_return_frame;__xdp_return;page_pool_put_unrefed_netmem");
	assert_non_null(row);
	assert_true(row->new_cost == 0 && !row->new_samples && row->base_cost > 8);
	compare_release(&c);
	analysis_release(&a);
	run_release(&r);
}

/* A path stands before those that go on from it, so that the rows of both sides meet. */
static void test_paths_that_go_on(void **state)
{
	static const struct profile_symbol symbols[] = {{"p", "", SPACE_KERNEL}, {"q", "", SPACE_KERNEL}};
	static const uint32_t frames[] = {0, 1};
	struct stacks_row deep = {.frames = frames, .depth = 2, .samples = 1, .cost = 5};
	struct stacks_row both[] = {deep, {.frames = frames, .depth = 1, .samples = 1, .cost = 2}};
	const struct stacks base = {.symbols = symbols, .nsymbols = 2, .rows = &deep, .nrows = 1};
	const struct stacks new = {.symbols = symbols, .nsymbols = 2, .rows = both, .nrows = 2};
	struct stacks_diff d;

	assert_int_equal(stacks_diff_build(&d, &base, &new, NULL), 0);
	assert_int_equal(d.nrows, 2);
	assert_true(d.rows[0].depth == 1 && d.rows[0].base_cost == 0 && d.rows[0].new_cost == 2);
	assert_true(d.rows[1].depth == 2 && d.rows[1].base_cost == 5 && d.rows[1].new_cost == 5);
	assert_true(d.rows[0].base_samples == 0 && d.rows[0].new_samples == 1);
	assert_true(d.rows[1].base_samples == 1 && d.rows[1].new_samples == 1);
	stacks_diff_release(&d);
}

/* Another tag, and what a compiler adds, are the same function. */
static void test_names_that_vary(void **state)
{
	static const struct synthetic_stack before[] =
		{
			{40, "bpf_prog_6deef7357e7b4530_xdp_drop veth_xdp_rcv.constprop.0 veth_poll"},
			{60, "veth_xdp_rcv.constprop.0 veth_poll"},
		},
					    after[] = {
						    {50, "bpf_prog_19a6feab3d5cb0e1_xdp_drop "
							 "veth_xdp_rcv.isra.7 veth_poll"},
						    {60, "veth_xdp_rcv.isra.7 veth_poll"},
					    };
	const struct synthetic_variant variants[] = {
		{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(before)},
		{"drop/read-data@native", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(after)},
	};
	struct synthetic_options o = synthetic_defaults;
	struct compare c;
	struct analysis a;
	struct run r;

	o.variants = variants;
	o.nvariants = 2;
	measure(&r, &a, &o);
	assert_int_equal(compare_build(&c, &a.variants[0], &a.variants[1], NULL, NULL), 0);
	assert_int_equal(c.stacks.nrows, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(c.stacks.rows[i].base_cost > 30 && c.stacks.rows[i].new_cost > 40);
	assert_non_null(find_row(&c.stacks, ";bpf_prog_6deef7357e7b4530_xdp_drop"));
	compare_release(&c);
	analysis_release(&a);
	run_release(&r);
}

/* What is not known counts as nothing, and what was carried on is not lost to it. */
static void test_folded_counts(void **state)
{
	double carry = 0;

	assert_int_equal(folded_thousandths(0.0014, &carry), 1);
	assert_int_equal(folded_thousandths(NAN, &carry), 0);
	assert_int_equal(folded_thousandths(INFINITY, &carry), 0);
	assert_int_equal(folded_thousandths(1e30, &carry), 0);
	assert_int_equal(folded_thousandths(0.0002, &carry), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded_counts),
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_set_aside_blocks_are_out),
		cmocka_unit_test(test_idle_is_out),
		cmocka_unit_test(test_taken_out_is_out),
		cmocka_unit_test(test_without_samples),
		cmocka_unit_test(test_two_sides),
		cmocka_unit_test(test_paths_that_go_on),
		cmocka_unit_test(test_names_that_vary),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
