/*
 * unit - what unit tests share: a folder of their own, numbers that are near to others, gates by name
 *
 * in:    nothing; cmocka.h and what it wants before it, and the headers that most tests use, come with this one
 * out:   folder, made by make_folder() and removed by remove_folder(), group fixtures or called by them
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "reports/analysis/quality.h"
#include "reports/run/counters.h"

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
	fail_msg("no gate \"%s\"", name);
	return NULL;
}

/* NULL: none of this name. */
static inline const struct counter *counter_of(const struct counters *c, enum counter_source source, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].source == source && !strcmp(c->list[i].name, name))
			return &c->list[i];
	return NULL;
}

#endif
