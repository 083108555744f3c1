// SPDX-License-Identifier: GPL-2.0-or-later
/* Call paths with their cost add up to the base, and path by path to the rows of the analysis. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/analysis.h"
#include "tests/synthetic.h"

static char dir[64];
static struct facilities *facilities;

static int set_up(void **state)
{
	struct diag d = {""};

	(void)state;
	strcpy(dir, "/tmp/test_stacks-XXXXXX");
	return mkdtemp(dir) ? facilities_read(&facilities, "tests/synthetic.conf", &d) : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	facilities_free(facilities);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static void measure(struct run *r, struct analysis *a, const struct synthetic_options *o)
{
	struct analysis_options ao = {.stacks = true};
	struct diag d = {""};
	static int number;
	char path[128];

	snprintf(path, sizeof(path), "%s/run%d", dir, number++);
	if (synthetic_write(path, o, &d) || run_read(r, path, &d) ||
	    analysis_build(a, r, path, facilities, &ao, &d))
		fail_msg("%s", d.text);
}

static void near_to(double got, double want)
{
	if (!(fabs(got - want) <= 1e-6))
		fail_msg("got %.12g, want %.12g", got, want);
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
			sum += path->ns;
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
		sum += v->stacks.rows[i].ns;
		samples += v->stacks.rows[i].samples;
	}
	near_to(sum, v->base_ns - v->unattributed_ns);
	assert_int_equal(samples, v->samples);
	for (size_t i = 0; i < v->nsymbols; i++)
		near_to(self_ns(&v->stacks, &v->symbols[i]), v->symbols[i].self_ns);
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

	(void)state;
	check_run(&o);
}

static void test_set_aside_blocks_are_out(void **state)
{
	struct synthetic_options o = synthetic_defaults;

	(void)state;
	o.placements = "nnnffnnmnfnnnnnnnnnnnnffnnnnnnnnnnnn";
	check_run(&o);
}

static void test_idle_is_out(void **state)
{
	struct synthetic_options o = synthetic_defaults;

	(void)state;
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

	(void)state;
	o.variants = synthetic_veth;
	o.nvariants = 3;
	measure(&r, &a, &o);
	assert_true(a.variants[2].taken_out_ns > 30);
	for (size_t i = 0; i < a.variants[2].stacks.nrows; i++) {
		const struct stacks_row *row = &a.variants[2].stacks.rows[i];

		for (unsigned int k = 0; k < row->depth; k++)
			assert_string_not_equal(a.variants[2].stacks.symbols[row->frames[k]].name,
						"net_rx_action");
		assert_string_equal(a.variants[2].stacks.symbols[row->frames[0]].name,
				    "ret_from_fork_asm");
	}
	analysis_release(&a);
	run_release(&r);
}

static void test_without_samples(void **state)
{
	struct synthetic_options o = synthetic_defaults;
	struct analysis a;
	struct run r;

	(void)state;
	o.variants = synthetic_veth;
	o.nvariants = 1;
	o.period_ns = 1e12;
	measure(&r, &a, &o);
	assert_int_equal(a.variants[0].stacks.nrows, 0);
	near_to(a.variants[0].unattributed_ns, a.variants[0].base_ns);
	analysis_release(&a);
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_set_aside_blocks_are_out),
		cmocka_unit_test(test_idle_is_out),
		cmocka_unit_test(test_taken_out_is_out),
		cmocka_unit_test(test_without_samples),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
