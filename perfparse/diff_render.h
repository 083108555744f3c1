/*
 * diff_render - two profiles side by side, as text, JSON or CSV
 *
 * in:    a struct diff with its facilities, borrowed
 * out:   text into a FILE of the caller, or a json_t that the caller owns
 * units: ns per packet
 * law:   every format prints the closure: sum of the differences + residual == difference of the bases
 * error: -EIO
 */
#ifndef PERFPARSE_DIFF_RENDER_H
#define PERFPARSE_DIFF_RENDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "perfparse/diff.h"

#define PROFILE_DIFF_SCHEMA "xdpzoom.profile-diff/1"

struct diff_render {
	const struct diff *diff;
	const struct facilities *facilities;
	bool symbols; /* text: false prints facilities only */
};

json_t *diff_render_json(const struct diff_render *r);
int diff_render_text(const struct diff_render *r, FILE *out);
int diff_render_csv(const struct diff_render *r, FILE *out);

#endif
