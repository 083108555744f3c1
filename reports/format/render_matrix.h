/*
 * render_matrix - the matrix of exact counts as text, JSON, CSV and a page, and a feed of its changes
 *
 * in:    struct matrix, borrowed
 * out:   written to the caller's stream; text is the largest changes in words, then a table for each driver and
 *        operation, with a mode in each column. The feed is Atom (RFC 4287), the change that was counted last first;
 *        its links lead to the page beside it
 * units: instructions per packet
 * law:   all show the same numbers; a count that is not known is "-", null or empty, with its reason. The same runs
 *        give the same bytes: no time but that of the runs is in them
 * error: -EIO (or what errno says) when the stream failed, -ENOMEM
 */
#ifndef REPORTS_RENDER_MATRIX_H
#define REPORTS_RENDER_MATRIX_H

#include <stdio.h>
#include "base/sheet/json_out.h"
#include "reports/exact/matrix.h"
#include "reports/format/format.h"

typedef int render_matrix(FILE *out, const struct matrix *m);

/* render_matrix_html, render_matrix_feed: page/page_matrix.c */
render_matrix render_matrix_text, render_matrix_json, render_matrix_csv, render_matrix_feed, render_matrix_html;

/* What render_matrix_json() writes, as an object that the caller owns. */
json_t *render_matrix_object(struct json_out *w, const struct matrix *m);
/* "6.18.15 to 7.2.12, virtio_net native: -848.5 instructions (-48.2 %): the page pool instead of ..." */
void render_matrix_sentence(const struct matrix_change *c, char *line, size_t size);
/* The others that are the same as this one, which leads: "; the same on virtio_net skb -382.3 (-10.5 %)"; "": none. */
void render_matrix_followers(const struct matrix *m, const struct matrix_change *c, char *line, size_t size);

#endif
