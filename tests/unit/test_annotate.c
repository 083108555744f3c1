// SPDX-License-Identifier: GPL-2.0-or-later
/* Shares of instructions and of source lines, out of old and new perf annotate. */
#include "perfparse/annotate.h"
#include "tests/unit/unit.h"

static int read_text(struct annotate_list *l, const char *text, struct diag *d)
{
	FILE *in = stream_of(text);
	struct linescan lines;
	int err;

	d->text[0] = '\0';
	linescan_init(&lines, in);
	err = annotate_read(l, &lines, d);
	linescan_release(&lines);
	fclose(in);
	return err;
}

#define NEW_TEXT                                                                                                       \
	"   75.70 cpu.c:143\n"                                                                                         \
	" Percent |\tSource code & Disassembly of xdpzoom for cpu-clock (1951 samples, percent: "                      \
	"local period)\n"                                                                                              \
	"--------------------\n         : 5    0000000000009f40 <ping_answer>:\n         : 6    "                      \
	"ping_answer():\n"                                                                                             \
	"         : 143  if (flag == want)\n    0.05 :   9f75:   mov    (%rbx),%edx\n"                                 \
	"   75.70 :   9f77:   cmp    %ecx,%edx // cpu.c:143\n"                                                         \
	"         : 142  for (turns = 0;;)\n   24.14 :   9f73:   je     9f8b <ping_answer+0x4b> "                      \
	"// cpu.c:142\n"                                                                                               \
	"    0.00 :   9f79:   jne    9f70 <ping_answer+0x30>\n"                                                        \
	" Percent |\tSource code & Disassembly of vmlinux for cycles\n"                                                \
	"         :\tffffffff816d2b10 <__build_skb>:\n   75.65 :\tffffffff816d2b43:\trep stos "                        \
	"%rax,%es:(%rdi)\n"

static void test_symbols_instructions_sources(void **state)
{
	struct annotate_list l;
	struct annotate sources;
	struct diag d;

	assert_int_equal(read_text(&l, NEW_TEXT, &d), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.symbols[0].symbol, "ping_answer");
	assert_string_equal(l.symbols[0].event, "cpu-clock");
	assert_int_equal(l.symbols[0].samples, 1951);
	assert_int_equal(l.symbols[0].nrows, 3);
	assert_string_equal(l.symbols[0].rows[0].source, "143 if (flag == want)");
	assert_string_equal(l.symbols[0].rows[1].instruction, "cmp    %ecx,%edx");
	assert_int_equal(l.symbols[0].rows[1].address, 0x9f77);
	assert_string_equal(l.symbols[0].rows[1].source, "143 if (flag == want)");
	assert_string_equal(l.symbols[1].symbol, "__build_skb");
	assert_string_equal(l.symbols[1].rows[0].instruction, "rep stos %rax,%es:(%rdi)");
	assert_true(l.symbols[1].rows[0].pct == 75.65);
	assert_null(l.symbols[1].rows[0].source);
	assert_int_equal(annotate_by_source(&l.symbols[0], &sources), 0);
	assert_int_equal(sources.nrows, 2);
	assert_string_equal(sources.rows[0].source, "143 if (flag == want)");
	annotate_release(&sources);
	annotate_list_release(&l);
	annotate_list_release(&l);
}

static void test_refusals(void **state)
{
	struct annotate_list l;
	struct diag d;

	assert_int_equal(read_text(&l, "hello\n", &d), -EINVAL);
	assert_int_equal(read_text(&l,
				   " Percent |\tSource code & Disassembly of vmlinux for cycles\n"
				   "   60.00 :\t1:\tnop\n   60.00 :\t2:\tnop\n",
				   &d),
			 -ERANGE);
	assert_int_equal(read_text(&l,
				   " Percent |\tSource code & Disassembly of vmlinux for cycles\n"
				   "   60.00   30.00 :\t1:\tnop\n",
				   &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "side by side"));
	assert_null(l.symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_instructions_sources),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
