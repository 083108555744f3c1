/*
 * fd_owner - which process holds something that the kernel shows only through a descriptor
 *
 * in:    what the descriptor's link in /proc reads ("anon_inode:bpf-stats", "socket:[4711]"), and a line of its fdinfo
 *        ("link_id:\t12"), or NULL
 * out:   the first such process
 * law:   processes that this one may not look into are not seen
 */
#ifndef USER_FD_OWNER_H
#define USER_FD_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

struct fd_owner {
	pid_t pid;
	char comm[20];
	bool own; /* it is this process or a child of it */
};

bool fd_owner_find(const char *link, const char *line, struct fd_owner *owner);

#endif
