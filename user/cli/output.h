/*
 * output - where a command writes: standard output, or a file that is complete or what it was before
 *
 * in:    a path, or NULL for standard output
 * out:   a stream, and what is known of its reader
 * law:   a regular file is written beside its place and renamed when all is well, keeping its mode; anything else
 *        (a pipe, a device) is written straight
 * error: -errno with one sentence; nothing is left behind. A reader that went away (EPIPE) is no error
 */
#ifndef USER_CLI_OUTPUT_H
#define USER_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "base/diag.h"

struct output {
	FILE *stream;
	char path[4096], tmp[4096 + 32]; /* "" standard output; "" written straight */
	bool terminal, colour;           /* colour: a terminal, and NO_COLOR does not say otherwise */
	int columns;                     /* of the terminal, at least 80; 0: not one */
};

int output_open(struct output *o, const char *path, struct diag *d);
/* err: how writing went so far; if not well, a file is left as it was. */
int output_close(struct output *o, int err, struct diag *d);

#endif
