/*
 * perf - drives `perf record`, `perf script` and `perf stat` around measured windows
 *
 * in:    the perf in PATH; the RX CPUs; a sampling rate
 * out:   samples of exactly the windows that were switched on, as the text of perf script, or counts of events;
 *        perf's stderr kept in a file
 * units: Hz, ns; perf's clock is CLOCK_MONOTONIC (-k mono)
 * law:   recording starts switched off; perf dies with this process; LC_ALL=C
 * error: -EOPNOTSUPP no perf or no usable event, -ECHILD perf died (its last words are in the sentence),
 *        -errno of pipe() and fork()
 */
#ifndef USER_PERF_H
#define USER_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "user/machine/perf_tool.h"

/* Sampling of one CPU that nobody reads, at PERF_SAMPLER_HZ, to see what a sample costs. */
#define PERF_SAMPLER_HZ 3989
struct perf_sampler {
	int fd;
	struct perf_event_mmap_page *ring;
};
int perf_sampler_open(struct perf_sampler *s, const char *event, int cpu); /* 0 or -errno */
void perf_sampler_switch(struct perf_sampler *s, bool on);
void perf_sampler_close(struct perf_sampler *s); /* may be called twice */

/*
 * What one sample costs the RX CPU, in ns: a spin loop there, with sampling against without, alternated. 0 where it is
 * below what can be told. Takes about 0.5 s; the CPU should be quiet. In the receiver's kthread a sample costs more
 * (record_sample_cost()).
 */
double perf_sample_cost_ns(const char *event, int cpu);
/* The highest rate within the budget that is a prime number, so that it never runs in step with a timer. */
int perf_choose_hz(double sample_cost_ns, double budget_pct);

struct perf_options {
	const char *event;
	const char *count; /* events for perf stat, with commas between; NULL: perf record of event */
	const int *cpus;
	size_t ncpus;
	int hz;
	int keeper_cpu;          /* where perf itself runs */
	const char *data_path;   /* perf.data, or the text of perf stat -j; the caller removes it */
	const char *stderr_path; /* appended to */
};

struct perf {
	pid_t pid; /* 0: not running */
	int ctl_fd, ack_fd;
	const char *name; /* "perf record" or "perf stat" */
	const char *stderr_path;
};

void perf_init(struct perf *p);
int perf_start(struct perf *p, const struct perf_options *o, struct diag *d); /* returns when it answers */
int perf_switch(struct perf *p, bool on, struct diag *d);                     /* returns when it is in effect */
int perf_stop(struct perf *p, struct diag *d);                                /* perf.data is whole */
void perf_release(struct perf *p);                                            /* kills it if it runs */

#define PERF_USAGE 129 /* its exit status where it does not know a word */

/* Runs perf to its end, out_fd (-1: nothing) as its stdout: 0, its exit status, or -errno. */
int perf_run(const struct perf_options *o, const char *const argv[], int out_fd);

/* perf.data -> text, and how many samples perf or the kernel lost on the way (-1: cannot tell). */
int perf_script(const struct perf_options *o, const char *text_path, struct diag *d);
int64_t perf_data_lost(const char *data_path);

#endif
