// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include "reports/explain/explain.h"
#include "user/cli/loaded_run.h"
#include "user/cli/report_args.h"
#include "user/xdpzoom.h"

static void failed_gates(const struct explain *e, char *text, size_t size)
{
	quality_name_failed(&e->measured->quality, text, size);
	for (size_t i = 0; i < e->nvariants; i++)
		quality_name_failed(&e->variants[i].measured->quality, text, size);
}

/* The runs are open; the kernels they ran on decide whether functions have other names. */
static int explain(const struct report_args *a, const struct loaded_run *l, const char *variant,
		   const struct loaded_run counted[2], char failed[GATES_BYTES], struct diag *d)
{
	struct loaded_variant only = {};
	struct symkeys *keys = NULL;
	struct explain e = {};
	struct document doc;
	int err = variant ? loaded_run_find(l, variant, &only, d) : 0;

	if (!err)
		err = symkeys_read(&keys, a->renames, d);
	if (!err)
		err = explain_build(&e, &l->analysis, only.measured, &counted[0].counted, keys, d);
	if (!err && a->to)
		err = explain_forecast(&e, &counted[1].counted, d);
	if (!err)
		err = report_args_write(a, &doc, document_of_explain(&doc, &e), NULL, d);
	if (!err)
		failed_gates(&e, failed, GATES_BYTES);
	explain_release(&e);
	symkeys_free(keys);
	return err;
}

static int run_explain(struct report_args *a)
{
	struct loaded_run counted[2] = {}, l = {};
	struct diag d = {};
	char failed[GATES_BYTES] = "";
	char dir[4096];
	const char *variant = loaded_run_split(a->run, dir, sizeof(dir));
	size_t open = 0;
	int err = exact_is(dir) ? diag_set(&d, -EINVAL, "%s has exact counts; name the measured run first", dir) : 0;

	if (!err)
		err = loaded_run_open(&l, dir, a->facilities, &a->analysis, &d);
	if (!err)
		err = loaded_run_open_beside(&counted[0], a->new_run, true, &l, NULL, &d);
	if (!err && a->to)
		err = loaded_run_open_beside(&counted[1], a->to, true, &l, NULL, &d);
	if (!err)
		err = explain(a, &l, variant, counted, failed, &d);
	if (!err)
		open = loaded_run_complain(&counted[0], NULL) + (a->to ? loaded_run_complain(&counted[1], NULL) : 0);
	loaded_run_release(&counted[1]);
	loaded_run_release(&counted[0]);
	loaded_run_release(&l);
	if (err)
		return fail(&d, err);
	if (report_args_judge(a, failed, "xdpzoom report") != EXIT_OK || (open && a->strict))
		return EXIT_GATE;
	return EXIT_OK;
}

int cmd_explain(const struct command *c, int argc, char **argv)
{
	struct report_args a;
	int status = report_args_parse(&a, c, argc, argv, DOCUMENT_EXPLAIN);

	return status < 0 ? run_explain(&a) : status;
}
