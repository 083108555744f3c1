/*
 * rings - samples of the CPUs that are watched, in rings that are written over again and again
 *
 * in:    an event, "cycles" or "cpu-clock"; a rate; CPUs, one by one as they turn out to receive packets
 * out:   copies of the rings, and the samples in a copy, newest first, with the kernel's part of their stacks
 * units: Hz; CLOCK_MONOTONIC ns; period: ns of cpu-clock, cycles of cycles
 * law:   rings_copy() stops a ring for the time of a copy of memory alone; the counts of polls (probe.h) go on.
 *        Samples that the kernel lost are counted, those of that time among them
 * error: -EOPNOTSUPP, -EPERM this kernel or this process cannot sample; -ENOMEM
 */
#ifndef USER_WATCH_RINGS_H
#define USER_WATCH_RINGS_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

#define RING_BYTES (1u << 20) /* of each CPU: a minute and more at 99 Hz */

struct ring {
	int fd; /* -1: this CPU has none */
	void *map;
};

struct rings {
	char event[16]; /* "": there are none */
	double hz;
	struct ring *list; /* of each CPU */
	int ncpus;
};

/* A sample, in the copy. */
struct ring_sample {
	uint64_t time_ns, period;
	int tid, cpu;
	const uint64_t *stack; /* innermost first */
	size_t depth;
};

/* What a ring held at one moment. */
struct ring_copy {
	unsigned char *bytes;
	size_t n;
};

/* Chooses the event; opens no ring yet. */
int rings_open(struct rings *r, int ncpus, struct diag *d);
int rings_add(struct rings *r, int cpu, struct diag *d); /* does nothing where the CPU has one */
int rings_copy(const struct rings *r, int cpu, struct ring_copy *copy);
/* The next sample behind *at, which is 0 at first. Returns whether there was one. */
int rings_next(const struct ring_copy *copy, size_t *at, struct ring_sample *s);
void rings_drop(struct rings *r, int cpu);
uint64_t rings_lost(const struct rings *r); /* samples since the rings were opened */
void rings_release(struct rings *r);        /* may be called twice */

#endif
