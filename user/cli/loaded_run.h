/*
 * loaded_run - a run directory, read and analysed; report, diff and demo begin with one
 *
 * in:    "DIR" or "DIR:VARIANT", a facilities file or NULL for the built-in one
 * out:   run, facilities and analysis, released together; the variant's name is borrowed from the argument
 * error: -errno with one sentence
 */
#ifndef USER_CLI_LOADED_RUN_H
#define USER_CLI_LOADED_RUN_H

#include "perfparse/facilities.h"
#include "reports/analysis/analysis.h"
#include "reports/run/run.h"

struct loaded_run {
	struct run run;
	struct facilities *facilities;
	struct analysis analysis;
	char dir[4096];
};

int loaded_run_open(struct loaded_run *l, const char *dir, const char *facilities, const struct analysis_options *o,
		    struct diag *d);
/* The run RUN_CROSSING in the directory of l. -ENOENT: there is none. */
int loaded_run_open_crossing(struct loaded_run *crossing, const struct loaded_run *l, const char *facilities,
			     const struct analysis_options *o, struct diag *d);
void loaded_run_release(struct loaded_run *l); /* may be called twice */

/*
 * Copies DIR and returns the variant in "DIR:VARIANT", or NULL. An existing path that contains a colon is a DIR
 * alone.
 */
const char *loaded_run_split(const char *arg, char *dir, size_t size);

#endif
