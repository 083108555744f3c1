// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "perfparse/events.h"
#include "perfparse/linescan.h"
#include "perfparse/script.h"
#include "perfparse/script_line.h"
#include "perfparse/symbol_cache.h"

#define DEPTH_MAX 65536u

/* The state of the reader between two lines. */
enum state {
	BETWEEN, /* outside a sample */
	STRANGE, /* after a line that is not a header; frames after it belong to a sample that cannot be read */
	KEPT,    /* in a sample that is kept */
	DROPPED, /* in a sample that the filter drops */
};

/* What one filter keeps. */
struct part {
	struct profile *p;
	const struct script_filter *f;
	struct symbol_cache cache;
	struct events events;       /* events of kept samples */
	struct events other_events; /* events that the filter dropped */
};

struct reader {
	struct part *parts, *part; /* part: of the open sample */
	size_t nparts;
	struct diag *d;
	struct linescan *lines;
	enum state state;
	double weight;    /* of the open sample */
	uint32_t *frames; /* of the open sample */
	size_t depth, cap;
	char source[512];      /* of the innermost frame */
	size_t source_len;     /* 0: no source line was seen in the open sample */
	uint64_t samples_seen; /* kept and dropped */
	uint64_t headers_seen;
	uint64_t strange_line;
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

static int script_missing(struct reader *r, const char *field)
{
	return diag_set(r->d, -EINVAL, "line %llu: no %s; run perf script with -F +%s",
			(unsigned long long)r->lines->line, field, field);
}

/*
 * 1: time, CPU and task of the sample pass the filter; 0: they do not; < 0: the text lacks one that the filter
 * needs.
 */
static int script_is_wanted(struct reader *r, const struct script_filter *f, const struct script_header *h)
{
	if (f->spans && !h->has_time)
		return script_missing(r, "time");
	if (f->cpu >= 0 && h->cpu < 0)
		return script_missing(r, "cpu");
	if (f->tid >= 0 && h->tid < 0)
		return script_missing(r, "tid");
	return (!f->spans || find_span(f, h->time_ns)) && (f->cpu < 0 || f->cpu == h->cpu) &&
	       (f->tid < 0 || f->tid == h->tid) && (!f->not_tid || f->not_tid != h->tid);
}

/* A profile with two events is refused at the end, so only samples of the first event are kept. */
static bool event_is_wanted(struct part *part, const struct script_header *h)
{
	if (!h->event)
		return true;
	if (part->f->event && !event_matches(part->f->event, h->event, h->event_len)) {
		events_add(&part->other_events, h->event, h->event_len);
		return false;
	}
	events_add(&part->events, h->event, h->event_len);
	return part->events.n == 1;
}

/* Adds a frame to the open sample. */
static int push_frame(struct reader *r, uint32_t symbol)
{
	if (r->depth == DEPTH_MAX)
		return diag_set(r->d, -EINVAL, "line %llu: a stack deeper than %u frames",
				(unsigned long long)r->lines->line, DEPTH_MAX);
	if (!array_grow(&r->frames, &r->cap, r->depth, 1, sizeof(*r->frames)))
		return diag_set(r->d, -ENOMEM, "out of memory");
	r->frames[r->depth++] = symbol;
	return 0;
}

static int script_add_frame(struct reader *r, const struct script_frame *f)
{
	uint32_t symbol;
	int err;

	err = profile_add_symbol(r->part->p, f->name, f->name_len, f->dso, f->dso_len, f->space, &symbol);
	if (err)
		return diag_set(r->d, err, "out of memory");
	return push_frame(r, symbol);
}

/* Adds the frame in line. Most texts behind an address were seen before, so the cache is asked first. */
static int add_frame_line(struct reader *r, const char *line, size_t len)
{
	struct script_frame frame;
	const char *tail;
	size_t tail_len;
	uint32_t symbol;
	uint64_t hash;
	uint8_t salt;
	bool regular;
	int err;

	regular = script_split_frame(line, len, &tail, &tail_len, &salt);
	if (regular) {
		symbol = symbol_cache_get(&r->part->cache, tail, tail_len, salt, &hash);
		if (symbol != SYMBOL_CACHE_NONE)
			return push_frame(r, symbol);
	}
	if (!script_parse_frame(&frame, line, len, false))
		return 0;
	err = script_add_frame(r, &frame);
	if (!err && regular)
		symbol_cache_put(&r->part->cache, tail, tail_len, salt, hash, r->frames[r->depth - 1]);
	return err;
}

static int close_sample(struct reader *r)
{
	static const struct script_frame unknown = {"[unknown]", "", 9, 0, SPACE_UNKNOWN};
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
	err = profile_add_stack(r->part->p, r->frames, (unsigned int)r->depth, 1, r->weight);
	if (!err && r->source_len)
		err = profile_add_line(r->part->p, r->frames[0], r->source, r->source_len, r->weight);
	return err ? diag_set(r->d, err, "out of memory") : 0;
}

static int open_sample(struct reader *r, const struct script_header *h)
{
	struct script_frame frame;
	int err = close_sample(r), wanted = 0;

	if (err)
		return err;
	r->samples_seen++;
	r->depth = r->source_len = 0;
	r->weight = h->period;
	for (size_t i = 0; i < r->nparts && !wanted; i++) {
		r->part = &r->parts[i];
		wanted = script_is_wanted(r, r->part->f, h);
	}
	if (wanted < 0)
		return wanted;
	if (wanted && r->part->f->spans && find_span(r->part->f, h->time_ns)->part > 0)
		r->weight *= find_span(r->part->f, h->time_ns)->part;
	r->state = wanted && event_is_wanted(r->part, h) ? KEPT : DROPPED;
	if (r->state == KEPT)
		r->part->p->weightless |= !h->has_period;
	if (r->state == KEPT && h->rest_len && script_parse_frame(&frame, h->rest, h->rest_len, true))
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

/* Keeps the source line of the innermost frame; one that stands elsewhere is noise. */
static void take_source(struct reader *r, const char *words, size_t len)
{
	if (r->state != KEPT || r->depth != 1 || len > sizeof(r->source))
		return;
	memcpy(r->source, words, len);
	r->source_len = len;
}

/* Reads a line that is not empty and does not begin with a tab: a header, a frame that lost its tab, or noise. */
static int read_other(struct reader *r, const char *line, size_t len)
{
	struct script_header h;
	struct script_frame frame;
	size_t words_len;
	const char *words = script_source(line, len, &words_len);

	if (words) {
		take_source(r, words, words_len);
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
		if (script_parse_frame(&frame, line, len, true))
			return read_frame(r, line, len);
		return 0; /* a source line under its frame, or noise */
	}
	r->state = STRANGE;
	r->strange_line = r->lines->line;
	return 0;
}

static int read_lines_of_script(struct reader *r)
{
	char *line;
	size_t len;
	int more, err;

	while ((more = linescan_next(r->lines, &line, &len, r->d)) > 0) {
		if (!len)
			err = close_sample(r);
		else if (*line == '\t')
			err = read_frame(r, line, len);
		else
			err = read_other(r, line, len);
		if (err)
			return err;
	}
	return more ? more : close_sample(r);
}

static int check_events(struct reader *r, const struct part *part)
{
	char list[256];

	events_list(part->events.n ? &part->events : &part->other_events, list, sizeof(list));
	if (part->events.n > 1)
		return diag_set(r->d, -EINVAL, "several events, pick one: %s", list);
	if (!part->events.n && part->other_events.n)
		return diag_set(r->d, -EINVAL, "no event '%s' in the text; there is: %s", part->f->event, list);
	if (part->events.n)
		memcpy(part->p->event, part->events.names[0], sizeof(part->p->event));
	return 0;
}

static int read_samples(struct reader *r)
{
	int err = read_lines_of_script(r);

	for (size_t i = 0; i < r->nparts && !err; i++)
		err = check_events(r, &r->parts[i]);
	if (!err && !r->samples_seen)
		err = diag_set(r->d, -EINVAL,
			       r->lines->line ? "no samples; this is not the text of perf script"
					      : "the input is empty");
	return err;
}

int script_read_each(struct profile *p, struct linescan *lines, const struct script_filter *f, size_t n, struct diag *d)
{
	struct reader r = {.parts = calloc(n, sizeof(*r.parts)), .nparts = n, .d = d, .lines = lines};
	int err;

	for (size_t i = 0; i < n; i++) {
		profile_init(&p[i]);
		if (r.parts)
			r.parts[i].p = &p[i], r.parts[i].f = &f[i];
	}
	err = r.parts ? read_samples(&r) : diag_set(d, -ENOMEM, "out of memory");
	free(r.frames);
	free(r.parts);
	for (size_t i = 0; i < n && err; i++)
		profile_release(&p[i]);
	return err;
}

int script_read_lines(struct profile *p, struct linescan *lines, const struct script_filter *f, struct diag *d)
{
	return script_read_each(p, lines, f, 1, d);
}

int script_read(struct profile *p, FILE *in, const struct script_filter *f, struct diag *d)
{
	struct linescan lines;
	int err;

	linescan_init(&lines, in);
	err = script_read_lines(p, &lines, f, d);
	linescan_release(&lines);
	return err;
}
