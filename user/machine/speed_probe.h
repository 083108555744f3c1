/*
 * speed_probe - how fast is a CPU at this moment? By fixed work on it
 *
 * in:    a CPU; its load may go on
 * out:   time of one step of the work: eight loads from 64 kB and eight multiplications, in eight chains that do not
 *        wait for each other. So the work needs what a neighbour on the same core takes away: execution units, the
 *        first cache and the second one
 * units: ns per step
 * law:   takes less than 2 ms of the CPU in a real-time thread of its own, so that a busy receiver does not
 *        starve the probe, and the probe is in no other task's time. The receiver pauses meanwhile: call it between
 *        windows, never in one
 * error: < 0: the thread could not be started or pinned
 *
 * The work is timed in short pieces, and the lower quartile counts: an interrupt, a softirq and a hypervisor that takes
 * the CPU away only make single pieces longer. A slow machine makes all of them longer.
 */
#ifndef USER_SPEED_PROBE_H
#define USER_SPEED_PROBE_H

#define SPEED_PROBE_MAX_NS 2000000

double speed_probe_ns(int cpu);

#endif
