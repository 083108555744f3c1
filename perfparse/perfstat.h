/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfstat - the text of `perf stat` -> counts
 *
 * in:    the output of perf stat for people, with -x SEP, or with -j; also with -r, -I, -A, --per-core,
 *        --per-socket, ...
 * out:   one count per (place, event), in the order of the text; intervals of -I are added up
 *        Or that of bpftool prog profile, also with -j, whose first count is run_cnt, and whose counts are not scaled:
 *        they are here
 * units: as perf names them ("msec"); run times in ns, shares in percent
 * law:   an event that perf could not count has the value NaN, never 0. Counts of different PMUs (cpu_core,
 *        cpu_atom), modifiers or places are never added
 * error: -EINVAL no counts, several outputs in one text, or numbers not as LC_ALL=C prints them; s is then empty
 */
#ifndef PERFPARSE_PERFSTAT_H
#define PERFPARSE_PERFSTAT_H

#include "base/diag.h"
#include "perfparse/linescan.h"

enum perfstat_state { PERFSTAT_COUNTED, PERFSTAT_NOT_COUNTED, PERFSTAT_NOT_SUPPORTED };

struct perfstat_count {
	char event[96];     /* as printed: "cpu_core/cycles/k" */
	char pmu[24];       /* "cpu_core"; "" where none is named */
	char name[64];      /* "cycles" */
	char modifiers[16]; /* "k" */
	char place[32];     /* "CPU0", "S0-D0-C0"; "" for a count over all CPUs */
	char unit[16];
	enum perfstat_state state;
	double value;        /* NaN unless counted */
	double variance_pct; /* "+-" of the mean of -r; NaN: not printed */
	double running_pct;  /* share of the time in which the event was counted; 100 where not printed */
	double runtime_ns;   /* time in which the event was counted, summed over CPUs; NaN: not printed */
	double metric;       /* the metric that perf derived from the count; NaN: none */
	char metric_unit[48];
	size_t intervals; /* of -I, that it is the sum of; 0: no -I */
	size_t cycles;    /* private: for instructions, the number of their cycles + 1; 0: none */
};

struct perfstat {
	struct perfstat_count *counts;
	size_t ncounts, cap;
	double elapsed_s;  /* NaN: not printed, or an interval of -I is missing */
	unsigned int runs; /* runs of -r; each count is the mean of one run */
};

void perfstat_init(struct perfstat *s);
void perfstat_release(struct perfstat *s); /* may be called twice */
/* separator: the one given to -x; 0: found from the text. */
int perfstat_read(struct perfstat *s, struct linescan *lines, char separator, struct diag *d);

/* How often the program of bpftool prog profile ran: once for each packet. 0: this is another text. */
double perfstat_program_runs(const struct perfstat *s);

/* Instructions per cycle. The cycles have the same place, PMU and modifiers; NaN: there are no such cycles. */
double perfstat_ipc(const struct perfstat *s, const struct perfstat_count *instructions);

#endif
