/*
 * steer - the load on one RX queue, that queue's interrupt on one CPU, its NAPI in a thread; all of it for a while
 *
 * in:    a NIC that receives the load; what is asked for
 * out:   the RX path by name: queue, CPU, IRQ, NAPI
 * law:   whatever was changed is put back by steer_end(), or, when this process was killed, by the next xdpzoom or by
 *        doctor --undo (changes.h)
 * error: -errno with one sentence. A driver without rules is no error: a load of one flow stays on one queue by its
 *        hash,
 *        and the words say so; flows that RSS spreads are brought together by its table
 * src:   kernel Documentation/networking/scaling.rst (RSS, n-tuple), napi.rst (threaded NAPI)
 */
#ifndef USER_STEER_H
#define USER_STEER_H

#include <jansson.h>
#include <stdbool.h>
#include "user/machine/facts.h"
#include "user/settings/flows.h"
#include "user/settings/setting.h"

struct steer_options {
	bool steer;    /* the load's flow on one queue, by a rule, or all flows by the table of RSS */
	bool threaded; /* NAPI in a thread, on the CPU of the interrupt */
	int pin_cpu;   /* the queue's interrupt there; < 0: where it is */
};

struct rx_path {
	int queue, cpu; /* -1: not known */
	int irq;        /* -1: none, or not known */
	char irq_name[48], irq_cpus[64];
	long napi_id; /* -1: the kernel does not tell */
	int napi_tid; /* of its thread; -1: softirq */
};

struct steer {
	const struct steer_options *o; /* NULL: nothing is asked for, and every call does nothing */
	struct netdev nd;
	struct flows flows;
	struct flows_seen seen; /* before anything was changed */
	struct rx_path path;
	struct setting table; /* of RSS, as it was set; kind "": it was not */
	char how[200];        /* the load came to one queue, in words */
};

/* The rows of an option table (opts.h). */
/* clang-format off */
#define STEER_OPTIONS(o)                                                                                               \
	{"steer", 0, OPT_FLAG, &(o)->steer, NULL, "bring the load to one RX queue, by an ntuple rule or RSS's table"}, \
	{"pin-irq", 0, OPT_INT, &(o)->pin_cpu, "CPU", "send that queue's interrupt to CPU", 0, 4095},                  \
	{"threaded", 0, OPT_FLAG, &(o)->threaded, NULL, "poll in a thread on the RX CPU, whose busy time is exact"}
/* clang-format on */

/* -EINVAL: a CPU that is not there, or the lab, which has one queue and its thread already. */
int steer_check(const struct steer_options *o, const char *dev, struct diag *d);
bool steer_wanted(const struct steer_options *o);
void steer_init(struct steer *s);
/* Ready to look; then the load may begin, then steer_begin(), which leaves no program behind. */
int steer_prepare(struct steer *s, const struct steer_options *o, const struct netdev *nd, const char *mode,
		  struct diag *d);
int steer_begin(struct steer *s, double patience_s, struct diag *d);
/* After each attaching, which may give the driver new interrupts and threads: asked for again where it is not so. */
int steer_hold(struct steer *s, struct diag *d);
int steer_end(struct steer *s, struct diag *d); /* may be called twice */

/* How packets come to a CPU: the NAPI of a queue (-1: whichever is served there), its interrupt and thread. */
void rx_path_find(struct rx_path *p, const struct facts *f, const struct netdev *nd, int queue, int cpu);
/* "queue 0, CPU 1, IRQ 38 (virtio2-input.0), NAPI 8193, polled in thread 1234" */
void rx_path_words(const struct rx_path *p, char *words, size_t size);
json_t *rx_path_json(const struct rx_path *p);
#define STEER_WORDS 1024
/* The load, the RX path and how it was steered, a line each; "" where nothing was asked for. size: STEER_WORDS */
void steer_words(const struct steer *s, char *words, size_t size);

#endif
