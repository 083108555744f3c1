/*
 * opts_help - what a table of options reports about itself: help for people, the man page, the table for completion
 *
 * in:    a command and its options and arguments, borrowed; NULL as its name: the program is the command
 * out:   a stream: text of 80 columns, reStructuredText, or a line per row with tabs between
 * law:   what help, man page and completion show comes out of the same table; the program's name is
 *        program_invocation_short_name
 * error: -EINVAL a format that is not there
 */
#ifndef BASE_OPTS_HELP_H
#define BASE_OPTS_HELP_H

#include <stdio.h>
#include "base/opts.h"

/*
 * format: NULL for people; "head" title and synopsis of the man page, "rst" its arguments and options, "table" lines
 * for the scripts in base/completion.
 */
int opts_help(FILE *out, const struct command *c, const struct opt *table, const char *format);

/* "xdpzoom record [OPTIONS] -o DIR DEV|lab" */
void opts_usage(const struct command *c, const struct opt *table, char *usage, size_t size);

/* A line for each word of an option, with what it is for. */
void opts_help_words(FILE *out, const struct opt *o);

/* "DEV|lab", or "up|down|status" */
void opts_argument_name(const struct opt *o, char *name, size_t size);

/* For the man page: characters that reStructuredText would read stand behind a backslash. */
void opts_put_rst(FILE *out, const char *text);
/* The text between two lines of c, or above one, as RST's titles are. */
void opts_put_title(FILE *out, const char *text, char c, int both);

#endif
