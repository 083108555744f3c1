/*
 * resume_args - the command line of a recording that was cut off
 *
 * in:    the words of record --resume DIR
 * out:   the run that DIR holds, its directory locked; the words that recorded it, for the parser
 * law:   a word of run.json is believed only where nobody but this user, or the caller of sudo, could have written it:
 *        a command of --setup runs as this user. Nothing is changed
 * error: an exit status (exit_status.h) after one printed sentence
 */
#ifndef USER_CLI_RESUME_ARGS_H
#define USER_CLI_RESUME_ARGS_H

#include <stdbool.h>
#include "user/record/record_resume.h"

struct resume_args {
	struct record_resume from;
	char dir[4096]; /* that the recording is to become */
	bool in_place;  /* dir itself is the one to go on with */
	bool quiet;
	int argc; /* the words of the former command, from "record" on */
	char **argv;
};

/* Is this a command line with --resume? --help is none. */
bool resume_args_wanted(int argc, char **argv);
int resume_args_open(struct resume_args *a, int argc, char **argv);
void resume_args_release(struct resume_args *a); /* may be called twice */

#endif
