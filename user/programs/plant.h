/*
 * plant - extra work in the program under test that costs a known time, to see whether reports find that time again
 *
 * in:    a parsed variant that names a planted cost (run.h), the CPU that it will run on
 * out:   the variant's plant_steps and plant_ns
 * units: ns per packet; a step is a link of the chain or a line of the walk
 * law:   plant_ns is what the clock around the plant reads (bench_count.plant_ns), less what it reads around no plant.
 *        Both programs run by BPF_PROG_TEST_RUN, in turns, on that CPU. A plant is calibrated once in a process. The
 *        first steps of a chain hide behind the atomic exchanges around it, so plant_ns is no fixed number of ns a
 *        step.
 *        Only whole steps can be planted. So plant_ns may differ from plant_asked_ns by half a step, a twentieth or
 *        what it is not known better than, whichever is most. A plant that is lost in noise counts as its steps by
 *        the time of a step. plant_ns tells what was planted before the load runs, back to back; under load, the same
 *        clock reads its cost in place, and reports compare with that
 * error: -errno with one sentence; -EOPNOTSUPP the kernel has no BPF_PROG_TEST_RUN for XDP
 */
#ifndef USER_PLANT_H
#define USER_PLANT_H

#include "base/diag.h"
#include "reports/run/run.h"
#include "user/programs/bench.h"

/*
 * Fills plant_steps and plant_ns of n variants of one run, in one to three seconds for each other plant, or up to ten
 * on a busy machine; does nothing for a variant without a planted cost, or with 0 ns.
 */
int plants_calibrate(struct run_variant *v, size_t n, int cpu, struct diag *d);

#endif
