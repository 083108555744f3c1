/* sheet.h - rows of any table; digits of a number; rows as text, JSON and CSV */
#ifndef BASE_SHEET_SHEET_H
#define BASE_SHEET_SHEET_H

#include "base/base.h"

/*
 * rows - tables of cells between what was analysed and whatever shows it. A cell is filled once, and every layout
 * prints what is in it: value, half-width, digits and marks cannot differ. Nothing here knows what a number means
 */

enum cell_kind {
	CELL_WORDS,     /* prose; NULL: nothing to say */
	CELL_NAME,      /* what a program calls something: a symbol, a counter, a variant */
	CELL_COMPONENT, /* has a colour where there are colours */
	CELL_MARK,      /* "~", "?", "new", "gone", "unlisted" or "" */
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
#define OR_NULL      0x1000 /* JSON: a range that is not known is null, and not two of them; so is an empty text */
/* Half-widths are bounds, not intervals: they add up in a sum, and a sum without them has the digits of its cells. */
#define WITH_BOUND 0x2000
#define WITH_LINE  0x4000 /* text has it as lines of their own below the row */

/* Both arguments that name a table's columns. */
#define COLUMNS_OF(columns) columns, sizeof(columns) / sizeof(*(columns))

/* The type of a member, of which a cell is made. */
enum member_type {
	MEMBER_NONE,
	MEMBER_DOUBLE,
	MEMBER_BOOL,
	MEMBER_INT,
	MEMBER_UNSIGNED,
	MEMBER_LONG, /* size_t, uint64_t and int64_t */
	MEMBER_TEXT,
	MEMBER_CHARS,
	MEMBER_RANGE,
};

/* clang-format off */
/* A member of another type is not shown: its cells stay unknown. */
#define MEMBER_TYPE(member)                                                                                            \
	_Generic(&(member), double *: MEMBER_DOUBLE, bool *: MEMBER_BOOL, int *: MEMBER_INT,                           \
		 unsigned int *: MEMBER_UNSIGNED, long *: MEMBER_LONG, unsigned long *: MEMBER_LONG,                   \
		 char **: MEMBER_TEXT, const char **: MEMBER_TEXT, double(*)[2]: MEMBER_RANGE,                         \
		 default: _Generic((member), char *: MEMBER_CHARS, default: MEMBER_NONE))
/* clang-format on */

/* In a column: which member of the structure of a row it shows. FROM_INTERVAL: with as many digits as half deserves. */
#define FROM(structure, member)                                                                                        \
	.type = MEMBER_TYPE(((struct structure *)0)->member), .at = offsetof(struct structure, member)
#define FROM_INTERVAL(structure, member, half) FROM(structure, member), .half_at = offsetof(struct structure, half)

struct column {
	const char *key;  /* JSON's member; "": the only column of a table that JSON has as an array of its cells */
	const char *head; /* for people: a column's, a fact's or a table's */
	enum cell_kind kind;
	unsigned int flags;
	const char *note; /* behind a fact's number, and beside a table */
	const char *csv;  /* the column of CSV it fills; a range fills NAME_low and NAME_high */
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
	bool aside;         /* for people alone: JSON and CSV have it under a name of its own */
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

void rows_add(struct rows *r); /* begins a row whose cells are all unknown. What follows fills the last row. */
/* The same, and fills the cells of columns that show a member of this structure. */
void rows_add_of(struct rows *r, const void *structure);
struct row *rows_last(struct rows *r); /* for class, hidden and aside; never NULL */
void rows_text(struct rows *r, const char *key, const char *text);
void rows_words(struct rows *r, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void rows_put(struct rows *r, const char *key, double value, double half, int decimals);
#define rows_number(r, key, value, decimals) rows_put(r, key, value, NAN, decimals)
#define rows_value(r, key, value)            rows_put(r, key, value, NAN, 0) /* whose digits follow from the column */
/* As many digits as the half-width deserves. */
#define rows_interval(r, key, value, half) rows_put(r, key, value, half, digits_of_interval(half))
#define rows_beside(r, key, value, half)   rows_put(r, key, value, NAN, digits_of_interval(half)) /* half elsewhere */
#define HALF_OF_REST(half)                 ((half) < 0.1 ? 0.1 : (half)) /* of "unattributed": one digit is enough */
/* A limit for a number that is not known: "<3.3" to people, null in JSON. */
void rows_at_most(struct rows *r, const char *key, double limit, double half);
/* Per packet: from thousands of cycles to thousandths of a miss. */
#define rows_event(r, key, value, half) rows_put(r, key, value, half, fabs(value) >= 100 ? 1 : fabs(value) >= 1 ? 2 : 4)
void rows_range(struct rows *r, const char *key, const double range[2]);
/* Rows of the cell's own, to be filled. */
struct rows *rows_table(struct rows *r, const char *key, const struct column *columns, size_t ncolumns);

/* ---- reading ---- */
const struct cell *rows_cell(const struct rows *r, size_t row, const char *key); /* NULL: no such row or column */
const struct rows *rows_in(const struct rows *r, size_t row, const char *key);   /* in that cell; NULL: none */
/* Is a column one of these (IN_*), with anything in it that somebody may read? */
bool rows_shows(const struct rows *r, size_t column, unsigned int in);
/* Is the cell of a column a fact that people are shown? */
bool rows_is_fact(const struct rows *r, size_t row, size_t column, unsigned int in);
/* The table in a cell that people are shown; NULL: none. */
const struct rows *rows_table_of(const struct rows *r, size_t row, size_t column);
bool rows_any(const struct rows *r); /* does the table have rows for people? */

/* How many rows at the beginning people are shown when at most max are (0: all), and the rest as one row. */
struct rows_rest {
	size_t shown, left; /* rows */
	bool summed, told;  /* there are columns WITH_SUM, or WITH_REST */
};
struct rows_rest rows_rest(const struct rows *r, size_t max);
const char *rows_others(const struct rows_rest *rest, char *buf, size_t size); /* "1 other", "14 others" */
/* A column of the rows from number `from` on, summed up: known for columns WITH_SUM. */
struct cell rows_sum(const struct rows *r, size_t column, size_t from);

bool cell_is_number(enum cell_kind kind);
/* A number as people read it: "12,500,123", "+0.30", "-". */
const char *cell_value(const struct column *column, const struct cell *cell, char *buf, size_t size);
/* Its half-width with the same digits; "" where it is not known. */
const char *cell_half(const struct cell *cell, char *buf, size_t size);
/* Both, and the note: "0.8 ± 0.0 %"; words as they are. */
const char *cell_fact(const struct column *column, const struct cell *cell, char *buf, size_t size);

/*
 * csv - rows as one flat table, whose columns with the same csv name fill the same field, empty where a number is not
 * known. A text is quoted where RFC 4180 asks for it, and begins with an apostrophe where a spreadsheet would read a
 * formula (= + - @, tab or carriage return). What every row begins with stands before the fields: the ids and its kind
 */
#define CSV_FIELDS 32

struct csv_sheet {
	FILE *out;
	int digits;             /* significant ones of every number */
	bool keys;              /* a column without a name has its key, if JSON has it */
	const char *const *ids; /* the same for many rows, one variant or two; ends with NULL; or NULL */
	struct csv_field {
		const char *name;
		bool range; /* fills NAME_low and NAME_high */
	} fields[CSV_FIELDS];
	size_t nfields;
};

/* Adds the fields of these columns behind those that are there. r NULL: nothing. */
void csv_sheet_add(struct csv_sheet *s, const struct rows *r);
/* before: heads of the ids and of the kind; NULL: there are none. */
void csv_sheet_heads(const struct csv_sheet *s, const char *before);
void csv_sheet_row(const struct csv_sheet *s, const char *kind, const struct rows *r, size_t row);
/* All rows but those for people alone; hidden: also those that are hidden from people. */
void csv_sheet_rows(const struct csv_sheet *s, const char *kind, const struct rows *r, bool hidden);
/* The rows of all tables IN_CSV in the cells of r, and in the cells of its other tables, under one line of heads. */
void csv_rows(FILE *out, const struct rows *r, int digits);

/* digits - how many a number deserves: those of its interval's half-width, in each layout. None is written as "-0" */
int digits_of_interval(double half); /* 0, 1 or 2; 1 where it is not known */
/* "-12.3", "+12.3" with a sign, "-" when it is not known. */
const char *digits_number(double value, int decimals, bool sign, char *buf, size_t size);
const char *digits_count(double count, char *buf, size_t size); /* "12,500,123", "-" */
/* "80.0 ± 0.4", "80.0" without an interval, "-" */
const char *digits_interval(double value, double half, char *buf, size_t size);

/*
 * json_out - builds JSON and collects failures, so that the caller checks once, at the end. A byte that is not UTF-8
 * becomes "?". Numbers have ten significant digits, unless the caller wants others: the same on every machine
 */
#define JSON_OUT_DIGITS 10

struct json_out {
	bool failed;
	int digits; /* 0: JSON_OUT_DIGITS */
};

/* Both take over value. A NULL value is a failure. */
void json_out_put(struct json_out *w, json_t *o, const char *name, json_t *value);
void json_out_add(struct json_out *w, json_t *array, json_t *value);
void json_out_text(struct json_out *w, json_t *o, const char *name, const char *text);
/* null for what is not known: "", a NaN, an infinite value, and of what is never negative a value below 0. */
json_t *json_out_value(double value);
json_t *json_out_known(const char *text);
json_t *json_out_amount_value(double value);
json_t *json_out_whole_value(int64_t value);
/* What has been built; NULL after a failure. Takes o over. */
json_t *json_out_end(const struct json_out *w, json_t *o);
/* flags: how json_text_write() lays it out. Takes o over and ends it with a newline. */
int json_out_write(const struct json_out *w, json_t *o, FILE *out, size_t flags);

/* One row's members, put into o, in the order of the columns. */
void json_rows_put(struct json_out *w, json_t *o, const struct rows *r, size_t row);

/* openmetrics - https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md */
void openmetrics_label(FILE *out, const char *name, const char *value); /* writes name="value" */
/* The lines above the samples of a family; unit NULL: it has none. */
void openmetrics_head(FILE *out, const char *name, const char *type, const char *unit, const char *help);

/* text - the pieces that text renderers share */
#define TEXT_COLUMNS 80
#define TEXT_LEAST   40

struct text {
	FILE *out;
	bool colour;
	size_t columns; /* that lines fit into, TEXT_LEAST or more; 0: tables take as many as they need */
};

enum text_style { TEXT_PLAIN, TEXT_TITLE, TEXT_FAINT, TEXT_BAD, TEXT_NATIVE, TEXT_SKB };

void text_styled(const struct text *t, enum text_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same around what the caller prints. */
void text_begin(const struct text *t, enum text_style style);
void text_end(const struct text *t, enum text_style style);

/* Right-aligned in width, "-" when it is not known. */
void text_number(const struct text *t, double value, int width, int decimals, bool sign);
/* "    80.0 ±  0.4": the value right-aligned in width, then 7 columns of interval, blank without one. */
void text_column(const struct text *t, double value, double half, int width, bool sign);

size_t text_width(const char *s); /* columns that a string takes */
/* In exactly that many columns, cut in its middle where it has to be. */
void text_name(const struct text *t, const char *s, size_t width);
/* In at most that many, for what ends a line; 0: whole. */
void text_last(const struct text *t, const char *s, size_t width);
/* Wrapped, from this column on; each line that begins at column 0 is indented. */
void text_wrap(const struct text *t, size_t column, int indent, const char *text);
/* "  LABEL text", wrapped, with lines after the first indented by 4. */
void text_labelled(const struct text *t, enum text_style style, const char *label, const char *text);
int render_finish(FILE *out); /* has all been written? */

/*
 * text_rows - rows as text: tables fit into the columns of struct text. Names are cut, and where that is not enough,
 * the last columns of numbers are left out and named below the table; what is not shown of a table is summed up or
 * counted
 */

/* note: NULL, or a sentence below the table. Nothing where the table has nothing for people. */
void text_rows(const struct text *t, const struct rows *r, size_t max, const char *note);
/* The facts of a row: IN_FACTS, IN_PLAIN or both. */
void text_facts(const struct text *t, const struct rows *r, size_t row, unsigned int in);

#endif
