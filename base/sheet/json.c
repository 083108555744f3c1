// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"

void json_out_put(struct json_out *w, json_t *o, const char *name, json_t *value)
{
	int failed = json_object_set(o, name, value);

	if (failed && value) { /* a name that is not UTF-8, perhaps */
		json_t *key = json_text_string(name);

		failed = !key || json_object_set(o, json_string_value(key), value);
		json_decref(key);
	}
	json_decref(value);
	w->failed |= failed != 0;
}

void json_out_add(struct json_out *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		w->failed = true;
}

json_t *json_out_value(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

void json_out_text(struct json_out *w, json_t *o, const char *name, const char *text)
{
	json_out_put(w, o, name, json_text_string(text));
}

json_t *json_out_known(const char *text)
{
	return *text ? json_text_string(text) : json_null();
}

json_t *json_out_amount_value(double value)
{
	return json_out_value(value >= 0 ? value : NAN);
}

json_t *json_out_whole_value(int64_t value)
{
	return value >= 0 ? json_integer(value) : json_null();
}

json_t *json_out_end(const struct json_out *w, json_t *o)
{
	if (!w->failed)
		return o;
	json_decref(o);
	return NULL;
}

int json_out_write(const struct json_out *w, json_t *o, FILE *out, size_t flags)
{
	int err = 0;

	flags |= JSON_REAL_PRECISION(w->digits ? w->digits : JSON_OUT_DIGITS);
	errno = 0;
	if (w->failed || !o)
		err = -ENOMEM;
	else if (json_text_write(o, out, flags, "") || fputc('\n', out) == EOF || fflush(out))
		err = errno ? -errno : -EIO;
	json_decref(o);
	return err;
}

/* ---- rows ---- */

static json_t *cell_json(struct json_out *w, const struct column *column, const struct cell *cell)
{
	const struct rows *r = cell->rows;
	json_t *o;

	switch (column->kind) {
	case CELL_NUMBER:
	case CELL_RATE:
	case CELL_CHANCE:
		return json_out_value(cell->value);
	case CELL_COUNT:
		return fabs(cell->value) < 9e18 ? json_integer((json_int_t)cell->value) : json_null();
	case CELL_FLAG:
		return isnan(cell->value) ? json_null() : json_boolean(cell->value > 0);
	case CELL_RANGE:
		if (column->flags & OR_NULL && isnan(cell->range[0]) && isnan(cell->range[1]))
			return json_null();
		return json_pack("[o, o]", json_out_value(cell->range[0]), json_out_value(cell->range[1]));
	case CELL_TABLE:
		o = json_array();
		for (size_t i = 0; i < r->nrows; i++) {
			json_t *member;

			if (r->rows[i].aside)
				continue;
			if (!*r->columns->key) {
				json_out_add(w, o, cell_json(w, r->columns, r->rows[i].cells));
				continue;
			}
			member = json_object();
			json_rows_put(w, member, r, i);
			json_out_add(w, o, member);
		}
		return o;
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
