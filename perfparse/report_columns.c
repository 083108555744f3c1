// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#define SHARES_MAX 16 /* of the events of a group, in one or two columns */

/* ---- cells --------------------------------------------------------------------------------------------- */

struct span cell_trimmed(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return (struct span){from, (size_t)(to - from)};
}

bool cell_next(const char **s, const char *end, char separator, struct span *cell)
{
	const char *from, *to;

	if (separator) {
		if (*s > end)
			return false;
		to = memchr(*s, separator, (size_t)(end - *s));
		if (!to)
			to = end;
		*cell = cell_trimmed(*s, to);
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
	*cell = (struct span){from, (size_t)(to - from)};
	*s = to;
	return true;
}

const char *cell_read_percent(const char *s, const char *end, double *pct)
{
	const char *digits = s;
	double fraction;

	s = number_read_decimal(s, end, pct);
	if (s && s < end && *s == ',' && !memchr(digits, '.', (size_t)(s - digits))) {
		digits = s + 1;
		s = number_read_decimal(digits, end, &fraction);
		if (!s || memchr(digits, '.', (size_t)(s - digits)))
			return NULL;
		*pct += fraction / pow(10, (double)(s - digits));
	}
	return s && s < end && *s == '%' ? s + 1 : NULL;
}

bool cell_read_mark(const char *s, const char *end, enum profile_space *space)
{
	static const char marks[] = ".kguH?";
	static const enum profile_space spaces[] = {SPACE_USER,       SPACE_KERNEL,     SPACE_GUEST_KERNEL,
						    SPACE_GUEST_USER, SPACE_HYPERVISOR, SPACE_UNKNOWN};
	const char *mark;

	if (end - s < 4 || s[0] != '[' || s[2] != ']' || s[3] != ' ')
		return false;
	mark = memchr(marks, s[1], sizeof(marks) - 1);
	if (!mark)
		return false;
	*space = spaces[mark - marks];
	return true;
}

bool cell_holds_row(const char *s, const char *end)
{
	enum profile_space space;
	struct span word;
	double v;

	while (span_next_word(&s, end, &word))
		if (cell_read_mark(word.s, end, &space) ||
		    cell_read_percent(word.s + (*word.s == '+' || *word.s == '-'), word.s + word.len, &v))
			return true;
	return false;
}

enum profile_space cell_space(enum profile_space mark, struct span dso)
{
	enum profile_space space = profile_space_of_dso(dso.s, dso.len);
	size_t n = strlen("bpf_prog_"), end = n + 16;

	if (mark == SPACE_UNKNOWN || mark == SPACE_KERNEL || mark == SPACE_GUEST_KERNEL)
		return mark;
	/* A BPF program is "bpf_prog_6deef7357e7b4530_drop"; a program of user space may be called bpf_prog_test. */
	if (span_begins(dso.s, dso.len, "bpf_prog_")) {
		while (n < dso.len && n < end && memchr("0123456789abcdef", dso.s[n], 16))
			n++;
		if (n < end)
			return mark;
	}
	return space == SPACE_KERNEL || space == SPACE_GUEST_KERNEL ? space : mark;
}

/* ---- headers ------------------------------------------------------------------------------------------- */

static enum report_column report_columns_kind_of(const struct span *c)
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

void report_columns_guess(struct report_columns *c, char separator)
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
	size_t n;

	while (s < end && (*s == ' ' || *s == '#'))
		s++;
	n = (size_t)(end - s);
	if ((span_begins(s, n, "Overhead ") || span_begins(s, n, "Children ")) && memmem(s, n, " / ", 3))
		return diag_set(d, -EINVAL, "this is hierarchy output; run perf report without --hierarchy");
	if (span_begins(s, n, "Baseline ") && memmem(s, n, "Symbol", 6))
		return diag_set(
			d, -EINVAL,
			"this is the output of perf diff, which holds two profiles: give it to perfparse alone, "
			"with --pps and --pps2");
	report_columns_guess(&new, separator ? separator : find_separator(s, end));
	while (cell_next(&s, end, new.separator, &cell)) {
		add_column(&new, report_columns_kind_of(&cell));
		numbers |= new.kinds[new.n - 1] <= COLUMN_NUMBER;
	}
	if (new.n < 2 || !numbers || (new.where[COLUMN_SYMBOL] < 0 && new.kinds[0] > COLUMN_NUMBER))
		return 0;
	if (new.where[COLUMN_SYMBOL] < 0 && memmem(line, len, "Symbol", 6)) /* "# Overhead Command Symbol" */
		return 0;
	if (new.where[COLUMN_SYMBOL] < 0)
		return diag_set(d, -EINVAL, "no Symbol column; run perf report with --sort sym");
	new.deltas = memmem(line, len, "Delta", 5);
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

bool report_columns_read_dots(struct report_columns *c, const char *header, size_t header_len, const char *dots,
			      size_t dots_len, bool cpu)
{
	const char *s = dots, *end = dots + dots_len, *from, *to, *limit;
	const char *header_end = header + header_len;
	struct report_columns new;
	struct span cell;
	int first, i;

	if (!is_dots(dots, end))
		return false;
	report_columns_guess(&new, 0);
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
		add_column(&new, report_columns_kind_of(&cell));
	}
	first = new.where[COLUMN_SYMBOL];
	if (first < 0)
		return false;
	/* The tail begins at the first column of symbol and DSO, if all columns from there on are text. */
	if (new.where[COLUMN_DSO] >= 0 && new.where[COLUMN_DSO] < first)
		first = new.where[COLUMN_DSO];
	for (i = first; i < new.n &&new.kinds[i] >= COLUMN_DSO; i++)
		;
	new.tail = i == new.n ? first : 0;
	/* Which columns are read. Behind the symbol, that of the CPU tells whether the row is whole. */
	for (i = 0; i < new.n; i++) {
		if (i == new.tail)
			new.nhead = new.nfields;
		if (new.kinds[i] != COLUMN_TEXT &&new.kinds[i] != COLUMN_SHARE &&new.kinds[i] != COLUMN_NUMBER &&
		    (new.kinds[i] != COLUMN_CPU || cpu || !new.tail))
			new.fields[new.nfields++] = (struct report_field){
				new.kinds[i], i ? new.from[i] : 0, i + 1 < new.n ? new.from[i + 1] - 2 : UINT32_MAX};
	}
	new.nhead = new.tail ? new.nhead : new.nfields;
	new.dotted = true;
	new.group_size = c->group_size;
	new.deltas = c->deltas;
	*c = new;
	return true;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* perf report -v prints "0xffffffff821f236b k [k] name"; an inlined function has a mark behind the name. */
static void read_symbol(struct report_cells *cells, struct span cell)
{
	const char *s = cell.s, *end = s + cell.len;

	cells->space = SPACE_UNKNOWN;
	if (cell.len > 2 && s[0] == '0' && s[1] == 'x') {
		while (s < end && *s != '[')
			s++;
		if (!cell_read_mark(s, end, &cells->space))
			s = cell.s;
	}
	if (cell_read_mark(s, end, &cells->space))
		s += 4;
	while (s < end && *s == ' ')
		s++;
	if (end - s > 10 && !memcmp(end - 10, " (inlined)", 10))
		end -= 10;
	/* "build_skb   <--- this one": what people write behind. Names of C have no blank, those of Rust have "::". */
	if (cells->space == SPACE_KERNEL || cells->space == SPACE_GUEST_KERNEL) {
		const char *blank = memchr(s, ' ', (size_t)(end - s)), *c = s;

		while (blank && c < blank && !memchr("<>:(){}[]&*", *c, 11))
			c++;
		end = c == blank ? blank : end;
	}
	cells->name = (struct span){s, (size_t)(end - s)};
}

/* Returns the start of the member-th value in a cell of values with blanks between them. */
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

/* Nearly all shares have the form "  34.33%" at the end of their cell, with two decimals: this is read fast. */
static inline bool read_share(const char *s, const char *end, int member, double *pct)
{
	unsigned int ten, one, tenth, hundredth;

	while (end - s > 9 && !memcmp(s, "    ", 4))
		s += 4;
	while (end - s > 6 && *s == ' ')
		s++;
	if (!member && end - s == 6 && s[5] == '%' && s[2] == '.') {
		ten = *s == ' ' ? 0 : (unsigned int)(*s - '0');
		one = (unsigned int)(s[1] - '0');
		tenth = (unsigned int)(s[3] - '0');
		hundredth = (unsigned int)(s[4] - '0');
		*pct = (1000 * ten + 100 * one + 10 * tenth + hundredth) / 100.0;
		if (ten <= 9 && one <= 9 && tenth <= 9 && hundredth <= 9)
			return true;
	}
	/* Another one of several shares stands before that of a member. */
	return cell_read_percent(skip_members(s, end, member), end, pct);
}

static bool report_columns_read_count(const char *s, const char *end, int member, double *count)
{
	s = number_read_decimal(skip_members(s, end, member), end, count);
	return s && (s == end || *s == ' ');
}

/* One by one: for a whole struct, compilers take an instruction that is slow for so few bytes. */
static void cells_init(struct report_cells *cells)
{
	cells->self_pct = cells->children_pct = cells->samples = cells->period = -1;
	cells->cpu = -1;
	cells->unnamed = cells->bare = false;
	cells->name.s = cells->dso.s = "";
	cells->name.len = cells->dso.len = 0;
	cells->space = SPACE_UNKNOWN;
	cells->tail.s = NULL;
}

static bool read_cell(struct report_cells *cells, enum report_column kind, const char *from, const char *to, int member)
{
	int cpu = 0, digits = 0;

	switch (kind) {
	case COLUMN_SELF:
		return read_share(from, to, member, &cells->self_pct);
	case COLUMN_CHILDREN:
		return read_share(from, to, member, &cells->children_pct);
	case COLUMN_SAMPLES:
		return report_columns_read_count(from, to, member, &cells->samples);
	case COLUMN_PERIOD:
		return report_columns_read_count(from, to, member, &cells->period);
	case COLUMN_CPU:
		while (from < to && *from == ' ')
			from++;
		for (; from < to && *from >= '0' && *from <= '9' && digits < 7; from++, digits++)
			cpu = 10 * cpu + (*from - '0');
		cells->cpu = digits && cpu < 1000000 && (from == to || *from == ' ') ? cpu : -1;
		return true;
	case COLUMN_DSO:
		cells->dso = cell_trimmed(from, to);
		return true;
	case COLUMN_SYMBOL:
		read_symbol(cells, cell_trimmed(from, to));
		return cells->name.len > 0;
	case COLUMN_SHARE:
	case COLUMN_NUMBER:
	case COLUMN_TEXT:
		break;
	}
	return true;
}

/* Reads these fields of a row that lines up with the dots. */
static bool read_fields(const struct report_field *f, const struct report_field *end, const char *line, size_t len,
			int member, struct report_cells *cells)
{
	for (; f < end; f++) {
		size_t to = f->to < len ? f->to : len;

		if (f->from > to || !read_cell(cells, f->kind, line + f->from, line + to, member))
			return false;
	}
	return true;
}

/* Returns the beginning of a row, behind the "+" or "-" of the text user interface; NULL if there is no share. */
static const char *row_begin(const char *line, const char *end)
{
	const char *s = line, *t;
	double pct;

	while (s < end && *s == ' ')
		s++;
	if (s < end && (*s == '+' || *s == '-'))
		for (s++; s < end && *s == ' '; s++)
			;
	t = cell_read_percent(s, end, &pct);
	return t ? s : NULL;
}

/* True if the next cell is a share with a minus; perf's text user interface has a blank behind its "-". */
static bool is_negative(const char *s, const char *end, char separator)
{
	double pct;

	while (s < end && (*s == ' ' || *s == separator))
		s++;
	return s < end && *s == '-' && cell_read_percent(s + 1, end, &pct);
}

bool report_columns_is_negative(const struct report_columns *c, const char *line, size_t len)
{
	const char *end = line + len, *pct = memchr(line, '-', len) ? memchr(line, '%', len) : NULL;
	enum profile_space space;

	if (!pct || (!is_negative(line, end, ' ') && !is_negative(pct + 1, end, c->separator ? c->separator : ' ')))
		return false;
	while (pct && !cell_read_mark(pct, end, &space))
		pct = memchr(pct + 1, '[', (size_t)(end - pct - 1));
	return pct;
}

/*
 * Reads a row that does not line up with dots: cuts it at blanks or at the separator. Without a separator the row has
 * to have perf's mark in front of the symbol: only the mark proves that no cell was empty or contained blanks.
 */
static bool read_cut(const struct report_columns *c, const char *s, const char *end, int member,
		     struct report_cells *cells)
{
	enum profile_space space;
	struct span cell;
	int i;

	for (i = 0; i < c->n; i++) {
		if (!cell_next(&s, end, c->separator, &cell))
			return i > c->where[COLUMN_SYMBOL];
		if (!read_cell(cells, c->kinds[i], cell.s, cell.s + cell.len, member))
			return false;
		if (c->kinds[i] == COLUMN_SYMBOL && !c->separator && !cell_read_mark(cell.s, cell.s + cell.len, &space))
			return false;
	}
	return true;
}

/*
 * Reads " 34.33% =>  42.0 ns func:  [k] name", the output of the awk line in "Eval Generic netstack XDP patch";
 * with children shares, the self share is behind "ns".
 */
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
	read_symbol(cells, cell_trimmed(func + 5, end));
	return cells->name.len > 0;
}

/*
 * Reads the shares of a cell, such as "95.83% 100.00%" of a group, behind the n known ones. Returns their number, and
 * leaves in *cell what stands behind them.
 */
static int read_shares(struct span *cell, double pct[SHARES_MAX], int n)
{
	const char *s = cell->s, *end = s + cell->len;

	while (s && s < end && n < SHARES_MAX) {
		s = cell_read_percent(skip_members(s, end, 0), end, &pct[n]);
		if (!s)
			break;
		n++;
		*cell = cell_trimmed(s, end);
	}
	return n;
}

/*
 * "comm [kernel] [k] name", which single blanks made one cell: leaves "[k] name" in *cell, and the word before it in
 * *before. Without a mark, the whole cell is in *before.
 */
static bool split_at_mark(struct span *cell, struct span *before, int *texts)
{
	const char *s = cell->s, *end = s + cell->len;
	struct span word, last = *before;
	enum profile_space space;
	int words = 0;

	for (; span_next_word(&s, end, &word); last = word, words++) {
		if (!cell_read_mark(word.s, end, &space))
			continue;
		*cell = (struct span){word.s, (size_t)(end - word.s)};
		*before = last;
		*texts += words;
		return true;
	}
	*before = *cell;
	++*texts;
	return false;
}

/* Which of the n shares at the beginning of a row is which: a group has one for each event in each column. */
static bool sort_shares(const struct report_columns *c, const double *pct, int n, int member,
			struct report_cells *cells)
{
	int columns = c->group_size > 1 ? n / c->group_size : n;

	if (!columns || (c->group_size > 1 && n % c->group_size))
		return false;
	if (c->group_size == 1 && n == 2 && c->where[COLUMN_SELF] >= 0 && c->where[COLUMN_CHILDREN] < 0)
		columns = 1; /* a group's two events below "Overhead", and nothing said that this is a group */
	if (columns > 2)
		return false;
	cells->self_pct = pct[(columns - 1) * c->group_size + member];
	cells->children_pct = columns == 2 ? pct[member] : -1;
	cells->unnamed = columns == 2 && !c->n;
	return true;
}

/*
 * Reads a row of a table without header: shares, then any numbers and texts, then the symbol, found by perf's mark.
 */
static bool read_guessed(const struct report_columns *c, char separator, const char *s, const char *end, int member,
			 struct report_cells *cells)
{
	struct span cell, before = {"", 0};
	double v, pct[SHARES_MAX];
	const char *first = s;
	int shares = 0, texts = 0;
	bool number, numbers = false;

	while (cell_next(&s, end, separator, &cell)) {
		shares = texts ? shares : read_shares(&cell, pct, shares);
		number = !texts && report_columns_read_count(cell.s, cell.s + cell.len, 0, &v);
		numbers |= number;
		if (!cell.len || number)
			continue;
		first = texts ? first : cell.s;
		if (!split_at_mark(&cell, &before, &texts))
			continue;
		if (!sort_shares(c, pct, shares, member, cells) || cell_holds_row(first, cell.s) ||
		    cell_holds_row(cell.s + 4, end))
			return false;
		/* In perf's default order the last text cell before the symbol is the DSO. */
		if (texts > 1 || (before.len &&
				  (before.s[0] == '[' || before.s[0] == '/' || memmem(before.s, before.len, ".so", 3))))
			cells->dso = before;
		read_symbol(cells, cell);
		cells->bare = texts < 2 && !numbers;
		return cells->name.len > 0;
	}
	return false;
}

/*
 * The separator of a row such as "69.17% ,[k] name" in a table without header and dots; 0: none. A task may be called
 * ":4711", but then no cell begins with the mark: "40.00%  :4711  [kernel.kallsyms]  [k] name".
 */
static char row_separator(const char *s, const char *end)
{
	const char *pct = memchr(s, '%', (size_t)(end - s));
	enum profile_space space;
	struct span cell;
	char separator;

	for (pct = pct ? pct + 1 : end; pct < end && *pct == ' '; pct++)
		;
	separator = pct < end && memchr(",;:|\t~^", *pct, 7) ? *pct : 0;
	for (s = pct; separator && cell_next(&s, end, separator, &cell);)
		if (cell_read_mark(cell.s, cell.s + cell.len, &space))
			return separator;
	return 0;
}

bool report_columns_read_aligned(const struct report_columns *c, const char *line, size_t len, int member,
				 struct report_cells *cells)
{
	if (!c->dotted)
		return false;
	/* A row lines up with the dots if two blanks are before each column. */
	for (const uint32_t *from = c->from + 1; from < c->from + c->n && *from <= len; from++)
		if (memcmp(line + *from - 2, "  ", 2) != 0)
			return false;
	if (c->from[c->n - 1] >= len && c->from[c->where[COLUMN_SYMBOL]] >= len)
		return false;
	cells_init(cells);
	if (!read_fields(c->fields, c->fields + c->nhead, line, len, member, cells))
		return false;
	if (c->tail)
		cells->tail = (struct span){line + c->from[c->tail], len - c->from[c->tail]};
	return true;
}

bool report_columns_read_row(const struct report_columns *c, const char *line, size_t len, int member,
			     struct report_cells *cells)
{
	const char *end = line + len;

	if (!c->separator && report_columns_read_aligned(c, line, len, member, cells))
		return true;
	cells_init(cells);
	if (!c->separator) {
		/* Reads a row that begins with a share, where the columns are not known or do not line up. */
		const char *s = row_begin(line, end), *chain;
		enum profile_space space;
		double v;

		if (!s)
			return false;
		if (read_awk(s, end, cells))
			return true;
		cells_init(cells);
		/* "69.17% a;b;c" in column 0: this is a call chain of -g folded, not a row. */
		chain = s == line ? cell_read_percent(s, end, &v) : NULL;
		if (chain && chain + 1 < end && chain[0] == ' ' && chain[1] != ' ' && chain[1] != '=' &&
		    !cell_read_percent(chain + 1, end, &v) && !cell_read_mark(chain + 1, end, &space) &&
		    !row_separator(chain - 1, end))
			return false;
		if (c->group_size == 1 && c->n && c->kinds[0] <= COLUMN_SHARE && read_cut(c, s, end, 0, cells))
			return true;
		cells_init(cells);
		return read_guessed(c, c->n ? 0 : row_separator(s, end), s, end, member, cells);
	}
	return c->n ? read_cut(c, line, end, member, cells)
		    : row_begin(line, end) && read_guessed(c, c->separator, line, end, member, cells);
}

bool report_columns_read_tail(const struct report_columns *c, const char *line, size_t len, struct report_cells *cells)
{
	return read_fields(c->fields + c->nhead, c->fields + c->nfields, line, len, 0, cells);
}

static bool report_columns_is_name(const struct span *c)
{
	for (size_t i = 0; i < c->len; i++)
		if (!isalpha((unsigned char)c->s[i]) && c->s[i] != '_' &&
		    !(i && (isdigit((unsigned char)c->s[i]) || c->s[i] == '.')))
			return false;
	return c->len > 0;
}

static bool is_dso(const struct span *c)
{
	return c->len > 2 &&
	       ((c->s[0] == '[' && c->s[c->len - 1] == ']') || c->s[0] == '/' || memmem(c->s, c->len, ".so", 3));
}

bool report_columns_is_graph(const char *line, size_t len)
{
	const char *s = span_skip_blanks(line, line + len);

	return s < line + len && memchr("+-|", *s, 3) && memchr(s, '%', (size_t)(line + len - s));
}

bool report_columns_read_unmarked(const char *line, size_t len, bool strict, struct report_cells *cells)
{
	const char *end = line + len, *s = line, *behind;
	struct span first, second = {"", 0}, more, name;
	double count;

	while (s < end && *s == ' ')
		s++;
	/* The count in front of the share is of samples, with decimals, because perf top lets old samples fade. */
	behind = number_read_decimal(s, end, &count);
	s = behind && behind < end && *behind == ' ' ? behind : s;
	cells_init(cells);
	s = report_columns_is_graph(line, len) ? NULL : row_begin(s, end);
	s = s ? cell_read_percent(s, end, &cells->self_pct) : NULL;
	if (!s || !span_next_word(&s, end, &first))
		return false;
	if (span_next_word(&s, end, &second) && span_next_word(&s, end, &more))
		return false;
	name = second.len && is_dso(&first) ? second : first;
	cells->bare = true;
	if (second.len) {
		cells->dso = is_dso(&first) ? first : second;
		if (!is_dso(&cells->dso))
			return false;
		cells->space = profile_space_of_dso(cells->dso.s, cells->dso.len);
	} else if (strict && !memchr(name.s, '_', name.len)) {
		return false;
	}
	cells->name = name;
	return report_columns_is_name(&name);
}

/* "[k]name", "[K] name": perf's mark, or what somebody made of it. */
bool report_columns_is_like_row(const char *line, size_t len, bool unmarked)
{
	const char *end = line + len, *pct = memchr(line, '%', len), *s;
	bool begins = row_begin(line, end);
	struct span word;

	if (!pct)
		return false;
	s = pct + 1;
	if (unmarked && begins && span_next_word(&s, end, &word) && report_columns_is_name(&word) &&
	    memchr(word.s, '_', word.len))
		return true;
	for (s = pct + 1; span_next_word(&s, end, &word);)
		if ((word.len > 2 && word.s[0] == '[' && word.s[2] == ']' && memchr(".kKgGuUhH?", word.s[1], 10)) ||
		    /* "[kernel.kallsyms]", "[mlx5_core]" */
		    (begins && word.len > 4 && word.s[0] == '[' && word.s[word.len - 1] == ']' && word.s[1] >= 'a' &&
		     word.s[1] <= 'z'))
			return true;
	return false;
}
