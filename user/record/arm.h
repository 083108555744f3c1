/*
 * arm - a pair of the lab's devices (rig.h) that one variant is attached to for the length of a round
 *
 * units: frames; at_ns is CLOCK_MONOTONIC
 * law:   what is attached ends with this process
 */
#ifndef USER_ARM_H
#define USER_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "reports/run/counters.h"
#include "user/machine/device_counters.h"
#include "user/machine/netdev.h"
#include "user/observe/observer.h"
#include "user/ladder/rung.h"
#include "user/programs/bench.h"

/* What is read of an arm before and after a round. */
struct arm_reading {
	uint64_t at_ns, packets;
	uint64_t lost;          /* rung_lost() */
	uint64_t back;          /* frames that came back to the sender; UINT64_MAX: not counted */
	int64_t taken, refused; /* frames, by the sending device; -1: not counted */
	struct counters rx;
};

/* A pair of the lab's devices (rig.h) and the program on it in this round. */
struct arm {
	size_t number;
	struct netdev rx, tx; /* in the receiver's namespace, in the sender's */
	pid_t napi_tid;       /* 0: polled in softirqs */
	struct bench bench;
	struct observer observer;
	struct rung rung;      /* instead of a program; open while the variant is one */
	int netns_fd;          /* of the receiver's own namespace (rig_arms.apart); -1: the one this process is in */
	unsigned int rx_netns; /* the inode number of the receiver's namespace */
	bool sink_in_softirqs; /* rig_arm_sink() */
	struct device_counters rx_counters;
	struct arm_reading before;
};

#endif
