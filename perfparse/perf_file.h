/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_file - the records of a perf.data: what was lost, and what the kernel wrote too long
 *
 * in:    a perf.data that perf record wrote to a file, on a machine with this order of bytes
 * law:   a file of any other kind is left as it is. Records within compressed ones, and those behind a trace of the
 *        hardware, are not looked at
 * src:   linux tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h,
 *        kernel/events/core.c: perf_event_ksymbol_output()
 */
#ifndef PERFPARSE_PERF_FILE_H
#define PERFPARSE_PERF_FILE_H

#include <stdint.h>

/*
 * A kernel that tells several perfs at once of a BPF program makes the record longer for each of them. What a record
 * ends with (its time, its CPU, its event) stands behind the name, and where perf looks for it stands nothing: perf
 * refuses the file, or takes the time for 0, and samples lose the name of their program. So *fd becomes a copy of the
 * file in which each record ends with its end, and the old *fd is closed. 0, also where nothing is wrong; or -errno.
 */
int perf_file_mend(int *fd);

/*
 * How many samples were lost; -1: the file cannot be read. The kernel writes PERF_RECORD_LOST; from 6.1 on, perf adds
 * PERF_RECORD_LOST_SAMPLES for the same samples at its end. So the larger sum counts.
 */
int64_t perf_file_lost(const char *path);

#endif
