// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/commands.h"

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

/* NEW is "DIR:VARIANT", a variant of the base's run, or "DIR" for the same variant in another run. */
static int split_sides(struct side *base, struct side *new, const struct report_args *a, struct diag *d)
{
	base->variant = loaded_run_split(a->run, base->dir, sizeof(base->dir));
	if (a->new_last && base->variant)
		return diag_set(d, -EINVAL, "diff DIR BASE NEW: %s has a variant already", a->run);
	if (a->new_last || !a->new_run) {
		snprintf(new->dir, sizeof(new->dir), "%s", base->dir);
		base->variant = a->new_last ? a->new_run : base->variant;
		new->variant = a->new_last;
		return 0;
	}
	new->variant = loaded_run_split(a->new_run, new->dir, sizeof(new->dir));
	if (!new->variant && access(a->new_run, F_OK) && !strchr("./", *a->new_run) && !strchr(a->new_run, ',') &&
	    errno != ENOTDIR) {
		new->variant = a->new_run; /* no run is called so */
		snprintf(new->dir, sizeof(new->dir), "%s", base->dir);
	}
	if (!new->variant)
		new->variant = base->variant;
	if (!base->variant && strcmp(base->dir, new->dir))
		base->variant = new->variant;
	return 0;
}

/* "run1,run2,run3": the first one stays in dir. A path that exists is one run, with all its commas. */
static int split_list(struct side *s, struct diag *d)
{
	char *comma = access(s->dir, F_OK) ? strchr(s->dir, ',') : NULL;
	bool empty = !*s->dir || comma == s->dir;

	for (; comma; comma = strchr(comma + 1, ',')) {
		*comma = '\0';
		if (s->nmore == COMPARE_MAX_RUNS - 1)
			return diag_set(d, -E2BIG, "more than %d runs of one side", COMPARE_MAX_RUNS);
		s->more[s->nmore++] = comma + 1;
		empty |= !comma[1] || comma[1] == ',';
	}
	return empty ? diag_set(d, -EINVAL, "the run directory's name is empty") : 0;
}

/* A run that counts twice would make the interval too narrow. Other names of one run are found out by add_runs(). */
static int refuse_twins(const struct side *a, const struct side *b, struct diag *d)
{
	for (size_t i = 0; i <= a->nmore; i++)
		for (size_t k = a == b ? i + 1 : 0; k <= b->nmore; k++)
			if (!strcmp((i ? a->more[i - 1] : a->dir), (k ? b->more[k - 1] : b->dir)))
				return diag_set(d, -EINVAL, "%.200s is named twice", (i ? a->more[i - 1] : a->dir));
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

/* Bases of a side's runs, at the speed of the run of `like` where there is a reference. */
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

/* One comparison: both sides' variants as they are called in their runs. */
struct pair {
	const char *base, *new;
	int status; /* of the comparison, once it is made */
};

#define PAIRS_MAX 64

/* The variant that this one is compared with where nobody says it: skb with native, after a moment with before it. */
static bool is_partner(const char *base, const char *new)
{
	static const char *const ends[][2] = {{"@native", "@skb"}, {"/before@none", "/after@none"}};
	size_t n = strlen(base), m = strlen(new);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t b = strlen(ends[i][0]), e = strlen(ends[i][1]);

		if (n > b && m > e && n - b == m - e && !strncmp(base, new, n - b) &&
		    !strcmp(base + n - b, ends[i][0]) && !strcmp(new + m - e, ends[i][1]))
			return true;
	}
	return false;
}

/* Fills pairs with all that two open runs, which may be one, have to be compared; there is at least one. */
static int list_pairs(const struct loaded_run *base, const struct loaded_run *new, struct pair *pairs, size_t *n,
		      struct diag *d)
{
	*n = 0;
	for (size_t i = 0; i < loaded_run_count(base); i++)
		for (size_t k = 0; k < loaded_run_count(new) && *n < PAIRS_MAX; k++) {
			struct pair p = {loaded_run_id(base, i), loaded_run_id(new, k)};

			if (base == new ? is_partner(p.base, p.new) : !strcmp(p.base, p.new))
				pairs[(*n)++] = p;
		}
	if (*n)
		return 0;
	if (base != new && loaded_run_count(base) == 1 && loaded_run_count(new) == 1) {
		pairs[(*n)++] = (struct pair){loaded_run_id(base, 0), loaded_run_id(new, 0)};
		return 0;
	}
	if (base == new)
		return diag_set(d, -EDESTADDRREQ,
				"%.200s has no variant in native and in skb mode; name two: diff DIR BASE NEW",
				base->dir);
	return diag_set(d, -EDESTADDRREQ, "%.200s and %.200s have no variant in common; name one of each: DIR:VARIANT",
			base->dir, new->dir);
}

/* Opens the new run where it is another one, for the variant of the base that is compared. */
static int open_new(struct side *base, struct side *new, const struct report_args *a, struct diag *d)
{
	struct analysis_options o = a->analysis;

	new->run = base->run;
	if (!strcmp(base->dir, new->dir))
		return 0;
	/* takes blocks at that placement */
	o.placement_like_ns = base->v.measured ? base->v.measured->placement_ns : 0;
	new->run = &new->own;
	return loaded_run_open_beside(&new->own, new->dir, base->run->exact, base->run, &o, d);
}

/* What is asked for: the pair that was named, or all that the runs have. The names live as long as the base's run. */
static int find_pairs(struct side *base, struct side *new, const struct report_args *a, struct pair *pairs, size_t *n,
		      struct diag *d)
{
	bool one = !strcmp(base->dir, new->dir);
	int err;

	pairs[0] = (struct pair){base->variant, new->variant};
	*n = 1;
	if (base->variant && (new->variant || !one))
		return 0;
	if (one && base->variant) { /* diff DIR:VARIANT: against its partner */
		err = loaded_run_find(base->run, base->variant, &base->v, d);
		for (size_t i = 0; i < loaded_run_count(base->run) && !err; i++) {
			const char *id = loaded_variant_id(&base->v), *other = loaded_run_id(base->run, i);

			if (is_partner(id, other) || is_partner(other, id)) {
				pairs[0] = is_partner(id, other) ? (struct pair){id, other} : (struct pair){other, id};
				return 0;
			}
		}
		return err ? err : diag_set(d, -EDESTADDRREQ, "name the variant to compare %s with", base->variant);
	}
	err = open_new(base, new, a, d) ?: list_pairs(base->run, new->run, pairs, n, d);
	for (size_t i = 0; i < *n && !one && !err; i++)
		for (size_t k = 0; k < loaded_run_count(base->run); k++)
			if (!strcmp(pairs[i].base, loaded_run_id(base->run, k)) && !strcmp(pairs[i].new, pairs[i].base))
				pairs[i].new = loaded_run_id(base->run, k); /* the new run is closed */
	if (!err && !one && *n == 1 && strcmp(pairs[0].base, pairs[0].new))
		pairs[0].new = NULL; /* its only one */
	loaded_run_release(&new->own);
	return err;
}

/* The exit status of a comparison that could be made. */
static int cmd_diff_judge(const struct report_args *a, const struct compared *c)
{
	char failed[GATES_BYTES] = "", differing[MADE_CONFIG_BYTES];
	bool fails = compared_fails(c, &a->fail_if);
	size_t open = loaded_run_complain(c->base.run, c->base.counted);

	if (c->new.counted != c->base.counted)
		open += loaded_run_complain(c->new.run, c->new.counted);
	if (fails || (open && a->strict))
		return EXIT_GATE;
	quality_name_failed(&c->measured.quality, failed, sizeof(failed));
	if (c->base.counted && exact_diff_mitigations(&c->counted, differing, sizeof(differing)))
		snprintf(failed, sizeof(failed), "mitigations-alike (%s)", differing);
	return report_args_judge(a, failed);
}

/* Compares one pair, and writes it. The base's run stays open. */
static int diff_pair(struct side *base, struct side *new, struct pair *p, struct report_args *a, size_t share,
		     struct diag *d)
{
	const struct render_options o = {.lines = share};
	struct between between = between_default(a->run_sd_pct);
	struct compared c = {};
	struct document doc;
	int err;

	base->variant = p->base;
	new->variant = p->new;
	err = loaded_run_find(base->run, base->variant, &base->v, d)
		      ?: open_new(base, new, a, d) ?: loaded_run_find(new->run, new->variant, &new->v, d);
	if (!err) {
		base->variant = loaded_variant_id(&base->v);
		new->variant = loaded_variant_id(&new->v);
		err = compared_build(&c, &base->v, &new->v, a->renames, d);
	}
	if (!err && base->nmore + new->nmore) /* several runs of a side add to it what they say */
		err = add_runs(&c.measured, base, new, a, d);
	else if (!err && !base->run->exact && !c.measured.same_run)
		compare_set_between(&c.measured, &between);
	if (!err)
		err = report_args_put(a, &doc, compared_document(&doc, &c), &o, d);
	if (!err)
		p->status = cmd_diff_judge(a, &c);
	compared_release(&c);
	loaded_run_release(&new->own);
	return err;
}

static int diff_pairs(struct side *base, struct side *new, struct report_args *a, int *status, struct diag *d)
{
	struct pair pairs[PAIRS_MAX];
	size_t n = 0;
	int err = find_pairs(base, new, a, pairs, &n, d);

	if (!err && n > 1 && base->nmore + new->nmore)
		err = diag_set(d, -EDESTADDRREQ, "of several runs a side one variant is compared; name it: %.200s:%s",
			       base->dir, pairs[0].base);
	if (!err && n > 1 && !a->format->joins)
		err = diag_set(d, -EDESTADDRREQ,
			       "-f %s holds one comparison, and these are %zu; name a variant, e.g. %.200s:%s",
			       a->format->name, n, base->dir, pairs[0].base);
	for (size_t i = 0; i < n && !err; i++) {
		if (i)
			fputc('\n', a->out.stream);
		err = diff_pair(base, new, &pairs[i], a, n > 1 ? SHORT_LINES / n : 0, d);
		*status = pairs[i].status > *status ? pairs[i].status : *status;
	}
	struct output out = a->out;
	return err && *d->text ? err : output_close(&out, err, d);
}

static int run_diff(struct report_args *a)
{
	struct counted counted = {};
	struct side base = {.counted = &counted}, new = {.counted = &counted};
	struct diag d = {};
	bool exact, paired;
	int err = split_sides(&base, &new, a, &d), status = EXIT_OK;

	paired = !strcmp(base.dir, new.dir);
	if (!err)
		err = split_list(&base, &d) ?: split_list(&new, &d) ?: refuse_twins(&base, &base, &d);
	if (!err && !paired && base.nmore + new.nmore)
		err = refuse_twins(&base, &new, &d);
	if (!err)
		err = refuse_twins(&new, &new, &d);
	if (err)
		return complain("diff: %s", d.text), EXIT_USAGE;
	exact = exact_is(base.dir);
	if (exact && base.nmore + new.nmore)
		return complain("diff: exact counts do not differ from run to run; name one run of each side"),
		       EXIT_USAGE;
	err = report_args_fit(a, exact ? DOCUMENT_EXACT_DIFF : DOCUMENT_DIFF, &d);
	/* How much runs differ has to be known for one run and another one. */
	if (!err && a->run_sd_pct >= 0 && base.nmore + new.nmore)
		err = diag_set(&d, -EINVAL, "--run-sd is for one run of each side; several runs show it themselves");
	else if (!err && a->run_sd_pct >= 0 && !strcmp(base.dir, new.dir))
		err = diag_set(&d, -EINVAL, "--run-sd is for two runs, and this is one");
	if (err)
		return complain_of(&d, -EINVAL), EXIT_USAGE;
	base.run = &base.own;
	err = loaded_run_open(&base.own, base.dir, a->components, exact ? NULL : &a->analysis, &d);
	if (!err) {
		err = diff_pairs(&base, &new, a, &status, &d);
		loaded_run_release(&base.own);
	}
	if (err)
		status = complain_of(&d, err);
	return err == -EDESTADDRREQ || err == -ENOTUNIQ ? EXIT_USAGE : status;
}

int cmd_diff(const struct command *c, int argc, char **argv)
{
	struct report_args a;
	int status = report_args_parse(&a, c, argc, argv, READS_DIFF, NULL);

	return status < 0 ? run_diff(&a) : status;
}
