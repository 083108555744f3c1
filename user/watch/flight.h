/*
 * flight - the functions of the last minutes: samples of all CPUs that poll watched devices, and whose packets each of
 * them is for
 *
 * in:    a watcher that runs (watch.h); a budget of overhead
 * out:   samples, each with the device that it was taken for, and a part; costs by facility
 * units: ns of a packet; Hz; percent of a CPU
 * law:   a sample below net_rx_action belongs to the device that is polled: the driver's function tells which. Where
 *        several devices share that function on a CPU, their busy time in that second is the part of each of them, and
 *        what their packets cost by function cannot be told apart. A sample in a NAPI thread belongs to its device. All
 *        other samples are nobody's. The parts of a sample add up to 1 at most
 * error: -errno with one sentence. A kernel that takes no samples, or hides names, is no error: `why` tells it
 */
#ifndef USER_WATCH_FLIGHT_H
#define USER_WATCH_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "perfparse/facilities.h"
#include "user/watch/ksyms.h"
#include "user/watch/rings.h"
#include "user/watch/watch.h"

#define FLIGHT_EFFECT 1.4 /* samples that are worth one independent one, at a steady load */

struct flight {
	bool on;
	struct diag why; /* on false: why there are no samples */
	struct rings rings;
	struct ksyms names;
	struct facilities *facilities;
	struct ring_copy copy;
	uint64_t *since_ns; /* of each CPU: since when it is sampled; 0: not sampled */
	double sample_cost_ns, budget_pct;
	uint64_t net_rx_action; /* where that function begins */
	bool told;              /* that some CPU cannot be sampled */
};

/* Measures what a sample costs, which takes half a second of one CPU. */
int flight_open(struct flight *f, const struct watcher *w, double budget_pct, struct diag *d);
/* Once a second: CPUs that began to poll watched devices are sampled from now on; names of new BPF programs. */
int flight_refresh(struct flight *f, struct watcher *w, struct diag *d);

/* After CPUs came or went: a ring ends with its CPU, and stays so. All samples go. */
void flight_anew(struct flight *f);

/* A sample of one device. root: the last frame that counts, as an index into the stack. */
typedef int flight_fn(void *arg, unsigned int slot, double part, const struct ring_sample *s, size_t frames);
/* All samples of [from, to), CPU by CPU, newest first. */
struct flight_span {
	uint64_t from_ns, to_ns;
};
int flight_samples(struct flight *f, const struct watcher *w, struct flight_span span, flight_fn *fn, void *arg,
		   struct diag *d);
/* From when on no ring has lost what was in it, whenever its CPU was sampled first; 0: none has lost any. */
uint64_t flight_kept_ns(struct flight *f);
/* Were all CPUs that polled the slot in that second sampled in all of it? */
bool flight_sampled(const struct flight *f, const struct past_second *s, unsigned int slot);

/* What a packet of one device costs, by facility. */
struct flight_cost {
	const char *facility;
	double ns, half; /* half: of a 95 % interval */
	uint64_t samples;
};
struct flight_costs {
	struct flight_cost *list; /* dearest first */
	size_t n;
	double packets, seconds;
};
/* costs: one for each slot, to be released. Of the last so many seconds, or of those that there are. */
int flight_cost(struct flight *f, const struct watcher *w, double seconds, struct flight_costs costs[WATCH_SLOTS],
		struct diag *d);
void flight_costs_release(struct flight_costs costs[WATCH_SLOTS]);
void flight_release(struct flight *f); /* may be called twice */

#endif
