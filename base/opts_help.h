/*
 * opts_help - what a table of options says of itself: --help for people, reStructuredText for the man page
 *
 * in:    a command and its options, borrowed
 * out:   standard output
 * law:   what --help shows and what the man page shows come out of the same table
 * error: none
 */
#ifndef BASE_OPTS_HELP_H
#define BASE_OPTS_HELP_H

#include "base/opts.h"

void opts_help_text(const struct command *c, const struct opt *table);
/* A section of the command's name; characters that reStructuredText would read stand behind a backslash. */
void opts_help_rst(const struct command *c, const struct opt *table);

#endif
