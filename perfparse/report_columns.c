// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "perfparse/report_cell.h"
#include "perfparse/report_columns.h"

static enum report_column kind_of(const struct span *c)
{
	static const struct {
		const char *name;
		enum report_column kind;
	} names[] = {
		{"Overhead", COLUMN_SELF},     {"Self", COLUMN_SELF},
		{"Children", COLUMN_CHILDREN}, {"Latency", COLUMN_SHARE},
		{"sys", COLUMN_SHARE},         {"usr", COLUMN_SHARE},
		{"guest sys", COLUMN_SHARE},   {"guest usr", COLUMN_SHARE},
		{"Samples", COLUMN_SAMPLES},   {"Period", COLUMN_PERIOD},
		{"Weight", COLUMN_NUMBER},     {"Local Weight", COLUMN_NUMBER},
		{"CPU", COLUMN_CPU},           {"Shared Object", COLUMN_DSO},
		{"Symbol", COLUMN_SYMBOL},     {"Symbol/function", COLUMN_SYMBOL},
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_is(c, names[i].name))
			return names[i].kind;
	return COLUMN_TEXT;
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

static int refuse_foreign(const char *s, const char *end, struct diag *d)
{
	size_t len = (size_t)(end - s);

	if ((span_begins(s, len, "Overhead ") || span_begins(s, len, "Children ")) && memmem(s, len, " / ", 3))
		return diag_set(d, -EINVAL, "this is hierarchy output; run perf report without --hierarchy");
	if (span_begins(s, len, "Baseline ") && memmem(s, len, "Symbol", 6))
		return diag_set(
			d, -EINVAL,
			"this is the output of perf diff, which holds two profiles: give it to perfparse alone, "
			"with --pps and --pps2");
	return 0;
}

/* Returns the separator of "Overhead,Symbol": the character right behind the first name; 0: blanks. */
static char find_separator(const char *s, const char *end)
{
	static const char *const names[] = {"Overhead", "Children", "Self",    "Latency",     "Samples",
					    "Period",   "CPU",      "Command", "Pid:Command", "Shared Object",
					    "Symbol",   "sys",      "usr"};
	size_t i, n;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		n = strlen(names[i]);
		if ((size_t)(end - s) <= n || memcmp(s, names[i], n))
			continue;
		for (s += n; s < end && *s == ' '; s++)
			;
		if (s == end || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z') || *s == '=' || *s == '(')
			return 0;
		return *s;
	}
	return 0;
}

int report_columns_read_header(struct report_columns *c, const char *line, size_t len, char separator, struct diag *d)
{
	const char *s = line, *end = line + len;
	struct report_columns new;
	struct span cell;
	bool numbers = false;
	int err;

	while (s < end && (*s == ' ' || *s == '#'))
		s++;
	err = refuse_foreign(s, end, d);
	if (err)
		return err;
	columns_init(&new, separator ? separator : find_separator(s, end));
	while (cell_next(&s, end, new.separator, &cell)) {
		add_column(&new, kind_of(&cell));
		numbers |= report_column_is_number(new.kinds[new.n - 1]);
	}
	if (new.n < 2 || !numbers || (new.where[COLUMN_SYMBOL] < 0 && !report_column_is_number(new.kinds[0])))
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

/* Sets c->tail to the first column of symbol and DSO, if all columns from there on are text. */
static void set_tail(struct report_columns *c)
{
	int first = c->where[COLUMN_SYMBOL], i;

	if (c->where[COLUMN_DSO] >= 0 && c->where[COLUMN_DSO] < first)
		first = c->where[COLUMN_DSO];
	for (i = first; i < c->n; i++)
		if (c->kinds[i] < COLUMN_DSO)
			return;
	c->tail = first;
}

bool report_columns_read_dots(struct report_columns *c, const char *header, size_t header_len, const char *dots,
			      size_t dots_len)
{
	const char *s = dots, *end = dots + dots_len, *from, *to, *limit;
	const char *header_end = header + header_len;
	struct report_columns new;
	struct span cell;

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
		cell = cell_trimmed(header + (from - dots) > header_end ? header_end : header + (from - dots),
				    limit > header_end ? header_end : limit);
		new.from[new.n] = (uint32_t)(from - dots);
		add_column(&new, kind_of(&cell));
	}
	if (new.where[COLUMN_SYMBOL] < 0)
		return false;
	set_tail(&new);
	new.dotted = true;
	new.group_size = c->group_size;
	*c = new;
	return true;
}
