/*
 * record_resume - goes on with a recording that was cut off
 *
 * in:    the run that an earlier process left (run_read()), a handle of its directory, locked; a recorder with the same
 *        options. All functions do nothing where the recorder resumes nothing
 * out:   the recorder's run begins with the blocks of the earlier part, and its directory with copies of their scripts
 * law:   the earlier directory is only read, until the new one has its place (run_dir_commit()). A block, its script
 *        and its turns are the same after it as before
 * error: -errno with one sentence: -ESTALE the machine, the load, the device or a program is another one, -EINVAL the
 *        blocks are not those of the command, -EILSEQ a script was changed
 */
#ifndef USER_RECORD_RESUME_H
#define USER_RECORD_RESUME_H

#include <stdbool.h>
#include "reports/run/run.h"

struct recorder;

struct record_resume {
	struct run run;  /* record_resume_join() takes the blocks out of it */
	int dir_fd;      /* -1: none */
	char path[4096]; /* for sentences */
};

void record_resume_init(struct record_resume *p);
void record_resume_release(struct record_resume *p); /* may be called twice */

bool record_resumes(const struct recorder *r);
/* Before anything is calibrated: each variant takes its plant and its verdicts over. */
int record_resume_variants(struct recorder *r, struct diag *d);
/* Instead of choosing a rate: around that of the last block. */
int record_resume_rate(struct recorder *r, struct diag *d);
/* After all has been prepared and described: compares it with the earlier part, and takes its blocks. */
int record_resume_join(struct recorder *r, struct diag *d);
/* What was attached for a variant has to be the program that its earlier blocks measured. */
int record_resume_check(const struct recorder *r, size_t variant, const char *prog_tag, struct diag *d);
/* Sets the clocks of the recorder as if it had recorded without a pause. */
void record_resume_clocks(struct recorder *r);

#endif
