/*
 * selftest - what this machine, now, makes of costs that are known
 *
 * in:    the lab, which it makes and removes; a directory for its recordings
 * out:   rows of checks.h; the recordings stay in the directory
 * units: in the names
 *        Planted costs are compared at a rate at which nobody is overrun: where the receiver is too slow, the generator
 *        frees the frames that were refused, and both contend for the lock of the frames' page pool. Samples are held
 *        against busy time at full load, where there are many of them.
 * law:   programs' run times by BPF stats are taken outside of measured windows, and the stats are off again afterwards
 * error: an exit status (xdpzoom.h), the sentence printed
 */
#ifndef USER_SELFTEST_H
#define USER_SELFTEST_H

#include <stdbool.h>
#include "perfparse/diag.h"
#include "reports/checks.h"
#include "user/loaded_run.h"
#include "user/record_args.h"

struct selftest {
	bool long_form, quiet;
	const char *dir;
	struct checks checks;
};

/* One recording of the lab into DIR/name. */
struct selftest_recording {
	const char *name;
	const char *const *variants;
	size_t nvariants;
	int rounds;
	double window_s, warmup_s, max_time_s;
	double rate_pps; /* of the generator; 0: as fast as it goes */
	bool no_profile;
};
int selftest_record(const struct selftest *s, const struct selftest_recording *rec);
int selftest_open(const struct selftest *s, const char *name, struct loaded_run *l, struct diag *d);

/* The parts, each adding its rows. Exit statuses. */
struct selftest_rates {
	double native_pps, skb_pps; /* that the slowest variants take without refusing a frame */
};
int selftest_full(struct selftest *s, struct selftest_rates *rates); /* full load: rates, busy time, overheads */
int selftest_planted(struct selftest *s, const struct selftest_rates *rates); /* planted costs, closure, counting */
int selftest_stats(struct selftest *s, double rate_pps);		      /* BPF stats against BPF_PROG_TEST_RUN */
int selftest_aa(struct selftest *s);					      /* a variant against itself */

/* Rows of one recording: of each variant, and of each planted variant against its plain one. */
int selftest_check_variants(struct checks *c, const struct analysis *a);
int selftest_check_planted(struct checks *c, const struct analysis *a, struct diag *d);

#endif
