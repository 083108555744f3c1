// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

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
