// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "reports/compare/between.h"
#include "reports/compare/compare.h"
#include "user/commands/compared.h"
#include "user/cli/loaded_run.h"
#include "user/cli/report_args.h"
#include "user/xdpzoom.h"

/* The runs that count. A run has one identity, whatever path, link or copy leads to it. */
struct counted {
	char identity[2 * COMPARE_MAX_RUNS][RUN_IDENTITY_BYTES];
	const char *dir[2 * COMPARE_MAX_RUNS];
	size_t n;
};

/* One side of a comparison: a run, further runs of the same, and the name of one of their variants. */
struct side {
	struct loaded_run own, *run; /* run points to own, or to the own of the other side */
	char dir[4096];
	const char *more[COMPARE_MAX_RUNS]; /* directories; they point into dir, behind its end */
	size_t nmore;
	const char *variant;
	struct loaded_variant v;
	struct counted *counted; /* of both sides */
};

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

/* "run1,run2,run3": the first one stays in dir. A path that exists is one run, with all its commas. */
static int split_list(struct side *s, struct diag *d)
{
	char *comma = access(s->dir, F_OK) ? strchr(s->dir, ',') : NULL;

	while (comma) {
		*comma = '\0';
		if (s->nmore == COMPARE_MAX_RUNS - 1)
			return diag_set(d, -E2BIG, "more than %d runs of one side", COMPARE_MAX_RUNS);
		s->more[s->nmore++] = comma + 1;
		comma = strchr(comma + 1, ',');
	}
	return 0;
}

static const char *dir_of(const struct side *s, size_t i)
{
	return i ? s->more[i - 1] : s->dir;
}

/* A run that counts twice would make the interval too narrow. Other names of one run are found out by add_runs(). */
static int cmd_diff_refuse_twins(const struct side *a, const struct side *b, struct diag *d)
{
	for (size_t i = 0; i <= a->nmore; i++)
		for (size_t k = a == b ? i + 1 : 0; k <= b->nmore; k++)
			if (!strcmp(dir_of(a, i), dir_of(b, k)))
				return diag_set(d, -EINVAL, "%.200s is named twice", dir_of(a, i));
	return 0;
}

static int count_run(struct counted *c, const struct run *r, const char *dir, struct diag *d)
{
	char *identity = c->identity[c->n];

	run_identity(r, identity);
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->identity[i], identity))
			return diag_set(d, -ENOTUNIQ, "%.200s and %.200s are the same run", c->dir[i], dir);
	c->dir[c->n++] = dir;
	return 0;
}

/* Bases of a side's runs, at the speed of the run of `like` where there is a ruler. */
struct bases {
	const struct analysis_variant *like;
	double *ns, *other;
};

/* Sets ns[i] to the base of the i-th run. both: the side whose variant of the same run goes into other[i]; or NULL. */
static int read_bases(const struct side *s, const struct side *both, const struct report_args *a,
		      const struct bases *to, struct diag *d)
{
	struct analysis_options o = a->analysis;
	const struct analysis_variant *v;
	struct loaded_run run;
	int err = 0;

	o.placement_like_ns = s->v.measured->placement_ns;
	for (size_t i = 1; i <= s->nmore && !err; i++) {
		err = loaded_run_open_beside(&run, s->more[i - 1], false, s->run, &o, d);
		if (err)
			return err;
		err = count_run(s->counted, &run.run, s->more[i - 1], d);
		v = err ? NULL : analysis_find(&run.analysis, s->variant, d);
		to->ns[i] = v ? between_base_like(v, to->like) : NAN;
		err = err || v ? err : -ENOENT;
		if (!err && both) {
			v = analysis_find(&run.analysis, both->variant, d);
			to->other[i] = v ? between_base_like(v, both->v.measured) : NAN;
			err = v ? 0 : -ENOENT;
		}
		if (!err && (isnan(to->ns[i]) || (both && isnan(to->other[i]))))
			err = diag_set(d, -EINVAL, "%.200s: no packets of a variant that is compared", s->more[i - 1]);
		loaded_run_release(&run);
	}
	return err;
}

/* Adds what several runs of each side say. */
static int add_runs(struct compare *c, const struct side *base, const struct side *new, const struct report_args *a,
		    struct diag *d)
{
	const struct analysis_variant *like = base->v.measured;
	double x[COMPARE_MAX_RUNS] = {like->base_ns}, y[COMPARE_MAX_RUNS] = {between_base_like(new->v.measured, like)};
	struct between between = {BETWEEN_SIDES, 0, base->nmore + new->nmore + 1};
	bool paired = base->run == new->run;
	int err = count_run(base->counted, &base->run->run, base->dir, d);

	if (!err && !paired)
		err = count_run(new->counted, &new->run->run, new->dir, d);
	if (!err)
		err = read_bases(base, paired ? new : NULL, a, &(struct bases){like, x, y}, d);
	if (!err && !paired)
		err = read_bases(new, NULL, a, &(struct bases){like, y, NULL}, d);
	if (err)
		return err;
	c->runs = compare_runs_of(x, base->nmore + 1, y, new->nmore + 1, paired);
	between.sd_pct = c->runs.sd_pct;
	if (!paired)
		compare_set_between(c, &between);
	return 0;
}

/* A measured run with one variant needs no name for it. */
static int take_only_variant(struct side *s, struct diag *d)
{
	const struct analysis *a = &s->run->analysis;

	if (s->variant)
		return 0;
	if (a->nvariants != 1)
		return diag_set(d, -EDESTADDRREQ, "%.200s has %zu variants; name one, e.g. %.200s:%s", s->dir,
				a->nvariants, s->dir,
				a->nvariants ? a->variants[0].variant->id : "drop/no-touch@native");
	s->variant = a->variants[0].variant->id;
	return 0;
}

/* exact: the base is an exact run, so the new run has to be one. */
static int open_sides(struct side *base, struct side *new, bool exact, const struct report_args *a, struct diag *d)
{
	struct analysis_options o = a->analysis;
	int err = exact ? loaded_run_open_exact(&base->own, base->dir, a->facilities, d)
			: loaded_run_open(&base->own, base->dir, a->facilities, &o, d);

	base->run = new->run = &base->own;
	if (!err)
		err = take_only_variant(base, d) ?: loaded_run_find(base->run, base->variant, &base->v, d);
	if (!err && strcmp(base->dir, new->dir)) {
		o.placement_like_ns = exact ? 0 : base->v.measured->placement_ns; /* takes blocks at that placement */
		new->run = &new->own;
		err = loaded_run_open_beside(&new->own, new->dir, exact, base->run, &o, d) ?: take_only_variant(new, d);
	}
	return err ? err : loaded_run_find(new->run, new->variant, &new->v, d);
}

/* The exit status of a comparison that could be made. */
static int cmd_diff_judge(const struct report_args *a, const struct compared *c)
{
	char failed[GATES_BYTES] = "";
	bool fails = compared_fails(c, &a->fail_if);
	size_t open = loaded_run_complain(c->base.run, c->base.counted);

	if (c->new.counted != c->base.counted)
		open += loaded_run_complain(c->new.run, c->new.counted);
	if (fails || (open && a->strict))
		return EXIT_GATE;
	quality_name_failed(&c->measured.quality, failed, sizeof(failed));
	return report_args_judge(a, failed, "--format text");
}

/* Builds the comparison; several runs of a side add to it what they say. */
static int compare_sides(struct compared *c, struct side *base, struct side *new, bool exact, struct report_args *a,
			 struct diag *d)
{
	struct between between = between_default(a->run_sd_pct);
	int err = open_sides(base, new, exact, a, d) ?: compared_build(c, &base->v, &new->v, a->renames, d);

	if (!err && base->nmore + new->nmore)
		err = add_runs(&c->measured, base, new, a, d);
	else if (!err && !exact && !c->measured.same_run)
		compare_set_between(&c->measured, &between);
	return err;
}

static int refuse_empty(const struct side *s, struct diag *d)
{
	for (size_t i = 0; i <= s->nmore; i++)
		if (!*dir_of(s, i))
			return diag_set(d, -EINVAL, "the run directory's name is empty");
	return 0;
}

static int split_lists(struct side *base, struct side *new, struct diag *d)
{
	bool paired = !strcmp(base->dir, new->dir);
	int err = split_list(base, d) ?: split_list(new, d) ?: refuse_empty(base, d) ?: refuse_empty(new, d);

	if (!err)
		err = cmd_diff_refuse_twins(base, base, d);
	if (!err && !paired && base->nmore + new->nmore)
		err = cmd_diff_refuse_twins(base, new, d);
	return err ? err : cmd_diff_refuse_twins(new, new, d);
}

/* How much runs differ has to be known for one run and another one. */
static int check_run_sd(const struct report_args *a, const struct side *base, const struct side *new, struct diag *d)
{
	if (a->run_sd_pct < 0)
		return 0;
	if (base->nmore + new->nmore)
		return diag_set(d, -EINVAL, "--run-sd is for one run of each side; several runs tell it themselves");
	return strcmp(base->dir, new->dir) ? 0 : diag_set(d, -EINVAL, "--run-sd is for two runs, and this is one");
}

static int run_diff(struct report_args *a)
{
	struct counted counted = {};
	struct side base = {.counted = &counted}, new = {.counted = &counted};
	struct compared c = {};
	struct document doc;
	struct diag d = {};
	bool exact;
	int err, status;

	base.variant = loaded_run_split(a->run, base.dir, sizeof(base.dir));
	exact = exact_is(base.dir);
	split_new(&base, &new, a->new_run);
	if (!base.variant && (exact || !strcmp(base.dir, new.dir)))
		return complain("diff: name a variant, e.g. %s:drop/no-touch@native drop/no-touch@skb", base.dir),
		       EXIT_USAGE;
	err = split_lists(&base, &new, &d);
	if (err)
		return complain("diff: %s", d.text), EXIT_USAGE;
	if (exact && base.nmore + new.nmore)
		return complain("diff: exact counts do not differ from run to run; name one run of each side"),
		       EXIT_USAGE;
	if (report_args_fit(a, exact ? DOCUMENT_EXACT_DIFF : DOCUMENT_DIFF, base.dir, &d) ||
	    check_run_sd(a, &base, &new, &d))
		return fail(&d, -EINVAL), EXIT_USAGE;
	err = compare_sides(&c, &base, &new, exact, a, &d);
	if (!err)
		err = report_args_write(a, &doc, compared_document(&doc, &c), NULL, &d);
	status = !err ? cmd_diff_judge(a, &c) : fail(&d, err);
	if (err == -EDESTADDRREQ || err == -ENOTUNIQ)
		status = EXIT_USAGE;
	compared_release(&c);
	loaded_run_release(&new.own);
	loaded_run_release(&base.own);
	return status;
}

int cmd_diff(const struct command *c, int argc, char **argv)
{
	struct report_args a;
	int status = report_args_parse(&a, c, argc, argv, DOCUMENT_DIFF);

	return status < 0 ? run_diff(&a) : status;
}
