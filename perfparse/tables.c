// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/tables.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/printable.h"
#include "perfparse/linescan.h"
#include "perfparse/report.h"
#include "perfparse/report_columns.h"

enum line_kind { LINE_OTHER, LINE_FILLER, LINE_HEADER, LINE_ROW };

struct finder {
	struct tables *t;
	struct table_place now; /* the table that grows; rows 0: none, but from may hold a header */
	bool open, marked;
	bool folded;    /* chains of -g folded stand below its rows */
	bool hierarchy; /* its lines are no table alone; the reader refuses all of them */
};

static bool tables_holds(const char *s, size_t len, const char *text)
{
	return memmem(s, len, text, strlen(text));
}

static bool begins(const char *s, size_t len, const char *text)
{
	return len >= strlen(text) && !memcmp(s, text, strlen(text));
}

static bool is_header(const char *s, size_t len)
{
	while (len && (*s == '#' || *s == ' ')) {
		s++;
		len--;
	}
	return (begins(s, len, "Samples: ") && tables_holds(s, len, " of event")) || begins(s, len, "Overhead ") ||
	       (begins(s, len, "Children ") && tables_holds(s, len, "Self"));
}

/* "69.17% a;b;c" or, by count, "11 a;b;c"; once there was one in the table, also "69.17% a". */
static bool is_folded(struct finder *f, const char *s, size_t len)
{
	const char *blank = memchr(s, ' ', len);

	if (!len || !(*s >= '0' && *s <= '9') || !blank || memchr(blank + 1, ' ', (size_t)(s + len - blank - 1)))
		return false;
	f->folded |= memchr(blank, ';', (size_t)(s + len - blank)) || blank[-1] == '%';
	return f->folded;
}

/*
 * A line of a call graph below a row: "            |--20.00%--a", "               a" of --stdio, "   - a" or
 * "      + 20.00% a" of an opened row of the browser, or a chain of -g folded.
 */
static bool is_graph(struct finder *f, const char *s, size_t len)
{
	size_t blanks = 0;

	while (blanks < len && s[blanks] == ' ')
		blanks++;
	if (!blanks || blanks == len)
		return is_folded(f, s, len);
	return blanks >= 8 || memchr("-+|", s[blanks], 3);
}

static enum line_kind tables_kind_of(struct finder *f, const char *s, size_t len, struct report_cells *cells)
{
	struct report_columns columns;
	size_t blanks = linescan_tab_bytes(s, len);

	s += blanks;
	len -= blanks;
	if (is_header(s, len))
		return LINE_HEADER;
	for (blanks = 0; blanks < len && s[blanks] == ' '; blanks++)
		;
	if (blanks == len || s[blanks] == '#')
		return LINE_FILLER;
	report_columns_guess(&columns, 0);
	if (report_columns_read_row(&columns, s, len, 0, cells) ||
	    (f->now.rows && report_columns_is_like_row(s, len, !f->marked)))
		return LINE_ROW; /* the reader refuses what is only like one */
	if (!f->marked && report_columns_read_unmarked(s, len, !f->now.rows, cells))
		return LINE_ROW;
	return f->hierarchy || (f->now.rows && is_graph(f, s, len)) ? LINE_FILLER : LINE_OTHER;
}

/*
 * The sum of the shares that are read of the table: those of one event of a group. It is left as it is where the table
 * cannot be read without a choice.
 */
static int sum_shares(struct table_place *place, const char *text)
{
	const struct report_filter all = {.cpu = -1};
	FILE *in = fmemopen((void *)(text + place->from), place->to - place->from, "r");
	struct linescan lines;
	struct profile p;
	int err;

	if (!in)
		return -ENOMEM;
	linescan_init(&lines, in);
	err = report_read(&p, &lines, &all, NULL);
	linescan_release(&lines);
	fclose(in);
	if (err)
		return err == -ENOMEM ? err : 0;
	place->sum_pct = 0;
	for (size_t i = 0; i < p.nrows; i++)
		place->sum_pct += fmax(0, p.rows[i].self_pct);
	profile_release(&p);
	return 0;
}

static int finish_table(struct finder *f, const char *text)
{
	struct table_place *place;

	if (f->now.rows >= 2) {
		if (sum_shares(&f->now, text))
			return -ENOMEM;
		place = array_add(&f->t->list, &f->t->n, sizeof(*place));
		if (!place)
			return -ENOMEM;
		*place = f->now;
	}
	f->open = f->marked = f->folded = f->hierarchy = false;
	memset(&f->now, 0, sizeof(f->now));
	return 0;
}

static void tables_add_row(struct finder *f, const struct report_cells *cells, size_t to, size_t line)
{
	struct table_place *now = &f->now;

	if (!now->rows)
		snprintf(now->first, sizeof(now->first), "%.*s", (int)cells->name_len, cells->name);
	now->rows++;
	now->sum_pct += cells->self_pct > 0 ? cells->self_pct : 0;
	now->to = to;
	now->last_line = line;
	f->marked |= cells->space != SPACE_UNKNOWN;
}

static int tables_take_line(struct finder *f, const char *text, size_t from, size_t to, size_t line)
{
	struct report_cells cells;
	enum line_kind kind = tables_kind_of(f, text + from, to - from, &cells);
	int err = 0;

	if (kind == LINE_OTHER || (kind == LINE_HEADER && f->now.rows))
		err = finish_table(f, text);
	if (err || kind == LINE_OTHER || (kind == LINE_FILLER && !f->open))
		return err;
	if (!f->open) {
		f->open = true;
		f->now.from = from;
		f->now.first_line = line;
	}
	if (kind == LINE_HEADER)
		f->hierarchy = tables_holds(text + from, to - from, " / ");
	if (kind == LINE_ROW)
		tables_add_row(f, &cells, to, line);
	return 0;
}

static int scan(struct finder *f, const char *text, size_t len)
{
	size_t from, to, stop, line = 1;
	int err = 0;

	for (from = 0; from < len && !err; from = to + 1, line++) {
		const char *nl = memchr(text + from, '\n', len - from);

		to = nl ? (size_t)(nl - text) : len;
		for (stop = to; stop > from && text[stop - 1] == '\r'; stop--)
			;
		err = tables_take_line(f, text, from, stop, line);
	}
	return err ? err : finish_table(f, text);
}

int tables_find(struct tables *t, const char *text, size_t len)
{
	struct finder f = {.t = t};
	int err;

	memset(t, 0, sizeof(*t));
	err = scan(&f, text, len);
	if (err)
		tables_release(t);
	return err;
}

void tables_list(FILE *out, const struct tables *t)
{
	for (size_t i = 0; i < t->n; i++)
		printable_printf(out, "%3zu  lines %zu to %zu  %zu functions, %.2f %%  first: %s\n", i + 1,
				 t->list[i].first_line, t->list[i].last_line, t->list[i].rows, t->list[i].sum_pct,
				 t->list[i].first);
}

void tables_release(struct tables *t)
{
	free(t->list);
	memset(t, 0, sizeof(*t));
}
