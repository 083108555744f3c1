/*
 * text_rows - rows as text
 *
 * in:    rows, borrowed; at most how many of a table's rows are shown
 * out:   a table: numbers first, with the points below each other, then names; lines of facts, heads below each other
 * law:   tables fit into the columns of struct text: names are cut, and where that is not enough, the last columns of
 *        numbers are left out and named below the table; no line ends in blanks; what is not shown of a table is summed
 *        up or counted
 * error: sticky in the stream
 */
#ifndef SHEET_TEXT_ROWS_H
#define SHEET_TEXT_ROWS_H

#include "base/sheet/text.h"
#include "base/sheet/rows.h"

/* note: NULL, or a sentence below the table. Nothing where the table has nothing for people. */
void text_rows(const struct text *t, const struct rows *r, size_t max, const char *note);
/* All tables in the cells of a row, each after an empty line. */
void text_tables(const struct text *t, const struct rows *r, size_t row, size_t max);
/* The facts of a row: IN_FACTS, IN_PLAIN or both. */
void text_facts(const struct text *t, const struct rows *r, size_t row, unsigned int in);

#endif
