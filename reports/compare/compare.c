// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

int compare_bases(struct compare_overall *h, const struct analysis_variant *base, const struct analysis_variant *new)
{
	struct compare_pairs pairs;
	int err = pairs_build(&pairs, base, new, false) ?: compare_overall_of(h, &pairs, base, new);

	pairs_release(&pairs);
	return err;
}

bool compare_busy_alike(const struct analysis_variant *base, const struct analysis_variant *new)
{
	return !(fabs(fmin(base->busy_pct, 100) - fmin(new->busy_pct, 100)) >
		 quality_limit(&base->of->options.limits, QUALITY_BUSY_ALIKE));
}

int compare_read_renames(struct symkeys **keys, const char *path, const struct analysis_variant *base,
			 const struct analysis_variant *new, struct diag *d)
{
	*keys = NULL;
	if (!path && !strcmp(or_empty(base->of->run->facts.kernel), or_empty(new->of->run->facts.kernel)))
		return 0;
	return symkeys_read(keys, path, d);
}

int compare_build(struct compare *c, const struct analysis_variant *base, const struct analysis_variant *new,
		  const struct symkeys *keys, struct diag *d)
{
	int err;

	memset(c, 0, sizeof(*c));
	c->base = base;
	c->new = new;
	c->keys = keys;
	c->same_run = base->of->run == new->of->run;
	err = pairs_build(&c->pairs, base, new, false) ?: compare_overall_of(&c->overall, &c->pairs, base, new);
	if (!err)
		err = compare_add_rows(c) ?: compare_add_injected(c) ?: compare_add_events(c) ?: compare_add_counters(c)
		      ?: stacks_diff_build(&c->stacks, &base->stacks, &new->stacks, keys) ?: compare_close(c);
	const struct analysis_variant *base_task = base->stage.task, *new_task = new->stage.task;
	if (!err && base_task && new_task) {
		c->stage = calloc(1, sizeof(*c->stage));
		err = c->stage ? compare_build(c->stage, base_task, new_task, keys, d) : -ENOMEM;
	}
	if (err) {
		free(c->stage);
		c->stage = NULL;
	} else {
		err = compare_add_gates(c);
	}
	if (err) {
		diag_set(d, err, "out of memory");
		compare_release(c);
	}
	return err;
}

void compare_set_between(struct compare *c, const struct between *b)
{
	c->knows_between = true;
	c->between = *b;
	between_widen(&c->overall, &c->between);
}

void compare_release(struct compare *c)
{
	pairs_release(&c->pairs);
	free(c->components);
	free(c->symbols);
	free(c->tags);
	free(c->events);
	free(c->counters);
	stacks_diff_release(&c->stacks);
	quality_release(&c->quality);
	if (c->stage)
		compare_release(c->stage);
	free(c->stage);
	memset(c, 0, sizeof(*c));
}
