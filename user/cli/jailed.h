/*
 * jailed - opens what a command writes, and enters the jail of a reader (jail.h)
 *
 * in:    what is written: an output, a run directory, a history
 * out:   these, open; they return in another process, whose keeper (keeper.h) puts in place what that one has written
 * law:   the process can write nothing else, whatever it reads. What it does not close is not put in place
 * error: -errno with one sentence, and nothing is left
 */
#ifndef USER_CLI_JAILED_H
#define USER_CLI_JAILED_H

#include "reports/run/run.h"
#include "user/cli/output.h"

int jailed_output(struct output *o, const char *path, struct diag *d);
/* path NULL: nothing is written. The run gets its name if the process ends with the exit status 0. root gives
 * it to another user until then, where it can, and else stays root in the jail. */
int jailed_run(struct run_dir *dir, const char *path, bool force, struct diag *d);
/* o: standard output */
int jailed_history(struct output *o, const char *db, struct diag *d);

#endif
