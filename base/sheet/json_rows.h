/*
 * json_rows - rows as JSON
 *
 * in:    rows, borrowed
 * out:   an array of objects that the caller owns, one object per row; tables in cells are arrays, objects in cells are
 *        objects, or null where there is none
 * law:   as json_out.h; members stand in the order of the columns
 * error: sticky in the struct
 */
#ifndef SHEET_JSON_ROWS_H
#define SHEET_JSON_ROWS_H

#include <jansson.h>
#include "base/sheet/json_out.h"
#include "base/sheet/rows.h"

json_t *json_rows(struct json_out *w, const struct rows *r);
/* One row's members, put into o. */
void json_rows_put(struct json_out *w, json_t *o, const struct rows *r, size_t row);

#endif
