/*
 * perf_tool - the perf in PATH, and the event that this machine can sample
 *
 * out:   version as perf prints it; event: "cycles" where there is a PMU, else "cpu-clock"
 * units: hz: samples per second
 * error: -EOPNOTSUPP no perf or no usable event, -ECHILD a signal ended perf; each with a sentence
 */
#ifndef USER_MACHINE_PERF_TOOL_H
#define USER_MACHINE_PERF_TOOL_H

#include "base/diag.h"

struct perf_tool {
	char version[64];
	char event[32];
};

int perf_tool_find(struct perf_tool *t, struct diag *d);

/* A file descriptor that samples event on one CPU, switched off; < 0 with errno. */
int perf_tool_open(const char *event, int cpu, int hz);

#endif
