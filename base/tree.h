/*
 * tree - what lies below an open directory, reached by handles and never by a path
 *
 * in:    a directory's handle
 * law:   no link is followed, so that nothing outside of the directory is touched, whoever renames what is above it
 * error: -errno of the first thing that failed; the rest is done all the same. -ELOOP: deeper than TREE_DEPTH
 */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include <sys/types.h>

#define TREE_DEPTH 32

int tree_sync(int fd);   /* the directory itself as well */
int tree_remove(int fd); /* all that is below it; the directory stays, empty */
/* Everything below; the directory itself keeps its owner. */
int tree_chown(int fd, uid_t uid, gid_t gid);
/* -EXDEV: a link leads out of it, or an entry is neither a file, a directory nor a link. */
int tree_closed(int fd);
int tree_empty(int fd); /* 1: it is, 0: it is not; -errno */
/* Opens a directory by its name in another one; -errno. */
int tree_open(int parent_fd, const char *name);

#endif
