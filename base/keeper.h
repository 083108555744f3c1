/*
 * keeper - a process that keeps the rights which its jailed child gives up, and does for it what was agreed on before
 *
 * in:    a function, and what it works on, both from before the child reads anything of a stranger
 * out:   a channel in the child. The process that called keeper_begin() answers there, and ends as the child ends
 * law:   the keeper reads numbers from the child and nothing else. So a child that obeys a stranger can get no more
 *        than what the function does for one of its numbers. The child ends with its keeper
 * error: -errno with one sentence, and there are no two processes; of keeper_ask(), also -errno of the function
 */
#ifndef BASE_KEEPER_H
#define BASE_KEEPER_H

#include "base/diag.h"

/*
 * In the keeper: does what the child asks for, and returns the answer, 0 or -errno. *fd: -1; or a descriptor to hand
 * over, which is closed then. what == KEEPER_END, once: the child has ended, with the exit status `detail` (-1: by a
 * signal), and the answer is the exit status.
 */
typedef int keeper_fn(void *arg, int what, int detail, int *fd);
enum { KEEPER_END = -1 };

/* Returns 0 in the child, which enters its jail then. Before, nothing may wait in the buffers of streams. */
int keeper_begin(int *channel, keeper_fn *serve, void *arg, struct diag *d);
/* fd: where a descriptor goes that is handed over, -1 for none; or NULL. */
int keeper_ask(int channel, int what, int detail, int *fd);

#endif
