/*
 * queue_lines - what was seen of queues in an interval, as text, and as an object ("xdpzoom.watch-queues/1")
 *
 * in:    struct queue_seen (queues.h); the devices' names are those of this process's network namespace
 * out:   text on standard output: queues that held something, and, where all is true, those that nothing is known of.
 *        The object is owned by the caller; NULL: no memory
 * law:   every number of the text is in the object
 * error: -errno of the stream
 */
#ifndef USER_WATCH_QUEUE_LINES_H
#define USER_WATCH_QUEUE_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "user/watch/queues.h"

#define WATCH_QUEUES_SCHEMA "xdpzoom.watch-queues/1"

/* "xzrx ring 0", "udp socket at port 9", "cpumap 12 on CPU 1" */
void queue_lines_name(const struct queue_seen *s, char *to, size_t size);
int queue_lines_text(const struct queue_seen *list, size_t n, const struct queue_looks *looks, bool all);
json_t *queue_lines_object(const struct queue_seen *list, size_t n, const struct queue_looks *looks, double time_s,
			   double seconds);
int queue_lines_json(const json_t *object);
/* The highest fill of a device's queues, in percent of their size; ifindex 0: of the backlog. NaN: none is known. */
double queue_lines_most_pct(const struct queue_seen *list, size_t n, int ifindex);

#endif
