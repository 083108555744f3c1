/*
 * cpumap - the kernel thread that takes up what is redirected to a CPU
 *
 * in:    a CPU that has an entry in a cpumap, and the map's id
 * out:   the thread of this entry; -1: none has appeared within a second
 */
#ifndef USER_CPUMAP_H
#define USER_CPUMAP_H

#include <linux/types.h>
#include <sys/types.h>

#define CPUMAP_QUEUE 2048 /* frames that an entry has room for; as in the kernel's samples */

pid_t cpumap_kthread(int cpu, __u32 map_id);

#endif
