/*
 * target - the device a command works on: a name, a name in a namespace, or the word "lab"
 *
 * in:    "eth0", or "lab" (made when it is not there, and then removed at the end); --netns NAME
 * out:   this process inside the device's namespace, the device looked up
 * law:   target_release() removes a lab that target_open() made, and only that
 * error: -errno with one sentence
 */
#ifndef USER_TARGET_H
#define USER_TARGET_H

#include <stdbool.h>
#include "base/diag.h"
#include "user/machine/netdev.h"

struct target {
	struct netdev nd;
	bool lab;
	bool made_lab;
	int lock_fd;
	int home_fd; /* the namespace we came from */
};

void target_init(struct target *t);
/* alone: nobody else may use the lab meanwhile; rx_cpu < 0: the lab's, or the default. */
int target_open(struct target *t, const char *name, const char *netns, int rx_cpu, bool alone, struct diag *d);
void target_release(struct target *t); /* back home; may be called twice */

#endif
