// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured ns as instructions and transfers: a known truth is found again, and intervals hold it as they should. */
#include "reports/explain/explain.h"
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
	coverage(0);
	coverage(4);
}

static void test_bounds(void **state)
{
	struct explain_point points[POINTS];
	struct explain_fit f;

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

/* ---- rows, built of a run and of counts ---------------------------------------------------------------- */

#define FUNCTIONS 12

/* One variant: functions of 10, 20, 30 ... instructions; f0 has a copy on both sides, which is summed into it. */
struct both {
	char names[FUNCTIONS][8];
	struct run_variant variant;
	struct analysis_row symbols[FUNCTIONS + 1];
	struct exact_row rows[FUNCTIONS + 1];
	struct analysis_variant measured;
	struct exact_variant counted;
	struct run run;
	struct analysis a;
	struct exact e;
};

static void count(struct exact_row *row, const char *name, double instructions, double per_poll, double transfers)
{
	*row = (struct exact_row){.name = name, .facility = "driver RX"};
	row->cost.instructions[EXACT_PACKET] = instructions;
	row->cost.instructions[EXACT_POLL] = per_poll;
	row->cost.memory[EXACT_LINES_TRANSFERRED] = transfers;
}

static void make_both(struct both *b)
{
	memset(b, 0, sizeof(*b));
	assert_int_equal(run_variant_parse(&b->variant, "drop/no-touch@native", NULL), 0);
	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(b->names[i], sizeof(b->names[i]), "f%d", i);
		b->symbols[i] = (struct analysis_row){
			.name = b->names[i], .facility = "driver RX", .self_ns = 2 * (i + 1), .half_ns = 0.3};
		count(&b->rows[i], b->names[i], 10 * (i + 1), 0, i % 3);
	}
	b->symbols[FUNCTIONS] =
		(struct analysis_row){.name = "f0.isra.0", .facility = "driver RX", .self_ns = 5, .half_ns = 0.4};
	count(&b->rows[FUNCTIONS], "f0.isra.0", 25, 64, 1.5);
	b->measured = (struct analysis_variant){.variant = &b->variant,
						.symbols = b->symbols,
						.nsymbols = FUNCTIONS + 1,
						.nused = 1,
						.samples = 1000,
						.base_ns = 170,
						.half_ns = NAN,
						.n_eff = 1000,
						.packets_per_poll = 32};
	b->counted = (struct exact_variant){.rows = b->rows, .nrows = FUNCTIONS + 1};
	snprintf(b->counted.id, sizeof(b->counted.id), "%s", b->variant.id);
	b->a = (struct analysis){.run = &b->run, .variants = &b->measured, .nvariants = 1};
	b->e = (struct exact){.variants = &b->counted, .nvariants = 1};
}

static const struct explain_row *row_called(const struct explain *e, const char *name)
{
	for (size_t i = 0; i < e->variants[0].nrows; i++)
		if (!strcmp(e->variants[0].rows[i].name, name))
			return &e->variants[0].rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void test_rows(void **state)
{
	const struct explain_row *row;
	struct explain e;
	struct both b;

	make_both(&b);
	assert_int_equal(explain_build(&e, &b.a, NULL, &b.e, NULL, NULL), 0);
	assert_int_equal(e.variants[0].nrows, FUNCTIONS);
	row = row_called(&e, "f0");
	near_to(row->ns, 2 + 5, 1e-12);
	near_to(row->half_ns, 0.5, 1e-12);
	near_to(row->instructions, 10 + 25 + 64 / 32.0, 1e-12);
	near_to(row->transfers, 0 + 1.5, 1e-12);
	row = row_called(&e, "f5");
	near_to(row->transfers, 2, 1e-12);
	near_to(row->model_ns + row->rest_ns, 12, 1e-12);
	near_to(e.variants[0].parts.transfers, 4 * (0 + 1 + 2) + 1.5, 1e-12);
	assert_true(e.transfers);
	explain_release(&e);

	/* A count below 0 comes from a fit, and is none; a count that is not known makes the sum not known. */
	b.rows[0].cost.memory[EXACT_LINES_TRANSFERRED] = -0.2;
	b.rows[5].cost.memory[EXACT_LINES_TRANSFERRED] = NAN;
	assert_int_equal(explain_build(&e, &b.a, NULL, &b.e, NULL, NULL), 0);
	near_to(row_called(&e, "f0")->transfers, 1.5, 1e-12);
	assert_true(isnan(row_called(&e, "f5")->transfers));
	assert_false(e.transfers);
	explain_release(&e);

	/* What fits worst comes first, and not what is dearest. */
	b.symbols[2].self_ns = 6 + 34;
	b.symbols[6].self_ns = 14 + 33;
	assert_int_equal(explain_build(&e, &b.a, NULL, &b.e, NULL, NULL), 0);
	assert_int_equal(e.nmisfits, 2);
	assert_string_equal(e.misfits[0]->name, "f2");
	assert_string_equal(e.misfits[1]->name, "f6");
	explain_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
