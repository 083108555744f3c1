/*
 * record_args - the options of a recording, for record, demo and selftest
 *
 * in:    values from an option table, or the defaults of record_args_init()
 * out:   record_with() makes a recording
 * error: an exit status (xdpzoom.h) after one printed sentence
 */
#ifndef USER_CLI_RECORD_ARGS_H
#define USER_CLI_RECORD_ARGS_H

#include <jansson.h>
#include "user/cli/remote_args.h"
#include "base/opts.h"
#include "reports/compare/fail_if.h"
#include "user/record/record.h"

struct record_args {
	struct record_options o;
	struct opt_list variants;    /* empty: record_default_variants */
	struct opt_list injected;    /* costs to inject into each variant, in ns */
	double plant_ns;             /* >= 0: each variant is measured with this cost alone, for --sweep */
	struct opt_list stat_events; /* for perf stat */
	struct opt_list functions;   /* kernel functions whose calls are counted and timed */
	struct opt_list sweep;       /* of record: parameters and their values, as sweep_args.h explains */
	struct generator_args generator;
	/* "auto" or a word of run_view_words: with auto, variants take turns in the lab, and those of one mode on a
	 * device */
	const char *view;
	const char *order, *netns;
	const char *ladder; /* NULL: none */
	bool unwritten;
	double seed;            /* 0: from the clock */
	const char *fail_words; /* NULL: none */
	struct fail_if fail_if; /* of the second variant against the first */
	bool kept;              /* set by record_with(): there is a run directory, complete or partial */
};

/* The variants that are recorded when the command line names none; ends with NULL. */
extern const char *const record_default_variants[];

/* clang-format off */
#define VIEW_OPTIONS(a)                                                                                                \
	{"view", 0, OPT_WORD, &(a)->view, "VIEW",                                                                      \
	 "variants in turns on one CPU, in turns from another CPU, in turns on one device, or block by block",         \
	 .words = OPT_WORDS("auto", "work", "crossing", "turns", "blocks")},                                           \
	{"blocks", 'b', OPT_INT, &(a)->o.rounds, "N", "blocks per variant, interleaved", 1, 10000,                     \
	 .otherwise = "24 in turns, 64 with --view crossing, else 6; fewer in a sweep"}

/* The parts of a block, and the order of blocks. */
#define SCHEDULE_OPTION(a)                                                                                             \
	{"schedule", 0, OPT_PARTS, NULL, "LIST", "the windows of a block, and the order of blocks",                    \
	 .parts = (const struct opt[]){                                                                                \
		{"windows", 0, OPT_INT, &(a)->o.windows, "N", "windows per block, half of them profiled", 2, 1000,     \
		 .otherwise = "4; 2 with --view crossing"},                                                            \
		{"warmup", 0, OPT_SECONDS, &(a)->o.warmup_s, "TIME", "before the first window", 0, 3600},              \
		{"order", 0, OPT_WORD, &(a)->order, "ORDER", "order in a round", .words = OPT_WORDS("shuffle", "abba"), \
		 .otherwise = "shuffle, on a NIC abba"},                                                               \
		{"seed", 0, OPT_NUMBER, &(a)->seed, "N", "seed of the shuffle", 0, 9e15, .otherwise = "from the clock"}, \
		{}}, .group = GROUP_STATISTICS}

#define CPUS_OPTION(a)                                                                                                 \
	{"cpus", 0, OPT_PARTS, NULL, "LIST", "which CPUs are used",                                                    \
	 .parts = (const struct opt[]){                                                                                \
		{"rx", 0, OPT_INT, &(a)->o.rx_cpu, "CPU", "of the lab's receiver; found by itself on a NIC", 0, 4095,  \
		 .otherwise = "the last CPU"},                                                                         \
		{"stage", 0, OPT_INT, &(a)->o.stage_cpu, "CPU",                                                        \
		 "of redirect-cpu without a number, and of a thread that reads", 0, 4095,                              \
		 .otherwise = "a third core, else the generator's"},                                                   \
		{}}, .group = GROUP_DEVICE}
/* clang-format on */

#define UNWRITTEN_OPTION(flag)                                                                                         \
	{"unwritten",        'u', OPT_FLAG, flag, NULL, "do not write each frame: packet data stays in the cache",     \
	 .group = GROUP_LOAD}

void record_args_init(struct record_args *a);
/* Returns a seed from the clock. A double can hold the seed exactly, so the seed can be passed as an option later. */
uint64_t record_args_seed(void);
/* Takes ownership of command. */
int record_with(struct record_args *a, const char *dev, json_t *command);
/* Prints what was measured: the summary, checks and the next commands; of a ladder its table. */
int record_show(const char *dir, bool ladder, struct diag *d);

#endif
