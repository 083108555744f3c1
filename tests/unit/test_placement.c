// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks whose CPUs were near to each other and far from each other: like is compared with like.
 */
#include "tests/unit/measured.h"

/* Twelve blocks of one variant: eight near, three far at 1.45 times the cost, one moved. */
static void test_placement_like_with_like(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	const struct analysis_variant *v;
	struct measured m;

	o.nvariants = 1;
	o.placements = "nnnffnnmnfnn";
	measure(&m, &o);
	v = &m.a.variants[0];
	assert_int_equal(m.a.placement.nstrata, 2);
	assert_int_equal(v->nused, 8);
	near_to(v->base_ns, 80, 0.4);
	assert_int_equal(v->shares[1].blocks, 3);
	near_to(v->shares[1].base_ns, 116, 1);
	assert_true(gate(&v->quality, "placement")->ok);
	assert_non_null(strstr(gate(&v->quality, "placement")->note, "4 of 12 blocks set aside: 3 far (116"));
	measured_release(&m);

	ao = (struct analysis_options){};
	ao.placement = PLACEMENT_FAR;
	measure_with(&m, &o, &ao);
	assert_int_equal(m.a.variants[0].nused, 3);
	near_to(m.a.variants[0].base_ns, 116, 1);
	measured_release(&m);
	ao.placement = PLACEMENT_ALL;
	measure_with(&m, &o, &ao);
	assert_int_equal(m.a.variants[0].nused, 12);
	assert_false(gate(&m.a.variants[0].quality, "placement")->ok);
	measured_release(&m);
	ao.placement = PLACEMENT_AUTO;
	ao.placement_like_ns = 190;
	measure_with(&m, &o, &ao);
	assert_int_equal(m.a.variants[0].nused, 3);
	measured_release(&m);
}

/* Two near, two far, two moved: no stratum has three blocks, so all count and the gate says so. */
static void test_placement_too_few(void **state)
{
	struct synthetic_options o = veth();
	const struct quality_row *row;
	struct measured m;

	o.nvariants = 1;
	o.rounds = 6;
	o.placements = "nfmmfn";
	measure(&m, &o);
	assert_int_equal(m.a.variants[0].nused, 6);
	assert_true(m.a.variants[0].strata_mixed);
	row = gate(&m.a.variants[0].quality, "placement");
	assert_false(row->ok);
	near_to(row->value, 100.0 / 3, 1e-9);
	measured_release(&m);
}

/* One block of a probed run was not probed: set aside, and not called moved. */
static void test_one_block_unprobed(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	o.nvariants = 1;
	measured_record(&m, &o);
	m.run.blocks[4].placement_ns[0] = m.run.blocks[4].placement_ns[1] = NAN;
	m.run.blocks[5].placement_ns[0] = NAN; /* half a probe is one */
	measured_analyse(&m, NULL);
	assert_int_equal(m.a.variants[0].nused, 11);
	assert_non_null(strstr(gate(&m.a.variants[0].quality, "placement")->note, "1 not probed ("));
	measured_release(&m);
}

static void test_no_probe_is_one_stratum(void **state)
{
	struct synthetic_options o = veth();
	struct placement p;
	struct measured m;

	o.near_ns = 0;
	measure(&m, &o);
	assert_int_equal(m.a.variants[0].nused, 12);
	assert_true(gate(&m.a.variants[0].quality, "placement")->ok);
	assert_true(isnan(m.a.variants[0].placement_ns));
	assert_int_equal(placement_build(&p, &m.run, PLACEMENT_FAR, 0, NULL), 0);
	assert_true(p.nstrata == 1 && p.reference == 0 && p.strata[0].blocks == m.run.nblocks);
	measured_release(&m);
}

/* Four distances are four strata, each with a name of its own. */
static void test_names_of_strata(void **state)
{
	static const char *const names[] = {"near", "mid", "mid2", "far"};
	struct synthetic_options o = veth();
	struct placement p;
	struct measured m;

	measured_record(&m, &o);
	for (size_t i = 0; i < m.run.nblocks; i++)
		m.run.blocks[i].placement_ns[0] = m.run.blocks[i].placement_ns[1] = 50 << i % 4;
	assert_int_equal(placement_build(&p, &m.run, PLACEMENT_ALL, 0, NULL), 0);
	assert_int_equal(p.nstrata, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(p.strata[i].name, names[i]);
		assert_true(p.strata[i].lo_ns == 50 << i && p.strata[i].hi_ns == 50 << i);
	}
	measured_release(&m);
}

/* Where a block was: by both of its probes, by one of them, or nowhere. */
static void test_place_of_a_block(void **state)
{
	const struct placement p = {
		.probed = true,
		.nstrata = 3,
		.strata = {{"near", 50, 60, 1}, {"mid", 100, 120, 1}, {"far", 200, 220, 1}},
	};
	static const struct {
		double before, after;
		size_t place;
		const char *name;
	} cases[] = {
		{50, 60, 0, "near"},
		{60, 50, 0, "near"},
		{100, 120, 1, "mid"},
		{220, 200, 2, "far"},
		{60, 100, PLACEMENT_MOVED, "moved"},
		{120, 60, PLACEMENT_MOVED, "moved"},
		{NAN, 210, 2, "far"},
		{210, NAN, 2, "far"},
		{NAN, 110, 1, "mid"},
		{NAN, NAN, PLACEMENT_UNPROBED, "not probed"},
	};
	const struct placement none = {.nstrata = 1, .strata = {{"only", NAN, NAN, 1}}};
	struct run_block b = {.placement_ns = {NAN, 50}};

	assert_int_equal(placement_of(&none, &b), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b.placement_ns[0] = cases[i].before;
		b.placement_ns[1] = cases[i].after;
		assert_int_equal(placement_of(&p, &b), cases[i].place);
		assert_string_equal(placement_name(&p, cases[i].place), cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_placement_like_with_like), cmocka_unit_test(test_placement_too_few),
		cmocka_unit_test(test_one_block_unprobed),       cmocka_unit_test(test_place_of_a_block),
		cmocka_unit_test(test_no_probe_is_one_stratum),  cmocka_unit_test(test_names_of_strata),
	};

	return cmocka_run_group_tests_name("placement", tests, make_folder, remove_folder);
}
