/*
 * spill - text on disk that waits until it is copied to its place, so that it takes no memory
 *
 * in:    a directory; pieces of text
 * out:   spill_copy(): all pieces, in their order
 * units: bytes
 * law:   the text is in a file without a name, which is gone with the process. A piece that cannot be written whole is
 *        not in it. All zero: a spill without a file
 * error: -errno; -EOPNOTSUPP: the directory's file system has no files without names
 */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct spill {
	FILE *file;
	off_t size;
};

/* Opens the file, in dir, with the first piece. */
int spill_add(struct spill *s, const char *dir, const char *text, size_t n);
/* Errors of the stream stay with the stream, as those of fwrite(). */
int spill_copy(const struct spill *s, FILE *to);
void spill_release(struct spill *s); /* may be called twice */

#endif
