/*
 * ktap - results of checks in the form in which the kernel's selftests print theirs
 *
 * in:    results, one at a time; the number of them beforehand
 * out:   one flat list, with a first line, a plan and totals; written to the caller's stream
 * law:   a check that cannot tell, or cannot be made here, is skipped with its reason, and never passes. Names and
 *        reasons keep to one line, and hold no "#", which would begin a directive
 * error: ktap_end(): -errno of the stream
 * src:   Documentation/dev-tools/ktap.rst of Linux; the first line and the totals are those of ksft_print_header() and
 *        ksft_print_cnts() in tools/testing/selftests/kselftest.h, which the readers of netdev's test machines look for
 */
#ifndef REPORTS_FORMAT_KTAP_H
#define REPORTS_FORMAT_KTAP_H

#include <stddef.h>
#include <stdio.h>

enum ktap_result { KTAP_PASS, KTAP_FAIL, KTAP_SKIP };

struct ktap {
	FILE *out;
	size_t n, count[KTAP_SKIP + 1];
};

void ktap_begin(struct ktap *k, FILE *out, size_t planned);
/* A line for people; readers of results pass over it. */
void ktap_comment(const struct ktap *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* of: what was checked; "" for all of it. why: the reason of a result that did not pass; "": none. */
void ktap_add(struct ktap *k, enum ktap_result result, const char *of, const char *check, const char *why);
int ktap_end(const struct ktap *k);

#endif
