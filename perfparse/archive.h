/*
 * archive - what perf archive packed: the programs and symbols that a perf.data names, without its samples
 *
 * in:    the path of a tar file, packed by bzip2
 * out:   a directory with its contents, for `perf --buildid-dir`
 * law:   bzip2 and tar run in a jail, and write nothing outside of the directory; no link leads out of it, and it holds
 *        at most ARCHIVE_MOST_BYTES. It is removed by archive_release(), or when this process ends in any way
 * error: -EOPNOTSUPP no bzip2 or tar; -EINVAL not such a file; -errno; with one sentence that names the archive
 * src:   tools/perf/perf-archive.sh
 */
#ifndef PERFPARSE_ARCHIVE_H
#define PERFPARSE_ARCHIVE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include "base/diag.h"

#define ARCHIVE_MOST_BYTES (UINT64_C(4) << 30)

struct archive {
	char dir[PATH_MAX]; /* "": none */
	pid_t keeper;       /* removes it as soon as `held` is closed */
	int held;
};

bool archive_is_one(const char *path);
int archive_open(struct archive *a, const char *path, struct diag *d);
void archive_release(struct archive *a); /* may be called twice */

#endif
