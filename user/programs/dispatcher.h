/*
 * dispatcher - an XDP program that calls the program under test, as libxdp's dispatcher does (bpf/dispatcher.bpf.c)
 *
 * in:    variants with the observer "dispatcher"; the program under test
 * out:   a program to attach to a device instead of the one under test
 * law:   dispatcher_open() turns the program into a replacement (freplace) for the dispatcher's function; then it can
 *        be attached to nothing else. All is gone after dispatcher_close(), and when this process ends
 * error: -errno and one sentence: -EOPNOTSUPP this kernel replaces no functions of programs
 */
#ifndef USER_DISPATCHER_H
#define USER_DISPATCHER_H

#include <stdbool.h>
#include "base/diag.h"
#include "reports/run/run.h"

struct bpf_program;
struct dispatcher_bpf;

struct dispatcher {
	struct dispatcher_bpf *skel; /* NULL: not open */
	int link_fd;
};

void dispatcher_init(struct dispatcher *dp);
bool dispatcher_wanted(const struct run_variant *v);
/* prog: opened and not yet loaded. */
int dispatcher_open(struct dispatcher *dp, struct bpf_program *prog, struct diag *d);
/* The same program, loaded. */
int dispatcher_link(struct dispatcher *dp, const struct bpf_program *prog, struct diag *d);
/* The sentence when the program cannot be loaded; false: the reason lies elsewhere. */
bool dispatcher_refused(const struct dispatcher *dp, int err, struct diag *d);
int dispatcher_fd(const struct dispatcher *dp); /* of the program to attach; -1: not open */
void dispatcher_close(struct dispatcher *dp);   /* may be called twice */

#endif
