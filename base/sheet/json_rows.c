// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"
#include "base/base.h"

static json_t *cell_json(struct json_out *w, const struct column *column, const struct cell *cell)
{
	json_t *o;

	switch (column->kind) {
	case CELL_NUMBER:
	case CELL_RATE:
	case CELL_CHANCE:
		return json_out_value(cell->value);
	case CELL_COUNT:
		return json_out_count_value(cell->value);
	case CELL_FLAG:
		return isnan(cell->value) ? json_null() : json_boolean(cell->value > 0);
	case CELL_RANGE:
		if (column->flags & OR_NULL && isnan(cell->range[0]) && isnan(cell->range[1]))
			return json_null();
		return json_pack("[o, o]", json_out_value(cell->range[0]), json_out_value(cell->range[1]));
	case CELL_TABLE:
		return json_rows(w, cell->rows);
	case CELL_OBJECT:
		if (!cell->rows || !cell->rows->nrows)
			return json_null();
		o = json_object();
		json_rows_put(w, o, cell->rows, 0);
		return o;
	default:
		return cell->text && (*cell->text || !(column->flags & OR_NULL)) ? json_text_string(cell->text)
										 : json_null();
	}
}

void json_rows_put(struct json_out *w, json_t *o, const struct rows *r, size_t row)
{
	if (row >= r->nrows) {
		w->failed = true;
		return;
	}
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct column *column = &r->columns[i];
		const struct cell *cell = &r->rows[row].cells[i];

		if (column->flags & IN_JSON && !(column->kind == CELL_TABLE && !cell->rows))
			json_out_put(w, o, column->key, cell_json(w, column, cell));
	}
}

json_t *json_rows(struct json_out *w, const struct rows *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->nrows; i++) {
		json_t *o;

		if (r->rows[i].aside)
			continue;
		if (!*r->columns->key) {
			json_out_add(w, array, cell_json(w, r->columns, r->rows[i].cells));
			continue;
		}
		o = json_object();
		json_rows_put(w, o, r, i);
		json_out_add(w, array, o);
	}
	return array;
}
