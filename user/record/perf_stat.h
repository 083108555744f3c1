/*
 * perf_stat - sorts events into groups that perf stat can count at once, and reads its counts
 *
 * in:    names of events as `perf list` shows them; or none, for those of PERF_STAT_DEFAULT that this PMU counts
 * out:   groups for perf_launch() (perf.h); a window's events (run.h)
 * units: as perf names them
 * law:   a group has at most PERF_STAT_GROUP events. An Intel core has that many general counters when its other
 *        hyperthread uses the rest. If events must share a counter all the same, perf reports the share of time that
 *        each was counted, and the window keeps the share
 * error: -EINVAL perf does not accept an event, or there are too many; -EOPNOTSUPP this machine cannot count an event;
 *        -ECHILD perf died
 */
#ifndef USER_PERF_STAT_H
#define USER_PERF_STAT_H

#include "reports/run/run.h"
#include "user/record/perf.h"

#define PERF_STAT_NAME    96 /* bytes of the longest event name, with the final 0 */
#define PERF_STAT_GROUP   4
#define PERF_STAT_GROUPS  4
#define PERF_STAT_DEFAULT "cycles, instructions, L1-icache-load-misses, LLC-load-misses, cache-misses"

struct perf_stat_plan {
	char groups[PERF_STAT_GROUPS][PERF_STAT_GROUP * PERF_STAT_NAME]; /* event names, separated by commas */
	size_t ngroups;
};

/* Call this first. It returns -EINVAL for names that no machine can count. */
int perf_stat_check(const char *const *asked, size_t n, struct diag *d);
/* asked: the checked names; a single "none" means no events. o: where perf runs and may write. */
int perf_stat_plan(struct perf_stat_plan *p, const char *const *asked, size_t n, bool has_pmu,
		   const struct perf_options *o, struct diag *d);
/* Reads the text of perf stat -j at path into w's events. */
int perf_stat_read(struct run_window *w, const char *path, struct diag *d);

#endif
