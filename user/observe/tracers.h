/*
 * tracers - BPF programs at tracepoints and kernel functions, and whose they are
 *
 * in:    a run
 * out:   run.tracers, with those added that came since the look before. A program of this process or of a child is its
 *        own
 * law:   nothing is attached, changed or kept open. What comes and goes between two looks is not seen
 * error: none; without CAP_SYS_ADMIN run.tracers_known stays false
 */
#ifndef USER_OBSERVE_TRACERS_H
#define USER_OBSERVE_TRACERS_H

#include <stddef.h>
#include <stdint.h>
#include "reports/run/run.h"

struct tracers {
	uint32_t *seen; /* programs of which all is known */
	size_t n;
};

void tracers_look(struct tracers *t, struct run *run);
void tracers_release(struct tracers *t); /* may be called twice */

#endif
