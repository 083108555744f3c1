/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linescan - reads lines from a stream in large blocks
 *
 * in:    a FILE, read with fread() in blocks that are larger than stdio's buffer, so stdio does not copy them
 * out:   each line without "\n", and "\r" before it; it stays in the scanner's buffer until the next call. With worn
 *        set, each line is undressed (undress.h)
 * units: line numbers count from 1
 * law:   the memory is one block, the longest line, and where the lines of them end; a line has at most
 *        LINESCAN_LINE_MAX_BYTES
 * error: -EINVAL a NUL byte or a line beyond the limit, -EIO, -ENOMEM
 */
#ifndef PERFPARSE_LINESCAN_H
#define PERFPARSE_LINESCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"
#include "perfparse/undress.h"

#define LINESCAN_BLOCK_BYTES    (256u * 1024)
#define LINESCAN_LINE_MAX_BYTES (1024u * 1024)

struct linescan {
	FILE *in;
	char *buf;
	size_t cap, pos, len;         /* buf[pos .. len) is not handed out yet */
	size_t ready;                 /* buf[pos .. ready) is undressed */
	uint32_t *ends;               /* where its lines end */
	size_t nends, next, cap_ends; /* ends[next .. nends) are of lines that are not handed out yet */
	uint64_t line;                /* number of the line handed out last */
	bool eof;
	const char *path;     /* for sentences; set after linescan_init(). NULL: the caller names the file */
	struct undress *worn; /* set after linescan_init() for text that people paste: what was taken away */
};

void linescan_init(struct linescan *s, FILE *in); /* allocates nothing */
void linescan_release(struct linescan *s);        /* may be called twice; the FILE stays the caller's */

/* Sets *text and *len to the text that comes next, a first block or the whole text, and does not consume it. */
int linescan_peek(struct linescan *s, const char **text, size_t *len, struct diag *d);

/* 1: *line and *len are set (line[len] is writable scratch, set to NUL); 0: end of input; < 0:
 * error. */
int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d);

/* The tabs at the beginning of a line: how people indent a table in a mail. */
size_t linescan_tab_bytes(const char *line, size_t len);

#endif
