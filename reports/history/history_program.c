// SPDX-License-Identifier: GPL-2.0-or-later
/* The program of a variant in three columns: tag, BPF instructions, bytes of machine code; NULL is not known. */
#include <math.h>
#include <stdio.h>
#include "reports/history/history_parts.h"

void history_bind_program(sqlite3_stmt *s, int at, const struct made_program *p)
{
	sqlite3_bind_text(s, at, p->tag[0] ? p->tag : NULL, -1, SQLITE_TRANSIENT);
	history_bind_number(s, at + 1, p->instructions < 0 ? NAN : p->instructions);
	history_bind_number(s, at + 2, p->bytes < 0 ? NAN : p->bytes);
}

static int size_in(sqlite3_stmt *s, int column)
{
	double n = history_number(s, column);

	return n >= 0 && n <= MADE_MOST ? (int)n : -1;
}

void history_program(sqlite3_stmt *s, int column, struct made_program *p)
{
	snprintf(p->tag, sizeof(p->tag), "%s", history_text(s, column));
	p->instructions = size_in(s, column + 1);
	p->bytes = size_in(s, column + 2);
}
