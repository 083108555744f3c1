/*
 * events - the names of the events in a text
 *
 * in:    names as perf prints them
 * out:   a set in the order of the text, owned by the caller
 * law:   names beyond EVENTS_MAX are not kept; a wanted "cycles" matches "cycles" and "cycles:k", but not "cycles-x"
 * error: none
 */
#ifndef PERFPARSE_EVENTS_H
#define PERFPARSE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#define EVENTS_MAX 16

struct events {
	char names[EVENTS_MAX][64];
	int n;
};

void events_add(struct events *e, const char *name, size_t len);        /* does nothing if the name is in the set */
int events_find(const struct events *e, const char *name, size_t len);  /* its index; -1: it is not there */
void events_add_list(struct events *e, const char *s, const char *end); /* "cycles, cpu/event=0x3c,umask=0x0/" */
void events_list(const struct events *e, char *list, size_t size);      /* "cycles, instructions" */
/*
 * True for clocks and cycles, whose samples are shares of time. False for all others, such as tracepoints, page faults,
 * memory loads, and numbers of raw events that are not known to be those of cycles. "" is a text without a name: true.
 */
bool event_is_time(const char *event);
/* Why shares of such samples are no shares of a packet's time, behind "the event 'X' "; NULL: they are. */
const char *event_no_time(const char *event, bool by_weight);
bool event_matches(const char *want, const char *event, size_t len);

#endif
