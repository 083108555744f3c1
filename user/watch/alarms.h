/*
 * alarms - triggers (triggers.h) on the lines of a watch, and on lines that a watch has printed before
 *
 * in:    struct watch_line; or a file of JSON Lines, "xdpzoom.watch/1", as watch -f jsonl prints them
 * out:   alarms_replay(): a line on standard output for each trigger that came true, and how many did
 * error: -errno with one sentence; -EINVAL a line that is no object
 */
#ifndef USER_WATCH_ALARMS_H
#define USER_WATCH_ALARMS_H

#include "user/watch/triggers.h"
#include "user/watch/watch.h"

/* NULL: nothing came true. words as in triggers_judge(). */
const struct trigger *alarms_judge(struct triggers *t, const struct watch_line *line, char *words, size_t size);
int alarms_replay(struct triggers *t, const char *path, unsigned long *count, struct diag *d);

#endif
