// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#define SHARE_MAX_PCT  100.5
#define ROUNDING_PCT   0.005 /* of a share with two decimals */
#define HEADER_BYTES   4096
#define MEMBER_UNKNOWN (-2)

/* What a line was. */
enum took { TOOK_NOTHING, TOOK_HEAD, TOOK_ROW, TOOK_OTHER_ROW };

/* What stood between two rows. */
enum gap { GAP_NONE, GAP_BLANK, GAP_PROSE, GAP_TITLE, GAP_HEADER };

struct reader {
	struct profile *p;
	const struct text_pick *f;
	struct diag *d;
	struct report_columns columns;
	char header[HEADER_BYTES]; /* header line of the current block; the dots below need it */
	size_t header_len;
	struct events events;        /* events of blocks with rows */
	struct events block;         /* the current block's event, or the events of its group */
	double samples, event_count; /* of the current block; 0: not printed */
	bool rounded;                /* samples were printed as 119K */
	uint32_t *rows;              /* number of the symbol's row + 1; indexed by symbol */
	size_t nrows_known, rows_cap;
	struct symbol_cache cache;
	uint8_t layout; /* number of the current column layout: the cache's salt */
	int member;     /* index of the wanted event in block; -1: none; MEMBER_UNKNOWN before the first row */
	double own_samples, own_event_count; /* of the block whose rows are kept */
	double samples_listed, all_pct, all_children_pct, kept_pct;
	double lowest_self, lowest_children; /* of the lines so far; -1: no line yet */
	bool self_rises, children_rise;      /* a line had a larger share than the line above: not in this order */
	bool marked, unmarked;               /* rows with and without perf's mark were seen */
	size_t nlines;                       /* kept; more than rows where a symbol had several */
	bool no_cpu_column, comma;
	bool pairs, pairs_told; /* rows of two shares without a name; they are children and self */
	bool pairs_differ;      /* they are not: one has more of its own than with all it calls */
	bool uncounted;         /* a row has no number of samples */
	uint64_t unread;        /* the first line that is like a row of the wanted table, and cannot be read; 0: none */
	enum gap gap;           /* between the last row and this line */
	int table;              /* number of the current table, from 1 */
	bool by_table;          /* tables are counted, whatever their events */
	bool done;              /* the wanted table has ended */
	bool graph;             /* a line of a call graph stands where rows without marks are read */
	bool by_weight;         /* shares are of weights, such as latencies of loads */
	enum took took;         /* what the line was that is being read */
	uint64_t head_line;     /* where the header of the table that comes next begins; 0: it has none */
	struct report_text head; /* the header that was read last */
	bool head_kept;          /* it belongs to rows above */
	const struct linescan *lines;
};

static const char *report_find(const char *s, const char *end, const char *text)
{
	const char *at = memmem(s, (size_t)(end - s), text, strlen(text));

	return at ? at + strlen(text) : NULL;
}

/* "Event count (approx.): 119499252009", on its own line or behind the samples. */
static bool read_event_count(struct reader *r, const char *s, const char *end)
{
	const char *at = report_find(s, end, "Event count (approx.): ");

	return at && number_read_decimal(at, end, &r->event_count);
}

/* "cpu-clock", "cycles, cpu/event=0x3c,umask=0x0/", or "anon group { cpu-clock, task-clock }" */
static void read_event_names(struct reader *r, const char *s, const char *end)
{
	const char *open = memchr(s, '{', (size_t)(end - s)), *to;
	bool in_slashes; /* a comma there divides no names */
	struct span name;

	if (open && end[-1] == '}') {
		s = open + 1;
		end--;
	}
	r->block.n = 0;
	do {
		for (to = s, in_slashes = false; to < end && (*to != ',' || in_slashes); to++)
			in_slashes ^= *to == '/';
		name = cell_trimmed(s, to);
		if (name.len)
			events_add(&r->block, name.s, name.len);
		s = to + 1;
	} while (to < end);
}

/* "Samples: 119K of event 'cycles'", with and without "#"; a block begins. perf prints decimal units. */
static bool read_samples_line(struct reader *r, const char *s, const char *end)
{
	static const char units[] = "KMGT";
	const char *at = report_find(s, end, "Samples: "), *unit, *quote, *close;
	double samples;

	at = at ? number_read_decimal(at, end, &samples) : NULL;
	if (!at)
		return false;
	unit = at < end ? memchr(units, *at, sizeof(units) - 1) : NULL;
	if (unit) {
		samples *= pow(1000, (double)(unit - units + 1));
		at++;
	}
	if (at < end && *at != ' ') /* "119,499", which perf does not print */
		samples = 0;
	quote = report_find(at, end, " of event");
	quote = quote ? memchr(quote, '\'', (size_t)(end - quote)) : NULL;
	close = quote ? memchr(quote + 1, '\'', (size_t)(end - quote - 1)) : NULL;
	if (!close)
		return false;
	r->samples = samples;
	r->rounded = unit;
	r->event_count = 0;
	r->member = MEMBER_UNKNOWN;
	report_columns_guess(&r->columns, r->f->separator);
	read_event_names(r, quote + 1, close);
	read_event_count(r, close, end);
	return true;
}

/* Finds or adds the row of a symbol. */
static struct profile_row *report_row_of(struct reader *r, uint32_t symbol)
{
	size_t n = r->nrows_known;

	if (symbol >= n) {
		if (!array_grow(&r->rows, &r->rows_cap, n, symbol + 1 - n, sizeof(*r->rows)))
			return NULL;
		memset(r->rows + n, 0, (symbol + 1 - n) * sizeof(*r->rows));
		r->nrows_known = symbol + 1;
	}
	if (!r->rows[symbol]) {
		const struct profile_row none = {.symbol = symbol, .self_pct = -1, .children_pct = -1};

		if (profile_add_row(r->p, &none))
			return NULL;
		r->rows[symbol] = (uint32_t)r->p->nrows;
	}
	return &r->p->rows[r->rows[symbol] - 1];
}

/* Finds which event of the block's group is wanted. An event without rows is ignored, and so is perf's dummy event. */
static int find_member(struct reader *r)
{
	int i, found = -1;

	if (r->by_table && r->gap == GAP_HEADER && r->nlines) { /* another table begins, and may have another event */
		r->done = r->table == r->f->table;
		if (r->done)
			return -1;
		r->events.n = 0;
	}
	for (i = 0; i < r->block.n; i++) {
		if (r->block.n > 1 && event_matches("dummy", r->block.names[i], strlen(r->block.names[i])))
			continue; /* perf's own records, without samples */
		events_add(&r->events, r->block.names[i], strlen(r->block.names[i]));
		if (found < 0 &&
		    (!r->f->event || event_matches(r->f->event, r->block.names[i], strlen(r->block.names[i]))))
			found = i;
	}
	r->member = r->block.n ? found : 0;
	if (!r->f->event && r->events.n > 1 && !r->by_table)
		r->member = -1;
	return r->member;
}

/*
 * The index of the wanted event in the block's group; -1: the block has no wanted event, or a second one although none
 * was picked.
 */
static inline int wanted_member(struct reader *r)
{
	return r->member != MEMBER_UNKNOWN ? r->member : find_member(r);
}

/* Adds a share of a row to that of its symbol; shares are expected to fall. */
static inline void take_share(double pct, double *sum, double *lowest, bool *rises)
{
	if (pct < 0) {
		*lowest = pct;
		return;
	}
	*sum = *sum < 0 ? pct : *sum + pct;
	if (pct > *lowest && *lowest >= 0)
		*rises = true;
	else
		*lowest = pct;
}

/* ---- where a second table begins ------------------------------------------------------------------------------- */

/* "and after the patch:". Lines of call graphs are indented further, and other programs' lines do no harm. */
static enum gap gap_of(const char *line, size_t len)
{
	size_t blanks = 0;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	while (blanks < len && (line[blanks] == ' ' || line[blanks] == '\t'))
		blanks++;
	if (blanks == len)
		return GAP_BLANK;
	if (blanks >= 8 || line[0] == '#' || memchr(line, ';', len) ||
	    !((line[blanks] >= 'a' && line[blanks] <= 'z') || (line[blanks] >= 'A' && line[blanks] <= 'Z')))
		return GAP_NONE;
	if (line[len - 1] == ':')
		return GAP_TITLE;
	return memchr(line + blanks, ' ', len - blanks) ? GAP_PROSE : GAP_NONE;
}

static void report_drop_rows(struct reader *r)
{
	if (r->rows)
		memset(r->rows, 0, r->nrows_known * sizeof(*r->rows));
	r->p->nrows = 0;
	r->nlines = 0;
	r->samples_listed = r->all_pct = r->all_children_pct = r->kept_pct = 0;
	r->lowest_self = r->lowest_children = -1;
	r->self_rises = r->children_rise = r->no_cpu_column = r->uncounted = false;
	r->pairs = r->pairs_told = r->pairs_differ = false;
	r->unread = 0;
	if (r->f->kept)
		r->f->kept->len = 0;
}

/*
 * Two shares and no header: perf's Children and Self, or two events of a group, of which the second is perf's dummy
 * event without samples. It was the latter if no row had anything of its own, and all rows together are not more than
 * the whole.
 */
static void undo_dummy_column(struct reader *r)
{
	struct profile_row *row;

	if (r->columns.n || r->all_pct > 0 || r->p->nrows < 2 || !(r->all_children_pct > 0) ||
	    r->all_children_pct > SHARE_MAX_PCT + ROUNDING_PCT * (double)r->p->nrows)
		return;
	for (row = r->p->rows; row < r->p->rows + r->p->nrows; row++) {
		row->self_pct = row->children_pct;
		row->children_pct = -1;
	}
	r->pairs = false;
	r->all_pct = r->kept_pct = r->all_children_pct;
	r->lowest_self = r->lowest_children;
	r->self_rises = r->children_rise;
}

/* The table whose rows were read is whole: its entry in the list. */
static void finish_listed(struct reader *r)
{
	if (!r->f->list || !r->nlines || !r->f->list->n)
		return;
	undo_dummy_column(r);
	r->f->list->list[r->f->list->n - 1].sum_pct = r->all_pct;
}

/* A row of the table that is listed last, or of one that begins with it. */
static int list_row(struct reader *r, const struct report_cells *c, uint32_t symbol)
{
	struct report_tables *t = r->f->list;
	struct report_table *table = r->nlines ? &t->list[t->n - 1] : array_add(&t->list, &t->n, sizeof(*t->list));

	if (!table)
		return diag_set(r->d, -ENOMEM, "out of memory");
	if (!r->nlines) {
		*table = (struct report_table){.first_line = r->head_line ? r->head_line : r->lines->line};
		snprintf(table->first, sizeof(table->first), "%s", r->p->symbols[symbol].name);
	}
	r->head_line = 0;
	table->last_line = r->lines->line;
	table->rows += c->self_pct >= 0 || c->children_pct >= 0;
	return 0;
}

/*
 * perf prints a header above each table, and the rows of a table by falling shares. So another header is another table,
 * and so are rows that begin again higher up, or name a function again, behind words or, where no header was, behind a
 * blank line. A reply in the middle of a table leaves its order as it was.
 *
 * 1: this row is one of the wanted table; 0: of another; < 0: refused. Most rows have nothing before them.
 */
static int report_follow_tables(struct reader *r, const struct report_cells *c, uint32_t symbol)
{
	bool dotted = r->columns.dotted, begins = false, again, children, above, higher;

	if (r->gap != GAP_NONE || !dotted) {
		again = symbol < r->nrows_known && r->rows[symbol];
		children = c->children_pct >= 0;
		above = children ? c->children_pct > r->lowest_children : c->self_pct > r->lowest_self;
		higher = above && r->nlines > 1 && !(children ? r->children_rise : r->self_rises);
		switch (r->nlines ? r->gap : GAP_NONE) {
		case GAP_NONE:
			begins = !dotted && higher && again;
			break;
		case GAP_BLANK:
			begins = !dotted && (higher || (again && (above || c->bare)));
			break;
		case GAP_PROSE:
			begins = higher || (again && !dotted);
			break;
		case GAP_TITLE:
			begins = !dotted || higher || again;
			break;
		case GAP_HEADER:
			begins = true;
			break;
		}
	}
	if (begins) {
		if (r->f->list) {
			finish_listed(r);
			report_drop_rows(r);
		} else if (r->table < r->f->table) {
			report_drop_rows(r);
		} else {
			r->done = r->f->table;
		}
		r->table++;
		if (!r->f->list && !r->f->table)
			return diag_set(r->d, -EINVAL,
					"line %llu: a second table begins here; leave one of them out, or pick one by "
					"its number, from 1, with --table",
					(unsigned long long)r->lines->line);
	}
	r->gap = GAP_NONE;
	return !r->f->table || r->table <= r->f->table;
}

static int report_add_row(struct reader *r, struct report_cells *c, uint32_t symbol)
{
	struct profile_row *row;
	int mine;

	if (c->self_pct < 0 && c->children_pct < 0) { /* a table of counts: the header has the whole */
		if (c->period >= 0 && r->event_count > 0)
			c->self_pct = 100 * c->period / r->event_count;
		else if (c->samples >= 0 && r->samples > 0 && !r->rounded)
			c->self_pct = 100 * c->samples / r->samples;
	}
	if (c->self_pct < 0 && c->children_pct < 0)
		return diag_set(r->d, -EINVAL, "no column of shares; run perf report with -F +overhead");
	if (c->self_pct > SHARE_MAX_PCT || c->children_pct > SHARE_MAX_PCT)
		return diag_set(r->d, -ERANGE, "a share of %.2f %%",
				c->self_pct > c->children_pct ? c->self_pct : c->children_pct);
	mine = report_follow_tables(r, c, symbol);
	r->took = TOOK_OTHER_ROW;
	if (mine <= 0)
		return mine;
	if (r->f->list && list_row(r, c, symbol))
		return -ENOMEM;
	/*
	 * Two shares without a header are perf's Children and Self, or its Overhead and Latency, or two events of a
	 * group. The first are known by a function that is never on top and yet below much.
	 */
	if (c->unnamed) {
		r->pairs = true;
		r->pairs_told |= !(c->self_pct > 0) && c->children_pct >= 1;
		r->pairs_differ |= c->self_pct > c->children_pct;
	}
	if (c->self_pct > 0)
		r->all_pct += c->self_pct;
	if (c->children_pct > 0)
		r->all_children_pct += c->children_pct;
	if (r->f->cpu >= 0) {
		r->no_cpu_column |= c->cpu < 0;
		if (c->cpu != r->f->cpu)
			return 0;
	}
	r->took = TOOK_ROW;
	r->nlines++;
	r->own_samples = r->samples;
	r->own_event_count = r->event_count;
	row = report_row_of(r, symbol);
	if (!row)
		return diag_set(r->d, -ENOMEM, "out of memory");
	take_share(c->self_pct, &row->self_pct, &r->lowest_self, &r->self_rises);
	take_share(c->children_pct, &row->children_pct, &r->lowest_children, &r->children_rise);
	if (c->self_pct > 0)
		r->kept_pct += c->self_pct;
	if (c->period > 0)
		row->weight += c->period;
	if (c->samples >= 0) {
		row->samples += (uint64_t)c->samples;
		r->samples_listed += c->samples;
	} else {
		r->uncounted = true;
	}
	return 0;
}

/* True for "34,33%", which has the decimal comma of a locale. */
static bool has_comma_share(const char *s, const char *end)
{
	const char *pct = memchr(s, '%', (size_t)(end - s)), *c = pct;

	while (c && c > s && c[-1] >= '0' && c[-1] <= '9')
		c--;
	return pct && c != pct && c > s + 1 && c[-1] == ',' && c[-2] >= '0' && c[-2] <= '9' && pct - c == 2;
}

/* A row of a symbol, which the cache knows where the text was seen before; one without a name is no row. */
static int read_row(struct reader *r, const char *line, size_t len, struct report_cells *c)
{
	uint32_t symbol = SYMBOL_CACHE_NONE;
	int member = wanted_member(r), err;

	if (member < 0)
		return 0;
	if (member && !report_columns_read_row(&r->columns, line, len, member, c))
		return 0;
	if (c->tail.s)
		symbol = symbol_cache_get(&r->cache, c->tail, r->layout);
	if (symbol == SYMBOL_CACHE_NONE) {
		if (c->tail.s && !report_columns_read_tail(&r->columns, line, len, c))
			return 0;
		err = profile_add_symbol(r->p, c->name, c->dso, cell_space(c->space, c->dso), &symbol);
		if (err)
			return diag_set(r->d, err, "out of memory");
		if (c->tail.s)
			symbol_cache_put(&r->cache, c->tail, r->layout, symbol);
	}
	return report_add_row(r, c, symbol);
}

static int report_read_line(struct reader *r, const char *line, size_t len)
{
	struct report_cells cells;
	bool marked, row;

	if (!len) {
		r->gap = r->gap > GAP_BLANK ? r->gap : GAP_BLANK;
		return 0;
	}
	/* A row with perf's mark, or one below a header. */
	marked = !r->columns.deltas && line[0] != '#' && report_columns_read_aligned(&r->columns, line, len, 0, &cells);
	if (!marked && report_columns_is_negative(&r->columns, line, len))
		return diag_set(r->d, -EINVAL,
				"a share below 0 %%; only perf diff has such, in its column Delta, and "
				"its text is read with its header");
	marked = marked || (line[0] != '#' && report_columns_read_row(&r->columns, line, len, 0, &cells));
	row = marked || (!r->marked && !r->columns.n && report_columns_read_unmarked(line, len, !r->unmarked, &cells));
	/*
	 * Rows without marks that stand above the first one are lines of a call graph: people paste a part of perf's
	 * text user interface that begins in an opened row.
	 */
	if (marked && !r->marked && r->unmarked) {
		report_drop_rows(r);
		if (r->f->list && r->f->list->n) /* rows without marks are one table at most */
			r->f->list->n--;
		r->gap = GAP_NONE;
	}
	r->marked |= marked;
	r->unmarked = row ? !marked : r->unmarked;
	if (row)
		return read_row(r, line, len, &cells);
	if (!r->marked && report_columns_is_graph(line, len)) {
		r->graph = true;
		return 0;
	}
	r->comma |= has_comma_share(line, line + len);
	if (!r->unread && line[0] != '#' && report_columns_is_like_row(line, len, r->unmarked) &&
	    wanted_member(r) >= 0 && (!r->f->table || r->table == r->f->table))
		r->unread = r->lines->line;
	/* Reads a line that is not a row: a header, dots, or text around the tables. */
	const char *end = line + len;
	int err;
	if (r->header_len &&
	    report_columns_read_dots(&r->columns, r->header, r->header_len, line, len, r->f->cpu >= 0)) {
		r->columns.group_size = r->block.n > 1 ? r->block.n : 1;
		if (!++r->layout)
			memset(&r->cache, 0, sizeof(r->cache));
		r->took = TOOK_HEAD;
		return 0;
	}
	r->header_len = 0;
	if (read_samples_line(r, line, end)) {
		r->gap = GAP_HEADER;
		r->took = TOOK_HEAD;
		r->by_weight = false;
		return 0;
	}
	if (read_event_count(r, line, end))
		r->took = TOOK_HEAD;
	if (span_begins(line, len, "# Total weight")) { /* perf mem */
		r->by_weight = true;
		r->took = TOOK_HEAD;
	}
	err = report_columns_read_header(&r->columns, line, len, r->f->separator, r->d);
	if (err <= 0) {
		enum gap gap = gap_of(line, len);

		r->gap = gap > r->gap ? gap : r->gap;
		return err;
	}
	r->gap = GAP_HEADER;
	r->took = TOOK_HEAD;
	r->columns.group_size = r->block.n > 1 ? r->block.n : 1;
	if (len < sizeof(r->header)) {
		memcpy(r->header, line, len);
		r->header_len = len;
	}
	return 0;
}

static bool append_line(struct report_text *t, const char *line, size_t len)
{
	if (!array_grow(&t->text, &t->cap, t->len, len + 1, 1))
		return false;
	memcpy(t->text + t->len, line, len);
	t->text[t->len + len] = '\n';
	t->len += len + 1;
	return true;
}

/* Keeps a row that was read, and above the first of a table the header that it was read with. */
static int keep_line(struct reader *r, const char *line, size_t len)
{
	struct report_text *kept = r->f->kept;
	bool ok = true;

	if (r->took == TOOK_HEAD) {
		if (r->head_kept)
			r->head.len = 0;
		r->head_kept = false;
		ok = append_line(&r->head, line, len);
	} else if (r->took == TOOK_ROW) {
		if (r->head.len && (!r->head_kept || !kept->len))
			ok = append_line(kept, r->head.text, r->head.len - 1);
		ok = ok && append_line(kept, line, len);
	}
	r->head_kept |= r->took == TOOK_ROW || r->took == TOOK_OTHER_ROW;
	return ok ? 0 : diag_set(r->d, -ENOMEM, "out of memory");
}

static int check_table(struct reader *r, const struct linescan *lines)
{
	double most = SHARE_MAX_PCT + ROUNDING_PCT * (double)r->nlines;
	char list[256];
	int wanted = 0;

	events_list(&r->events, list, sizeof(list));
	for (int i = 0; i < r->events.n; i++)
		wanted += !r->f->event || event_matches(r->f->event, r->events.names[i], strlen(r->events.names[i]));
	if (wanted > 1)
		return diag_set(r->d, -EINVAL, "several events, pick one: %s", list);
	if (r->f->event && !r->p->nrows && r->events.n)
		return diag_set(r->d, -EINVAL, "no event '%s' in the text; there is: %s", r->f->event, list);
	/* Children overlap, so their sum is soon above the whole; that of no other column is. */
	if (r->pairs && (r->pairs_differ || (!r->pairs_told && !(r->all_children_pct > most))))
		return diag_set(r->d, -EINVAL,
				"two shares in a row, and no header: Children and Self, or Overhead and Latency? put "
				"the header above them");
	if (r->graph && r->unmarked)
		return diag_set(r->d, -EINVAL,
				"these are lines of a call graph, whose shares are not those of functions; give the "
				"rows above them, which have perf's mark, such as [k]");
	if (r->p->nrows && !(r->all_pct > 0) && !(r->all_children_pct > 0))
		return diag_set(r->d, -EINVAL, "all shares are 0 %%: the event '%s' has no samples",
				r->f->event ? r->f->event : r->events.names[0]);
	if (r->f->cpu >= 0 && r->no_cpu_column)
		return diag_set(r->d, -EINVAL,
				"no CPU column to pick CPU %d from; run perf report with --sort cpu,sym, or with -C %d",
				r->f->cpu, r->f->cpu);
	if (r->f->table > r->table)
		return diag_set(r->d, -EINVAL, "--table %d: the text has %d", r->f->table, r->nlines ? r->table : 0);
	if (r->p->nrows && r->unread)
		return diag_set(r->d, -EINVAL,
				"line %llu looks like a row of the table, and its columns are not those of the others; "
				"leave it out, or put the header above the table",
				(unsigned long long)r->unread);
	if (r->p->nrows)
		return 0;
	if (r->comma)
		return diag_set(r->d, -EINVAL, "shares with a decimal comma; run perf with LC_ALL=C");
	if (!lines->line)
		return diag_set(r->d, -EINVAL, "the input is empty");
	return diag_set(r->d, -EINVAL,
			r->f->cpu >= 0 ? "no rows of that CPU"
				       : "no table of symbols; this is not the text of perf report");
}

/* Sets the totals. "119K samples" means 118,500 to 119,499: the sum of a samples column is more exact and is used. */
static void report_finish(struct reader *r)
{
	double hidden = 100 - r->all_pct, all = r->kept_pct + fmax(0, hidden), scale = all > 0 ? 100 / all : 1;
	int i;

	/*
	 * A list in the order of its shares that was cut short hides no symbol above its last line. Self is at most
	 * children, so the order by children will do. In a list without order, all that is not listed may be one
	 * symbol's. So it may be in a list that goes down to 0.00 % and yet is not whole: then more than its end is
	 * missing.
	 */
	r->p->absent_pct = hidden;
	if (hidden < ROUNDING_PCT * (double)r->nlines)
		r->p->absent_pct = 0;
	else if (r->nlines <= r->p->nrows && r->lowest_self > 0 && !r->self_rises)
		r->p->absent_pct = fmin(hidden, r->lowest_self);
	else if (r->nlines <= r->p->nrows && r->lowest_children > 0 && !r->children_rise)
		r->p->absent_pct = fmin(hidden, r->lowest_children);
	if (r->uncounted)
		r->samples_listed = 0;
	if (r->f->cpu >= 0) {
		/*
		 * All samples of this CPU are 100 %. Those that no row lists may belong to it, so they count as its
		 * own.
		 */
		r->p->absent_pct *= scale;
		for (struct profile_row *row = r->p->rows; row < r->p->rows + r->p->nrows; row++) {
			row->self_pct *= row->self_pct > 0 ? scale : 1;
			row->children_pct *= row->children_pct > 0 ? scale : 1;
		}
		r->own_samples = r->samples_listed > 0 ? r->samples_listed : r->own_samples / scale;
		r->own_event_count /= scale;
	} else if (r->samples_listed > r->own_samples * 0.99) {
		r->own_samples = r->samples_listed;
	}
	r->p->samples = r->own_samples < 1e18 ? (uint64_t)llround(r->own_samples) : 0;
	r->p->weight = r->own_event_count;
	r->p->by_weight = r->by_weight;
	for (i = 0; i < r->events.n; i++) {
		if (r->f->event && !event_matches(r->f->event, r->events.names[i], strlen(r->events.names[i])))
			continue;
		memcpy(r->p->event, r->events.names[i], sizeof(r->p->event));
		break;
	}
}

int report_read(struct profile *p, struct linescan *lines, const struct text_pick *f, struct diag *d)
{
	struct reader *r = calloc(1, sizeof(*r));
	int err = 0, more = 0;
	size_t len, tabs;
	char *line;

	*p = (struct profile){};
	if (!r)
		return diag_set(d, -ENOMEM, "out of memory");
	r->p = p;
	r->f = f;
	r->d = d;
	r->lines = lines;
	r->table = 1;
	r->by_table = !f->event && (f->table || f->list);
	r->member = MEMBER_UNKNOWN;
	r->lowest_self = r->lowest_children = -1;
	report_columns_guess(&r->columns, f->separator);
	while (!err && !r->done && (more = linescan_next(lines, &line, &len, d)) > 0) {
		tabs = 0;
		if (*line == '\t' && f->separator != '\t' && r->columns.separator != '\t')
			tabs = strspn(line, "\t");
		r->took = TOOK_NOTHING;
		err = report_read_line(r, line + tabs, len - tabs);
		if (!err && r->took == TOOK_HEAD && !r->head_line)
			r->head_line = lines->line;
		if (!err && f->kept && r->took)
			err = keep_line(r, line + tabs, len - tabs);
	}
	if (!err && more < 0)
		err = more;
	if (!err && f->list) {
		finish_listed(r);
		profile_release(p);
	} else if (!err) {
		undo_dummy_column(r);
		err = check_table(r, lines);
		if (!err)
			report_finish(r);
	}
	free(r->head.text);
	free(r->rows);
	free(r);
	if (err)
		profile_release(p);
	return err;
}
