/*
 * script_line - takes one line of `perf script` apart without copying
 *
 * in:    a line without its newline
 * out:   pointers into this line
 * units: times in ns, with as many digits as perf printed
 * law:   a header is recognised by its time ("1143.997871745:") or its CPU ("[001]"), never by the task's name,
 *        which may contain blanks, colons, brackets and numbers
 * error: false where the line is not a header, or not a frame
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
	const char *rest; /* text behind the event: the frame of a sample without a stack, or a tracepoint's text */
	size_t rest_len;
};

#define SCRIPT_TID_ENDED INT32_MAX /* perf prints -1 for a task that has ended; no filter can select this number */

struct script_frame {
	const char *name, *dso; /* dso is "" where none is printed */
	size_t name_len, dso_len;
	enum profile_space space;
	bool is_bare; /* the line holds an address alone */
};

bool script_parse_header(struct script_header *h, const char *line, size_t len);
/*
 * Parses a line of a stack. strict: for a line that may be no frame; the address has to be in perf's 16 columns, or to
 * have three digits, and a DSO at the end of the line.
 */
bool script_parse_frame(struct script_frame *f, const char *line, size_t len, bool strict);
/*
 * Splits a line of the usual shape: a tab, the address in 16 columns, a blank. *tail is the text behind the blank,
 * *salt the space that the address lies in. Equal tail and salt give equal frames.
 */
bool script_split_frame(const char *line, size_t len, const char **tail, size_t *tail_len, uint8_t *salt);

/*
 * A line below the innermost frame of a sample that names the line of the source: SCRIPT_SOURCE and then "NUMBER
 * FILE\tTEXT", which is returned, and its length; NULL: this is none. perf prints no such line.
 */
#define SCRIPT_SOURCE "  source: "
const char *script_source(const char *line, size_t len, size_t *words);

#endif
