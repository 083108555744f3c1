/*
 * record_load_args - a part of record_args.c: CPUs, second stages and the load
 *
 * in:    options of a recording; the variants of the run
 * out:   the CPUs and the load of a->o; the second stages of the variants. Nothing is changed on the machine
 * error: -errno and one sentence
 */
#ifndef USER_CLI_RECORD_LOAD_ARGS_H
#define USER_CLI_RECORD_LOAD_ARGS_H

#include "user/cli/record_args.h"

int record_load_args(struct run *run, struct record_args *a, bool lab, struct diag *d);

#endif
