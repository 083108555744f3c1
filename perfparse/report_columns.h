/*
 * report_columns - the columns of a `perf report --stdio` table, found by their names
 *
 * in:    the header line, the dotted line below it (where there is one), rows
 * out:   the cells that the reader needs, as pointers into the line
 * units: shares in percent, periods in the event's own unit
 * law:   a column is found by its name; its place, width and neighbours do not matter. A row that lines up with
 *        the dots is cut at the dots; a row that does not (pasted text) is cut at two blanks or more; with -t, a
 *        row is cut at the separator
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

/* The order matters: first shares, then numbers, then text. */

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

/* A column that is read, of a table with dots: its cells are line[from .. to), or end with the line before. */
struct report_field {
	enum report_column kind;
	uint32_t from, to;
};

struct report_columns {
	enum report_column kinds[REPORT_COLUMNS_MAX];
	uint32_t from[REPORT_COLUMNS_MAX]; /* offset in the line at which the column's dots begin */
	int n;
	bool dotted;
	char separator;             /* the one of -t; 0: blanks */
	int where[COLUMN_TEXT + 1]; /* the first column of a kind, -1: none */
	int group_size;             /* values per share column: events of a group */
	bool deltas;                /* the header has a column of perf diff, whose shares may be below 0 */
	int tail;                   /* from this column on all hold text, the names among them; 0: none */
	struct report_field fields[REPORT_COLUMNS_MAX];
	int nfields, nhead; /* nhead: those before the tail */
};

/* A missing cell is < 0 as a number, and has the length 0 as text. */
struct report_cells {
	double self_pct, children_pct, samples, period;
	int cpu;
	bool unnamed; /* two shares, and neither a header nor a form told which they are: taken for children and self */
	bool bare;    /* a row without a header, and nothing but shares, DSO and name in it */
	const char *name, *dso;
	size_t name_len, dso_len;
	enum profile_space space;
	const char *tail; /* text with the names, not read yet (equal tails have equal names); NULL: names are set */
	size_t tail_len;
};

/* Sets c for a table without a header. */
void report_columns_guess(struct report_columns *c, char separator);
/*
 * 1: the line is a header, and c is set to cut rows at blanks until the dots are read; 0: it is not a header; < 0:
 * refused.
 */
int report_columns_read_header(struct report_columns *c, const char *line, size_t len, char separator, struct diag *d);
/* Reads the dotted line below the header. False: the line is not such a line, c is unchanged. */
bool report_columns_read_dots(struct report_columns *c, const char *header, size_t header_len, const char *dots,
			      size_t dots_len);
/* Nobody wants the CPU of rows that line up with the dots. */
void report_columns_leave_cpu(struct report_columns *c);
/* Reads a row. member: the event of a group, counted from 0. */
bool report_columns_read_row(const struct report_columns *c, const char *line, size_t len, int member,
			     struct report_cells *cells);
/* The same, only of a row that lines up with the dots. Its columns of shares hold none below 0. */
bool report_columns_read_aligned(const struct report_columns *c, const char *line, size_t len, int member,
				 struct report_cells *cells);
/* True for a row in which one of the first two cells is a share with a minus. */
bool report_columns_is_negative(const struct report_columns *c, const char *line, size_t len);
/*
 * Reads a row without header and without perf's mark, as older perf top prints it and people paste it: "11.8% name",
 * "3114.00 11.8% name [kernel.kallsyms]", "11.8% [kernel] name". The share begins the line or follows a count, and
 * nothing else stands in it; a name alone has an underscore, or any form where strict is false.
 */
bool report_columns_read_unmarked(const char *line, size_t len, bool strict, struct report_cells *cells);
/* A line of a call graph of perf's text user interface, "      - 20.00% mlx5e_handle_rx_cqe". */
bool report_columns_is_graph(const char *line, size_t len);
/*
 * True for a line that is like a row, whether it can be read or not: with a mark behind a share, such as "*  5.00%  [k]
 * name", with a DSO in brackets behind a share that begins the line, or, below rows without marks, with a name there.
 */
bool report_columns_is_like_row(const char *line, size_t len, bool unmarked);
/* Reads the names from the tail of a row; false if there is no symbol. */
bool report_columns_read_tail(const struct report_columns *c, const char *line, size_t len, struct report_cells *cells);

#endif
