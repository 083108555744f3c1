/*
 * new_file - writes a file that is complete or absent
 *
 * law:   the file is written under a name of its own that did not exist, beside the one that it gets. It is flushed and
 *        synced before it takes that name, and takes the place of an older file at once, with its mode and owner. So
 *        nobody sees a part of it, and a full disk costs nothing that was there. Where a path is a link, what it leads
 *        to is replaced; where it is a device, a FIFO or a socket, that is written to directly. What a stranger has put
 *        in the place is replaced itself, is not written to or followed, and passes on neither mode nor owner. A
 *        stranger is who is not this user, root or the caller of sudo, and can write into the directory
 * error: -errno with one sentence; the old file is as it was, and nothing is left, but of a process that was killed
 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/diag.h"

struct new_file {
	FILE *stream;
	int dir_fd; /* of the directory, or AT_FDCWD; ours to close when >= 0 and own_dir */
	int own_dir, direct;
	int keeper, number; /* keeper > 0: the channel to whom puts the file in place, and its number there */
	char name[256];     /* in that directory */
	char tmp[300];      /* its name until it is complete; "": there is none */
	char path[4096];    /* for sentences */
};

/* mode: the permissions of a new file, less those of the umask, e.g. 0666. */
int new_file_open(struct new_file *nf, const char *path, mode_t mode, struct diag *d);
int new_file_open_at(struct new_file *nf, int dir_fd, const char *name, mode_t mode, struct diag *d);
/*
 * -EINVAL: path, of an option --output, is the same regular file as input, or as one that input goes on below, under
 * whatever name. Either may be NULL.
 */
int new_file_spares(const char *path, const char *input, struct diag *d);
/* err: what went wrong while the content was made; then the file is not put in place. Returns the first failure. */
int new_file_close(struct new_file *nf, int err, struct diag *d);

/*
 * Leaves it to a keeper to put these open files in place, so that this process can enter a jail in which nothing can be
 * written. Returns 0 in another process, the child. A file that this one does not close is not put in place.
 */
int new_file_keep(struct new_file *const files[], size_t n, struct diag *d);
/* For the function of another keeper, in which the files have the numbers from 0 on: see keeper_fn. */
struct new_files {
	struct new_file *const *files;
	size_t n;
};
int new_file_serve(const struct new_files *f, int what, int detail);
void new_file_kept(const struct new_files *f, int channel); /* in the child */

#endif
