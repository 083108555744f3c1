// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words of a variant, ACTION/OPERATION[+PLANT]@MODE: what they mean, and which are refused with which sentence.
 */
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static void test_variant_words(void **state)
{
	struct diag d = {""};
	struct run_variant v;

	assert_int_equal(run_variant_parse(&v, "aborted/parse-ip@hw", &d), 0);
	assert_string_equal(v.id, "aborted/parse-ip@hw");
	assert_int_equal(v.action, RUN_ACTION_ABORTED);
	assert_int_equal(v.operation, RUN_PARSE_IP);
	assert_int_equal(v.mode, RUN_MODE_HW);
	assert_int_equal(run_variant_parse(&v, "dropp/no-touch@skb", &d), -EINVAL);
	assert_string_equal(d.text, "unknown action \"dropp\"; did you mean drop? Known: drop pass tx aborted redirect "
				    "redirect-cpu xsk");
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/touch@skb", &d), -EINVAL);
	assert_non_null(strstr(d.text, "known: no-touch read-data parse-ip swap-macs"));
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/no-touch@nativ", &d), -EINVAL);
	assert_string_equal(d.text, "unknown mode \"nativ\"; did you mean native? Known: native skb hw");
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
	refuses("redirect:\x1b[31mX/no-touch@skb", "no device has such a name");
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

	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain50@skb", &d), 0);
	assert_string_equal(v.id, "drop/no-touch+chain50@skb");
	assert_int_equal(v.operation, RUN_NO_TOUCH);
	assert_int_equal(v.plant, RUN_PLANT_CHAIN);
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

static void watches(const char *id, const char *canonical, const char *observer)
{
	struct diag d = {""};
	struct run_variant v;

	assert_int_equal(run_variant_parse(&v, id, &d), 0);
	assert_string_equal(v.id, canonical);
	assert_string_equal(run_observer_words[v.observer], observer);
}

static void test_observers(void **state)
{
	char long_id[RUN_ID_BYTES + 64] = "prog:";
	struct run_variant v;

	watches("drop/no-touch@skb", "drop/no-touch@skb", "");
	watches("drop/no-touch+observer:tc@skb", "drop/no-touch+observer:tc@skb", "tc");
	watches("drop/no-touch+chain050+observer:bpf-stats@native", "drop/no-touch+chain50+observer:bpf-stats@native",
		"bpf-stats");
	watches("prog:a+observer:x@y.o:fw+observer:fexit@native", "prog:a+observer:x@y.o:fw+observer:fexit@native",
		"fexit");
	assert_int_equal(run_variant_parse(&v, "prog:a+observer:x@y.o:fw+observer:fexit@native", NULL), 0);
	assert_string_equal(v.target, "a+observer:x@y.o:fw");
	refuses("drop/no-touch+observer:@skb", "known: bpf-stats packet-socket fexit dispatcher tc ftrace");
	refuses("drop/no-touch+observer:tcp@skb", "unknown observer \"tcp\"");
	refuses("drop/no-touch+observer:tc", "write the mode behind the observer");
	refuses("drop/no-touch+observer:tc+chain50@skb", "unknown observer");
	refuses("rung:tc+observer:ftrace@skb", "unknown rung");
	/* The list of all rungs, to its end, behind the longest word that the sentence repeats. */
	refuses("rung:a-word-that-nobody-knows-and-that-is-longer-than-what-a-sentence-repeats-of-it", " tcp-uring");
	memset(long_id + 5, 'a', RUN_ID_BYTES - 16);
	strcat(long_id, "+observer:dispatcher@skb");
	refuses(long_id, "too long");
}

/* Scripts know the sending ladders by their words. */
static void test_words_of_rungs_name_their_ladder(void **state)
{
	struct run_variant v;
	char id[64];

	for (int i = RUN_RUNG_NONE + 1; i < RUN_RUNGS; i++) {
		bool tcp = !strncmp(run_rungs[i].word, "tcp-", 4);

		snprintf(id, sizeof(id), "rung:%s", run_rungs[i].word);
		assert_int_equal(run_variant_parse(&v, id, NULL), 0);
		assert_int_equal(run_rung_is_tcp(&v), tcp);
		assert_int_equal(run_rung_sends(&v), tcp || !strncmp(run_rungs[i].word, "tx-", 3));
		assert_int_equal(v.stage == RUN_STAGE_READER, run_rungs[i].reader);
		assert_false(run_rung_forwards(&v) && run_rung_sends(&v));
	}
}

static void takes_own(const char *id, enum run_own_kind kind, const char *path, const char *name, uint32_t number)
{
	struct diag d = {""};
	struct run_variant v;
	struct run_own o;

	assert_int_equal(run_variant_parse(&v, id, &d), 0);
	assert_string_equal(v.id, id);
	assert_true(run_variant_is_own(&v));
	assert_int_equal(v.action, RUN_ACTION_PROG);
	assert_int_equal(v.operation, RUN_NO_OPERATION);
	assert_int_equal(v.stage, RUN_STAGE_NONE);
	assert_int_equal(v.stage_cpu, -1);
	assert_int_equal(run_own_parse(&o, v.target, &d), 0);
	assert_int_equal(o.kind, kind);
	assert_string_equal(o.path, path);
	assert_string_equal(o.name, name);
	assert_int_equal(o.id, number);
}

static void test_own_variants(void **state)
{
	char longest[400], path[200];

	takes_own("prog:fw.o@native", RUN_OWN_FILE, "fw.o", "", 0);
	takes_own("prog:/tmp/a/b.o:xdp_main@skb", RUN_OWN_FILE, "/tmp/a/b.o", "xdp_main", 0);
	takes_own("prog:a@b+c/x:1.o@native", RUN_OWN_FILE, "a@b+c/x:1.o", "", 0);
	takes_own("prog:x:y.o:z_1@native", RUN_OWN_FILE, "x:y.o", "z_1", 0);
	takes_own("prog:./id:7@native", RUN_OWN_FILE, "./id:7", "", 0);
	takes_own("prog:pinned:/sys/fs/bpf/fw@skb", RUN_OWN_PINNED, "/sys/fs/bpf/fw", "", 0);
	takes_own("prog:pinned:/sys/fs/bpf/a:b@skb", RUN_OWN_PINNED, "/sys/fs/bpf/a:b", "", 0);
	takes_own("prog:id:4294967295@native", RUN_OWN_ID, "", "", 4294967295U);
	refuses("prog:fw.o", "has no mode");
	refuses("prog:@native", "name an object file");
	refuses("prog:fw.o@hw", "known: native skb");
	refuses("prog:fw.o@", "known: native skb");
	refuses("prog::name@native", "name an object file");
	refuses("prog:pinned:@native", "name the path");
	refuses("prog:id:@native", "by its number");
	refuses("prog:id:0@native", "by its number");
	refuses("prog:id:-1@native", "by its number");
	refuses("prog:id:4294967296@native", "by its number");
	refuses("prog:id:7x@native", "by its number");
	refuses("prog:a b.o@native", "holds a blank");
	refuses("prog:a\"b.o@native", "a quotation mark");
	refuses("prog:a\nb.o@native", "a control character");
	snprintf(longest, sizeof(longest), "prog:%0199d@native", 7);
	snprintf(path, sizeof(path), "%0199d", 7);
	takes_own(longest, RUN_OWN_FILE, path, "", 0);
	snprintf(longest, sizeof(longest), "prog:%0200d@native", 7);
	refuses(longest, "longer than 199 characters");
	snprintf(longest, sizeof(longest), "prog:f.o:%064d@native", 7);
	longest[9] = 'n';
	refuses(longest, "the program's name is too long");
}

/* What people type stands for one variant. */
static void test_spelled_out(void **state)
{
	static const struct {
		const char *typed, *id;
	} all[] = {{"drop", "drop/no-touch@native"},
		   {"drop@generic", "drop/no-touch@skb"},
		   {"drop/read-data", "drop/read-data@native"},
		   {"drop/read-data@drv", "drop/read-data@native"},
		   {"tx@skb", "tx/swap-macs@skb"},
		   {"drop+chain50@skb", "drop/no-touch+chain50@skb"},
		   {"drop+observer:tc@skb", "drop/no-touch+observer:tc@skb"},
		   {"redirect:eth1", "redirect:eth1/no-touch@native"},
		   {"fw.o", "prog:fw.o@native"},
		   {"build/fw.o@generic", "prog:build/fw.o@skb"},
		   {"prog:fw.o", "prog:fw.o@native"}};
	struct run_variant v;
	struct diag d = {""};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_int_equal(run_variant_parse(&v, all[i].typed, &d), 0);
		assert_string_equal(v.id, all[i].id);
	}
	assert_int_equal(run_variant_parse(&v, "run1:drop", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "run1:fw.o", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop@natve", &d), -EINVAL);
	assert_non_null(strstr(d.text, "did you mean native?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spelled_out),
		cmocka_unit_test(test_variant_words),
		cmocka_unit_test(test_redirect_variants),
		cmocka_unit_test(test_planted_variants),
		cmocka_unit_test(test_observers),
		cmocka_unit_test(test_own_variants),
		cmocka_unit_test(test_words_of_rungs_name_their_ladder),
	};

	return cmocka_run_group_tests_name("variant", tests, make_folder, remove_folder);
}
