// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/rows/made_rows.h"

#include <math.h>
#include <stdio.h>
#include "reports/rows/exact_rows.h"

void exact_words(const struct exact *e, char *line, size_t size)
{
	snprintf(line, size, "%s, Linux %s, counted by QEMU %s, %s", e->nic, e->kernel, e->emulator, e->time);
}

static double count_or_nan(int n)
{
	return n < 0 ? NAN : n;
}

void made_rows_put(struct rows *r, const struct made *m)
{
	char line[MADE_DIFFERS_BYTES];

	if (m->program.tag[0])
		rows_words(r, "program_tag", "%s", m->program.tag);
	rows_value(r, "program_instructions", count_or_nan(m->program.instructions));
	rows_value(r, "program_bytes", count_or_nan(m->program.bytes));
	if (made_words(m, line, sizeof(line)))
		rows_words(r, "made_words", "%s", line);
}

bool made_rows_change(struct rows *r, const struct made *base, const char *base_id, const struct made *new,
		      const char *new_id)
{
	char line[MADE_DIFFERS_BYTES];

	bool differs = made_differs(base, base_id, new, new_id, line, sizeof(line));

	if (differs)
		rows_words(r, "made_words", "not the same: %s", line);
	return differs;
}

void exact_made_change(struct rows *r, const struct exact_diff *d)
{
	struct made base = exact_made(d->base_run, d->base), new = exact_made(d->new_run, d->new);

	made_rows_change(r, &base, d->base->id, &new, d->new->id);
}
