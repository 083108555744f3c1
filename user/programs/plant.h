/*
 * plant - extra work in the program under test that costs a known time, to see whether it is found again
 *
 * in:    a parsed variant that names a planted cost (run.h), the CPU that it will run on
 * out:   the variant's plant_steps and plant_ns, and with bench_test_run_ns() what one run of a program takes
 * units: ns per packet; steps are links of the chain or lines of the walk
 * law:   plant_ns is the time of the planted program less that of the same program without, both by
 *        BPF_PROG_TEST_RUN in turns on that CPU: what a run costs without a packet's way cancels
 *        A step is as long as it is: plant_ns may be off plant_asked_ns by half of one or a twentieth, and what was
 *        measured counts
 * error: -errno with one sentence; -EOPNOTSUPP the kernel runs no programs for tests
 */
#ifndef USER_PLANT_H
#define USER_PLANT_H

#include "base/diag.h"
#include "reports/run/run.h"
#include "user/programs/bench.h"

/* Fills steps and plant_ns; a variant without a planted cost, or with one of 0 ns, is left alone. 0.5 to 2 s. */
int plant_calibrate(struct run_variant *v, int cpu, struct diag *d);

/* CPU time of one run of the loaded program, by BPF_PROG_TEST_RUN on the calling thread's CPU. */
int bench_test_run_ns(const struct bench *b, unsigned int repeat, double *ns);

#endif
