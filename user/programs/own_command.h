/*
 * own_command - a command of the user's that fills or reads the maps of a program under test
 *
 * in:    the command for sh; what it is called in messages ("--setup"); its environment in addition to ours
 * out:   what it prints goes to stderr
 * units: seconds
 * law:   when own_command_run() has returned, the command and all that it started have ended: they run in a PID
 *        namespace of their own. They end with this process too
 * error: -ECHILD it failed (the sentence has its exit status), -ETIMEDOUT it took longer than patience_s, -EINTR a
 *        signal asked us to stop
 */
#ifndef USER_OWN_COMMAND_H
#define USER_OWN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/run/run.h"

struct own_variable {
	char name[80], value[RUN_ID_BYTES];
};

struct own_command {
	const char *what, *command;
	double patience_s;
	bool until_stopped; /* a signal that asks us to stop ends the command */
};

int own_command_run(const struct own_command *c, const struct own_variable *environment, size_t n, struct diag *d);

#endif
