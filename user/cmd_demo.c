// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "reports/render/render.h"
#include "user/cli/loaded_run.h"
#include "user/cli/output.h"
#include "user/cli/record_args.h"
#include "user/cli/shell_word.h"
#include "user/xdpzoom.h"

#define RUNS_DIR "runs"

/* Names the directory by time: runs/demo-20260131-235959. Two demos within a second would get the same name. */
static const char *default_dir(char *dir, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(dir, size, RUNS_DIR "/demo-%Y%m%d-%H%M%S", &tm);
	return dir;
}

static int show(const char *dir, struct diag *d)
{
	struct render_options o = {.program = program_invocation_name};
	const struct analysis_options plain = {};
	char word[4096];
	struct loaded_run l;
	struct output out;
	int err = loaded_run_open(&l, dir, NULL, &plain, d);

	if (err)
		return err;
	shell_word(word, sizeof(word), dir);
	o.dir = word;
	err = output_open(&out, NULL, d);
	if (!err) {
		o.colour = out.colour;
		err = output_close(&out, render_report_summary(out.stream, &l.analysis, NULL, &o), d);
	}
	loaded_run_release(&l);
	return err;
}

int cmd_demo(const struct command *c, int argc, char **argv)
{
	struct record_args a;
	struct diag d = {};
	char dir[128];
	int parsed, err, status;
	bool made_runs = false;

	record_args_init(&a);
	/*
	 * Many short blocks, because a host moves the CPUs of a virtual machine within seconds, and because the
	 * tests of
	 * single symbols need 12 blocks.
	 */
	a.o.rounds = 12;
	a.o.windows = 2;
	a.o.window_s = 0.3;
	a.o.warmup_s = 0.1;
	a.o.max_time_s = 92; /* calibration and analysis come on top; together they end within two minutes */
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &a.o.out_dir, "DIR", "the run directory to make",
		 .otherwise = "runs/demo-DATE-TIME"},
		{"blocks", 'b', OPT_INT, &a.o.rounds, "N", "blocks per variant", 1, 1000},
		{"max-time", 0, OPT_SECONDS, &a.o.max_time_s, "TIME", "how long the recording may take", 1, 1e6},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (!a.o.out_dir) {
		made_runs = !mkdir(RUNS_DIR, 0755);
		if (!made_runs && errno != EEXIST)
			return complain("cannot make the folder " RUNS_DIR " here: %s; name another one with -o DIR",
					strerror(errno)),
			       EXIT_FAILED;
		a.o.out_dir = default_dir(dir, sizeof(dir));
	}
	a.o.shuffle = true;
	a.o.seed = record_args_seed();
	stop_on_signals();
	status = record_with(&a, "lab", json_pack("[s, s]", "xdpzoom", "demo"));
	if (made_runs && !a.kept)
		rmdir(RUNS_DIR);
	if (!a.kept)
		return status;
	err = show(a.o.out_dir, &d);
	return err ? fail(&d, err) : status;
}
