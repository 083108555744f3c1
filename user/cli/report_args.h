/*
 * report_args - what report, diff and why share: their options and their output
 *
 * in:    a command line
 * out:   report_args_parse(): checked options, analysis options, the paths to read, and the open output; the process is
 *        in the jail of a reader (jail.h). report_args_write(): the result, in that output
 * error: an exit status after one printed sentence (report_args_parse), -errno with a sentence (the others)
 */
#ifndef USER_CLI_REPORT_ARGS_H
#define USER_CLI_REPORT_ARGS_H

#include <stdbool.h>
#include "reports/compare/fail_if.h"
#include "reports/format/formats.h"
#include "base/opts.h"
#include "user/cli/output.h"

enum reads { READS_REPORT = 1, READS_DIFF = 2, READS_WHY = 4 };

struct report_args {
	const char *run; /* a path, perhaps with a variant */
	const char *new_run,
		*new_last;     /* diff: the other side, or both variants of run; report: new_run is a variant */
	struct opt_list exact; /* report: exact runs to lay below the measured one */
	struct opt_list plots; /* report: what pictures show */
	const char *format_name, *output, *facilities, *renames;
	int max_symbols, columns; /* columns: -1: option not given, 0: no limit */
	double run_sd_pct;        /* < 0: not given */
	bool strict, verbose, full;
	struct opt_list limits;
	const char *fail_words;
	struct fail_if fail_if; /* of diff */
	struct analysis_options analysis;
	const struct format *format;
	struct output out;  /* open from report_args_parse() on; report_args_end() ends it */
	char command[2048]; /* the command line as typed, for pages that show how they were made */
};

#define GATES_BYTES 2048 /* room for names of checks that failed; more of them are cut off */

/* Rows of an option table that readers of run directories share. */
/* clang-format off */
#define FACILITIES_OPTION(value)                                                                                       \
	{"facilities", 'F', OPT_FILE, value, "FILE", "rules instead of the built-in facilities.conf"}
#define RENAMES_OPTION(value)                                                                                          \
	{"renames", 0, OPT_FILE, value, "FILE",                                                                        \
	 "names that functions have in different kernels, instead of the built-in renames.conf"}
#define PLACEMENT_OPTION(value)                                                                                        \
	{"placement", 0, OPT_WORD, value, "WORD", "which blocks count, by the distance of their CPUs", \
	 .words = OPT_WORDS("auto", "near", "far", "all")}
#define FAIL_OPTION(value)                                                                                             \
	{"fail-if", 0, OPT_STRING, value, "WORDS",                                                                     \
	 "exit status 3 when the difference is surely so large: slower=2%, different=3ns", .otherwise = "never"}
/* clang-format on */

/*
 * Returns -1 if the command can go on, else the exit status. enter: opens the output and enters the jail, 0 or -errno;
 * NULL: one output, and the jail of a reader.
 */
int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum reads reader,
		      int (*enter)(struct report_args *a, struct diag *d));

/* Does the format fit what was found at the path, a kind of document or OF_SWEEP, OF_MATRIX? what: "a sweep". -EINVAL */
int report_args_format(const struct report_args *a, unsigned int of, const char *what, struct diag *d);
/* The same, and do the options that are of measured runs alone? */
int report_args_fit(const struct report_args *a, enum document_kind kind, struct diag *d);

/*
 * Writes a document in the format asked for, and releases it. err: what building the document came to, which is
 * returned. o: what only the caller knows is filled in (dir, crossing); NULL: nothing.
 */
int report_args_put(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		    struct diag *d);
/* Completes the output. err: what writing came to. */
int report_args_end(const struct report_args *a, int err, struct diag *d);
/* Both. */
int report_args_write(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		      struct diag *d);

/* The exit status of a result that could be made. failed: names of checks that failed, "" for none. */
int report_args_judge(const struct report_args *a, const char *failed);

#endif
