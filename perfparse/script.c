// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* ---- a line ---- */

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

static bool script_split_frame(const char *line, size_t len, struct span *tail, uint8_t *salt)
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

static const char *script_source(const char *line, size_t len, size_t *words)
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

/* ---- a text ---- */

#define DEPTH_MAX 65536u

/* The state of the reader between two lines. */
enum state {
	BETWEEN, /* outside a sample */
	STRANGE, /* after a line that is not a header; frames after it belong to a sample that cannot be read */
	KEPT,    /* in a sample that is kept */
	DROPPED, /* in a sample that the filter drops */
};

struct reader {
	struct profile *p;
	const struct script_filter *f;
	struct script_samples *keep; /* NULL: none is kept by itself */
	struct symbol_cache cache;
	struct events events;       /* of kept samples */
	struct events other_events; /* that the filter dropped */
	struct diag *d;
	struct linescan *lines;
	enum state state;
	struct script_sample sample; /* the open one */
	double weight;               /* of the open sample */
	uint32_t *frames;            /* of the open sample */
	size_t depth, cap;
	char source[512];      /* of the innermost frame */
	size_t source_len;     /* 0: no source line was seen in the open sample */
	uint64_t samples_seen; /* kept and dropped */
	uint64_t headers_seen;
	uint64_t strange_line;
	bool bare_frame;                  /* the frame that was read last has an address alone */
	bool with_period, without_period; /* of samples that are kept */
	size_t indent;                    /* tabs in front of every line of a text that was indented */
};

static const struct script_span *find_span(const struct script_filter *f, uint64_t time_ns)
{
	size_t lo = 0, hi = f->nspans, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (f->spans[mid].to_ns <= time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->nspans && f->spans[lo].from_ns <= time_ns ? &f->spans[lo] : NULL;
}

/* The field that the filter needs and the sample lacks. NULL: it lacks none. */
static const char *script_lacks(const struct script_filter *f, const struct script_sample *s)
{
	return f->spans && !s->has_time    ? "time"
	       : f->cpu >= 0 && s->cpu < 0 ? "cpu"
	       : f->tid >= 0 && s->tid < 0 ? "tid"
					   : NULL;
}

/* Do time, CPU and task of the sample pass the filter? weight: of the sample then. */
static bool script_is_wanted(const struct script_filter *f, const struct script_sample *s, double *weight)
{
	const struct script_span *span = f->spans ? find_span(f, s->time_ns) : NULL;

	*weight = span && span->part > 0 ? s->period * span->part : s->period;
	return (!f->spans || span) && (f->cpu < 0 || f->cpu == s->cpu) && (f->tid < 0 || f->tid == s->tid) &&
	       (!f->not_tid || f->not_tid != s->tid);
}

/* A profile with two events is refused at the end, so only samples of the first event are kept. */
static bool event_is_wanted(struct reader *r, const struct script_header *h)
{
	if (!h->event.s)
		return true;
	if (r->f->event && !event_matches(r->f->event, h->event.s, h->event.len)) {
		events_add(&r->other_events, h->event.s, h->event.len);
		return false;
	}
	events_add(&r->events, h->event.s, h->event.len);
	return r->events.n == 1 || r->keep;
}

/* Adds a frame to the open sample. */
static int push_frame(struct reader *r, uint32_t symbol)
{
	if (r->depth == DEPTH_MAX)
		return diag_set(r->d, -EINVAL, "line %llu: a stack deeper than %u frames",
				(unsigned long long)r->lines->line, DEPTH_MAX);
	if (r->depth == r->cap && !array_grow(&r->frames, &r->cap, r->depth, 1, sizeof(*r->frames)))
		return diag_set(r->d, -ENOMEM, "out of memory");
	r->frames[r->depth++] = symbol;
	return 0;
}

static int script_add_frame(struct reader *r, const struct script_frame *f)
{
	uint32_t symbol;
	int err = profile_add_symbol(r->p, f->name, f->dso, f->space, &symbol);

	return err ? diag_set(r->d, err, "out of memory") : push_frame(r, symbol);
}

/* Adds the frame in line. Most texts behind an address were seen before, so the cache is asked first. */
static int add_frame_line(struct reader *r, const char *line, size_t len)
{
	struct script_frame frame;
	struct span tail;
	uint32_t symbol;
	uint8_t salt;
	bool regular = script_split_frame(line, len, &tail, &salt);
	int err;

	if (regular) {
		r->bare_frame = false;
		symbol = symbol_cache_get(&r->cache, tail, salt);
		if (symbol != SYMBOL_CACHE_NONE)
			return push_frame(r, symbol);
	}
	if (!script_parse_frame(&frame, line, len, false))
		return 0;
	r->bare_frame = frame.is_bare;
	err = script_add_frame(r, &frame);
	if (!err && regular)
		symbol_cache_put(&r->cache, tail, salt, r->frames[r->depth - 1]);
	return err;
}

static int close_sample(struct reader *r)
{
	static const struct script_frame unknown = {{"[unknown]", 9}, {"", 0}};
	struct script_samples *s = r->keep;
	enum state state = r->state;
	int err;

	r->state = BETWEEN;
	if (state != KEPT)
		return 0;
	if (!r->depth) {
		err = script_add_frame(r, &unknown);
		if (err)
			return err;
	}
	err = profile_add_stack(r->p, r->frames, (unsigned int)r->depth, 1, r->weight);
	if (!err && r->source_len)
		err = profile_add_line(r->p, r->frames[0], r->source, r->source_len, r->weight);
	if (!err && s && !array_grow(&s->list, &s->cap, s->n, 1, sizeof(*s->list)))
		err = -ENOMEM;
	if (err)
		return diag_set(r->d, err, "out of memory");
	r->sample.stack = r->p->last_stack;
	r->sample.line = r->source_len ? r->p->last_line : UINT32_MAX;
	if (s)
		s->list[s->n++] = r->sample;
	return 0;
}

static int was_wrapped(struct reader *r)
{
	return diag_set(r->d, -EINVAL, "line %llu: the line before goes on here; the text was wrapped",
			(unsigned long long)r->lines->line);
}

/* Below a header without an event: "2004008 cpu-clock:  1149 leaf", "cpu-clock:". */
static bool header_goes_on(const struct reader *r, const char *s, const char *end)
{
	const char *first = span_skip_word(s, end), *second = span_skip_word(span_skip_blanks(first, end), end);

	return !r->depth && r->sample.event < 0 && (first[-1] == ':' || second[-1] == ':');
}

static int open_sample(struct reader *r, const struct script_header *h)
{
	const struct script_sample *s = &r->sample;
	bool open = r->state == KEPT || r->state == DROPPED;
	struct script_frame frame;
	const char *lacks;
	int err;

	/* "spin 2307 [001]" and "4829.308892981: 2004008 cpu-clock:" below it are one header. */
	if (open && !r->depth && !s->has_time && s->cpu >= 0 && h->has_time && h->cpu < 0 && h->tid < 0)
		return was_wrapped(r);
	err = close_sample(r);
	if (err)
		return err;
	r->samples_seen++;
	r->depth = r->source_len = 0;
	r->sample = (struct script_sample){.time_ns = h->time_ns,
					   .period = h->period,
					   .tid = h->tid,
					   .cpu = h->cpu,
					   .has_time = h->has_time,
					   .has_period = h->has_period,
					   .event = -1};
	lacks = script_lacks(r->f, &r->sample);
	if (lacks)
		return diag_set(r->d, -EINVAL, "line %llu: no %s; run perf script with -F +%s",
				(unsigned long long)r->lines->line, lacks, lacks);
	r->state = script_is_wanted(r->f, &r->sample, &r->weight) && event_is_wanted(r, h) ? KEPT : DROPPED;
	if (r->state == DROPPED)
		return 0;
	if (h->event.s)
		r->sample.event = events_find(&r->events, h->event.s, h->event.len);
	r->with_period |= h->has_period;
	r->without_period |= !h->has_period;
	r->p->weightless |= !h->has_period;
	if (h->rest.len && script_parse_frame(&frame, h->rest.s, h->rest.len, true))
		return script_add_frame(r, &frame);
	return 0;
}

static int read_frame(struct reader *r, const char *line, size_t len)
{
	static const struct script_header bare = {.tid = -1, .cpu = -1, .period = 1};
	int err;

	if (r->state == DROPPED)
		return 0;
	if (r->state != KEPT) {
		/* perf script without comm, tid, cpu, time and event prints no header before the frames. */
		if (r->headers_seen)
			return diag_set(r->d, -EINVAL, "line %llu: frames without a sample header before them",
					(unsigned long long)(r->strange_line ? r->strange_line : r->lines->line));
		err = open_sample(r, &bare);
		if (err || r->state == DROPPED)
			return err;
	}
	return add_frame_line(r, line, len);
}

/* Reads a line that is not empty and does not begin with a tab: a header, a frame that lost its tab, or noise. */
static int read_other(struct reader *r, const char *line, size_t len)
{
	struct script_header h;
	struct script_frame frame;
	size_t words_len;
	const char *words = script_source(line, len, &words_len);

	if (words) {
		/* It is that of the innermost frame; one that stands elsewhere is noise. */
		if (r->state == KEPT && r->depth == 1 && words_len <= sizeof(r->source)) {
			memcpy(r->source, words, words_len);
			r->source_len = words_len;
		}
		return 0;
	}
	if (script_parse_header(&h, line, len)) {
		r->headers_seen++;
		r->strange_line = 0;
		return open_sample(r, &h);
	}
	if (*line == '#')
		return 0;
	if (r->state == KEPT || r->state == DROPPED) {
		if (header_goes_on(r, line, line + len))
			return was_wrapped(r);
		if (script_parse_frame(&frame, line, len, true))
			return read_frame(r, line, len);
		/* What stands behind an address alone; else it is a source line under its frame, or noise. */
		return r->depth && r->bare_frame ? was_wrapped(r) : 0;
	}
	r->state = STRANGE;
	r->strange_line = r->lines->line;
	return 0;
}

/* Takes the tabs away that are in front of every line, if that of the first sample has some. */
static void cut_indent(struct reader *r, char **line, size_t *len)
{
	size_t n = linescan_tab_bytes(*line, *len);
	struct script_header h;

	if (!r->indent && script_parse_header(&h, *line + n, *len - n) && (h.has_time || h.tid >= 0))
		r->indent = n;
	n = n < r->indent ? n : r->indent;
	*line += n;
	*len -= n;
}

static int read_lines_of_script(struct reader *r)
{
	char *line;
	size_t len;
	int more, err;

	while ((more = linescan_next(r->lines, &line, &len, r->d)) > 0) {
		if (*line == '\t' && (r->indent || (!r->headers_seen && r->state != KEPT)))
			cut_indent(r, &line, &len);
		if (*line == '\t')
			err = r->state == KEPT ? add_frame_line(r, line, len) : read_frame(r, line, len);
		else if (!len)
			err = close_sample(r);
		else
			err = read_other(r, line, len);
		if (err)
			return err;
	}
	return more ? more : close_sample(r);
}

static int check_events(struct reader *r)
{
	char list[256];

	events_list(r->events.n ? &r->events : &r->other_events, list, sizeof(list));
	if (r->events.n > 1 && !r->keep)
		return diag_set(r->d, -EINVAL, "several events, pick one: %s", list);
	if (!r->events.n && r->other_events.n)
		return diag_set(r->d, -EINVAL, "no event '%s' in the text; there is: %s", r->f->event, list);
	if (r->events.n)
		memcpy(r->p->event, r->events.names[0], sizeof(r->p->event));
	return 0;
}

static int script_read_all(struct reader *r)
{
	int err;

	*r->p = (struct profile){};
	err = read_lines_of_script(r) ?: check_events(r);
	if (!err && !r->samples_seen)
		err = diag_set(r->d, -EINVAL,
			       r->lines->line ? "no samples; this is not the text of perf script"
					      : "the input is empty");
	if (!err && r->with_period && r->without_period)
		err = diag_set(r->d, -EINVAL, "some samples have a period and others have none; was the text cut?");
	free(r->frames);
	if (err)
		profile_release(r->p);
	return err;
}

int script_read_lines(struct profile *p, struct linescan *lines, const struct script_filter *f, struct diag *d)
{
	struct reader r = {.p = p, .f = f, .lines = lines, .d = d};
	int err = script_read_all(&r);

	/* Has none of its samples a function? perf printed them without -F ip,sym, or the text is another one. */
	if (err || p->nsymbols != 1 || p->symbols->space != SPACE_UNKNOWN || *p->symbols->dso ||
	    strcmp(p->symbols->name, "[unknown]"))
		return err;
	profile_release(p);
	return diag_set(
		d, -EINVAL,
		"none of its samples names a function; run perf script with -F +ip,sym (or this is another text)");
}

int script_keep(struct script_samples *s, struct linescan *lines, const struct script_filter *f, struct diag *d)
{
	struct reader r = {.p = &s->profile, .f = f, .keep = s, .lines = lines, .d = d};
	int err;

	*s = (struct script_samples){.events = malloc(sizeof(*s->events))};
	err = s->events ? script_read_all(&r) : diag_set(d, -ENOMEM, "out of memory");
	if (s->events)
		*s->events = r.events;
	if (err)
		script_samples_release(s);
	return err;
}

/* The frames of a stack as symbols of another profile. symbols[]: those that are in it already, or UINT32_MAX. */
static int script_translate(struct profile *p, const struct profile *from, const struct profile_stack *k,
			    uint32_t *symbols, uint32_t *frames)
{
	for (unsigned int i = 0; i < k->depth; i++) {
		uint32_t old = from->frames[k->first + i];
		const struct profile_symbol *y = &from->symbols[old];

		if (symbols[old] == UINT32_MAX &&
		    profile_add_symbol(p, span_of(y->name), span_of(y->dso), y->space, &symbols[old]))
			return -ENOMEM;
		frames[i] = symbols[old];
	}
	return 0;
}

static int script_pick_samples(struct profile *p, const struct script_samples *s, const struct script_filter *f,
			       uint32_t *symbols, uint32_t *frames, struct diag *d)
{
	const struct profile *from = &s->profile;
	struct events seen = {};
	char list[256];
	double weight;
	int err = 0;

	for (size_t i = 0; i < s->n && !err; i++) {
		const struct script_sample *sample = &s->list[i];
		const struct profile_stack *k = &from->stacks[sample->stack];
		const char *lacks = script_lacks(f, sample);

		if (lacks)
			return diag_set(d, -EINVAL, "a sample without %s; run perf script with -F +%s", lacks, lacks);
		if (!script_is_wanted(f, sample, &weight))
			continue;
		if (sample->event >= 0)
			events_add(&seen, s->events->names[sample->event], strlen(s->events->names[sample->event]));
		p->weightless |= !sample->has_period;
		err = script_translate(p, from, k, symbols, frames);
		if (!err)
			err = profile_add_stack(p, frames, k->depth, 1, weight);
		if (!err && sample->line != UINT32_MAX) {
			const char *words = from->lines[sample->line].words;

			err = profile_add_line(p, frames[0], words, strlen(words), weight);
		}
	}
	if (seen.n > 1) {
		events_list(&seen, list, sizeof(list));
		return diag_set(d, -EINVAL, "several events, pick one: %s", list);
	}
	if (seen.n)
		memcpy(p->event, seen.names[0], sizeof(p->event));
	return err ? diag_set(d, err, "out of memory") : 0;
}

int script_pick(struct profile *p, const struct script_samples *s, const struct script_filter *f, struct diag *d)
{
	uint32_t *symbols = malloc((s->profile.nsymbols + 1) * sizeof(*symbols));
	uint32_t *frames = malloc((s->profile.nframes + 1) * sizeof(*frames)); /* no stack is deeper */
	int err = symbols && frames ? 0 : diag_set(d, -ENOMEM, "out of memory");

	*p = (struct profile){};
	if (!err) {
		memset(symbols, 0xff, s->profile.nsymbols * sizeof(*symbols));
		err = script_pick_samples(p, s, f, symbols, frames, d);
	}
	free(symbols);
	free(frames);
	if (err)
		profile_release(p);
	return err;
}

void script_samples_release(struct script_samples *s)
{
	profile_release(&s->profile);
	free(s->events);
	free(s->list);
	*s = (struct script_samples){};
}
