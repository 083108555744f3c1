// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"

void text_begin(const struct text *t, enum text_style style)
{
	static const char *const codes[] = {"",           "\033[1m",         "\033[2m",
					    "\033[1;31m", "\033[1;38;5;33m", "\033[1;38;5;172m"};

	if (t->colour)
		fputs(codes[style], t->out);
}

void text_end(const struct text *t, enum text_style style)
{
	if (t->colour && style != TEXT_PLAIN)
		fputs("\033[0m", t->out);
}

void text_styled(const struct text *t, enum text_style style, const char *fmt, ...)
{
	va_list ap;

	text_begin(t, style);
	va_start(ap, fmt);
	printable_vprintf(t->out, true, fmt, ap);
	va_end(ap);
	text_end(t, style);
}

void text_number(const struct text *t, double value, int width, int decimals, bool sign)
{
	if (isnan(value))
		fprintf(t->out, "%*s", width, "-");
	else
		fprintf(t->out, sign ? "%+*.*f" : "%*.*f", width, decimals, value);
}

void text_column(const struct text *t, double value, double half, int width, bool sign)
{
	int decimals = digits_of_interval(half);

	text_number(t, value, width, decimals, sign);
	if (isnan(half) || isnan(value))
		fprintf(t->out, "%7s", "");
	else
		fprintf(t->out, " ± %4.*f", decimals, half);
}

size_t text_width(const char *s)
{
	char bytes[PRINTABLE_BYTES];
	size_t n;

	for (n = 0; *s; n++)
		printable_next(&s, bytes);
	return n;
}

void text_last(const struct text *t, const char *s, size_t width)
{
	size_t all = text_width(s), tail = width / 3;
	bool cut = width && all > width;
	char bytes[PRINTABLE_BYTES];

	for (size_t at = 0; *s; at++) {
		size_t n = printable_next(&s, bytes);

		if (cut && at == width - 1 - tail)
			fputs("…", t->out);
		if (!cut || at < width - 1 - tail || at >= all - tail)
			fwrite(bytes, 1, n, t->out);
	}
}

void text_name(const struct text *t, const char *s, size_t width)
{
	size_t all = text_width(s);

	text_last(t, s, width);
	fprintf(t->out, "%*s", width > all ? (int)(width - all) : 0, "");
}

void text_wrap(const struct text *t, size_t column, int indent, const char *text)
{
	size_t most = t->columns && t->columns < TEXT_COLUMNS ? t->columns : TEXT_COLUMNS;
	char word[512];

	while (*text) {
		size_t len = strcspn(text, " "), width;

		len = len < sizeof(word) ? len : sizeof(word) - 1;
		memcpy(word, text, len);
		word[len] = '\0';
		width = text_width(word);
		if (column && column + 1 + width > most) {
			fputc('\n', t->out);
			column = 0;
		}
		if (column)
			fputc(' ', t->out);
		else
			fprintf(t->out, "%*s", indent, "");
		column += column ? 1 + width : (size_t)indent + width;
		text_last(t, word, 0);
		text += len;
		while (*text == ' ')
			text++;
	}
	fputc('\n', t->out);
}

void text_labelled(const struct text *t, enum text_style style, const char *label, const char *text)
{
	fputs("  ", t->out);
	text_styled(t, style, "%s", label);
	text_wrap(t, 2 + strlen(label), 4, text);
}

int render_finish(FILE *out)
{
	errno = 0;
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

/* ---- rows ---- */

#define COLUMNS 24 /* of a table that anybody can read */
#define MARK    4  /* "gone" */
#define LEAST   12 /* of a name, unless its head is longer */

/* A column as it is laid out. */
struct lane {
	size_t column;
	const struct column *of;
	size_t width, half; /* of numbers: half is that of the widest half-width, 0: there is none */
	size_t beside;      /* what it takes beside its gap and its own width */
	int decimals;       /* the most of any cell */
	size_t most;        /* of names: columns they are cut to; 0: whole */
};

/* A line that is being written. Blanks are kept back until text follows, so that no line ends in blanks. */
struct line {
	const struct text *t;
	size_t blanks;
};

static void text_rows_put(struct line *l, const char *s, size_t most)
{
	if (!*s)
		return;
	fprintf(l->t->out, "%*s", (int)l->blanks, "");
	l->blanks = 0;
	text_last(l->t, s, most);
}

/* most: at least the width, but in the last column, behind which nothing stands; 0: no limit. */
static void put_left(struct line *l, const char *s, size_t width, size_t most)
{
	size_t all = text_width(s);

	text_rows_put(l, s, most);
	l->blanks += width > all ? width - all : 0;
}

/* behind: columns that stay free behind the number, where others have digits. */
static void put_right(struct line *l, const char *s, size_t width, size_t behind)
{
	size_t all = text_width(s) + behind;

	l->blanks += width > all ? width - all : 0;
	text_rows_put(l, s, 0);
	l->blanks += behind;
}

/* How many characters (digits and the point) a cell has fewer behind its units digit than its column has. */
static size_t text_rows_missing(const struct lane *lane, const struct cell *cell)
{
	if (lane->of->kind != CELL_NUMBER || (isnan(cell->value) && isnan(cell->at_most)) ||
	    cell->decimals >= lane->decimals)
		return 0;
	return (size_t)(lane->decimals - cell->decimals) + !cell->decimals;
}

static void text_rows_measure(struct lane *lane, const struct rows *r, const struct rows_rest *rest)
{
	struct cell sum = rows_sum(r, lane->column, rest->shown);
	bool number = cell_is_number(lane->of->kind);
	char buf[64];

	lane->width = lane->of->kind == CELL_MARK ? MARK : text_width(lane->of->head);
	for (size_t i = 0; i < rest->shown; i++)
		lane->decimals = fmax(lane->decimals, r->rows[i].cells[lane->column].decimals);
	for (size_t i = 0; i < rest->shown; i++) {
		const struct cell *cell = &r->rows[i].cells[lane->column];

		if (!number) {
			lane->width = fmax(lane->width, text_width(cell->text ? cell->text : ""));
			continue;
		}
		lane->width = fmax(lane->width, text_width(cell_value(lane->of, cell, buf, sizeof(buf))) +
							text_rows_missing(lane, cell));
		if (*cell_half(cell, buf, sizeof(buf)))
			lane->half = fmax(lane->half, text_width(buf) + text_rows_missing(lane, cell));
	}
	lane->beside = lane->half ? 3 + lane->half : 0;
	if (number && rest->left)
		lane->width = fmax(lane->width, text_width(cell_value(lane->of, &sum, buf, sizeof(buf))) +
							text_rows_missing(lane, &sum));
}

/* Blanks before a column: one around marks and before what ends the line, else two. */
static size_t gap(const struct lane *lanes, size_t n, size_t i)
{
	bool name = !cell_is_number(lanes[i].of->kind);

	return name && (lanes[i].of->kind == CELL_MARK || (i && lanes[i - 1].of->kind == CELL_MARK) ||
			(i && i + 1 == n && !cell_is_number(lanes[i - 1].of->kind)))
		       ? 1
		       : 2;
}

/* How far the names of a column can be cut. */
static size_t least(const struct lane *lane)
{
	if (cell_is_number(lane->of->kind) || lane->of->kind == CELL_MARK)
		return lane->width;
	return fmin(lane->width, fmax(text_width(lane->of->head), LEAST));
}

/* Columns of a line in which the first `whole` lanes are not cut, and the others are cut as far as they can be. */
static size_t least_line(const struct lane *lanes, size_t n, size_t whole)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += gap(lanes, n, i) + (i < whole ? lanes[i].width : least(&lanes[i])) + lanes[i].beside;
	return sum;
}

/* Columns of numbers come first, then columns of words. left_out: the heads of those that have no room. */
static size_t lay_out(const struct text *t, const struct rows *r, const struct rows_rest *rest, struct lane *lanes,
		      char *left_out, size_t size)
{
	size_t n = 0;

	for (int names = 0; names < 2; names++)
		for (size_t i = 0; i < r->ncolumns && n < COLUMNS; i++) {
			if (!rows_shows(r, i, IN_TABLE) || cell_is_number(r->columns[i].kind) == names)
				continue;
			lanes[n] = (struct lane){.column = i, .of = &r->columns[i]};
			text_rows_measure(&lanes[n++], r, rest);
		}
	/*
	 * Leaves out the last columns of numbers, as many as leave no room for the names. Returns how many lanes
	 * remain.
	 */
	size_t sum = least_line(lanes, n, 0), numbers = 0, kept;
	while (numbers < n && cell_is_number(lanes[numbers].of->kind))
		numbers++;
	for (kept = numbers; t->columns && sum > t->columns && kept > 1; kept--)
		sum -= gap(lanes, n, kept - 1) + lanes[kept - 1].width + lanes[kept - 1].beside;
	for (size_t i = kept; i < numbers; i++)
		listed_add(left_out, size, ", ", "%s", lanes[i].of->head);
	memmove(&lanes[kept], &lanes[numbers], (n - numbers) * sizeof(*lanes));
	n = n - (numbers - kept);
	/* Cuts the columns of names before the last two, where these would have no room. */
	for (size_t i = 0; t->columns && i + 2 < n; i++) {
		size_t all = least_line(lanes, n, n - 2), over = all > t->columns ? all - t->columns : 0;

		if (over && lanes[i].width > least(&lanes[i]))
			lanes[i].width = lanes[i].most = fmax(least(&lanes[i]), (double)lanes[i].width - (double)over);
	}
	/* Divides the room that is left between the last two columns of names. */
	struct lane *last = n ? &lanes[n - 1] : NULL, *before = n > 1 ? &lanes[n - 2] : NULL;
	size_t taken = 0, room, tail, name, tail_width, head;

	if (!last || cell_is_number(last->of->kind))
		return n;
	if (before && (cell_is_number(before->of->kind) || before->of->kind == CELL_MARK))
		before = NULL;
	for (size_t i = 0; i + 1 + !!before < n; i++)
		taken += gap(lanes, n, i) + lanes[i].width + lanes[i].beside;
	taken += (before ? gap(lanes, n, n - 2) : 0) + gap(lanes, n, n - 1);
	name = before ? before->width : 0;
	tail_width = last->width;
	room = t->columns > taken ? t->columns - taken : 0;
	if (!t->columns || name + tail_width <= room)
		return n;
	tail = room * 2 / 5; /* columns of the rest */
	if (tail_width > tail)
		tail_width = room - tail > name ? room - name : tail;
	name = room - tail_width;
	head = fmin(text_width(last->of->head), room);
	if (tail_width && tail_width < head) {
		name -= head - tail_width;
		tail_width = head;
	}
	last->most = tail_width;
	if (before && name < before->width)
		before->width = before->most = name;
	return n;
}

/* A row; behind the last one that is shown, the sum of the others, and how many they are. */
static void text_rows_put_row(const struct text *t, const struct rows *r, size_t row, const struct rows_rest *rest,
			      const struct lane *lanes, size_t n)
{
	const struct row *of = row < rest->shown ? &r->rows[row] : NULL;
	bool bad = of && of->class && !strcmp(of->class, "bad"), told = false;
	char others[48], value[64], half[64];
	struct line l = {t, 0};

	if (bad)
		text_begin(t, TEXT_BAD);
	for (size_t i = 0; i < n; i++) {
		struct cell cell = of ? of->cells[lanes[i].column] : rows_sum(r, lanes[i].column, rest->shown);

		l.blanks += gap(lanes, n, i);
		if (of ? cell_is_number(lanes[i].of->kind) : !isnan(cell.value)) {
			size_t behind = text_rows_missing(&lanes[i], &cell);

			put_right(&l, cell_value(lanes[i].of, &cell, value, sizeof(value)), lanes[i].width, behind);
			if (*cell_half(&cell, half, sizeof(half))) {
				l.blanks++;
				text_rows_put(&l, "±", 0);
				l.blanks++;
				put_right(&l, half, lanes[i].half, behind);
			} else {
				l.blanks += lanes[i].beside;
			}
		} else if (of) {
			put_left(&l, cell.text ? cell.text : "", lanes[i].width, lanes[i].most);
		} else if (lanes[i].of->kind == CELL_NAME && !told) {
			text_rows_put(&l, rows_others(rest, others, sizeof(others)), 0);
			told = true;
		} else {
			l.blanks += lanes[i].width + lanes[i].beside;
		}
	}
	fputc('\n', t->out);
	if (bad)
		text_end(t, TEXT_BAD);
	for (size_t i = 0; of && i < r->ncolumns; i++)
		if (r->columns[i].flags & WITH_LINE && of->cells[i].text && *of->cells[i].text)
			text_wrap(t, 0, 6, of->cells[i].text);
}

void text_rows(const struct text *t, const struct rows *r, size_t max, const char *note)
{
	struct lane lanes[COLUMNS];
	struct rows_rest rest;
	char others[96], left_out[256] = "", line[320];
	size_t n;

	if (!rows_any(r))
		return;
	rest = rows_rest(r, max);
	n = lay_out(t, r, &rest, lanes, left_out, sizeof(left_out));
	struct line l = {t, 0};
	text_begin(t, TEXT_TITLE);
	for (size_t i = 0; i < n; i++) {
		l.blanks += gap(lanes, n, i);
		if (cell_is_number(lanes[i].of->kind))
			put_right(&l, lanes[i].of->head, lanes[i].width, 0);
		else
			put_left(&l, lanes[i].of->head, lanes[i].width, 0);
		l.blanks += lanes[i].beside;
	}
	fputc('\n', t->out);
	text_end(t, TEXT_TITLE);
	for (size_t i = 0; i < rest.shown; i++)
		text_rows_put_row(t, r, i, &rest, lanes, n);
	if (rest.left && rest.summed) {
		text_rows_put_row(t, r, rest.shown, &rest, lanes, n);
	} else if (rest.left && rest.told) {
		rows_others(&rest, others, 48);
		text_wrap(t, 0, 2, strcat(others, "; --format json has them"));
	}
	if (*left_out) {
		snprintf(line, sizeof(line), "no room for %s; --width 0 has them", left_out);
		text_wrap(t, 0, 2, line);
	}
	if (note)
		text_wrap(t, 0, 2, note);
}

void text_facts(const struct text *t, const struct rows *r, size_t row, unsigned int in)
{
	char fact[1024];
	size_t width = 0;

	for (size_t i = 0; i < r->ncolumns; i++)
		if (rows_is_fact(r, row, i, in))
			width = fmax(width, text_width(r->columns[i].head));
	for (size_t i = 0; i < r->ncolumns; i++) {
		if (!rows_is_fact(r, row, i, in))
			continue;
		cell_fact(&r->columns[i], &r->rows[row].cells[i], fact, sizeof(fact));
		fputs("  ", t->out);
		text_name(t, r->columns[i].head, width + 1);
		text_wrap(t, 3 + width, 4 + (int)width, fact);
	}
}
