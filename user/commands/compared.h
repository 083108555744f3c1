/*
 * compared - two variants side by side, of measured runs or of exact ones
 *
 * in:    two variants of runs of one kind; borrowed, must outlive the comparison
 * out:   the comparison, owned by the caller; its document; whether it passes a limit
 * units: ns per packet, or instructions per packet
 * error: -errno with one sentence
 */
#ifndef USER_COMMANDS_COMPARED_H
#define USER_COMMANDS_COMPARED_H

#include <stdbool.h>
#include "reports/compare/fail_if.h"
#include "reports/document/document.h"
#include "user/cli/loaded_run.h"

struct compared {
	struct loaded_variant base, new;
	/* one of them, by the kind of the runs */
	struct compare measured;
	struct exact_diff counted;
	struct symkeys *keys;
};

/* renames: a rename file; NULL: the built-in one, where the kernels differ. */
int compared_build(struct compared *c, const struct loaded_variant *base, const struct loaded_variant *new,
		   const char *renames, struct diag *d);
void compared_release(struct compared *c); /* may be called twice */

int compared_document(struct document *doc, const struct compared *c);
/* Is the limit passed? Prints a sentence that says so. A limit in the unit of the other kind is none. */
bool compared_fails(const struct compared *c, const struct fail_if *f);

#endif
