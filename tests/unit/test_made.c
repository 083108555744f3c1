// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run was made with: a compiler is read out of any line, and two sides differ only where both tell. */
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static void compiler(const char *version, const char *want)
{
	char have[MADE_COMPILER_BYTES];

	made_compiler(version, have, sizeof(have));
	assert_string_equal(have, want);
}

static void test_compilers(void **state)
{
	char line[1000] = "Linux version 6.1 (a@b) (", want[MADE_COMPILER_BYTES];

	compiler("Linux version 6.18.44 (builder@host) (gcc (GCC) 15.3.0, GNU ld (GNU Binutils) 2.46) #1 SMP",
		 "gcc (GCC) 15.3.0");
	compiler("Linux version 6.1.0-56-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU "
		 "ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.176-1 (2026-10-01)",
		 "gcc-12 (Debian 12.2.0-14) 12.2.0");
	compiler("Linux version 6.9 (me@here) (Ubuntu clang version 18.1.3 (1ubuntu1), Ubuntu LLD 18.1.3) #2",
		 "Ubuntu clang version 18.1.3 (1ubuntu1)");
	compiler("Linux version 4.9 (me@here) (gcc version 6.3.0 20170516 (Debian 6.3.0-18) ) #1",
		 "gcc version 6.3.0 20170516 (Debian 6.3.0-18) ");
	compiler("Linux version 6.9 (me(at)here) (gcc 13, GNU ld 2) #1", "gcc 13");
	compiler("", "");
	compiler("Linux version 6.9", "");
	compiler("Linux version 6.9 (me@here)", "");
	compiler("Linux version 6.9 (me@here) #1 SMP", "");
	compiler("Linux version 6.9 (me@here) (gcc 13", "");
	compiler("(((((", "");
	compiler(")(", "");
	memset(line + strlen(line), 'x', 960 - strlen(line));
	strcpy(line + 960, ", ld)");
	memset(want, 'x', sizeof(want));
	want[sizeof(want) - 1] = '\0';
	compiler(line, want);
}

static void test_tags(void **state)
{
	struct made_program p;

	made_program_init(&p);
	made_tag(&p, "nft_do_chain");
	made_tag(&p, "bpf_prog_8c434fd23c482af_short");
	made_tag(&p, "bpf_prog_8c434fd23c482af90_long");
	assert_string_equal(p.tag, "");
	made_tag(&p, "bpf_prog_8c434fd23c482af9_xdp_bench");
	assert_string_equal(p.tag, "8c434fd23c482af9");
}

static const struct made base = {"gcc 12", "6.12.1", {"aaaaaaaaaaaaaaaa", 16, 92}, "HZ=250\nUBSAN=n\n"};

static void differs(const struct made *new, const char *new_id, const char *want)
{
	char line[MADE_DIFFERS_BYTES];

	assert_int_equal(made_differs(&base, "drop/no-touch@native", new, new_id, line, sizeof(line)), want[0] != '\0');
	assert_string_equal(line, want);
}

static void test_differences(void **state)
{
	static const char *const id = "drop/no-touch@skb";
	const char *other = "program aaaaaaaaaaaaaaaa of 16 BPF instructions and 92 bytes of machine code, and "
			    "bbbbbbbbbbbbbbbb of 16 BPF instructions and 92 bytes of machine code";
	struct made new = base, none = {NULL, NULL, {"", -1, -1}, NULL};

	differs(&new, id, "");
	differs(&none, id, "");
	new.compiler = "gcc 14";
	differs(&new, id, "kernel by gcc 12 and gcc 14");
	differs(&new, "pass/no-touch@native", "kernel by gcc 12 and gcc 14");
	new.compiler = "x86_64-linux-gnu-gcc 12";
	differs(&new, id, "");
	new.compiler = "clang 12 (not-gcc 12)";
	differs(&new, id, "kernel by gcc 12 and clang 12 (not-gcc 12)");
	new = base;
	strcpy(new.program.tag, "bbbbbbbbbbbbbbbb");
	differs(&new, id, other);
	differs(&new, "drop/no-touch+again@native", "");
	new.kernel = "6.17.13+deb13-amd64";
	differs(&new, id, other);
	/* The same program has another tag from 6.18 on. */
	new.kernel = "6.18.0";
	differs(&new, id, "");
	new.kernel = "7.3.4+deb13-amd64";
	differs(&new, id, "");
	new.kernel = NULL;
	differs(&new, id, "");
	new.program.instructions = 51;
	differs(&new, id,
		"program aaaaaaaaaaaaaaaa of 16 BPF instructions and 92 bytes of machine code, and "
		"bbbbbbbbbbbbbbbb of 51 BPF instructions and 92 bytes of machine code");
	new = base;
	new.program.bytes = 0;
	new.compiler = "clang";
	differs(&new, id,
		"kernel by gcc 12 and clang; program aaaaaaaaaaaaaaaa of 16 BPF instructions and 92 bytes of machine "
		"code, and aaaaaaaaaaaaaaaa of 16 BPF instructions, interpreted");
	new.program.bytes = -1;
	new.program.instructions = -1;
	differs(&new, id, "kernel by gcc 12 and clang");
	new.config = "HZ=1000\nUBSAN=y\n";
	differs(&new, id, "kernel by gcc 12 and clang; kernel with HZ 250 and 1000, UBSAN n and y");
}

static void options(const char *a, const char *b, size_t size, const char *want, size_t n)
{
	char line[MADE_CONFIG_BYTES];

	assert_int_equal(made_config_differs(a, b, line, size), n);
	assert_string_equal(line, want);
}

static void test_options(void **state)
{
	const size_t all = MADE_CONFIG_BYTES;

	options(NULL, "A=y\n", all, "", 0);
	options("", "", all, "", 0);
	options("A=y\nB=n\n", "A=y\nB=n\n", all, "", 0);
	/* Names in the order of bytes; an option that one side alone has is no difference, wherever it stands. */
	options("A=y\nAB=n\nA_B=y\nZ=1\n", "A=n\nA0=y\nA_B=n\nB=y\nZ=10\n", all, "A y and n, A_B y and n, Z 1 and 10",
		3);
	options("AB=n\n", "A=y\nAB=y\nABC=y", all, "AB n and y", 1);
	options("A=1\nB=2\nC=3\n", "A=2\nB=3\nC=4\n", 54, "A 1 and 2, B 2 and 3, and 1 more", 3);
	options("A=1\nB=2\nC=3\n", "A=2\nB=3\nC=4\n", 20, "3 more", 3);
	assert_true(made_is_option("PAGE_POOL=y"));
	assert_true(made_is_option("HZ=-0x1f"));
	assert_false(made_is_option("HZ"));
	assert_false(made_is_option("HZ="));
	assert_false(made_is_option("=y"));
	assert_false(made_is_option("HZ=y\nA=y"));
	assert_false(made_is_option("CC_VERSION=\"gcc\""));
}

static void test_words(void **state)
{
	struct made m = {NULL, "6.12", {"aaaaaaaaaaaaaaaa", -1, -1}};
	char line[MADE_DIFFERS_BYTES] = "-";

	assert_false(made_words(&m, line, sizeof(line)));
	assert_string_equal(line, "-");
	m.compiler = "gcc 12";
	assert_true(made_words(&m, line, sizeof(line)));
	assert_string_equal(line, "kernel by gcc 12; program aaaaaaaaaaaaaaaa");
	m.program.tag[0] = '\0';
	made_words(&m, line, sizeof(line));
	assert_string_equal(line, "kernel by gcc 12; program not known");
	m = base;
	m.compiler = "";
	assert_true(made_words(&m, line, sizeof(line)));
	assert_string_equal(line,
			    "kernel by not known; program aaaaaaaaaaaaaaaa of 16 BPF instructions and 92 bytes of "
			    "machine code");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compilers), cmocka_unit_test(test_tags),  cmocka_unit_test(test_differences),
		cmocka_unit_test(test_options),   cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
