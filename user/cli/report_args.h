/*
 * report_args - what report, diff and explain share: their options and their output
 *
 * in:    a command line
 * out:   report_args_parse(): checked options, analysis options, the names of the runs to read, and the open output;
 *        the process is in the jail of a reader (jail.h). report_args_write(): the result, in that output
 * error: an exit status after one printed sentence (report_args_parse), -errno with a sentence (the others)
 */
#ifndef USER_CLI_REPORT_ARGS_H
#define USER_CLI_REPORT_ARGS_H

#include <stdbool.h>
#include "reports/compare/fail_if.h"
#include "reports/format/formats.h"
#include "base/opts.h"
#include "user/cli/output.h"

struct report_args {
	const char *run, *new_run; /* new_run: of diff; of explain: the exact run */
	const char *to;            /* of explain: the exact run of another kernel; NULL: none */
	const char *format_name, *output, *facilities, *renames, *placement;
	int max_symbols, columns; /* columns 0: option not given */
	double run_sd_pct;        /* < 0: not given */
	bool strict, wide;
	struct opt_list limits;
	const char *fail_words;
	struct fail_if fail_if; /* of diff */
	struct analysis_options analysis;
	const struct format *format;
	struct output out;  /* open from report_args_parse() on; report_args_write() ends it */
	char command[2048]; /* the command line as typed, for pages that show how they were made */
};

#define GATES_BYTES 2048 /* room for names of gates that failed; more of them are cut off */

/* The rows of an option table that all readers of run directories share. */
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

/* Returns -1 if the command can go on, else the exit status. */
int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum document_kind of);

/*
 * Do the format and the options fit a result of this kind? -EINVAL: not, which is a fault of the command line. dir: the
 * run that they do not fit.
 */
int report_args_fit(const struct report_args *a, enum document_kind kind, const char *dir, struct diag *d);

/*
 * Writes a document to that output in the format asked for, and releases it. err: what building the document came to,
 * which is returned. o: what only the caller knows is filled in (dir, crossing); NULL: nothing.
 */
int report_args_write(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		      struct diag *d);

/*
 * The exit status of a result that could be made. failed: names of gates that failed, "" for none; shown_by: what shows
 * their values. With --strict they are named on standard error.
 */
int report_args_judge(const struct report_args *a, const char *failed, const char *shown_by);

#endif
