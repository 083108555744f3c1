/*
 * unit - what unit tests share: headers, a folder of their own, files with a text, near numbers, gates by name
 *
 * in:    nothing; cmocka.h and what it wants before it, and the headers that most tests use, come with this one
 * out:   folder, made by make_folder() and removed by remove_folder(), group fixtures or called by them
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/analysis/analysis.h"

/* cmocka hands a state to each test and fixture, and few have one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static char folder[64];

/* A name for mkdtemp() or mkstemp(). */
static inline void temporary(char path[64])
{
	const char *place = getenv("TMPDIR");

	snprintf(path, 64, "%s/xdpzoom-unit-XXXXXX", place ? place : "/tmp");
}

static inline int make_folder(void **state)
{
	temporary(folder);
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

/* The path of a name below folder. */
static inline const char *in_dir(char *buf, size_t size, const char *name)
{
	snprintf(buf, size, "%s/%s", folder, name);
	return buf;
}

static inline void write_at(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* name: below folder */
static inline void write_text(const char *name, const char *text)
{
	char path[256];

	write_at(in_dir(path, sizeof(path), name), text);
}

static inline void near_to(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("got %.10g, want %.10g", got, want);
}

static inline const struct quality_row *gate(const struct quality *q, const char *name)
{
	for (size_t i = 0; i < q->nrows; i++)
		if (!strcmp(q->rows[i].gate, name))
			return &q->rows[i];
	fail_msg("no check \"%s\"", name);
	return NULL;
}

#endif
