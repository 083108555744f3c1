// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#define SHARES_MAX_PCT 100.5
#define SOURCE_BYTES   160
#define TITLE          "Source code & Disassembly of "

struct reader {
	struct annotate_list *l;
	struct diag *d;
	const struct linescan *lines;
	char source[SOURCE_BYTES]; /* the source line of the instructions that follow; "" for none */
	double sum_pct;
};

void annotate_release(struct annotate *a)
{
	size_t i;

	for (i = 0; i < a->nrows; i++) {
		free(a->rows[i].instruction);
		free(a->rows[i].source);
	}
	free(a->rows);
	a->rows = NULL;
	a->nrows = 0;
}

void annotate_list_release(struct annotate_list *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		annotate_release(&l->symbols[i]);
	free(l->symbols);
	*l = (struct annotate_list){};
}

/* "DSO for EVENT (1951 samples, percent: local period)"; perf before 5.0 prints no parentheses. */
static int begin_symbol(struct reader *r, const char *s, const char *end)
{
	const char *event = memmem(s, (size_t)(end - s), " for ", 5), *open;
	struct annotate *a;
	double samples;

	a = array_add(&r->l->symbols, &r->l->n, sizeof(*a));
	if (!a)
		return diag_set(r->d, -ENOMEM, "out of memory");
	r->sum_pct = 0;
	r->source[0] = '\0';
	span_copy(a->dso, sizeof(a->dso), s, (size_t)((event ? event : end) - s));
	if (!event)
		return 0;
	event += 5;
	open = memmem(event, (size_t)(end - event), " (", 2);
	span_copy(a->event, sizeof(a->event), event, (size_t)((open ? open : end) - event));
	if (!open)
		return 0;
	if (number_read_decimal(open + 2, end, &samples))
		a->samples = (uint64_t)samples;
	a->global = memmem(open, (size_t)(end - open), "percent: global", 15);
	return 0;
}

/* "0000000000009f40 <ping_answer>:", of perf 6.10 "0x9f40 <...>:", names the symbol of the text that follows. */
static bool read_name(struct annotate *a, const char *s, const char *end)
{
	const char *open, *c = end - s > 2 && s[0] == '0' && s[1] == 'x' ? s + 2 : s;

	s = c;
	while (c < end && ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f')))
		c++;
	open = span_skip_blanks(c, end);
	if (c - s < 4 || open == end || *open != '<' || end - open < 4 || end[-1] != ':' || end[-2] != '>')
		return false;
	if (!a->symbol[0])
		span_copy(a->symbol, sizeof(a->symbol), open + 1, (size_t)(end - open - 3));
	return true;
}

/* The text behind the colon of a line without a share: "3    code", "ping_wait():", the symbol, or nothing. */
static void read_source(struct reader *r, struct annotate *a, const char *s, const char *end)
{
	const char *number_end, *text;
	double number;

	s = span_skip_blanks(s, end);
	number_end = number_read_decimal(s, end, &number);
	text = number_end ? span_skip_blanks(number_end, end) : s;
	if (text == end || read_name(a, s, end) || read_name(a, text, end))
		return;
	if (end - text > 3 && !memcmp(end - 3, "():", 3)) {
		r->source[0] = '\0';
		return;
	}
	if (memmem(text, (size_t)(end - text), "Disassembly of section", 22))
		return;
	if (number_end)
		snprintf(r->source, sizeof(r->source), "%.0f %.*s", number, (int)(end - text), text);
	else
		span_copy(r->source, sizeof(r->source), text, (size_t)(end - text));
}

/* The number behind the last colon of "skbuff.c:300"; -1: none. */
static double line_of(const struct span *place)
{
	const char *end = place->s + place->len, *colon = memrchr(place->s, ':', place->len);
	double line;

	return colon && number_read_decimal(colon + 1, end, &line) == end ? line : -1;
}

/* "9f73:   je     9f8b <f+0x4b> // cpu.c:142"; before: the place that old perf prints in front of a share, or none */
static int annotate_add_row(struct reader *r, struct annotate *a, double pct, const char *s, const char *end,
			    struct span before)
{
	const char *behind = memmem(s, (size_t)(end - s), " // ", 4), *stop = behind ? behind : end;
	struct span place = behind ? (struct span){behind + 4, (size_t)(end - behind - 4)} : before;
	struct annotate_row *row;
	uint64_t address;
	char *colon;

	row = array_add(&a->rows, &a->nrows, sizeof(*row));
	if (!row)
		return diag_set(r->d, -ENOMEM, "out of memory");
	row->pct = pct;
	address = strtoull(s, &colon, 16); /* "add %rax" begins with such digits, too */
	if (colon > s && *colon == ':') {
		row->address = address;
		row->has_address = true;
		s = span_skip_blanks(colon + 1, stop);
	}
	while (stop > s && stop[-1] == ' ')
		stop--;
	row->instruction = strndup(s, (size_t)(stop - s));
	/* The line above the instruction has the text of the same line of the source. */
	if (place.len && (!r->source[0] || strtod(r->source, NULL) != line_of(&place)))
		row->source = strndup(place.s, place.len);
	else if (r->source[0])
		row->source = strdup(r->source);
	return row->instruction && (row->source || (!place.len && !r->source[0]))
		       ? 0
		       : diag_set(r->d, -ENOMEM, "out of memory");
}

/* "add $0x1,%eax    12.25 :  add ...": people lay two versions of a function beside each other. */
static bool holds_share(const char *s, const char *end)
{
	double pct;

	for (const char *at = s; (at = memmem(at, (size_t)(end - at), " :", 2)) != NULL; at++) {
		const char *word = at;

		while (word > s && !span_is_blank(word[-1]))
			word--;
		if (word > s && number_read_decimal(word, at, &pct) == at && memchr(word, '.', (size_t)(at - word)))
			return true;
	}
	return false;
}

/* "   24.14 :   9f73:   je ..." and "         :  source". */
static int annotate_read_line(struct reader *r, const char *line, size_t len)
{
	const char *end = line + len, *title = memmem(line, len, TITLE, strlen(TITLE)), *s, *t;
	struct span place;
	struct annotate *a;
	double pct;

	if (title)
		return begin_symbol(r, title + strlen(TITLE), end);
	if (!r->l->n)
		return 0;
	a = &r->l->symbols[r->l->n - 1];
	s = span_skip_blanks(line, end);
	if (s < end && *s == ':') {
		read_source(r, a, s + 1, end);
		return 0;
	}
	/* "skbuff.c:300   70.00 : ..." of perf before 4: the place in front of the share. */
	for (t = s; t < end && !span_is_blank(*t); t++)
		;
	place = (struct span){s, (size_t)(t - s)};
	if (line_of(&place) < 0)
		place.len = 0;
	s = span_skip_blanks(s + place.len, end);
	t = number_read_decimal(s, end, &pct);
	s = t ? span_skip_blanks(t, end) : end;
	if (t == s || s == end)
		return 0;
	if (*s != ':')
		return number_read_decimal(s, end, &pct)
			       ? diag_set(r->d, -EINVAL, "line %llu: several events side by side; annotate one",
					  (unsigned long long)r->lines->line)
			       : 0;
	if (holds_share(s + 1, end))
		return diag_set(r->d, -EINVAL, "line %llu: two functions side by side; leave one of them out",
				(unsigned long long)r->lines->line);
	r->sum_pct += pct;
	if (r->sum_pct > SHARES_MAX_PCT)
		return diag_set(r->d, -ERANGE, "line %llu: the shares of %s are above 100 %%",
				(unsigned long long)r->lines->line, a->symbol[0] ? a->symbol : "its function");
	return pct > 0 ? annotate_add_row(r, a, pct, span_skip_blanks(s + 1, end), end, place) : 0;
}

int annotate_read(struct annotate_list *l, struct linescan *lines, struct diag *d)
{
	struct reader r = {.l = l, .d = d, .lines = lines};
	size_t i, rows = 0, len;
	int err = 0, more;
	char *line;

	*l = (struct annotate_list){};
	while (!err && (more = linescan_next(lines, &line, &len, d)))
		err = more < 0 ? more : annotate_read_line(&r, line, len);
	for (i = 0; i < l->n; i++)
		rows += l->symbols[i].nrows;
	if (!err && !rows)
		err = diag_set(d, -EINVAL,
			       "no annotated instructions below a title \"Source code & Disassembly of\", as perf "
			       "annotate --stdio prints them; --stdio2 and the browser do not");
	if (err)
		annotate_list_release(l);
	return err;
}

static int compare_shares(const void *a, const void *b)
{
	const struct annotate_row *x = a, *y = b;

	return ORDER(y->pct, x->pct) ?: ORDER(x->address, y->address);
}

int annotate_by_source(const struct annotate *a, struct annotate *out)
{
	const struct annotate_row *from;
	struct annotate_row *row;
	struct hash_table t = {};
	size_t n, s, i;

	*out = *a;
	out->rows = NULL;
	out->nrows = 0;
	for (n = 0; n < a->nrows; n++) {
		from = &a->rows[n];
		if (!from->source)
			continue;
		uint32_t h = (uint32_t)hash_bytes(from->source, strlen(from->source), 0);

		if (hash_table_reserve(&t, out->nrows))
			break;
		for (s = hash_table_first(&t, h, &i); t.slots[s]; s = hash_table_next(&t, s, h, &i))
			if (!strcmp(out->rows[i].source, from->source))
				break;
		row = t.slots[s] ? &out->rows[i] : array_add(&out->rows, &out->nrows, sizeof(*row));
		if (!row || (!row->source && !(row->source = strdup(from->source))))
			break;
		if (!t.slots[s]) {
			row->address = from->address;
			hash_table_put(&t, s, h, out->nrows - 1);
		}
		row->pct += from->pct;
	}
	hash_table_release(&t);
	if (n < a->nrows) {
		annotate_release(out);
		return -ENOMEM;
	}
	if (out->nrows)
		qsort(out->rows, out->nrows, sizeof(*out->rows), compare_shares);
	return 0;
}
