/*
 * host - the part of `xdpzoom exact` that starts the virtual machine and turns what it counted into a run directory
 *
 * in:    a kernel by the word of the harness, a file or a tree; what to count, where the run directory goes
 * out:   a run directory with the schema "xdpzoom.exact/1" (reports/exact/exact.h)
 * law:   any user may; nothing is written but the run directory and the cache of kernels ($XDG_CACHE_HOME/xdpzoom, or
 *        ~/.cache/xdpzoom); the virtual machine ends with this process, however that ends; a run directory is complete
 *        or absent. The guest is a stranger: its files are read as foreign ones, its names, numbers and words are
 *        checked, and of this machine's files it sees those that were named
 * error: -EOPNOTSUPP no QEMU or no harness here, -EIO the virtual machine failed (its last words are in the sentence),
 *        -EINTR stopped by a signal; nothing is left
 */
#ifndef USER_EXACT_HOST_H
#define USER_EXACT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include "base/diag.h"
#include "user/exact/guest.h"

struct host_options {
	struct guest_options what;
	char *const *words; /* of the command line, for the guest; end with NULL */
	json_t *command;    /* the whole command line, for run.json */
	const char *kernel; /* a version of Debian's, a file, FILE:DIR with its modules, or a tree of Linux */
	const char *out_dir;
	bool build;                        /* what of the tree is missing or old */
	const struct frame_source *frames; /* whose files the guest reads */
	bool force, quiet;
};

int host_count(const struct host_options *o, struct diag *d);

#endif
