// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#define SHARE_MAX_PCT 100.5
#define ROUNDING_PCT  0.005 /* of a share with two decimals */

struct both {
	double base_pct, delta_pct; /* NaN: blank */
	enum profile_space space;
	struct span dso, name;
};

struct reader {
	struct profile *base, *new;
	struct diag *d;
	const char *wanted;
	struct events events;  /* events that have rows */
	char event[64];        /* of the current block */
	bool blank_is_gone;    /* "Delta Abs" is the column */
	double maybe_same_pct; /* the largest share of base whose blank delta may be a small difference */
	double base_pct, new_pct;
	const struct linescan *lines;
	bool headed; /* a header stands between the last row and this line */
	bool gap;    /* something else does: a blank line, or words */
	int nevents; /* at the last row */
	int table, wanted_table;
	uint64_t unread; /* the first line that is like a row, and cannot be read; 0: none */
};

/* "12.34%  +1.23%  [kernel]  [k] name"; either share may be blank, perf's mark shows where the name is. */
static bool read_row(const char *s, const char *end, struct both *row)
{
	struct span cell;
	const char *next;

	*row = (struct both){.base_pct = NAN, .delta_pct = NAN, .dso = {"", 0}};
	s = span_skip_blanks(s, end);
	next = cell_read_percent(s, end, &row->base_pct);
	s = span_skip_blanks(next ? next : s, end);
	if (!next)
		row->base_pct = NAN;
	next = s < end && (*s == '-' || *s == '+') ? cell_read_percent(s + 1, end, &row->delta_pct) : NULL;
	if (next && *s == '-') {
		row->delta_pct = -row->delta_pct;
	} else if (!next) {
		row->delta_pct = NAN;
		if (isnan(row->base_pct))
			return false;
		next = end - s > 3 && !memcmp(s, "N/A", 3) ? s + 3 : s;
	}
	for (s = next; cell_next(&s, end, 0, &cell); row->dso = cell) {
		if (!cell_read_mark(cell.s, cell.s + cell.len, &row->space))
			continue;
		row->name = cell_trimmed(cell.s + 4, cell.s + cell.len);
		return row->name.len > 0 && !cell_holds_row(next, cell.s);
	}
	return false;
}

static bool is_header(const char *s, const char *end)
{
	while (s < end && memchr("# \t", *s, 3))
		s++;
	return end - s > 9 && !memcmp(s, "Baseline", 8) && memmem(s, (size_t)(end - s), "Symbol", 6);
}

bool difftext_is_line(const char *s, size_t len)
{
	struct both row;

	return is_header(s, s + len) || (read_row(s, s + len, &row) && !isnan(row.base_pct) && !isnan(row.delta_pct));
}

static int difftext_add_side(struct reader *r, struct profile *p, const struct both *row, double pct, double *sum_pct)
{
	struct profile_row out = {.self_pct = pct, .children_pct = -1};

	if (pct > SHARE_MAX_PCT)
		return diag_set(r->d, -ERANGE, "a share of %.2f %%", pct);
	*sum_pct += pct;
	if (profile_add_symbol(p, row->name, row->dso, row->space, &out.symbol) || profile_add_row(p, &out))
		return diag_set(r->d, -ENOMEM, "out of memory");
	return 0;
}

static bool difftext_lists(const struct profile *p, const struct both *row)
{
	for (size_t i = 0; i < p->nrows; i++) {
		const struct profile_symbol *s = &p->symbols[p->rows[i].symbol];

		if (span_is(&row->name, s->name) && span_is(&row->dso, s->dso))
			return true;
	}
	return false;
}

static int difftext_read_line(struct reader *r, const char *line, size_t len)
{
	static const char event[] = "# Event '";
	const size_t tabs = strspn(line, "\t"), n = strlen(event);
	struct both row;
	double base;
	bool again;
	int err = 0;

	line += tabs;
	len -= tabs;
	if (is_header(line, line + len)) {
		if (memmem(line, len, "/0", 2) || memmem(line, len, "/2", 2))
			return diag_set(r->d, -EINVAL, "a difference of more than two files; run perf diff on two");
		if (!memmem(line, len, "Delta", 5))
			return diag_set(r->d, -EINVAL,
					"no column Delta; run perf diff without -c, or with -c delta-abs");
		r->blank_is_gone = memmem(line, len, "Delta Abs", 9);
		r->headed = true;
		return 0;
	}
	if (len > n && span_begins(line, len, event) && line[len - 1] == '\'') { /* a block begins */
		span_copy(r->event, sizeof(r->event), line + n, len - n - 1);
		return 0;
	}
	if (len && line[0] == '#')
		return 0;
	if (!len || !read_row(line, line + len, &row)) {
		r->gap = true;
		if (!r->unread && report_columns_is_like_row(line, len, false))
			r->unread = r->lines->line;
		return 0;
	}
	if (r->wanted && !event_matches(r->wanted, r->event, strlen(r->event)))
		return 0;
	events_add(&r->events, r->event, strlen(r->event));
	/* A table begins at a header of the same event, and where a function is listed again behind a gap. */
	again = r->gap && (difftext_lists(r->base, &row) || difftext_lists(r->new, &row));
	if ((r->headed && r->events.n == r->nevents) || again) {
		if (!r->wanted_table)
			return diag_set(r->d, -EINVAL,
					"line %llu: a second table begins here; leave one of them out, or pick one by "
					"its number, from 1, with --table",
					(unsigned long long)r->lines->line);
		if (++r->table <= r->wanted_table) {
			r->base->nrows = r->new->nrows = 0;
			r->base_pct = r->new_pct = r->maybe_same_pct = 0;
		}
	}
	r->headed = r->gap = false;
	r->nevents = r->events.n;
	if (r->wanted_table && r->table > r->wanted_table)
		return 0;
	base = isnan(row.base_pct) ? 0 : row.base_pct;
	if (!isnan(row.base_pct)) /* 0.00 % is a row of nearly nothing, a blank is no row */
		err = difftext_add_side(r, r->base, &row, base, &r->base_pct);
	if (isnan(row.delta_pct) && !r->blank_is_gone)
		r->maybe_same_pct = fmax(r->maybe_same_pct, base);
	if (err || isnan(row.delta_pct))
		return err;
	if (base + row.delta_pct < -2 * ROUNDING_PCT - 1e-9)
		return diag_set(r->d, -ERANGE, "line %llu: a share falls by more than it was",
				(unsigned long long)r->lines->line);
	return difftext_add_side(r, r->new, &row, fmax(0, base + row.delta_pct), &r->new_pct);
}

static void finish_side(struct profile *p, const struct events *events, double sum_pct)
{
	double hidden = 100 - sum_pct;

	p->absent_pct = hidden < ROUNDING_PCT * (double)p->nrows ? 0 : hidden;
	if (events->n)
		memcpy(p->event, events->names[0], sizeof(p->event));
}

int difftext_read(struct profile *base, struct profile *new, struct linescan *lines, const char *event, int table,
		  struct diag *d)
{
	struct reader r = {
		.base = base, .new = new, .d = d, .wanted = event, .lines = lines, .table = 1, .wanted_table = table};
	int more, err = 0;
	char *line, list[256];
	size_t len;

	*base = (struct profile){};
	*new = (struct profile){};
	while (!err && (more = linescan_next(lines, &line, &len, d)))
		err = more < 0 ? more : difftext_read_line(&r, line, len);
	events_list(&r.events, list, sizeof(list));
	if (!err && table > r.table)
		err = diag_set(d, -EINVAL, "--table %d: the text has %d", table, r.table);
	if (!err && r.unread)
		err = diag_set(d, -EINVAL, "line %llu looks like a row of perf diff, and its columns are not known",
			       (unsigned long long)r.unread);
	if (!err && r.events.n > 1)
		err = diag_set(d, -EINVAL, "several events, pick one: %s", list);
	if (!err && (!base->nrows || !new->nrows))
		err = diag_set(d, -EINVAL,
			       event ? "no rows of event '%s' on both sides"
				     : "no table of perf diff with rows on both sides",
			       event);
	if (err) {
		profile_release(base);
		profile_release(new);
		return err;
	}
	finish_side(base, &r.events, r.base_pct);
	finish_side(new, &r.events, r.new_pct);
	new->absent_pct = fmax(new->absent_pct, r.maybe_same_pct);
	return 0;
}
