// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/datajson.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/number.h"
#include "base/span.h"
#include "perfparse/events.h"

#define NAME_BYTES 512
#define DEPTH_MAX  4096

/* A frame that is being read, and what it has of strings. */
struct frame {
	char ip[32], symbol[NAME_BYTES], dso[NAME_BYTES];
	bool open;
};

struct reader {
	struct profile *p;
	const struct script_filter *f;
	struct diag *d;
	struct events events; /* of perf's command line */
	bool in_command, wants_event, in_samples;
	struct frame frame;
	uint32_t *frames; /* of the sample that is being read, leaf first */
	size_t depth, cap;
	double tid, cpu; /* of that sample; -1: not told */
};

bool datajson_is(const char *text, size_t len)
{
	const char *end = text + len, *s = text;

	while (s < end && (span_is_blank(*s) || *s == '\n' || *s == '\r'))
		s++;
	return s < end && *s == '{' && memmem(s, (size_t)(end - s), "\"linux-perf-json-version\"", 25);
}

/* The text between quotation marks, with its escapes undone. NULL: there is none; else behind its end. */
static const char *read_string(const char *s, const char *end, char *to, size_t size)
{
	size_t n = 0;

	if (s == end || *s++ != '"')
		return NULL;
	for (; s < end && *s != '"'; s++) {
		s += *s == '\\' && s + 1 < end;
		if (n + 1 < size)
			to[n++] = *s;
	}
	to[n] = '\0';
	return s < end ? s + 1 : NULL;
}

static int datajson_no_memory(struct reader *r)
{
	return diag_set(r->d, -ENOMEM, "out of memory");
}

/* A frame is complete when the next one begins, or its sample ends. */
static int close_frame(struct reader *r)
{
	struct frame *f = &r->frame;
	const char *name = *f->symbol ? f->symbol : f->ip;
	enum profile_space space = profile_space_of_dso(f->dso, strlen(f->dso));
	uint32_t symbol;

	if (!f->open)
		return 0;
	f->open = false;
	if (space == SPACE_USER && strlen(f->ip) == 18 && !strncmp(f->ip, "0xffff", 6))
		space = SPACE_KERNEL;
	if (r->depth == DEPTH_MAX)
		return 0;
	if (profile_add_symbol(r->p, name, strlen(name), f->dso, strlen(f->dso), space, &symbol) ||
	    !array_grow(&r->frames, &r->cap, r->depth, 1, sizeof(*r->frames)))
		return datajson_no_memory(r);
	r->frames[r->depth++] = symbol;
	return 0;
}

static int datajson_close_sample(struct reader *r)
{
	bool wanted = (r->f->cpu < 0 || r->cpu == r->f->cpu) && (r->f->tid < 0 || r->tid == r->f->tid);
	int err = close_frame(r);

	if (!err && r->depth && wanted && profile_add_stack(r->p, r->frames, (unsigned int)r->depth, 1, 1))
		err = datajson_no_memory(r);
	r->depth = 0;
	r->tid = r->cpu = -1;
	return err;
}

/* A word of perf's command line: the events are behind -e or --event. */
static void read_word(struct reader *r, const char *s, const char *end)
{
	char word[NAME_BYTES];

	if (!read_string(s, end, word, sizeof(word)))
		return;
	if (r->wants_event)
		events_add_list(&r->events, word, word + strlen(word));
	r->wants_event = !strcmp(word, "-e") || !strcmp(word, "--event");
	if (!strncmp(word, "--event=", 8))
		events_add_list(&r->events, word + 8, word + strlen(word));
	else if (!strncmp(word, "-e", 2) && word[2])
		events_add_list(&r->events, word + 2, word + strlen(word));
}

static int read_member(struct reader *r, const char *key, const char *s, const char *end)
{
	if (!strcmp(key, "cmdline"))
		r->in_command = true;
	else if (!strcmp(key, "samples"))
		r->in_samples = true;
	if (!r->in_samples)
		return 0;
	if (!strcmp(key, "timestamp"))
		return datajson_close_sample(r);
	if (!strcmp(key, "tid"))
		number_read_decimal(s, end, &r->tid);
	else if (!strcmp(key, "cpu"))
		number_read_decimal(s, end, &r->cpu);
	else if (!strcmp(key, "symbol") && r->frame.open)
		read_string(s, end, r->frame.symbol, sizeof(r->frame.symbol));
	else if (!strcmp(key, "dso") && r->frame.open)
		read_string(s, end, r->frame.dso, sizeof(r->frame.dso));
	else if (!strcmp(key, "ip")) {
		if (close_frame(r))
			return -ENOMEM;
		r->frame = (struct frame){.open = true};
		read_string(s, end, r->frame.ip, sizeof(r->frame.ip));
	}
	return 0;
}

static int datajson_read_line(struct reader *r, const char *line, size_t len)
{
	const char *end = line + len, *s = span_skip_blanks(line, end), *value;
	char key[64];

	if (r->in_command && s < end && *s == '"') {
		read_word(r, s, end);
		return 0;
	}
	r->in_command = false;
	value = read_string(s, end, key, sizeof(key));
	if (!value || value == end || *value != ':')
		return 0;
	return read_member(r, key, span_skip_blanks(value + 1, end), end);
}

static int datajson_check(struct reader *r)
{
	const char *event = r->events.n ? r->events.names[0] : ""; /* without -e perf record takes cycles, or a clock */
	char list[256];

	events_list(&r->events, list, sizeof(list));
	if (r->events.n > 1)
		return diag_set(r->d, -EINVAL,
				"its samples do not tell which of the events %s they are; use perf script", list);
	if (r->f->event && !event_matches(r->f->event, event, strlen(event)))
		return diag_set(r->d, -EINVAL, "no event '%s' in the text; there is: %s", r->f->event,
				*event ? event : "one without a name");
	if (!r->p->nstacks)
		return diag_set(r->d, -EINVAL, "no samples");
	memcpy(r->p->event, event, strlen(event) + 1);
	r->p->weightless = true;
	return 0;
}

int datajson_read(struct profile *p, struct linescan *lines, const struct script_filter *f, struct diag *d)
{
	struct reader r = {.p = p, .f = f, .d = d, .tid = -1, .cpu = -1};
	int more, err = 0;
	char *line;
	size_t len;

	profile_init(p);
	while (!err && (more = linescan_next(lines, &line, &len, d)) > 0)
		err = datajson_read_line(&r, line, len);
	if (!err)
		err = more ?: datajson_close_sample(&r) ?: datajson_check(&r);
	free(r.frames);
	if (err)
		profile_release(p);
	return err;
}
