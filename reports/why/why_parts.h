/*
 * why_parts - what the files that read facts share; nobody else includes this
 *
 * in:    the sides and states of moment.json that belong to both sides of the facts; NULL: not known
 * out:   facts are added to those that are there
 * units: as why.h
 * law:   as why.h
 * error: -ENOMEM
 */
#ifndef REPORTS_WHY_PARTS_H
#define REPORTS_WHY_PARTS_H

#include "reports/why/why.h"

struct why_moments {
	const json_t *side[WHY_SIDES], *state[WHY_SIDES];
};

int why_read_moments(struct why_facts *f, const struct why_moments *m);
int why_add_change(struct why_facts *f, const char *of, const char *name, const json_t *from, const json_t *to);
/* All members of two objects that differ. */
int why_compare_objects(struct why_facts *f, const char *of, const json_t *was, const json_t *is);
const char *why_words(const json_t *value, char *words, size_t size);

#endif
