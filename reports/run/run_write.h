/*
 * run_write - the parts of the writer of run.json (run_write.c, run_write_blocks.c)
 *
 * in:    a run; a stream to write to
 * out:   text at the end of the stream
 * error: -EINVAL: out of memory, or a text is not UTF-8. Errors of the stream stay with the stream
 */
#ifndef REPORTS_RUN_WRITE_H
#define REPORTS_RUN_WRITE_H

#include <jansson.h>
#include <stdio.h>
#include "base/sheet/json_out.h"
#include "reports/run/run.h"

void run_put_seal(json_t *o, const char *bytes, const char *digest, const struct run_seal *s, struct json_out *out);
/* Owns o. out: what built it. indent: of its lines, less that of the first; skip: so many bytes are left out. */
int run_put_piece(json_t *o, const struct json_out *out, FILE *f, const char *indent, size_t skip);
int run_put_block(const struct run *r, size_t i, FILE *f); /* with the comma before it */
void run_block_release(struct run_block *b);               /* run.c: what it owns; may be called twice */

#endif
