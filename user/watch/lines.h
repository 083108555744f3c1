/*
 * lines - the lines of watch: a device in an interval as text, or as an object of JSON Lines
 *
 * in:    struct watch_line (watch.h)
 * out:   on standard output; of text at most 80 columns but for names of counters and programs; objects have the schema
 *        "xdpzoom.watch/1"
 * units: in the names; null: not known
 * law:   every number of the text is in the object, and neither computes
 * error: -errno of the stream; -EPIPE the reader closed its pipe
 */
#ifndef USER_WATCH_LINES_H
#define USER_WATCH_LINES_H

#include "user/watch/flight.h"
#include "user/watch/watch.h"

#define WATCH_SCHEMA           "xdpzoom.watch/1"
#define WATCH_FUNCTIONS_SCHEMA "xdpzoom.watch-functions/1"

void lines_head(void);
int lines_text(const struct watch_line *line);
int lines_json(const struct watch_line *line);
/* What packets of a slot's device cost by facility; the object has the schema "xdpzoom.watch-functions/1". */
int lines_functions(const struct watcher *w, unsigned int slot, const struct flight_costs *costs);
int lines_functions_json(const struct watcher *w, unsigned int slot, const struct flight_costs *costs);

#endif
