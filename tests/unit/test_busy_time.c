// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the receiver's CPU was busy with: idle time, waits, samples against its clock, and what sets the pace.
 */
#include "tests/unit/measured.h"

/* A CPU that idles a third of the time: the rate would say 120 ns, busy time still says 80. */
static void test_idle_cpu_costs_busy_time(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	o.busy = 2.0 / 3;
	measure(&m, &o);
	v = analysis_find(&m.a, "drop/no-touch@native", NULL);
	near_to(v->base_ns, 80, 0.3);
	near_to(v->base_by_rate_ns, 120, 0.6);
	near_to(v->busy_pct, 66.67, 0.01);
	assert_false(gate(&v->quality, "saturation")->ok);
	assert_true(isnan(gate(&v->quality, "rate")->value));
	measured_release(&m);
}

/* They are not in the base; where they are not known, they are, and a receiver that sleeps is said to be measured so.
 */
static void test_waits(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	o.busy = 2.0 / 3;
	for (o.waits_ns = 0; o.waits_ns < 120; o.waits_ns += 60) {
		measure(&m, &o);
		v = analysis_find(&m.a, "drop/no-touch@native", NULL);
		near_to(v->base_ns, 80, 0.3);
		if (o.waits_ns > 0)
			near_to(v->waits_ns, 60, 0.3);
		else
			assert_true(isnan(v->waits_ns));
		assert_int_equal(strstr(gate(&v->quality, "saturation")->note, "waits after wakeups") != NULL,
				 o.waits_ns == 0);
		measured_release(&m);
	}
}

/* The row that says how busy the receiver was, where packets go on to a task on that CPU, so busy. */
static struct quality_row paced_by_stage(const struct synthetic_options *o, int stage_cpu, double stage_busy,
					 double rate_pps)
{
	struct quality_row row;
	struct measured m;

	measured_record(&m, o);
	m.run.variants[0].stage = RUN_STAGE_CPU;
	m.run.variants[0].stage_cpu = stage_cpu;
	m.run.facts.load_cpu = 1;
	m.run.facts.load_rate_pps = rate_pps;
	for (size_t i = 0; i < m.run.nblocks; i++)
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++) {
			struct run_window *w = &m.run.blocks[i].windows[k];

			w->stage_busy_ns = stage_busy * (double)(w->to_ns - w->from_ns);
		}
	measured_analyse(&m, NULL);
	row = m.a.variants[0].quality.rows[1];
	measured_release(&m);
	return row;
}

static void test_second_stage_sets_the_pace(void **state)
{
	struct synthetic_options o = veth();
	struct quality_row row;

	o.busy = 2.0 / 3;
	row = paced_by_stage(&o, 1, 0.5, 0);
	assert_string_equal(row.gate, "second-stage-pace");
	assert_false(row.ok);
	near_to(row.value, 66.67, 0.01);
	assert_non_null(strstr(row.note, "busy for 50 % of the time on the generator's CPU"));
	row = paced_by_stage(&o, 2, 0.95, 0);
	assert_string_equal(row.gate, "second-stage-pace");
	assert_null(strstr(row.note, "generator"));
	/* neither of them waits for it */
	assert_string_equal(paced_by_stage(&o, 2, 0.5, 0).gate, "saturation");
	assert_string_equal(paced_by_stage(&o, 1, 0.5, 1e6).gate, "saturation");
	o.busy = 1;
	assert_string_equal(paced_by_stage(&o, 1, 0.5, 0).gate, "saturation");
}

/* The row that holds samples against busy time, where the kernel's clock ran that much faster in every other block. */
static struct quality_row sampled_against_clock(double even, double odd)
{
	struct synthetic_options o = veth();
	struct quality_row row;
	struct measured m;

	measured_record(&m, &o);
	for (size_t i = 0; i < m.run.nblocks; i++)
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++)
			m.run.blocks[i].windows[k].busy_ns *= m.run.blocks[i].round % 2 ? odd : even;
	measured_analyse(&m, NULL);
	row = *gate(&m.a.variants[0].quality, "sampled-busy");
	measured_release(&m);
	return row;
}

static void test_samples_against_the_clock(void **state)
{
	struct quality_row row;

	assert_true(sampled_against_clock(1, 1).ok);
	row = sampled_against_clock(0.9, 0.9);
	near_to(row.value, 11.1, 0.3);
	assert_false(row.ok);
	row = sampled_against_clock(0.91, 1); /* by 10 % more and by nothing, which chance explains */
	near_to(row.value, 5, 0.5);
	assert_true(row.ok);
	assert_non_null(strstr(row.note, "cannot tell"));
}

/* The same without a kernel clock: the busy part comes from samples that are not idle. */
static void test_busy_time_from_samples(void **state)
{
	struct synthetic_options o = veth();
	const struct analysis_variant *v;
	struct measured m;

	o.busy = 2.0 / 3;
	o.threaded = false;
	measure(&m, &o);
	v = analysis_find(&m.a, "drop/no-touch@native", NULL);
	assert_true(v->busy_estimated);
	near_to(v->busy_pct, 66.67, 0.5);
	near_to(v->base_ns, 80, 0.9);
	near_to(row_named(v->facilities, v->nfacilities, "BPF program")->self_ns, 3, 0.15);
	assert_non_null(strstr(gate(&v->quality, "saturation")->note, "from the samples"));
	measured_release(&m);
}

/* Neither a kernel clock nor an event that measures time: the base is by rate, and the gate says so. */
static void test_busy_time_unknown(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	const struct analysis_variant *v;
	struct measured m;

	o.threaded = false;
	measure(&m, &o);
	analysis_release(&m.a);
	strcpy(m.run.event, "cycles");
	for (size_t i = 0; i < m.run.nblocks; i++)
		m.run.blocks[i].script[0] = '\0';
	ao = (struct analysis_options){};
	assert_int_equal(analysis_build(&m.a, &m.run, folder, m.f, &ao, &d), 0);
	v = &m.a.variants[0];
	assert_true(isnan(v->busy_pct) && isnan(v->base_by_busy_ns));
	near_to(v->base_ns, 80, 0.4);
	assert_false(gate(&v->quality, "saturation")->ok);
	assert_non_null(strstr(gate(&v->quality, "saturation")->note, "by rate"));
	measured_release(&m);
}

/* Samples in cycles of a CPU at 1 GHz that works two thirds of the time. */
static void test_busy_time_from_cycles(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	o.threaded = false;
	o.busy = 2.0 / 3;
	measured_record(&m, &o);
	strcpy(m.run.event, "cycles");
	for (size_t i = 0; i < m.run.nblocks; i++)
		for (size_t k = 0; k < m.run.blocks[i].nwindows; k++)
			m.run.blocks[i].windows[k].freq_khz = 1e6; /* a weight of 1 in the texts is 1 ns */
	measured_analyse(&m, NULL);
	near_to(m.a.variants[0].busy_pct, 66.67, 0.5);
	near_to(m.a.variants[0].base_ns, 80, 0.9);
	assert_true(gate(&m.a.variants[0].quality, "frequency")->ok);
	measured_release(&m);
}

/* A third of the packets on another CPU, one in a thousand on yet another: two receivers, the second one told. */
static void two_cpus(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_window *w = &r->blocks[i].windows[k];
			uint64_t packets = w->cpus[0].verdicts[RUN_DROP];

			run_add_cpu(w, 300)->verdicts[RUN_DROP] = packets / 3;
			run_add_cpu(w, 7)->verdicts[RUN_DROP] = packets / 1000;
			w->cpus[0].verdicts[RUN_DROP] -= packets / 3 + packets / 1000;
		}
}

/* Three with as many packets each, and a fourth with a few more. */
static void four_cpus(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_window *w = &r->blocks[i].windows[k];
			uint64_t packets = w->cpus[0].verdicts[RUN_DROP];

			w->cpus[0].verdicts[RUN_DROP] = packets / 5;
			run_add_cpu(w, 9)->verdicts[RUN_DROP] = packets / 5;
			run_add_cpu(w, 0)->verdicts[RUN_DROP] = packets / 5;
			run_add_cpu(w, 5)->verdicts[RUN_DROP] = packets - 3 * (packets / 5);
		}
}

/* Most packets first, and where they are equal the lower number. */
static void test_order_of_receivers(void **state)
{
	const int want[] = {5, 0, 1, 9};
	struct measured m;

	measured_broken(&m, four_cpus);
	assert_int_equal(m.a.variants[0].ncpus, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(m.a.variants[0].cpus[i].cpu, want[i]);
	measured_release(&m);
}

static void test_receivers_one_by_one(void **state)
{
	const struct analysis_variant *v;
	struct measured m;

	measured_broken(&m, two_cpus);
	v = &m.a.variants[0];
	assert_int_equal(v->ncpus, 2);
	assert_int_equal(v->cpus[0].cpu, 1);
	assert_int_equal(v->cpus[1].cpu, 300);
	near_to(v->cpus[1].packets / v->packets, 1.0 / 3, 1e-6);
	near_to(v->cpus[1].pps, v->pps / 3, 10);
	near_to(v->cpus[0].busy_pct, 100, 1e-9);
	near_to(v->cpus[0].base_ns, v->base_ns / (2.0 / 3 - 0.001),
		0.01); /* all the busy time, and two thirds of the packets */
	assert_true(isnan(v->cpus[1].busy_pct) && isnan(v->cpus[1].base_ns));
	assert_false(gate(&v->quality, "cpus")->ok); /* only one was measured */
	near_to(v->base_ns, 80, 0.3);
	measured_release(&m);
}

/*
 * In every second block a sample stands for twice the time. As many samples of each kind are worth
 * (1 + 2)^2 / (2 (1 + 4)) of as many like ones.
 */
static void test_rates_that_differ(void **state)
{
	struct synthetic_options o = veth();
	struct measured m, plain;

	measure(&plain, &o);
	measured_record(&m, &o);
	for (size_t i = 0; i < m.run.nblocks; i++) {
		struct run_block *b = &m.run.blocks[i];
		char command[400];

		b->seal.bytes = -1;
		snprintf(command, sizeof(command), "sed -i 's/: 2518891 cpu/: 5037782 cpu/' '%s/%s'", m.path,
			 b->script);
		if (b->round % 2)
			assert_int_equal(system(command), 0);
	}
	measured_analyse(&m, NULL);
	for (size_t i = 0; i < m.a.nvariants; i++) {
		const struct analysis_variant *v = &m.a.variants[i], *p = &plain.a.variants[i];

		near_to(v->design_effect / p->design_effect, 10 / 9.0, 0.01);
		near_to(v->n_eff * v->design_effect, (double)p->samples, 0.01);
		near_to(v->sum_ns / p->sum_ns, 1.5, 0.01);
	}
	measured_release(&m);
	measured_release(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_cpu_costs_busy_time),   cmocka_unit_test(test_waits),
		cmocka_unit_test(test_second_stage_sets_the_pace), cmocka_unit_test(test_samples_against_the_clock),
		cmocka_unit_test(test_busy_time_from_samples),     cmocka_unit_test(test_busy_time_unknown),
		cmocka_unit_test(test_busy_time_from_cycles),      cmocka_unit_test(test_order_of_receivers),
		cmocka_unit_test(test_receivers_one_by_one),       cmocka_unit_test(test_rates_that_differ),
	};

	return cmocka_run_group_tests_name("busy time", tests, make_folder, remove_folder);
}
