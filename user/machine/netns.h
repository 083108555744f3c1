/*
 * netns - named network namespaces, as `ip netns` makes them, and the sysfs of a namespace
 *
 * in:    names without slashes; /run/netns is made if missing
 * out:   namespaces that live until netns_remove(); file descriptors owned by the caller
 * law:   netns_enter() changes this process alone; netns_remove() removes everything that netns_add() made
 * error: -errno with one sentence; -EPERM without CAP_SYS_ADMIN
 */
#ifndef USER_NETNS_H
#define USER_NETNS_H

#include <stdbool.h>
#include "base/diag.h"

struct nl_sock;

bool netns_exists(const char *name);
int netns_add(const char *name, struct diag *d);    /* -EEXIST: there is a namespace of this name */
int netns_remove(const char *name, struct diag *d); /* returns 0 also when there is no such namespace */
int netns_open(const char *name, struct diag *d);   /* a descriptor, which the caller closes */
int netns_enter_fd(int fd);                         /* like setns(2); staying where one is needs no capability */
int netns_enter(const char *name, struct diag *d);  /* NULL or "": does nothing */
/* Makes a namespace without a name, which lives as long as *fd is open and devices are in use there. */
int netns_make(int *fd, struct diag *d);
/*
 * Enters the namespace for a while. *saved is a descriptor of the namespace that this process was in; netns_back() goes
 * back there and closes it.
 */
int netns_visit(const char *name, int *saved, struct diag *d);
int netns_visit_fd(int fd, int *saved, struct diag *d);
void netns_back(int *saved);
/*
 * netns_visit() for a namespace with this inode number; -ENOENT: it no longer exists. When this process is in that
 * namespace already, does nothing and sets *saved to -1.
 */
int netns_visit_inum(unsigned int inum, int *saved, struct diag *d);
/* A number that no other namespace has until the next boot, unlike the inode number; 0: Linux before 5.14. */
unsigned long long netns_cookie(void);
/* The number of the namespace of fd in this process's one (RTM_GETNSID), by a socket of NETLINK_ROUTE; -1: none. */
int netns_id(struct nl_sock *sk, int fd);
unsigned int netns_inum(void); /* the inode number of this process's namespace; 0: not known */

/*
 * A directory descriptor of a sysfs that shows this process's network namespace. The sysfs has no mount point, so it
 * vanishes when its last descriptor is closed (fsopen(2), fsmount(2), Linux 5.2).
 */
int netns_sysfs(struct diag *d);

#endif
