/*
 * text_kind - which of perf's commands a text comes from, and the profile in it: for perfparse and for import
 *
 * in:    the beginning of the text
 * out:   the kind that the first decisive line shows
 * law:   a line decides only if no other command of perf prints such a line. A text with a line of
 *        perf is no folded stacks
 * error: TEXT_UNKNOWN
 */
#ifndef PERFPARSE_TEXT_KIND_H
#define PERFPARSE_TEXT_KIND_H

#include "perfparse/linescan.h"
#include "perfparse/profile.h"
#include "perfparse/report.h"

enum text_kind {
	TEXT_UNKNOWN,
	TEXT_REPORT,
	TEXT_SCRIPT,
	TEXT_STAT,
	TEXT_ANNOTATE,
	TEXT_DIFF,
	TEXT_FOLDED,
	TEXT_PPROF, /* no text: pprof_begins() knows it */
};

enum text_kind text_kind_guess(const char *text, size_t len);
/* What a text of no kind is, for a sentence: one of another tool; NULL: nobody knows. */
const char *text_kind_foreign(const char *text, size_t len);

/* Which part of a text counts; a struct of zeros with cpu = tid = -1: all of it. */
struct text_pick {
	const char *event;        /* NULL: the text has only one */
	int cpu, tid;             /* -1: any */
	char separator;           /* of perf report -t; 0: found in the text */
	int table;                /* of perf report, from 1; 0: there is only one */
	struct report_text *kept; /* as in report.h */
};

/* Reads a text of one of the kinds that hold a profile: report, script, folded, pprof. */
int text_read_profile(struct profile *p, enum text_kind kind, struct linescan *lines, const struct text_pick *pick,
		      struct diag *d);

#endif
