// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured ns as instructions and transfers: a known truth is found again, and intervals hold it as they should. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "reports/explain/explain_fit.h"
#include "tests/unit/unit.h"

#define POINTS 48
#define A_NS   0.2
#define B_NS   20.0

static uint64_t seed = 88172645463325252ull;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform() + 1e-300)) * cos(2 * 3.14159265358979323846 * uniform());
}

/* Functions of 3 to 125 instructions; one in eight transfers lines. */
static double truth(struct explain_point *p, size_t i)
{
	*p = (struct explain_point){.base_ns = 1, .n_eff = 400};
	p->x[EXPLAIN_INSTRUCTIONS] = 3 + (double)(i * 37 % 123);
	p->x[EXPLAIN_TRANSFERS] = i % 8 ? 0 : 1 + (double)(i / 8 % 2);
	return A_NS * p->x[EXPLAIN_INSTRUCTIONS] + B_NS * p->x[EXPLAIN_TRANSFERS];
}

/* Costs as a profiler with that many samples finds them, of functions that scatter about the model by spread_ns. */
static void sample(struct explain_point *points, unsigned int samples, double spread_ns)
{
	double ns[POINTS], base = 0;
	unsigned int hits[POINTS] = {0};

	for (size_t i = 0; i < POINTS; i++) {
		ns[i] = fmax(0, truth(&points[i], i) + spread_ns * normal());
		base += ns[i];
	}
	for (unsigned int s = 0; s < samples; s++) {
		double at = uniform() * base;
		size_t i = 0;

		while (i + 1 < POINTS && at >= ns[i])
			at -= ns[i++];
		hits[i]++;
	}
	for (size_t i = 0; i < POINTS; i++) {
		points[i].base_ns = base;
		points[i].n_eff = samples;
		points[i].ns = base * hits[i] / samples;
	}
}

static void test_truth(void **state)
{
	struct explain_point points[POINTS];
	struct explain_fit f;
	double base = 0;

	(void)state;
	for (size_t i = 0; i < POINTS; i++)
		base += truth(&points[i], i);
	for (size_t i = 0; i < POINTS; i++) {
		points[i].ns = truth(&points[i], i);
		points[i].base_ns = base;
	}
	assert_int_equal(explain_fit(&f, points, POINTS, true), 0);
	near_to(f.terms[EXPLAIN_INSTRUCTIONS].value, A_NS, 1e-9);
	near_to(f.terms[EXPLAIN_TRANSFERS].value, B_NS, 1e-7);
	near_to(f.spread_ns, 0, 0);
	near_to(explain_model(&f, &points[8]), points[8].ns, 1e-6);
	assert_true(f.terms[EXPLAIN_INSTRUCTIONS].ci95[0] < A_NS && f.terms[EXPLAIN_INSTRUCTIONS].ci95[1] > A_NS);
}

/* How many of 600 runs have the truth in their 95 % intervals: 91 to 98.5 %. */
static void coverage(double spread_ns)
{
	int held[EXPLAIN_TERMS] = {0};
	const double want[EXPLAIN_TERMS] = {A_NS, B_NS};
	double mean[EXPLAIN_TERMS] = {0};

	seed = 88172645463325252ull;
	for (int i = 0; i < 600; i++) {
		struct explain_point points[POINTS];
		struct explain_fit f;

		sample(points, 400, spread_ns);
		assert_int_equal(explain_fit(&f, points, POINTS, true), 0);
		for (int t = 0; t < EXPLAIN_TERMS; t++) {
			held[t] += f.terms[t].ci95[0] <= want[t] && want[t] <= f.terms[t].ci95[1];
			mean[t] += f.terms[t].value / 600;
		}
	}
	for (int t = 0; t < EXPLAIN_TERMS; t++) {
		print_message("# spread %.0f ns, term %d: %.1f %% held, mean %.3f\n", spread_ns, t, held[t] / 6.0,
			      mean[t]);
		near_to(mean[t], want[t], 0.03 * want[t]);
		assert_in_range(held[t], 546, 591);
	}
}

static void test_coverage(void **state)
{
	(void)state;
	coverage(0);
	coverage(4);
}

static void test_bounds(void **state)
{
	struct explain_point points[POINTS];
	struct explain_fit f;

	(void)state;
	/* Transfers that cost nothing: b is 0 or more, never below, and its interval begins at 0. */
	for (size_t i = 0; i < POINTS; i++) {
		truth(&points[i], i);
		points[i].base_ns = 600;
		points[i].ns = fmax(0, A_NS * points[i].x[0] - points[i].x[1]);
	}
	assert_int_equal(explain_fit(&f, points, POINTS, true), 0);
	assert_true(f.terms[EXPLAIN_TRANSFERS].value == 0 && f.terms[EXPLAIN_TRANSFERS].ci95[0] == 0);
	assert_true(f.terms[EXPLAIN_TRANSFERS].ci95[1] > 0);

	/* The other way round: instructions that cost nothing. */
	for (size_t i = 0; i < POINTS; i++)
		points[i].ns = fmax(0, 30 * points[i].x[1] - 0.01 * points[i].x[0]);
	assert_int_equal(explain_fit(&f, points, POINTS, true), 0);
	assert_true(f.terms[EXPLAIN_INSTRUCTIONS].value == 0 && f.terms[EXPLAIN_TRANSFERS].value > 10);

	/* Without transfers: a alone. */
	for (size_t i = 0; i < POINTS; i++)
		points[i].x[EXPLAIN_TRANSFERS] = NAN;
	assert_int_equal(explain_fit(&f, points, POINTS, false), 0);
	assert_true(isnan(f.terms[EXPLAIN_TRANSFERS].value) && !isnan(f.terms[EXPLAIN_INSTRUCTIONS].value));

	/* Transfers in proportion to instructions cannot be separated from them. */
	for (size_t i = 0; i < POINTS; i++)
		points[i].x[EXPLAIN_TRANSFERS] = 2 * points[i].x[EXPLAIN_INSTRUCTIONS];
	assert_int_equal(explain_fit(&f, points, POINTS, true), 0);
	assert_true(isnan(f.terms[EXPLAIN_TRANSFERS].value));

	assert_int_equal(explain_fit(&f, points, EXPLAIN_POINTS - 1, true), -ENODATA);
	for (size_t i = 0; i < POINTS; i++)
		points[i].x[EXPLAIN_INSTRUCTIONS] = 0;
	assert_int_equal(explain_fit(&f, points, POINTS, false), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
