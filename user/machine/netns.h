/*
 * netns - named network namespaces, as `ip netns` knows them, and the sysfs that belongs to one
 *
 * in:    names without slashes; /run/netns is made if missing
 * out:   namespaces that live until netns_remove(); file descriptors owned by the caller
 * law:   netns_enter() changes this process alone; what netns_add() made, netns_remove() takes away
 * error: -errno with one sentence; -EPERM without CAP_SYS_ADMIN
 */
#ifndef USER_NETNS_H
#define USER_NETNS_H

#include <stdbool.h>
#include "base/diag.h"

bool netns_exists(const char *name);
int netns_add(const char *name, struct diag *d);    /* -EEXIST when it is there */
int netns_remove(const char *name, struct diag *d); /* fine when it is not there */
int netns_open(const char *name, struct diag *d);   /* descriptor */
int netns_enter(const char *name, struct diag *d);  /* NULL or "": stay where we are */
/*
 * There and back: *saved is the namespace this process was in, to be given to netns_back(), which closes it.
 */
int netns_visit(const char *name, int *saved, struct diag *d);
void netns_back(int *saved);
/* The same for a namespace known by its inode; -ENOENT: it is gone. Here already: nothing is done, *saved is -1. */
int netns_visit_inum(unsigned int inum, int *saved, struct diag *d);
unsigned int netns_inum(void); /* of this process's namespace, 0 if unknown */

/*
 * A directory descriptor of a sysfs that shows this process's network namespace, attached to no mount point, so that
 * it vanishes with its last descriptor (fsopen(2), fsmount(2), Linux 5.2).
 */
int netns_sysfs(struct diag *d);

#endif
