/*
 * options - the command line of the perfparse filter: its option table, and the check that its options go together
 *
 * in:    argv
 * out:   struct options; strings point into argv
 * units: in the names of the members
 * law:   the table is the source of checks, help, man page and completion (opts.h)
 * error: OPTS_USAGE after one printed sentence; OPTS_DONE after the help or the version
 */
#ifndef PERFPARSE_OPTIONS_H
#define PERFPARSE_OPTIONS_H

#include <stdbool.h>

struct options {
	double pps, ns, packets, window_s; /* the base; 0: not given */
	double pps2, ns2;                  /* the base of the --diff file */
	const char *diff, *renames;
	double share; /* share of the annotated symbol in the base, in percent; 0: not given */
	const char *profile, *symbol;
	const char *input; /* "auto", "report", "script", "stat", "annotate", "diff", "folded", "pprof" */
	const char *event;
	int cpu, tid;        /* -1: any */
	int table, table2;   /* which of several, from 1; 0: the only one; of the --diff file */
	const char *time;    /* of a perf.data: what perf script --time takes */
	const char *archive; /* of perf archive, for the perf.data */
	const char *separator;
	const char *facilities;
	const char *format; /* "text", "json", "csv", "folded" */
	const char *output;
	bool children, no_symbols, as_time, version;
	const char *file; /* NULL: stdin */
};

int options_read(struct options *o, int argc, char **argv);

#endif
