/*
 * cpu - which CPUs there are, pinning, time, and how far two CPUs are from each other
 *
 * units: CPU numbers are the kernel's; ns on CLOCK_MONOTONIC, the clock perf is told to use
 * error: -errno; the caller words the sentence
 */
#ifndef USER_CPU_H
#define USER_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t now_ns(void);
void sleep_until_ns(uint64_t t_ns); /* returns early on a signal */
int cpu_possible(void);             /* highest possible CPU number + 1 */
int cpu_pick_rx(void);              /* the default RX CPU: the last one this process may use */
int cpu_pick_load(int rx_cpu);      /* the default generator CPU: another core than rx_cpu's, if there is one */
int cpu_pick_keeper(int rx_cpu, int load_cpu); /* where recorder and perf run: a third CPU, else load_cpu */
int cpu_check(int cpu);                        /* -EINVAL when this process may not run there */
int cpu_pin(pid_t tid, int cpu);               /* tid 0: the calling thread */
/* The calling thread before every task that has a nice value (SCHED_FIFO). false: it is no such task, or that is not
 * allowed. */
bool cpu_first(void);
void cpu_among_others(void); /* no real-time task any more, its nice value as it was */

/*
 * One-way latency of a cache line between two CPUs, in ns: the median of many round trips of a ping-pong over a shared
 * flag, halved. Takes about 5 ms; both CPUs should be quiet. Returns < 0 when both are the same CPU, a thread could not
 * be placed, or a tenth of a second was not enough for the first of them, half a second for all.
 */
double cpu_ping_pong_ns(int cpu_a, int cpu_b);

double cpu_steal_ns(int cpu); /* since boot, /proc/stat; < 0: not known */
double cpu_freq_khz(int cpu); /* cpufreq's current frequency; < 0: not known */

#endif
