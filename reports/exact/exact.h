/* exact.h - exact counts: a run, its fit, two variants, a matrix of runs */
#ifndef REPORTS_EXACT_EXACT_H
#define REPORTS_EXACT_EXACT_H

#include "base/base.h"
#include "perfparse/perfparse.h"
#include "reports/run/run.h"

/*
 * exact - the cost of a packet in instructions and calls, counted under emulation
 *
 * units: kernel instructions and calls on the receiving vCPU, in polls of the receiver's NAPI; a line has 64 bytes
 * law:   per packet, poll and wakeup, the rows of a variant sum to its total. Closure compares two independent counts:
 *        the sum over the functions in all windows (summed), and all instructions between entry and exit of each
 *        poll (between). The same holds for each count of memory, and for its sum over data structures. The source
 *        lines of a function are held against its call paths. What does not close is not known
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

#define EXACT_SCHEMA "xdpzoom.exact/1"
#define EXACT_FILE   "run.json"

/* The terms of the model; EXACT_TERMS of them. */
enum exact_term { EXACT_PACKET, EXACT_POLL, EXACT_WAKEUP, EXACT_FIXED, EXACT_TERMS };

/*
 * Loads and stores; different lines of 64 bytes that a poll touches, counted in the function that touches each first;
 * lines that another CPU wrote last, and lines that a device wrote last, counted in the function that needs each
 * first. Only those of a NIC come from a device, and those of the lab from another CPU. Footprint: different lines, and
 * pages of 4 KiB, that exact.footprint_frames consecutive frames touch, in all and not per packet, in batches of
 * EXACT_FOOTPRINT_BATCH: of one window, in the function that touches each first.
 */
enum exact_memory {
	EXACT_LOADS,
	EXACT_STORES,
	EXACT_LINES_TOUCHED,
	EXACT_LINES_TRANSFERRED,
	EXACT_LINES_DEVICE,
	EXACT_FOOT_LINES,
	EXACT_FOOT_PAGES,
	EXACT_MEMORY
};

#define EXACT_FOOTPRINT_BATCH 64

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
	const char *name, *module; /* module "": the kernel itself; a component has none */
	const char *component;
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
	const char *component;
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

/* Frames that arrived after all windows: skbs that the kernel dropped for a reason, which it names in capitals. */
#define EXACT_DROP_NONE    "none"    /* not dropped as an skb */
#define EXACT_DROP_UNNAMED "unnamed" /* before Linux 5.17 */
struct exact_drop {
	char reason[128];
	unsigned int frames;
};

struct exact_variant {
	char id[RUN_ID_BYTES], program[160];   /* the symbol that is called once for each packet */
	struct made_program made;              /* of it; the tag is part of its name */
	struct exact_window *windows, *shared; /* shared: while it is read */
	size_t nwindows, nshared;
	size_t nfootprints; /* windows behind those: of batches of 1, for their footprint alone */
	size_t footprint;   /* the window whose footprint that of functions and data structures is; if it is counted */
	struct exact_cost total;
	struct exact_row *rows, *components;
	size_t nrows, ncomponents;
	struct exact_path *paths;
	size_t npaths;
	struct exact_place *places, *spots; /* by data structure; by data structure and function. Most lines first */
	size_t nplaces, nspots;             /* 0: the run tells no data structures */
	struct exact_line *lines;           /* largest cost first */
	size_t nlines;                      /* 0: no program has lines */
	/* instructions of all windows: summed over lines; of their functions, by call paths; how far they are apart */
	uint64_t line_summed, line_counted, line_apart;
	struct exact_drop *drops; /* by reason */
	size_t ndrops;            /* 0: not known */
	uint64_t packets, polls, wakeups, summed, between;
	uint64_t memory_summed[EXACT_MEMORY], memory_between[EXACT_MEMORY], memory_placed[EXACT_MEMORY];
	bool memory[EXACT_MEMORY];   /* counted, in all windows, and closed */
	uint64_t apart[EXACT_KINDS]; /* residuals: how far the sums of all windows are from the independent counts */
	uint64_t outside[EXACT_OUTSIDES];
	double halves[2];        /* instructions per packet by the odd and by the even windows; NaN: too few of them */
	bool terms[EXACT_TERMS]; /* the terms that the windows can separate; the other terms have 0 instructions */
	/* instructions of the kernel per packet that a PMU counted, 0: none; half of its 95 % interval; 0: not known */
	double pmu, pmu_half, pmu_packets_per_poll;
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
	char *config, *mitigations;         /* of the kernel, as in struct made; NULL: not known */
	char append[256];                   /* what it was booted with, behind the usual */
	unsigned int footprint_frames;      /* 0: none is counted */
	char pmu_kernel[128], pmu_cpu[128], pmu_started[32]; /* of the recorded run whose PMU counted; "": none */
	char *command;                                       /* that made the run, for a shell; NULL: not known */
	struct exact_variant *variants;
	size_t nvariants;
	struct exact_left_out *left_out;
	size_t nleft_out;
};

bool exact_is(const char *dir); /* does the beginning of the directory's run.json look like that of an exact run? */

int exact_read(struct exact *e, const char *dir, struct components *f, struct diag *d);
void exact_release(struct exact *e); /* may be called twice */

/* id NULL: the only one. NULL: there is none, and the sentence lists the variants. */
const struct exact_variant *exact_find(const struct exact *e, const char *id, struct diag *d);

/* The kinds of counts that do not close, with residuals; how many. Such a count is not known. */
size_t exact_open_words(const struct exact_variant *v, char *text, size_t size);

struct made exact_made(const struct exact *e, const struct exact_variant *v);

const struct exact_window *exact_footprint(const struct exact_variant *v, unsigned int batch);
/* "2048 frames touch 501 lines and 97 pages", base: "against 279 and 86", or NULL. false and "": it is not counted. */
bool exact_footprint_words(const struct exact *e, const struct exact_variant *v, const struct exact_variant *base,
			   char *text, size_t size);

/*
 * What a PMU counted beside what was counted here, at its packets per poll. "": the PMU counted nothing. *counted NaN:
 * it did on another kernel, and the words say so.
 */
void exact_pmu_words(const struct exact *e, const struct exact_variant *v, double *counted, char *text, size_t size);

/* A cost of nothing, to add to; counts of memory that v lacks are NaN. v NULL: it lacks them all. */
void exact_cost_init(struct exact_cost *cost, const struct exact_variant *v);

/*
 * exact_diff - two exact variants side by side, function by function
 *
 * units: instructions and calls per packet
 * law:   the changes of the rows sum to the change of the totals. Functions are matched by perfparse/symkey.h, BPF
 *        programs by name; keys are the renames between the two kernels. A function that only one side has is 0 on the
 *        other side. Source lines are matched by their text, within a function: the first line of a text is the first
 *        one of that text on the other side, whatever their numbers. A line whose text was changed is gone and new
 */

struct exact_diff_row {
	const char *name, *component; /* of the new side, if it has the function */
	struct exact_cost base, new;
	double change;    /* instructions per packet */
	double footprint; /* change of its lines; NaN: a side has none */
	bool exact;       /* on both sides */
};

/* A source line; NULL: the side has no such line. */
struct exact_line_change {
	const struct exact_line *base, *new;
	double base_instructions, new_instructions, change; /* per packet */
	bool exact;                                         /* on both sides */
};

struct exact_diff {
	const struct exact *base_run, *new_run;
	const struct exact_variant *base, *new;
	struct exact_diff_row *rows, *components;
	size_t nrows, ncomponents;
	struct exact_line_change *lines; /* only where both sides have source lines */
	size_t nlines;
	double change;              /* of the totals */
	const struct symkeys *keys; /* that the functions were matched by; borrowed, may be NULL */
};

struct exact_side {
	const struct exact *run;
	const struct exact_variant *v;
};
/* keys NULL: nothing is renamed. */
int exact_diff_build(struct exact_diff *d, struct exact_side base, struct exact_side new, const struct symkeys *keys);
void exact_diff_release(struct exact_diff *d); /* may be called twice */
bool exact_diff_footprint(const struct exact_diff *d, char *words, size_t size);
size_t exact_diff_mitigations(const struct exact_diff *d, char *words, size_t size); /* how many differ, and which */

int exact_diff_lines(struct exact_diff *d); /* part of exact_diff_build(): d->lines. 0 or -ENOMEM. */

/* For symkeys_free(). path NULL: the built-in file if the kernels differ, else no renames. */
int exact_diff_renames(struct symkeys **keys, const char *path, const struct exact *base, const struct exact *new,
		       struct diag *d);

/*
 * exact_check - does a packet take more instructions than in an earlier run?
 *
 * units: instructions per packet; poll and wakeup are not judged
 * law:   the threshold is zero. An exact function has more when its count is larger by 0.001 or more. A function that
 *        depends on state has more when its count is larger by more than the deviations of both runs' windows together.
 *        A variant has MORE when one of its functions has, whatever others save
 */

enum exact_verdict { EXACT_SAME, EXACT_LESS, EXACT_MORE, EXACT_NEW }; /* new: the base run lacks the variant */

struct exact_check_row {
	const struct exact_variant *new;
	struct exact_diff diff; /* empty for EXACT_NEW */
	enum exact_verdict verdict;
	char made[MADE_DIFFERS_BYTES]; /* what of both sides was made another way; "": nothing that is known */
};

struct exact_check {
	const struct exact *base, *new;
	struct exact_check_row *rows;
	size_t nrows;
};

int exact_check_build(struct exact_check *c, const struct exact *base, const struct exact *new,
		      const struct symkeys *keys, struct diag *d);
void exact_check_release(struct exact_check *c); /* may be called twice */
size_t exact_check_count(const struct exact_check *c, enum exact_verdict verdict);

enum exact_verdict exact_check_function(const struct exact_diff_row *row);
double exact_check_bound(const struct exact_diff_row *row);

/*
 * exact_parts - what the files behind exact.h share; no other file includes this header
 *
 * law:   a node stands for one function below one path; children have larger indices than their parents
 */

#define EXACT_MAX_WINDOWS 64
#define EXACT_MOST        (1ULL << 53) /* a larger number is not exact as a double */
#define EXACT_MAX_DEPTH   128
#define EXACT_NO_NODE     UINT32_MAX

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

void exact_tree_release(struct exact_tree *t);

/* Reads the file of window number w: its counts go into the tree, all other numbers into v. */
int exact_window_read(struct exact_tree *t, struct exact_variant *v, size_t w, const char *path, struct diag *d);

/*
 * Holds the sums of each window against the independent counts: v->apart, but for source lines. Takes counts of memory
 * that do not close out of v->memory. -EINVAL: instructions do not close. transfers_alone: of the machine with two CPUs
 * nothing else is taken.
 */
int exact_close(struct exact_variant *v, const struct exact_tree *t, bool transfers_alone, struct diag *d);

struct exact_fit {
	bool terms[EXACT_TERMS];
	double map[EXACT_TERMS][EXACT_MAX_WINDOWS]; /* linear, from the counts of windows to the model */
};

/* parity: of the windows' numbers; < 0: all. -ERANGE: too few windows for a cost per packet. */
int exact_fit(struct exact_fit *fit, const struct exact_variant *v, int parity);

void exact_apply(const struct exact_fit *fit, const struct exact_variant *v, const struct exact_counts *counts,
		 struct exact_cost *cost);

void exact_apply_memory(const struct exact_fit *fit, const struct exact_variant *v,
			const double counts[EXACT_MEMORY][EXACT_MAX_WINDOWS], double memory[EXACT_MEMORY],
			double residual[EXACT_MEMORY]);

/* Counts of a function and a data structure in window w, added to the tree. -ENOMEM, -E2BIG: too many of them. */
int exact_spot_add(struct exact_tree *t, uint32_t symbol, const char *place, size_t w,
		   const uint64_t memory[EXACT_MEMORY]);
int exact_build_places(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit);
/* As exact_take_transfers(), of the data structures. */
int exact_take_places(struct exact_variant *v, const struct exact_variant *shared);

/* "INSTRUCTIONS FUNCTION NUMBER FILE\tTEXT", of window w. -ENOMEM, -E2BIG: too many lines, -EINVAL: no such words. */
int exact_line_add(struct exact_tree *t, const char *words, size_t w);
int exact_build_lines(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit);

/* shared: counts of the machine with two CPUs. -ENOMEM. */
int exact_take_transfers(struct exact_variant *v, const struct exact_variant *shared);

/*
 * matrix - exact counts of kernels x drivers x variants, and what changed from each kernel to the next
 *
 * units: instructions per packet
 * law:   a change is that against the last kernel before it which has a count of the same driver and variant. sure is
 *        what of the change functions carry beyond their deviations on both sides. The same folder gives the same
 *        matrix, in whatever order it was filled: kernels of one release are in the order in which they are
 *        asked for, then in that of the folder's matrix.json. A count that is not known is NaN, why tells the reason.
 *        size is the part of a packet's cost that changed at least: the change less the deviations of both sides, and
 *        less what another compiler may do. Below 0 it may have the other sign. Changes from one kernel to another one
 *        are the same where at least half of each is in functions that changed alike: the largest of them leads, and
 *        the others follow it
 */

extern const char *const matrix_drivers[]; /* ends with NULL */

#define MATRIX_PAGE   "index.html"
#define MATRIX_JSON   "matrix.json"
#define MATRIX_CSV    "matrix.csv"
#define MATRIX_SCHEMA "xdpzoom.matrix/1"

struct matrix_cell {
	const char *kernel, *driver, *variant; /* as they were named */
	const struct exact *run;               /* NULL: there is none */
	const struct exact_variant *counted;   /* of the run */
	double instructions, change;
	bool other_compiler; /* than the kernel that change is against; false where one of both is not known */
	char dir[800];       /* of the run that counted it or left it out, below the folder; "": none */
	char why[512];       /* "": there is a count */
};
#define MATRIX_NOT_YET "not counted yet" /* the reason of a cell that nobody has tried */

#define MATRIX_LEAST 0.5 /* instructions per packet of a function or component that is listed in a change */

/* What a change may come from, a set: nothing else differs between the two kernels. */
enum matrix_cause { MATRIX_SOURCE = 1, MATRIX_COMPILER = 2, MATRIX_CONFIG = 4, MATRIX_CAUSES = 8 };

struct matrix_change {
	const struct matrix_cell *from, *to;
	struct exact_diff diff;
	double change, sure, size;
	unsigned int causes;            /* of enum matrix_cause */
	char config[MADE_CONFIG_BYTES]; /* the options that differ, in words; "": none, as far as both tell */
	size_t leader;                  /* index of the change that this one is the same as; its own: none before it */
	char id[160];                   /* of a link: letters, digits, "." and "-" */
	char title[300];                /* "6.18.15 to 7.2.12, virtio_net native" */
	char parts[520];                /* what it is made of, in words; "": nothing is sure */
};

struct matrix {
	char **kernels, **names; /* as they were named; for people: releases, as short as they differ */
	char **drivers, **variants;
	size_t nkernels, ndrivers, nvariants;
	struct matrix_cell *cells; /* by kernel, then driver, then variant */
	struct matrix_change *changes;
	size_t nchanges;
	/* private */
	struct exact **runs;
	size_t nruns;
	struct symkeys *keys;
};

struct matrix_names {
	const char *const *kernels, *const *drivers, *const *variants;
	size_t nkernels, ndrivers, nvariants;
};

/* components: those of the functions in changes. Release m with an error, too. */
int matrix_read(struct matrix *m, const char *folder, const struct matrix_names *asked, struct components *f,
		struct diag *d);
struct matrix_cell *matrix_at(const struct matrix *m, size_t kernel, size_t driver, size_t variant);
bool matrix_was_tried(const struct matrix_cell *c); /* has it a count, or a reason of its own for having none? */
void matrix_release(struct matrix *m);              /* may be called twice */

const char *matrix_cause_words(const struct matrix_change *c);
void matrix_path(char *path, size_t size, const char *name); /* a path for a kernel's or variant's name: "/" is "," */
/* "native", "drop/no-touch in skb mode": what tells the variant from the others of m. */
const char *matrix_variant_words(const struct matrix *m, const char *variant, char *buf, size_t size);

int matrix_compare(struct matrix *m); /* ---- private to matrix.c and matrix_changes.c ---- */

#endif
