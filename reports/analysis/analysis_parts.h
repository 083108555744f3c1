/*
 * analysis_parts - what the files behind analysis.h share; no other file includes this header
 *
 * law: struct shares owns its profiles and the name and dso of each share. The weight of a share is in the unit of
 *      its block; the block's cost_weight is the sum of the weights of its shares
 */
#ifndef REPORTS_ANALYSIS_PARTS_H
#define REPORTS_ANALYSIS_PARTS_H

#include "perfparse/script.h"
#include "reports/analysis/analysis.h"
#include "reports/run/turns.h"

/* The weight of one symbol in one facility in one block. */
struct share {
	char *name, *dso;
	unsigned int facility;
	size_t block; /* index into analysis_variant.blocks */
	uint64_t samples, irqs_off;
	uint32_t tags;
	double weight, children_weight; /* children_weight NaN: not known */
};

/* The whole profile from one perf text of one block. */
struct block_profile {
	struct profile profile;
	size_t block;
};

struct shares {
	struct share *list;
	size_t n;
	bool keep_profiles;
	struct block_profile *profiles;
	size_t nprofiles;
	struct shares *lines; /* of source lines: name is the line as profile.h has it, dso its function. NULL: none */
	struct shares *task;  /* of the second stage's task; NULL: it has none */
};

void shares_release(struct shares *s);
void shares_free(struct shares *s);                              /* NULL is fine */
bool shares_alike(const struct share *a, const struct share *b); /* of one symbol or line */
/* Keeps the shares of used blocks, with their place in used[] as the block's number, those that are alike together. */
void shares_sort_used(struct shares *s, const struct analysis_variant *v);

struct block_source {
	const struct run *run;
	const char *dir;
	const struct facilities *facilities;
	const struct run_turns *turns; /* NULL: their speed is not known */
	const struct speed *speed;
	const struct run_turn *stalls[ANALYSIS_TURN_STALLS]; /* of the variant that is measured */
	struct analysis_scripts *kept;                       /* NULL: a block's samples are forgotten after it */
	struct script_samples *samples, own;                 /* of the block that is measured; own: not kept */
};

/*
 * Reads the samples of b->block, one of the run's, fills in b, and appends its shares to out as shares of block number
 * `number`.
 */
int block_measure(struct analysis_block *b, struct block_source *source, size_t number, struct shares *out,
		  struct diag *d);

/* Then the same of the second stage's task: its busy time, and the samples of b->block->stage_tid. */
int block_measure_task(struct analysis_block *b, const struct block_source *source, size_t number, struct shares *out,
		       struct diag *d);

/*
 * analysis_task.c: v->stage.task and s->task, if a block of the variant has a task; room for n blocks. Then its part of
 * the block that v has measured last, and once v->used is known, all that follows.
 */
int variant_begin_task(struct analysis_variant *v, size_t n, const struct run *r, struct shares *s);
int variant_measure_task(struct analysis_variant *v, const struct block_source *source, struct shares *s,
			 struct diag *d);
int variant_add_task(struct analysis_variant *v, struct shares *s, const struct facilities *f);
int variant_list_used(struct analysis_variant *v); /* v->used, from the fates of its blocks; 0 or -ENOMEM */
void variant_release(struct analysis_variant *v);

/* No turns where the run has none; -EINVAL also for turns that no recorder made. */
int analysis_read_turns(struct run_turns *turns, const struct run *r, const char *dir, struct diag *d);
/* The longest stalls of the variant, and their turns; then what ran in those of a block, from its samples. */
void variant_find_stalls(struct analysis_variant *v, struct block_source *source);
void variant_look_up_stalls(struct analysis_variant *v, const struct block_source *source, const struct run_block *b);
/* The rest of v->turns, of turns or, where there are none, of windows; 0 or -ENOMEM. */
int variant_add_turns(struct analysis_variant *v, const struct run_turns *turns);
/* Fills t from ns[], what a packet cost in each turn, in ascending order; scratch: room for n values. */
void turns_spread(struct analysis_turns *t, const double *ns, size_t n, double *scratch);

/* Everything that follows once the blocks of all variants are measured, and their shares known; 0 or -ENOMEM. */
int analysis_finish(struct analysis *a, struct shares *shares, const struct facilities *f);

/* R = sum x / sum y over n blocks. values[i]: the value of each block in R (analysis.h); NULL: not wanted. */
double ratio_of_sums(const double *x, const double *y, size_t n, double *values);
/* base, rates, busy time and overheads from v->used; 0 or -ENOMEM. */
int variant_add_base(struct analysis_variant *v);

/* Sets blocks aside in which the machine was slower, in all variants of the run (slow_blocks.c); 0 or -ENOMEM. */
int slow_blocks_judge(struct analysis *a);

/* Polls, steal, clock and trend, from the windows of the used blocks; 0 or -ENOMEM. */
int variant_add_windows(struct analysis_variant *v);

/* v->cpus; needs v->used, base_ns, pps and packets; 0 or -ENOMEM. */
int variant_add_cpus(struct analysis_variant *v);

/* Fills v->symbols, v->facilities and the numbers that follow from them, from the shares of the used blocks. */
int variant_add_rows(struct analysis_variant *v, struct shares *s, const struct facilities *f);
/* Whether the shares of v->facilities depend on the speed, from shares of used blocks; 0 or -ENOMEM. */
void row_release(struct analysis_row *row);
/* Makes one row of shares of used blocks, without facility and interval; row_scale() makes shares and intervals. */
int row_of_shares(const struct analysis_variant *v, struct analysis_row *row, const struct share *from,
		  const struct share *to);
void row_scale(struct analysis_row *row, const struct analysis_variant *v);
void rows_by_cost(struct analysis_row *rows, size_t n);

/* analysis_lines.c: appends what a profile says of lines to out->lines; v->lines, from those shares (NULL: none). */
int block_add_lines(struct shares *out, const struct profile *p, size_t number);
int variant_add_lines(struct analysis_variant *v, struct shares *s);

/* v->stacks, from the profiles that were kept; needs v->used and v->symbols. */
int variant_add_stacks(struct analysis_variant *v, const struct shares *s, const struct facilities *f);

/* v->counters and v->slab; needs v->used and v->symbols. */
int variant_add_counters(struct analysis_variant *v);

/* v->calls, from the used blocks' windows of kind RUN_CALLS; needs v->symbols. */
int variant_add_calls(struct analysis_variant *v);

/* v->tracers_ns, from v->symbols. */
void variant_add_tracers(struct analysis_variant *v);

/* v->stage, from the used blocks; 0 or -ENOMEM. */
int variant_add_stage(struct analysis_variant *v);
void variant_add_sending(struct analysis_variant *v);
/* How busy the second stage's task was in the unprofiled windows of the used blocks; NaN: no task was watched. */
double variant_stage_busy_pct(const struct analysis_variant *v);

/* v->events; needs v->used. */
int variant_add_events(struct analysis_variant *v);

/* v->quality; needs everything else in v. */
int variant_add_gates(struct analysis_variant *v, const struct analysis *a);

#endif
