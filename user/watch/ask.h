/*
 * ask - asks a running watch for a dump: by SIGUSR2, or over a socket
 *
 * in:    ask_listen(): the watch, before it enters another network namespace; ask_dump(): another process of the same
 *        network namespace and user
 * out:   requests, one at a time; the answer, a sentence, and whether it failed
 * units: s
 * law:   the socket has no file: nothing is left when the watch is killed. A process of another user, root aside, is
 *        neither heard nor believed. One watch listens; a second one hears SIGUSR2 alone
 * error: -errno with one sentence; -ESRCH no watch listens; -ETIMEDOUT it does not
 *        answer; -EADDRINUSE another one listens
 */
#ifndef USER_WATCH_ASK_H
#define USER_WATCH_ASK_H

#include <stdbool.h>
#include "base/diag.h"

struct ask_request {
	double after_s; /* go on for so long before the dump */
	char dir[4096]; /* "": the watch chooses */
};

struct ask {
	int listen_fd, client_fd; /* -1: none; the client waits for an answer */
};

void ask_init(struct ask *a);
int ask_listen(struct ask *a, struct diag *d);
/* Returns whether somebody asked, without waiting. A signal's request has no directory and the default time. */
bool ask_next(struct ask *a, double default_after_s, struct ask_request *r);
void ask_answer(struct ask *a, int err, const char *sentence);
void ask_release(struct ask *a); /* may be called twice */

/* Waits for the answer, which is put into d. Returns 0, or what the watch failed with. */
int ask_dump(const struct ask_request *r, struct diag *d);

#endif
