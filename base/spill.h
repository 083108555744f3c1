/*
 * spill - a file that grows piece by piece, and takes from memory what is in it
 *
 * in:    the file's path; pieces of text, each written to a stream
 * out:   spill_copy(): all pieces, in their order
 * units: bytes
 * law:   a piece that cannot be written whole is not in the file; only where the process or the machine dies meanwhile
 *        the file may end with a part of one. All zero: a spill without a file
 * error: -errno
 */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct spill {
	bool is_open;
	int fd;
	off_t size;
};

/* An empty file of this name; one that is there is removed. */
int spill_open(struct spill *s, const char *path);
/* A stream at the end of the file, for one piece; NULL: no memory, or no descriptor is left. */
FILE *spill_begin(const struct spill *s);
/* Closes the stream. err: what went wrong while the piece was made. Returns the first error. */
int spill_end(struct spill *s, FILE *piece, int err);
/* Over what is in the file from this offset on. */
int spill_put(const struct spill *s, off_t at, const char *text, size_t n);
/* Errors of the stream stay with the stream, as those of fwrite(). */
int spill_copy(const struct spill *s, FILE *to);
int spill_sync(const struct spill *s);
void spill_release(struct spill *s); /* the file stays; may be called twice */

#endif
