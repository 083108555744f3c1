/*
 * synthetic - a run directory whose truth is known, for tests
 *
 * in:    variants, each a list of call stacks with the ns per packet they take; how blocks scatter and where CPUs are
 * out:   a run directory as `record` writes one: run.json and one perf script text per block
 * units: in the names
 * law:   the same input gives the same bytes; samples are spread over stacks by a golden-ratio sequence, so that shares
 *        come out within a sample or two of the truth without any random numbers
 */
#ifndef TESTS_SYNTHETIC_H
#define TESTS_SYNTHETIC_H

#include <stdbool.h>
#include "reports/run/run.h"

#define SYNTHETIC_TID    4711
#define SYNTHETIC_RX_CPU 1

struct synthetic_stack {
	double ns;          /* per packet */
	const char *frames; /* leaf first, one blank between */
};

struct synthetic_variant {
	const char *id, *prog_name, *prog_tag;
	const struct synthetic_stack *stacks;
	size_t nstacks;
};

struct synthetic_options {
	const struct synthetic_variant *variants;
	size_t nvariants;
	int rounds, windows;
	double window_ms, period_ns;
	double busy;         /* part of the time that the CPU works */
	double waits_ns;     /* per packet, known when above 0 */
	double scatter_pct;  /* of base between blocks, up and down in turn */
	double overhead_pct; /* slower while profiled */
	double near_ns, far_ns;
	double far_factor;      /* cost when far */
	const char *placements; /* one letter per block in order: n near, f far, m moved; runs short: n */
	/* device counters in base windows, and two count windows a block, in which counters are shared */
	bool counted;
	/* of a redirect's second stage that is a task; stage_ns 0: it is none */
	double stage_ns, stage_dropped_pct;
	bool threaded; /* else no busy time, and samples of the whole CPU with idle ones between */
	const char *ended;
};

extern const struct synthetic_options synthetic_defaults;

/* The whole directory at path, which is not there yet. 0 or -errno. */
int synthetic_write(const char *path, const struct synthetic_options *o, struct diag *d);

/* ---- what packets do on a veth pair, roughly as measured --------------------------------------------------- */

#define SYNTHETIC_POLL                                                                                                 \
	"veth_poll __napi_poll napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "                      \
	"ret_from_fork_asm"
#define SYNTHETIC_RCV "veth_xdp_rcv.constprop.0 " SYNTHETIC_POLL
#define SYNTHETIC_SKB                                                                                                  \
	"do_xdp_generic __netif_receive_skb_core.constprop.0 __netif_receive_skb_list_core "                           \
	"netif_receive_skb_list_internal napi_gro_receive " SYNTHETIC_RCV

#define SYNTHETIC_STACKS(array) (array), sizeof(array) / sizeof((array)[0])

extern const struct synthetic_stack synthetic_native_drop[6];
extern const struct synthetic_stack synthetic_skb_drop[11];
extern const struct synthetic_stack synthetic_native_tx[6];
extern const struct synthetic_variant synthetic_veth[3];
extern const struct synthetic_variant synthetic_redirects[2];
extern const struct synthetic_variant synthetic_second_device[1];

#endif
