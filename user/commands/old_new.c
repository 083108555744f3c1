// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/old_new.h"

#include <errno.h>
#include <string.h>
#include "base/complain.h"
#include "reports/render/formats.h"
#include "user/commands/exact_args.h"

int old_new_check(struct old_new *n, const struct old_new_options *o, struct diag *d)
{
	int err = 0;

	*n = (struct old_new){.o = o};
	if (!o->fail_words)
		return 0;
	if (!o->measured && !o->exact)
		return diag_set(d, -EINVAL, "--fail-if judges --measured RUN and --exact RUN; name one of them");
	err = fail_if_parse(&n->fail_if, o->fail_words, d);
	if (!err && !o->exact)
		err = fail_if_fits(&n->fail_if, false, d);
	if (!err && !o->measured)
		err = fail_if_fits(&n->fail_if, true, d);
	return err;
}

static int open_measured(struct old_new *n, const char *const ids[2], struct diag *d)
{
	const struct analysis_options plain = {};
	const struct analysis_variant *old, *new = NULL;
	int err;

	if (exact_is(n->o->measured))
		return diag_set(d, -EINVAL, "--measured %.200s: its costs are instructions; --exact takes it",
				n->o->measured);
	err = loaded_run_open(&n->run, n->o->measured, NULL, &plain, d);
	if (err)
		return err;
	old = analysis_find(&n->run.analysis, ids[0], d);
	if (old)
		new = analysis_find(&n->run.analysis, ids[1], d);
	return new ? compare_build(&n->compare, old, new, NULL, d) : -ENOENT;
}

static int open_exact(struct old_new *n, const char *const ids[2], struct diag *d)
{
	struct exact_side old = {.run = &n->counted}, new = {.run = &n->counted};
	int err = facilities_read(&n->facilities, NULL, d);

	if (!err)
		err = exact_args_open(&n->counted, n->o->exact, n->facilities, d);
	if (err)
		return err;
	exact_args_complain(&n->counted, NULL, n->o->exact);
	old.v = exact_find(&n->counted, ids[0], d);
	if (old.v)
		new.v = exact_find(&n->counted, ids[1], d);
	return new.v ? exact_diff_build(&n->diff, old, new, NULL) : -ENOENT;
}

int old_new_open(struct old_new *n, const char *const ids[2], struct diag *d)
{
	int err = n->o->measured ? open_measured(n, ids, d) : 0;

	return !err && n->o->exact ? open_exact(n, ids, d) : err;
}

static void heading(FILE *out, const char *format, const char *words)
{
	fprintf(out, strcmp(format, "markdown") ? "\n%s\n\n" : "\n### %s\n\n", words);
}

int old_new_print(const struct old_new *n, const char *name, FILE *out)
{
	const struct render_options o = {.columns = 80};
	const struct format *format;
	struct document d;
	int err = format_find(&format, name, FORMAT_OF_DIFF, NULL);

	if (!err && n->o->measured) {
		heading(out, name, "Time");
		err = format_write(format, out, &d, document_of_diff(&d, &n->compare), &o);
	}
	if (!err && n->o->exact) {
		heading(out, name, "Instructions");
		err = format_write(format, out, &d, document_of_exact_diff(&d, &n->diff), &o);
	}
	return err;
}

bool old_new_fails(const struct old_new *n)
{
	struct diag none;
	char why[200];
	bool failed = false;

	if (n->o->measured && !fail_if_fits(&n->fail_if, false, &none) &&
	    fail_if_measured(&n->fail_if, &n->compare.headline, why, sizeof(why))) {
		complain("%s", why);
		failed = true;
	}
	if (n->o->exact && !fail_if_fits(&n->fail_if, true, &none) &&
	    fail_if_counted(&n->fail_if, n->diff.base->total.instructions[EXACT_PACKET], n->diff.change, why,
			    sizeof(why))) {
		complain("%s", why);
		failed = true;
	}
	return failed;
}

void old_new_release(struct old_new *n)
{
	compare_release(&n->compare);
	loaded_run_release(&n->run);
	exact_diff_release(&n->diff);
	exact_release(&n->counted);
	facilities_free(n->facilities);
	n->facilities = NULL;
}
