/*
 * report_args - the options that report and diff share, as one table
 *
 * in:    zeroed but for format = "text" and placement = "auto"
 * out:   report_args_check() turns words into analysis options
 * error: -EINVAL with one sentence
 */
#ifndef USER_REPORT_ARGS_H
#define USER_REPORT_ARGS_H

#include <stdbool.h>
#include "reports/analysis.h"
#include "user/opts.h"

struct report_args {
	const char *format, *output, *facilities, *placement;
	int max_symbols;
	bool strict;
	struct opt_list limits;
	struct analysis_options analysis;
};

#define REPORT_OPTS(a)                                                                                                 \
	{"format", 0, OPT_STRING, &(a).format, "text|json", "what to write (text)"},                                   \
		{"output", 'o', OPT_STRING, &(a).output, "FILE", "where to (standard output)"},                        \
		{"symbols", 'n', OPT_INT, &(a).max_symbols, "N", "symbols that text shows (12)", 1, 100000},           \
		{"facilities", 'F', OPT_STRING, &(a).facilities, "FILE", "instead of the built-in facilities.conf"},   \
		{"placement", 0, OPT_STRING, &(a).placement, "WORD", "blocks that count: auto, near, far, all (auto)"}, \
		{"limit", 'L', OPT_LIST, &(a).limits, "GATE=N", "another limit for a quality gate"},                    \
	{                                                                                                              \
		"strict", 0, OPT_FLAG, &(a).strict, NULL, "exit 3 when a quality gate fails"                           \
	}

int report_args_check(struct report_args *a, struct diag *d);

#endif
