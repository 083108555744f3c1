/*
 * report_columns - the columns of a `perf report --stdio` table, found by their names
 *
 * in:    the header line, the dotted line below it (where there is one), rows
 * out:   the cells of a row that matter, as pointers into the line
 * units: shares in percent, periods in the event's own unit
 * law:   a column is found by its name; its place, its width and its neighbours mean nothing. Rows
 *        are cut by the dots where they line up with them, at two blanks or more where they do not
 *        (pasted text), at the separator of -t
 * error: false where the line is not a row; -EINVAL hierarchy or diff output, no symbol column
 */
#ifndef PERFPARSE_REPORT_COLUMNS_H
#define PERFPARSE_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "perfparse/profile.h"

#define REPORT_COLUMNS_MAX 32

/* In this order: shares, numbers, text. */

enum report_column {
	COLUMN_SELF, /* "Self", or "Overhead" */
	COLUMN_CHILDREN,
	COLUMN_SHARE, /* another share: Latency, sys, usr, guest sys, guest usr */
	COLUMN_SAMPLES,
	COLUMN_PERIOD,
	COLUMN_NUMBER, /* another number: Weight, ... */
	COLUMN_CPU,
	COLUMN_DSO,
	COLUMN_SYMBOL,
	COLUMN_TEXT, /* anything else: Command, Pid:Command, Source:Line, IPC, ... */
};

static inline bool report_column_is_share(enum report_column kind)
{
	return kind <= COLUMN_SHARE;
}

static inline bool report_column_is_number(enum report_column kind)
{
	return kind <= COLUMN_NUMBER;
}

struct report_columns {
	enum report_column kinds[REPORT_COLUMNS_MAX];
	uint32_t from[REPORT_COLUMNS_MAX]; /* where the dots begin */
	int n;
	bool dotted;
	char separator;             /* of -t; 0: blanks */
	int where[COLUMN_TEXT + 1]; /* the first column of a kind, -1: none */
	int group_size;             /* values per share column: events of a group */
	int tail;                   /* from this column on a dotted row is text, with the names; 0: not so */
};

/* A cell that is not there: < 0 for numbers, 0 for lengths. */
struct report_cells {
	double self_pct, children_pct, samples, period;
	int cpu;
	const char *name, *dso;
	size_t name_len, dso_len;
	enum profile_space space;
	const char *tail; /* equal tails have equal names, yet to be read; NULL: they have been */
	size_t tail_len;
};

/* What tables without a header are taken for. */
void report_columns_guess(struct report_columns *c, char separator);
/* 1: the line was a header, c is set (rows are cut at blanks until dots are seen); 0: no header;
 * < 0: refused. */
int report_columns_read_header(struct report_columns *c, const char *line, size_t len, char separator, struct diag *d);
/* The dotted line below header. */
bool report_columns_read_dots(struct report_columns *c, const char *header, size_t header_len, const char *dots,
			      size_t dots_len);
/* A row. member: which event of a group (0 for the first). */
bool report_columns_read_row(const struct report_columns *c, const char *line, size_t len, int member,
			     struct report_cells *cells);
/* The names out of the tail of a row; false if there is no symbol. */
bool report_columns_read_tail(const struct report_columns *c, const char *line, size_t len, struct report_cells *cells);

#endif
