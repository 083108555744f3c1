// SPDX-License-Identifier: GPL-2.0-or-later
/* The second stage's task: what it costs per frame, function by function, by the formulas of a variant. */
#include "reports/analysis/analysis.h"

int variant_begin_task(struct analysis_variant *v, size_t n, const struct run *r, struct shares *s)
{
	struct analysis_variant *task;
	bool any = false;

	for (size_t i = 0; i < r->nblocks; i++)
		any |= &r->variants[r->blocks[i].variant] == v->variant && r->blocks[i].consumer_tid > 0;
	if (!any)
		return 0;
	task = v->stage.task = calloc(1, sizeof(*task));
	s->task = calloc(1, sizeof(*s->task));
	if (!task || !s->task)
		return -ENOMEM;
	analysis_variant_init(task, v->of, v->variant);
	task->is_task = true;
	s->task->keep_profiles = s->keep_profiles;
	task->blocks = calloc(n + 1, sizeof(*task->blocks));
	return task->blocks ? 0 : -ENOMEM;
}

int variant_add_task(struct analysis_variant *v, struct shares *s, const struct components *f)
{
	struct analysis_variant *task = v->stage.task;
	int err;

	if (!task)
		return 0;
	for (size_t i = 0; i < v->nblocks; i++) {
		struct analysis_block *b = &task->blocks[i];

		b->fate = v->blocks[i].fate;
		if (b->fate == FATE_USED && (!(b->packets > 0) || !b->samples))
			b->fate = b->samples ? FATE_NO_PACKETS : FATE_NO_SAMPLES;
	}
	err = variant_list_used(task);
	if (!err && !task->nused) {
		variant_release(v->stage.task);
		free(v->stage.task);
		v->stage.task = NULL;
	}
	if (err || !v->stage.task)
		return err;
	err = variant_add_base(task) ?: variant_add_rows(task, s->task, f);
	return err || !s->task->keep_profiles ? err : variant_add_stacks(task, s->task, f);
}
