// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of perf script becomes exact counts, whatever its fields are and its tasks are called.
 */
#include "perfparse/script.h"
#include "perfparse/script_line.h"
#include "tests/unit/unit.h"

static const struct script_filter all = {.cpu = -1, .tid = -1};

#define TWO_STACKS                                                                                                     \
	"napi/veth0-8193  4883 [001]  1143.000000100:    1003009 cpu-clock: \n"                                        \
	"\tffffffff81aed969 veth_xdp_rcv_one ([kernel.kallsyms])\n"                                                    \
	"\tffffffff817e03c7 veth_poll+0x1f ([kernel.kallsyms])\n"                                                      \
	"\n"                                                                                                           \
	"swapper     0 [000]  1143.000000200:    1003009 cpu-clock: \n"                                                \
	"\tffffffff821f236b pv_native_safe_halt ([kernel.kallsyms])\n"                                                 \
	"\n"                                                                                                           \
	"napi/veth0-8193  4883 [001]  1143.000000300:    1003011 cpu-clock: \n"                                        \
	"\tffffffff81aed96d veth_xdp_rcv_one ([kernel.kallsyms])\n"                                                    \
	"\tffffffff817e03c7 veth_poll+0x23 ([kernel.kallsyms])\n"                                                      \
	"\n"

static int read_text(struct profile *p, const char *text, const struct script_filter *f, struct diag *d)
{
	FILE *in = stream_of(text);
	int err;

	d->text[0] = '\0';
	err = script_read(p, in, f, d);
	fclose(in);
	assert_true(err == 0 || d->text[0]);
	return err;
}

static const char *frame_name(const struct profile *p, size_t stack, unsigned int frame)
{
	return p->symbols[p->frames[p->stacks[stack].first + frame]].name;
}

static void test_equal_stacks_are_one(void **state)
{
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p, TWO_STACKS, &all, &d), 0);
	assert_int_equal(p.nstacks, 2);
	assert_int_equal(p.samples, 3);
	assert_true(p.weight == 1003009 * 2 + 1003011);
	assert_int_equal(p.stacks[0].samples, 2);
	assert_true(p.stacks[0].weight == 1003009 + 1003011);
	assert_string_equal(frame_name(&p, 0, 0), "veth_xdp_rcv_one");
	assert_string_equal(frame_name(&p, 0, 1), "veth_poll");
	assert_string_equal(p.symbols[0].dso, "[kernel.kallsyms]");
	assert_int_equal(p.symbols[0].space, SPACE_KERNEL);
	assert_string_equal(p.event, "cpu-clock");
	profile_release(&p);
	profile_release(&p);
}

static uint64_t count(const struct script_filter *f)
{
	struct profile p;
	struct diag d;
	uint64_t n;

	assert_int_equal(read_text(&p, TWO_STACKS, f, &d), 0);
	n = p.samples;
	profile_release(&p);
	return n;
}

static void test_filters(void **state)
{
	const uint64_t s = 1143000000000ull;
	struct script_span spans[] = {{s + 100, s + 200}, {s + 300, s + 301}};
	struct script_filter f = all;

	f.cpu = 1;
	assert_int_equal(count(&f), 2);
	f.cpu = 7;
	assert_int_equal(count(&f), 0);
	f = all;
	f.tid = 0;
	assert_int_equal(count(&f), 1);
	f = all;
	f.event = "cpu-clock";
	assert_int_equal(count(&f), 3);
	f = all;
	f.spans = spans;
	f.nspans = 2;
	assert_int_equal(count(&f), 2); /* from is inside, to is not */
	f.nspans = 1;
	assert_int_equal(count(&f), 1);
	f.nspans = 0;
	assert_int_equal(count(&f), 0);
}

/* What is picked from samples that were kept is what a reading with the same filter gives, to the last bit. */
static void test_samples_kept_and_picked(void **state)
{
	static const char text[] = TWO_STACKS "\nkworker/u9:0  77 [002]  1143.000000400:    7 cpu-clock: \n"
					      "\tffffffff817e03c7 veth_poll+0x23 ([kernel.kallsyms])\n"
					      "  source: 12 veth.c\tx = 1;\n\n" TWO_STACKS;
	static const struct script_span spans[] = {{1143000000000, 1143000000300, 0.3},
						   {1143000000400, UINT64_MAX, 0.7}};
	const struct script_filter filters[] = {
		{.cpu = 1, .tid = -1},
		{.cpu = 5, .tid = -1},
		{.cpu = 0, .tid = -1},
		{.cpu = -1, .tid = 77},
		{.cpu = -1, .tid = -1, .not_tid = 77},
		{.cpu = -1, .tid = -1, .spans = spans, .nspans = 2},
	};
	struct script_samples kept;
	struct diag d = {""};
	struct linescan lines;
	FILE *in = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct profile p, alone;

	linescan_init(&lines, in);
	assert_int_equal(script_keep(&kept, &lines, &all, &d), 0);
	linescan_release(&lines);
	fclose(in);
	assert_int_equal(kept.n, kept.profile.samples);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		assert_int_equal(read_text(&alone, text, &filters[i], &d), 0);
		assert_int_equal(script_pick(&p, &kept, &filters[i], &d), 0);
		assert_true(p.samples == alone.samples && p.weight == alone.weight && p.weightless == alone.weightless);
		assert_string_equal(p.event, alone.event);
		assert_true(p.nsymbols == alone.nsymbols && p.nstacks == alone.nstacks && p.nlines == alone.nlines);
		for (size_t k = 0; k < alone.nstacks; k++) {
			assert_true(p.stacks[k].weight == alone.stacks[k].weight);
			assert_int_equal(p.stacks[k].depth, alone.stacks[k].depth);
			assert_string_equal(frame_name(&p, k, 0), frame_name(&alone, k, 0));
		}
		for (size_t k = 0; k < alone.nlines; k++) {
			assert_true(p.lines[k].weight == alone.lines[k].weight);
			assert_int_equal(p.lines[k].symbol, alone.lines[k].symbol);
			assert_string_equal(p.lines[k].words, alone.lines[k].words);
		}
		profile_release(&p);
		profile_release(&alone);
	}
	script_samples_release(&kept);
}

/* Another CPU may have another event, as those of two kinds do; one profile has one. */
static void test_events_of_kept_samples(void **state)
{
	static const char text[] = "a 7 [001]  1.0: 5 cpu_core/cycles/: \n\tffffffff817e03c7 f ([k])\n\n"
				   "a 7 [002]  1.1: 6 cpu_atom/cycles/: \n\tffffffff817e03c7 f ([k])\n\n";
	struct script_filter one = {.cpu = 2, .tid = -1};
	struct script_samples kept;
	struct diag d = {""};
	struct linescan lines;
	FILE *in = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct profile p;

	linescan_init(&lines, in);
	assert_int_equal(script_keep(&kept, &lines, &all, &d), 0);
	linescan_release(&lines);
	fclose(in);
	assert_int_equal(script_pick(&p, &kept, &one, &d), 0);
	assert_true(p.samples == 1 && p.weight == 6);
	assert_string_equal(p.event, "cpu_atom/cycles/");
	profile_release(&p);
	assert_int_equal(script_pick(&p, &kept, &all, &d), -EINVAL);
	assert_string_equal(d.text, "several events, pick one: cpu_core/cycles/, cpu_atom/cycles/");
	script_samples_release(&kept);
}

static void test_samples_without_stacks(void **state)
{
	static const char text[] = "         swapper     0 [000]  1143.997871745:    1003009 cpu-clock:  "
				   "ffffffff821f236b pv_native_safe_halt ([kernel.kallsyms])\n"
				   "              sh  4881 [001]  1143.997888404:    1003009 cpu-clock:      "
				   "7f392fed769e handle_amd (/usr/lib/ld-linux-x86-64.so.2)";
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p, text, &all, &d), 0);
	assert_int_equal(p.nstacks, 2);
	assert_string_equal(frame_name(&p, 1, 0), "handle_amd");
	assert_int_equal(p.symbols[1].space, SPACE_USER);
	profile_release(&p);
}

static void test_field_variants(void **state)
{
	static const char *const texts[] = {
		/* perf script's own defaults */
		"dd  4883 [001]  1143.997871:     250000 cpu-clock:pppH: \n\tffffffff81aed969 "
		"f+0x1 (/lib/modules/veth.ko)\n\n",
		/* pid/tid, misc, no event, no period */
		"dd  4880/4883 [001] K   1143.997871: \n\tffffffff81aed969 f ([veth])\n\n",
		/* no cpu */
		"dd  4883  1143.997871: cpu-clock: \n\tffffffff81aed969 f ([veth])\n\n",
		/* no time */
		"dd  4883 [001]     250000 cycles:k: \n\tffffffff81aed969 f ([veth])\n\n",
		/* nothing but frames */
		"\n\tffffffff81aed969 f\n\n",
		/* header comments, source lines, carriage returns */
		"# captured on: today\r\n#\r\ndd  4883 [001]  1.5:  250000 cycles: \r\n"
		"\tffffffff81aed969 f+0x10 ([veth])\r\n  veth.c:12\r\n\r\n",
	};
	struct profile p;
	struct diag d;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(read_text(&p, texts[i], &all, &d), 0);
		assert_int_equal(p.samples, 1);
		assert_int_equal(p.nsymbols, 1);
		assert_string_equal(p.symbols[0].name, "f");
		assert_int_equal(p.symbols[0].space, SPACE_KERNEL);
		assert_true(p.weight == (strstr(texts[i], "250000") ? 250000 : 1));
		profile_release(&p);
	}
}

static void check_header(const char *line, int tid, int cpu, uint64_t time_ns, const char *event)
{
	struct script_header h;

	assert_true(script_parse_header(&h, line, strlen(line)));
	assert_int_equal(h.tid, tid);
	assert_int_equal(h.cpu, cpu);
	assert_int_equal(h.time_ns, time_ns);
	assert_int_equal(h.event_len, strlen(event));
	assert_memory_equal(h.event, event, h.event_len);
}

static void test_task_names_mislead_nobody(void **state)
{
	check_header(":-1    -1 [001]  7115.001149661:     890471 cpu-clock: ", SCRIPT_TID_ENDED, 1, 7115001149661ull,
		     "cpu-clock");
	check_header("a 11/12 [003]  5.25:  1 cycles: ", 12, 3, 5250000000ull, "cycles");
	/* perf -F misc has up to four letters; what is longer, or no tid, is a part of the task's name */
	check_header("a  12 [003]  Kh  5.25:  1 cycles: ", 12, 3, 5250000000ull, "cycles");
	check_header("a  12 [003]  Khhh  5.25:  1 cycles: ", 12, 3, 5250000000ull, "cycles");
	check_header("a  12 [003]  Khhhh  5.25:  1 cycles: ", -1, -1, 5250000000ull, "cycles");
	check_header("a x/12 [003]  5.25:  1 cycles: ", -1, 3, 5250000000ull, "cycles");
	check_header("a b: c  12 [003]  5.000000007:  1 cycles: ", 12, 3, 5000000007ull, "cycles");
	check_header("x 1.5: y  12 [003]  5.25:  1 cycles: ", 12, 3, 5250000000ull, "cycles");
	check_header("[001]  12 [003]  5.25:  1 cycles:k: ", 12, 3, 5250000000ull, "cycles:k");
	check_header("7 [001] 9  12 [003]  5.25:  1 napi:napi_poll: napi poll on 1", 12, 3, 5250000000ull,
		     "napi:napi_poll");
	/* a task that calls itself like a header */
	check_header("7 [1] 6030.2: 4883 [001]  1143.000000100:    1003009 cpu-clock: ", 4883, 1, 1143000000100ull,
		     "cpu-clock");
	check_header(" 254 [1] 60.25:  4883 [001]  1143.000000100:    1003009 cpu-clock: ", 4883, 1, 1143000000100ull,
		     "cpu-clock");
	check_header("x 7 [1] 1 a: b:   4883 [001]     1003009 cpu-clock: ", 4883, 1, 0, "cpu-clock");
	check_header("  4883 [001]  1143.000000100:    1003009 cpu-clock: ", 4883, 1, 1143000000100ull, "cpu-clock");
	check_header("t -1 12 [003]  5.25:  1 cpu_core/cycles/:u: ", 12, 3, 5250000000ull, "cpu_core/cycles/:u");
}

static void check_frame(const char *line, const char *name, const char *dso, enum profile_space space)
{
	struct script_frame f;

	assert_true(script_parse_frame(&f, line, strlen(line), false));
	assert_int_equal(f.name_len, strlen(name));
	assert_memory_equal(f.name, name, f.name_len);
	assert_int_equal(f.dso_len, strlen(dso));
	assert_memory_equal(f.dso, dso, f.dso_len);
	assert_int_equal(f.space, space);
}

static void test_frames(void **state)
{
	struct script_frame f;

	check_frame("\tffffffff81aed969 f+0x1f ([kernel.kallsyms])", "f", "[kernel.kallsyms]", SPACE_KERNEL);
	check_frame("\t            401136 main (/tmp/a (deleted))", "main", "/tmp/a (deleted)", SPACE_USER);
	check_frame("\t            401136 f(int (*)(void), char) (/tmp/a)", "f(int (*)(void), char)", "/tmp/a",
		    SPACE_USER);
	check_frame("\t            401136 g(int)", "g(int)", "", SPACE_UNKNOWN);
	check_frame("\t            401136 a<b, c>::d+0x2 (inlined)", "a<b, c>::d", "", SPACE_UNKNOWN);
	check_frame("\t                 0 [unknown] ([unknown])", "[unknown]", "[unknown]", SPACE_UNKNOWN);
	check_frame("\tffffffffc0001234 bpf_prog_662b9cae761bf6ab_x (bpf_prog_662b9cae761bf6ab_x)",
		    "bpf_prog_662b9cae761bf6ab_x", "bpf_prog_662b9cae761bf6ab_x", SPACE_KERNEL);
	check_frame("\tffffffff81aed969 f.isra.0+0x1f ([guest.kernel.kallsyms])", "f.isra.0", "[guest.kernel.kallsyms]",
		    SPACE_GUEST_KERNEL);
	check_frame("\tffffffff81aed969", "[unknown]", "", SPACE_KERNEL);
	assert_false(script_parse_frame(&f, "4 f", 3, true)); /* an address has its columns */
	assert_true(script_parse_frame(&f, "               4 f", 18, true));
	check_frame("\tface_it+0x2 (/boot/vmlinux)", "face_it", "/boot/vmlinux", SPACE_KERNEL); /* no address */
}

/*
 * Frames whose tab got lost belong to the sample above, and noise between them does not. Neither is kept of a sample
 * that is not wanted.
 */
static void test_frames_without_tab(void **state)
{
	static const char text[] = "dd 1 [001] 1.5: 10 cycles: \nffffffff81aed969 f ([veth])\n# noise\nnoise\n"
				   "ffffffff81aed970 g ([veth])\n\n"
				   "dd 1 [002] 1.6: 20 cycles: \nffffffff81aed969 h ([veth])\n\n";
	struct script_filter f = all;
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p, text, &all, &d), 0);
	assert_int_equal(p.nstacks, 2);
	assert_int_equal(p.stacks[0].depth, 2);
	assert_string_equal(frame_name(&p, 0, 1), "g");
	assert_true(p.stacks[0].weight == 10 && p.stacks[1].weight == 20);
	profile_release(&p);
	f.cpu = 2;
	assert_int_equal(read_text(&p, text, &f, &d), 0);
	assert_int_equal(p.nstacks, 1);
	assert_int_equal(p.stacks[0].depth, 1);
	assert_string_equal(frame_name(&p, 0, 0), "h");
	profile_release(&p);
}

/* Of an image of the kernel, the address tells what is user space; where there is none, the image does. */
static void test_address_tells_the_space(void **state)
{
	static const char text[] = "dd 1 [001] 1.5: 1 cycles: \n\t            401136 f (/boot/vmlinux)\n\n"
				   "dd 1 [001] 1.6: 1 cycles: \n\t                 0 f (/boot/vmlinux)\n\n"
				   "dd 1 [001] 1.7: 1 cycles: \n\tffffffff81aed969 f (/boot/vmlinux)\n\n"
				   "dd 1 [001] 1.8: 1 cycles: \n\t                 0 f (/boot/vmlinux)\n\n"
				   "dd 1 [001] 1.9: 1 cycles: \n\t                 1 f (/boot/vmlinux)\n\n";
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p, text, &all, &d), 0);
	assert_int_equal(p.nsymbols, 2);
	assert_int_equal(p.symbols[0].space, SPACE_USER);
	assert_int_equal(p.stacks[0].samples, 2);
	assert_int_equal(p.symbols[1].space, SPACE_KERNEL);
	assert_int_equal(p.stacks[1].samples, 3);
	profile_release(&p);
}

static void refuse(const char *text, const struct script_filter *f, const char *why)
{
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p, text, f, &d), -EINVAL);
	assert_non_null(strstr(d.text, why));
	assert_null(p.stacks);
	assert_null(p.symbols);
}

static void test_refusals(void **state)
{
	struct script_filter f = all;

	refuse("hello\nworld\n", &all, "perf script");
	refuse("a 1 [0] 1.5: 1 cycles: \n\tffffffff81aed969 f\n\na 1 [0] 1.5: 1 instructions: "
	       "\n\tffffffff81aed969 f\n\n",
	       &all, "cycles, instructions");
	refuse("a 1 [0] 1.5: 1 cycles: \n\tffffffff81aed969 f\n\nbroken header\n\tffffffff81aed969 "
	       "f\n\n",
	       &all, "line 4");
	/* The line that should have been a header; without one, that of the frames. */
	refuse("junk\na 1 [0] 1.5: 1 cycles: \n\tffffffff81aed969 f\n\n\tffffffff81aed969 f\n", &all, "line 5: frames");
	refuse("a 1 [0] 1.5: 1 cycles: \n\tffffffff81aed969 f\n\njunk\n\tffffffff81aed969 f\n", &all, "line 4: frames");
	refuse("", &all, "empty");
	f.event = "cycles";
	refuse(TWO_STACKS, &f, "cpu-clock");
	f = all;
	f.cpu = 1;
	refuse("dd 4883  1143.997871: cycles: \n\tffffffff81aed969 f\n\n", &f, "cpu");
}

static void test_long_lines_and_nul_bytes(void **state)
{
	size_t n = 10u << 20;
	char *text = malloc(n);
	struct profile p;
	struct diag d = {""};
	FILE *in;

	memset(text, 'x', n);
	in = fmemopen(text, n, "r");
	assert_int_equal(script_read(&p, in, &all, &d), -EINVAL);
	assert_non_null(strstr(d.text, "line 1 is longer"));
	fclose(in);
	memset(text, '\n', n);
	text[n / 2] = '\0';
	d.text[0] = '\0';
	in = fmemopen(text, n, "r");
	assert_int_equal(script_read(&p, in, &all, &d), -EINVAL);
	assert_non_null(strstr(d.text, "NUL"));
	fclose(in);
	free(text);
}

/* Source lines: equal ones are added up, symbol by symbol; of samples that are kept; what is not one is noise. */
static void test_source_lines(void **state)
{
	static const char text[] = "a     7 [001]     1.000000100:    10 cpu-clock: \n"
				   "\tffffffff81aed969 f ([kernel.kallsyms])\n"
				   "  source: 12 a.c\tb 3 [001] 1.0: 1 cpu-clock:\n"
				   "\tffffffff817e03c7 g ([kernel.kallsyms])\n"
				   "  source: 13 a.c\tcaller\n\n"
				   "a     7 [001]     1.000000200:    30 cpu-clock: \n"
				   "\tffffffff81aed96d f ([kernel.kallsyms])\n"
				   "  source: 12 a.c\tb 3 [001] 1.0: 1 cpu-clock:\n\n"
				   "a     7 [001]     1.000000300:    10 cpu-clock: \n"
				   "\tffffffff817e03c7 g ([kernel.kallsyms])\n"
				   "  source: 12 a.c\tb 3 [001] 1.0: 1 cpu-clock:\n\n"
				   "b     8 [001]     1.000000400:    10 cpu-clock: \n"
				   "\tffffffff81aed96d f ([kernel.kallsyms])\n"
				   "  source: 14 a.c\tof another task\n\n";
	static const char *const noise[] = {"  source: a a.c\tx", "  source: 1 \tx",     "  source: 1 a.c",
					    "  source:  a.c\tx",  "  source: 1a a.c\tx", "  source: "};
	struct script_filter f = all;
	struct profile p;
	struct diag d;
	size_t len;

	f.tid = 7;
	assert_int_equal(read_text(&p, text, &f, &d), 0);
	assert_int_equal(p.samples, 3);
	assert_int_equal(p.nlines, 2);
	assert_string_equal(p.symbols[p.lines[0].symbol].name, "f");
	assert_string_equal(p.lines[0].words, "12 a.c\tb 3 [001] 1.0: 1 cpu-clock:");
	assert_true(p.lines[0].samples == 2 && p.lines[0].weight == 40);
	assert_string_equal(p.symbols[p.lines[1].symbol].name, "g");
	assert_true(p.lines[1].samples == 1 && p.lines[1].weight == 10);
	profile_release(&p);
	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++)
		assert_null(script_source(noise[i], strlen(noise[i]), &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_stacks_are_one),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_samples_kept_and_picked),
		cmocka_unit_test(test_events_of_kept_samples),
		cmocka_unit_test(test_samples_without_stacks),
		cmocka_unit_test(test_field_variants),
		cmocka_unit_test(test_task_names_mislead_nobody),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_address_tells_the_space),
		cmocka_unit_test(test_frames_without_tab),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_source_lines),
		cmocka_unit_test(test_long_lines_and_nul_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
