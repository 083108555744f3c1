/*
 * perf - drives `perf record`, `perf script` and `perf stat` around measured windows
 *
 * in:    the perf in PATH; the RX CPUs; a sampling rate
 * out:   samples as the text of perf script, or counts of events; only from the windows that were switched on.
 *        A file keeps perf's stderr
 * units: Hz, ns; perf's clock is CLOCK_MONOTONIC (-k mono)
 * law:   recording starts switched off; perf dies with this process; perf runs with LC_ALL=C
 * error: -EOPNOTSUPP no perf or no usable event, -ECHILD perf died (the sentence quotes its last line on stderr),
 *        -errno of pipe() and fork()
 */
#ifndef USER_PERF_H
#define USER_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "user/machine/machine.h"

struct perf_options {
	const char *event;
	const char *count; /* events for perf stat, separated by commas; NULL: perf record samples event */
	const int *cpus;
	size_t ncpus;
	int hz;
	int keeper_cpu;          /* the CPU that perf itself runs on; < 0: any */
	const char *data_path;   /* perf.data, or the text of perf stat -j; the caller removes it */
	const char *stderr_path; /* appended to */
	bool source_lines;       /* perf_script() names the source lines of samples in XDP programs */
};

struct perf {
	pid_t pid; /* 0: not running */
	int ctl_fd, ack_fd;
	const char *name; /* "perf record" or "perf stat" */
	const char *stderr_path;
};

void perf_init(struct perf *p);
/* Starts perf, which takes a fifth of a second of CPU time. perf_await() returns when perf answers. */
int perf_launch(struct perf *p, const struct perf_options *o, struct diag *d);
int perf_await(struct perf *p, struct diag *d);
int perf_switch(struct perf *p, bool on, struct diag *d); /* returns when perf has switched */
int perf_stop(struct perf *p, struct diag *d);            /* then perf.data is complete */
void perf_release(struct perf *p);                        /* kills a running perf */

#define PERF_USAGE 129 /* perf's exit status for a command line that it does not accept */

/* Runs perf to its end; out_fd (-1: /dev/null) becomes its stdout. Returns perf's exit status, or -errno. */
int perf_run(const struct perf_options *o, const char *const argv[], int out_fd);

/* Writes the samples of o->data_path as text to text_path. */
int perf_script(const struct perf_options *o, const char *text_path, struct diag *d);

#endif
