/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script - the text of `perf script` -> struct profile, streamed
 *
 * in:    a stream of samples: each a header line and, with -g, its frames, leaf first; an optional filter
 * out:   distinct stacks with sample counts and weights (event periods; 1 per sample where no period is printed)
 * units: times in ns on perf's clock (CLOCK_MONOTONIC when recorded with -k mono)
 * law:   the memory grows with distinct stacks and symbols, never with the length of the input; of script_keep(), by 40
 *        bytes a sample
 * error: -EINVAL not the text of perf script, none of its samples names a function, or several events and none picked;
 *        -ENOMEM. p is then empty
 */
#ifndef PERFPARSE_SCRIPT_H
#define PERFPARSE_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"
#include "perfparse/linescan.h"
#include "perfparse/profile.h"

struct script_span {
	uint64_t from_ns, to_ns; /* a sample at t is inside when from_ns <= t < to_ns */
	double part;             /* its weight is multiplied by this; 0 is 1 */
};

/* Which samples to keep. A struct of zeros with cpu = tid = -1 keeps all. */
struct script_filter {
	const struct script_span *spans; /* sorted, not overlapping; NULL keeps all times */
	size_t nspans;
	int cpu;           /* -1: any */
	int tid;           /* -1: any */
	int not_tid;       /* samples of this task are dropped; 0: no task is dropped */
	const char *event; /* NULL: the text has only one */
};

int script_read(struct profile *p, FILE *in, const struct script_filter *f, struct diag *d);
/* The same from a line scanner; the caller may have called linescan_peek() before. */
int script_read_lines(struct profile *p, struct linescan *lines, const struct script_filter *f, struct diag *d);
/* A sample of a text that was read once, to be asked often. */
struct script_sample {
	uint64_t time_ns;
	double period;
	int tid, cpu;         /* -1: not printed */
	uint32_t stack, line; /* of the profile; line UINT32_MAX: none */
	bool has_time, has_period;
	int event; /* its number; -1: not printed */
};

struct events;

struct script_samples {
	struct profile profile; /* of all of them; owns what they name */
	struct events *events;  /* private: their names */
	struct script_sample *list;
	size_t n, cap;
};

/* What the filter keeps, sample by sample, of all events if it names none. */
int script_keep(struct script_samples *s, struct linescan *lines, const struct script_filter *f, struct diag *d);
/*
 * The profile of what another filter keeps of them, to the last bit as if the text was read with that one; its event is
 * not looked at. -EINVAL: of several events.
 */
int script_pick(struct profile *p, const struct script_samples *s, const struct script_filter *f, struct diag *d);
void script_samples_release(struct script_samples *s); /* may be called twice */

#endif
