/*
 * record_args - what the record command was asked for, and demo asks for without words
 *
 * in:    filled by an option table or by record_args_init() alone
 * out:   record_with() records and prints one sentence on failure
 * error: an exit status (xdpzoom.h)
 */
#ifndef USER_CLI_RECORD_ARGS_H
#define USER_CLI_RECORD_ARGS_H

#include <jansson.h>
#include "user/cli/remote_args.h"
#include "base/opts.h"
#include "user/record/record.h"

struct record_args {
	struct record_options o;
	struct opt_list variants;    /* empty: the six of the demo */
	struct opt_list plants;      /* costs to plant in each, in ns */
	struct opt_list stat_events; /* for perf stat */
	struct opt_list functions;   /* of the kernel, to count and time call by call */
	struct remote_args remote;
	const char *order, *netns, *gen_dev, *gen_netns;
	int gen_cpu; /* < 0: chosen, as is the second stage's */
	bool unwritten;
	bool kept; /* set by record_with(): there is a run directory, whole or as far as the recording got */
};

/* What is recorded when nobody names variants; ends with NULL. */
extern const char *const record_default_variants[];

void record_args_init(struct record_args *a);
uint64_t record_args_seed(void); /* from the clock; a double holds it exactly, as it may come back as an option */
int record_with(struct record_args *a, const char *dev, json_t *command); /* takes command */

#endif
