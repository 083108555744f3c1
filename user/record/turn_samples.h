/*
 * turn_samples - allots the samples of a round to the variants that took turns in it
 *
 * in:    the text of perf script of a whole round; the turns of the round, in order; which samples count
 * out:   one text per variant, as perf script would have written it: the samples that were taken in the variant's
 *        profiled turns and stand for the receiver's work
 * law:   a sample goes to at most one variant; its header and the frames that are kept are unchanged. A sample between
 *        two turns, in a turn that was not profiled, in the clock's own program, or while another device was polled,
 *        goes to none. A reader works later than its variant's turn, so its samples go to the variant whenever they
 *        were taken
 * error: -errno of the files, -ENOMEM; -EINVAL the text holds no sample where one should be
 */
#ifndef USER_TURN_SAMPLES_H
#define USER_TURN_SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/types.h>
#include <sys/types.h>
#include "base/diag.h"
#include "bpf/layout.h"
#include "reports/run/turns.h"

struct turn_samples {
	const struct run_turn *turns;
	size_t nturns;
	/*
	 * A function for each variant: only frames up to the first one of this name count, and only samples that have
	 * it. NULL, or NULL for a variant: all frames of all samples.
	 */
	const char *const *roots;
	/* Samples with a function below the root that begins with this name do not count. NULL: no such function. */
	const char *without;
	const pid_t *tids; /* of each variant's receiver, only its samples count; NULL: any task's */
	/* of a task that works for each variant's in its turns, whenever that waits. NULL, 0: none */
	const pid_t *helpers;
	/* of the thread that reads what each variant received; all its samples are kept whole. NULL, < 0: none */
	const pid_t *readers;
	const volatile struct turn_foreign *foreigns; /* polls of other devices, in order */
	size_t nforeigns;
	FILE **out; /* of each variant */
	size_t nout;
};

int turn_samples_allot(const struct turn_samples *s, FILE *in, struct diag *d);

#endif
