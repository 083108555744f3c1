// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <stdio.h>
#include <string.h>
#include "base/base.h"

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

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

/* "=3D", or "=20" at the end of a line: what mailers write of "=", and of a blank there. */
static bool is_escape(const char *s, const char *end)
{
	if (end - s < 3 || s[0] != '=')
		return false;
	return (s[1] == '3' && s[2] == 'D') ||
	       (s[1] == '2' && s[2] == '0' && (end - s == 3 || memchr("\r\n=", s[3], 3)));
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

		if (is_escape(at, end))
			return true;
		line = line ? line + 1 : text;
		if (break_bytes(at, end) && memchr(line, '%', (size_t)(at - line)) && !is_operator(line, at))
			return true;
	}
	/* A mail whose header names it, and that has no "=", has nothing encoded. */
	return memchr(text, '=', (size_t)(end - text)) && memmem(text, (size_t)(end - text), "quoted-printable", 16);
}

/* Compilers compare the bytes of a lane at once, on any machine; on x86, with AVX2 where the CPU has it. */
typedef signed char lane __attribute__((vector_size(32)));
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* ">" and "=" and "|" with some beside them, "&", the escape, and all that is no ASCII: below 0. */
static inline void undress_look_at(const char *text, lane *found)
{
	lane c;

	memcpy(&c, text, sizeof(c));
	*found |= ((c & ~0x43) == 0x3c) | (c == '&') | (c == '\033') | (c < 0);
}

/*
 * True if the text may hold a byte that a quote, an escape or a blank of Unicode begins with. One pass instead of one
 * for each; what comes behind looks again.
 */
WIDE static bool look(const char *text, size_t len)
{
	char rest[sizeof(lane)] = "";
	lane found = {0};
	size_t i = 0;

	for (; i + sizeof(lane) <= len; i += sizeof(lane))
		undress_look_at(text + i, &found);
	memcpy(rest, text + i, len - i);
	undress_look_at(rest, &found);
	long long parts[4];

	memcpy(parts, &found, sizeof(parts));
	return parts[0] | parts[1] | parts[2] | parts[3];
}

/* ---- rows that were wrapped ----------------------------------------------------------------------------------- */

static bool has_mark(const char *s, const char *end)
{
	enum profile_space space;

	for (; (s = memchr(s, '[', (size_t)(end - s))); s++)
		if (cell_read_mark(s, end, &space))
			return true;
	return false;
}

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
	if (!cell_read_percent(s, end, &pct) || has_mark(s, end))
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

bool undress_unfinished(const char *line, size_t len)
{
	return wrap_of(line, len) != WRAP_NONE;
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

static bool holds_tags(const char *text, const char *end)
{
	const char *first = memchr(text, '<', (size_t)(end - text));

	return first && (begins_line(text, end, '<', true) || memmem(first, (size_t)(end - first), "<br", 3) ||
			 memmem(first, (size_t)(end - first), "</", 2));
}

static bool holds_marks(const char *text, const char *end)
{
	size_t len = (size_t)(end - text);

	return begins_line(text, end, '>', true) || begins_line(text, end, '|', false) || memchr(text, '\033', len) ||
	       memchr(text, 0xc2, len) || memchr(text, 0xe2, len) || memchr(text, 0xa0, len) ||
	       memchr(text, '&', len) || holds_tags(text, end) || is_printable(text, end);
}

/* The number that a line begins with, and behind it a tab, ":" or a blank; 0: none. *rest: the text behind. */
static size_t line_number(const char *s, const char *end, const char **rest)
{
	size_t n = 0;

	s = span_skip_blanks(s, end);
	for (*rest = s; s < end && *s >= '0' && *s <= '9' && s - *rest < 9; s++)
		n = 10 * n + (size_t)(*s - '0');
	if (s == end || !memchr("\t: ", *s, 3))
		return 0;
	s += *s == ' ' && s + 1 < end && s[1] == ' ' ? 2 : 1;
	*rest = s;
	return n;
}

/* The number of the first line, if those of the next two follow; 0: the lines have none. */
static size_t first_number(const char *text, const char *end)
{
	size_t first = 0;

	for (size_t i = 0; i < 3; i++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text)), *rest;
		size_t n = nl ? line_number(text, nl, &rest) : 0;

		first = i ? first : n;
		if (!n || n != first + i)
			return 0;
		text = nl + 1;
	}
	return first;
}

/* What the beginning of a text may have: a byte order mark, lines that end in "\r" alone, numbers of lines. */
static bool begins_dressed(const char *text, size_t len)
{
	const char *end = text + len;

	return (len > 2 && !memcmp(text, "\xef\xbb\xbf", 3)) || (memchr(text, '\r', len) && !memchr(text, '\n', len)) ||
	       first_number(text, end);
}

bool undress_wanted(const struct undress *u, const char *text, size_t len)
{
	return u->printable || u->number || (!u->begun && begins_dressed(text, len)) || memchr(text, '`', len) ||
	       (look(text, len) && holds_marks(text, text + len));
}

/* ---- one line ----------------------------------------------------------------------------------------------- */

static int nibble(char c)
{
	return c <= '9' ? c - '0' : c - 'A' + 10;
}

struct replacement {
	const char *from, *to; /* to is not longer */
};

static const struct replacement entities[] = {
	{"&gt;", ">"},   {"&lt;", "<"},   {"&amp;", "&"},  {"&quot;", "\""}, {"&#39;", "'"},
	{"&#x27;", "'"}, {"&nbsp;", " "}, {"&#160;", " "}, {"&#37;", "%"},   {"&percnt;", "%"},
};

/* No-break space; en, em, figure, thin and narrow no-break space; zero width space. */
static const struct replacement blanks[] = {
	{"\xc2\xa0", " "},     {"\xe2\x80\x82", " "}, {"\xe2\x80\x83", " "}, {"\xe2\x80\x87", " "},
	{"\xe2\x80\x89", " "}, {"\xe2\x80\xaf", " "}, {"\xe2\x80\x8b", ""},  {"\xa0", " "}, /* of ISO-8859-1 */
};

/* Hyphens, figure and en dash; the sign minus. */
static const struct replacement dashes[] = {
	{"\xe2\x80\x90", "-"}, {"\xe2\x80\x91", "-"}, {"\xe2\x80\x92", "-"},
	{"\xe2\x80\x93", "-"}, {"\xe2\x88\x92", "-"},
};

static const struct replacement *undress_find(const struct replacement *r, size_t n, const char *s, const char *end)
{
	for (; n; n--, r++) {
		size_t len = strlen(r->from);

		if ((size_t)(end - s) >= len && !memcmp(s, r->from, len))
			return r;
	}
	return NULL;
}

/* Replaces in place. Returns the new length, and counts the line if there was something. */
static size_t replace(const struct replacement *list, size_t n, char *line, size_t len, size_t *lines)
{
	char *in = line, *out = line, *end = line + len;
	bool any = false;

	while (in < end) {
		bool may = memchr("&\xc2\xe2", *in, 3) ||
			   (*in == '\xa0' && (in == line || in[-1] >= 0)); /* not within UTF-8 */
		const struct replacement *r = may ? undress_find(list, n, in, end) : NULL;

		if (!r) {
			*out++ = *in++;
			continue;
		}
		any = true;
		in += strlen(r->from);
		memcpy(out, r->to, strlen(r->to));
		out += strlen(r->to);
	}
	*lines += any;
	return (size_t)(out - line);
}

/*
 * "> ", ">> > ", "| ", and their mixtures: the marks, and the one blank behind each. The whole may be indented if it
 * begins with ">": behind blanks, "|" is part of a call graph.
 */
static size_t quote_bytes(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && (line[n] == ' ' || line[n] == '\t'))
		n++;
	if (n == len || line[n] != '>')
		n = 0;
	while (n < len && (line[n] == '>' || line[n] == '|')) {
		n++;
		n += n < len && line[n] == ' ';
	}
	return n;
}

/*
 * True for a row of shares right below one that more or fewer ">" stand before: another person's list begins, and a
 * blank line will say so.
 */
static bool follows_other_depth(struct undress *u, const char *line, size_t marks, size_t len)
{
	size_t depth = 1;
	double pct;
	bool other;

	for (size_t i = 0; i < marks; i++)
		depth += line[i] == '>';
	if (!cell_read_percent(span_skip_blanks(line + marks, line + len), line + len, &pct))
		depth = 0;
	other = depth && u->depth && depth != u->depth;
	u->depth = depth;
	return other;
}

/* The bytes of "<br>", "<br />", "</p>", and, at the beginning of a line, of "<pre>", "<code class=x>" ...; 0: none. */
static size_t tag_bytes(const char *s, const char *end, bool begins)
{
	static const char *const names[] = {"<br", "</", "<pre", "<code", "<div", "<span"};
	const char *close = *s == '<' ? memchr(s, '>', (size_t)(end - s)) : NULL;

	for (size_t i = 0; close && i < (begins ? 6 : 2); i++) {
		size_t n = strlen(names[i]);

		if ((size_t)(close - s) >= n && !memcmp(s, names[i], n) && (i == 1 || memchr("> /", s[n], 3)))
			return (size_t)(close - s) + 1;
	}
	return 0;
}

static size_t strip_tags(struct undress *u, char *line, size_t len)
{
	char *s = line, *end = line + len;
	size_t n;

	while (s < end && (n = tag_bytes(s, end, true)) > 0)
		s += n;
	for (char *open; end > s && end[-1] == '>' && (open = memrchr(s, '<', (size_t)(end - s))) != NULL &&
			 tag_bytes(open, end, false) == (size_t)(end - open);)
		end = open;
	u->tags += (size_t)(end - s) < len;
	memmove(line, s, (size_t)(end - s));
	return (size_t)(end - s);
}

/* Backquotes of Markdown, of a row of shares alone. */
static size_t strip_backquotes(struct undress *u, char *line, size_t len)
{
	char *out = line;

	if (!memchr(line, '`', len) || !memchr(line, '%', len))
		return len;
	for (char *in = line; in < line + len; in++)
		if (*in != '`')
			*out++ = *in;
	u->backquotes++;
	return (size_t)(out - line);
}

static size_t strip_number(struct undress *u, char *line, size_t len)
{
	const char *rest;

	if (line_number(line, line + len, &rest) != u->number)
		return len;
	u->number++;
	u->numbered++;
	len -= (size_t)(rest - line);
	memmove(line, rest, len);
	return len;
}

/* Undresses a line, but for its marks of a quote. */
static size_t clean_line(struct undress *u, char *line, size_t n)
{
	if (u->printable) {
		/* "=3D" is decoded in place. A NUL or a line break stays as it is written. */
		char *in = line, *out = line, *end = line + n;

		while (in < end) {
			if (*in == '=' && end - in > 2 && is_hex(in[1]) && is_hex(in[2])) {
				int c = nibble(in[1]) << 4 | nibble(in[2]);

				if (c && c != '\n' && c != '\r') {
					*out++ = (char)c;
					in += 3;
					continue;
				}
			}
			*out++ = *in++;
		}
		n = (size_t)(out - line);
	}
	if (memchr(line, '\033', n)) {
		char *in = line, *out = line, *end = line + n;

		while (in < end) {
			if (*in != '\033' || in + 1 == end || in[1] != '[') {
				*out++ = *in++;
				continue;
			}
			for (in += 2; in < end && !(*in >= '@' && *in <= '~'); in++)
				;
			in += in < end;
		}
		n = (size_t)(out - line);
		u->colours++;
	}
	if (n && (*line == '<' || line[n - 1] == '>'))
		n = strip_tags(u, line, n);
	n = strip_backquotes(u, line, n);
	n = replace(entities, sizeof(entities) / sizeof(*entities), line, n, &u->entities);
	n = replace(dashes, sizeof(dashes) / sizeof(*dashes), line, n, &u->dashes);
	return replace(blanks, sizeof(blanks) / sizeof(*blanks), line, n, &u->blanks);
}

/* ---- the text ----------------------------------------------------------------------------------------------- */

/* Joins what soft breaks cut, in place: a line of the result is a line of the mail. */
static size_t undress_join(struct undress *u, char *text, size_t len)
{
	char *in = text, *out = text, *end = text + len, *line = text;

	while (in < end) {
		size_t n = break_bytes(in, end);

		if (n && !is_operator(line, out)) {
			in += n;
			u->joined++;
			continue;
		}
		if (*in == '=' && end - in > 5 && !memcmp(in, "=0D=0A", 6))
			in += 3;
		if (*in == '=' && end - in > 2 &&
		    !memcmp(in, "=0A", 3)) { /* a line end of the text, and no break of the mailer */
			line = out + 1;
			*out++ = '\n';
			in += 3;
			continue;
		}
		if (*in == '\n')
			line = out + 1;
		*out++ = *in++;
	}
	return (size_t)(out - text);
}

void undress_begin(struct undress *u)
{
	u->begun = u->printable = false;
	u->number = u->depth = 0;
}

/* The beginning of a text. Returns its length without a byte order mark. */
static size_t undress_beginning(struct undress *u, char *text, size_t len)
{
	u->begun = true;
	if (len > 2 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		len -= 3;
		memmove(text, text + 3, len);
	}
	if (!memchr(text, '\n', len))
		for (char *s = text; (s = memchr(s, '\r', (size_t)(text + len - s))) != NULL;)
			*s = '\n';
	u->number = first_number(text, text + len);
	return len;
}

size_t undress_lines(struct undress *u, char *text, size_t len)
{
	char *in = text, *out = text, *end;
	bool clean;

	if (!u->begun)
		len = undress_beginning(u, text, len);
	u->printable |= is_printable(text, text + len);
	if (u->printable)
		len = undress_join(u, text, len);
	/* Most texts that a mail quotes lose nothing but the marks. */
	clean = u->printable || memchr(text, '\033', len) || memchr(text, '&', len) || memchr(text, 0xc2, len) ||
		memchr(text, 0xe2, len) || memchr(text, 0xa0, len) || memchr(text, '<', len) || memchr(text, '`', len);
	for (end = text + len; in < end;) {
		char *nl = memchr(in, '\n', (size_t)(end - in)), *to = nl ? nl : end;
		size_t n = (size_t)(to - in), marks;

		if (u->number)
			n = strip_number(u, in, n);
		if (clean)
			n = clean_line(u, in, n);
		marks = quote_bytes(in, n);
		u->quoted += marks > 0;
		if (follows_other_depth(u, in, marks, n) && out < in + marks)
			*out++ = '\n';
		memmove(out, in + marks, n - marks);
		out += n - marks;
		if (nl)
			*out++ = '\n';
		in = nl ? nl + 1 : end;
	}
	return join_rows(u, text, (size_t)(out - text));
}

static void undress_add_words(char *to, size_t size, const char *format, size_t n)
{
	if (n)
		listed_add(to, size, ", ", format, n);
}

bool undress_words(const struct undress *u, char *to, size_t size)
{
	*to = '\0';
	undress_add_words(to, size, "marks of a quote on %zu lines", u->quoted);
	undress_add_words(to, size, "%zu quoted-printable line breaks", u->joined);
	undress_add_words(to, size, "%zu line breaks in rows", u->wrapped);
	undress_add_words(to, size, "entities of HTML on %zu lines", u->entities);
	undress_add_words(to, size, "tags of HTML on %zu lines", u->tags);
	undress_add_words(to, size, "backquotes on %zu lines", u->backquotes);
	undress_add_words(to, size, "the numbers of %zu lines", u->numbered);
	undress_add_words(to, size, "no-break spaces on %zu lines", u->blanks);
	undress_add_words(to, size, "dashes of Unicode on %zu lines", u->dashes);
	undress_add_words(to, size, "colours on %zu lines", u->colours);
	return *to;
}
