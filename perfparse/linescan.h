/*
 * linescan - lines out of a stream, by big blocks
 *
 * in:    a FILE, read with fread() in large blocks (stdio's own buffer is bypassed by that)
 * out:   each line without "\n" or "\r\n"; it lives in the scanner's buffer until the next call
 * units: line numbers count from 1
 * law:   memory is one block and the longest line, which is never above LINESCAN_LINE_MAX_BYTES
 * error: -EINVAL a NUL byte or a line beyond the limit, -EIO, -ENOMEM
 */
#ifndef PERFPARSE_LINESCAN_H
#define PERFPARSE_LINESCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"

#define LINESCAN_BLOCK_BYTES    (256u * 1024)
#define LINESCAN_LINE_MAX_BYTES (1024u * 1024)

struct linescan {
	FILE *in;
	char *buf;
	size_t cap, pos, len; /* buf[pos .. len) is not handed out yet */
	uint64_t line;        /* number of the line handed out last */
	bool eof;
	bool escapes; /* there was an ESC in what was read so far */
};

void linescan_init(struct linescan *s, FILE *in); /* allocates nothing */
void linescan_release(struct linescan *s);        /* may be called twice; the FILE stays the caller's */

/* What comes next, without handing it out: a first block, or all there is. */
int linescan_peek(struct linescan *s, const char **text, size_t *len, struct diag *d);

/* 1: *line and *len are set (line[len] is writable scratch, set to NUL); 0: end of input; < 0:
 * error. */
int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d);

/* Takes colours (ESC [ ... letter) out of a line in place; the new length. */
size_t linescan_strip_colours(char *line, size_t len);

#endif
