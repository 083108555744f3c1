/*
 * rates - packet rates in what other tools wrote
 *
 * in:    the output of xdp-bench: for each measurement the lines "Summary  8,148,972 rx/s ...", or "eth0->eth1  ..." of
 *        redirects; or LNST's results (run-data-N.json), an array of objects, those with "type": "measurement"
 * out:   one group for each measurement, in the order of the text. The lines of xdp-bench are the readings of a group;
 *        LNST gives one reading, the mean over its iterations: what the receiver processed (xdp-bench), what the
 *        forwarder received (forwarding), what the CPU of the NIC took up (xdp-redirect-cpu)
 * units: packets per second
 * law:   lines without packets are none: nothing ran, so nothing was measured. A document that is no JSON has no
 *        measurement of LNST. device and driver are "" where the text does not name them
 * error: -ENOMEM
 */
#ifndef REPORTS_RATES_H
#define REPORTS_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rates_group {
	size_t first, n;   /* pps[first .. first + n) */
	bool lnst, failed; /* failed: LNST says so */
	char kind[32];     /* LNST's word, or "xdp-bench" */
	char device[32], driver[32];
};

struct rates {
	double *pps;
	size_t npps;
	struct rates_group *groups;
	size_t ngroups;
};

int rates_find(struct rates *r, const char *text, size_t len);
/* A line for each group; they are numbered from first on. */
void rates_list(FILE *out, const struct rates *r, size_t first);
void rates_release(struct rates *r); /* may be called twice */

#endif
