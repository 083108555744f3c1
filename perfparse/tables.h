/*
 * tables - where in a document the tables of perf's shares are
 *
 * in:    a whole document: a mail, a page of documentation, the text of one command
 * out:   one entry per table, in the order of the text, owned by the caller's struct
 * units: offsets in bytes, lines counted from 1, shares in percent
 * law:   a table is two rows or more that report.h reads without a header; blank lines and lines that begin with "#"
 *        may stand between them. The lines above that perf prints as a header belong to the table. Lines may be quoted
 *        ("> "), or indented by tabs
 * error: -ENOMEM
 */
#ifndef PERFPARSE_TABLES_H
#define PERFPARSE_TABLES_H

#include <stddef.h>
#include <stdio.h>

struct table_place {
	size_t from, to; /* text[from .. to) */
	size_t first_line, last_line;
	size_t rows;
	double sum_pct; /* of the self shares that report.h reads; 0 in a table without them */
	char first[64]; /* the name in the first row */
};

struct tables {
	struct table_place *list;
	size_t n;
};

int tables_find(struct tables *t, const char *text, size_t len);
void tables_list(FILE *out, const struct tables *t); /* a line for each table, numbered from 1 */
void tables_release(struct tables *t);               /* may be called twice */

#endif
