// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Reads [s, end) as a whole number. */
static bool read_number(const char *s, const char *end, uint64_t *value)
{
	uint64_t v = 0;

	if (s == end || end - s > 19)
		return false;
	for (; s < end; s++) {
		if (!is_digit(*s))
			return false;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	*value = v;
	return true;
}

/* Finds the token that ends before s; blanks between the token and s are skipped. False at the start of the line. */
static bool token_before(const char *line, const char *s, const char **from, const char **to)
{
	while (s > line && span_is_blank(s[-1]))
		s--;
	*to = s;
	while (s > line && !span_is_blank(s[-1]))
		s--;
	*from = s;
	return *from < *to;
}

/* "[001]" */
static bool script_line_read_cpu(const char *from, const char *to, int *cpu)
{
	uint64_t v;

	if (to - from < 3 || *from != '[' || to[-1] != ']' || !read_number(from + 1, to - 1, &v) || v > INT32_MAX)
		return false;
	*cpu = (int)v;
	return true;
}

/* "4883" or "4880/4883"; "-1" is a task that had ended before perf read its number. */
static bool read_tid(const char *from, const char *to, int *tid)
{
	const char *slash = memchr(from, '/', (size_t)(to - from));
	uint64_t v;

	if (to - from >= 2 && !memcmp(to - 2, "-1", 2) && (to - from == 2 || slash == to - 3)) {
		*tid = SCRIPT_TID_ENDED;
		return true;
	}
	if (slash && !read_number(from, slash, &v))
		return false;
	if (!read_number(slash ? slash + 1 : from, to, &v) || v > INT32_MAX)
		return false;
	*tid = (int)v;
	return true;
}

/* -F misc prints letters ("K", "U", "Kh") between CPU and time. */
static bool is_misc(const char *from, const char *to)
{
	if (to - from > 4)
		return false;
	for (; from < to; from++)
		if (!((*from >= 'A' && *from <= 'Z') || (*from >= 'a' && *from <= 'z')))
			return false;
	return true;
}

/* Reads tid and CPU, the tokens before s. */
static void read_before(struct script_header *h, const char *line, const char *s)
{
	const char *from, *to, *cut;

	h->tid = h->cpu = -1;
	if (!token_before(line, s, &from, &to))
		return;
	cut = from;
	if (is_misc(from, to) && token_before(line, cut, &from, &to))
		cut = from;
	if (!script_line_read_cpu(from, to, &h->cpu)) {
		read_tid(from, to, &h->tid);
		return;
	}
	if (token_before(line, cut, &from, &to))
		read_tid(from, to, &h->tid);
}

/* Reads the time "SECONDS.FRACTION:" that ends at colon, and sets *from to its beginning. */
static bool read_time(const char *line, const char *colon, const char **from, uint64_t *time_ns)
{
	const char *s = colon, *dot;
	uint64_t sec, frac;
	int digits;

	while (s > line && is_digit(s[-1]))
		s--;
	dot = s - 1;
	if (s == colon || colon - s > 9 || dot <= line || *dot != '.')
		return false;
	for (s = dot; s > line && is_digit(s[-1]); s--)
		;
	if (s == dot || dot - s > 11 || (s > line && !span_is_blank(s[-1])))
		return false;
	if (!read_number(s, dot, &sec) || sec > UINT64_MAX / 1000000000u - 1 || !read_number(dot + 1, colon, &frac))
		return false;
	for (digits = (int)(colon - dot - 1); digits < 9; digits++)
		frac *= 10;
	*from = s;
	*time_ns = sec * 1000000000u + frac;
	return true;
}

/* "1003009 cpu-clock:pppH:  rest": period and event are both optional. */
static void read_behind(struct script_header *h, const char *s, const char *end)
{
	const char *tok = span_skip_blanks(s, end), *tok_end = span_skip_word(tok, end);
	const char *next = span_skip_blanks(tok_end, end), *next_end = span_skip_word(next, end);
	uint64_t v;

	h->event = (struct span){};
	h->has_period = false;
	h->period = 1;
	if (read_number(tok, tok_end, &v) && (next == end || next_end[-1] == ':')) {
		h->has_period = true;
		h->period = (double)v;
		tok = next;
		tok_end = next_end;
	}
	if (tok_end > tok + 1 && tok_end[-1] == ':') {
		h->event = (struct span){tok, (size_t)(tok_end - tok - 1)};
		s = tok_end;
	} else if (h->has_period) {
		s = end;
	}
	h->rest = (struct span){s, (size_t)(end - s)};
}

static int header_score(const struct script_header *h)
{
	return (h->tid >= 0) + 2 * (h->cpu >= 0);
}

/* Where a task's name may end at the latest: its 15 bytes, which perf may print behind a blank. */
#define NAME_END 16

/*
 * Any "1.5:" may be part of a task's name. The time is the first one that has both tid and CPU before it, and that
 * cannot lie within a name: a task may call itself "7 [1] 1.5:", and the header is still that of the task itself.
 */
static bool header_by_time(struct script_header *best, const char *line, const char *end)
{
	struct script_header h = {0};
	const char *colon = line, *from;
	bool found = false, in_name = false;

	for (; (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
		if ((colon + 1 < end && !span_is_blank(colon[1])) || !read_time(line, colon, &from, &h.time_ns))
			continue;
		read_before(&h, line, from);
		if (found && header_score(&h) <= header_score(best) && !(in_name && header_score(&h) == 3))
			continue;
		h.has_time = true;
		read_behind(&h, colon + 1, end);
		*best = h;
		found = true;
		in_name = colon - line < NAME_END;
		if (header_score(&h) == 3 && !in_name)
			break;
	}
	return found;
}

/* The header without -F time: "comm tid [cpu]  period event:". perf writes three digits: "see 449 [19]" is none. */
static bool header_by_cpu(struct script_header *h, const char *line, const char *end)
{
	const char *s = line, *close, *from, *to;
	bool found = false;
	int cpu;

	for (; (!found || s - line < NAME_END) && (close = memchr(s, ']', (size_t)(end - s))); s = close + 1) {
		if (close + 1 < end && !span_is_blank(close[1]))
			continue;
		if (!token_before(line, close + 1, &from, &to) || to - from < 5 ||
		    !script_line_read_cpu(from, to, &cpu))
			continue;
		*h = (struct script_header){.tid = -1, .cpu = cpu};
		if (token_before(line, from, &from, &to))
			read_tid(from, to, &h->tid);
		read_behind(h, close + 1, end);
		found = true;
	}
	return found;
}

bool script_parse_header(struct script_header *h, const char *line, size_t len)
{
	const char *end = line + len;

	return header_by_time(h, line, end) || header_by_cpu(h, line, end);
}

/* Compilers compare all bytes of a column at once, on any machine. */
typedef unsigned char column __attribute__((vector_size(16)));

/* True if a column of 16 bytes has digits of a hexadecimal number behind so many blanks, and nothing else. */
static bool is_address(const char *s, unsigned char blanks)
{
	static const column places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	uint64_t wrong[2];
	column c;

	memcpy(&c, s, sizeof(c));
	c = (column)(((c - '0') < 10) | ((c - 'a') < 6)) ^ (column)(places >= blanks);
	memcpy(wrong, &c, sizeof(wrong));
	return !(wrong[0] | wrong[1]);
}

bool script_split_frame(const char *line, size_t len, struct span *tail, uint8_t *salt)
{
	const char *s = line + 1, *end = line + 17;

	if (len < 19 || line[0] != '\t' || line[17] != ' ')
		return false;
	while (*s == ' ')
		s++;
	if (s >= end || !is_address(line + 1, (unsigned char)(s - line - 1)))
		return false;
	*salt = end - s == 16 && *s >= '8' ? 2 : end - s > 1 || *s != '0';
	*tail = (struct span){line + 18, len - 18};
	return true;
}

/*
 * Finds "(dso)" at the end by counting parentheses from the right: a DSO may be "/bin/a (deleted)", a symbol
 * "f(int (*)(void))".
 */
static const char *find_dso(const char *s, const char *end)
{
	int depth = 0;
	const char *c;

	if (end == s || end[-1] != ')')
		return NULL;
	for (c = end - 1; c >= s; c--) {
		if (*c == ')')
			depth++;
		else if (*c == '(' && !--depth)
			return c == s || span_is_blank(c[-1]) ? c : NULL;
	}
	return NULL;
}

/*
 * The end of what stands before the fields behind the DSO: "a+0x1 ([kernel.kallsyms]) insn: 48 89 e5" of -F +insn,
 * "ilen: 3", the branches of +brstack, and "=>" with where a branch went.
 */
static const char *cut_fields(const char *s, const char *end)
{
	static const char *const heads[] = {"insn:", "ilen:", "0x", "=>", "iregs:", "ABI:", "cgroup:", "- "};

	for (const char *c = s; (c = memmem(c, (size_t)(end - c), ") ", 2)) != NULL; c++) {
		const char *next = span_skip_blanks(c + 1, end);

		for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
			if (span_begins(next, (size_t)(end - next), heads[i]))
				return c + 1;
	}
	return end;
}

/* "veth_poll+0x1f" -> "veth_poll" */
static const char *cut_offset(const char *s, const char *end)
{
	const char *c = end;

	while (c > s && hex_value(c[-1]) >= 0)
		c--;
	if (c < end && c - s > 3 && c[-1] == 'x' && c[-2] == '0' && c[-3] == '+')
		return c - 3;
	return end;
}

/* The upper half of the address space is the kernel's, with any DSO name (modules, BPF programs). */
static enum profile_space space_of(uint64_t address, const char *dso, size_t len)
{
	if (address >> 63) {
		if (span_begins(dso, len, "[guest"))
			return SPACE_GUEST_KERNEL;
		return span_begins(dso, len, "[vsyscall]") ? SPACE_USER : SPACE_KERNEL;
	}
	if (address && len && *dso == '/')
		return SPACE_USER;
	return profile_space_of_dso(dso, len);
}

/* "leaf (/usr/lib/x86": a terminal or a pager cut the line. */
static const char *cut_open(const char *s, const char *end)
{
	int depth = 0;

	for (const char *c = end - 1; c > s; c--) {
		depth += *c == ')' ? 1 : *c == '(' ? -1 : 0;
		if (depth < 0)
			return span_is_blank(c[-1]) ? c - 1 : end;
	}
	return end;
}

/* Reads name, offset and DSO, the text behind the address. */
static void read_place(struct script_frame *f, uint64_t address, const char *s, const char *end)
{
	const char *dso;

	end = span_trim_end(s, cut_fields(s, end));
	dso = find_dso(s, end);
	f->dso = (struct span){"", 0};
	if (dso) {
		f->dso = (struct span){dso + 1, (size_t)(end - dso - 2)};
		if (span_is(&f->dso, "inlined"))
			f->dso.len = 0;
		end = span_trim_end(s, dso);
	} else {
		end = cut_open(s, end);
	}
	end = cut_offset(s, end);
	f->name = (struct span){s, (size_t)(end - s)};
	f->space = space_of(address, f->dso.s, f->dso.len);
}

/* Hex digits that are no word such as "add" or "a". */
static bool looks_like_address(const char *s, const char *end)
{
	bool digit = false;

	for (const char *c = s; c < end; c++)
		digit |= is_digit(*c);
	return digit && (end - s > 2 || *s == '0');
}

/* "leaf (spin)": what stands behind an address whose blanks in front got lost, too. */
static bool ends_in_dso(const char *s, const char *end)
{
	end = span_trim_end(s, cut_fields(s, end));
	return end > s && end[-1] == ')' && memmem(s, (size_t)(end - s), " (", 2);
}

bool script_parse_frame(struct script_frame *f, const char *line, size_t len, bool strict)
{
	const char *end = line + len, *from = span_skip_blanks(line, end), *s = from;
	uint64_t address = 0;
	int v;

	for (; s < end && (v = hex_value(*s)) >= 0; s++)
		address = address << 4 | (uint64_t)v;
	if (s == from || (s < end && !span_is_blank(*s)) || s - from > 16) {
		if (strict || from == end)
			return false;
		s = from;
		address = 0;
	} else if (strict && s - line < 16 && !(looks_like_address(from, s) && ends_in_dso(s, end))) {
		return false;
	}
	read_place(f, address, span_skip_blanks(s, end), end);
	f->is_bare = !f->name.len && !f->dso.len;
	if (!f->name.len)
		f->name = span_of("[unknown]");
	return true;
}

const char *script_source(const char *line, size_t len, size_t *words)
{
	const size_t head = strlen(SCRIPT_SOURCE);
	const char *s = line + head, *end = line + len, *blank, *tab;

	if (len <= head || memcmp(line, SCRIPT_SOURCE, head) != 0)
		return NULL;
	blank = memchr(s, ' ', (size_t)(end - s));
	tab = memchr(s, '\t', (size_t)(end - s));
	if (!blank || !tab || blank == s || tab < blank + 2 || memchr(s, '\0', (size_t)(end - s)))
		return NULL;
	for (const char *c = s; c < blank; c++)
		if (!is_digit(*c))
			return NULL;
	*words = (size_t)(end - s);
	return s;
}
