/*
 * past - what polls did in each of the last PAST_S seconds, by device and CPU
 *
 * in:    the growth of all counts (probe.h), look by look
 * out:   seconds, oldest first; owned by the past until it is overwritten
 * units: CLOCK_MONOTONIC ns; counts as in struct watch_polls
 * law:   looks lie end to end, and every look is in one second whole, so that sums over seconds are exact. Entries in
 *        which nothing was polled are not kept: an idle CPU takes no memory
 * error: -ENOMEM
 */
#ifndef USER_WATCH_PAST_H
#define USER_WATCH_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include "bpf/layout.h"

#define PAST_S 300

struct past_entry {
	uint32_t slot, cpu;
	struct watch_polls polls;
};

/* The XDP program of a device in a second. */
struct past_program {
	uint32_t id; /* 0: none */
	char mode[8], name[20];
};

struct past_second {
	struct past_program programs[WATCH_SLOTS];
	uint64_t from_ns, to_ns;
	struct past_entry *entries;
	size_t n, cap;
};

struct past {
	struct past_second seconds[PAST_S];
	size_t first, n; /* the oldest one, how many there are */
	bool cut;        /* the next look begins a second */
};

/* growth: ncpus times WATCH_SLOTS; a new second begins when the last one is a second long. */
int past_add(struct past *h, uint64_t from_ns, uint64_t to_ns, const struct watch_polls *growth, int ncpus);
/* The second that the last look is in; NULL: there was none yet. */
struct past_second *past_last(struct past *h);
const struct past_second *past_at(const struct past *h, size_t i); /* 0: the oldest one */
void past_forget(struct past *h, unsigned int slot);               /* what is kept of a slot */
void past_release(struct past *h);

#endif
