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

/* Reads tid and CPU, the tokens before s. -F misc prints up to four letters ("K", "Kh") between CPU and time. */
static void read_before(struct script_header *h, const char *line, const char *s)
{
	const char *from, *to, *cut, *c;

	h->tid = h->cpu = -1;
	if (!token_before(line, s, &from, &to))
		return;
	cut = from;
	for (c = from; c < to && ((*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z')); c++)
		;
	if (c == to && to - from <= 4 && token_before(line, cut, &from, &to))
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

/* Where a task's name may end at the latest: its 15 bytes, which perf may print behind a blank. */
#define NAME_END 16

/*
 * Any "1.5:" may be part of a task's name. The time is the first one that has both tid and CPU before it, and that
 * cannot lie within a name: a task may call itself "7 [1] 1.5:", and the header is still that of the task itself.
 * Without -F time it is "comm tid [cpu]  period event:". perf writes three digits: "see 449 [19]" is none.
 */
bool script_parse_header(struct script_header *h, const char *line, size_t len)
{
	const char *end = line + len, *colon = line, *s = line, *close, *from, *to;
	struct script_header timed = {0};
	bool found = false, in_name = false;
	int score, best = 0, cpu;

	for (; (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
		if ((colon + 1 < end && !span_is_blank(colon[1])) || !read_time(line, colon, &from, &timed.time_ns))
			continue;
		read_before(&timed, line, from);
		score = (timed.tid >= 0) + 2 * (timed.cpu >= 0);
		if (found && score <= best && !(in_name && score == 3))
			continue;
		timed.has_time = true;
		read_behind(&timed, colon + 1, end);
		*h = timed;
		best = score;
		found = true;
		in_name = colon - line < NAME_END;
		if (score == 3 && !in_name)
			break;
	}
	if (found)
		return true;
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

/* Compilers compare all bytes of a column at once, on any machine. */
typedef unsigned char column __attribute__((vector_size(16)));

/* True if 16 columns have the digits of an address behind blanks, and nothing else: what follows is *tail. */
static bool script_split_frame(const char *line, size_t len, struct span *tail, uint8_t *salt)
{
	static const column places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	const char *s = line + 1, *end = line + 17;
	uint64_t wrong[2];
	column c;

	if (len < 19 || line[0] != '\t' || line[17] != ' ')
		return false;
	while (*s == ' ')
		s++;
	if (s >= end)
		return false;
	memcpy(&c, line + 1, sizeof(c));
	c = (column)(((c - '0') < 10) | ((c - 'a') < 6)) ^ (column)(places >= (unsigned char)(s - line - 1));
	memcpy(wrong, &c, sizeof(wrong));
	if (wrong[0] | wrong[1])
		return false;
	*salt = end - s == 16 && *s >= '8' ? 2 : end - s > 1 || *s != '0';
	*tail = (struct span){line + 18, len - 18};
	return true;
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

/*
 * Reads name, offset and DSO, the text behind the address. "(dso)" is at the end, where parentheses are counted from
 * the right: a DSO may be "/bin/a (deleted)", a symbol "f(int (*)(void))".
 */
static void read_place(struct script_frame *f, uint64_t address, const char *s, const char *end)
{
	const char *c;
	int depth = 0;

	end = c = span_trim_end(s, cut_fields(s, end));
	if (end > s && end[-1] == ')')
		do {
			c--;
			if (*c == ')')
				depth++;
			else if (*c == '(')
				depth--;
		} while (depth && c > s);
	f->dso = (struct span){"", 0};
	if (c < end && !depth && (c == s || span_is_blank(c[-1]))) {
		f->dso = (struct span){c + 1, (size_t)(end - c - 2)};
		if (span_is(&f->dso, "inlined"))
			f->dso.len = 0;
		end = span_trim_end(s, c);
	} else { /* "leaf (/usr/lib/x86": a terminal or a pager cut the line */
		for (c = end, depth = 0; c - 1 > s && depth >= 0;) {
			c--;
			depth += *c == ')' ? 1 : *c == '(' ? -1 : 0;
		}
		end = depth < 0 && span_is_blank(c[-1]) ? c - 1 : end;
	}
	/* "veth_poll+0x1f" -> "veth_poll" */
	for (c = end; c > s && hex_value(c[-1]) >= 0; c--)
		;
	if (c < end && c - s > 3 && c[-1] == 'x' && c[-2] == '0' && c[-3] == '+')
		end = c - 3;
	f->name = (struct span){s, (size_t)(end - s)};
	/* The upper half of the address space is the kernel's, with any DSO name (modules, BPF programs). */
	if (address >> 63)
		f->space = span_begins(f->dso.s, f->dso.len, "[guest")       ? SPACE_GUEST_KERNEL
			   : span_begins(f->dso.s, f->dso.len, "[vsyscall]") ? SPACE_USER
									     : SPACE_KERNEL;
	else if (address && f->dso.len && *f->dso.s == '/')
		f->space = SPACE_USER;
	else
		f->space = profile_space_of_dso(f->dso.s, f->dso.len);
}

bool script_parse_frame(struct script_frame *f, const char *line, size_t len, bool strict)
{
	const char *end = line + len, *from = span_skip_blanks(line, end), *s = from;
	bool decimal = false;
	uint64_t address = 0;
	int v;

	for (; s < end && (v = hex_value(*s)) >= 0; s++) {
		address = address << 4 | (uint64_t)v;
		decimal |= v < 10;
	}
	if (s == from || (s < end && !span_is_blank(*s)) || s - from > 16) {
		if (strict || from == end)
			return false;
		s = from;
		address = 0;
	} else if (strict && s - line < 16) {
		/* The blanks in front got lost: digits that are no word such as "add" or "a", and "leaf (spin)". */
		const char *to = span_trim_end(s, cut_fields(s, end));

		if (!decimal || (s - from <= 2 && *from != '0') || to == s || to[-1] != ')' ||
		    !memmem(s, (size_t)(to - s), " (", 2))
			return false;
	}
	read_place(f, address, span_skip_blanks(s, end), end);
	f->is_bare = !f->name.len && !f->dso.len;
	if (!f->name.len)
		f->name = span_of("[unknown]");
	return true;
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
	size_t lo = 0, hi = f->spans ? f->nspans : 0, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (f->spans[mid].to_ns <= s->time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	*weight = s->period;
	if (f->spans) {
		if (lo == f->nspans || f->spans[lo].from_ns > s->time_ns)
			return false;
		*weight = f->spans[lo].part > 0 ? s->period * f->spans[lo].part : s->period;
	}
	return (f->cpu < 0 || f->cpu == s->cpu) && (f->tid < 0 || f->tid == s->tid) &&
	       (!f->not_tid || f->not_tid != s->tid);
}

/* Adds a frame to the open sample. */
static inline int push_frame(struct reader *r, uint32_t symbol)
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
	r->state = script_is_wanted(r->f, &r->sample, &r->weight) ? KEPT : DROPPED;
	if (r->state == KEPT && h->event.s) {
		bool other = r->f->event && !event_matches(r->f->event, h->event.s, h->event.len);

		events_add(other ? &r->other_events : &r->events, h->event.s, h->event.len);
		/* A profile with two events is refused at the end, so only samples of the first event are kept. */
		if (other || (r->events.n != 1 && !r->keep))
			r->state = DROPPED;
	}
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

	if (span_begins(line, len, SCRIPT_SOURCE)) {
		const char *words = line + strlen(SCRIPT_SOURCE),
			   *blank = memchr(words, ' ', len - strlen(SCRIPT_SOURCE));
		size_t n = len - strlen(SCRIPT_SOURCE), digits = strspn(words, "0123456789");
		const char *tab = memchr(words, '\t', n);

		if (blank && tab && digits && words + digits == blank && tab >= blank + 2 && !memchr(words, '\0', n)) {
			/* It is that of the innermost frame; one that stands elsewhere is noise. */
			if (r->state == KEPT && r->depth == 1 && n <= sizeof(r->source)) {
				memcpy(r->source, words, n);
				r->source_len = n;
			}
			return 0;
		}
	}
	if (script_parse_header(&h, line, len)) {
		r->headers_seen++;
		r->strange_line = 0;
		return open_sample(r, &h);
	}
	if (*line == '#')
		return 0;
	if (r->state == KEPT || r->state == DROPPED) {
		/* Below a header without an event: "2004008 cpu-clock:  1149 leaf", "cpu-clock:". */
		const char *end = line + len, *first = span_skip_word(line, end);
		const char *second = span_skip_word(span_skip_blanks(first, end), end);

		if (!r->depth && r->sample.event < 0 && (first[-1] == ':' || second[-1] == ':'))
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

static int script_read_all(struct reader *r)
{
	struct script_header h;
	char list[256], *line;
	size_t len, tabs;
	int more, err = 0;

	*r->p = (struct profile){};
	while ((more = linescan_next(r->lines, &line, &len, r->d)) > 0) {
		/* The tabs that are in front of every line, if that of the first sample has some, are no part of it. */
		if (*line == '\t' && (r->indent || (!r->headers_seen && r->state != KEPT))) {
			tabs = strspn(line, "\t");
			if (!r->indent && script_parse_header(&h, line + tabs, len - tabs) &&
			    (h.has_time || h.tid >= 0))
				r->indent = tabs;
			tabs = tabs < r->indent ? tabs : r->indent;
			line += tabs;
			len -= tabs;
		}
		if (*line == '\t')
			err = r->state == KEPT ? add_frame_line(r, line, len) : read_frame(r, line, len);
		else
			err = len ? read_other(r, line, len) : close_sample(r);
		if (err)
			break;
	}
	if (!err)
		err = more ? more : close_sample(r);
	events_list(r->events.n ? &r->events : &r->other_events, list, sizeof(list));
	if (!err && r->events.n > 1 && !r->keep)
		err = diag_set(r->d, -EINVAL, "several events, pick one: %s", list);
	if (!err && !r->events.n && r->other_events.n)
		err = diag_set(r->d, -EINVAL, "no event '%s' in the text; there is: %s", r->f->event, list);
	if (!err && r->events.n)
		memcpy(r->p->event, r->events.names[0], sizeof(r->p->event));
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

/* symbols[]: those of the samples' profile that are in p already, or UINT32_MAX; frames[]: room for a stack. */
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
		for (unsigned int n = 0; n < k->depth && !err; n++) {
			uint32_t *symbol = &symbols[from->frames[k->first + n]];
			const struct profile_symbol *y = &from->symbols[symbol - symbols];

			if (*symbol == UINT32_MAX)
				err = profile_add_symbol(p, span_of(y->name), span_of(y->dso), y->space, symbol);
			frames[n] = *symbol;
		}
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
