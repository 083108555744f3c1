/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfstat_json - counts in JSON, of perf stat -j and of bpftool -j prog profile
 *
 * in:    lines; JSON may go on over several of them, as jq and bpftool -p lay it out
 * out:   json_lines_add(): the whole of it, when its last line is there. json_count(): the count of an object; of
 *        bpftool's, json_runs() is how often the program ran
 * law:   what bpftool counted is not scaled; its running_pct is the part of the time in which it counted
 * error: json_count(): -EINVAL a value that is no number; json_lines_add(): false without memory
 * src:   Linux, tools/bpf/bpftool/prog.c, profile_print_readings_json()
 */
#ifndef PERFPARSE_PERFSTAT_JSON_H
#define PERFPARSE_PERFSTAT_JSON_H

#include <jansson.h>
#include "perfparse/perfstat_parts.h"

/* A struct of zeros is empty. */
struct json_lines {
	char *text;
	size_t len, cap;
	size_t depth; /* of open brackets; 0 behind the last line */
	bool in_string, escaped;
};

bool json_lines_add(struct json_lines *j, const char *line, size_t len);
void json_lines_release(struct json_lines *j); /* may be called twice; it is empty then */

/* 1: l->count is set; 0: this is no count; < 0: an error. */
int json_count(struct perfstat_line *l, const json_t *o, struct diag *d);
bool json_runs(const json_t *o, double *runs);

#endif
