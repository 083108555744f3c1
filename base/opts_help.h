/*
 * opts_help - prints a table of options as help for people, as a man page, and as the table for shell completion
 *
 * in:    a command with its options and arguments, borrowed
 * out:   a stream: text of 80 columns, reStructuredText, or a line per row with tabs between the fields
 * law:   help, man page and completion come from the same table; the program's name is program_invocation_short_name
 * error: -EINVAL an unknown format
 */
#ifndef BASE_OPTS_HELP_H
#define BASE_OPTS_HELP_H

#include <stdio.h>
#include "base/opts.h"

/*
 * format: NULL prints the help for people; "head" prints title and synopsis of the man page, "rst" its arguments and
 * options; "table" prints the lines that the scripts in base/completion read.
 */
int opts_help(FILE *out, const struct command *c, const struct opt *table, const char *format);

/* "xdpzoom record [OPTIONS] -o DIR DEV|lab" */
void opts_usage(const struct command *c, const struct opt *table, char *usage, size_t size);

/* Prints one line for each word of an option: the word and its use. */
void opts_help_words(FILE *out, const struct opt *o);

/* "DEV|lab", or "up|down|status" */
void opts_argument_name(const struct opt *o, char *name, size_t size);

#endif
