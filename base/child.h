/*
 * child - a process of our own, which does not outlive this one
 *
 * in:    orphaned: the signal that ends the child when this process ends, or the thread that began it
 * out:   child_fork(): as fork(); the caller waits for the child. child_wait(): how it ended, as waitpid() tells it
 * law:   a child whose parent ends before the child has asked for that signal ends, too. A signal that comes meanwhile
 *        ends no wait
 * error: -1 with errno, as fork(); -1, which is neither an exit nor a signal, for the end of what is no child
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <sys/types.h>

pid_t child_fork(int orphaned);
int child_wait(pid_t pid);
int child_kill(pid_t pid); /* and waits for its end */

#endif
