// SPDX-License-Identifier: GPL-2.0-or-later
/* The RX CPU before it is loaded: a steady speed, and slabs of skbs. record.h has the contract. */
#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include "user/machine/clock.h"
#include "user/machine/skb_slabs.h"
#include "user/machine/speed_probe.h"
#include "user/record/record_parts.h"

#define STEADY_LOOKS   8    /* that have to be alike */
#define STEADY_FACTOR  1.05 /* that they may be apart, and slower than the fastest one: SPEED_PROBE_STEP of reports */
#define STEADY_LOOK_S  0.05 /* from one look to the next; less where there is less time */
#define STEADY_MOST_S  10
#define STEADY_LEAST_S 0.04
#define STEADY_SHARE   0.05 /* of the time that the recording itself will take */

/* looks[]: the latest ones; fastest: of all. */
static bool is_steady(const double *looks, double fastest)
{
	double least, most;

	gsl_stats_minmax(&least, &most, looks, 1, STEADY_LOOKS);
	return most <= STEADY_FACTOR * least && least <= STEADY_FACTOR * fastest;
}

int record_wait_steady(struct recorder *r, struct diag *d)
{
	double most_s = fmax(STEADY_LEAST_S, fmin(STEADY_MOST_S, STEADY_SHARE * record_planned_s(r)));
	double pause_s = fmin(STEADY_LOOK_S, most_s / (2 * STEADY_LOOKS)), looks[STEADY_LOOKS], fastest = INFINITY;
	uint64_t start = now_ns();
	int err = 0;

	progress_now(&r->progress, "waiting for a steady CPU");
	r->run.steady = false;
	for (size_t n = 0; !err && !r->run.steady && (n < STEADY_LOOKS || now_ns() - start < most_s * 1e9); n++) {
		double ns = speed_probe_ns(r->session.rx_cpu);

		if (ns < 0)
			return 0; /* a CPU that cannot be probed: run.waited_s stays "not known" */
		looks[n % STEADY_LOOKS] = ns;
		fastest = fmin(fastest, ns);
		r->run.steady = n + 1 >= STEADY_LOOKS && is_steady(looks, fastest);
		if (!r->run.steady)
			err = record_sleep(r, pause_s, d);
	}
	r->run.waited_s = (double)(now_ns() - start) / 1e9;
	return err;
}

void record_fill_slabs(struct recorder *r)
{
	r->run.held_skbs = r->run.nrx_cpus ? SKB_SLABS_HELD : 0;
	for (size_t i = 0; i < r->run.nrx_cpus; i++) {
		int held = skb_slabs_fill(&r->slabs[i], r->run.rx_cpus[i]);

		if (held < r->run.held_skbs)
			r->run.held_skbs = held;
	}
}
