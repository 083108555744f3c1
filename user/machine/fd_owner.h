/*
 * fd_owner - which process holds something that the kernel shows only through a descriptor
 *
 * in:    a process; or what the descriptor's link in /proc reads ("anon_inode:bpf-stats", "socket:[4711]"), and a line
 *        of its fdinfo ("link_id:\t12"), or NULL
 * out:   its descriptors; the first such process
 * law:   processes that this one may not look into are not seen
 */
#ifndef USER_FD_OWNER_H
#define USER_FD_OWNER_H

#include <net/if.h>
#include <stdbool.h>
#include <sys/types.h>

#define FD_TAP "/dev/net/tun" /* the link of a descriptor of a tun or tap device */

struct fd_owner {
	pid_t pid;
	char comm[20];
	bool own; /* it is this process or a child of it */
};

/* Calls take() with each descriptor of the process, and its link, until it returns false. */
void fd_owner_each(pid_t pid, bool (*take)(int fd, const char *link, void *arg), void *arg);
/* The device of such a descriptor, and the inode number of its network namespace. False: none, or it may not be seen */
bool fd_owner_tap(int pidfd, int fd, char name[IFNAMSIZ], unsigned int *netns);
bool fd_owner_find(const char *link, const char *line, struct fd_owner *owner);

#endif
