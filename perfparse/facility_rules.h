/*
 * facility_rules - reads a rule file for facilities.h
 *
 * in:    a stream in the grammar that facilities.conf explains
 * out:   facilities, globs and rules, owned by the caller's struct
 * law:   rules are in the order of the file; each glob is stored once; facility 0 is "rest"
 * error: -EINVAL with file name and line number, -ENOMEM
 */
#ifndef PERFPARSE_FACILITY_RULES_H
#define PERFPARSE_FACILITY_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"
#include "perfparse/facilities.h"

#define FACILITY_NAME_BYTES 64

struct facility {
	char name[FACILITY_NAME_BYTES];
	enum facility_kind kind;
};

/* One place in a chain of callers: one of the globs words[first .. first + n) has to match. */
struct rule_place {
	uint32_t first, n;
};

struct rule {
	unsigned int facility;
	bool any;                /* an "any" rule: its first place may match any frame of the stack */
	uint32_t first, nplaces; /* places[first] is for the leaf; each following place is for a frame further out */
};

struct rule_helper {
	uint32_t glob;
	unsigned int alone; /* its facility where no caller is known; FACILITY_REST without "alone" in the file */
};

/* A group of symbols across facilities. A symbol may have several tags. */
struct rule_tag {
	char name[FACILITY_NAME_BYTES];
	uint32_t first, n; /* tag_globs[first .. first + n) */
};

struct facility_rules {
	struct facility *facilities;
	size_t nfacilities;
	char **globs;
	size_t nglobs;
	uint32_t *words; /* glob numbers */
	size_t nwords;
	struct rule_place *places;
	size_t nplaces;
	struct rule *rules;
	size_t nrules;
	struct rule_helper *helpers;
	size_t nhelpers;
	uint32_t *enablers; /* glob numbers of functions that let interrupts in again */
	size_t nenablers;
	struct rule_tag *tags; /* at most FACILITIES_TAGS_MAX */
	size_t ntags;
	uint32_t *tag_globs; /* glob numbers */
	size_t ntag_globs;
};

int facility_rules_read(struct facility_rules *r, FILE *in, const char *path, struct diag *d);
void facility_rules_release(struct facility_rules *r); /* may be called twice */

#endif
