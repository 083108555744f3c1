/*
 * run_names - names of members of run.json, shared by its reader, its writer and the words of variants
 *
 * law: a name that both the reader and the writer need is defined here once
 */
#ifndef REPORTS_RUN_NAMES_H
#define REPORTS_RUN_NAMES_H

#include "reports/run/run.h"

static const char *const run_verdict_names[RUN_VERDICTS] = {
	[RUN_ABORTED] = "aborted", [RUN_DROP] = "drop",         [RUN_PASS] = "pass",
	[RUN_TX] = "tx",           [RUN_REDIRECT] = "redirect", [RUN_UNTOLD] = "untold",
};

/* clang-format off */
static const char *const run_window_kind_names[RUN_WINDOW_KINDS] = {
	[RUN_BASE] = "base",   [RUN_PROFILE] = "profile", [RUN_PROBE] = "probe",
	[RUN_CALLS] = "calls", [RUN_COUNT] = "count",
};

#define TOTALS_MEMBER(name)	  {#name, offsetof(struct run_totals, name), false}
#define LATER_TOTALS_MEMBER(name) {#name, offsetof(struct run_totals, name), true}
/* clang-format on */

static const struct {
	const char *name;
	size_t offset; /* of an int64_t */
	bool later;    /* runs recorded by older versions lack this member */
} run_totals_members[] = {
	TOTALS_MEMBER(gen_sent),
	TOTALS_MEMBER(gen_errors),
	TOTALS_MEMBER(rx_seen),
	TOTALS_MEMBER(rx_named_drops),
	TOTALS_MEMBER(tx_verdicts),
	TOTALS_MEMBER(tx_errors),
	TOTALS_MEMBER(sink_frames),
	TOTALS_MEMBER(stray),
	TOTALS_MEMBER(perf_lost),
	LATER_TOTALS_MEMBER(tx_sent),
	LATER_TOTALS_MEMBER(link_sent),
	LATER_TOTALS_MEMBER(gen_pps),
	LATER_TOTALS_MEMBER(redirected),
	LATER_TOTALS_MEMBER(stage_frames),
	LATER_TOTALS_MEMBER(stage_dropped),
	LATER_TOTALS_MEMBER(send_calls),
	LATER_TOTALS_MEMBER(send_owed),
	LATER_TOTALS_MEMBER(send_completed),
	LATER_TOTALS_MEMBER(send_copied),
};

#define RUN_TOTALS (sizeof(run_totals_members) / sizeof(run_totals_members[0]))

_Static_assert(RUN_TOTALS * sizeof(int64_t) == sizeof(struct run_totals),
	       "a counter of struct run_totals has no name in run.json");

/* What was measured in a window, in the order of run.json; NaN: not known, and null there. */
static const struct {
	const char *name;
	size_t offset; /* of a double */
	bool later;    /* runs recorded by older versions lack this member: not known */
	bool left_out; /* where it is not known */
} run_window_members[] = {
	{"busy_ns", offsetof(struct run_window, busy_ns)},
	{"own_ns", offsetof(struct run_window, own_ns), .later = true},
	{"waits_ns", offsetof(struct run_window, waits_ns), .later = true},
	{"plant_ns", offsetof(struct run_window, plant_ns), .later = true, .left_out = true},
	{"steal_ns", offsetof(struct run_window, steal_ns)},
	{"freq_khz", offsetof(struct run_window, freq_khz)},
	{"softirq_ns", offsetof(struct run_window, softirq_ns)},
	{"stage_busy_ns", offsetof(struct run_window, stage_busy_ns), .later = true},
};

#define RUN_WINDOW_MEMBERS (sizeof(run_window_members) / sizeof(run_window_members[0]))

#endif
