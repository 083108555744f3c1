// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "reports/compare/compare.h"
#include "user/cli/exact_args.h"
#include "user/cli/loaded_run.h"
#include "user/cli/report_args.h"
#include "user/xdpzoom.h"

/* One side of a comparison: a run and the name of one of its variants. */
struct side {
	struct loaded_run own, *run; /* run points to own, or to the own of the other side */
	char dir[4096];
	const char *variant;
	const struct analysis_variant *v;
};

static int render(const struct report_args *a, const struct compare *c, struct diag *d)
{
	struct render_options o;
	struct output out;
	int err = report_args_open(a, &out, &o, d);

	return err ? err : output_close(&out, a->format->diff(out.stream, c, &o), d);
}

static bool is_variant(const char *arg)
{
	struct run_variant v;

	return !run_variant_parse(&v, arg, NULL);
}

/* NEW is "DIR:VARIANT", "VARIANT" of the base's run, or "DIR" for the same variant in another run. */
static void split_new(struct side *base, struct side *new, const char *arg)
{
	new->variant = loaded_run_split(arg, new->dir, sizeof(new->dir));
	if (!new->variant && (strchr(arg, '@') || is_variant(arg)) && access(arg, F_OK)) {
		new->variant = arg;
		snprintf(new->dir, sizeof(new->dir), "%s", base->dir);
	}
	if (!new->variant)
		new->variant = base->variant;
	if (!base->variant)
		base->variant = new->variant;
}

static int open_sides(struct side *base, struct side *new, struct report_args *a, struct diag *d)
{
	struct analysis_options o = a->analysis;
	int err = loaded_run_open(&base->own, base->dir, a->facilities, &o, d);

	if (err)
		return err;
	base->run = new->run = &base->own;
	base->v = analysis_find(&base->run->analysis, base->variant, d);
	if (!base->v)
		return -ENOENT;
	if (strcmp(base->dir, new->dir)) {
		o.placement_like_ns = base->v->placement_ns; /* takes blocks of new at the base's placement */
		err = loaded_run_open(&new->own, new->dir, a->facilities, &o, d);
		if (err)
			return err;
		new->run = &new->own;
	}
	new->v = analysis_find(&new->run->analysis, new->variant, d);
	return new->v ? 0 : -ENOENT;
}

/* The exit status of a comparison that could be made. */
static int judge(const struct report_args *a, const struct compare *c)
{
	char why[200];

	if (fail_if_measured(&a->fail_if, &c->headline, why, sizeof(why)))
		return complain("%s", why), EXIT_GATE;
	return a->strict && quality_failed(&c->quality) ? EXIT_GATE : EXIT_OK;
}

static int run_diff(struct report_args *a)
{
	struct side base = {}, new = {};
	struct symkeys *keys = NULL;
	struct compare c = {};
	struct diag d = {};
	struct between between = between_default(a->run_sd_pct);
	int err, status;

	base.variant = loaded_run_split(a->run, base.dir, sizeof(base.dir));
	split_new(&base, &new, a->new_run);
	if (!base.variant)
		return complain("diff: name a variant, e.g. %s:drop/no-touch@native drop/no-touch@skb", base.dir),
		       EXIT_USAGE;
	if (exact_is(base.dir))
		return exact_diff(a, base.dir, base.variant, new.dir, new.variant);
	if (fail_if_fits(&a->fail_if, false, &d))
		return fail(&d, -EINVAL), EXIT_USAGE;
	err = open_sides(&base, &new, a, &d);
	if (!err)
		err = compare_read_renames(&keys, a->renames, base.v, new.v, &d);
	if (!err)
		err = compare_build(&c, base.v, new.v, keys, &d);
	if (!err && !c.same_run)
		compare_set_between(&c, &between);
	if (!err)
		err = render(a, &c, &d);
	status = err ? fail(&d, err) : judge(a, &c);
	compare_release(&c);
	symkeys_free(keys);
	loaded_run_release(&new.own);
	loaded_run_release(&base.own);
	return status;
}

int cmd_diff(const struct command *c, int argc, char **argv)
{
	struct report_args a;
	int status = report_args_parse(&a, c, argc, argv, FORMAT_OF_DIFF);

	return status < 0 ? run_diff(&a) : status;
}
