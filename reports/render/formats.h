/*
 * formats - what report and diff can be written as: one table
 *
 * in:    a name
 * out:   the renderers behind it, and what it needs and is for
 * law:   every format a command knows is a line of the table; renderers show the same rows and never
 *        compute
 * error: -EINVAL lists the names
 *
 * To add a format: a line in formats.c, its renderers declared in render.h, a file render_NAME.c.
 */
#ifndef REPORTS_FORMATS_H
#define REPORTS_FORMATS_H

#include <stdbool.h>
#include <stdio.h>
#include "reports/render/render.h"

struct format {
	const char *name;
	const char *use;               /* what it is for, one line */
	render_report *report;         /* NULL: not a format of report */
	render_diff *diff;             /* NULL: not a format of diff */
	render_exact *exact;           /* of an exact run; NULL: not written in this format */
	render_exact_diff *exact_diff; /* likewise */
	render_explain *explain;       /* NULL: not a format of explain */
	bool stacks;                   /* call paths have to be kept: analysis_options.stacks */
	bool binary;                   /* not to be written to a terminal */
	bool rows_alone;               /* diff needs only rows, so runs of a history can be compared */
};

#define FORMATS_MAX 24 /* room for the names of all */
extern const struct format formats[];
extern const size_t nformats;

enum format_of { FORMAT_OF_REPORT, FORMAT_OF_DIFF, FORMAT_OF_EXPLAIN };

bool format_fits(const struct format *f, enum format_of of);
int format_find(const struct format **f, const char *name, enum format_of of, struct diag *d);
/* "text, json, csv" */
const char *format_names(enum format_of of, char *buf, size_t size);

#endif
