/*
 * report - the text of `perf report --stdio` -> struct profile, as a table
 *
 * in:    lines: what perf report prints, by any of its options, pasted excerpts, rows of its text
 *        user interface, and the output of the awk line in "Eval Generic netstack XDP patch";
 *        optional filter
 * out:   one row per (symbol, DSO, space), in the order of the text; shares are added up over CPUs
 *        and tasks
 * units: shares in percent of all samples of the event; with a CPU picked, of all samples of that
 *        CPU
 * law:   call graphs are not read; one event is
 * error: -EINVAL no table, no symbols, several events and none picked, hierarchy or diff output, a
 *        decimal comma; -ERANGE a share above 100.5 %; -ENOMEM; p left empty
 */
#ifndef PERFPARSE_REPORT_H
#define PERFPARSE_REPORT_H

#include "base/diag.h"
#include "perfparse/linescan.h"
#include "perfparse/profile.h"

struct report_filter {
	const char *event; /* NULL: the only one there is */
	int cpu;           /* -1: any; else the table needs a CPU column */
	char separator;    /* of perf report -t; 0: found by the header */
};

int report_read(struct profile *p, struct linescan *lines, const struct report_filter *f, struct diag *d);

#endif
