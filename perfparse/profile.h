/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile - perf's samples: symbols, distinct stacks, and their weights
 *
 * in:    filled by the readers (script.h, ...) after profile_init()
 * out:   owned by the caller's struct profile; each name is stored once and lives as long as the profile
 * units: weight is a sum of event periods (ns for cpu-clock, cycles for cycles); samples is a plain count
 * law:   in a profile read from stacks: sum of stacks[].weight == weight, sum of stacks[].samples == samples
 * error: -ENOMEM
 */
#ifndef PERFPARSE_PROFILE_H
#define PERFPARSE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_space { SPACE_UNKNOWN, SPACE_KERNEL, SPACE_USER, SPACE_GUEST_KERNEL, SPACE_GUEST_USER, SPACE_HYPERVISOR };

struct profile_symbol {
	const char *name; /* as perf prints it; "[unknown]" or hex where unresolved */
	const char *dso;  /* "" where perf printed none */
	enum profile_space space;
};

/* One distinct call stack; frames are indices into symbols[], leaf (innermost) first. */
struct profile_stack {
	size_t first; /* frames[first .. first + depth) */
	unsigned int depth;
	uint64_t samples;
	double weight;
	bool irqs_off; /* taken when interrupts came back on; the leaf is the function that had them off */
};

/* One row of a table that perf report has summed up; shares in percent of the whole. */
struct profile_row {
	uint32_t symbol;
	double self_pct;     /* < 0: not in the table */
	double children_pct; /* < 0: not in the table */
	uint64_t samples;    /* 0: not in the table */
	double weight;       /* period; 0: not in the table */
};

/* What the samples of one symbol say of the line of its source. */
struct profile_line {
	uint32_t symbol;   /* the innermost frame */
	const char *words; /* "NUMBER FILE\tTEXT" */
	uint64_t samples;
	double weight;
};

struct profile {
	char event[64];   /* "cpu-clock", "cycles:k", ... ; "" where the text names none */
	uint64_t samples; /* 0 where the text has no number of samples */
	double weight;    /* 0 where the text has no number of events */
	bool by_weight;   /* shares are of weights that perf mem counted, and of no time */
	bool weightless;  /* there are samples whose period the text does not print; each counts as 1 */
	struct profile_symbol *symbols;
	size_t nsymbols;
	struct profile_stack *stacks; /* profiles read from perf script */
	size_t nstacks;
	uint32_t *frames;
	size_t nframes;
	struct profile_row *rows; /* profiles read from perf report */
	size_t nrows;
	struct profile_line *lines; /* profiles read from perf script; most samples have none */
	size_t nlines;
	double absent_pct;           /* share that a symbol without a row has at most; 0: nothing is hidden */
	struct profile_index *index; /* private: the hash tables behind interning */
};

void profile_init(struct profile *p);    /* allocates nothing */
void profile_release(struct profile *p); /* may be called twice */

/*
 * For readers. The names need not end in NUL. Equal (name, dso, space) get the same index. Equal frames, at least one,
 * are added to the same stack. A stack adds to the profile's samples and weight, a row does not. Return 0 or -ENOMEM.
 */
int profile_add_symbol(struct profile *p, const char *name, size_t name_len, const char *dso, size_t dso_len,
		       enum profile_space space, uint32_t *symbol);
int profile_add_stack(struct profile *p, const uint32_t *frames, unsigned int depth, uint64_t samples, double weight);
/* The stack of the same sample is added by itself. */
int profile_add_line(struct profile *p, uint32_t symbol, const char *words, size_t len, double weight);
/* The index of what was added last of each; they are there. */
uint32_t profile_last_stack(const struct profile *p);
uint32_t profile_last_line(const struct profile *p);
int profile_add_row(struct profile *p, const struct profile_row *row);

/*
 * The mark of the cache that last stored results per symbol of this profile. The cache is valid as long as owner and
 * stamp are still its own; the stamp differs where another profile was created at the same address. NULL: the profile
 * has no symbols.
 */
struct profile_mark {
	const void *owner;
	uint64_t stamp;
};
struct profile_mark *profile_mark_of(const struct profile *p);

/* The space that a DSO's name implies. Used where perf printed neither an address nor a mark such as [k]. */
enum profile_space profile_space_of_dso(const char *dso, size_t len);

#endif
