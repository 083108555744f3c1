/*
 * loaded_run - a run directory, read and analysed: a measured run, or an exact one
 *
 * in:    "DIR" or "DIR:VARIANT", where DIR may also be an entry of a history, "DB/RUN" or "DB/exact/RUN" (history.h);
 *        a facilities file, or NULL for that of the entry, or the built-in one
 * out:   run and analysis, or counts; facilities; released together. The variant's name is borrowed from the argument
 * law:   a run of the other kind is refused
 * error: -errno with one sentence
 */
#ifndef USER_CLI_LOADED_RUN_H
#define USER_CLI_LOADED_RUN_H

#include "perfparse/facilities.h"
#include "reports/analysis/analysis.h"
#include "reports/document/document.h"
#include "reports/exact/exact.h"
#include "reports/run/run.h"

struct loaded_run {
	bool exact; /* counted is set; else run and analysis */
	struct run run;
	struct facilities *facilities;
	bool shared; /* the facilities are those of another run */
	struct analysis analysis;
	struct exact counted;
	char dir[4096];
};

/* A variant of a run; of measured and counted, the one of the run's kind is set. */
struct loaded_variant {
	const struct loaded_run *run;
	const struct analysis_variant *measured;
	const struct exact_variant *counted;
};

/* The rules in the file; NULL: those of the entry of a history, or the built-in ones. */
int loaded_run_facilities(struct facilities **f, const char *dir, const char *path, struct diag *d);
int loaded_run_open(struct loaded_run *l, const char *dir, const char *facilities, const struct analysis_options *o,
		    struct diag *d);
int loaded_run_open_exact(struct loaded_run *l, const char *dir, const char *facilities, struct diag *d);
/* One more run, by the facilities of the first one, which has to outlive it: a file of rules is read once. */
int loaded_run_open_beside(struct loaded_run *l, const char *dir, bool exact, const struct loaded_run *first,
			   const struct analysis_options *o, struct diag *d);
/* The run RUN_CROSSING in the directory of l, beside l. -ENOENT: there is none. */
int loaded_run_open_crossing(struct loaded_run *crossing, const struct loaded_run *l, const struct analysis_options *o,
			     struct diag *d);
void loaded_run_release(struct loaded_run *l); /* may be called twice */

size_t loaded_run_count(const struct loaded_run *l); /* of its variants */
const char *loaded_run_id(const struct loaded_run *l, size_t i);
/*
 * id: what people type, also "drop", "drop@native", "@generic", "drop/no-touch@drv"; NULL: the only variant. -ENOENT;
 * -EDESTADDRREQ: a name is wanted, as it has several.
 */
int loaded_run_find(const struct loaded_run *l, const char *id, struct loaded_variant *v, struct diag *d);
const char *loaded_variant_id(const struct loaded_variant *v);
/*
 * Prints a sentence for each variant, or for this one alone (NULL: all), whose counts do not all close; how many.
 * A measured run has no counts.
 */
size_t loaded_run_complain(const struct loaded_run *l, const struct exact_variant *only);
/* Refuses a run of which a count does not close: it is not to be kept. */
int loaded_run_closed(const struct loaded_run *l, struct diag *d);

/*
 * Copies DIR and returns the variant in "DIR:VARIANT", or NULL. An existing path that contains a colon is a DIR
 * alone.
 */
const char *loaded_run_split(const char *arg, char *dir, size_t size);

#endif
