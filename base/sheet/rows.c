// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"

int digits_of_interval(double half)
{
	if (half >= 9.5)
		return 0;
	return half < 0.095 ? 2 : 1;
}

const char *digits_number(double value, int decimals, bool sign, char *buf, size_t size)
{
	if (isnan(value)) {
		snprintf(buf, size, "-");
		return buf;
	}
	if (fabs(value) < 0.5 * pow(10, -decimals))
		value = 0;
	snprintf(buf, size, sign ? "%+.*f" : "%.*f", decimals, value);
	return buf;
}

const char *digits_count(double count, char *buf, size_t size)
{
	char digits[40];
	size_t n, at = 0;

	if (isnan(count))
		return digits_number(count, 0, false, buf, size);
	snprintf(digits, sizeof(digits), "%.0f", fabs(count) < 1e30 ? count : 0);
	n = strlen(digits);
	for (size_t i = 0; i < n && at + 2 < size; i++) {
		buf[at++] = digits[i];
		if (i + 1 < n && (n - i) % 3 == 1 && digits[i] != '-')
			buf[at++] = ',';
	}
	buf[at] = '\0';
	return buf;
}

const char *digits_interval(double value, double half, char *buf, size_t size)
{
	int decimals = digits_of_interval(half);
	size_t len;

	digits_number(value, decimals, false, buf, size);
	len = strlen(buf);
	if (!isnan(value) && !isnan(half))
		snprintf(buf + len, size - len, " ± %.*f", decimals, half);
	return buf;
}

/* ---- filling rows ---- */

static const struct cell unknown = {.value = NAN, .half = NAN, .at_most = NAN, .range = {NAN, NAN}, .decimals = 1};

void rows_init(struct rows *r, const struct column *columns, size_t ncolumns)
{
	memset(r, 0, sizeof(*r));
	r->columns = columns;
	r->ncolumns = ncolumns;
}

void rows_release(struct rows *r)
{
	for (size_t i = 0; i < r->nrows; i++) {
		for (size_t k = 0; k < r->ncolumns; k++) {
			if (r->rows[i].cells[k].rows)
				rows_release(r->rows[i].cells[k].rows);
			free(r->rows[i].cells[k].rows);
		}
		free(r->rows[i].cells);
	}
	for (size_t i = 0; i < r->nwords; i++)
		free(r->words[i]);
	free(r->rows);
	free(r->words);
	rows_init(r, r->columns, r->ncolumns);
}

int rows_error(const struct rows *r)
{
	int err = r->error;

	for (size_t i = 0; i < r->nrows && !err; i++)
		for (size_t k = 0; k < r->ncolumns && !err; k++)
			if (r->rows[i].cells[k].rows)
				err = rows_error(r->rows[i].cells[k].rows);
	return err;
}

void rows_add(struct rows *r)
{
	struct cell *cells = r ? calloc(r->ncolumns, sizeof(*cells)) : NULL;

	if (!r)
		return;
	if (!cells || !array_grow(&r->rows, &r->cap, r->nrows, 1, sizeof(*r->rows))) {
		free(cells);
		r->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < r->ncolumns; i++)
		cells[i] = unknown;
	r->rows[r->nrows++] = (struct row){.cells = cells};
}

void rows_add_of(struct rows *r, const void *structure)
{
	rows_add(r);
	for (size_t i = 0; r && !r->error && i < r->ncolumns; i++)
		if (r->columns[i].type != MEMBER_NONE) {
			struct cell *cell = &r->rows[r->nrows - 1].cells[i];
			const struct column *column = &r->columns[i];
			const void *member = structure + column->at;

			cell->decimals = column->decimals;
			switch (column->type) {
			case MEMBER_DOUBLE:
				cell->value = *(const double *)member;
				break;
			case MEMBER_BOOL:
				cell->value = *(const bool *)member;
				break;
			case MEMBER_INT:
				cell->value = *(const int *)member;
				break;
			case MEMBER_UNSIGNED:
				cell->value = *(const unsigned int *)member;
				break;
			case MEMBER_LONG:
				cell->value = (double)*(const unsigned long *)member;
				break;
			case MEMBER_TEXT:
				cell->text = *(const char *const *)member;
				break;
			case MEMBER_RANGE:
				memcpy(cell->range, member, sizeof(cell->range));
				break;
			default:
				cell->text = member;
			}
			if (column->half_at) {
				cell->half = *(const double *)(const void *)(structure + column->half_at);
				cell->decimals = digits_of_interval(cell->half);
			}
		}
}

struct row *rows_last(struct rows *r)
{
	static struct row nowhere;

	return r && r->nrows ? &r->rows[r->nrows - 1] : &nowhere;
}

/* The cell of the last row; NULL after an error, which is kept. */
static struct cell *cell_of(struct rows *r, const char *key)
{
	size_t column = 0;

	if (!r || r->error)
		return NULL;
	while (column < r->ncolumns && strcmp(r->columns[column].key, key))
		column++;
	if (column == r->ncolumns || !r->nrows) {
		r->error = -EINVAL;
		return NULL;
	}
	return &r->rows[r->nrows - 1].cells[column];
}

void rows_text(struct rows *r, const char *key, const char *text)
{
	struct cell *cell = cell_of(r, key);

	if (cell)
		cell->text = text;
}

void rows_words(struct rows *r, const char *key, const char *fmt, ...)
{
	char *words = NULL;
	va_list ap;
	int len;

	if (!r)
		return;
	va_start(ap, fmt);
	len = vasprintf(&words, fmt, ap);
	va_end(ap);
	if (len < 0 || !array_grow(&r->words, &r->words_cap, r->nwords, 1, sizeof(*r->words))) {
		if (len >= 0)
			free(words);
		r->error = -ENOMEM;
		return;
	}
	r->words[r->nwords++] = words;
	rows_text(r, key, words);
}

void rows_put(struct rows *r, const char *key, double value, double half, int decimals)
{
	struct cell *cell = cell_of(r, key);

	if (!cell)
		return;
	cell->value = value;
	cell->half = half;
	cell->decimals = decimals;
}

void rows_at_most(struct rows *r, const char *key, double limit, double half)
{
	struct cell *cell = cell_of(r, key);

	if (!cell)
		return;
	cell->at_most = limit;
	cell->decimals = digits_of_interval(half);
}

void rows_range(struct rows *r, const char *key, const double range[2])
{
	struct cell *cell = cell_of(r, key);

	if (cell)
		memcpy(cell->range, range, sizeof(cell->range));
}

struct rows *rows_table(struct rows *r, const char *key, const struct column *columns, size_t ncolumns)
{
	struct cell *cell = cell_of(r, key);

	if (!cell)
		return NULL;
	cell->rows = malloc(sizeof(*cell->rows));
	if (cell->rows)
		rows_init(cell->rows, columns, ncolumns);
	else
		r->error = -ENOMEM;
	return cell->rows;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

const struct cell *rows_cell(const struct rows *r, size_t row, const char *key)
{
	size_t column = 0;

	while (column < r->ncolumns && strcmp(r->columns[column].key, key))
		column++;
	return row < r->nrows && column < r->ncolumns ? &r->rows[row].cells[column] : NULL;
}

const struct rows *rows_in(const struct rows *r, size_t row, const char *key)
{
	const struct cell *cell = rows_cell(r, row, key);

	return cell ? cell->rows : NULL;
}

bool rows_any(const struct rows *r)
{
	for (size_t i = 0; r && i < r->nrows; i++)
		if (!r->rows[i].hidden)
			return true;
	return false;
}

static bool cell_known(const struct column *column, const struct cell *cell)
{
	if (column->kind == CELL_TABLE || column->kind == CELL_OBJECT)
		return rows_any(cell->rows);
	return cell_is_number(column->kind) ? !isnan(cell->value) : cell->text && *cell->text;
}

bool rows_shows(const struct rows *r, size_t column, unsigned int in)
{
	const struct column *c = &r->columns[column];

	if (!c->head || !(c->flags & in) || c->kind == CELL_TABLE || c->kind == CELL_OBJECT)
		return false;
	for (size_t i = 0; i < r->nrows; i++)
		if (!r->rows[i].hidden &&
		    (cell_known(c, &r->rows[i].cells[column]) || !isnan(r->rows[i].cells[column].at_most)))
			return true;
	return false;
}

bool rows_is_fact(const struct rows *r, size_t row, size_t column, unsigned int in)
{
	const struct column *c = &r->columns[column];

	return c->head && c->flags & in && cell_known(c, &r->rows[row].cells[column]);
}

const struct rows *rows_table_of(const struct rows *r, size_t row, size_t column)
{
	const struct column *c = &r->columns[column];
	const struct rows *table = r->rows[row].cells[column].rows;

	return c->kind == CELL_TABLE && c->flags & IN_TABLE && rows_any(table) ? table : NULL;
}

/* Rows that are hidden stand last. A table without names, such as that of components, is short. */
struct rows_rest rows_rest(const struct rows *r, size_t max)
{
	struct rows_rest rest = {0};
	bool names = false;

	for (size_t i = 0; i < r->ncolumns; i++)
		names |= r->columns[i].kind == CELL_NAME;
	max = names ? max : 0;
	while (rest.shown < r->nrows && !r->rows[rest.shown].hidden && (!max || rest.shown < max))
		rest.shown++;
	rest.left = r->nrows - rest.shown;
	for (size_t i = 0; i < r->ncolumns && rest.left; i++) {
		rest.summed |= (r->columns[i].flags & WITH_SUM) != 0;
		rest.told |= (r->columns[i].flags & WITH_REST) != 0;
	}
	return rest;
}

const char *rows_others(const struct rows_rest *rest, char *buf, size_t size)
{
	snprintf(buf, size, "%zu other%s", rest->left, rest->left == 1 ? "" : "s");
	return buf;
}

struct cell rows_sum(const struct rows *r, size_t column, size_t from)
{
	struct cell sum = unknown;

	if (!(r->columns[column].flags & WITH_SUM))
		return sum;
	sum.value = 0;
	if (r->columns[column].flags & WITH_BOUND)
		sum.decimals = 0;
	for (size_t i = from; i < r->nrows; i++) {
		const struct cell *cell = &r->rows[i].cells[column];

		sum.value += isnan(cell->at_most) ? cell->value : 0; /* what is hidden is in no row */
		if (!(r->columns[column].flags & WITH_BOUND))
			continue;
		sum.decimals = cell->decimals > sum.decimals ? cell->decimals : sum.decimals;
		if (!isnan(cell->half))
			sum.half = cell->half + (isnan(sum.half) ? 0 : sum.half);
	}
	if (!isnan(sum.half))
		sum.decimals = digits_of_interval(sum.half);
	return sum;
}

bool cell_is_number(enum cell_kind kind)
{
	return kind == CELL_NUMBER || kind == CELL_RATE || kind == CELL_COUNT || kind == CELL_CHANCE ||
	       kind == CELL_FLAG;
}

const char *cell_value(const struct column *column, const struct cell *cell, char *buf, size_t size)
{
	if (!isnan(cell->at_most)) {
		buf[0] = '<';
		digits_number(cell->at_most, cell->decimals, false, buf + 1, size - 1);
		return buf;
	}
	if (column->kind == CELL_CHANCE && cell->value < 0.0001) {
		snprintf(buf, size, "< 0.0001");
		return buf;
	}
	if (isnan(cell->value) || column->kind == CELL_NUMBER || column->kind == CELL_CHANCE)
		return digits_number(cell->value, cell->decimals, column->flags & WITH_SIGN, buf, size);
	return digits_count(cell->value, buf, size);
}

const char *cell_half(const struct cell *cell, char *buf, size_t size)
{
	if (isnan(cell->half) || isnan(cell->value))
		buf[0] = '\0';
	else
		digits_number(cell->half, cell->decimals, false, buf, size);
	return buf;
}

const char *cell_fact(const struct column *column, const struct cell *cell, char *buf, size_t size)
{
	char value[48], half[48];
	bool note;

	if (!cell_is_number(column->kind)) {
		snprintf(buf, size, "%s", cell->text);
		return buf;
	}
	cell_value(column, cell, value, sizeof(value));
	cell_half(cell, half, sizeof(half));
	note = column->note && (*half || !(column->flags & WITH_LEVEL));
	snprintf(buf, size, "%s%s%s%s%s", value, *half ? " ± " : "", half, note ? " " : "", note ? column->note : "");
	return buf;
}
