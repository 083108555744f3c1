/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate - the text of `perf annotate --stdio` -> shares of instructions and source lines
 *
 * in:    lines with the annotation of one symbol or of several
 * out:   one struct annotate per symbol; its rows are the instructions that have a share, in the order of the text
 * units: shares in percent of the symbol, or of all samples where perf ran with a global percent type
 * law:   the shares of a symbol add up to 100 %, to rounding
 * error: -EINVAL no annotation, or several events side by side; -ERANGE shares above 100.5 %; -ENOMEM. The list is
 *        then empty
 */
#ifndef PERFPARSE_ANNOTATE_H
#define PERFPARSE_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "perfparse/linescan.h"

struct annotate_row {
	double pct;
	uint64_t address;
	bool has_address; /* it is printed; that of a BPF program's first instruction is 0 */
	char *instruction;
	char *source; /* "cpu.c:142", or "142 the line's text"; NULL where perf printed none */
};

struct annotate {
	char symbol[128], dso[128], event[64];
	uint64_t samples; /* 0: not printed */
	bool global;      /* shares are percent of all samples, not of the symbol's */
	struct annotate_row *rows;
	size_t nrows, cap;
};

struct annotate_list {
	struct annotate *symbols;
	size_t n, cap;
};

void annotate_list_init(struct annotate_list *l);
void annotate_list_release(struct annotate_list *l); /* may be called twice */
int annotate_read(struct annotate_list *l, struct linescan *lines, struct diag *d);

void annotate_release(struct annotate *a); /* for the result of annotate_by_source(); may be called twice */
/*
 * Adds up the rows of each source line, largest first; their instruction is NULL. out is empty where perf printed
 * no source.
 */
int annotate_by_source(const struct annotate *a, struct annotate *out);

#endif
