// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "reports/compare/compare.h"
#include "reports/compare/overview.h"
#include "reports/render/render.h"
#include "user/machine/cpu.h"
#include "user/cli/loaded_run.h"
#include "user/cli/output.h"
#include "user/cli/record_args.h"
#include "user/xdpzoom.h"

#define RUNS_DIR "runs"

/* runs/demo-20260131-235959: sorted by time, and never there already unless one asks twice within a second. */
static const char *default_dir(char *dir, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	mkdir(RUNS_DIR, 0755);
	strftime(dir, size, RUNS_DIR "/demo-%Y%m%d-%H%M%S", &tm);
	return dir;
}

static int show_differences(const struct overview *v, const struct render_options *o, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < v->nrows && !err; i++) {
		struct compare c;

		if (!v->rows[i].have_difference)
			continue;
		err = compare_build(&c, v->rows[i].native, v->rows[i].skb, d);
		if (err)
			break;
		putchar('\n');
		err = render_diff_text(stdout, &c, o);
		compare_release(&c);
	}
	return err;
}

static int show(const char *dir, int max_symbols, struct diag *d)
{
	struct render_options o = {.max_symbols = (size_t)max_symbols};
	const struct analysis_options plain = {};
	struct overview v = {};
	struct loaded_run l;
	struct output out;
	int err;

	err = loaded_run_open(&l, dir, NULL, &plain, d);
	if (err)
		return err;
	err = output_open(&out, NULL, d);
	o.colour = out.colour;
	o.columns = (size_t)out.columns;
	if (!err)
		err = overview_build(&v, &l.analysis, d);
	if (!err)
		err = render_overview_text(stdout, &v, &o);
	if (!err)
		err = show_differences(&v, &o, d);
	err = output_close(&out, err, d);
	overview_release(&v);
	loaded_run_release(&l);
	return err;
}

static void show_next(const char *dir)
{
	printf("\nThe run directory is %s. To look further into it, as any user:\n\n"
	       "  xdpzoom report %s                 each variant: facilities, symbols, gates\n"
	       "  xdpzoom report %s --format html -o demo.html   the same as a page\n"
	       "  xdpzoom report %s --format json   the same for scripts\n"
	       "  xdpzoom diff %s:drop/no-touch@native drop/read-data@native\n"
	       "  xdpzoom diff %s:drop/no-touch@native drop/no-touch@skb -n 40\n",
	       dir, dir, dir, dir, dir, dir);
}

int cmd_demo(const struct command *c, int argc, char **argv)
{
	struct record_args a;
	struct diag d = {};
	char dir[128];
	int parsed, err, status, symbols = 0;

	record_args_init(&a);
	/* Many short blocks: the CPUs of a virtual machine are moved within seconds, and symbol tests want 12 blocks.
	 */
	a.o.rounds = 12;
	a.o.windows = 2;
	a.o.window_s = 0.3;
	a.o.warmup_s = 0.1;
	a.o.max_time_s = 92; /* with calibration and analysis, inside two minutes */
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &a.o.out_dir, "DIR", "the run directory to make",
		 .otherwise = "runs/demo-DATE-TIME"},
		{"blocks", 'b', OPT_INT, &a.o.rounds, "N", "blocks per variant", 1, 1000},
		{"max-time", 0, OPT_SECONDS, &a.o.max_time_s, "TIME", "how long the recording may take", 1, 1e6},
		{"symbols", 'n', OPT_INT, &symbols, "N", "symbols shown per comparison", 1, 100000, .otherwise = "12"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (!a.o.out_dir)
		a.o.out_dir = default_dir(dir, sizeof(dir));
	a.o.shuffle = true;
	a.o.seed = now_ns() / 1000 % 9007199254740991ULL;
	stop_on_signals();
	status = record_with(&a, "lab", json_pack("[s, s]", "xdpzoom", "demo"));
	if (status)
		return status;
	err = show(a.o.out_dir, symbols, &d);
	if (err == -EPIPE)
		return EXIT_OK; /* whoever read has had enough */
	if (err)
		return fail(&d, err);
	show_next(a.o.out_dir);
	return EXIT_OK;
}
