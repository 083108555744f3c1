// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/triggers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/stats.h"

#define OCTAVES   8      /* of packets per poll: 1, 2-3, ..., 128 and more */
#define TO_SIGMA  1.4826 /* of the median absolute deviation of a normal distribution */
#define BLANKS    " \t\r\n"
#define LINE_MOST 256

static const char *const measures[] = {"losses",        "squeezed",         "backlog_drops", "pps",
				       "ns_per_packet", "packets_per_poll", "empty_pct",     "full_pct",
				       "busy_pct",      "queue_pct",        "programs",      NULL};

static const char default_text[] = "drops    losses > 0\n"
				   "backlog  backlog_drops > 0\n"
				   "squeezes squeezed > 0 for 3s\n"
				   "dear     ns_per_packet > learnt for 3s\n"
				   "slow     pps < 20% for 3s\n"
				   "programs programs > 0\n";

/* What was measured of a device; ns_per_packet in the octave of its packets per poll. */
struct series {
	double values[TRIGGER_LEARN];
	size_t n, next;
};

struct trigger_past {
	uint64_t since_ns;
	struct series of[TRIGGER_MEASURES], ns[OCTAVES];
};

void triggers_release(struct triggers *t)
{
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		free(t->past[slot]);
	*t = (struct triggers){};
}

/* ---- the text ------------------------------------------------------------------------------------------------- */

static int measure_of(const char *word)
{
	for (int i = 0; measures[i]; i++)
		if (!strcmp(measures[i], word))
			return i;
	return -1;
}

static int take_threshold(struct trigger *t, const char *word)
{
	const char *rest;

	if (!strcmp(word, "learnt")) {
		t->kind = TRIGGER_LEARNT;
		return 0;
	}
	if (number_typed(word, &t->threshold, &rest) || t->threshold < 0)
		return -EINVAL;
	t->kind = *rest == '%' ? TRIGGER_PERCENT : TRIGGER_NUMBER;
	return rest[*rest == '%'] ? -EINVAL : 0;
}

/* "3s" */
static int take_time(struct trigger *t, const char *word)
{
	const char *rest;

	return number_typed(word, &t->for_s, &rest) || strcmp(rest, "s") || !(t->for_s >= 0 && t->for_s <= 3600)
		       ? -EINVAL
		       : 0;
}

static int take_line(struct triggers *t, char *line, const char *path, int number, struct diag *d)
{
	char *words[7], *rest = NULL;
	struct trigger new = {.for_s = 0};
	int n = 0, measure;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, BLANKS, &rest); w && n < 7; w = strtok_r(NULL, BLANKS, &rest))
		words[n++] = w;
	if (!n)
		return 0;
	measure = n > 1 ? measure_of(words[1]) : -1;
	if (n > 1 && measure < 0)
		return diag_set(d, -EINVAL, "%s: line %d: %.32s is nothing that is measured", path, number, words[1]);
	if ((n != 4 && n != 6) || strlen(words[0]) >= sizeof(new.name) ||
	    (strcmp(words[2], ">") && strcmp(words[2], "<")) || take_threshold(&new, words[3]) ||
	    (n == 6 && (strcmp(words[4], "for") || take_time(&new, words[5]))))
		return diag_set(d, -EINVAL,
				"%s: line %d: a trigger is NAME MEASURE > THRESHOLD, or <, and perhaps \"for 3s\"; a "
				"threshold is a number, N%%, or learnt",
				path, number);
	if (t->n == TRIGGERS_MAX)
		return diag_set(d, -EINVAL, "%s: line %d: more than %d triggers", path, number, TRIGGERS_MAX);
	strcpy(new.name, words[0]);
	new.measure = (enum trigger_measure)measure;
	new.below = *words[2] == '<';
	t->list[t->n++] = new;
	return 0;
}

int triggers_read(struct triggers *t, const char *path, struct diag *d)
{
	FILE *f = path ? fopen(path, "re") : fmemopen((void *)default_text, strlen(default_text), "r");
	char line[LINE_MOST];
	int err = 0;

	if (!f)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	for (int number = 1; !err && fgets(line, sizeof(line), f); number++) {
		if (strlen(line) == sizeof(line) - 1)
			err = diag_set(d, -EINVAL, "%s: line %d is too long", path, number);
		else
			err = take_line(t, line, path, number, d);
	}
	if (!err && ferror(f))
		err = diag_set(d, -EIO, "%s cannot be read", path);
	fclose(f);
	if (!err && !t->n)
		err = diag_set(d, -EINVAL, "%s holds no trigger", path);
	return err;
}

/* ---- what is usual -------------------------------------------------------------------------------------------- */

static int octave_of(double packets_per_poll)
{
	int octave = packets_per_poll >= 1 ? (int)log2(packets_per_poll) : 0;

	return octave < OCTAVES ? octave : OCTAVES - 1;
}

static struct series *series_of(struct trigger_past *p, enum trigger_measure m, double packets_per_poll)
{
	return m == TRIGGER_NS ? &p->ns[octave_of(packets_per_poll)] : &p->of[m];
}

/* Median and scatter; false: too little is known. */
static bool usual(const struct series *s, double *median, double *scatter)
{
	double sorted[TRIGGER_LEARN];

	if (s->n < TRIGGER_ENOUGH)
		return false;
	memcpy(sorted, s->values, s->n * sizeof(*sorted));
	*median = stats_median(sorted, s->n);
	for (size_t i = 0; i < s->n; i++)
		sorted[i] = fabs(s->values[i] - *median);
	*scatter = TO_SIGMA * stats_median(sorted, s->n);
	return true;
}

static void learn(struct triggers *t, const struct trigger_values *v)
{
	struct trigger_past *p = t->past[v->slot];

	for (int m = 0; m < TRIGGER_MEASURES; m++) {
		struct series *s = series_of(p, m, v->values[TRIGGER_PER_POLL]);

		if (isnan(v->values[m]))
			continue;
		s->values[s->next] = v->values[m];
		s->next = (s->next + 1) % TRIGGER_LEARN;
		s->n += s->n < TRIGGER_LEARN;
	}
}

/* ---- conditions ----------------------------------------------------------------------------------------------- */

/* Fills the limit that the value has to pass; false: it is not known. */
static bool limit_of(const struct triggers *t, const struct trigger *one, const struct trigger_values *v, double *limit)
{
	double median, scatter;

	*limit = one->threshold;
	if (one->kind == TRIGGER_NUMBER)
		return true;
	if (!usual(series_of(t->past[v->slot], one->measure, v->values[TRIGGER_PER_POLL]), &median, &scatter))
		return false;
	*limit = one->kind == TRIGGER_PERCENT ? median * one->threshold / 100
					      : median + (one->below ? -1 : 1) * TRIGGER_FAR * scatter;
	return true;
}

/* Returns whether it came true with this interval. */
static bool came_true(const struct triggers *t, struct trigger *one, const struct trigger_values *v, double *limit)
{
	double value = v->values[one->measure];
	bool holds = limit_of(t, one, v, limit) && (one->below ? value < *limit : value > *limit);

	if (!holds) {
		one->held_s[v->slot] = 0;
		one->fired[v->slot] = false;
		return false;
	}
	one->held_s[v->slot] += v->seconds;
	/* An interval may be a little shorter than it was to be. */
	if (one->fired[v->slot] || one->held_s[v->slot] < 0.95 * one->for_s)
		return false;
	one->fired[v->slot] = true;
	return true;
}

/* Another device has the slot. */
static void triggers_forget(struct triggers *t, const struct trigger_values *v)
{
	memset(t->past[v->slot], 0, sizeof(*t->past[v->slot]));
	t->past[v->slot]->since_ns = v->since_ns;
	for (size_t i = 0; i < t->n; i++) {
		t->list[i].held_s[v->slot] = 0;
		t->list[i].fired[v->slot] = false;
	}
}

const struct trigger *triggers_judge(struct triggers *t, const struct trigger_values *v, char *words, size_t size)
{
	const struct trigger *first = NULL;
	bool held = false;
	double limit;

	if (!t->past[v->slot])
		t->past[v->slot] = calloc(1, sizeof(*t->past[v->slot]));
	if (!t->past[v->slot])
		return NULL;
	if (t->past[v->slot]->since_ns != v->since_ns)
		triggers_forget(t, v);
	for (size_t i = 0; i < t->n; i++) {
		struct trigger *one = &t->list[i];

		if (came_true(t, one, v, &limit) && !first) {
			first = one;
			snprintf(words, size, "%s: %s is %.6g, %s %.6g", one->name, measures[one->measure],
				 v->values[one->measure], one->below ? "below" : "above", limit);
		}
		held |= one->held_s[v->slot] > 0;
	}
	if (!held)
		learn(t, v);
	return first;
}
