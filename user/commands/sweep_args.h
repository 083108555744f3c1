/*
 * sweep_args - record --sweep: the same recording at each combination of values of some options
 *
 * in:    words such as "size=64", "256", "flows=1": a parameter with its first value, then further values. Parameters
 *        are the numbers of LOAD_OPTIONS and RX_OPTIONS, and "inject"; a->o.out_dir is the directory of the sweep
 * out:   a run directory for each point (sweep.h), recorded by a process of its own, in an order shuffled by the seed.
 *        A point that is complete is left as it is, so the same command goes on where it ended
 * law:   a point that fails leaves no directory, and the others go on. Points of another command are never mixed in
 * error: an exit status after one printed sentence: EXIT_USAGE, EXIT_LACKS; EXIT_FAILED when a point failed
 */
#ifndef USER_CLI_SWEEP_ARGS_H
#define USER_CLI_SWEEP_ARGS_H

#include "user/cli/record_args.h"

/* Takes ownership of command. */
int sweep_args_record(struct record_args *a, const char *dev, json_t *command);

#endif
