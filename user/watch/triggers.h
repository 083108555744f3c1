/*
 * triggers - conditions on what a device does, and whether one of them has just come true
 *
 * in:    a text, a line for each trigger, "#" begins a comment:
 *            NAME MEASURE > THRESHOLD [for TIME]        or <
 *        MEASURE is one of measures[] in triggers.c. THRESHOLD is a number; "N%" of what is usual for this device; or
 *        "learnt": beyond what is usual by TRIGGER_FAR times its scatter
 * out:   for each line of watch (watch.h): the trigger that came true with it
 * units: losses, squeezed, backlog_drops and pps are per second; the others as their names say
 * law:   a trigger comes true when its condition has held for its time, and not again before it has been false. What is
 *        usual is the median of the device's last TRIGGER_LEARN intervals; for ns_per_packet of those with as many
 *        packets per poll, to an octave. While fewer than TRIGGER_ENOUGH are known, "N%" and "learnt" are false. What
 *        holds a trigger true is not learnt
 * error: -EINVAL with the line's number
 * src:   scatter: 1.4826 times the median absolute deviation, as seconds of a shared machine have heavy tails
 */
#ifndef USER_WATCH_TRIGGERS_H
#define USER_WATCH_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include "base/diag.h"
#include "bpf/layout.h"

#define TRIGGERS_MAX   16
#define TRIGGER_FAR    4
#define TRIGGER_LEARN  300
#define TRIGGER_ENOUGH 30

enum trigger_measure {
	TRIGGER_LOSSES,
	TRIGGER_SQUEEZED,
	TRIGGER_BACKLOG_DROPS,
	TRIGGER_PPS,
	TRIGGER_NS,
	TRIGGER_PER_POLL,
	TRIGGER_EMPTY_PCT,
	TRIGGER_FULL_PCT,
	TRIGGER_BUSY_PCT,
	TRIGGER_QUEUE_PCT, /* of a queue's size, the highest fill of one of the device's queues */
	TRIGGER_PROGRAMS,  /* 1 in an interval in which programs came or went */
	TRIGGER_MEASURES
};

enum trigger_kind { TRIGGER_NUMBER, TRIGGER_PERCENT, TRIGGER_LEARNT };

struct trigger {
	char name[32];
	enum trigger_measure measure;
	enum trigger_kind kind;
	bool below;
	double threshold, for_s;
	double held_s[WATCH_SLOTS]; /* how long it has been true by now */
	bool fired[WATCH_SLOTS];
};

/* What one device did in one interval. */
struct trigger_values {
	unsigned int slot;
	uint64_t since_ns; /* since when the device has the slot; of one before nothing is known */
	double seconds, values[TRIGGER_MEASURES]; /* NaN: not known */
};

struct trigger_past; /* of a device */

struct triggers {
	struct trigger list[TRIGGERS_MAX];
	size_t n;
	struct trigger_past *past[WATCH_SLOTS];
};

/* path NULL: the triggers of default_text in triggers.c. */
int triggers_read(struct triggers *t, const char *path, struct diag *d);
/* The first trigger that came true; NULL: none. words: the condition with its numbers. */
const struct trigger *triggers_judge(struct triggers *t, const struct trigger_values *v, char *words, size_t size);
void triggers_release(struct triggers *t); /* may be called twice */

#endif
