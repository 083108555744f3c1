/*
 * formats - what report, diff, explain and why can be written as: one table
 *
 * in:    a name; a document
 * out:   the function that writes any document of certain kinds, and what it needs and is for
 * law:   every format a command knows is a line of the table; all formats show the same document and never compute
 * error: -EINVAL lists the names
 *
 * To add a format: a line in formats.c, its function declared in format.h, a file format_NAME.c.
 */
#ifndef REPORTS_FORMATS_H
#define REPORTS_FORMATS_H

#include <stdbool.h>
#include <stdio.h>
#include "reports/format/format.h"

/* Sets of kinds of documents. */
#define OF(kind)    (1U << (kind))
#define OF_MEASURED (OF(DOCUMENT_REPORT) | OF(DOCUMENT_DIFF))
#define OF_EXACT    (OF(DOCUMENT_EXACT) | OF(DOCUMENT_EXACT_DIFF))
#define OF_BOTH     (OF_MEASURED | OF_EXACT)
#define OF_ALL      (OF(DOCUMENT_KINDS) - 1)
/* What is no document, and can be reported on. */
#define OF_SWEEP  (1U << 30)
#define OF_MATRIX (1U << 31)

struct format {
	const char *name;
	const char *use; /* what it is for, one line */
	format_fn *write;
	unsigned int of; /* the kinds that it can write */
	bool stacks;     /* call paths have to be kept: analysis_options.stacks */
	bool binary;     /* not to be written to a terminal */
	bool joins;      /* several documents can follow each other */
	bool picture;    /* of a measured run: drawn by plot.h; write may be NULL */
	bool rows_alone; /* needs only rows, so runs of a history can be written */
};

#define FORMATS_MAX 24 /* room for the names of all */
extern const struct format formats[];
extern const size_t nformats;

/* of: a set, OF(...). */
int format_of(const struct format **f, const char *name, unsigned int of, struct diag *d);
const char *format_names(unsigned int of, char *buf, size_t size); /* "text, json, csv" */
/* of: the kind that a command makes of measured runs; of exact runs it makes the like. */
bool format_fits(const struct format *f, enum document_kind of);
int format_find(const struct format **f, const char *name, enum document_kind of, struct diag *d);
/* Writes a document and releases it. err: what building it came to; it is returned. */
int format_write(const struct format *f, FILE *out, struct document *d, int err, const struct render_options *o);

#endif
