/*
 * tc_hook - a tc program on the way into a device
 *
 * in:    a device of the calling process's network namespace; a loaded tc program
 * law:   tc_hook_close() removes what tc_hook_open() attached, and the clsact hook with it where it made one
 * error: -errno: the device takes no tc program, or has a clsact hook already
 */
#ifndef USER_TC_HOOK_H
#define USER_TC_HOOK_H

#include "user/machine/netdev.h"

struct tc_hook {
	int link_fd;        /* where the kernel has tcx (6.6); -1: none */
	int clsact_ifindex; /* the device that carries a clsact hook of ours; 0: none */
};

void tc_hook_init(struct tc_hook *h);
int tc_hook_open(struct tc_hook *h, const struct netdev *nd, int prog_fd);
/* Only where the kernel has tcx, so that nothing is left when this process is killed. */
int tc_hook_open_tcx(struct tc_hook *h, const struct netdev *nd, int prog_fd);
void tc_hook_close(struct tc_hook *h); /* in the namespace of tc_hook_open(); may be called twice */

#endif
