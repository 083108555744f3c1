/*
 * text_gates - gates as text
 *
 * in:    the gates of a run, a variant or a comparison, borrowed
 * out:   ok ones in one line, what is not known in one, telling ones and failed ones in full
 * law:   as text.h
 * error: sticky in the stream
 */
#ifndef REPORTS_TEXT_GATES_H
#define REPORTS_TEXT_GATES_H

#include "base/sheet/text.h"
#include "reports/analysis/quality.h"

void text_quality(const struct text *t, const struct quality *q);

#endif
