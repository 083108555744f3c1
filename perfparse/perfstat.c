// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/number.h"
#include "perfparse/perfstat.h"

#define COUNTS_MAX 16384u

void perfstat_init(struct perfstat *s)
{
	memset(s, 0, sizeof(*s));
	s->elapsed_s = NAN;
}

void perfstat_release(struct perfstat *s)
{
	free(s->counts);
	perfstat_init(s);
}

void perfstat_line_init(struct perfstat_line *l)
{
	memset(l, 0, sizeof(*l));
	l->interval_s = NAN;
	l->count.value = l->count.variance_pct = l->count.metric = l->count.runtime_ns = NAN;
	l->count.running_pct = 100;
}

static void copy(char *to, size_t size, const char *s, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, s, len);
	to[len] = '\0';
}

/* Returns the end of the name in "cycles [cpu_core]". */
static const char *cut_pmu(struct perfstat_count *c, const char *s, const char *end)
{
	const char *open = end > s && end[-1] == ']' ? memrchr(s, '[', (size_t)(end - s)) : NULL;

	if (!open || open == s || open[-1] != ' ')
		return end;
	copy(c->pmu, sizeof(c->pmu), open + 1, (size_t)(end - open - 2));
	return open - 1;
}

/* "cpu_core/cycles/k", "cpu_core/cycles:k/", "cycles:k", "cycles:k [cpu_core]" */
void perfstat_count_set_event(struct perfstat_count *c, const char *s, size_t len)
{
	const char *end = s + len, *open, *close, *colon;

	copy(c->event, sizeof(c->event), s, len);
	c->pmu[0] = c->modifiers[0] = '\0';
	end = cut_pmu(c, s, end);
	open = memchr(s, '/', (size_t)(end - s));
	close = open ? memchr(open + 1, '/', (size_t)(end - open - 1)) : NULL;
	if (close) {
		copy(c->pmu, sizeof(c->pmu), s, (size_t)(open - s));
		colon = close + 1 < end && close[1] == ':' ? close + 2 : close + 1;
		copy(c->modifiers, sizeof(c->modifiers), colon, (size_t)(end - colon));
		s = open + 1;
		end = close;
	}
	/*
	 * Modifiers follow the last colon. A tracepoint ("napi:napi_poll") has a colon without modifiers behind
	 * it.
	 */
	colon = memrchr(s, ':', (size_t)(end - s));
	if (colon && end - colon <= 6 && strspn(colon + 1, "ukhGHpPSDeWIb") >= (size_t)(end - colon - 1)) {
		copy(c->modifiers, sizeof(c->modifiers), colon + 1, (size_t)(end - colon - 1));
		end = colon;
	}
	copy(c->name, sizeof(c->name), s, (size_t)(end - s));
}

struct reader {
	struct perfstat *s;
	struct diag *d;
	char separator;
	unsigned int outputs;
	double first_interval_s, last_interval_s; /* time stamps of -I; NaN: none */
	size_t intervals;
};

static struct perfstat_count *find(const struct perfstat *s, const struct perfstat_count *c)
{
	size_t i;

	for (i = 0; i < s->ncounts; i++)
		if (!strcmp(s->counts[i].event, c->event) && !strcmp(s->counts[i].place, c->place))
			return &s->counts[i];
	return NULL;
}

/* Adds a later interval of the same count. Where one interval was not counted, the sum is not counted. */
static void add_interval(struct perfstat_count *to, const struct perfstat_count *c)
{
	if (c->state != PERFSTAT_COUNTED || to->state != PERFSTAT_COUNTED) {
		to->state = to->state != PERFSTAT_COUNTED ? to->state : c->state;
		to->value = NAN;
		return;
	}
	to->value += c->value;
	to->runtime_ns += c->runtime_ns;
	to->running_pct = fmin(to->running_pct, c->running_pct);
	to->metric = NAN;
}

static int add(struct reader *r, const struct perfstat_line *l)
{
	struct perfstat_count *have = find(r->s, &l->count);

	if (have && isnan(l->interval_s))
		return diag_set(r->d, -EINVAL, "%s appears twice; this is more than one output of perf stat",
				l->count.event);
	if (l->count.running_pct > 100)
		return diag_set(r->d, -EINVAL, "%s was counted in %g %% of the time; no more than 100 %% can be",
				l->count.event, l->count.running_pct);
	if (!isnan(l->interval_s) && l->interval_s != r->last_interval_s) {
		if (!r->intervals++)
			r->first_interval_s = l->interval_s;
		r->last_interval_s = l->interval_s;
	}
	if (have) {
		add_interval(have, &l->count);
		return 0;
	}
	if (r->s->ncounts == COUNTS_MAX)
		return diag_set(r->d, -EINVAL, "more than %u counts", COUNTS_MAX);
	if (!array_grow(&r->s->counts, &r->s->cap, r->s->ncounts, 1, sizeof(*r->s->counts)))
		return diag_set(r->d, -ENOMEM, "out of memory");
	r->s->counts[r->s->ncounts++] = l->count;
	return 0;
}

/* "Performance counter stats for 'sleep 1' (4 runs):" */
static bool read_title(struct reader *r, const char *line, size_t len)
{
	const char *end = line + len, *open;
	double runs;

	if (!memmem(line, len, "Performance counter stats for", 29))
		return false;
	r->outputs++;
	open = memrchr(line, '(', len);
	if (open && number_read_decimal(open + 1, end, &runs) && runs < 1e9 &&
	    memmem(open, (size_t)(end - open), " run", 4))
		r->s->runs = (unsigned int)runs;
	return true;
}

/*
 * "33.004738330 seconds time elapsed", "0.0510533 +- 0.0000270 seconds time elapsed"; "user" and "sys" are
 * ignored.
 */
static bool read_seconds(struct reader *r, const char *line, size_t len)
{
	double v;

	if (!memmem(line, len, " seconds ", 9))
		return false;
	if (memmem(line, len, "time elapsed", 12) && number_read_grouped(line, line + len, &v))
		r->s->elapsed_s = v;
	return true;
}

static int read_line(struct reader *r, const char *line, size_t len)
{
	struct perfstat_line l;
	const char *s = line;
	int found;

	while (len && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	if (!len || *s == '#' || read_title(r, s, len) || read_seconds(r, s, len))
		return 0;
	perfstat_line_init(&l);
	if (*s == '{')
		found = perfstat_line_read_json(&l, s, len, r->d);
	else
		found = perfstat_line_read_fields(&l, s, len, r->separator, r->d);
	if (!found)
		found = perfstat_line_read_text(&l, s, len, r->d);
	return found > 0 ? add(r, &l) : found;
}

static int read_lines(struct reader *r, struct linescan *lines)
{
	char *line;
	size_t len;
	int more, err;

	while ((more = linescan_next(lines, &line, &len, r->d)) > 0) {
		err = read_line(r, line, len);
		if (err)
			return err;
		if (r->outputs > 1)
			return diag_set(r->d, -EINVAL, "line %llu: a second output of perf stat; give one at a time",
					(unsigned long long)lines->line);
	}
	return more;
}

/*
 * The time that the listed intervals took. Stamps of -I count from perf's start, so a text that begins in the middle
 * begins one interval before its first stamp. An interval is as long as the way from one stamp to the next. A first
 * stamp of less than one and a half intervals is that of perf's first interval. One stamp alone may be of any: NaN.
 */
static double elapsed_of_intervals(const struct reader *r)
{
	double step = r->intervals > 1 ? (r->last_interval_s - r->first_interval_s) / (double)(r->intervals - 1) : NAN;

	if (isnan(step))
		return NAN;
	return r->first_interval_s < 1.5 * step ? r->last_interval_s : r->last_interval_s - r->first_interval_s + step;
}

int perfstat_read(struct perfstat *s, struct linescan *lines, char separator, struct diag *d)
{
	struct reader r = {.s = s, .d = d, .separator = separator};
	int err;

	r.last_interval_s = NAN;
	perfstat_init(s);
	err = read_lines(&r, lines);
	if (!err && r.intervals)
		s->elapsed_s = elapsed_of_intervals(&r);
	if (!err && !s->ncounts)
		err = diag_set(d, -EINVAL, "no counts; this is not the text of perf stat");
	if (err)
		perfstat_release(s);
	return err;
}

double perfstat_ipc(const struct perfstat *s, const struct perfstat_count *instructions)
{
	const struct perfstat_count *c;
	size_t i;

	if (strcmp(instructions->name, "instructions") || instructions->state != PERFSTAT_COUNTED)
		return NAN;
	for (i = 0; i < s->ncounts; i++) {
		c = &s->counts[i];
		if ((!strcmp(c->name, "cycles") || !strcmp(c->name, "cpu-cycles")) && c->state == PERFSTAT_COUNTED &&
		    c->value > 0 && !strcmp(c->pmu, instructions->pmu) &&
		    !strcmp(c->modifiers, instructions->modifiers) && !strcmp(c->place, instructions->place))
			return instructions->value / c->value;
	}
	return NAN;
}
