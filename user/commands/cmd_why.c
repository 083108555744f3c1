// SPDX-License-Identifier: GPL-2.0-or-later
/* why - the first cause of what a dump of watch, or two runs, show */
#include "user/cli/cli.h"

/* Both sides: their runs, which may be one, and what event.json holds. */
struct why_run {
	struct loaded_run own[2], *run[2];
	json_t *moment[2];
	const char *variant[2];
	char dir[2][4096];
	struct symkeys *keys;
	struct compare compare;
	struct why why;
};

static int open_runs(struct why_run *r, const struct report_args *a, struct diag *d)
{
	int err;

	r->variant[0] = loaded_run_split(a->run, r->dir[0], sizeof(r->dir[0]));
	err = loaded_run_open(&r->own[0], r->dir[0], a->components, &a->analysis, d);
	r->run[0] = r->run[1] = &r->own[0];
	if (!err)
		err = why_load(&r->moment[0], r->dir[0], d);
	r->moment[1] = json_incref(r->moment[0]);
	if (err || !a->new_run)
		return err;
	r->variant[1] = loaded_run_split(a->new_run, r->dir[1], sizeof(r->dir[1]));
	err = loaded_run_open_beside(&r->own[1], r->dir[1], false, &r->own[0], &a->analysis, d);
	r->run[1] = &r->own[1];
	json_decref(r->moment[1]);
	r->moment[1] = NULL;
	return err ? err : why_load(&r->moment[1], r->dir[1], d);
}

/* ---- which variants ----------------------------------------------------------------------------- */

static const struct analysis_variant *of_part(const struct analysis *a, const char *device, enum run_operation part)
{
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct run_variant *v = a->variants[i].variant;

		if (run_variant_is_watched(v) && v->operation == part && !strcmp(v->target, device))
			return &a->variants[i];
	}
	return NULL;
}

/* ---- one pair ----------------------------------------------------------------------------------- */

static int judge(struct why_run *r, const struct analysis_variant *before, const struct analysis_variant *after,
		 const struct report_args *a, struct diag *d)
{
	struct why_sources s = {
		.one = after ?: before, .silent = !after, .before = r->moment[0], .after = r->moment[1]};
	struct between between = between_default(a->run_sd_pct);
	int err = 0;

	if (before && after) {
		compare_release(&r->compare);
		symkeys_free(r->keys);
		r->keys = NULL;
		err = compare_read_renames(&r->keys, a->renames, before, after, d);
		if (!err)
			err = compare_build(&r->compare, before, after, r->keys, d);
		if (!err && !r->compare.same_run)
			compare_set_between(&r->compare, &between);
		s.compare = &r->compare;
	}
	why_release(&r->why.facts);
	if (!err && why_read(&r->why.facts, &s))
		err = diag_set(d, -ENOMEM, "no memory");
	if (!err)
		why_judge(&r->why.facts, &r->why.verdict);
	return err;
}

/* A verdict that is sure comes first, then one of a device that something happened to. */
static int weight(const struct why_verdict *v)
{
	return v->sure ? 2 : !v->nothing;
}

/* Both parts of a device, or all of it; false: the variant is another part of a device that is judged elsewhere. */
static bool sides_of(const struct analysis *all, const struct analysis_variant *v,
		     const struct analysis_variant *sides[2])
{
	const struct run_variant *id = v->variant;

	if (!run_variant_is_watched(id))
		return false;
	sides[0] = of_part(all, id->target, RUN_PART_BEFORE);
	sides[1] = id->operation == RUN_PART_BEFORE ? of_part(all, id->target, RUN_PART_AFTER) : v;
	return id->operation != RUN_PART_BEFORE || !sides[1];
}

/* The device with the most to tell: all devices of a dump are looked at, the best one again at the end. */
static int judge_dump(struct why_run *r, const struct report_args *a, struct diag *d)
{
	const struct analysis *all = &r->run[0]->analysis;
	const struct analysis_variant *sides[2], *best = NULL, *last = NULL;
	int most = -1, err = 0;

	for (size_t i = 0; i < all->nvariants && !err; i++) {
		const struct analysis_variant *v = &all->variants[i];

		if (!sides_of(all, v, sides) || (r->variant[0] && strcmp(r->variant[0], v->variant->id) &&
						 strcmp(r->variant[0], v->variant->target)))
			continue;
		err = judge(r, sides[0], sides[1], a, d);
		last = v;
		if (!err && weight(&r->why.verdict) > most) {
			most = weight(&r->why.verdict);
			best = v;
		}
	}
	if (!err && !best)
		return diag_set(d, -EDESTADDRREQ, "%.200s is no dump of xdpzoom watch%s; name two runs to compare",
				r->dir[0], r->variant[0] ? " that has this device" : "");
	if (err || best == last)
		return err;
	sides_of(all, best, sides);
	return judge(r, sides[0], sides[1], a, d);
}

static int run_why(struct report_args *a)
{
	struct why_run r = {};
	struct loaded_variant v[2];
	struct document doc;
	struct diag d = {};
	int err = open_runs(&r, a, &d), status;

	if (!err && a->new_run)
		err = loaded_run_find(r.run[0], r.variant[0], &v[0], &d)
			      ?: loaded_run_find(r.run[1], r.variant[1] ?: r.variant[0], &v[1], &d)
			      ?: judge(&r, v[0].measured, v[1].measured, a, &d);
	else if (!err)
		err = judge_dump(&r, a, &d);
	if (!err) {
		r.why.runs[WHY_BEFORE] = &r.run[0]->run;
		r.why.runs[WHY_AFTER] = r.run[1] != r.run[0] ? &r.run[1]->run : NULL;
		err = report_args_write(a, &doc, document_of_why(&doc, &r.why), NULL, &d);
	}
	status = err == -EDESTADDRREQ ? (complain_of(&d, err), EXIT_USAGE)
		 : err                ? complain_of(&d, err)
		 : r.why.verdict.sure ? EXIT_OK
				      : EXIT_OPEN;
	why_release(&r.why.facts);
	compare_release(&r.compare);
	symkeys_free(r.keys);
	json_decref(r.moment[0]);
	json_decref(r.moment[1]);
	loaded_run_release(&r.own[1]);
	loaded_run_release(&r.own[0]);
	return status;
}

int cmd_why(const struct command *c, int argc, char **argv)
{
	struct report_args a;
	int status = report_args_parse(&a, c, argc, argv, READS_WHY, NULL);

	return status < 0 ? run_why(&a) : status;
}
