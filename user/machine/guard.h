/*
 * guard - a child that undoes something when this process closes it, and also when this process dies in any way
 *
 * in:    a function that undoes; it runs in the child, which has the namespaces of guard_start() and of all open files
 *        only keep_fd (-1: none)
 * out:   nothing: what the function cannot undo stays
 * law:   the child outlives what ends this process: it has no signals and a session of its own. It ends after undo()
 * error: -errno: no child; then undo() does not run
 */
#ifndef USER_GUARD_H
#define USER_GUARD_H

#include <sys/types.h>

struct guard {
	pid_t pid; /* 0: none */
	int fd;    /* the end of a pipe; the child waits at the other end */
};

void guard_init(struct guard *g);
/* Before the thing is there, so that no moment is without a guard. arg must be valid in the child: a copy of memory. */
int guard_start(struct guard *g, void (*undo)(const void *arg, int keep_fd), const void *arg, int keep_fd);
void guard_close(struct guard *g); /* undone when it returns; may be called twice */

#endif
