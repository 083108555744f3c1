/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report - the text of `perf report --stdio` -> struct profile, as a table
 *
 * in:    the output of perf report with any of its options, a pasted part of it, rows of its text user interface,
 *        or the output of the awk line in "Eval Generic netstack XDP patch"; an optional filter
 * out:   one row per (symbol, DSO, space), in the order of the text; shares are added up over CPUs and tasks
 * units: shares in percent of all samples of the event; where the filter names a CPU, of all samples of this CPU
 * law:   one event is read; call graphs are skipped
 * error: -EINVAL no table, no symbols, several tables or events and none picked, hierarchy or diff output, a decimal
 *        comma; -ERANGE a share above 100.5 %; -ENOMEM. p is then empty
 */
#ifndef PERFPARSE_REPORT_H
#define PERFPARSE_REPORT_H

#include "base/diag.h"
#include "perfparse/linescan.h"
#include "perfparse/profile.h"

struct report_filter {
	const char *event; /* NULL: the text has only one */
	int cpu;           /* -1: any; a CPU number needs a table with a CPU column */
	char separator;    /* the one given to perf report -t; 0: found from the header */
	int table;         /* which of several tables, from 1; 0: the text has only one */
};

int report_read(struct profile *p, struct linescan *lines, const struct report_filter *f, struct diag *d);

#endif
