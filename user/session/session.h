/*
 * session - one device measured under load: program, second stage, generator, steering and probes, opened in one order
 *
 * The order, for whoever opens a session:
 *   session_open()        the device; a generator on another machine is tried
 *   session_try()         can the packets of a variant go on to its second stage? A refusal comes before any change
 *   session_steer()       the RX path, with the load running for as long as that takes
 *   session_open_calls()  probes of kernel functions are loaded, not yet attached
 *   session_attach()      the program and its second stage; session_detach() takes both away, then the next may come
 *   session_load()        the load, until session_stop_load() or session_detach()
 *   session_close()       what steering changed is put back
 *
 * in:    session_options; a device by name, or "lab"
 * out:   counts of packets and of the device, from session_attach() on
 * units: packets; ns on CLOCK_MONOTONIC
 * law:   session_release() takes away and puts back whatever the other functions attached, started, made or changed
 * error: -errno with one sentence: -ENODEV the device is gone, -EIO the program is, -ECHILD the generator died
 */
#ifndef USER_SESSION_H
#define USER_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "user/load/gen.h"
#include "user/load/stage.h"
#include "user/load/target.h"
#include "user/machine/device_counters.h"
#include "user/programs/bench.h"
#include "user/programs/calls.h"
#include "user/settings/steer.h"

struct session_options {
	bool own_load; /* we send the load below; else somebody else sends */
	struct gen_options load;
	struct steer_options steer;
	const char *const *functions; /* of the kernel, whose calls are counted and timed; borrowed */
	size_t nfunctions;
};

struct session {
	struct session_options o; /* session_open() completes the load: where it goes to */
	struct target target;
	json_t *remote; /* what the generator's machine reported of itself; NULL: it is this machine */
	struct steer steer;
	struct calls calls;
	struct gen gen;
	int rx_cpu; /* gets the packets of the bare program, which does not tell CPUs apart */
	/* from session_attach() to session_detach() */
	struct bench bench;
	struct stage stage;
	struct device_counters device;
	bool bare;            /* the program counts nothing: the device's counter of packets that XDP saw stands in */
	uint64_t bare_before; /* that counter when the program was attached */
};

void session_init(struct session *s, const struct session_options *o);
/* rx_cpu and alone: as target_open() has them. */
int session_open(struct session *s, const char *dev, const char *netns, int rx_cpu, bool alone, struct diag *d);
/* Loads the variant's program and opens its second stage, then lets both go. Fills v->stage_text. */
int session_try(struct session *s, struct run_variant *v, struct diag *d);
/* mode: how the program that looks at the load is attached: as "skb", or else native. */
int session_steer(struct session *s, const char *mode, struct diag *d);
/* Returns 0 too where the kernel lets no such probe in: then *refused holds the reason and there are no calls. */
int session_open_calls(struct session *s, struct diag *refused, struct diag *d);

int session_attach(struct session *s, struct run_variant *v, struct diag *d);
/* Starts our own load. In the lab and without a rate it is kept at the pace of the program and its second stage. */
int session_load(struct session *s, struct diag *d);
/* Device, program and our own generator are still there. */
int session_check(struct session *s, struct diag *d);
/* Stops our own load and waits for the last frames. -1 in *sent: not known, as it is with the load of others. */
int session_stop_load(struct session *s, struct gen_result *sent, struct diag *d);
void session_drain(const struct session *s); /* until no frame arrives any more, a second at most */
void session_detach(struct session *s);      /* load, program, second stage; may be called twice */

/* Puts back what steering changed. */
int session_close(struct session *s, struct diag *d);
void session_release(struct session *s); /* all that is left; may be called twice */

/* Packets since session_attach(). */
uint64_t session_seen(const struct session *s);
void session_counts(const struct session *s, struct bench_count *counts); /* s->bench.ncpus entries */

/* What the device has counted at a moment, and the packets that the program had seen by then. */
struct reading {
	uint64_t at_ns, packets;
	struct counters counters;
};

int session_read(const struct session *s, struct reading *now); /* -ENOMEM; releases what *now held before */
/* The counters that changed from one reading to the other; out->changed is the caller's to release. -ENOMEM */
int reading_changes(struct run_counters *out, const struct reading *from, const struct reading *to);
void reading_release(struct reading *r); /* may be called twice */

#endif
