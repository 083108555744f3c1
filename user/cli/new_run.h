/*
 * new_run - the run directory of a command that need not be given one: runs/DATE-TIME-WHAT, in local time
 *
 * in:    *out_dir: the directory that was asked for; NULL: choose one. reserves: several processes may choose in this
 *        folder at the same time
 * out:   *out_dir, which points into struct new_run where it was chosen. reserved: it is an empty directory by now, which
 *        the run may replace
 * law:   no name is chosen that something has: a second one in a second is runs/DATE-TIME-WHAT-2. new_run_end() removes
 *        what new_run_choose() made if no run was kept in it
 * error: -errno with one sentence
 */
#ifndef USER_CLI_NEW_RUN_H
#define USER_CLI_NEW_RUN_H

#include <stdbool.h>
#include "base/diag.h"

struct new_run {
	char dir[128];
	bool reserves, made_folder, reserved;
};

int new_run_choose(struct new_run *n, const char *what, const char **out_dir, struct diag *d);
void new_run_end(const struct new_run *n, bool kept);

#endif
