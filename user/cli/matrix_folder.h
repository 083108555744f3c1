/* matrix_folder - what was measured beside the exact counts of a matrix: the runs in FOLDER/measured */
#ifndef USER_CLI_MATRIX_FOLDER_H
#define USER_CLI_MATRIX_FOLDER_H

#include "reports/exact/matrix.h"
#include "user/cli/loaded_run.h"

/* The runs are open as long as their numbers are used. */
struct matrix_folder {
	struct loaded_run *runs;
	struct matrix_measured *list;
	size_t nruns, n;
};

/* A run that cannot be read is named on standard error, and the others count. Release with an error, too. */
int matrix_folder_read(struct matrix_folder *m, const char *folder, struct diag *d);
void matrix_folder_release(struct matrix_folder *m);

#endif
