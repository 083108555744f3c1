/*
 * caller - the person who called this program by sudo, and owns what it writes
 *
 * in:    SUDO_UID and SUDO_GID; an open file or directory, and the directory that it is in
 * law:   only root gives files away, and only in a directory that belongs to the caller: elsewhere, what root writes
 *        stays root's
 * error: none; a file system without owners is none
 * src:   sudo(8), "ENVIRONMENT"
 */
#ifndef BASE_CALLER_H
#define BASE_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

bool caller_find(uid_t *uid, gid_t *gid); /* who called root by sudo; false: nobody did */
/* parent_fd may be AT_FDCWD. */
bool caller_owns(int parent_fd, uid_t *uid, gid_t *gid);
void caller_give(int parent_fd, int fd);

#endif
