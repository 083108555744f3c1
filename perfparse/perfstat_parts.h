/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfstat_parts - readers of one line of perf stat, in each of its three forms; not installed
 *
 * in:    a line
 * out:   the count that it holds, owned by the caller
 * units: as perfstat.h
 * law:   the readers return 1: the line is a count; 0: it is not
 * error: < 0 with one sentence: the line is refused
 */
#ifndef PERFPARSE_PERFSTAT_PARTS_H
#define PERFPARSE_PERFSTAT_PARTS_H

#include "perfparse/perfstat.h"

struct perfstat_line {
	struct perfstat_count count;
	double interval_s; /* NaN: none */
};
void perfstat_line_init(struct perfstat_line *l);
int perfstat_line_read_text(struct perfstat_line *l, const char *line, size_t len, struct diag *d);
int perfstat_line_read_fields(struct perfstat_line *l, const char *line, size_t len, char separator, struct diag *d);
int perfstat_line_read_json(struct perfstat_line *l, const char *line, size_t len, struct diag *d);
/* A line below a count: a second metric, "#  0.21  stalled cycles per insn  [83.51%]", or what a mailer wrapped. */
void perfstat_line_go_on(struct perfstat_count *c, const char *line, size_t len);
/* Fills event, pmu, name and modifiers. */
void perfstat_count_set_event(struct perfstat_count *c, const char *s, size_t len);

#endif
