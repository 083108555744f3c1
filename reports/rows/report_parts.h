/*
 * report_parts - what the files of report_rows share; nobody else includes this
 *
 * in:    an analysed variant, borrowed; the row of the variant, which is the last of its rows
 * out:   the table in one of the cells of that row
 * law:   as report_rows.h
 * error: sticky in the rows
 */
#ifndef REPORTS_REPORT_PARTS_H
#define REPORTS_REPORT_PARTS_H

#include "reports/analysis/analysis.h"
#include "base/sheet/rows.h"

/* What no function accounts for, as CSV has it. */
void variant_rest_row(struct rows *parent, const struct analysis_variant *v);
void variant_facility_rows(struct rows *parent, const struct analysis_variant *v);
void variant_tag_rows(struct rows *parent, const struct analysis_variant *v);
void variant_symbol_rows(struct rows *parent, const struct analysis_variant *v);
void variant_line_rows(struct rows *parent, const struct analysis_variant *v);
void variant_block_rows(struct rows *parent, const struct analysis_variant *v);
void variant_placement_rows(struct rows *parent, const struct analysis_variant *v);
void variant_cpu_rows(struct rows *parent, const struct analysis_variant *v);
void variant_counter_rows(struct rows *parent, const struct analysis_variant *v);
void variant_call_rows(struct rows *parent, const struct analysis_variant *v);
void variant_event_rows(struct rows *parent, const struct analysis_variant *v);
void variant_wakeup_rows(struct rows *parent, const struct analysis_variant *v);
void variant_speed_rows(struct rows *parent, const struct analysis_variant *v);
void variant_turn_rows(struct rows *parent, const struct analysis_variant *v);
void variant_slab_rows(struct rows *parent, const struct analysis_slab *s);
void variant_stage_rows(struct rows *parent, const struct analysis_variant *v);
void variant_sending_rows(struct rows *parent, const struct analysis_variant *v);

#endif
