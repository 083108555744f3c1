/*
 * tc_hook - a tc program on the way into a device
 *
 * in:    a device of the calling process's network namespace; a loaded tc program
 * law:   tc_hook_close() removes what tc_hook_open() attached. When this process is killed, the kernel does (tcx, from
 *        Linux 6.6 on), or a guard. A clsact hook that was there stays there. Of two hooks of ours on one device, the
 *        later one is closed first
 * error: -errno: the device takes no tc program
 */
#ifndef USER_TC_HOOK_H
#define USER_TC_HOOK_H

#include "user/machine/guard.h"
#include "user/machine/netdev.h"

struct tc_hook {
	int link_fd;        /* where the kernel has tcx (6.6); -1: none */
	struct guard guard; /* of a filter of clsact */
};

void tc_hook_init(struct tc_hook *h);
int tc_hook_open(struct tc_hook *h, const struct netdev *nd, int prog_fd);
void tc_hook_close(struct tc_hook *h); /* may be called twice */

#endif
