/*
 * document_parts - what the files that fill rows share; nobody else includes this
 *
 * in:    an analysed variant, or what it was made with; borrowed. The row to be filled is the last one of its rows
 * out:   the table in one of the cells of that row, or cells of MADE_COLUMNS
 * units: BPF instructions, bytes of machine code
 * law:   as document_rows.h; as made.h: what a run does not tell is not known, and no difference
 * error: sticky in the rows
 */
#ifndef REPORTS_DOCUMENT_PARTS_H
#define REPORTS_DOCUMENT_PARTS_H

#include "reports/document/document_rows.h"
#include "base/sheet/digits.h"
#include "reports/run/made.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

/* What no function accounts for, as CSV has it. */
void variant_rest_row(struct rows *parent, const struct analysis_variant *v);
void variant_facility_rows(struct rows *parent, const char *key, const struct analysis_variant *v);
void variant_tag_rows(struct rows *parent, const struct analysis_variant *v);
void variant_symbol_rows(struct rows *parent, const char *key, const struct analysis_variant *v);
void variant_line_rows(struct rows *parent, const struct analysis_variant *v);
void variant_block_rows(struct rows *parent, const struct analysis_variant *v);
void variant_placement_rows(struct rows *parent, const struct analysis_variant *v);
void variant_cpu_rows(struct rows *parent, const struct analysis_variant *v);
void variant_counter_rows(struct rows *parent, const struct analysis_variant *v);
void variant_call_rows(struct rows *parent, const struct analysis_variant *v);
void variant_event_rows(struct rows *parent, const struct analysis_variant *v);
void variant_slab_rows(struct rows *parent, const struct analysis_slab *s);
void variant_stage_rows(struct rows *parent, const struct analysis_variant *v);
void variant_sending_rows(struct rows *parent, const struct analysis_variant *v);
void quality_rows(struct rows *parent, const char *key, const struct quality *q);

/* Rows of a report's columns in a cell, and a row of numbers alone, without tables, for one side of a comparison. */
struct rows *report_rows_table(struct rows *parent, const char *key);
void report_rows_side(struct rows *r, const struct analysis_variant *v, const char *side);

/* What a variant was measured or counted with: kernel's compiler, program under test, emulator. */
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

#endif
