// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of perf stat are read exactly in all three forms; what was not counted is never zero. */
#include "perfparse/perfstat.h"
#include "tests/unit/unit.h"

static int read_text(struct perfstat *s, const char *text, char separator, struct diag *d)
{
	FILE *in = stream_of(text);
	struct linescan lines;
	int err;

	d->text[0] = '\0';
	linescan_init(&lines, in);
	err = perfstat_read(s, &lines, separator, d);
	linescan_release(&lines);
	fclose(in);
	assert_true(err == 0 || d->text[0]);
	return err;
}

static struct perfstat good(const char *text, char separator)
{
	struct perfstat s;
	struct diag d;

	if (read_text(&s, text, separator, &d))
		fail_msg("%s", d.text);
	return s;
}

static void refuse(const char *text, const char *why)
{
	struct perfstat s;
	struct diag d;

	assert_int_equal(read_text(&s, text, 0, &d), -EINVAL);
	if (!strstr(d.text, why))
		fail_msg("'%s' says nothing of '%s'", d.text, why);
	assert_null(s.counts);
}

static const struct perfstat_count *count(const struct perfstat *s, const char *place, const char *event)
{
	size_t i;

	for (i = 0; i < s->ncounts; i++)
		if (!strcmp(s->counts[i].place, place) && !strcmp(s->counts[i].event, event))
			return &s->counts[i];
	fail_msg("no count of %s at '%s'", event, place);
	return NULL;
}

static void test_for_people(void **state)
{
	struct perfstat s = good("\n Performance counter stats for 'CPU(s) 7' (4 runs):\n\n"
				 "       349,830  L1-icache-load-misses      ( +-  0.53% )  (33.31%)\n"
				 " 3,989,134,732  cycles:k\n"
				 " 8,016,054,916  instructions:k # 2.01  insn per cycle       (+- 0.02%) (55.62%)\n"
				 "          0.52 msec cpu-clock                 #    0.010 CPUs utilized\n"
				 "   <not supported>      LLC-loads\n"
				 "     <not counted>      LLC-stores                    (0.00%)\n"
				 "                                                  #     15.3 frontend\n"
				 "                 7      napi:napi_poll\n\n"
				 "         0.0510533 +- 0.0000270 seconds time elapsed  ( +-  0.05% )\n"
				 "       0.001085000 seconds user\n",
				 0);
	const struct perfstat_count *c;

	assert_int_equal(s.ncounts, 7);
	assert_int_equal(s.runs, 4);
	assert_true(s.elapsed_s == 0.0510533);
	c = count(&s, "", "L1-icache-load-misses");
	assert_true(c->value == 349830 && c->variance_pct == 0.53 && c->running_pct == 33.31);
	c = count(&s, "", "instructions:k");
	assert_true(c->value == 8016054916.0 && c->metric == 2.01 && c->running_pct == 55.62);
	assert_string_equal(c->metric_unit, "insn per cycle");
	assert_string_equal(c->name, "instructions");
	assert_string_equal(c->modifiers, "k");
	assert_true(fabs(perfstat_ipc(&s, c) - 8016054916.0 / 3989134732.0) < 1e-12);
	c = count(&s, "", "cpu-clock");
	assert_string_equal(c->unit, "msec");
	assert_true(c->value == 0.52 && c->running_pct == 100 && isnan(c->variance_pct));
	assert_int_equal(count(&s, "", "LLC-loads")->state, PERFSTAT_NOT_SUPPORTED);
	assert_true(isnan(count(&s, "", "LLC-loads")->value));
	assert_int_equal(count(&s, "", "LLC-stores")->state, PERFSTAT_NOT_COUNTED);
	assert_string_equal(count(&s, "", "napi:napi_poll")->name, "napi:napi_poll");
	perfstat_release(&s);
	perfstat_release(&s);
}

static void test_hybrid_is_not_added(void **state)
{
	struct perfstat s = good("98,571,874,480 cpu_atom/cycles/ (0.10%)\n"
				 "134,732,064,800 cpu_core/cycles/ (99.90%)\n"
				 "75,889,748,906 cpu_atom/instructions/ # 0.77 insn per cycle (0.10%)\n"
				 "159,098,987,713 cpu_core/instructions/u # 1.18 insn per cycle (99.90%)\n"
				 "159,098,987,713 cpu_core/instructions/ # 1.18 insn per cycle (99.90%)\n"
				 "33.004738330 seconds time elapsed\n",
				 0);

	assert_int_equal(s.ncounts, 5);
	assert_string_equal(s.counts[0].pmu, "cpu_atom");
	assert_string_equal(s.counts[0].name, "cycles");
	assert_true(fabs(perfstat_ipc(&s, &s.counts[2]) - 0.7699) < 1e-4);
	assert_true(isnan(perfstat_ipc(&s, &s.counts[3])));
	assert_true(fabs(perfstat_ipc(&s, &s.counts[4]) - 1.1809) < 1e-4);
	perfstat_release(&s);
}

static void test_pmu_behind_the_event(void **state)
{
	struct perfstat s = good("CPU0   1.77 msec cpu-clock [software]   #    1.011 CPUs utilized\n"
				 "CPU0     1,000 cycles:u [cpu_core]\n"
				 "CPU0     4,000 cycles:u [cpu_atom]\n"
				 "CPU0     <not counted> instructions [cpu_atom]\n"
				 "CPU0,2000,,instructions:u [cpu_core],1241301,100.00,,\n"
				 "CPU1     3,000 cycles:u [cpu/core]\n", /* not cpu/cycles/ */
				 0);

	assert_int_equal(s.ncounts, 6);
	assert_string_equal(s.counts[5].name, "cycles");
	assert_string_equal(s.counts[5].pmu, "cpu/core");
	assert_string_equal(s.counts[0].name, "cpu-clock");
	assert_string_equal(s.counts[0].pmu, "software");
	assert_string_equal(s.counts[1].name, "cycles");
	assert_string_equal(s.counts[1].modifiers, "u");
	assert_int_equal(s.counts[3].state, PERFSTAT_NOT_COUNTED);
	assert_true(perfstat_ipc(&s, &s.counts[4]) == 2);
	perfstat_release(&s);
}

static void test_places_and_intervals(void **state)
{
	struct perfstat s = good("CPU0                    52.63 msec cpu-clock      #    1.009 CPUs utilized\n"
				 "CPU1          <not supported>      cycles\n"
				 "S0-D0-C1           2              51.10 msec cpu-clock\n",
				 0);

	assert_true(count(&s, "CPU0", "cpu-clock")->value == 52.63);
	assert_int_equal(count(&s, "CPU1", "cycles")->state, PERFSTAT_NOT_SUPPORTED);
	assert_true(count(&s, "S0-D0-C1", "cpu-clock")->value == 51.10);
	perfstat_release(&s);

	s = good("      a b: 1-4883               0.52 msec cpu-clock\n"
		 "      a b: 1-4883      <not counted>      cycles\n"
		 "hello 12 world\n",
		 0);
	assert_int_equal(s.ncounts, 2);
	assert_true(count(&s, "a b: 1-4883", "cpu-clock")->value == 0.52);
	assert_int_equal(count(&s, "a b: 1-4883", "cycles")->state, PERFSTAT_NOT_COUNTED);
	perfstat_release(&s);

	s = good("#           time             counts unit events\n"
		 "     0.020092130              40.5 msec cpu-clock   #    2.019 CPUs utilized\n"
		 "     0.020092130                 46      context-switches\n"
		 "     0.040351477              40.25 msec cpu-clock\n"
		 "     0.040351477   <not counted>      context-switches\n",
		 0);
	assert_int_equal(s.ncounts, 2);
	assert_true(s.counts[0].value == 80.75);
	assert_int_equal(s.counts[1].state, PERFSTAT_NOT_COUNTED);
	assert_true(isnan(s.counts[1].value)); /* 46 would be a part of it */
	assert_true(s.elapsed_s == 0.040351477);
	perfstat_release(&s);
}

static void test_fields(void **state)
{
	struct perfstat s = good("0.47,msec,cpu-clock,21.30%,472510,90.00,0.009,CPUs utilized\n"
				 "<not supported>,,cycles,0,100.00,,\n"
				 ",,,,,,0.15,frontend\n"
				 "7,,cpu/event=0x3c,umask=0/u,472510,100.00,,\n",
				 0);

	assert_int_equal(s.ncounts, 3);
	assert_true(s.counts[0].value == 0.47 && s.counts[0].variance_pct == 21.3 && s.counts[0].running_pct == 90);
	assert_int_equal(s.counts[1].state, PERFSTAT_NOT_SUPPORTED);
	assert_string_equal(s.counts[2].event, "cpu/event=0x3c,umask=0/u");
	assert_string_equal(s.counts[2].pmu, "cpu");
	perfstat_release(&s);

	s = good("     0.020108369;S0-D0-C0;1;13;;context-switches;40368198;100.00;322.063;/sec\n"
		 "     0.020108369;S0-D0-C1;1;<not counted>;;context-switches;0;100.00;;\n"
		 "     0.040108369;S0-D0-C0;1;14;;context-switches;40368198;100.00;322.063;/sec\n",
		 ';');
	assert_true(count(&s, "S0-D0-C0", "context-switches")->value == 27);
	assert_int_equal(count(&s, "S0-D0-C1", "context-switches")->state, PERFSTAT_NOT_COUNTED);
	perfstat_release(&s);

	s = good("CPU7,16,,cycles,52646048,100.00,303.920,/sec\n", 0);
	assert_true(count(&s, "CPU7", "cycles")->value == 16);
	perfstat_release(&s);
}

static void test_json(void **state)
{
	struct perfstat s = good("{\"interval\" : 0.5, \"cpu\" : \"3\", \"counter-value\" : \"20.199427\", \"unit\" "
				 ": \"msec\", \"event\" : "
				 "\"cpu-clock\", \"variance\" : 1.5, \"event-runtime\" : 1, \"pcnt-running\" : "
				 "50.00}\n"
				 "{\"core\" : \"S0-D0-C0\", \"counters\" : 1, \"counter-value\" : 7, \"unit\" : "
				 "\"\", \"event\" : \"cycles\", "
				 "\"pcnt-running\" : \"99.5\"}\n"
				 "{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"LLC\"}\n"
				 "{\"metric-value\" : 1.0, \"metric-unit\" : \"frontend\"}\n",
				 0);

	assert_int_equal(s.ncounts, 3);
	assert_true(count(&s, "CPU3", "cpu-clock")->value == 20.199427);
	assert_true(s.counts[0].variance_pct == 1.5 && s.counts[0].running_pct == 50);
	assert_true(s.counts[0].runtime_ns == 1 && isnan(s.counts[1].runtime_ns));
	assert_true(count(&s, "S0-D0-C0", "cycles")->value == 7 && s.counts[1].running_pct == 99.5);
	assert_true(isnan(count(&s, "", "LLC")->value));
	perfstat_release(&s);
}

static void test_refusals(void **state)
{
	refuse("hello\n", "perf stat");
	refuse(" 98.571.874.480 cycles\n", "LC_ALL=C");
	refuse("          0,52 msec cpu-clock\n", "LC_ALL=C");
	refuse("         1.138 context-switches\n", "LC_ALL=C");
	refuse("0,47,msec,cpu-clock,472510,100,00,0,009,CPUs utilized\n", "LC_ALL=C");
	refuse("0,47;msec;cpu-clock;472510;100,00;0,009;CPUs utilized\n", "LC_ALL=C");
	refuse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"pcnt-running\" : 100,00}\n", "LC_ALL=C");
	refuse(" Performance counter stats for 'a':\n 1 cycles\n Performance counter stats for "
	       "'b':\n",
	       "second output");
	refuse(" 1 cycles\n 2 cycles\n", "twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_for_people),
		cmocka_unit_test(test_hybrid_is_not_added),
		cmocka_unit_test(test_pmu_behind_the_event),
		cmocka_unit_test(test_places_and_intervals),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
