// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/commands.h"

#include <errno.h>
#include <string.h>
#include "reports/format/format.h"

int old_new_check(struct old_new *n, const struct old_new_options *o, struct diag *d)
{
	int err = 0;

	*n = (struct old_new){.o = o};
	if (!o->fail_words)
		return 0;
	if (!o->measured && !o->exact)
		return diag_set(d, -EINVAL, "--fail-if evaluates --measured RUN and --exact RUN; name one of them");
	err = fail_if_parse(&n->fail_if, o->fail_words, d);
	if (!err && !o->exact)
		err = fail_if_fits(&n->fail_if, false, d);
	if (!err && !o->measured)
		err = fail_if_fits(&n->fail_if, true, d);
	return err;
}

/* A run, and its comparison of the two variants. */
static int open_run(struct old_new *n, int i, const char *const ids[2], struct diag *d)
{
	const struct analysis_options plain = {};
	struct loaded_run *run = &n->runs[i];
	struct loaded_variant old, new;
	int err = i == OLD_NEW_EXACT ? loaded_run_open_exact(run, n->o->exact, NULL, d)
				     : loaded_run_open(run, n->o->measured, NULL, &plain, d);

	if (err)
		return err;
	loaded_run_complain(run, NULL);
	err = loaded_run_find(run, ids[0], &old, d) ?: loaded_run_find(run, ids[1], &new, d);
	return err ? err : compared_build(&n->compared[i], &old, &new, NULL, d);
}

int old_new_open(struct old_new *n, const char *const ids[2], struct diag *d)
{
	int err = 0;

	if (n->o->measured && exact_is(n->o->measured))
		return diag_set(d, -EINVAL, "--measured %.200s: its costs are instructions; --exact takes it",
				n->o->measured);
	if (n->o->measured)
		err = open_run(n, OLD_NEW_MEASURED, ids, d);
	return !err && n->o->exact ? open_run(n, OLD_NEW_EXACT, ids, d) : err;
}

int old_new_print(const struct old_new *n, const char *name, FILE *out)
{
	static const char *const headings[] = {[OLD_NEW_MEASURED] = "Time", [OLD_NEW_EXACT] = "Instructions"};
	const struct render_options o = {.columns = 80};
	const struct format *format;
	struct document doc;
	int err = format_find(&format, name, DOCUMENT_DIFF, NULL);

	for (int i = 0; i < OLD_NEW_RUNS && !err; i++) {
		if (!n->compared[i].base.run)
			continue;
		fprintf(out, strcmp(name, "markdown") ? "\n%s\n\n" : "\n### %s\n\n", headings[i]);
		err = format_write(format, out, &doc, compared_document(&doc, &n->compared[i]), &o);
	}
	return err;
}

bool old_new_fails(const struct old_new *n)
{
	bool failed = false;

	for (int i = 0; i < OLD_NEW_RUNS; i++)
		failed |= n->compared[i].base.run && compared_fails(&n->compared[i], &n->fail_if);
	return failed;
}

void old_new_release(struct old_new *n)
{
	for (int i = 0; i < OLD_NEW_RUNS; i++) {
		compared_release(&n->compared[i]);
		loaded_run_release(&n->runs[i]);
	}
}
