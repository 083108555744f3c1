/*
 * compared - two variants of a measured run, compared
 *
 * in:    as measured.h
 * out:   struct compare, which its caller releases; its rows by name
 * error: the test fails with the sentence of what failed
 */
#ifndef TESTS_COMPARED_H
#define TESTS_COMPARED_H

#include "reports/compare/compare.h"
#include "tests/unit/measured.h"

static inline struct synthetic_options two_modes(void)
{
	struct synthetic_options o = veth();

	o.nvariants = 2;
	o.window_ms = 250;
	return o;
}

static inline void compare(struct compare *c, const struct analysis_variant *base, const struct analysis_variant *new)
{
	struct diag d = {""};

	if (compare_build(c, base, new, NULL, &d))
		fail_msg("%s", d.text);
}

static inline const struct compare_row *find(const struct compare_row *rows, size_t n, const char *name,
					     const char *facility)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].name, name) && !strcmp(rows[i].facility, facility))
			return &rows[i];
	fail_msg("no row \"%s\" in \"%s\"", name, facility);
	return NULL;
}

#endif
