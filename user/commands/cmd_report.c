// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include "reports/sweep/sweep.h"
#include "user/commands/exact_args.h"
#include "user/cli/loaded_run.h"
#include "user/cli/report_args.h"
#include "user/cli/command_line.h"
#include "user/xdpzoom.h"

/* Appends the names of the gates that failed, of the run and of the variants shown. */
static void failed_gates(const struct analysis *a, const struct analysis_variant *only, char *text, size_t size)
{
	quality_name_failed(&a->quality, text, size);
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			quality_name_failed(&a->variants[i].quality, text, size);
}

static int render(const struct report_args *a, const struct loaded_run *l, const struct analysis_variant *only,
		  struct diag *d)
{
	struct loaded_run crossing;
	struct render_options o = {};
	struct document doc;
	char dir[sizeof(l->dir)];
	int err = loaded_run_open_crossing(&crossing, l, a->facilities, &a->analysis, d);
	bool crossed = !err;

	if (err && err != -ENOENT)
		return err;
	shell_word(dir, sizeof(dir), l->dir);
	o.dir = dir;
	o.crossing = crossed ? &crossing.analysis : NULL;
	err = report_args_write(a, &doc, document_of_report(&doc, &l->analysis, only), &o, d);
	loaded_run_release(&crossing);
	return err;
}

static int run_report(struct report_args *a)
{
	const struct analysis_variant *only = NULL;
	struct loaded_run l;
	struct diag d = {};
	char failed[GATES_BYTES] = "", dir[4096];
	const char *variant = loaded_run_split(a->run, dir, sizeof(dir));
	int err, status;

	if (exact_is(dir))
		return exact_report(a, dir, variant);
	err = loaded_run_open(&l, dir, a->facilities, &a->analysis, &d);
	if (err)
		return fail(&d, err);
	if (!(a->format->of & OF(DOCUMENT_REPORT))) {
		complain("--format %s holds exact counts alone, and %s is a measured run", a->format->name, dir);
		loaded_run_release(&l);
		return EXIT_USAGE;
	}
	err = sweep_wakeups_fill(&l.analysis, dir, &d);
	if (!err && variant) {
		only = analysis_find(&l.analysis, variant, &d);
		err = only ? 0 : -ENOENT;
	}
	if (!err)
		err = render(a, &l, only, &d);
	if (!err)
		failed_gates(&l.analysis, only, failed, sizeof(failed));
	status = err ? fail(&d, err) : report_args_judge(a, failed, "--format text");
	loaded_run_release(&l);
	return status;
}

int cmd_report(const struct command *c, int argc, char **argv)
{
	struct report_args a;
	int status = report_args_parse(&a, c, argc, argv, FORMAT_OF_REPORT);

	return status < 0 ? run_report(&a) : status;
}
