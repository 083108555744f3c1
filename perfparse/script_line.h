/*
 * script_line - one line of `perf script`, taken apart without copying
 *
 * in:    a line without its newline
 * out:   pointers into that line
 * units: times in ns, as many digits as were printed
 * law:   a header is recognised by its time ("1143.997871745:") or its CPU ("[001]"), never by what
 *        a task is called: names may hold blanks, colons, brackets and numbers
 * error: false where the line is not of that kind
 */
#ifndef PERFPARSE_SCRIPT_LINE_H
#define PERFPARSE_SCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "perfparse/profile.h"

struct script_header {
	int tid, cpu; /* -1: not printed */
	bool has_time, has_period;
	uint64_t time_ns;
	double period;
	const char *event; /* NULL: not printed */
	size_t event_len;
	const char *rest; /* behind the event: the frame of a sample without a stack, or a
			     tracepoint's text */
	size_t rest_len;
};

#define SCRIPT_TID_ENDED INT32_MAX /* printed as -1: a task that no filter asks for */

struct script_frame {
	const char *name, *dso; /* dso is "" where none is printed */
	size_t name_len, dso_len;
	enum profile_space space;
};

bool script_parse_header(struct script_header *h, const char *line, size_t len);
/* A line of a stack. strict: only with an address in perf's 16 columns, for lines that could be
 * something else. */
bool script_parse_frame(struct script_frame *f, const char *line, size_t len, bool strict);
/*
 * The shape nearly all lines of a stack have: a tab, the address in 16 columns, a blank. tail is
 * what is behind it, salt what the address says of the space; equal tail and salt make equal
 * frames.
 */
bool script_split_frame(const char *line, size_t len, const char **tail, size_t *tail_len, uint8_t *salt);

#endif
