/*
 * run_json - makes members of run.json
 *
 * in:    values; an object or array to put them into, which owns them from then on
 * error: jansson fails on a NULL value, so one *failed collects all errors, and the caller checks it once
 */
#ifndef REPORTS_RUN_JSON_H
#define REPORTS_RUN_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

void run_json_put(json_t *o, const char *name, json_t *value, bool *failed);
void run_json_add(json_t *array, json_t *value, bool *failed);
/* null for what is not known: "", a value below 0, a NaN or an infinite one. */
json_t *run_json_text_or_null(const char *text);
json_t *run_json_real_or_null(double value);
json_t *run_json_count_or_null(int64_t value);
json_t *run_json_count(uint64_t value);

#endif
