/*
 * made_rows - what a variant was measured or counted with: kernel's compiler, program under test, emulator
 *
 * in:    an analysed variant, or one of an exact run; borrowed
 * out:   cells of MADE_COLUMNS in a row of the variant; a sentence about two variants; text in the caller's buffer
 * units: BPF instructions, bytes of machine code
 * law:   as made.h: what a run does not tell is not known, and no difference
 * error: sticky in the rows
 */
#ifndef REPORTS_MADE_ROWS_H
#define REPORTS_MADE_ROWS_H

#include "reports/analysis/analysis.h"
#include "reports/exact/exact_diff.h"
#include "base/sheet/rows.h"
#include "reports/run/made.h"

#define MADE_COLUMNS                                                                                                   \
	{"program_tag", NULL, CELL_WORDS, IN_JSON}, {"program_instructions", NULL, CELL_COUNT, IN_JSON},               \
		{"program_bytes", NULL, CELL_COUNT, IN_JSON},                                                          \
	{                                                                                                              \
		"made_words", "made with", CELL_WORDS, IN_FACTS                                                        \
	}

void made_rows_put(struct rows *r, const struct made *m);
/* Puts "made_words" if something differs, and returns whether. */
bool made_rows_change(struct rows *r, const struct made *base, const char *base_id, const struct made *new,
		      const char *new_id);
void exact_made_change(struct rows *r, const struct exact_diff *d);

#endif
