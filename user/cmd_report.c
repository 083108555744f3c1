// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "reports/render.h"
#include "user/loaded_run.h"
#include "user/report_args.h"
#include "user/xdpzoom.h"

int report_args_check(struct report_args *a, struct diag *d)
{
	int err = placement_choice_parse(&a->analysis.placement, a->placement, d);

	if (strcmp(a->format, "text") && strcmp(a->format, "json"))
		return diag_set(d, -EINVAL, "--format %s: text or json", a->format);

	for (size_t i = 0; i < a->limits.n && !err; i++)
		err = quality_limits_parse(&a->analysis.limits, a->limits.items[i], d);
	return err;
}

/* Gates that failed, in the variants shown and in the run. */
static size_t failed_gates(const struct analysis *a, const struct analysis_variant *only)
{
	size_t n = quality_failed(&a->quality);

	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			n += quality_failed(&a->variants[i].quality);
	return n;
}

static int render(const struct report_args *a, const struct analysis *an, const struct analysis_variant *only,
		  struct diag *d)
{
	struct output out;
	int err, close_err;

	err = output_open(&out, a->output, a->format, d);
	if (err)
		return err;
	err = out.json ? render_report_json(out.stream, an, only)
		       : render_report_text(out.stream, an, only,
					    &(struct render_options){out.colour, (size_t)a->max_symbols});
	close_err = output_close(&out, d);
	return close_err ? close_err : err == -EPIPE ? 0 : err;
}

static int run_report(struct report_args *a, const char *arg)
{
	const struct analysis_variant *only = NULL;
	struct loaded_run l;
	struct diag d = {};
	char dir[4096];
	const char *variant = loaded_run_split(arg, dir, sizeof(dir));
	int err, status = EXIT_OK;

	err = report_args_check(a, &d);
	if (err)
		return fail(&d, err), EXIT_USAGE;
	err = loaded_run_open(&l, dir, a->facilities, &a->analysis, &d);
	if (err)
		return fail(&d, err);
	if (variant) {
		only = analysis_find(&l.analysis, variant, &d);
		err = only ? 0 : -ENOENT;
	}
	if (!err)
		err = render(a, &l.analysis, only, &d);
	if (err)
		status = fail(&d, err);
	else if (a->strict && failed_gates(&l.analysis, only))
		status = EXIT_GATE;
	loaded_run_release(&l);
	return status;
}

int cmd_report(const struct command *c, int argc, char **argv)
{
	struct report_args a = {.format = "text", .placement = "auto"};
	const struct opt opts[] = {
		REPORT_OPTS(a),
		{},
	};
	int n = opts_parse(c, opts, argc, argv);

	if (n < 0)
		return opts_exit(n);
	if (n != 1)
		return complain("report: name one run directory"), EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	return run_report(&a, argv[0]);
}
