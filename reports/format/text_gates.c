// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/text_gates.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "reports/run/run.h"

/* Returns the worst row of a gate. A row with a known value counts before one without. */
static enum quality_verdict verdict_of(const struct quality *q, const char *gate)
{
	enum quality_verdict worst = QUALITY_HOLDS;
	bool known = false;

	for (size_t i = 0; i < q->nrows; i++) {
		enum quality_verdict verdict = quality_verdict(&q->rows[i]);

		if (strcmp(q->rows[i].gate, gate))
			continue;
		worst = verdict > worst ? verdict : worst;
		known |= verdict == QUALITY_HOLDS;
	}
	return worst == QUALITY_NOT_KNOWN && known ? QUALITY_HOLDS : worst;
}

static bool text_gates_is_first(const struct quality *q, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(q->rows[i].gate, q->rows[row].gate))
			return false;
	return true;
}

/* Prints "gates ok: mode, rate, ...". Each gate stands there once, even if several variants have it. */
static void list_gates(const struct text *t, const struct quality *q, const char *title, enum quality_verdict verdict)
{
	char line[1024] = "";
	size_t n = 0;

	for (size_t i = 0; i < q->nrows && n < sizeof(line); i++) {
		const char *gate = q->rows[i].gate;

		if (text_gates_is_first(q, i) && verdict_of(q, gate) == verdict)
			n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", n ? ", " : "", gate);
	}
	if (n)
		text_labelled(t, TEXT_PLAIN, title, line);
}

static void tell_row(const struct text *t, const struct quality_row *row)
{
	char label[128 + RUN_ID_BYTES], line[640];

	snprintf(label, sizeof(label), "%s%s%s%s%s:", row->ok ? "" : "FAILED ", row->gate,
		 *row->side || *row->variant ? " " : "", row->side,
		 *row->variant ? row->variant
		 : *row->side  ? "run"
			       : "");
	if (row->ok || (!*row->unit && !isnan(row->value)))
		snprintf(line, sizeof(line), "%s", row->note);
	else if (isnan(row->value))
		snprintf(line, sizeof(line), "not known; %s", row->note);
	else
		snprintf(line, sizeof(line), "%.4g %s (limit %.4g): %s", row->value, row->unit, row->limit, row->note);
	text_labelled(t, row->ok ? TEXT_PLAIN : TEXT_BAD, label, line);
}

void text_quality(const struct text *t, const struct quality *q)
{
	list_gates(t, q, "gates ok:", QUALITY_HOLDS);
	list_gates(t, q, "cannot tell:", QUALITY_CANNOT_TELL);
	list_gates(t, q, "not known here:", QUALITY_NOT_KNOWN);
	for (size_t i = 0; i < q->nrows; i++)
		if (q->rows[i].ok && q->rows[i].tell)
			tell_row(t, &q->rows[i]);
	for (size_t i = 0; i < q->nrows; i++)
		if (!q->rows[i].ok)
			tell_row(t, &q->rows[i]);
}
