/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * datajson - the output of `perf data convert --to-json` -> struct profile
 *
 * in:    lines as perf writes them, one member in a line; the filter of script.h, of which cpu, tid and event count
 * out:   distinct stacks, each sample with the weight 1
 * law:   that output has no periods and does not name the events of its samples. The event is the one of the command
 *        line in its header; a recording of several is refused
 * error: -EINVAL no samples, several events, another event than the wanted one; -ENOMEM. p is then empty
 */
#ifndef PERFPARSE_DATAJSON_H
#define PERFPARSE_DATAJSON_H

#include "base/diag.h"
#include "perfparse/linescan.h"
#include "perfparse/profile.h"
#include "perfparse/script.h"

bool datajson_is(const char *text, size_t len);
int datajson_read(struct profile *p, struct linescan *lines, const struct script_filter *f, struct diag *d);

#endif
