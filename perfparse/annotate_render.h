/*
 * annotate_render - the cost of a symbol's instructions and source lines, as text, JSON or CSV
 *
 * in:    annotated symbols with their cost per packet, borrowed
 * out:   text into a FILE of the caller, or a json_t that the caller owns
 * units: ns per packet
 * error: -EIO, -ENOMEM
 * src:   "Eval Generic netstack XDP patch", 2017: 12.7 ns of __build_skb * 75.65 % on "rep stos" =
 *        9.6 ns
 */
#ifndef PERFPARSE_ANNOTATE_RENDER_H
#define PERFPARSE_ANNOTATE_RENDER_H

#include <jansson.h>
#include <stdio.h>
#include "perfparse/annotate.h"

#define ANNOTATE_SCHEMA "xdpzoom.annotate/1"

struct annotate_render {
	const struct annotate *symbol;
	double symbol_ns; /* the cost that 100 % in the text stands for */
	double base_ns;
};

json_t *annotate_render_json(const struct annotate_render *r, size_t n);
int annotate_render_text(const struct annotate_render *r, size_t n, FILE *out);
int annotate_render_csv(const struct annotate_render *r, size_t n, FILE *out);

#endif
