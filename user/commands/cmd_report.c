// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include "base/shell_word.h"
#include "reports/sweep/sweep.h"
#include "user/cli/loaded_run.h"
#include "user/cli/report_args.h"
#include "user/xdpzoom.h"

/* Appends the names of the gates that failed, of the run and of the variants shown. */
static void failed_gates(const struct analysis *a, const struct analysis_variant *only, char *text, size_t size)
{
	quality_name_failed(&a->quality, text, size);
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			quality_name_failed(&a->variants[i].quality, text, size);
}

static int render(const struct report_args *a, const struct loaded_run *l, const struct loaded_variant *only,
		  struct diag *d)
{
	char word[sizeof(l->dir)];
	struct render_options o = {.dir = word, .path = l->dir};
	struct loaded_run crossing;
	struct document doc;
	int err = loaded_run_open_crossing(&crossing, l, &a->analysis, d);

	if (err && err != -ENOENT)
		return err;
	shell_word(word, sizeof(word), l->dir);
	o.crossing = err ? NULL : &crossing.analysis;
	err = l->exact ? document_of_exact(&doc, &l->counted, only->counted)
		       : document_of_report(&doc, &l->analysis, only->measured);
	err = report_args_write(a, &doc, err, &o, d);
	loaded_run_release(&crossing);
	return err;
}

static int run_report(struct report_args *a)
{
	struct loaded_variant only = {};
	struct loaded_run l;
	struct diag d = {};
	char failed[GATES_BYTES] = "", dir[4096];
	const char *variant = loaded_run_split(a->run, dir, sizeof(dir));
	int err = exact_is(dir) ? loaded_run_open_exact(&l, dir, a->facilities, &d)
				: loaded_run_open(&l, dir, a->facilities, &a->analysis, &d);
	int status;
	size_t open = 0;

	if (err)
		return fail(&d, err);
	if (report_args_fit(a, l.exact ? DOCUMENT_EXACT : DOCUMENT_REPORT, dir, &d)) {
		loaded_run_release(&l);
		return fail(&d, -EINVAL), EXIT_USAGE;
	}
	err = sweep_wakeups_fill(&l.analysis, dir, &d);
	if (!err && variant)
		err = loaded_run_find(&l, variant, &only, &d);
	if (!err)
		err = render(a, &l, &only, &d);
	if (!err) {
		failed_gates(&l.analysis, only.measured, failed, sizeof(failed));
		open = loaded_run_complain(&l, only.counted);
	}
	status = err ? fail(&d, err) : report_args_judge(a, failed, "--format text");
	loaded_run_release(&l);
	return status == EXIT_OK && open && a->strict ? EXIT_GATE : status;
}

int cmd_report(const struct command *c, int argc, char **argv)
{
	struct report_args a;
	int status = report_args_parse(&a, c, argc, argv, DOCUMENT_REPORT);

	return status < 0 ? run_report(&a) : status;
}
