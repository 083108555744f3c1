// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/exact_args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/complain.h"

int exact_args_open(struct exact *e, const char *dir, struct facilities *f, struct diag *d)
{
	char file[4200];
	int err = 0;

	snprintf(file, sizeof(file), "%s/" EXACT_FILE, dir);
	if (!exact_is(dir) && !access(file, F_OK)) /* else exact_read() tells what is missing */
		err = diag_set(d, -EINVAL,
			       "%s is no exact run: its costs are in ns and cannot be compared with instructions", dir);
	return err ? err : exact_read(e, dir, f, d);
}

int exact_args_open_closed(struct exact *e, const char *dir, struct facilities *f, struct diag *d)
{
	char open[512];
	int err = exact_args_open(e, dir, f, d);

	for (size_t i = 0; !err && i < e->nvariants; i++)
		if (exact_open_words(&e->variants[i], open, sizeof(open)))
			err = diag_set(d, -EINVAL,
				       "%s: %s: do not sum to an independent count, and so the run is not kept: %s",
				       dir, e->variants[i].id, open);
	return err;
}

size_t exact_args_complain(const struct exact *e, const struct exact_variant *only, const char *dir)
{
	char open[512];
	size_t n = 0;

	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_variant *v = &e->variants[i];

		if ((only && only != v) || !exact_open_words(v, open, sizeof(open)))
			continue;
		complain("%s: %s: do not sum to an independent count, and are left out: %s", dir, v->id, open);
		n++;
	}
	return n;
}

static int no_format(const struct report_args *a)
{
	complain("--format %s cannot hold exact counts", a->format->name);
	return EXIT_USAGE;
}

/* Options of measured runs. --strict is none of them: that all counts close is the gate of an exact run. */
static int refuse_measured(const struct report_args *a, struct diag *d)
{
	const char *option = a->placement != report_args_placement ? "placement"
			     : a->analysis.scaled                  ? "scaled"
			     : a->limits.n                         ? "limit"
			     : a->run_sd_pct >= 0                  ? "run-sd"
								   : NULL;

	return option ? diag_set(d, -EINVAL, "--%s is for measured runs, and these are exact counts", option) : 0;
}

int exact_report(const struct report_args *a, const char *dir, const char *variant)
{
	const struct exact_variant *only = NULL;
	struct facilities *f = NULL;
	struct document doc;
	struct exact e = {};
	struct diag d = {};
	size_t open;
	int err;

	if (!(a->format->of & OF(DOCUMENT_EXACT)))
		return no_format(a);
	if (refuse_measured(a, &d))
		return fail(&d, -EINVAL), EXIT_USAGE;
	err = facilities_read(&f, a->facilities, &d);
	if (!err)
		err = exact_args_open(&e, dir, f, &d);
	if (!err && variant) {
		only = exact_find(&e, variant, &d);
		err = only ? 0 : -ENOENT;
	}
	if (!err)
		err = report_args_write(a, &doc, document_of_exact(&doc, &e, only), NULL, &d);
	open = err ? 0 : exact_args_complain(&e, only, dir);
	exact_release(&e);
	facilities_free(f);
	return err ? fail(&d, err) : open && a->strict ? EXIT_GATE : EXIT_OK;
}

int exact_diff(const struct report_args *a, const char *base_dir, const char *base_variant, const char *new_dir,
	       const char *new_variant)
{
	struct exact base = {}, other = {};
	const struct exact *new_run = &base;
	const struct exact_variant *from = NULL, *to = NULL;
	struct facilities *f = NULL;
	struct exact_diff diff = {};
	struct symkeys *keys = NULL;
	struct document doc;
	struct diag d = {};
	char why[200];
	bool failed = false;
	size_t open = 0;
	int err;

	if (refuse_measured(a, &d) || fail_if_fits(&a->fail_if, true, &d))
		return fail(&d, -EINVAL), EXIT_USAGE;
	if (!(a->format->of & OF(DOCUMENT_EXACT_DIFF)))
		return no_format(a);
	err = facilities_read(&f, a->facilities, &d);
	if (!err)
		err = exact_args_open(&base, base_dir, f, &d);
	if (!err && strcmp(base_dir, new_dir)) {
		new_run = &other;
		err = exact_args_open(&other, new_dir, f, &d);
	}
	if (!err) {
		from = exact_find(&base, base_variant, &d);
		to = from ? exact_find(new_run, new_variant, &d) : NULL;
		err = to ? exact_diff_renames(&keys, a->renames, &base, new_run, &d) : -ENOENT;
	}
	if (!err)
		err = exact_diff_build(&diff, (struct exact_side){&base, from}, (struct exact_side){new_run, to}, keys);
	if (!err)
		err = report_args_write(a, &doc, document_of_exact_diff(&doc, &diff), NULL, &d);
	if (!err)
		failed = fail_if_counted(&a->fail_if, from->total.instructions[EXACT_PACKET], diff.change, why,
					 sizeof(why));
	if (failed)
		complain("%s", why);
	if (!err)
		open = exact_args_complain(&base, from, base_dir) +
		       (from != to ? exact_args_complain(new_run, to, new_dir) : 0);
	failed |= open && a->strict;
	exact_diff_release(&diff);
	symkeys_free(keys);
	exact_release(&other);
	exact_release(&base);
	facilities_free(f);
	return err ? fail(&d, err) : failed ? EXIT_GATE : EXIT_OK;
}
