/*
 * cpu - which CPUs there are, which of them does what, and pinning
 *
 * in:    the CPUs that this process may run on
 * units: CPU numbers are the kernel's
 * error: -errno; the caller words the sentence
 */
#ifndef USER_CPU_H
#define USER_CPU_H

#include <sys/types.h>

int cpu_possible(void);        /* highest possible CPU number + 1 */
int cpu_pick_rx(void);         /* the default RX CPU: the last one this process may use */
int cpu_pick_load(int rx_cpu); /* the default generator CPU: another core than rx_cpu's, if there is one */
int cpu_pick_keeper(int rx_cpu, int load_cpu); /* where recorder and perf run: a third CPU, else load_cpu */
int cpu_check(int cpu);                        /* -EINVAL when this process may not run there */
int cpu_pin(pid_t tid, int cpu);               /* tid 0: the calling thread */

double cpu_steal_ns(int cpu); /* since boot, /proc/stat; < 0: not known */
double cpu_freq_khz(int cpu); /* cpufreq's current frequency; < 0: not known */

#endif
