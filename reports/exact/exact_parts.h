/*
 * exact_parts - what the files behind exact.h share; no other file includes this header
 *
 * in:    the windows of one variant
 * out:   a tree of call paths, with the counts of each window
 * law:   a node stands for one function below one path; children have larger indices than their parents
 * error: 0 or -errno with a sentence
 */
#ifndef REPORTS_EXACT_EXACT_PARTS_H
#define REPORTS_EXACT_EXACT_PARTS_H

#include "base/hash_table.h"
#include "reports/exact/exact.h"

#define EXACT_MAX_WINDOWS 64
#define EXACT_MOST        (1ULL << 53) /* a larger number is not exact as a double */
#define EXACT_MAX_DEPTH   128
#define EXACT_NO_NODE     UINT32_MAX

/* What was counted in each window. */
struct exact_counts {
	double instructions[EXACT_MAX_WINDOWS], calls[EXACT_MAX_WINDOWS];
	double memory[EXACT_MEMORY][EXACT_MAX_WINDOWS];
};

struct exact_node {
	uint32_t symbol, parent, child, sibling; /* parent EXACT_NO_NODE: the poll itself */
	struct exact_counts counts;
};

/* What a function did to a data structure in each window. */
struct exact_spot {
	uint32_t symbol, place; /* place: a symbol too, of the module EXACT_PLACES */
	double memory[EXACT_MEMORY][EXACT_MAX_WINDOWS];
};

#define EXACT_PLACES "data structure"

/* What a line of the source executed in each window, in one function. */
struct exact_source {
	uint32_t symbol, file, text; /* file, text: symbols too, of the module EXACT_SOURCE */
	unsigned int number;
	double instructions[EXACT_MAX_WINDOWS];
};

#define EXACT_SOURCE "source"

struct exact_tree {
	struct profile *names;
	struct exact_node *nodes;
	size_t n, cap;
	uint32_t first; /* of the polls */
	struct exact_spot *spots;
	size_t nspots, spots_cap;
	struct exact_source *sources;
	size_t nsources, sources_cap;
	struct hash_table node_table, spot_table, source_table; /* by what they are added to */
	uint64_t instructions, calls, lines; /* sums over all nodes and windows, and of sources: at most EXACT_MOST */
};

void exact_tree_init(struct exact_tree *t, struct profile *names);
void exact_tree_release(struct exact_tree *t);

/* Reads the file of window number w: its counts go into the tree, all other numbers into v. */
int exact_window_read(struct exact_tree *t, struct exact_variant *v, size_t w, const char *path, struct diag *d);

/*
 * Holds the sums of each window against the independent counts: v->apart, but for source lines. Takes counts of memory
 * that do not close out of v->memory. -EINVAL: instructions do not close. transfers_alone: of the machine with two CPUs
 * nothing else is taken.
 */
int exact_close(struct exact_variant *v, const struct exact_tree *t, bool transfers_alone, struct diag *d);

/* The linear map from the counts of the windows to the terms of the model: map[term][window]. */
struct exact_fit {
	bool terms[EXACT_TERMS];
	double map[EXACT_TERMS][EXACT_MAX_WINDOWS];
};

/*
 * Fits the windows whose number has this parity (0 or 1); parity < 0: all windows. -ERANGE: too few windows for a cost
 * per packet.
 */
int exact_fit(struct exact_fit *fit, const struct exact_variant *v, int parity);

/* Counts of all windows divided by their packets, where the polls are all alike. -ERANGE: no packets. */
int exact_fit_mean(struct exact_fit *fit, const struct exact_variant *v);

void exact_apply(const struct exact_fit *fit, const struct exact_variant *v, const struct exact_counts *counts,
		 struct exact_cost *cost);

/* Only the counts of memory, per packet; what v lacks is NaN. */
void exact_apply_memory(const struct exact_fit *fit, const struct exact_variant *v,
			const double counts[EXACT_MEMORY][EXACT_MAX_WINDOWS], double memory[EXACT_MEMORY],
			double residual[EXACT_MEMORY]);

/* Counts of a function and a data structure in window w, added to the tree. -ENOMEM, -E2BIG: too many of them. */
int exact_spot_add(struct exact_tree *t, uint32_t symbol, const char *place, size_t w,
		   const uint64_t memory[EXACT_MEMORY]);
/* Fills v->places and v->spots, if they close. -ENOMEM. */
int exact_build_places(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit);
/* As exact_take_transfers(), of the data structures. */
int exact_take_places(struct exact_variant *v, const struct exact_variant *shared);

/* "INSTRUCTIONS FUNCTION NUMBER FILE\tTEXT", of window w. -ENOMEM, -E2BIG: too many lines, -EINVAL: no such words. */
int exact_line_add(struct exact_tree *t, const char *words, size_t w);
/* Fills v->lines, if they close, and their sums. -ENOMEM. */
int exact_build_lines(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit);

/* Takes the lines transferred of the machine with two CPUs, whose counts are in shared. -ENOMEM. */
int exact_take_transfers(struct exact_variant *v, const struct exact_variant *shared);

#endif
