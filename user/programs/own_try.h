/*
 * own_try - does first in a child what a file of a stranger may crash, hang or starve: libbpf crashes on some objects
 *
 * in:    a function that reads the file into memory of its own; it runs in a child process, with the limits below
 * out:   nothing but its result: what the function read is gone with the child
 * law:   the child ends before own_try() returns, and when this process dies. Where own_try() returned 0, the same call
 *        in this process ends well too, as long as the file stays the same
 * error: the function's own -errno and sentence; -EINVAL: it crashed, took too long, or wanted too much memory
 */
#ifndef USER_OWN_TRY_H
#define USER_OWN_TRY_H

#include <stddef.h>
#include "base/diag.h"

struct own_limits {
	unsigned int seconds;
	size_t bytes; /* of the child's whole memory; 0: no limit */
};

/* path: the file's name, for the sentence. */
int own_try(int (*read_it)(void *arg, struct diag *d), void *arg, const char *path, const struct own_limits *limits,
	    struct diag *d);

#endif
