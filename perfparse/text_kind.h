/*
 * text_kind - which of perf's commands a text comes from
 *
 * in:    the beginning of the text
 * out:   the kind that the first decisive line shows
 * law:   a line decides only if no other command of perf prints such a line. A text with a line of
 *        perf is no folded stacks
 * error: TEXT_UNKNOWN
 */
#ifndef PERFPARSE_TEXT_KIND_H
#define PERFPARSE_TEXT_KIND_H

#include <stddef.h>

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

#endif
