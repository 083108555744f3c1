/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facilities - which part of the receive path a sample belongs to, by symbol and call path
 *
 * in:    a rule file (facilities.conf explains the grammar; path NULL: the copy of facilities.conf built into the
 *        library); stacks of a struct profile
 * out:   one facility per stack; facility 0 is always "rest"
 * law:   every stack belongs to exactly one facility; a leaf that no rule names belongs to "rest"
 * error: -ENOENT, -EINVAL with file name and line number; *f is then NULL
 */
#ifndef PERFPARSE_FACILITIES_H
#define PERFPARSE_FACILITIES_H

#include "base/diag.h"
#include "perfparse/profile.h"

#define FACILITY_REST 0

#define FACILITIES_TAGS_MAX 32

enum facility_kind {
	FACILITY_COST,      /* work of the variant: counts as cost */
	FACILITY_IDLE,      /* the CPU had nothing to do: counts for utilisation, never as cost */
	FACILITY_TAKEN_OUT, /* work on the CPU that is not the variant's (a sink): not in busy time and shares */
};

struct facilities;

int facilities_read(struct facilities **f, const char *path, struct diag *d);
void facilities_free(struct facilities *f); /* NULL is fine */
unsigned int facilities_count(const struct facilities *f);
const char *facilities_name(const struct facilities *f, unsigned int id);
enum facility_kind facilities_kind(const struct facilities *f, unsigned int id);

/*
 * The facility of one stack of p. Behind the rules, which do not change, the results per symbol are kept for one
 * profile, the one of the last call: only one thread at a time may ask.
 */
unsigned int facilities_of_stack(const struct facilities *f, const struct profile *p, const struct profile_stack *s);
/*
 * For samples of a timer that cannot fire while interrupts are off: takes the functions that let them in again off the
 * leaves of the stacks, and marks these stacks (irqs_off). 0 or -ENOMEM.
 */
int facilities_strip_enablers(const struct facilities *f, struct profile *p);

/*
 * Tags are groups of functions across facilities: copies, mitigations, ... . A function may have several, so tags
 * overlap, and their costs are never added up. The result is a bit per tag.
 */
unsigned int facilities_tag_count(const struct facilities *f);
const char *facilities_tag_name(const struct facilities *f, unsigned int tag);
uint32_t facilities_tags_of_symbol(const struct facilities *f, const struct profile *p, uint32_t symbol);

/* The facility of a symbol alone, for tables that carry no call path. */
unsigned int facilities_of_symbol(const struct facilities *f, const struct profile *p, uint32_t symbol);

#endif
