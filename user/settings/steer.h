/*
 * steer - brings the load to one RX queue, pins that queue's interrupt to one CPU, runs its NAPI in a thread; until
 * steer_end()
 *
 * in:    a NIC that receives the load; steer_options
 * out:   the RX path: queue, CPU, IRQ, NAPI
 * law:   steer_end() puts every change back; when this process was killed, the next xdpzoom or doctor --undo does
 *        (changes.h)
 * error: -errno with one sentence. A driver without flow rules is no error: a load of one flow stays on one queue by
 *        its hash, which steer_words() reports; flows that RSS spreads are brought to one queue by the RSS table
 * src:   kernel Documentation/networking/scaling.rst (RSS, n-tuple), napi.rst (threaded NAPI)
 */
#ifndef USER_STEER_H
#define USER_STEER_H

#include <jansson.h>
#include <stdbool.h>
#include "base/sheet/json_out.h"
#include "user/machine/facts.h"
#include "user/settings/flows.h"
#include "user/settings/setting.h"

struct steer_options {
	bool steer;    /* bring the load's flow to one queue by a rule, or all flows by the RSS table */
	bool threaded; /* run NAPI in a thread, on the CPU of the interrupt */
	int pin_cpu;   /* pin the queue's interrupt to this CPU; < 0: leave the interrupt where it is */
	int rx_cpu;    /* the thread runs on this CPU; < 0: where packets arrive, but apart from the generator */
	int load_cpu;  /* our own generator's; < 0: the load is somebody else's */
};

struct rx_path {
	int queue, cpu; /* -1: not known */
	int irq;        /* -1: none, or not known */
	char irq_name[48], irq_cpus[64];
	long napi_id; /* -1: the kernel does not report it */
	int napi_tid; /* of the NAPI's thread; -1: the NAPI runs in softirq */
};

struct steer {
	const struct steer_options *o; /* NULL: no option is set, and every call does nothing */
	struct netdev nd;
	struct flows flows;
	struct flows_seen seen; /* the load before anything was changed */
	int cpu;                /* where packets shall arrive from now on */
	struct rx_path path;
	struct setting table; /* the RSS table that was set; kind "": none was set */
	char how[200];        /* how the load comes to one queue, in words */
};

/* Parts of --tune. */
/* clang-format off */
#define STEER_OPTIONS(o)                                                                                               \
	{"steer", 0, OPT_FLAG, &(o)->steer, NULL, "bring the load to one RX queue, by an ntuple rule or RSS's table"}, \
	{"irq", 0, OPT_INT, &(o)->pin_cpu, "CPU", "send that queue's interrupt to CPU", 0, 4095,                       \
	 .otherwise = "where it is"},                                                                                  \
	{"threaded", 0, OPT_FLAG, &(o)->threaded, NULL, "poll in a thread on the RX CPU, whose busy time is exact"}
/* clang-format on */

/* -EINVAL: a CPU that is not there or offline, or the lab, which has only one queue and a thread already. */
int steer_check(const struct steer_options *o, const char *dev, struct diag *d);
bool steer_wanted(const struct steer_options *o);
void steer_init(struct steer *s);
/*
 * Attaches the program that looks at the load. Call it first, then start the load, then call steer_begin(), which
 * detaches that program again.
 */
int steer_prepare(struct steer *s, const struct steer_options *o, const struct netdev *nd, enum run_mode mode,
		  struct diag *d);
int steer_begin(struct steer *s, double patience_s, struct diag *d);
/*
 * Call it each time after a program was attached: attaching may give the driver new interrupts and threads, and
 * steer_hold() pins these too.
 */
int steer_hold(struct steer *s, struct diag *d);
int steer_end(struct steer *s, struct diag *d); /* may be called twice */

/* Finds out how packets come to a CPU: a queue (-1: any queue that this CPU serves), its NAPI, interrupt and thread. */
void rx_path_find(struct rx_path *p, const struct facts *f, const struct netdev *nd, int queue, int cpu);
/* "queue 0, CPU 1, IRQ 38 (virtio2-input.0), NAPI 8193, polled in thread 1234" */
void rx_path_words(const struct rx_path *p, char *words, size_t size);
json_t *rx_path_json(struct json_out *w, const struct rx_path *p);
#define STEER_WORDS 1024
/* Three lines: the load, the RX path, how the load was steered; "" when no option is set. size: STEER_WORDS */
void steer_words(const struct steer *s, char *words, size_t size);

#endif
