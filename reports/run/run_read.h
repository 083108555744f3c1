/*
 * run_read - the parts of the reader of run.json (run_read.c, run_read_windows.c)
 *
 * in:    rd, where the reader stands; o, the member's object
 * error: rd->err and its sentence, as in json_in.h; a reader that finds rd->err set reads nothing
 */
#ifndef REPORTS_RUN_READ_H
#define REPORTS_RUN_READ_H

#include <jansson.h>
#include "reports/run/json_in.h"
#include "reports/run/run.h"

/* The element, which something has just added to a list; NULL: there was no memory, and rd->err says so. */
void *run_read_added(struct json_in *rd, void *element);
void run_read_windows(struct json_in *rd, const json_t *o, struct run_block *b);
void run_read_counters(struct json_in *rd, const json_t *o, struct run_counters *out);

#endif
