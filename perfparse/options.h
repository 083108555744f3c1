/*
 * options - the command line of the perfparse filter, from one table
 *
 * in:    argv
 * out:   struct options; strings are argv's own
 * units: in the names
 * law:   the table makes getopt's arrays, the range checks and the help
 * error: -EINVAL with a sentence (a usage error); values are read whole
 */
#ifndef PERFPARSE_OPTIONS_H
#define PERFPARSE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>
#include "base/diag.h"

struct options {
	double pps, ns, packets, window_s; /* the base; 0: not given */
	double pps2, ns2;                  /* of the second text of --diff */
	const char *diff, *renames;
	double share; /* of an annotated symbol in the base, in percent */
	const char *profile, *symbol;
	const char *input; /* "auto", "report", "script", "stat", "annotate" */
	const char *event;
	double cpu, tid; /* -1: any */
	const char *separator;
	const char *facilities;
	const char *format; /* "text", "json", "csv", "folded" */
	const char *output;
	double children, no_symbols, help, version; /* flags */
	const char *file;                           /* NULL: stdin */
};

int options_read(struct options *o, int argc, char **argv, struct diag *d);
void options_print_help(FILE *out);

#endif
