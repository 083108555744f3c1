// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "perfparse/linescan.h"
#include "perfparse/script.h"
#include "perfparse/script_line.h"

#define DEPTH_MAX  65536u
#define EVENTS_MAX 16

/* Where the reader stands between two lines. */
enum state {
	BETWEEN, /* no sample open */
	STRANGE, /* behind a line that is no header; frames behind it would be a sample we cannot
		    read */
	KEPT,	 /* in a sample */
	DROPPED, /* in a sample that the filter takes out */
};

struct reader {
	struct profile *p;
	const struct script_filter *f;
	struct diag *d;
	struct linescan lines;
	enum state state;
	double weight;	  /* of the open sample */
	uint32_t *frames; /* of the open sample */
	unsigned int depth, cap;
	uint64_t samples_seen; /* kept or not */
	uint64_t headers_seen;
	uint64_t strange_line;
	char events[EVENTS_MAX][64];
	unsigned int nevents;
};

static int in_spans(const struct script_filter *f, uint64_t time_ns)
{
	size_t lo = 0, hi = f->nspans, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (f->spans[mid].to_ns <= time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->nspans && f->spans[lo].from_ns <= time_ns;
}

static int missing(struct reader *r, const char *field)
{
	return diag_set(r->d, -EINVAL, "line %llu: no %s; run perf script with -F +%s",
			(unsigned long long)r->lines.line, field, field);
}

/* 1: the sample is inside time, CPU and task of the filter; 0: outside; < 0: the text does not say.
 */
static int is_wanted(struct reader *r, const struct script_header *h)
{
	const struct script_filter *f = r->f;

	if (f->spans && !h->has_time)
		return missing(r, "time");
	if (f->cpu >= 0 && h->cpu < 0)
		return missing(r, "cpu");
	if (f->tid >= 0 && h->tid < 0)
		return missing(r, "tid");
	return (!f->spans || in_spans(f, h->time_ns)) && (f->cpu < 0 || f->cpu == h->cpu) &&
	       (f->tid < 0 || f->tid == h->tid);
}

static bool same_text(const char *s, const char *t, size_t t_len)
{
	return strlen(s) == t_len && !memcmp(s, t, t_len);
}

/* "cycles" picks "cycles" and "cycles:k". */
static bool event_matches(const char *want, const char *event, size_t len)
{
	size_t n = strlen(want);

	return len >= n && !memcmp(want, event, n) && (len == n || event[n] == ':');
}

static void note_event(struct reader *r, const char *event, size_t len)
{
	unsigned int i;

	if (len >= sizeof(r->events[0]))
		len = sizeof(r->events[0]) - 1;
	for (i = 0; i < r->nevents; i++)
		if (same_text(r->events[i], event, len))
			return;
	if (r->nevents == EVENTS_MAX)
		return;
	memcpy(r->events[r->nevents], event, len);
	r->events[r->nevents++][len] = '\0';
}

/* With two events the profile is void, so only the first one's samples are worth keeping. */
static bool event_is_wanted(struct reader *r, const struct script_header *h)
{
	if (!h->event)
		return true;
	if (r->f->event && !event_matches(r->f->event, h->event, h->event_len))
		return false;
	note_event(r, h->event, h->event_len);
	return r->nevents == 1;
}

static int add_frame(struct reader *r, const struct script_frame *f)
{
	uint32_t *frames;
	int err;

	if (r->depth == DEPTH_MAX)
		return diag_set(r->d, -EINVAL, "line %llu: a stack deeper than %u frames",
				(unsigned long long)r->lines.line, DEPTH_MAX);
	if (r->depth == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 128;
		frames = realloc(r->frames, r->cap * sizeof(*frames));
		if (!frames)
			return diag_set(r->d, -ENOMEM, "out of memory");
		r->frames = frames;
	}
	err = profile_add_symbol(r->p, f->name, f->name_len, f->dso, f->dso_len, f->space,
				 &r->frames[r->depth]);
	if (err)
		return diag_set(r->d, err, "out of memory");
	r->depth++;
	return 0;
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
		err = add_frame(r, &unknown);
		if (err)
			return err;
	}
	err = profile_add_stack(r->p, r->frames, r->depth, 1, r->weight);
	return err ? diag_set(r->d, err, "out of memory") : 0;
}

static int open_sample(struct reader *r, const struct script_header *h)
{
	struct script_frame frame;
	int err = close_sample(r);

	if (err)
		return err;
	r->samples_seen++;
	r->depth = 0;
	r->weight = h->period;
	err = is_wanted(r, h);
	if (err < 0)
		return err;
	r->state = err && event_is_wanted(r, h) ? KEPT : DROPPED;
	if (r->state == KEPT && script_parse_frame(&frame, h->rest, h->rest_len, true))
		return add_frame(r, &frame);
	return 0;
}

static int read_frame(struct reader *r, const char *line, size_t len)
{
	static const struct script_header bare = {.tid = -1, .cpu = -1, .period = 1};
	struct script_frame frame;
	int err;

	if (r->state == DROPPED)
		return 0;
	if (r->state != KEPT) {
		/* Without comm, tid, cpu, time, event there is nothing before the frames of a
		 * sample. */
		if (r->headers_seen)
			return diag_set(r->d, -EINVAL,
					"line %llu: frames without a sample header before them",
					(unsigned long long)(r->strange_line ? r->strange_line
									     : r->lines.line));
		err = open_sample(r, &bare);
		if (err || r->state == DROPPED)
			return err;
	}
	return script_parse_frame(&frame, line, len, false) ? add_frame(r, &frame) : 0;
}

/* A line that begins with neither a tab nor nothing: a header, a frame pasted without its tab, or
 * noise. */
static int read_other(struct reader *r, const char *line, size_t len)
{
	struct script_header h;
	struct script_frame frame;

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
	r->strange_line = r->lines.line;
	return 0;
}

static int read_lines(struct reader *r)
{
	char *line;
	size_t len;
	int more, err;

	while ((more = linescan_next(&r->lines, &line, &len, r->d)) > 0) {
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

static int check_events(struct reader *r)
{
	char list[512] = "";
	unsigned int i;

	if (r->nevents < 2)
		return 0;
	for (i = 0; i < r->nevents && strlen(list) + sizeof(r->events[i]) + 3 < sizeof(list); i++) {
		strcat(list, i ? ", " : "");
		strcat(list, r->events[i]);
	}
	return diag_set(r->d, -EINVAL, "several events, pick one: %s", list);
}

int script_read(struct profile *p, FILE *in, const struct script_filter *f, struct diag *d)
{
	struct reader r = {.p = p, .f = f, .d = d};
	int err;

	profile_init(p);
	linescan_init(&r.lines, in);
	err = read_lines(&r);
	if (!err)
		err = check_events(&r);
	if (!err && !r.samples_seen)
		err = diag_set(d, -EINVAL,
			       r.lines.line ? "no samples; this is not the text of perf script"
					    : "the input is empty");
	if (!err && r.nevents)
		memcpy(p->event, r.events[0], sizeof(p->event));
	linescan_release(&r.lines);
	free(r.frames);
	if (err)
		profile_release(p);
	return err;
}
