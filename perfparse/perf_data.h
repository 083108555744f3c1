/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_data - a perf.data as the text of `perf script`, which this machine's perf prints
 *
 * in:    struct perf_data_from
 * out:   the text, in a file without a name; who printed it, of which kernel the recording is, and how many samples
 *        are of the kernel and have no symbol
 * law:   perf reads the file in a jail (jail.h), without the user's configuration; to be called before the caller
 *        enters a jail of its own. A file that is none is left as it is, and
 *        text is NULL
 * error: -EOPNOTSUPP no perf; -ECHILD with perf's last words; -errno
 */
#ifndef PERFPARSE_PERF_DATA_H
#define PERFPARSE_PERF_DATA_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"

struct perf_data_from {
	const char *path;    /* NULL: standard input, if it is a file */
	int cpu;             /* < 0: all */
	const char *time;    /* as perf script --time takes it; NULL: all of it */
	const char *archive; /* with its symbols (archive.h); NULL: PATH.tar.bz2, where there is one */
};

struct perf_data {
	FILE *text;        /* NULL: the file is no perf.data */
	char version[64];  /* "perf version 6.1.192" */
	char release[128]; /* of the kernel that was recorded; "": not told */
	uint64_t samples, unnamed;
	char archive[PATH_MAX]; /* that had symbols; "": none */
};

int perf_data_open(struct perf_data *p, const struct perf_data_from *from, struct diag *d);
/* What people should know of it, for "%s: %s"; false: nothing. */
bool perf_data_words(const struct perf_data *p, char *words, size_t size);
void perf_data_release(struct perf_data *p); /* may be called twice */

#endif
