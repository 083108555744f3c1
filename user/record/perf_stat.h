/*
 * perf_stat - which events perf stat can count here, in groups that need not share the CPU's counters, and its counts
 *
 * in:    names of events as `perf list` shows them, or none: what a PMU counts of PERF_STAT_DEFAULT
 * out:   groups for perf_start() (perf.h); a window's events (run.h)
 * units: as perf names them
 * law:   a group is at most PERF_STAT_GROUP events: as many as the general counters of an Intel core whose
 *        hyperthread has the others. Where they share one all the same, perf says so and the window keeps it
 * error: -EINVAL an event that perf does not know, or too many, -EOPNOTSUPP one that this machine does not count,
 * -ECHILD perf
 */
#ifndef USER_PERF_STAT_H
#define USER_PERF_STAT_H

#include "reports/run/run.h"
#include "user/record/perf.h"

#define PERF_STAT_NAME    96 /* the longest name of an event, with its end */
#define PERF_STAT_GROUP   4
#define PERF_STAT_GROUPS  4
#define PERF_STAT_DEFAULT "cycles, instructions, L1-icache-load-misses, LLC-load-misses, cache-misses"

struct perf_stat_plan {
	char groups[PERF_STAT_GROUPS][PERF_STAT_GROUP * PERF_STAT_NAME]; /* with commas between */
	size_t ngroups;
};

/* Before anything else is done: -EINVAL for what is wrong with the names on any machine. */
int perf_stat_check(const char *const *asked, size_t n, struct diag *d);
/* asked: what was checked; one event "none" for none. o: where perf runs and may write. */
int perf_stat_plan(struct perf_stat_plan *p, const char *const *asked, size_t n, bool has_pmu,
		   const struct perf_options *o, struct diag *d);
/* The text of perf stat -j at path -> w's events. */
int perf_stat_read(struct run_window *w, const char *path, struct diag *d);

#endif
