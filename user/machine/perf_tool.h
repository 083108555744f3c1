/*
 * perf_tool - the perf in PATH, and the event that this machine can sample
 *
 * out:   version as perf prints it, "" where there is no perf that can be used; event: "cycles", or "cpu-clock" on a
 *        machine without a PMU
 * units: hz: samples per second
 * law:   perf_tool_find() takes perf 5.10 and later, and any version that it has not heard of
 * error: -EOPNOTSUPP no perf, too old a perf, or no usable event; -ECHILD a signal ended perf; each with a sentence
 */
#ifndef USER_MACHINE_PERF_TOOL_H
#define USER_MACHINE_PERF_TOOL_H

#include <stddef.h>
#include "base/diag.h"

struct perf_tool {
	char version[64];
	char event[32];
};

int perf_tool_find(struct perf_tool *t, struct diag *d);
/* "perf version 6.1.0"; the same errors. */
int perf_tool_version(char *version, size_t size, struct diag *d);

/* Opens a sampling event on one CPU, not yet enabled. Returns a file descriptor; < 0 with errno set. */
int perf_tool_open(const char *event, int cpu, int hz);

#endif
