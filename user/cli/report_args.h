/*
 * report_args - what report and diff share: their options, and where their result goes
 *
 * in:    a command line
 * out:   report_args_parse(): options checked and turned into analysis options, positionals at the front of argv
 * error: an exit status after one printed sentence (report_args_parse), -errno with a sentence (the others)
 */
#ifndef USER_CLI_REPORT_ARGS_H
#define USER_CLI_REPORT_ARGS_H

#include <stdbool.h>
#include "reports/render/formats.h"
#include "base/opts.h"
#include "user/cli/output.h"

struct report_args {
	const char *format_name, *output, *facilities, *placement;
	int max_symbols, columns; /* columns 0: not said */
	bool strict, wide;
	struct opt_list limits;
	struct analysis_options analysis;
	const struct format *format;
	char command[2048]; /* as one types it, for pages that say how they were made */
};

/* -1: go on; else the exit status. wanted: what to say when there are not npositionals. */
int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum format_of of,
		      int npositionals, const char *wanted);

int report_args_open(const struct report_args *a, struct output *out, struct render_options *o, struct diag *d);

#endif
