/*
 * annotate - the text of `perf annotate --stdio` -> shares of instructions and source lines
 *
 * in:    lines, of one symbol or of several
 * out:   one struct annotate per symbol, with the instructions that have a share, in the order of
 *        the text
 * units: shares in percent of the symbol (or of everything, where perf was asked for global
 *        percent)
 * law:   the shares of a symbol add up to 100 %, to rounding
 * error: -EINVAL no annotation, several events side by side; -ERANGE shares above 100.5 %; -ENOMEM;
 *        out left empty
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
	char *instruction;
	char *source; /* "cpu.c:142", or "142 the line's text"; NULL where perf printed none */
};

struct annotate {
	char symbol[128], dso[128], event[64];
	uint64_t samples; /* 0: not said */
	bool global;      /* shares are of everything */
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

/* Rows of one source added up, largest first; instruction is NULL in these. n is 0 where there
 * is no source. */
void annotate_release(struct annotate *a); /* of annotate_by_source(); may be called twice */
int annotate_by_source(const struct annotate *a, struct annotate *out);

#endif
