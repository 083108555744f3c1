/*
 * run_fields - the members of run.json, for its reader and its writer
 *
 * in:    as fields.h
 * out:   the members before the blocks, the blocks, and the members behind them
 * law:   a member of run.json has one line in one table
 * error: as fields.h
 */
#ifndef REPORTS_RUN_FIELDS_H
#define REPORTS_RUN_FIELDS_H

#include "reports/run/fields.h"
#include "reports/run/run.h"

extern const char *const run_verdict_names[RUN_VERDICTS], *const run_window_kind_names[RUN_WINDOW_KINDS];
extern const struct fields run_head_fields, run_blocks_field, run_tail_fields;
json_t *run_block_json(const struct run_block *b, struct json_out *out);

#endif
