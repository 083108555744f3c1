/* commands.h - what the files of commands share */
#ifndef USER_COMMANDS_COMMANDS_H
#define USER_COMMANDS_COMMANDS_H

#include "base/base.h"
#include "reports/compare/compare.h"
#include "reports/document/document.h"
#include "reports/format/format.h"
#include "reports/run/run.h"
#include "user/cli/cli.h"
#include "user/exact/exact.h"

/* Two variants side by side, of measured runs or of exact ones: ns or instructions per packet. */
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

/*
 * exact_against - what exact prints of a run that it has counted: its answer, the difference to another kernel, and the
 *                 exit status that git bisect run wants
 *
 * law:   a commit is good or bad only if the counts tell it: both halves of the windows are on one side of the limit.
 *        What does not build, boot, count or close is neither. What is wrong at every commit ends the bisection
 * src:   git-bisect(1): 0 is good, 1 bad, 125 neither, and 128 ends the bisection
 */

enum { BISECT_GOOD = 0, BISECT_BAD = 1, BISECT_SKIP = 125, BISECT_END = 128 };

struct exact_against {
	const char *with, *format_name, *fail_words, *bisect; /* NULL: not given */
	/* private */
	const struct format *format;
	bool pmu;  /* the other run was recorded: what its PMU counted is laid beside */
	bool ktap; /* of a difference: its list of results holds all variants */
	struct fail_if fail_if;
	char base_dir[4096];
	char variant[RUN_ID_BYTES]; /* that the limit of --bisect is for; "": its words are those of --fail-if */
	bool above;                 /* good is above the limit */
	bool or_equal;
	double limit;
};

/* With a->pmu: what the PMU of the recorded run counted, for host_options.pmu. */
int exact_against_pmu(const struct exact_against *a, json_t **pmu, struct diag *d);

/* Checks the words; -EINVAL. guest: not NULL in the guest, where the other run is not. */
int exact_against_take(struct exact_against *a, bool matrix, const char *guest, struct diag *d);
/* The other kernel, to be counted with o; false: with is a run, and there is nothing to count. */
bool exact_against_counts(struct exact_against *a, struct host_options *o);
/* EXIT_OK, EXIT_FAILED, or EXIT_GATE where --fail-if fails or a result of KTAP did. quiet: no answer. */
int exact_against_show(struct exact_against *a, const char *dir, const char *const *variants, size_t n, bool quiet);
/* The exit status for git; counted: the exit status of counting. */
int exact_against_bisect(struct exact_against *a, const char *dir, const char *const *variants, size_t n, int counted);

/*
 * The variants of a whole ladder, from its lowest layer upwards, in the order of run_layers[] (reports/run/run.h). Our
 * own XDP programs stand where a packet meets them.
 */
struct ladder_words {
	char layers[RUN_LAYERS][32];
};

/* wanted: which layers the list gets; NULL: all of the ladder. */
void ladder_words_fill(struct ladder_words *l, const char *ladder, bool (*wanted)(const struct run_variant *v),
		       struct opt_list *list);

#endif
