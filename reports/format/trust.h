/*
 * trust - the verdict of the quality gates of many variants and comparisons, for a reader who does not know the gates
 *
 * in:    quality rows, copied by trust_add(); rows of gates that this version does not know are left out
 * out:   one line with the number of checks that passed, then a sentence per failed one: what was found, in which
 *        variants, and what follows for the reader
 * law:   a gate of several variants counts once, with its worst verdict. A gate that cannot tell, or whose value is
 *        not known, is not counted as holding; one that is not known for a single variant is not known
 * error: -ENOMEM
 */
#ifndef REPORTS_TRUST_H
#define REPORTS_TRUST_H

#include "reports/analysis/quality.h"
#include "base/sheet/text.h"

struct trust {
	struct quality rows; /* variant: the name that readers see; "" for a run's */
};

/* Copies the rows of the gates from first to last. Rows without a variant get the name. */
int trust_add(struct trust *trust, const struct quality *q, enum quality_gate first, enum quality_gate last,
	      const char *name);
/*
 * Prints at most `lines` lines, 3 or more. Failed checks that do not fit are counted. SIZE_MAX: no limit, and the names of
 * what is inconclusive or not available.
 */
int trust_render(const struct text *t, const struct trust *trust, size_t lines);
void trust_release(struct trust *trust); /* may be called twice */

#endif
