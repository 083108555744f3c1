// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/alarms.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_text.h"
#include "base/printable.h"
#include "user/watch/lines.h"

static double alarms_part_pct(double part, double of)
{
	return of > 0 ? 100 * part / of : NAN;
}

const struct trigger *alarms_judge(struct triggers *t, const struct watch_line *line, char *words, size_t size)
{
	const struct watch_polls *p = &line->polls;
	const struct counters *grown = line->device ? &line->device->grown : NULL;
	struct trigger_values v = {.slot = line->slot, .seconds = line->seconds};
	double losses = 0;

	v.since_ns = line->device ? line->device->since_ns : 0;
	for (size_t i = 0; grown && i < grown->n; i++)
		losses += counter_is_loss(&grown->list[i]) && grown->list[i].known ? (double)grown->list[i].value : 0;
	v.values[TRIGGER_LOSSES] = losses / v.seconds;
	v.values[TRIGGER_SQUEEZED] = (double)line->squeezed / v.seconds;
	v.values[TRIGGER_BACKLOG_DROPS] = (double)line->backlog_drops / v.seconds;
	v.values[TRIGGER_PPS] = (double)p->packets / v.seconds;
	v.values[TRIGGER_NS] = line->cost.ns;
	v.values[TRIGGER_PER_POLL] = p->polls ? (double)p->packets / (double)p->polls : NAN;
	v.values[TRIGGER_EMPTY_PCT] = alarms_part_pct((double)p->empty, (double)p->polls);
	v.values[TRIGGER_FULL_PCT] = alarms_part_pct((double)p->full, (double)p->polls);
	v.values[TRIGGER_BUSY_PCT] = line->busy_pct;
	v.values[TRIGGER_QUEUE_PCT] = line->queue_pct;
	v.values[TRIGGER_PROGRAMS] = line->programs_changed && line->time_s > line->seconds * 1.5;
	return triggers_judge(t, &v, words, size);
}

/* ---- lines that were printed before ----------------------------------------------------------------------------- */

struct replay {
	struct triggers *t;
	char devices[WATCH_SLOTS][64];
	json_t *programs[WATCH_SLOTS]; /* in the device's last line */
	unsigned long count;
};

/* The slot of a device, in the order in which they come; WATCH_SLOTS: there are too many. */
static unsigned int slot_named(struct replay *r, const char *name)
{
	unsigned int slot = 0;

	while (slot < WATCH_SLOTS && r->devices[slot][0] && strcmp(r->devices[slot], name))
		slot++;
	if (slot < WATCH_SLOTS)
		snprintf(r->devices[slot], sizeof(r->devices[slot]), "%s", name);
	return slot;
}

static double losses_of(const json_t *o)
{
	json_t *list = json_object_get(o, "losses"), *one;
	double sum = 0;
	size_t i;

	json_array_foreach (list, i, one)
		sum += json_is_number(json_object_get(one, "packets")) ? json_text_number(one, "packets") : 0;
	return sum;
}

static bool programs_differ(struct replay *r, unsigned int slot, const json_t *o)
{
	json_t *now = json_object_get(o, "programs");
	bool differ = r->programs[slot] && now && !json_equal(r->programs[slot], now);

	json_decref(r->programs[slot]);
	r->programs[slot] = json_incref(now);
	return differ;
}

static void replay_line(struct replay *r, const json_t *o)
{
	const char *name = json_string_value(json_object_get(o, "device"));
	double polls = json_text_number(o, "polls"), packets = json_text_number(o, "packets");
	struct trigger_values v = {.seconds = json_text_number(o, "seconds")};
	char words[200];

	v.slot = slot_named(r, name ? name : "(backlog)");
	if (v.slot == WATCH_SLOTS || !(v.seconds > 0))
		return;
	v.values[TRIGGER_LOSSES] = losses_of(o) / v.seconds;
	v.values[TRIGGER_SQUEEZED] = json_text_number(o, "squeezed") / v.seconds;
	v.values[TRIGGER_BACKLOG_DROPS] = json_text_number(o, "backlog_drops") / v.seconds;
	v.values[TRIGGER_PPS] = packets / v.seconds;
	v.values[TRIGGER_NS] = json_text_number(o, "ns_per_packet");
	v.values[TRIGGER_PER_POLL] = polls > 0 ? packets / polls : NAN;
	v.values[TRIGGER_EMPTY_PCT] = alarms_part_pct(json_text_number(o, "empty_polls"), polls);
	v.values[TRIGGER_FULL_PCT] = alarms_part_pct(json_text_number(o, "full_polls"), polls);
	v.values[TRIGGER_BUSY_PCT] = json_text_number(o, "busy_pct");
	v.values[TRIGGER_QUEUE_PCT] = json_text_number(o, "queue_pct");
	v.values[TRIGGER_PROGRAMS] = programs_differ(r, v.slot, o);
	if (!triggers_judge(r->t, &v, words, sizeof(words)))
		return;
	r->count++;
	printable_printf(stdout, "%8.1f %s %s\n", json_text_number(o, "time_s"), r->devices[v.slot], words);
}

int alarms_replay(struct triggers *t, const char *path, unsigned long *count, struct diag *d)
{
	FILE *f = fopen(path, "re");
	struct replay r = {.t = t};
	char *line = NULL;
	size_t cap = 0;
	int err = f ? 0 : diag_set(d, -errno, "%s: %s", path, strerror(errno));

	for (unsigned long n = 1; !err && getline(&line, &cap, f) > 0; n++) {
		json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		const char *schema = json_string_value(json_object_get(o, "schema"));

		if (!schema)
			err = diag_set(d, -EINVAL, "%s: line %lu is no line of xdpzoom watch -f jsonl", path, n);
		else if (!strcmp(schema, WATCH_SCHEMA))
			replay_line(&r, o);
		json_decref(o);
	}
	if (!err && ferror(f))
		err = diag_set(d, -EIO, "%s cannot be read", path);
	if (f)
		fclose(f);
	free(line);
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		json_decref(r.programs[slot]);
	*count = r.count;
	return err;
}
