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

/* An amount of one side; NaN: not known. What did not grow is not in the object. */
double why_amount(const json_t *side, const char *of, const char *name);
enum why_hop why_hop_of_queue(const char *kind); /* by its word in moment.json */
int why_read_ledger(struct why_facts *f, const json_t *side);
int why_read_moments(struct why_facts *f, const struct why_moments *m);
int why_add_change(struct why_facts *f, const char *of, const char *name, const char *from, const char *to);
/* The same for values of JSON, of each member that json_differences() finds. */
int why_add_difference(void *facts, const char *of, const char *name, json_t *from, json_t *to);

#endif
