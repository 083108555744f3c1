/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof - a profile of pprof, as Go programs, perf_to_profile and continuous profilers write it -> struct profile
 *
 * in:    the bytes of the file, compressed by gzip or not; the filter of script.h, of which cpu and tid are those of
 *        labels, and event is a sample type: "cpu", "alloc_space/bytes", or the event of "cycles_event"
 * out:   distinct stacks, whose weights are the values of one sample type; samples where the file counts them, else 0
 * units: those of the sample type. Shares of time on a CPU and of cycles are shares of time, see events.h. "samples"
 *        are of what the period of the profile is
 * law:   the sample type is the wanted one, else the only one that is time, else the only one. A location with inlined
 *        functions is a frame for each. A difference of profiles, and a profile of several of our variants, are refused
 * error: -EINVAL no such file, or a damaged one; several sample types; no samples; -EFBIG; -ENOMEM. p is then empty
 * src:   https://github.com/google/pprof/blob/main/proto/profile.proto
 */
#ifndef PERFPARSE_PPROF_H
#define PERFPARSE_PPROF_H

#include <stdbool.h>
#include <stdio.h>
#include "base/diag.h"
#include "perfparse/profile.h"
#include "perfparse/script.h"

/* Does it begin like one? Nothing is taken from the stream. */
bool pprof_begins(FILE *in);
int pprof_read(struct profile *p, FILE *in, const struct script_filter *f, struct diag *d);

#endif
