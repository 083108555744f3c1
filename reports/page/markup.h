/*
 * markup - HTML and SVG, with everything that is not markup escaped
 *
 * in:    a format whose literal part is markup, and values
 * out:   into the caller's stream; UTF-8 that is also well-formed XML
 * law:   %s is always escaped: there is no way to write a value as markup. Bytes that are not
 *        UTF-8 and characters that XML does not allow become U+FFFD. Numbers have a decimal point in every locale
 * error: sticky in the stream
 */
#ifndef REPORTS_MARKUP_H
#define REPORTS_MARKUP_H

#include <jansson.h>
#include <stdio.h>

/* Supports %s, %c, %d, %u, %zu, %f, %g, %% with flags, width and precision. */
void markup(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* JSON that may stand inside <script type="application/json">: no "<", ">" or "&" in it. */
int markup_json(FILE *out, const json_t *o, size_t flags);

#endif
