/*
 * output - where a command writes: standard output or a file
 *
 * in:    a path, or NULL for standard output
 * out:   a stream; whether a terminal shows it, in colour, and how wide
 * law:   a regular file is complete or unchanged: a temporary file beside it is written, and renamed when all is
 *        well;
 *        the mode stays. Other files (a pipe, a device) are written directly
 * error: -errno with one sentence; no temporary file is left. A reader that closed its pipe (EPIPE) is no error
 */
#ifndef USER_CLI_OUTPUT_H
#define USER_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "base/new_file.h"

struct output {
	FILE *stream;
	struct new_file file;  /* not used when the stream is standard output */
	bool terminal, colour; /* colour: a terminal, and NO_COLOR is empty or not set */
	int columns;           /* of the terminal, at least TEXT_LEAST; 0: no terminal */
};

/*
 * Before anything is read. -EINVAL: the path, which may be NULL, is a part of a recorded run, of which there may be no
 * copy. Inputs of the command are for new_file_spares().
 */
int output_check(const char *path, struct diag *d);
int output_open(struct output *o, const char *path, struct diag *d);
/* err: the result of writing, 0 or -errno. With an error, a regular file stays as it was. */
int output_close(struct output *o, int err, struct diag *d);

#endif
