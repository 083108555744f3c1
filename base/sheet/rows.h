/*
 * rows - tables of cells between what was analysed and whatever shows it
 *
 * in:    columns, a constant table; cells, one by one, by the keys of their columns. Strings are borrowed from what was
 *        analysed, but those of rows_words(); both live as long as the rows
 * out:   struct rows, owned by the caller. A cell may hold rows of its own: a run's variants hold their symbols
 * units: as the columns' heads and notes say
 * law:   a cell is filled once, and every layout prints what is in it: value, half-width, digits and marks cannot
 *        differ between text, Markdown, pages, JSON, CSV and OpenMetrics. Nothing here knows what a number means
 * error: sticky: rows_error() returns -ENOMEM, or -EINVAL after a key that the columns do not have
 *
 * What has to be touched to add
 *   a number:  analysis.h and the file of reports/analysis/ that computes the number; a line of columns that names the
 *              member in report_rows.c (of a variant), report_tables.c (of a symbol, event, ...) or diff_rows.c (of a
 *              comparison, with compare.h and the file of reports/compare/)
 *   a table:   an array of columns and a function that fills it in report_tables.c, declared in document_parts.h; a
 *              CELL_TABLE among the variant's columns in report_rows.c, and the call
 *   a format:  format_NAME.c, which lays out any document; one line each in formats.c and format.h
 * The golden files of tests/golden/ change with each of them.
 */
#ifndef SHEET_ROWS_H
#define SHEET_ROWS_H

#include <stdbool.h>
#include <stddef.h>

enum cell_kind {
	CELL_WORDS,    /* prose; NULL: nothing to say */
	CELL_NAME,     /* what a program calls something: a symbol, a counter, a variant */
	CELL_FACILITY, /* has a colour where there are colours */
	CELL_MARK,     /* "~", "?", "new", "gone", "unlisted" or "" */
	CELL_NUMBER,
	CELL_RATE,   /* a number that people read without digits behind the point: 12,500,123 */
	CELL_COUNT,  /* a whole number */
	CELL_CHANCE, /* p or q: "< 0.0001" */
	CELL_FLAG,   /* 0 or 1 */
	CELL_RANGE,  /* two numbers */
	CELL_TABLE,  /* rows */
	CELL_OBJECT, /* rows of which there is one at most, for JSON */
};

/* Which layouts show a column. People are shown columns that have a head. */
#define IN_JSON  0x01
#define IN_TABLE 0x02 /* a table's column */
#define IN_FACTS 0x04 /* a line of what is known of one variant or comparison */
#define IN_WIDE  0x08 /* a table's column where there is room: in Markdown and pages, not in text */
#define IN_CSV   0x10 /* a table whose rows are those of CSV, where csv_rows() looks for them */
#define IN_PLAIN 0x20 /* a fact below the tables of text and Markdown; pages show it another way */
/* How they show it. */
#define WITH_SIGN    0x40
#define WITH_SUM     0x80   /* rows that are not shown are summed up */
#define WITH_REST    0x100  /* rows that are not shown are counted */
#define WITH_BAR     0x200  /* pages draw it */
#define WITH_CAPTION 0x400  /* the column's note stands above the table, where tables have no heading */
#define WITH_LEVEL   0x800  /* the column's note is about the interval, and stands nowhere without one */
#define OR_NULL      0x1000 /* JSON: a range that is not known is null, and not two of them */
/* Half-widths are bounds, not intervals: they add up in a sum, and a sum without them has the digits of its cells. */
#define WITH_BOUND 0x2000

/* Both arguments that name a table's columns. */
#define COLUMNS_OF(columns) columns, sizeof(columns) / sizeof(*(columns))

/* The type of a member, of which a cell is made. */
enum member_type {
	MEMBER_NONE,
	MEMBER_DOUBLE,
	MEMBER_BOOL,
	MEMBER_INT,
	MEMBER_UNSIGNED,
	MEMBER_LONG, /* size_t and uint64_t */
	MEMBER_TEXT,
	MEMBER_CHARS,
	MEMBER_RANGE,
};

/* clang-format off */
/* A member of another type is not shown: its cells stay unknown. */
#define MEMBER_TYPE(member)                                                                                            \
	_Generic(&(member), double *: MEMBER_DOUBLE, bool *: MEMBER_BOOL, int *: MEMBER_INT,                           \
		 unsigned int *: MEMBER_UNSIGNED, unsigned long *: MEMBER_LONG, char **: MEMBER_TEXT,                  \
		 const char **: MEMBER_TEXT, double(*)[2]: MEMBER_RANGE,                                               \
		 default: _Generic((member), char *: MEMBER_CHARS, default: MEMBER_NONE))
/* clang-format on */

/* In a column: which member of the structure of a row it shows. FROM_INTERVAL: with as many digits as half deserves. */
#define FROM(structure, member)                                                                                        \
	.type = MEMBER_TYPE(((struct structure *)0)->member), .at = offsetof(struct structure, member)
#define FROM_INTERVAL(structure, member, half) FROM(structure, member), .half_at = offsetof(struct structure, half)

/* A gauge of OpenMetrics. */
struct metric {
	const char *name, *unit, *help; /* unit NULL: none */
	double scale;                   /* from the cell's unit to the base unit */
};

struct column {
	const char *key;  /* JSON's member; "": the only column of a table that JSON has as an array of its cells */
	const char *head; /* for people: a column's, a fact's or a table's */
	enum cell_kind kind;
	unsigned int flags;
	const char *note;  /* behind a fact's number, and beside a table */
	const char *csv;   /* the column of CSV it fills; a range fills NAME_low and NAME_high */
	const char *label; /* OpenMetrics: of the samples of a table's rows */
	const struct metric *metric;
	/* See FROM. decimals: of a member without half_at, as people are shown it */
	enum member_type type;
	unsigned short at, half_at;
	int decimals;
};

struct cell {
	double value, half; /* NaN: not known */
	double at_most;     /* of a number that is not known, for people; NaN: no limit is known */
	double range[2];
	int decimals;
	const char *text;
	struct rows *rows;
};

struct row {
	struct cell *cells; /* one for each column */
	const char *class;  /* of a page: "base", "new", "gone", ...; NULL: none */
	bool hidden;        /* from people; JSON has it */
	bool aside;         /* for people alone: JSON, CSV and OpenMetrics have it under a name of its own */
};

struct rows {
	const struct column *columns;
	size_t ncolumns;
	struct row *rows;
	size_t nrows, cap;
	const char *note; /* beside the table, instead of its column's; NULL: that one */
	char **words;     /* those that the rows own */
	size_t nwords, words_cap;
	int error;
};

/* ---- filling: rows NULL and keys that are not there are errors, kept for rows_error() ---- */
void rows_init(struct rows *r, const struct column *columns, size_t ncolumns);
void rows_release(struct rows *r); /* may be called twice */
int rows_error(const struct rows *r);

/* Begins a row whose cells are all unknown. What follows fills the last row. */
void rows_add(struct rows *r);
/* The same, and fills the cells of columns that show a member of this structure. */
void rows_add_of(struct rows *r, const void *structure);
void rows_class(struct rows *r, const char *class);
void rows_hide(struct rows *r);
void rows_aside(struct rows *r);
void rows_text(struct rows *r, const char *key, const char *text);
void rows_words(struct rows *r, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A number of which people are shown this many decimals. */
void rows_number(struct rows *r, const char *key, double value, int decimals);
/* A count, a rate or a flag, whose digits follow from the column; or a number that only programs read. */
void rows_value(struct rows *r, const char *key, double value);
/* As many digits as the half-width deserves. */
void rows_interval(struct rows *r, const char *key, double value, double half);
/* Like rows_interval(), but the half-width is shown in another column. */
void rows_beside(struct rows *r, const char *key, double value, double half);
/* A limit for a number that is not known, with the same digits. Text shows "<3.3", JSON null. */
void rows_at_most(struct rows *r, const char *key, double limit, double half);
/* A half-width as the rows "unattributed" show it: one digit is enough. */
double rows_half_of_rest(double half_ns);
/* Events per packet. half NAN: none is shown. */
void rows_event(struct rows *r, const char *key, double value, double half);
void rows_range(struct rows *r, const char *key, const double range[2]);
/* Rows of the cell's own, to be filled. */
struct rows *rows_table(struct rows *r, const char *key, const struct column *columns, size_t ncolumns);

/* ---- reading ---- */
/* NULL: no such row or column. */
const struct cell *rows_cell(const struct rows *r, size_t row, const char *key);
/* The rows in a cell; NULL: there are none. */
const struct rows *rows_in(const struct rows *r, size_t row, const char *key);
/* Is a column one of these (IN_*), with anything in it that somebody may read? */
bool rows_shows(const struct rows *r, size_t column, unsigned int in);
/* Has any cell of the column a half-width? */
bool rows_has_half(const struct rows *r, size_t column);
/* Is the cell of a column a fact that people are shown? */
bool rows_is_fact(const struct rows *r, size_t row, size_t column, unsigned int in);
/* The table in a cell that people are shown; NULL: none. */
const struct rows *rows_table_of(const struct rows *r, size_t row, size_t column);
/* What stands beside the table in a column; NULL: nothing. */
const char *rows_note_of(const struct column *column, const struct rows *table);
/* Does the table have rows for people? */
bool rows_any(const struct rows *r);

/* How many rows at the beginning people are shown when at most max are (0: all), and the rest as one row. */
struct rows_rest {
	size_t shown, left; /* rows */
	bool summed, told;  /* there are columns WITH_SUM, or WITH_REST */
};
struct rows_rest rows_rest(const struct rows *r, size_t max);
/* "1 other", "14 others" */
const char *rows_others(const struct rows_rest *rest, char *buf, size_t size);
/* A column of the rows from number `from` on, summed up: known for columns WITH_SUM. */
struct cell rows_sum(const struct rows *r, size_t column, size_t from);

bool cell_is_number(enum cell_kind kind);
/* A number as people read it: "12,500,123", "+0.30", "-". */
const char *cell_value(const struct column *column, const struct cell *cell, char *buf, size_t size);
/* Its half-width with the same digits; "" where it is not known. */
const char *cell_half(const struct cell *cell, char *buf, size_t size);
/* Both, and the note: "0.8 ± 0.0 %"; words as they are. */
const char *cell_fact(const struct column *column, const struct cell *cell, char *buf, size_t size);

#endif
