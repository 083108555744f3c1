// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- undress ---- */

/* ---- a quick look ------------------------------------------------------------------------------------------- */

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

/* Each tells of one byte of a text; 64 in a row are done in vectors. */
static inline char is_suspect(const char *s)
{
	return (char)(((*s & ~0x43) == 0x3c) | (*s == '`') | (*s == '\033') | ((*s & 0x80) != 0));
}

static inline char is_odd(const char *s)
{
	return (char)((*s == '=') | (*s == '`') | (*s == '\033') | ((*s & 0x80) != 0));
}

/* Where a row may have been broken, as in may_go_on(). */
static inline char is_break(const char *s)
{
	return (char)((*s == '\n') & ((s[-1] == ']') | ((s[-1] >= 0) & (s[-1] <= ' ')) | (s[1] == '[')));
}

/* True if the text may hold such a byte; what comes behind looks again. */
static inline __attribute__((always_inline)) bool holds(const char *text, size_t len, char (*is)(const char *))
{
	size_t i = 0;
	char found = 0;

	for (; i + 64 <= len && !found; i += 64) /* a number of turns that compilers know is done in vectors */
		for (size_t k = i; k < i + 64; k++)
			found |= is(text + k);
	for (; i < len && !found; i++)
		found = is(text + i);
	return found;
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

	return last == ']' || (last >= 0 && last <= ' ') || *line == '[';
}

/* Joins rows whose end is in the next line, in place: "10.36%  [kernel]  [k]", "build_skb". */
static size_t join_rows(struct undress *u, char *text, size_t len)
{
	char *in = text, *out = text, *end = text + len;

	if (len < 3 || !holds(text + 1, len - 2, is_break))
		return len;
	while (in < end) {
		char *nl = memchr(in, '\n', (size_t)(end - in)), *to = nl ? nl : end, *next = nl ? nl + 1 : end;
		bool may = next < end && next - in > 2 && may_go_on(next);
		enum wrap wrap = may ? wrap_of(in, (size_t)(to - in)) : WRAP_NONE;
		char *next_nl = may ? memchr(next, '\n', (size_t)(end - next)) : NULL;
		char *next_to = next_nl ? next_nl : end;
		struct span rest;

		if (wrap == WRAP_NONE || !undress_goes_on(wrap, next, next_to, &rest)) {
			if (out < in)
				memmove(out, in, (size_t)(next - in));
			out += next - in;
			in = next;
			continue;
		}
		u->wrapped++;
		while (to > in && (span_is_blank(to[-1]) || to[-1] == '\r'))
			to--;
		in += wrap == WRAP_MARK && *in == ' '; /* makes room for two blanks, which separate cells */
		memmove(out, in, (size_t)(to - in));
		out += to - in;
		*out++ = ' ';
		if (wrap == WRAP_MARK && out < rest.s)
			*out++ = ' ';
		memmove(out, rest.s, (size_t)(next_to - rest.s));
		out += next_to - rest.s;
		in = next_to;
	}
	return (size_t)(out - text);
}

bool undress_wrapped(const char *text, size_t len, const uint32_t *ends, size_t n)
{
	const char *line = text, *end = text + len, *next;

	if (!memchr(text, '%', len)) /* no shares: a script, whose lines would be looked at one by one */
		return false;
	for (size_t i = 0; i < n; i++, line = next) {
		struct span rest;
		enum wrap wrap;

		next = text + ends[i] + 1;
		if (ends[i] < 2 || next >= end || !may_go_on(next))
			continue;
		wrap = wrap_of(line, (size_t)(next - 1 - line));
		if (wrap != WRAP_NONE && undress_goes_on(wrap, next, i + 1 < n ? text + ends[i + 1] : end, &rest))
			return true;
	}
	return false;
}

/* What clean_line() takes away. */
static bool holds_bytes(const char *text, const char *end)
{
	size_t len = (size_t)(end - text);

	return memchr(text, '\033', len) || memchr(text, '`', len) || memchr(text, 0xc2, len) ||
	       memchr(text, 0xe2, len) || memchr(text, 0xa0, len);
}

bool undress_wanted(const struct undress *u, const char *text, size_t len)
{
	/* A byte order mark at the beginning of a text, or lines that end in "\r" alone. */
	bool begins =
		(len > 2 && !memcmp(text, "\xef\xbb\xbf", 3)) || (memchr(text, '\r', len) && !memchr(text, '\n', len));

	return u->printable || (!u->begun && begins) ||
	       (holds(text, len, is_suspect) &&
		(begins_line(text, text + len, '>', true) || begins_line(text, text + len, '|', false) ||
		 holds_bytes(text, text + len) || is_printable(text, text + len)));
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

size_t undress_lines(struct undress *u, char *text, size_t len)
{
	char *in = text, *out = text, *end;
	double pct;
	bool clean, odd;

	if (!u->begun && len > 2 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		len -= 3;
		memmove(text, text + 3, len);
	}
	if (!u->begun && !memchr(text, '\n', len))
		for (char *s = text; (s = memchr(s, '\r', (size_t)(text + len - s))) != NULL;)
			*s = '\n';
	u->begun = true;
	odd = holds(text, len, is_odd); /* most texts that a mail quotes lose nothing but the marks */
	u->printable |= odd && is_printable(text, text + len);
	if (u->printable)
		len = decode(u, text, len);
	clean = odd && holds_bytes(text, text + len);
	for (end = text + len; in < end;) {
		char *nl = memchr(in, '\n', (size_t)(end - in)), *to = nl ? nl : end;
		size_t n = (size_t)(to - in), marks = 0, depth = 1;

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
		/* A row right below one behind more or fewer ">" begins another person's list: a blank line says so. */
		if (!cell_read_percent(span_skip_blanks(in + marks, in + n), in + n, &pct))
			depth = 0;
		if (depth && u->depth && depth != u->depth && out < in + marks)
			*out++ = '\n';
		u->depth = depth;
		memmove(out, in + marks, n - marks);
		out += n - marks;
		if (nl)
			*out++ = '\n';
		in = nl ? nl + 1 : end;
	}
	return join_rows(u, text, (size_t)(out - text));
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
	free(s->ends);
	s->buf = NULL;
	s->ends = NULL;
	s->cap = s->pos = s->len = s->ready = s->nends = s->next = s->cap_ends = 0;
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

/* A bit for each line end among the n bytes at text, 64 at most. */
static uint64_t line_ends(const char *text, size_t n)
{
	uint64_t bits = 0;

#ifdef __SSE2__
	for (int i = 0; n == 64 && i < 4; i++) {
		__m128i same = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)text + i), _mm_set1_epi8('\n'));

		bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(same) << 16 * i;
	}
	if (n == 64)
		return bits;
#endif
	for (size_t i = 0; i < n; i++)
		bits |= (uint64_t)(text[i] == '\n') << i;
	return bits;
}

/* Adds the ends of the lines in buf[from .. ready). */
static int add_ends(struct linescan *s, size_t from, struct diag *d)
{
	for (; from < s->ready; from += 64) {
		uint64_t bits = line_ends(s->buf + from, s->ready - from < 64 ? s->ready - from : 64);

		if (s->cap_ends - s->nends < 64 && !array_grow(&s->ends, &s->cap_ends, s->nends, 64, sizeof(*s->ends)))
			return diag_set(d, -ENOMEM, "%s%sout of memory", TABLE_FROM(s));
		for (; bits; bits &= bits - 1)
			s->ends[s->nends++] = (uint32_t)(from + (size_t)__builtin_ctzll(bits));
	}
	return 0;
}

/* Makes buf[ready .. ) ready, but for a line whose end is not there. */
static int make_ready(struct linescan *s, struct diag *d)
{
	size_t from = s->ready, whole;
	bool wanted;
	int err;

	whole = s->eof || !s->worn ? s->len - from : whole_lines(s->buf + from, s->len - from);
	s->ready = from + whole;
	err = add_ends(s, from, d);
	if (err || !s->worn)
		return err;
	/* What came before is read: the text begins at 0. */
	wanted = whole && (undress_wanted(s->worn, s->buf, whole) || undress_wrapped(s->buf, whole, s->ends, s->nends));
	if (wanted)
		s->ready = undress_lines(s->worn, s->buf, whole);
	s->worn->begun |= whole > 0;
	if (!wanted)
		return 0;
	memmove(s->buf + s->ready, s->buf + whole, s->len - whole);
	s->len -= whole - s->ready;
	s->nends = 0;
	return add_ends(s, 0, d);
}

/* Reads one more block behind the unread text, which has no whole line that is ready. */
static int linescan_fill(struct linescan *s, struct diag *d)
{
	size_t n, left = s->len - s->pos, want = left + LINESCAN_BLOCK_BYTES + 1; /* 1: the end of a last line */
	const char *nul;
	char *buf;
	int err;

	if (left > LINESCAN_LINE_MAX_BYTES)
		return too_long(s, d);
	if (left && s->pos)
		memmove(s->buf, s->buf + s->pos, left);
	s->ready -= s->pos;
	s->pos = s->nends = s->next = 0;
	s->len = left;
	if (want > s->cap) {
		buf = realloc(s->buf, want);
		if (!buf)
			return diag_set(d, -ENOMEM, "%s%sout of memory", TABLE_FROM(s));
		s->buf = buf;
		s->cap = want;
	}
	n = fread(s->buf + s->len, 1, LINESCAN_BLOCK_BYTES, s->in);
	if (n < LINESCAN_BLOCK_BYTES) {
		if (ferror(s->in))
			return diag_set(d, -EIO, "%s%scannot read the input: %s", TABLE_FROM(s), strerror(errno));
		s->eof = true;
	}
	nul = memchr(s->buf + s->len, '\0', n);
	if (nul)
		return diag_set(
			d, -EINVAL,
			"%s%sNUL byte in the input after line %llu; this is no text "
			"(perf.data: run perf report or perf script on it; pprof: give its samples as folded stacks)",
			TABLE_FROM(s), (unsigned long long)s->line);
	s->len += n;
	err = make_ready(s, d);
	if (err || !s->eof || !s->len || s->buf[s->len - 1] == '\n')
		return err;
	s->buf[s->len++] = '\n'; /* a last line that does not end ends here */
	s->ready = s->len;
	return add_ends(s, s->len - 1, d);
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
	int err;

	while (s->next == s->nends) {
		if (s->eof)
			return 0;
		err = linescan_fill(s, d);
		if (err)
			return err;
	}
	return linescan_next(s, line, len, d);
}

int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d)
{
	char *from = s->buf + s->pos, *to;

	if (s->next == s->nends)
		return fill_and_go_on(s, line, len, d);
	to = s->buf + s->ends[s->next++];
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

size_t linescan_tab_bytes(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && line[n] == '\t')
		n++;
	return n;
}
