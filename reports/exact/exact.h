/*
 * exact - the cost of a packet in instructions and calls, counted under emulation
 *
 * in:    a directory that `xdpzoom exact` wrote: run.json (schema "xdpzoom.exact/1") and a file of
 *        call paths for each window, blocks/N.paths
 * out:   one struct exact_variant for each variant; rows sorted by cost per packet, largest first
 * units: kernel instructions and calls on the receiving vCPU, in polls of the receiver's NAPI; a line has 64 bytes
 * law:   per packet, poll and wakeup, the rows of a variant sum to its total. Closure compares two independent counts:
 *        the sum over the functions in all windows (summed), and all instructions between entry and exit of each
 *        poll (between). The same holds for each count of memory, and for its sum over data structures. The source
 *        lines of a function are held against its call paths. What does not close is not known
 * error: -EINVAL: a file is invalid, and the sentence names it; or the instructions of a variant do not close, and no
 *        other count can be right. -ENOENT, -ENOMEM; e left empty
 * src:   the model is instructions = fixed + a·wakeups + b·polls + c·packets for each function, by least squares over
 *        windows with different numbers of each
 *
 * Lines that come from another CPU need a sender on another CPU. So they are counted in a machine of their own, of two
 * CPUs (shared_windows), where polls and pages depend on how the CPUs take turns. Lines transferred are the mean over
 * its packets; all other counts are those of the machine with one CPU.
 *
 * A poll ends with a wakeup when it finds the ring empty and NAPI completes; a poll that used up its budget of 64
 * packets is followed by another one.
 */
#ifndef REPORTS_EXACT_EXACT_H
#define REPORTS_EXACT_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/made.h"
#include "reports/run/run.h"
#include "perfparse/facilities.h"
#include "perfparse/profile.h"

#define EXACT_SCHEMA "xdpzoom.exact/1"
#define EXACT_FILE   "run.json"

/* The terms of the model; EXACT_TERMS of them. */
enum exact_term { EXACT_PACKET, EXACT_POLL, EXACT_WAKEUP, EXACT_FIXED, EXACT_TERMS };

/*
 * Loads and stores; different lines of 64 bytes that a poll touches, counted in the function that touches each first;
 * lines that another CPU wrote last, and lines that a device wrote last, counted in the function that needs each
 * first. Only those of a NIC come from a device, and those of the lab from another CPU.
 */
enum exact_memory {
	EXACT_LOADS,
	EXACT_STORES,
	EXACT_LINES_TOUCHED,
	EXACT_LINES_TRANSFERRED,
	EXACT_LINES_DEVICE,
	EXACT_MEMORY
};

/* Kinds of counts that are held against an independent count, besides instructions: those of enum exact_memory, and: */
enum exact_kind { EXACT_OF_PLACES = EXACT_MEMORY, EXACT_OF_SOURCE, EXACT_KINDS };

struct exact_cost {
	double instructions[EXACT_TERMS];
	double calls;                         /* per packet */
	double memory[EXACT_MEMORY];          /* per packet; NaN: not counted */
	double memory_residual[EXACT_MEMORY]; /* as residual */
	/*
	 * The largest deviation of a window from the model, in instructions per packet of that window; or that of the
	 * model without one window, in instructions per packet, where windows tell packets and polls apart badly.
	 */
	double residual;
	bool exact; /* the model yields the number of instructions of every window exactly */
};

struct exact_row {
	const char *name, *module; /* module "": the kernel itself; a facility has none */
	const char *facility;
	struct exact_cost cost;
};

/* What was done to a data structure of the kernel, per packet: by one function, or by all. */
struct exact_place {
	const char *name;
	const char *function, *module;                              /* NULL: all functions */
	double memory[EXACT_MEMORY], memory_residual[EXACT_MEMORY]; /* as in struct exact_cost */
};

/* A line in the source of the program under test, as far as the program's BTF tells. */
struct exact_line {
	const char *file, *text;
	unsigned int number;
	const char *function, *module; /* that the line was compiled into */
	struct exact_cost cost;        /* instructions alone */
};

/* One function in one call path. */
struct exact_path {
	const uint32_t *frames; /* indices into names.symbols[], innermost first */
	unsigned int depth;
	const char *facility;
	size_t parent;              /* index of the path without the innermost frame, < this one's; SIZE_MAX: a poll */
	double instructions, calls; /* of the innermost function alone, per packet */
	uint64_t counted, called;   /* instructions and calls of all windows together, not per packet */
};

struct exact_window {
	unsigned int batch, file; /* of call paths: blocks/N.paths */
	uint64_t arrived, sent;   /* frames in the window as a whole */
	uint64_t packets;         /* in the polls that were counted */
	uint64_t polls, wakeups;
	uint64_t summed, between; /* instructions: summed over functions; between entry and exit of the polls */
	uint64_t memory_summed[EXACT_MEMORY], memory_between[EXACT_MEMORY];
	uint64_t memory_placed[EXACT_MEMORY]; /* summed over data structures */
	bool memory[EXACT_MEMORY];            /* counted */
};

/*
 * Kinds of kernel instructions that the vCPU executed outside of the receiver's polls. Beside: polls of the device that
 * gets the frames which the program sends or redirects.
 */
enum exact_outside { EXACT_INTERRUPTS, EXACT_SYSTEM_CALLS, EXACT_WARMUP, EXACT_BESIDE, EXACT_OTHERS, EXACT_OUTSIDES };

struct exact_variant {
	char id[RUN_ID_BYTES], program[160];   /* the symbol that is called once for each packet */
	struct made_program made;              /* of it; the tag is part of its name */
	struct exact_window *windows, *shared; /* shared: while it is read */
	size_t nwindows, nshared;
	struct exact_cost total;
	struct exact_row *rows, *facilities;
	size_t nrows, nfacilities;
	struct exact_path *paths;
	size_t npaths;
	struct exact_place *places, *spots; /* by data structure; by data structure and function. Most lines first */
	size_t nplaces, nspots;             /* 0: the run tells no data structures */
	struct exact_line *lines;           /* largest cost first */
	size_t nlines;                      /* 0: no program has lines */
	/* instructions of all windows: summed over lines; of their functions, by call paths; how far they are apart */
	uint64_t line_summed, line_counted, line_apart;
	uint64_t packets, polls, wakeups, summed, between;
	uint64_t memory_summed[EXACT_MEMORY], memory_between[EXACT_MEMORY], memory_placed[EXACT_MEMORY];
	bool memory[EXACT_MEMORY];   /* counted, in all windows, and closed */
	uint64_t apart[EXACT_KINDS]; /* residuals: how far the sums of all windows are from the independent counts */
	uint64_t outside[EXACT_OUTSIDES];
	double halves[2];        /* instructions per packet by the odd and by the even windows; NaN: too few of them */
	bool terms[EXACT_TERMS]; /* the terms that the windows can separate; the other terms have 0 instructions */
	/* private: the arrays that the members above point into */
	struct profile names;
	uint32_t *frames;
};

/* A variant that was asked for, and that the kernel or the driver lacks. */
#define EXACT_WHY_BYTES 300
struct exact_left_out {
	char id[RUN_ID_BYTES], why[EXACT_WHY_BYTES];
};

struct exact {
	char schema[32], kernel[128], nic[32], emulator[64], time[32], made_by[64];
	char compiler[MADE_COMPILER_BYTES]; /* of the kernel; "": not known */
	char source[128];                   /* what git calls the sources of a tree's kernel; "": not known */
	char *config;                       /* of the kernel, as in struct made; NULL: not known */
	char *command;                      /* that made the run, for a shell; NULL: not known */
	struct exact_variant *variants;
	size_t nvariants;
	struct exact_left_out *left_out;
	size_t nleft_out;
};

/* Does the beginning of the directory's run.json look like that of an exact run? */
bool exact_is(const char *dir);

int exact_read(struct exact *e, const char *dir, struct facilities *f, struct diag *d);
void exact_release(struct exact *e); /* may be called twice */

/* The variant with this id; for id NULL, the only variant. NULL: there is none, and the sentence lists the variants. */
const struct exact_variant *exact_find(const struct exact *e, const char *id, struct diag *d);

const char *exact_outside_name(enum exact_outside outside);

/*
 * The kinds of counts of v that do not close, with their residuals, as words; how many kinds. Such a count is not
 * known: there are no data structures, no source lines, and counts of memory are NaN.
 */
size_t exact_open_words(const struct exact_variant *v, char *text, size_t size);

struct made exact_made(const struct exact *e, const struct exact_variant *v);

/* A cost of nothing, to add to; counts of memory that v lacks are NaN. v NULL: it lacks them all. */
void exact_cost_init(struct exact_cost *cost, const struct exact_variant *v);
/* The residuals add up as well: the sum cannot be farther from the model. The sum is exact if all of its parts are. */
void exact_cost_add(struct exact_cost *sum, const struct exact_cost *cost);

#endif
