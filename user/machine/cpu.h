/*
 * cpu - which CPUs exist, which CPU gets which task by default, and pinning
 *
 * in:    the CPUs that this process may run on
 * units: CPU numbers are the kernel's
 * error: -errno; the caller writes the sentence
 */
#ifndef USER_CPU_H
#define USER_CPU_H

#include <stdbool.h>
#include <sys/types.h>

int cpu_possible(void);        /* highest possible CPU number + 1 */
int cpu_pick_rx(void);         /* the default RX CPU: the last one this process may use */
int cpu_pick_load(int rx_cpu); /* the default generator CPU: another core than rx_cpu's, if there is one */
int cpu_pick_keeper(int rx_cpu, int load_cpu); /* for recorder and perf: a CPU on another core, or load_cpu */
int cpu_check(int cpu);                        /* -EINVAL: the CPU does not exist or is offline */
int cpu_pin(pid_t tid, int cpu);               /* tid 0: the calling thread */
bool cpu_may_run(int cpu); /* may the calling thread run there? A control group's cpuset can forbid it */

double cpu_steal_ns(int cpu); /* stolen time since boot (/proc/stat); NaN: not known */
double cpu_freq_khz(int cpu); /* cpufreq's current frequency; NaN: not known */

#endif
