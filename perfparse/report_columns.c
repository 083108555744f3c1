// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "perfparse/number.h"
#include "perfparse/report_columns.h"

/* [s, s + len), trimmed. */
struct cell {
	const char *s;
	size_t len;
};

static struct cell trimmed(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return (struct cell){from, (size_t)(to - from)};
}

static bool cell_is(const struct cell *c, const char *text)
{
	return c->len == strlen(text) && !memcmp(c->s, text, c->len);
}

static enum report_column kind_of(const struct cell *c)
{
	static const struct {
		const char *name;
		enum report_column kind;
	} names[] = {
		{"Overhead", COLUMN_SELF},     {"Self", COLUMN_SELF},
		{"Children", COLUMN_CHILDREN}, {"Latency", COLUMN_SHARE},
		{"sys", COLUMN_SHARE},	       {"usr", COLUMN_SHARE},
		{"guest sys", COLUMN_SHARE},   {"guest usr", COLUMN_SHARE},
		{"Samples", COLUMN_SAMPLES},   {"Period", COLUMN_PERIOD},
		{"Weight", COLUMN_NUMBER},     {"Local Weight", COLUMN_NUMBER},
		{"CPU", COLUMN_CPU},	       {"Shared Object", COLUMN_DSO},
		{"Symbol", COLUMN_SYMBOL},     {"Symbol/function", COLUMN_SYMBOL},
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cell_is(c, names[i].name))
			return names[i].kind;
	return COLUMN_TEXT;
}

static bool is_share(enum report_column kind)
{
	return kind <= COLUMN_SHARE;
}

static bool is_number(enum report_column kind)
{
	return kind <= COLUMN_NUMBER;
}

static void columns_init(struct report_columns *c, char separator)
{
	size_t i;

	memset(c, 0, sizeof(*c));
	c->separator = separator;
	c->group_size = 1;
	for (i = 0; i < sizeof(c->where) / sizeof(c->where[0]); i++)
		c->where[i] = -1;
}

static void add_column(struct report_columns *c, enum report_column kind)
{
	if (c->n == REPORT_COLUMNS_MAX)
		return;
	if (c->where[kind] < 0)
		c->where[kind] = c->n;
	c->kinds[c->n++] = kind;
}

void report_columns_guess(struct report_columns *c, char separator)
{
	columns_init(c, separator);
}

/* The next cell from *s on: up to the separator, or up to two blanks. */
static bool next_cell(const char **s, const char *end, char separator, struct cell *cell)
{
	const char *from, *to;

	if (separator) {
		if (*s > end)
			return false;
		to = memchr(*s, separator, (size_t)(end - *s));
		if (!to)
			to = end;
		*cell = trimmed(*s, to);
		*s = to + 1;
		return true;
	}
	for (from = *s; from < end && *from == ' '; from++)
		;
	if (from >= end)
		return false;
	for (to = from; (to = memchr(to, ' ', (size_t)(end - to))); to++)
		if (to + 1 == end || to[1] == ' ')
			break;
	if (!to)
		to = end;
	*cell = (struct cell){from, (size_t)(to - from)};
	*s = to;
	return true;
}

static bool begins_with(const char *s, const char *end, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(end - s) >= n && !memcmp(s, text, n);
}

static int refuse_foreign(const char *s, const char *end, struct diag *d)
{
	size_t len = (size_t)(end - s);

	if ((begins_with(s, end, "Overhead ") || begins_with(s, end, "Children ")) &&
	    memmem(s, len, " / ", 3))
		return diag_set(d, -EINVAL,
				"this is hierarchy output; run perf report without --hierarchy");
	if (begins_with(s, end, "Baseline ") && memmem(s, len, "Symbol", 6))
		return diag_set(d, -EINVAL,
				"this is the output of perf diff; run perf report on each of the "
				"two files and give both to perfparse with --diff");
	return 0;
}

/* "Overhead,Symbol": what stands right behind the first name. 0: blanks. */
static char find_separator(const char *s, const char *end)
{
	static const char *const names[] = {
		"Overhead", "Children",	   "Self",	    "Latency", "Samples", "Period", "CPU",
		"Command",  "Pid:Command", "Shared Object", "Symbol",  "sys",	  "usr"};
	size_t i, n;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		n = strlen(names[i]);
		if ((size_t)(end - s) <= n || memcmp(s, names[i], n))
			continue;
		for (s += n; s < end && *s == ' '; s++)
			;
		if (s == end || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z') || *s == '=' ||
		    *s == '(')
			return 0;
		return *s;
	}
	return 0;
}

int report_columns_read_header(struct report_columns *c, const char *line, size_t len,
			       char separator, struct diag *d)
{
	const char *s = line, *end = line + len;
	struct report_columns new;
	struct cell cell;
	bool numbers = false;
	int err;

	while (s < end && (*s == ' ' || *s == '#'))
		s++;
	err = refuse_foreign(s, end, d);
	if (err)
		return err;
	columns_init(&new, separator ? separator : find_separator(s, end));
	while (next_cell(&s, end, new.separator, &cell)) {
		add_column(&new, kind_of(&cell));
		numbers |= is_number(new.kinds[new.n - 1]);
	}
	if (new.n < 2 || !numbers || (new.where[COLUMN_SYMBOL] < 0 && !is_number(new.kinds[0])))
		return 0;
	if (new.where[COLUMN_SYMBOL] < 0)
		return diag_set(d, -EINVAL, "no Symbol column; run perf report with --sort sym");
	*c = new;
	return 1;
}

static bool is_dots(const char *s, const char *end)
{
	bool dots = false;

	while (s < end && *s == ' ')
		s++;
	if (s == end || *s != '#')
		return false;
	for (s++; s < end; s++) {
		if (*s != '.' && *s != ' ')
			return false;
		dots |= *s == '.';
	}
	return dots;
}

bool report_columns_read_dots(struct report_columns *c, const char *header, size_t header_len,
			      const char *dots, size_t dots_len)
{
	const char *s = dots, *end = dots + dots_len, *from, *to, *limit;
	const char *header_end = header + header_len;
	struct report_columns new;
	struct cell cell;

	if (!is_dots(dots, end))
		return false;
	columns_init(&new, 0);
	for (; s < end && new.n < REPORT_COLUMNS_MAX; s = to) {
		for (from = s; from < end && *from != '.'; from++)
			;
		for (to = from; to < end && *to == '.'; to++)
			;
		if (from == to)
			break;
		limit = header + (to - dots);
		cell = trimmed(header + (from - dots) > header_end ? header_end
								   : header + (from - dots),
			       limit > header_end ? header_end : limit);
		new.from[new.n] = (uint32_t)(from - dots);
		add_column(&new, kind_of(&cell));
	}
	if (new.where[COLUMN_SYMBOL] < 0)
		return false;
	new.dotted = true;
	new.group_size = c->group_size;
	*c = new;
	return true;
}

/* "[k] name" -> the mark's space; the name is what is behind it. */
static bool read_mark(const char *s, const char *end, enum profile_space *space)
{
	static const char marks[] = ".kguH?";
	static const enum profile_space spaces[] = {SPACE_USER,		SPACE_KERNEL,
						    SPACE_GUEST_KERNEL, SPACE_GUEST_USER,
						    SPACE_HYPERVISOR,	SPACE_UNKNOWN};
	const char *mark;

	if (end - s < 4 || s[0] != '[' || s[2] != ']' || s[3] != ' ')
		return false;
	mark = memchr(marks, s[1], sizeof(marks) - 1);
	if (!mark)
		return false;
	*space = spaces[mark - marks];
	return true;
}

/* -v prints "0xffffffff821f236b k [k] name"; inlined functions have a mark of their own at the end. */
static void read_symbol(struct report_cells *cells, struct cell cell)
{
	const char *s = cell.s, *end = s + cell.len;

	cells->space = SPACE_UNKNOWN;
	if (cell.len > 2 && s[0] == '0' && s[1] == 'x') {
		while (s < end && *s != '[')
			s++;
		if (!read_mark(s, end, &cells->space))
			s = cell.s;
	}
	if (read_mark(s, end, &cells->space))
		s += 4;
	while (s < end && *s == ' ')
		s++;
	if (end - s > 10 && !memcmp(end - 10, " (inlined)", 10))
		end -= 10;
	cells->name = s;
	cells->name_len = (size_t)(end - s);
}

/* The member-th of the blank-separated values in a cell. */
static const char *skip_members(const char *s, const char *end, int member)
{
	for (;; member--) {
		while (s < end && *s == ' ')
			s++;
		if (!member)
			return s;
		while (s < end && *s != ' ')
			s++;
	}
}

static bool read_share(const char *s, const char *end, int member, double *pct)
{
	s = number_read_decimal(skip_members(s, end, member), end, pct);
	return s && s < end && *s == '%';
}

static bool read_count(const char *s, const char *end, int member, double *count)
{
	s = number_read_decimal(skip_members(s, end, member), end, count);
	return s && (s == end || *s == ' ');
}

static void cells_init(struct report_cells *cells)
{
	*cells = (struct report_cells){.self_pct = -1,
				       .children_pct = -1,
				       .samples = -1,
				       .period = -1,
				       .cpu = -1,
				       .name = "",
				       .dso = ""};
}

static bool read_cell(struct report_cells *cells, enum report_column kind, const char *from,
		      const char *to, int member)
{
	struct cell cell;
	double cpu;

	switch (kind) {
	case COLUMN_SELF:
		return read_share(from, to, member, &cells->self_pct);
	case COLUMN_CHILDREN:
		return read_share(from, to, member, &cells->children_pct);
	case COLUMN_SAMPLES:
		return read_count(from, to, member, &cells->samples);
	case COLUMN_PERIOD:
		return read_count(from, to, member, &cells->period);
	case COLUMN_CPU:
		cells->cpu = read_count(from, to, 0, &cpu) ? (int)cpu : -1;
		return true;
	case COLUMN_DSO:
		cell = trimmed(from, to);
		cells->dso = cell.s;
		cells->dso_len = cell.len;
		return true;
	case COLUMN_SYMBOL:
		read_symbol(cells, trimmed(from, to));
		return cells->name_len > 0;
	case COLUMN_SHARE:
	case COLUMN_NUMBER:
	case COLUMN_TEXT:
		break;
	}
	return true;
}

/* The two blanks before each column are where a row shows that it lines up with the dots. */
static bool lines_up(const struct report_columns *c, const char *line, size_t len)
{
	int i;

	for (i = 1; i < c->n && c->from[i] <= len; i++)
		if (line[c->from[i] - 1] != ' ' || line[c->from[i] - 2] != ' ')
			return false;
	return c->from[c->n - 1] < len || c->from[c->where[COLUMN_SYMBOL]] < len;
}

static bool read_dotted(const struct report_columns *c, const char *line, size_t len, int member,
			struct report_cells *cells)
{
	const char *from, *to;
	int i;

	for (i = 0; i < c->n; i++) {
		if (c->kinds[i] == COLUMN_TEXT || c->kinds[i] == COLUMN_SHARE ||
		    c->kinds[i] == COLUMN_NUMBER)
			continue;
		from = i ? line + c->from[i] : line;
		to = i + 1 < c->n ? line + c->from[i + 1] - 2 : line + len;
		if (to > line + len)
			to = line + len;
		if (from > to || !read_cell(cells, c->kinds[i], from, to, member))
			return false;
	}
	return true;
}

/* Where a row of shares begins, behind the "+" or "-" of the text user interface; NULL if no share stands there. */
static const char *row_begin(const char *line, const char *end)
{
	const char *s = line, *t;
	double pct;

	while (s < end && *s == ' ')
		s++;
	if (s < end && (*s == '+' || *s == '-'))
		for (s++; s < end && *s == ' '; s++)
			;
	t = number_read_decimal(s, end, &pct);
	return t && t < end && *t == '%' ? s : NULL;
}

/*
 * Rows that do not line up, or have no dots to line up with: cut at blanks or at the separator. Only perf's mark in
 * front of the symbol proves that no cell was empty or had blanks of its own.
 */
static bool read_cut(const struct report_columns *c, const char *s, const char *end, int member,
		     struct report_cells *cells)
{
	enum profile_space space;
	struct cell cell;
	int i;

	for (i = 0; i < c->n; i++) {
		if (!next_cell(&s, end, c->separator, &cell))
			return i > c->where[COLUMN_SYMBOL];
		if (!read_cell(cells, c->kinds[i], cell.s, cell.s + cell.len, member))
			return false;
		if (c->kinds[i] == COLUMN_SYMBOL && !c->separator &&
		    !read_mark(cell.s, cell.s + cell.len, &space))
			return false;
	}
	return true;
}

/* The document's awk line: " 34.33% =>  42.0 ns func:  [k] name", with the share of self behind "ns" for children. */
static bool read_awk(const char *s, const char *end, struct report_cells *cells)
{
	const char *arrow = memmem(s, (size_t)(end - s), "=>", 2);
	const char *func = arrow ? memmem(arrow, (size_t)(end - arrow), "func:", 5) : NULL;
	const char *ns = func ? memmem(arrow, (size_t)(func - arrow), " ns ", 4) : NULL;
	double first, second;

	if (!ns || !read_share(s, arrow, 0, &first))
		return false;
	if (read_share(ns + 4, func, 0, &second)) {
		cells->children_pct = first;
		cells->self_pct = second;
	} else {
		cells->self_pct = first;
	}
	read_symbol(cells, trimmed(func + 5, end));
	return cells->name_len > 0;
}

/* Of text in front of the symbol, the last cell is the DSO where perf's default order is kept. */
static void guess_dso(struct report_cells *cells, const struct cell *before, int texts)
{
	bool looks_so = before->len && (before->s[0] == '[' || before->s[0] == '/' ||
					memmem(before->s, before->len, ".so", 3));

	if (texts > 1 || looks_so) {
		cells->dso = before->s;
		cells->dso_len = before->len;
	}
}

/* No header: one or two shares, perhaps numbers and text, and a symbol with its mark (or the only text). */
static bool read_guessed(char separator, const char *s, const char *end, struct report_cells *cells)
{
	struct cell cell, before = {"", 0};
	enum profile_space space;
	int shares = 0, texts = 0;
	double v, pct[2];

	while (next_cell(&s, end, separator, &cell)) {
		if (!texts && shares < 2 && read_share(cell.s, cell.s + cell.len, 0, &v)) {
			pct[shares++] = v;
			continue;
		}
		if (!texts && read_count(cell.s, cell.s + cell.len, 0, &v))
			continue;
		if (read_mark(cell.s, cell.s + cell.len, &space)) {
			guess_dso(cells, &before, texts);
			before = cell;
			break;
		}
		before = cell;
		texts++;
	}
	if (!shares || !before.len)
		return false;
	cells->self_pct = pct[shares - 1];
	if (shares == 2)
		cells->children_pct = pct[0];
	read_symbol(cells, before);
	return cells->name_len > 0;
}

/* "69.17% a;b;c" in column 0: a call chain of -g folded, not a row. */
static bool is_folded_chain(const char *line, const char *s, const char *end)
{
	enum profile_space space;
	double pct;

	if (s != line)
		return false;
	s = number_read_decimal(s, end, &pct);
	return s + 2 < end && s[1] == ' ' && s[2] != ' ' && s[2] != '=' &&
	       !read_mark(s + 2, end, &space);
}

/* "69.17% ,[k] name" with neither header nor dots. */
static char row_separator(const char *s, const char *end)
{
	const char *pct = memchr(s, '%', (size_t)(end - s));

	for (pct = pct ? pct + 1 : end; pct < end && *pct == ' '; pct++)
		;
	return pct < end && memchr(",;:|\t~^", *pct, 7) ? *pct : 0;
}

/* A row that begins with a share, in a table whose columns are not known or do not line up. */
static bool read_loose(const struct report_columns *c, const char *line, const char *end,
		       struct report_cells *cells)
{
	const char *s = row_begin(line, end);

	if (!s)
		return false;
	cells_init(cells);
	if (read_awk(s, end, cells))
		return true;
	cells_init(cells);
	if (c->group_size > 1 || is_folded_chain(line, s, end))
		return false;
	if (c->n && is_share(c->kinds[0]) && read_cut(c, s, end, 0, cells))
		return true;
	cells_init(cells);
	return read_guessed(c->n ? 0 : row_separator(s, end), s, end, cells);
}

bool report_columns_read_row(const struct report_columns *c, const char *line, size_t len,
			     int member, struct report_cells *cells)
{
	const char *end = line + len;

	cells_init(cells);
	if (c->separator)
		return c->n ? read_cut(c, line, end, member, cells)
			    : row_begin(line, end) && read_guessed(c->separator, line, end, cells);
	if (c->dotted && lines_up(c, line, len) && read_dotted(c, line, len, member, cells))
		return true;
	return read_loose(c, line, end, cells);
}
