/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report - the text of `perf report --stdio` -> struct profile, as a table
 *
 * in:    the output of perf report with any of its options, a pasted part of it, rows of its text user interface,
 *        or the output of the awk line in "Eval Generic netstack XDP patch"; an optional filter
 * out:   one row per (symbol, DSO, space), in the order of the text; shares are added up over CPUs and tasks
 * units: shares in percent of all samples of the event; where the filter names a CPU, of all samples of this CPU
 * law:   one event is read; call graphs are skipped. A text that was kept reads as the same rows
 * error: -EINVAL no table, no symbols, several tables or events and none picked, hierarchy or diff output, a decimal
 *        comma; -ERANGE a share above 100.5 %; -ENOMEM. p is then empty
 */
#ifndef PERFPARSE_REPORT_H
#define PERFPARSE_REPORT_H

#include "base/diag.h"
#include "perfparse/linescan.h"
#include "perfparse/profile.h"

/* A table of a text: where it is, and what is in it. */
struct report_table {
	uint64_t first_line, last_line;
	size_t rows;
	double sum_pct; /* of the self shares */
	char first[64]; /* the name in the first row */
};

struct report_tables {
	struct report_table *list;
	size_t n;
};

/* The lines that were read: the header and the rows of one table. */
struct report_text {
	char *text;
	size_t len, cap;
};

struct report_filter {
	const char *event; /* NULL: the text has only one */
	int cpu;           /* -1: any; a CPU number needs a table with a CPU column */
	char separator;    /* the one given to perf report -t; 0: found from the header */
	int table; /* which of several tables (of the event, where one is named), from 1; 0: there is only one */
	struct report_text *kept;   /* NULL: the lines are not kept; text is the caller's to free */
	struct report_tables *list; /* not NULL: all tables are read, and listed here; list is the caller's to free */
};

/* With a list, p is empty, and a text without a table is no error. */
int report_read(struct profile *p, struct linescan *lines, const struct report_filter *f, struct diag *d);

#endif
