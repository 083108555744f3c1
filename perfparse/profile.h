/*
 * profile - what perf sampled: symbols, distinct stacks, and their weights
 *
 * in:    filled by the readers (script.h, ...); profile_init() first
 * out:   owned by the caller's struct profile; every name is interned and lives as long as it
 * units: weight is the sum of event periods (ns for cpu-clock, cycles for cycles), samples is a
 *        plain count
 * law:   sum of stacks[].weight == weight, sum of stacks[].samples == samples (profiles read from
 *        stacks)
 * error: -ENOMEM
 */
#ifndef PERFPARSE_PROFILE_H
#define PERFPARSE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

enum profile_space { SPACE_UNKNOWN, SPACE_KERNEL, SPACE_USER, SPACE_GUEST_KERNEL, SPACE_GUEST_USER, SPACE_HYPERVISOR };

struct profile_symbol {
	const char *name; /* as perf prints it; "[unknown]" or hex where unresolved */
	const char *dso;  /* "" where perf did not say */
	enum profile_space space;
};

/* One distinct call stack; frames are indices into symbols[], leaf (innermost) first. */
struct profile_stack {
	size_t first; /* frames[first .. first + depth) */
	unsigned int depth;
	uint64_t samples;
	double weight;
};

/* One row of a table that perf had summed up already (perf report): shares in percent of the
 * whole. */
struct profile_row {
	uint32_t symbol;
	double self_pct;     /* < 0: the table did not say */
	double children_pct; /* < 0: the table did not say */
	uint64_t samples;    /* 0: the table did not say */
	double weight;       /* period; 0: the table did not say */
};

struct profile {
	char event[64];   /* "cpu-clock", "cycles:k", ... ; "" where the text did not say */
	uint64_t samples; /* 0 where the text did not say */
	double weight;
	struct profile_symbol *symbols;
	size_t nsymbols;
	struct profile_stack *stacks; /* profiles read from perf script */
	size_t nstacks;
	uint32_t *frames;
	size_t nframes;
	struct profile_row *rows; /* profiles read from perf report */
	size_t nrows;
	struct profile_index *index; /* private: the hash tables behind interning */
};

void profile_init(struct profile *p);    /* allocates nothing */
void profile_release(struct profile *p); /* may be called twice */

/*
 * For readers. The bytes need not end in NUL; equal (name, dso, space) give the same index, equal
 * frames the same stack (of at least one frame). 0 or -ENOMEM. Stacks add to the samples and the
 * weight of the whole, rows do not.
 */
int profile_add_symbol(struct profile *p, const char *name, size_t name_len, const char *dso, size_t dso_len,
		       enum profile_space space, uint32_t *symbol);
int profile_add_stack(struct profile *p, const uint32_t *frames, unsigned int depth, uint64_t samples, double weight);
int profile_add_row(struct profile *p, const struct profile_row *row);

/*
 * Who last cached something per symbol of this profile. A cache is good while its owner and stamp
 * are still here: another profile at the same address has another mark. NULL without symbols.
 */
struct profile_mark {
	const void *owner;
	uint64_t stamp;
};
struct profile_mark *profile_mark_of(const struct profile *p);

/* Which space a DSO name says, where neither an address nor a [k] mark is there to say it. */
enum profile_space profile_space_of_dso(const char *dso, size_t len);

#endif
