// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* ---- where lines end ---- */

#define PART_BYTES 4096 /* looked at at a time: more lines do not end there */

#ifdef __x86_64__
/* Adds the places of the bits, from upward: the first two, which most have at most, without a branch. */
static inline void add_bits(struct text_lines *l, size_t from, uint64_t bits)
{
	do {
		uint64_t second = bits & (bits - 1);

		l->ends[l->n] = (uint32_t)(from + (size_t)__builtin_ctzll(bits | 1ull << 63));
		l->ends[l->n + (bits != 0)] = (uint32_t)(from + (size_t)__builtin_ctzll(second | 1ull << 63));
		l->n += (size_t)(bits != 0) + (second != 0);
		bits = second & (second - 1);
	} while (bits);
}

/* Those of the bytes that are "others" have the uppermost bit set. */
__attribute__((target("avx2"))) static inline __m256i others_of(__m256i s)
{
	__m256i others = _mm256_or_si256(s, _mm256_cmpeq_epi8(s, _mm256_set1_epi8('=')));

	others = _mm256_or_si256(others, _mm256_cmpeq_epi8(s, _mm256_set1_epi8('`')));
	return _mm256_or_si256(others, _mm256_cmpeq_epi8(s, _mm256_set1_epi8('\033')));
}

/* text_lines_add() of as many times 64 bytes as there are. Returns where they end. */
__attribute__((target("avx2,bmi"))) static size_t add_vectors(struct text_lines *l, const char *text, size_t from,
							      size_t to)
{
	const __m256i newline = _mm256_set1_epi8('\n'), mask = _mm256_set1_epi8(~0x42), mark = _mm256_set1_epi8(0x3c);
	__m256i marks = _mm256_setzero_si256(), others = marks;
	struct text_lines lines = *l;

	for (; to - from >= 64; from += 64) {
		__m256i low = _mm256_loadu_si256((const __m256i *)(text + from));
		__m256i high = _mm256_loadu_si256((const __m256i *)(text + from + 32));
		uint32_t low_bits = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, newline));
		uint64_t high_bits = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, newline));

		marks = _mm256_or_si256(marks, _mm256_cmpeq_epi8(_mm256_and_si256(low, mask), mark));
		marks = _mm256_or_si256(marks, _mm256_cmpeq_epi8(_mm256_and_si256(high, mask), mark));
		others = _mm256_or_si256(others, _mm256_or_si256(others_of(low), others_of(high)));
		add_bits(&lines, from, high_bits << 32 | low_bits);
	}
	lines.marks |= _mm256_movemask_epi8(marks) != 0;
	lines.others |= _mm256_movemask_epi8(others) != 0;
	*l = lines;
	return from;
}
#endif

bool text_lines_add(struct text_lines *l, const char *text, size_t from, size_t to)
{
	while (from < to) {
		size_t part = to - from < PART_BYTES ? to : from + PART_BYTES;

		if (l->cap - l->n < PART_BYTES && !array_grow(&l->ends, &l->cap, l->n, PART_BYTES, sizeof(*l->ends)))
			return false;
#ifdef __x86_64__
		if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
			from = add_vectors(l, text, from, part);
#endif
		for (; from < part; from++) {
			char c = text[from];

			if (c == '\n')
				l->ends[l->n++] = (uint32_t)from;
			l->marks |= c == '>' || c == '|';
			l->others |= c == '=' || c == '`' || c == '\033' || (c & 0x80);
		}
	}
	return true;
}

/* ---- undress: a quick look ---------------------------------------------------------------------------------- */

/* True if c begins a line, at the text's beginning too. Blanks may stand before it where indented is true. */
static bool begins_line(const char *text, const char *end, char c, bool indented)
{
	for (const char *at = text; (at = memchr(at, c, (size_t)(end - at))); at++) {
		const char *from = at;

		while (indented && from > text && (from[-1] == ' ' || from[-1] == '\t'))
			from--;
		if (from == text || from[-1] == '\n')
			return true;
	}
	return false;
}

/* The bytes of a soft line break, "=" at the end of a line; 0: none. */
static size_t break_bytes(const char *at, const char *end)
{
	if (end - at > 1 && at[0] == '=' && at[1] == '\n')
		return 2;
	return end - at > 2 && !memcmp(at, "=\r\n", 3) ? 3 : 0;
}

/* "operator=" and its like end a line too, as a name. */
static bool is_operator(const char *line, const char *at)
{
	static const char word[8] = "operator";

	while (at > line && memchr("=+-*/%&|^<>!", at[-1], 12))
		at--;
	return at - line >= 8 && !memcmp(at - 8, word, 8);
}

static bool is_printable(const char *text, const char *end)
{
	for (const char *at = text; (at = memchr(at, '=', (size_t)(end - at))); at++) {
		const char *line = memrchr(text, '\n', (size_t)(at - text));

		/* "=3D", or "=20" at the end of a line: what mailers write of "=", and of a blank there. */
		if (end - at > 2 && ((at[1] == '3' && at[2] == 'D') ||
				     (at[1] == '2' && at[2] == '0' && (end - at == 3 || memchr("\r\n=", at[3], 3)))))
			return true;
		line = line ? line + 1 : text;
		if (break_bytes(at, end) && memchr(line, '%', (size_t)(at - line)) && !is_operator(line, at))
			return true;
	}
	/* A mail whose header names it, and that has no "=", has nothing encoded. */
	return memchr(text, '=', (size_t)(end - text)) && memmem(text, (size_t)(end - text), "quoted-printable", 16);
}

/* ---- rows that were wrapped ----------------------------------------------------------------------------------- */

enum wrap { WRAP_NONE, WRAP_NAME, WRAP_MARK };

/* What is missing at the end of a row: the name, or perf's mark and the name; WRAP_NONE: it is whole, or no row. */
static enum wrap wrap_of(const char *line, size_t len)
{
	const char *end = line + len, *s = span_skip_blanks(line, end);
	enum profile_space space;
	double pct;

	while (end > s && (span_is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	s = s < end && (*s == '+' || *s == '-') ? s + 1 : s;
	if (!cell_read_percent(s, end, &pct))
		return WRAP_NONE;
	for (const char *at = s; (at = memchr(at, '[', (size_t)(end - at))); at++)
		if (cell_read_mark(at, end, &space))
			return WRAP_NONE;
	if (end - s > 4 && span_is_blank(end[-4])) {
		const char mark[4] = {end[-3], end[-2], end[-1], ' '};

		if (cell_read_mark(mark, mark + 4, &space))
			return WRAP_NAME;
	}
	return WRAP_MARK;
}

/* Does this line, behind that of a row, bring what is missing? Its text is *rest. */
static bool undress_goes_on(enum wrap wrap, const char *line, const char *end, struct span *rest)
{
	const char *s = span_skip_blanks(line, end);
	enum profile_space space;
	double pct;

	*rest = (struct span){s, (size_t)(end - s)};
	if (wrap == WRAP_MARK)
		return s < end && cell_read_mark(s, end, &space);
	return s < end && *s != '#' && !cell_read_percent(s, end, &pct) && span_skip_word(s, end) == end;
}

/* A mailer breaks a row at a blank: the line before ends in "]" or a blank, or this one begins with "[". */
static bool may_go_on(const char *line)
{
	char last = line[-2] == '\r' ? line[-3] : line[-2];

	return last == ']' || (unsigned char)last <= ' ' || *line == '[';
}

/* Looks at the lines of a changed text anew. */
static bool lines_again(struct text_lines *l, const char *text, size_t len)
{
	l->n = 0;
	return text_lines_add(l, text, 0, len);
}

/* The first line from the i-th on whose row goes on in the next one; their number: none does. */
static size_t find_wrapped(const char *text, size_t len, const struct text_lines *l, size_t i, enum wrap *wrap,
			   struct span *rest)
{
	const char *end = text + len;

	for (; i < l->n; i++) {
		const char *next = text + l->ends[i] + 1, *line = i ? text + l->ends[i - 1] + 1 : text;

		if (next >= end || next - text < 3 || !may_go_on(next))
			continue;
		*wrap = wrap_of(line, (size_t)(next - 1 - line));
		if (*wrap != WRAP_NONE &&
		    undress_goes_on(*wrap, next, i + 1 < l->n ? text + l->ends[i + 1] : end, rest))
			break;
	}
	return i;
}

static char *move(char *out, const char *from, const char *to)
{
	memmove(out, from, (size_t)(to - from));
	return out + (to - from);
}

bool undress_join(struct undress *u, char *text, size_t *len, struct text_lines *l)
{
	bool shares = memchr(text, '%', *len); /* a script, which has none, is not looked at line by line */
	char *in = text, *out = text;
	struct span rest;
	enum wrap wrap;

	for (size_t i = 0; shares && (i = find_wrapped(text, *len, l, i, &wrap, &rest)) < l->n; i++) {
		char *line = i ? text + l->ends[i - 1] + 1 : text, *to = text + l->ends[i];

		u->wrapped++;
		while (to > line && (span_is_blank(to[-1]) || to[-1] == '\r'))
			to--;
		out = move(out, in, line);
		line += wrap == WRAP_MARK && *line == ' '; /* makes room for two blanks, which separate cells */
		out = move(out, line, to);
		*out++ = ' ';
		if (wrap == WRAP_MARK && out < rest.s)
			*out++ = ' ';
		out = move(out, rest.s, rest.s + rest.len);
		in = i + 1 < l->n ? text + l->ends[i + 1] : text + *len;
	}
	if (in == text)
		return true;
	*len = (size_t)(move(out, in, text + *len) - text);
	return lines_again(l, text, *len);
}

/* What clean_line() takes away. */
static bool holds_bytes(const char *text, const char *end)
{
	size_t len = (size_t)(end - text);

	return memchr(text, '\033', len) || memchr(text, '`', len) || memchr(text, 0xc2, len) ||
	       memchr(text, 0xe2, len) || memchr(text, 0xa0, len);
}

bool undress_wanted(const struct undress *u, const char *text, size_t len, const struct text_lines *l)
{
	const char *end = text + len;

	if (u->printable)
		return true;
	/* A byte order mark at the beginning of a text, or lines that end in "\r" alone. */
	if (!u->begun && ((len > 2 && !memcmp(text, "\xef\xbb\xbf", 3)) || (!l->n && memchr(text, '\r', len))))
		return true;
	return (l->marks && (begins_line(text, end, '>', true) || begins_line(text, end, '|', false))) ||
	       (l->others && (holds_bytes(text, end) || is_printable(text, end)));
}

/* ---- one line ----------------------------------------------------------------------------------------------- */

/* Takes colours, blanks of Unicode and, of a row of shares, the backquotes of Markdown out of a line. */
static size_t clean_line(struct undress *u, char *line, size_t len)
{
	/* no-break space; en, em, figure, thin and narrow no-break space; the last one, of no width, is no blank */
	static const char *const spaces[] = {"\xc2\xa0",     "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x87",
					     "\xe2\x80\x89", "\xe2\x80\xaf", "\xe2\x80\x8b"};
	const size_t nspaces = sizeof(spaces) / sizeof(*spaces);
	char *in = line, *out = line, *end = line + len;
	bool backquoted = memchr(line, '`', len) && memchr(line, '%', len), blanks = false;
	size_t n, i;

	u->colours += memchr(line, '\033', len) != NULL;
	u->backquotes += backquoted;
	while (in < end) {
		/* the no-break space of ISO-8859-1, and not within UTF-8 */
		n = *in == '\xa0' && (in == line || !(in[-1] & 0x80));
		for (i = 0; !n && (*in == '\xc2' || *in == '\xe2') && i < nspaces; i++)
			if (span_begins(in, (size_t)(end - in), spaces[i]))
				n = strlen(spaces[i]);
		if (*in == '\033' && in + 1 < end && in[1] == '[') {
			for (in += 2; in < end && !(*in >= '@' && *in <= '~'); in++)
				;
			in += in < end;
		} else if (n) {
			if (i < nspaces)
				*out++ = ' ';
			in += n;
			blanks = true;
		} else if (*in == '`' && backquoted) {
			in++;
		} else {
			*out++ = *in++;
		}
	}
	u->blanks += blanks;
	return (size_t)(out - line);
}

/* Begins with a share: a row of a table. */
static bool holds_share(const char *from, const char *end)
{
	double pct;

	return cell_read_percent(span_skip_blanks(from, end), end, &pct);
}

/* ---- the text ----------------------------------------------------------------------------------------------- */

/* Decodes quoted-printable in place, and joins what soft breaks cut: a line of the result is a line of the mail. */
static size_t decode(struct undress *u, char *text, size_t len)
{
	static const char digits[] = "0123456789ABCDEF";
	char *in = text, *out = text, *end = text + len, *line = text;

	while (in < end) {
		size_t n = break_bytes(in, end);
		const char *high, *low;
		char c;

		if (n && !is_operator(line, out)) {
			in += n;
			u->joined++;
			continue;
		}
		if (end - in > 5 && !memcmp(in, "=0D=0A", 6)) /* a line end of the text, and no break of the mailer */
			in += 3;
		high = end - in > 2 && *in == '=' ? memchr(digits, in[1], 16) : NULL;
		low = high ? memchr(digits, in[2], 16) : NULL;
		c = low ? (char)((high - digits) << 4 | (low - digits)) : 0;
		c = c == '\r' ? 0 : c; /* it stays as it is written */
		*out = c ? c : *in;
		in += c ? 3 : 1;
		if (*out++ == '\n')
			line = out;
	}
	return (size_t)(out - text);
}

bool undress_lines(struct undress *u, char *text, size_t *len, struct text_lines *l)
{
	struct text_lines now = {.marks = true, .others = l->others};
	char *in = text, *out = text, *above = NULL, *end;
	bool clean;

	if (!u->begun && !l->n)
		for (char *s = text; (s = memchr(s, '\r', (size_t)(text + *len - s))) != NULL;)
			*s = '\n';
	u->printable |= l->others && is_printable(text, text + *len);
	if (u->printable)
		*len = decode(u, text, *len);
	if ((u->printable || !l->n) && !lines_again(l, text, *len))
		return false;
	if (!u->begun && span_begins(text, *len, "\xef\xbb\xbf"))
		in += 3;
	u->begun = true;
	clean = l->others && holds_bytes(text, text + *len); /* most lose nothing but the marks of a quote */
	end = text + *len;
	for (size_t i = 0; in < end; i++) {
		char *to = i < l->n ? text + l->ends[i] : end;
		size_t n = (size_t)(to - in), marks = 0, depth = 1;

		if (now.cap - now.n < 2 && !array_grow(&now.ends, &now.cap, now.n, l->n + 2, sizeof(*now.ends))) {
			free(now.ends);
			return false;
		}
		if (clean)
			n = clean_line(u, in, n);
		/*
		 * "> ", ">> > ", "| ", and their mixtures: the marks, and the one blank behind each. The whole may be
		 * indented if it begins with ">": behind blanks, "|" is part of a call graph.
		 */
		while (marks < n && (in[marks] == ' ' || in[marks] == '\t'))
			marks++;
		if (marks == n || in[marks] != '>')
			marks = 0;
		while (marks < n && (in[marks] == '>' || in[marks] == '|')) {
			depth += in[marks] == '>';
			marks++;
			marks += marks < n && in[marks] == ' ';
		}
		u->quoted += marks > 0;
		while (l->others && span_begins(in + marks, n - marks, "\xef\xbb\xbf"))
			marks += 3;
		/* A row right below one behind more or fewer ">" begins another person's list: a blank line says so. */
		if (depth != u->depth && u->depth && out < in + marks && holds_share(in + marks, in + n) &&
		    (!above || holds_share(above, out))) {
			now.ends[now.n++] = (uint32_t)(out - text);
			*out++ = '\n';
		}
		u->depth = depth;
		above = out;
		out = move(out, in + marks, in + n);
		if (to < end) {
			now.ends[now.n++] = (uint32_t)(out - text);
			*out++ = '\n';
		}
		in = to + 1;
	}
	if (above && !holds_share(above, out))
		u->depth = 0;
	*len = (size_t)(out - text);
	free(l->ends);
	*l = now;
	return true;
}

bool undress_words(const struct undress *u, char *to, size_t size)
{
	const struct {
		size_t n;
		const char *format;
	} words[] = {{u->quoted, "marks of a quote on %zu lines"}, {u->joined, "%zu quoted-printable line breaks"},
		     {u->wrapped, "%zu line breaks in rows"},      {u->backquotes, "backquotes on %zu lines"},
		     {u->blanks, "no-break spaces on %zu lines"},  {u->colours, "colours on %zu lines"}};

	*to = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].n)
			listed_add(to, size, ", ", words[i].format, words[i].n);
	return *to;
}

/* ---- lines ---- */

/* How a sentence begins, for "%s%s". */
#define TABLE_FROM(s) (s)->path ? (s)->path : "", (s)->path ? ": " : ""

void linescan_release(struct linescan *s)
{
	free(s->buf);
	free(s->lines.ends);
	s->buf = NULL;
	s->lines = (struct text_lines){};
	s->cap = s->pos = s->len = s->ready = s->next = 0;
}

static int too_long(const struct linescan *s, struct diag *d)
{
	return diag_set(d, -EINVAL, "%s%sline %llu is longer than %u bytes; this is no text", TABLE_FROM(s),
			(unsigned long long)s->line + 1, LINESCAN_LINE_MAX_BYTES);
}

/* The bytes of the whole lines at the beginning of a text, but for one at its end that may go on in the next one. */
static size_t whole_lines(const char *text, size_t len)
{
	const char *nl = memrchr(text, '\n', len), *begin;

	for (; nl; nl = memrchr(text, '\n', (size_t)(nl - text))) {
		if (nl > text && (nl[-1] == '=' || (nl[-1] == '\r' && nl - text > 1 && nl[-2] == '=')))
			continue;
		begin = memrchr(text, '\n', (size_t)(nl - text));
		begin = begin ? begin + 1 : text;
		while (begin < nl && memchr("> |\t", *begin, 4)) /* marks of a quote are not taken away yet */
			begin++;
		if (wrap_of(begin, (size_t)(nl - begin)) == WRAP_NONE)
			return (size_t)(nl - text) + 1;
	}
	return 0;
}

/* Makes buf[ready .. ) ready, but for a line whose end is not there. */
static bool make_ready(struct linescan *s)
{
	size_t from = s->ready, whole = s->len - from;
	bool ok;

	if (!s->eof && s->worn)
		whole = whole_lines(s->buf + from, whole);
	s->ready = from + whole;
	ok = text_lines_add(&s->lines, s->buf, from, s->ready);
	if (s->worn && whole) { /* what came before is read: the text begins at 0 */
		if (ok && undress_wanted(s->worn, s->buf, whole, &s->lines))
			ok = undress_lines(s->worn, s->buf, &s->ready, &s->lines);
		ok = ok && undress_join(s->worn, s->buf, &s->ready, &s->lines);
		s->worn->begun = true;
		memmove(s->buf + s->ready, s->buf + whole, s->len - whole);
		s->len -= whole - s->ready;
	}
	return ok;
}

/* Reads one more block behind the unread text, which has no whole line that is ready. */
static int linescan_fill(struct linescan *s, struct diag *d)
{
	size_t n, left = s->len - s->pos;
	bool ok;

	if (left > LINESCAN_LINE_MAX_BYTES)
		return too_long(s, d);
	if (left && s->pos)
		memmove(s->buf, s->buf + s->pos, left);
	s->ready -= s->pos;
	s->pos = s->next = s->lines.n = 0;
	s->lines.marks = s->lines.others = false;
	s->len = left;
	if (!array_grow(&s->buf, &s->cap, left, LINESCAN_BLOCK_BYTES + 1, 1)) /* 1: the end of a last line */
		return diag_set(d, -ENOMEM, "%s%sout of memory", TABLE_FROM(s));
	n = fread(s->buf + s->len, 1, LINESCAN_BLOCK_BYTES, s->in);
	if (n < LINESCAN_BLOCK_BYTES) {
		if (ferror(s->in))
			return diag_set(d, -EIO, "%s%scannot read the input: %s", TABLE_FROM(s), strerror(errno));
		s->eof = true;
	}
	if (memchr(s->buf + s->len, '\0', n))
		return diag_set(
			d, -EINVAL,
			"%s%sNUL byte in the input after line %llu; this is no text "
			"(perf.data: run perf report or perf script on it; pprof: give its samples as folded stacks)",
			TABLE_FROM(s), (unsigned long long)s->line);
	s->len += n;
	ok = make_ready(s);
	if (ok && s->eof && s->len && s->buf[s->len - 1] != '\n') {
		s->buf[s->len++] = '\n'; /* a last line that does not end ends here */
		s->ready = s->len;
		ok = text_lines_add(&s->lines, s->buf, s->len - 1, s->len);
	}
	return ok ? 0 : diag_set(d, -ENOMEM, "%s%sout of memory", TABLE_FROM(s));
}

int linescan_peek(struct linescan *s, const char **text, size_t *len, struct diag *d)
{
	int err = 0;

	while (!err && s->ready == s->pos && !s->eof)
		err = linescan_fill(s, d);
	*text = s->buf + s->pos;
	*len = s->ready - s->pos;
	return err;
}

/* Apart from linescan_next(), so that most lines do not pay for what few need. */
__attribute__((noinline)) static int fill_and_go_on(struct linescan *s, char **line, size_t *len, struct diag *d)
{
	const char *text;
	size_t ready;
	int err = linescan_peek(s, &text, &ready, d);

	return err || s->next == s->lines.n ? err : linescan_next(s, line, len, d);
}

int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d)
{
	char *from = s->buf + s->pos, *to;

	if (s->next == s->lines.n)
		return fill_and_go_on(s, line, len, d);
	to = s->buf + s->lines.ends[s->next++];
	if (to - from > LINESCAN_LINE_MAX_BYTES)
		return too_long(s, d);
	s->pos = (size_t)(to - s->buf) + 1;
	s->line++;
	while (to > from && to[-1] == '\r')
		to--;
	*to = '\0';
	*line = from;
	*len = (size_t)(to - from);
	return 1;
}
