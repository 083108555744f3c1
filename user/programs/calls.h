/*
 * calls - kernel functions counted and timed call by call, by fentry and fexit programs
 *
 * in:    names of functions of the kernel or of its modules
 * out:   the number of calls of each function, and the time in them, while its probe was attached, on chosen CPUs
 * units: calls; ns, with the time in functions that the function calls. probe_ns is the time that the probe itself adds
 *        to each timed call, measured at an empty function of the kernel
 * law:   a function whose probe is not attached costs nothing. The caller attaches one probe at a time, so that no
 *        probe times another probe
 * error: -ENOENT the kernel has no such function (or only inlined); -EPERM the kernel allows no such program
 *        (lockdown): a fact of this machine, not a failure; nothing is left attached
 * src:   kernel, Documentation/bpf/libbpf: fentry, fexit; net/bpf/test_run.c: bpf_fentry_test1()
 */
#ifndef USER_CALLS_H
#define USER_CALLS_H

#include <linux/types.h>
#include <stddef.h>
#include "bpf/layout.h"
#include "base/diag.h"

#define CALLS_MAX 16

struct calls_bpf;
struct bpf_link;

struct call_probe {
	const char *function; /* borrowed */
	struct calls_bpf *skel;
	struct bpf_link *enter, *leave;
};

struct calls {
	struct call_probe probes[CALLS_MAX];
	size_t n;
	double probe_ns;
};

int calls_open(struct calls *c, const char *const *functions, size_t n, struct diag *d);
int calls_attach(struct calls *c, size_t i, struct diag *d); /* counts begin at 0 */
void calls_detach(struct calls *c, size_t i);
/* *sum: the sum over these CPUs; ncpus 0: over all CPUs. */
int calls_read(const struct calls *c, size_t i, const int *cpus, size_t ncpus, struct call_count *sum);
void calls_close(struct calls *c); /* may be called twice */

#endif
