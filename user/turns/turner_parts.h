/*
 * turner_parts - what the two kinds of turns behind turner.h do by themselves; no other file includes this header
 *
 * law: open() may fail half-way; stop() and close() then undo what is there. stop() may be called twice
 */
#ifndef USER_TURNER_PARTS_H
#define USER_TURNER_PARTS_H

#include "user/turns/turner.h"

struct turner_kind {
	int (*open)(struct turner *t, struct diag *d); /* sets records and foreigns */
	int (*begin)(struct turner *t, struct diag *d);
	int (*check)(struct turner *t, struct diag *d);
	int (*end)(struct turner *t, struct diag *d);
	void (*stop)(struct turner *t);
	void (*close)(struct turner *t);
	size_t (*count)(const struct turner *t);
	uint64_t (*sent)(const struct turner *t, size_t arm);
	void (*keep_foreign)(struct turner *t, bool on);
	size_t (*foreigns)(const struct turner *t);
	int (*calibrate)(struct turner *t, bool on, struct diag *d);
	pid_t (*sender_tid)(const struct turner *t); /* NULL: no thread of this process sends */
};

extern const struct turner_kind turner_sends; /* send_turns.c */

#endif
