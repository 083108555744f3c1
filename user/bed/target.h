/*
 * target - the device a command works on: a name, a name in a namespace, or the word "lab"
 *
 * in:    "eth0", or "lab" (target_open() makes the lab when there is none); --netns NAME
 * out:   this process is inside the device's namespace; the device is looked up
 * law:   target_release() removes the lab only when target_open() made it. Where the command was killed, the next
 *        target_open() for the lab removes it; `lab up` and `lab down` make it the caller's own
 * error: -errno with one sentence
 */
#ifndef USER_TARGET_H
#define USER_TARGET_H

#include <stdbool.h>
#include "base/diag.h"
#include "user/machine/locks.h"
#include "user/machine/netdev.h"

struct target {
	struct netdev nd;
	bool lab;
	bool made_lab;
	int lock_fd;   /* of the lab */
	int device_fd; /* the lock of a device that is not the lab's */
	int home_fd;   /* the namespace that this process was in before */
};

void target_init(struct target *t);
/* alone: no other process may use the lab until target_release(); rx_cpu < 0: the lab's RX CPU, or the default. */
int target_open(struct target *t, const char *name, const char *netns, int rx_cpu, bool alone, struct diag *d);
/* The lab, if there is one, is no command's own any more: it stays until `lab down`. */
void target_keep_lab(void);
/* Is there a lab that a command made for itself, and which has ended since? Any user may ask. */
bool target_lab_orphaned(void);
bool target_is_away(const struct target *t); /* the device is in another namespace than this process was before */
void target_release(struct target *t);       /* goes back to the namespace of before; may be called twice */

#endif
