/*
 * foreign_file - opens a file that a stranger may have made
 *
 * in:    a path, below an open directory or AT_FDCWD; the largest size that makes sense, in bytes
 * out:   a stream, which the caller closes
 * law:   opening takes no time: a FIFO without a writer, a device that never ends and a file without end are refused.
 *        inside: the last part of the path must be a file itself, not a link, which could lead anywhere. A path that
 *        goes on below a file, as "runs.db/last/run.json" does, is left to the function of foreign_file_below()
 * error: -errno with one sentence: -EINVAL no file, -EFBIG too large, -ELOOP a link
 */
#ifndef BASE_FOREIGN_FILE_H
#define BASE_FOREIGN_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "base/diag.h"

#define FOREIGN_MAX_BYTES (1LL << 30)

int foreign_file_open(FILE **file, int dir_fd, const char *path, bool inside, long long max_bytes, struct diag *d);
/* From now on, this function opens what paths name below files. One for the process, set before anything is read. */
typedef int foreign_below_fn(FILE **file, const char *path, struct diag *d);
void foreign_file_below(foreign_below_fn *open);
/* The same checks for a descriptor; closes it when it is refused. */
int foreign_file_check(int fd, const char *path, long long max_bytes, struct diag *d);

#endif
