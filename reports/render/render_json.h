/*
 * render_json - the JSON of a document as an object, for those who embed it; nobody outside of reports/ includes this
 *
 * in:    a document, or what it is made of; borrowed
 * out:   what `--format json` writes, owned by the caller
 * law:   as json_out.h
 * error: sticky in the struct
 */
#ifndef REPORTS_RENDER_JSON_H
#define REPORTS_RENDER_JSON_H

#include <jansson.h>
#include "base/sheet/json_out.h"
#include "reports/document/document.h"

json_t *document_json(struct json_out *w, const struct document *d);

json_t *report_json(struct json_out *w, const struct analysis *a, const struct analysis_variant *only);
json_t *diff_json(struct json_out *w, const struct compare *c);
json_t *explain_json(struct json_out *w, const struct explain *e);
json_t *exact_json(struct json_out *w, const struct exact *e, const struct exact_variant *only);
json_t *exact_diff_json(struct json_out *w, const struct exact_diff *d);

#endif
