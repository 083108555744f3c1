/*
 * state - what may make packets dearer, slower or fewer when somebody changes it: a machine's settings, and the tasks
 * that take packets up
 *
 * in:    the devices that are watched, in this process's network namespace, and whose readers are wanted: sockets, by
 *        their inode numbers, and all taps of the namespace
 * out:   {"objects": {OBJECT: {NAME: value}}, "tasks": {TASK: {...}}, "unknown": [...]}; owned by the caller. An
 *        object is a device, "nft", "packet sockets", or "" for the machine; docs/formats.rst has the names
 * units: of tasks: ns on a CPU and ns of waiting for one, since they began; ns in which their control group was
 *        throttled
 * law:   nothing is changed. Numbers that the kernel gives anew each time, as those of programs, are no part of a
 *        value: two readings differ only if somebody changed something. What cannot be seen is a sentence of
 *        "unknown", and has no value
 * error: NULL: no memory
 */
#ifndef USER_WATCH_STATE_H
#define USER_WATCH_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "user/watch/devices.h"

#define STATE_SOCKETS 256

struct state_wanted {
	uint64_t sockets[STATE_SOCKETS];
	size_t nsockets;
	bool taps;
};

json_t *state_read(const struct devices *ds, const struct state_wanted *wanted);

#endif
