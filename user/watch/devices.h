/*
 * devices - the devices that are watched: which there are, their NAPI threads, programs and counters
 *
 * in:    names, or all devices of this process's network namespace; a probe that is open
 * out:   a struct watched for each slot of the probe
 * law:   devices_refresh() finds what came, went or was renamed. A slot goes to another device when none is free that was
 *        never used, the one that is empty for longest first: what is remembered of a slot is of one since_ns
 * error: -ENODEV a device that was named does not exist; -E2BIG none of the devices found a slot; -ENOMEM
 */
#ifndef USER_WATCH_DEVICES_H
#define USER_WATCH_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "reports/run/counters.h"
#include "user/machine/machine.h"
#include "user/watch/probe.h"

#define WATCH_THREADS 64 /* NAPI threads of one device */

struct watched {
	struct netdev nd;           /* name "": the slot is free */
	uint64_t since_ns, gone_ns; /* gone_ns 0: it is there */
	struct device_counters reader;
	struct counters before, grown; /* at the last interval's end; in that interval */
	struct attached programs[ATTACHED_MAX];
	size_t nprograms;
	pid_t tids[WATCH_THREADS];
	size_t ntids;
};

struct devices {
	const char *const *names; /* borrowed */
	size_t nnames;            /* 0: all devices */
	int sysfs_fd;
	size_t nleft; /* devices that found no slot */
	struct watched list[WATCH_SLOTS];
};

void devices_init(struct devices *ds);
int devices_open(struct devices *ds, const char *const *names, size_t n, struct probe *p, struct diag *d);
/* told: false from now on for each slot whose device, or whose device's programs, are others than before. */
int devices_refresh(struct devices *ds, struct probe *p, bool told[WATCH_SLOTS], struct diag *d);
/* The growth of each device's counters since the last call. */
int devices_count(struct devices *ds);
void devices_release(struct devices *ds); /* may be called twice */

/* The device with this number; NULL: none that is watched. */
const struct watched *devices_find(const struct devices *ds, int ifindex);
/* Is it there now? */
bool watched_is(const struct watched *w);

#endif
