// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of perf report are read by the names of their columns, and what is not one table of one
 * event is refused. */
#include "perfparse/report.h"
#include "tests/unit/unit.h"

static const struct report_filter all = {.cpu = -1};

static int read_text(struct profile *p, const char *text, const struct report_filter *f, struct diag *d)
{
	FILE *in = stream_of(text);
	struct undress worn = {};
	struct linescan lines;
	int err;

	d->text[0] = '\0';
	linescan_init(&lines, in);
	lines.worn = &worn;
	err = report_read(p, &lines, f, d);
	linescan_release(&lines);
	fclose(in);
	assert_true(err == 0 || d->text[0]);
	return err;
}

/* The row of a symbol has these shares; < 0: not said. */
static void expect(const char *text, const struct report_filter *f, const char *name, double self, double children)
{
	struct profile p;
	struct diag d;
	size_t i;

	if (read_text(&p, text, f, &d))
		fail_msg("%s", d.text);
	for (i = 0; i < p.nrows && strcmp(p.symbols[p.rows[i].symbol].name, name); i++)
		;
	if (i == p.nrows)
		fail_msg("no row %s", name);
	if (fabs(p.rows[i].self_pct - self) > 1e-9 || fabs(p.rows[i].children_pct - children) > 1e-9)
		fail_msg("%s: %g %g", name, p.rows[i].self_pct, p.rows[i].children_pct);
	profile_release(&p);
}

static void refuse(const char *text, const struct report_filter *f, int want, const char *why)
{
	struct profile p;
	struct diag d;
	int err = read_text(&p, text, f, &d);

	assert_int_equal(err, want);
	if (!strstr(d.text, why))
		fail_msg("'%s' says nothing of '%s'", d.text, why);
	assert_null(p.rows);
}

#define HEAD "# Samples: 519  of event 'cpu-clock'\n# Event count (approx.): 520561671\n#\n"

static void test_columns_by_name(void **state)
{
	expect(HEAD "# Overhead  Symbol                        IPC   [IPC Coverage]\n"
		    "# ........  ............................  ....................\n#\n"
		    "    69.17%  [k] pv_native_safe_halt       -      -            \n"
		    "     5.78%  [k] do_syscall_64             -      -            \n",
	       &all, "do_syscall_64", 5.78, -1);
	expect(HEAD "# Children      Self  Symbol           \n# ........  ........  "
		    ".................\n#\n"
		    "    69.17%     5.00%  [k] default_idle\n",
	       &all, "default_idle", 5, 69.17);
	/* Overhead is self, wherever Children stands */
	expect(HEAD "# Overhead  Children       sys       usr      Pid:Command  Symbol               \n"
		    "# ........  ........  ........  ........  ...............  "
		    ".....................\n#\n"
		    "     5.78%    19.65%     5.78%     0.00%     4883:a  b     [k] do_syscall_64\n",
	       &all, "do_syscall_64", 5.78, 19.65);
	expect(HEAD "# Symbol                        Overhead  Shared Object       \n"
		    "# ............................  ........  ....................\n#\n"
		    "  [.] __GI___libc_write            3.47%  libc.so.6           \n",
	       &all, "__GI___libc_write", 3.47, -1);
	expect(HEAD "# Overhead       Samples        Period  CPU  Command  Shared Object         "
		    "Symbol             \n"
		    "# ........  ............  ............  ...  .......  ....................  "
		    "...................\n#\n"
		    "     5.78%            30      30090270  001  dd       [kernel.kallsyms]     "
		    "[k] do_syscall_64\n"
		    "     1.00%            30      30090270  000  dd       [kernel.kallsyms]     "
		    "[k] do_syscall_64\n",
	       &all, "do_syscall_64", 6.78, -1);
	/* an empty line between the header and its dots; the command has blanks of its own, so the dots are needed */
	expect(HEAD
	       "# Overhead  Command     Shared Object  Symbol\n\n# ........  ..........  .............  ......\n#\n"
	       "     5.78%  a b         c d            [k] f\n",
	       &all, "f", 5.78, -1);
	/* counts without shares */
	expect(HEAD "#      Samples  Symbol          \n# ............  ................\n#\n"
		    "           173  [.] libc_write\n",
	       &all, "libc_write", 100 * 173 / 519.0, -1);
	expect(HEAD "#       Period  Symbol          \n# ............  ................\n#\n"
		    "     130140417  [.] libc_write\n",
	       &all, "libc_write", 100.0 * 130140417 / 520561671, -1);
}

static void test_without_dots(void **state)
{
	expect(HEAD "# Children,    Self,Symbol          \n 69.17% , 5.78%  ,[k] do_syscall_64\n", &all,
	       "do_syscall_64", 5.78, 69.17);
	expect("    69.17%  [k] pv_native_safe_halt\n     5.78%  [k] do_syscall_64\n", &all, "do_syscall_64", 5.78, -1);
	expect("    69.17%     5.78%  dd   libc.so.6    [.] a b\n    60.00%     0.00%  dd   libc.so.6    [.] c\n", &all,
	       "a b", 5.78, 69.17);
	expect("    69.17%     5.78%  dd   libc.so.6    [.] a b\n    60.00%     1.00%  dd   libc.so.6    [.] c\n", &all,
	       "a b", 5.78, 69.17);
	refuse("    60.00%    70.00%  [k] a\n    40.00%    30.00%  [k] b\n", &all, -EINVAL, "Overhead and Latency?");
	refuse("    60.00%    20.00%  [k] a\n    30.00%    10.00%  [k] b\n", &all, -EINVAL, "Overhead and Latency?");
	expect(" 69.17% |[k] halt\n  5.78% |[k] call\n", &all, "call", 5.78, -1);
	expect("+   24.75%  [k] mlx5e_handle_rx_cqe\n-    1.00%  [k] y\n     0.49%  [k] skb_put\n", &all, "skb_put",
	       0.49, -1);
	expect("  1.83% =>   2.2 ns func:  [k] napi_gro_receive\n", &all, "napi_gro_receive", 1.83, -1);
	expect(" 29.40% =>  36.0 ns      1.83% func:  [k] napi_gro_receive\n", &all, "napi_gro_receive", 1.83, 29.4);
}

/* Without a header the last of several words before the symbol is the DSO; a single one only if it looks so. */
static void test_guessed_dso(void **state)
{
	static const char *const texts[][2] = {
		{"    69.17%  dd  libc  [.] f\n", "libc"},
		{"    69.17%  dd  [.] f\n", ""},
		{"    69.17%  libc.so.6  [.] f\n", "libc.so.6"},
		{"    69.17%  [veth]  [k] f\n", "[veth]"},
	};
	struct profile p;
	struct diag d;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(read_text(&p, texts[i][0], &all, &d), 0);
		assert_string_equal(p.symbols[0].name, "f");
		assert_string_equal(p.symbols[0].dso, texts[i][1]);
		profile_release(&p);
	}
}

/* perf 7.3 marks callers in the kernel as user space, so that one function has both marks. */
static void test_callers_of_the_kernel(void **state)
{
	static const struct {
		const char *dso;
		enum profile_space space;
	} rows[] = {
		{"[kernel.kallsyms]", SPACE_KERNEL},
		{"[kernel]", SPACE_KERNEL},
		{"[veth]", SPACE_KERNEL},
		{"/usr/lib/modules/7.3.4/kernel/drivers/net/veth.ko.xz", SPACE_KERNEL},
		{"/usr/lib/debug/boot/vmlinux-7.3.4", SPACE_KERNEL},
		{"bpf_prog_6deef7357e7b4530_drop", SPACE_KERNEL},
		{"bpf_trampoline_6442536467", SPACE_KERNEL},
		{"[guest.kernel.kallsyms]", SPACE_GUEST_KERNEL},
		{"bpf_prog_test", SPACE_USER},
		{"libc.so.6", SPACE_USER},
		{"[vdso]", SPACE_USER},
		{"[unknown]", SPACE_USER},
	};
	struct profile p;
	struct diag d;
	char text[1000];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text),
			 "Children      Self  Command  Shared Object  Symbol\n"
			 "    27.84%%     0.22%%  dd    %s  [.] f\n"
			 "     0.22%%     0.02%%  perf  %s  [%c] f\n",
			 rows[i].dso, rows[i].dso, "?k.g"[rows[i].space]);
		assert_int_equal(read_text(&p, text, &all, &d), 0);
		assert_int_equal(p.nsymbols, 1);
		assert_int_equal(p.symbols[0].space, rows[i].space);
		assert_true(fabs(p.rows[0].self_pct - 0.24) < 1e-9);
		profile_release(&p);
	}
}

static void test_call_graphs_are_not_rows(void **state)
{
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p,
				   HEAD "# Overhead  Symbol           \n# ........  .................\n#\n"
					"    69.17%  [k] halt\n"
					"            |          \n"
					"            |--3.28%--__GI_\n"
					"            |          |          \n"
					"             --2.50%--read\n"
					"           69.17%\n"
					"                halt\n"
					"\n"
					"5.78% do_syscall_64;entry\n"
					"3.00% lonely\n"
					"     5.78%  [k] do_syscall_64\n\n\n#\n# (Tip: 10.00%  of something)\n#\n",
				   &all, &d),
			 0);
	assert_int_equal(p.nrows, 2);
	assert_int_equal(p.samples, 519);
	assert_true(p.weight == 520561671);
	assert_string_equal(p.event, "cpu-clock");
	profile_release(&p);
}

static void test_spaces_and_odd_names(void **state)
{
	static const char text[] = HEAD "# Overhead  Shared Object  Symbol                                 \n"
					"# ........  .............  .......................................\n#\n"
					"     1.00%  a              [.] f(int, char (*)(void))             \n"
					"     2.00%  b              [.] f(int, char (*)(void))             \n"
					"     3.00%  c              [g] x (inlined)                        \n"
					"     4.00%  d              [u] 0x00007f4414bc04c0                 \n"
					"     5.00%                 [H] hyper                              \n"
					"    100.00%\n";
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p, text, &all, &d), 0);
	assert_int_equal(p.nrows, 5);
	assert_string_equal(p.symbols[0].name, "f(int, char (*)(void))");
	assert_string_equal(p.symbols[1].dso, "b");
	assert_string_equal(p.symbols[2].name, "x");
	assert_int_equal(p.symbols[2].space, SPACE_GUEST_KERNEL);
	assert_int_equal(p.symbols[3].space, SPACE_GUEST_USER);
	assert_int_equal(p.symbols[4].space, SPACE_HYPERVISOR);
	assert_string_equal(p.symbols[4].dso, "");
	profile_release(&p);
}

#define TWO_EVENTS                                                                                                     \
	"# Samples: 10  of event 'dummy:HG'\n# Event count (approx.): 0\n#\n"                                          \
	"# Samples: 10  of event 'cycles:k'\n#\n# Overhead  Symbol\n# ........  ......\n#\n"                           \
	"    60.00%  [k] a\n"                                                                                          \
	"# Samples: 30  of event 'instructions'\n#\n# Overhead  Symbol\n# ........  ......\n#\n"                       \
	"    70.00%  [k] a\n"
#define GROUP                                                                                                          \
	"# Samples: 606  of events 'anon group { cpu-clock, task-clock }'\n#\n"                                        \
	"#         Overhead  Symbol\n# ................  ......\n#\n"                                                  \
	"    99.34%  88.00%  [k] a\n"

static void test_events(void **state)
{
	struct report_filter f = all;
	struct profile p;
	struct diag d;

	refuse(TWO_EVENTS, &all, -EINVAL, "pick one: cycles:k, instructions");
	refuse(GROUP, &all, -EINVAL, "cpu-clock, task-clock");
	f.event = "branches";
	refuse(TWO_EVENTS, &f, -EINVAL, "there is: cycles:k, instructions");
	f.event = "instructions";
	expect(TWO_EVENTS, &f, "a", 70, -1);
	f.event = "cycles";
	expect(TWO_EVENTS, &f, "a", 60, -1);
	assert_int_equal(read_text(&p, TWO_EVENTS, &f, &d), 0);
	assert_int_equal(p.samples, 10);
	assert_string_equal(p.event, "cycles:k");
	profile_release(&p);
	f.event = "task-clock";
	expect(GROUP, &f, "a", 88, -1);
}

static void test_one_cpu(void **state)
{
	static const char text[] = HEAD "# Overhead  CPU  Symbol\n# ........  ...  ......\n#\n"
					"    60.00%  000  [k] idle\n    30.00%  001  [k] a\n    10.00%  001  [k] b\n";
	struct report_filter f = all;

	f.cpu = 1;
	expect(text, &f, "a", 75, -1);
	f.cpu = 5;
	refuse(text, &f, -EINVAL, "no rows");
	refuse("    60.00%  [k] idle\n", &f, -EINVAL, "CPU column");
}

static const struct profile_row *row_of(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->nrows; i++)
		if (!strcmp(p->symbols[p->rows[i].symbol].name, name))
			return &p->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

/*
 * Of 500 samples CPU 0 has 60 % and CPU 1 has 35 %. The 5 % that are not listed may be of CPU 1 as well, so all of that
 * CPU is 40 %: 200 samples.
 */
static void test_samples_of_one_cpu(void **state)
{
	static const char text[] = "# Samples: 500  of event 'cycles'\n# Event count (approx.): 1000\n#\n"
				   "# Children      Self  CPU  Symbol\n# ........  ........  ...  ......\n#\n"
				   "    60.00%    60.00%  000  [k] idle\n    32.00%    30.00%  001  [k] a\n"
				   "     5.00%     5.00%  001  [k] b\n     2.00%     0.00%  001  [k] c\n";
	static const char counted[] = "# Samples: 1K of event 'cycles'\n# Event count (approx.): 1000\n#\n"
				      "# Overhead  Samples  CPU  Symbol\n# ........  .......  ...  ......\n#\n"
				      "    60.00%      601  000  [k] idle\n    40.00%      401  001  [k] a\n";
	struct report_filter f = {.cpu = 1};
	struct profile p;
	struct diag d;

	assert_int_equal(read_text(&p, text, &f, &d), 0);
	assert_int_equal(p.nrows, 3);
	assert_int_equal(p.samples, 200);
	assert_true(fabs(p.weight - 400) < 1e-9);
	assert_true(fabs(row_of(&p, "a")->self_pct - 75) < 1e-9 && fabs(row_of(&p, "a")->children_pct - 80) < 1e-9);
	assert_true(fabs(row_of(&p, "b")->self_pct - 12.5) < 1e-9);
	assert_true(row_of(&p, "c")->self_pct == 0 && fabs(row_of(&p, "c")->children_pct - 5) < 1e-9);
	profile_release(&p);
	f.cpu = 0;
	assert_int_equal(read_text(&p, text, &f, &d), 0);
	assert_int_equal(p.nrows, 1);
	assert_true(fabs(row_of(&p, "idle")->self_pct - 100 * 60 / 65.0) < 1e-9); /* 5 % are not listed */
	profile_release(&p);
	refuse("     60.00%  [k] idle\n", &f, -EINVAL, "CPU column");

	/* One sample of a CPU is one. */
	f.cpu = 1;
	assert_int_equal(read_text(&p,
				   "# Samples: 500  of event 'cycles'\n# Event count (approx.): 1000\n#\n"
				   "# Overhead  Samples  CPU  Symbol\n# ........  .......  ...  ......\n#\n"
				   "    99.60%      498  000  [k] idle\n     0.40%        1  001  [k] a\n",
				   &f, &d),
			 0);
	assert_int_equal(p.samples, 1);
	profile_release(&p);
	f.cpu = 0;

	/* A column of samples knows better than "1K", of all CPUs and of one. */
	assert_int_equal(read_text(&p, counted, &all, &d), 0);
	assert_int_equal(p.samples, 1002);
	profile_release(&p);
	f.cpu = 1;
	assert_int_equal(read_text(&p, counted, &f, &d), 0);
	assert_int_equal(p.samples, 401);
	assert_int_equal(row_of(&p, "a")->samples, 401);
	profile_release(&p);
}

/* A table that does not say of which event it is may be of the one that is asked for; colours are not in names. */
static void test_event_not_said(void **state)
{
	struct report_filter f = {.cpu = -1, .event = "cycles"};

	expect("    60.00%  [k] a\n", &f, "a", 60, -1);
	expect("\xef\xbb\xbf    60.00%  [k] a\n", &all, "a", 60, -1);
	expect("\033[31m    60.00%\033[m  [k] a\n", &all, "a", 60, -1);
	refuse("\n", &all, -EINVAL, "not the text of perf report");
	expect(HEAD "# Overhead  Symbol\n# ........  ......\n#\n    69,17%  [k] a\n     1,05%  [k] b\n", &all, "b",
	       1.05, -1);
	refuse("Overhead,Symbol\n69,17%,[k] a\n", &all, -EINVAL, "LC_ALL=C");
}

/* A long command moves the rest of its row: what stands in which column is still what the header says. */
static void test_rows_that_do_not_line_up(void **state)
{
	static const char head[] =
		HEAD "# Overhead  Children  Command  Symbol\n# ........  ........  .......  ......\n#\n";
	char text[512], *wide;

	snprintf(text, sizeof(text), "%s     5.00%%    19.00%%  quite-a-long-command  [k] f\n", head);
	expect(text, &all, "f", 5, 19);
	snprintf(text, sizeof(text), "%s     5.00%%    19.00%%  quite-a-long-command  f\n", head);
	refuse(text, &all, -EINVAL, "no table of symbols"); /* nothing shows where the symbol begins */
	/* a header that is longer than any */
	wide = malloc(100000);
	snprintf(wide, 100000, HEAD "# Overhead  Symbol%90000s\n    60.00%%  [k] a\n", "");
	expect(wide, &all, "a", 60, -1);
	free(wide);
}

/* Cells that hold no share, or no name, make no row; the rows around them are read. */
static void test_cells_that_are_empty(void **state)
{
	static const char commas[] = "# Overhead,Symbol\n#\nx5.00%,[k] bad\n10.00%,[k] ok\n";
	static const char nameless[] = HEAD "# Overhead  Symbol      Shared Object\n"
					    "# ........  ..........  .............\n#\n"
					    "     5.00%              [kernel]     \n"
					    "    10.00%  [k] ok      [kernel]     \n";
	struct report_filter f = all;
	struct profile p;
	struct diag d;

	f.separator = ',';
	assert_int_equal(read_text(&p, commas, &f, &d), 0);
	assert_int_equal(p.nrows, 1);
	assert_string_equal(p.symbols[p.rows[0].symbol].name, "ok");
	profile_release(&p);
	assert_int_equal(read_text(&p, nameless, &all, &d), 0);
	assert_string_equal(p.symbols[p.rows[p.nrows - 1].symbol].name, "ok");
	for (size_t i = 0; i < p.nsymbols; i++)
		assert_true(strlen(p.symbols[i].name) < 12);
	profile_release(&p);
}

/* A table of counts whose header has no event count: the shares are those of the samples. */
static void test_counts_without_an_event_count(void **state)
{
	static const char text[] = "# Samples: 10  of event 'cycles'\n#\n"
				   "#      Samples        Period  Symbol\n"
				   "# ............  ............  ......\n#\n"
				   "             4           200  [k] a\n"
				   "             6           800  [k] b\n";

	expect(text, &all, "a", 40, -1);
}

static void test_refusals(void **state)
{
	refuse("", &all, -EINVAL, "empty");
	refuse("hello\n", &all, -EINVAL, "perf report");
	refuse(HEAD "#       Overhead  Command / Shared Object / Symbol\n# ..............  "
		    "..........\n#\n"
		    "    69.17%        swapper\n",
	       &all, -EINVAL, "--hierarchy");
	refuse("# Event 'cycles'\n#\n# Baseline  Delta Abs  Shared Object     Symbol\n", &all, -EINVAL, "--pps2");
	refuse(HEAD "# Overhead  Command\n# ........  .......\n#\n    69.17%  swapper\n", &all, -EINVAL, "--sort sym");
	refuse("   169.17%  [k] a\n", &all, -ERANGE, "169.17");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_by_name),
		cmocka_unit_test(test_without_dots),
		cmocka_unit_test(test_call_graphs_are_not_rows),
		cmocka_unit_test(test_spaces_and_odd_names),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_samples_of_one_cpu),
		cmocka_unit_test(test_event_not_said),
		cmocka_unit_test(test_rows_that_do_not_line_up),
		cmocka_unit_test(test_guessed_dso),
		cmocka_unit_test(test_callers_of_the_kernel),
		cmocka_unit_test(test_cells_that_are_empty),
		cmocka_unit_test(test_counts_without_an_event_count),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
