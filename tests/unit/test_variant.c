// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words of a variant, ACTION/OPERATION[+PLANT]@MODE: what they mean, and which are refused with which sentence.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static void test_variant_words(void **state)
{
	struct diag d = {""};
	struct run_variant v;

	(void)state;
	assert_int_equal(run_variant_parse(&v, "aborted/parse-ip@hw", &d), 0);
	assert_string_equal(v.id, "aborted/parse-ip@hw");
	assert_string_equal(v.action, "aborted");
	assert_string_equal(v.operation, "parse-ip");
	assert_string_equal(v.mode, "hw");
	assert_int_equal(run_variant_parse(&v, "drop/no-touch", &d), -EINVAL);
	assert_non_null(strstr(d.text, "ACTION/OPERATION@MODE"));
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "dropp/no-touch@skb", &d), -EINVAL);
	assert_string_equal(d.text, "unknown action \"dropp\"; known: drop pass tx aborted redirect "
				    "redirect-cpu xsk");
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/touch@skb", &d), -EINVAL);
	assert_non_null(strstr(d.text, "known: no-touch read-data parse-ip swap-macs"));
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/no-touch@nativ", &d), -EINVAL);
	assert_string_equal(d.text, "unknown mode \"nativ\"; known: native skb hw");
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "tx/no-touch@native", &d), -EINVAL);
	assert_non_null(strstr(d.text, "its own source address"));
	assert_int_equal(v.id[0], 0);
}

static void takes(const char *id, enum run_stage stage, const char *target, int cpu)
{
	struct diag d = {""};
	struct run_variant v;

	assert_int_equal(run_variant_parse(&v, id, &d), 0);
	assert_string_equal(v.id, id);
	assert_int_equal(v.stage, stage);
	assert_string_equal(v.target, target);
	assert_int_equal(v.stage_cpu, cpu);
}

static void refuses(const char *id, const char *saying)
{
	struct diag d = {""};
	struct run_variant v;

	assert_int_equal(run_variant_parse(&v, id, &d), -EINVAL);
	assert_non_null(strstr(d.text, saying));
	assert_int_equal(v.id[0], 0);
}

static void test_redirect_variants(void **state)
{
	struct diag d = {""};
	struct run_variant v;

	(void)state;
	takes("drop/no-touch@native", RUN_STAGE_NONE, "", -1);
	takes("redirect/no-touch@native", RUN_STAGE_DEVICE, "", -1);
	takes("redirect:eth0.5@x/swap-macs@skb", RUN_STAGE_DEVICE, "eth0.5@x", -1);
	takes("redirect-cpu/parse-ip@skb", RUN_STAGE_CPU, "", -1);
	takes("redirect-cpu:0/no-touch+chain50@native", RUN_STAGE_CPU, "0", 0);
	takes("xsk/no-touch@native", RUN_STAGE_SOCKET, "", -1);
	takes("xsk:copy/read-data@skb", RUN_STAGE_SOCKET, "copy", -1);
	takes("xsk:zero-copy/no-touch@native", RUN_STAGE_SOCKET, "zero-copy", -1);
	assert_int_equal(run_variant_parse(&v, "redirect-cpu:007/no-touch@skb", &d), 0);
	assert_string_equal(v.id, "redirect-cpu:7/no-touch@skb");
	assert_int_equal(v.stage_cpu, 7);
	refuses("redirect:/no-touch@native", "name a device");
	refuses("redirect:a-name-that-is-too-long/no-touch@native", "name a device");
	refuses("redirect-cpu:/no-touch@native", "name a CPU");
	refuses("redirect-cpu:1x/no-touch@native", "by its number");
	refuses("redirect-cpu:-1/no-touch@native", "by its number");
	refuses("redirect-cpu:+1/no-touch@native", "by its number");
	refuses("redirect-cpu:65536/no-touch@native", "by its number");
	refuses("redirect-cpu:99999999999999/no-touch@native", "by its number");
	refuses("xsk:fast/no-touch@native", "known: copy zero-copy");
	refuses("xsk:zero-copy/no-touch@skb", "only native");
	refuses("xsk/bare@native", "bare only drops");
	refuses("drop:eth0/no-touch@native", "has no target");
}

static void test_planted_variants(void **state)
{
	struct diag d = {""};
	struct run_variant v;

	(void)state;
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain50@skb", &d), 0);
	assert_string_equal(v.id, "drop/no-touch+chain50@skb");
	assert_string_equal(v.operation, "no-touch");
	assert_string_equal(v.plant, "chain");
	assert_true(v.plant_asked_ns == 50 && v.plant_ns == 0 && v.plant_steps == 0);
	assert_int_equal(run_variant_parse(&v, "tx/swap-macs+walk0012.5@native", &d), 0);
	assert_string_equal(v.id, "tx/swap-macs+walk12.5@native");
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain5x@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain10001@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+50@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch@skb+chain50", &d), -EINVAL);
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/bare+chain50@skb", &d), -EINVAL);
	assert_non_null(strstr(d.text, "bare cannot carry a plant"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variant_words),
		cmocka_unit_test(test_redirect_variants),
		cmocka_unit_test(test_planted_variants),
	};

	return cmocka_run_group_tests_name("variant", tests, make_folder, remove_folder);
}
