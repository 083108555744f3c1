/*
 * report_args - what report and diff share: their options, and where their result goes
 *
 * in:    a command line
 * out:   report_args_parse(): options checked and turned into analysis options, the runs to read
 * error: an exit status after one printed sentence (report_args_parse), -errno with a sentence (the others)
 */
#ifndef USER_CLI_REPORT_ARGS_H
#define USER_CLI_REPORT_ARGS_H

#include <stdbool.h>
#include "reports/render/formats.h"
#include "base/opts.h"
#include "user/cli/output.h"

struct report_args {
	const char *run, *new_run; /* new_run: of diff */
	const char *format_name, *output, *facilities, *renames, *placement;
	int max_symbols, columns; /* columns 0: not said */
	bool strict, wide;
	struct opt_list limits;
	struct analysis_options analysis;
	const struct format *format;
	char command[2048]; /* as one types it, for pages that say how they were made */
};

/* The rows of an option table that all share who read run directories. */
/* clang-format off */
#define FACILITIES_OPTION(value)                                                                                       \
	{"facilities", 'F', OPT_FILE, value, "FILE", "rules instead of the built-in facilities.conf"}
#define RENAMES_OPTION(value)                                                                                          \
	{"renames", 0, OPT_FILE, value, "FILE",                                                                        \
	 "names that functions have in different kernels, instead of the built-in renames.conf"}
#define PLACEMENT_OPTION(value)                                                                                        \
	{"placement", 0, OPT_WORD, value, "WORD", "which blocks count, by where their CPUs were",                      \
	 .words = OPT_WORDS("auto", "near", "far", "all")}
/* clang-format on */

/* -1: go on; else the exit status. */
int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum format_of of);

int report_args_open(const struct report_args *a, struct output *out, struct render_options *o, struct diag *d);

#endif
