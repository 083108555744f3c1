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

#include "user/watch/watch.h"

#define WATCH_SCHEMA "xdpzoom.watch/1"

void lines_head(void);
int lines_text(const struct watch_line *line);
int lines_json(const struct watch_line *line);

#endif
