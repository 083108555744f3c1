/*
 * remote_lines - what a generator on another machine printed, taken apart
 *
 * in:    bytes of its standard output, and the end of its standard error; the other machine is not trusted
 * out:   its report: an object with the known members of all reports in the output, owned by the caller
 * units: those of gen.h
 * law:   a member of the report is a number, or a text shorter than REMOTE_MEMBER bytes, whichever the scripts print
 *        under its name. A later report replaces members of an earlier one. What is no line of JSON is skipped. A
 *        number that no count and no time can be is not known
 * error: none; NULL: there is no report
 */
#ifndef USER_REMOTE_LINES_H
#define USER_REMOTE_LINES_H

#include <jansson.h>
#include <stddef.h>

struct gen_result;

#define REMOTE_MEMBER 256 /* bytes of a text in a report */

/* Only whole lines count: text[0..len) may end in the middle of one. */
json_t *remote_lines_report(const char *text, size_t len);

/* The counts of a report; report NULL: none is known. */
void remote_lines_result(const json_t *report, struct gen_result *r);

/* Appends part[0..n) to words[0..*nwords), which ends in a NUL then; what does not fit goes at the beginning. */
void remote_lines_keep(char *words, size_t size, size_t *nwords, const char *part, size_t n);
/* The last line that is not empty. Changes words. */
void remote_lines_last(char *words, size_t nwords, char *line, size_t size);

#endif
