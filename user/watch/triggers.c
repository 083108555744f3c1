// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define OCTAVES   8      /* of packets per poll: 1, 2-3, ..., 128 and more */
#define TO_SIGMA  1.4826 /* of the median absolute deviation of a normal distribution */
#define BLANKS    " \t\r\n"
#define LINE_MOST 256

/* What a measure is in an object of watch: a member, or a member by another one, times a number. */
static const struct measure {
	const char *word, *of, *per;
	double times;
} measures[TRIGGER_MEASURES] = {
	[TRIGGER_LOSSES] = {"losses", "losses", "seconds", 1},
	[TRIGGER_SQUEEZED] = {"squeezed", "squeezed", "seconds", 1},
	[TRIGGER_BACKLOG_DROPS] = {"backlog_drops", "backlog_drops", "seconds", 1},
	[TRIGGER_PPS] = {"pps", "packets", "seconds", 1},
	[TRIGGER_NS] = {"ns_per_packet", "ns_per_packet", NULL, 1},
	[TRIGGER_PER_POLL] = {"packets_per_poll", "packets", "polls", 1},
	[TRIGGER_EMPTY_PCT] = {"empty_pct", "empty_polls", "polls", 100},
	[TRIGGER_FULL_PCT] = {"full_pct", "full_polls", "polls", 100},
	[TRIGGER_BUSY_PCT] = {"busy_pct", "busy_pct", NULL, 1},
	[TRIGGER_QUEUE_PCT] = {"queue_pct", "queue_pct", NULL, 1},
	[TRIGGER_PROGRAMS] = {"programs"},
};

static const char default_text[] = "drops    losses > 0\n"
				   "backlog  backlog_drops > 0\n"
				   "squeezes squeezed > 0 for 3s\n"
				   "slow     ns_per_packet > learnt for 3s\n"
				   "slow     pps < 20% for 3s\n"
				   "programs programs > 0\n";

/* What was measured of a device; ns_per_packet in the octave of its packets per poll. */
struct series {
	double values[TRIGGER_LEARN];
	size_t n, next;
};

struct trigger_past {
	uint64_t since_ns;
	json_t *programs; /* in its last object */
	struct series of[TRIGGER_MEASURES], ns[OCTAVES];
};

void triggers_release(struct triggers *t)
{
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		if (t->past[slot]) {
			json_decref(t->past[slot]->programs);
			free(t->past[slot]);
		}
	*t = (struct triggers){};
}

/* ---- the text ------------------------------------------------------------------------------------------------- */

static int take_line(struct triggers *t, char *line, const char *path, int number, struct diag *d)
{
	char *words[7], *rest = NULL;
	struct trigger new = {.for_s = 0};
	const char *end = "", *s = "s";
	double value;
	bool ok;
	int n = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, BLANKS, &rest); w && n < 7; w = strtok_r(NULL, BLANKS, &rest))
		words[n++] = w;
	if (!n)
		return 0;
	if (n == 2 && !strcmp(words[0], "pause") && !number_typed(words[1], &value, &end) && !strcmp(end, "s") &&
	    value >= 0 && value <= 1e6) {
		t->pause_s = value;
		return 0;
	}
	if (n == 2 && !strcmp(words[0], "keep") && !number_typed(words[1], &value, &end) && !*end && value >= 1 &&
	    value <= TRIGGERS_KEEP && value == floor(value)) {
		t->keep = (int)value;
		return 0;
	}
	if (n == 2 && (!strcmp(words[0], "pause") || !strcmp(words[0], "keep")))
		return diag_set(d, -EINVAL, "%s: line %d: it is \"pause 60s\", or \"keep N\" with 1 to %d dumps", path,
				number, TRIGGERS_KEEP);
	for (int i = 0; n > 1 && i < TRIGGER_MEASURES && strcmp(measures[new.measure = i].word, words[1]); i++)
		if (i == TRIGGER_MEASURES - 1)
			return diag_set(d, -EINVAL, "%s: line %d: %.32s is nothing that is measured", path, number,
					words[1]);
	ok = (n == 4 || n == 6) && strlen(words[0]) < sizeof(new.name) &&
	     (!strcmp(words[2], ">") || !strcmp(words[2], "<"));
	if (ok && !strcmp(words[3], "learnt"))
		new.kind = TRIGGER_LEARNT;
	else if (ok && !number_typed(words[3], &new.threshold, &end) && new.threshold >= 0)
		new.kind = *end == '%' ? TRIGGER_PERCENT : TRIGGER_NUMBER;
	else
		ok = false;
	ok = ok && !end[*end == '%'];
	if (n == 6)
		ok = ok && !strcmp(words[4], "for") && !number_typed(words[5], &new.for_s, &s) && new.for_s >= 0 &&
		     new.for_s <= 3600;
	if (!ok || strcmp(s, "s"))
		return diag_set(d, -EINVAL,
				"%s: line %d: a trigger is NAME MEASURE > THRESHOLD, or <, and perhaps \"for 3s\"; a "
				"threshold is a number, N%%, or learnt",
				path, number);
	if (t->n == TRIGGERS_MAX)
		return diag_set(d, -EINVAL, "%s: line %d: more than %d triggers", path, number, TRIGGERS_MAX);
	strcpy(new.name, words[0]);
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
	t->pause_s = 60;
	t->keep = 10;
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

static struct series *series_of(struct trigger_past *p, enum trigger_measure m, double packets_per_poll)
{
	/* a replayed line may hold any number, an infinite quotient among them */
	double octave = packets_per_poll >= 1 ? fmin(log2(packets_per_poll), OCTAVES - 1) : 0;

	return m == TRIGGER_NS ? &p->ns[(int)octave] : &p->of[m];
}

/* ---- conditions ----------------------------------------------------------------------------------------------- */

/* Returns whether it came true with this interval; *limit: what the value has to pass, where that is known. */
static bool came_true(const struct triggers *t, struct trigger *one, const struct trigger_values *v, double *limit)
{
	double value = v->values[one->measure], sorted[TRIGGER_LEARN], median, scatter;
	bool known = one->kind == TRIGGER_NUMBER;
	const struct series *s;

	*limit = one->threshold;
	if (!known) {
		s = series_of(t->past[v->slot], one->measure, v->values[TRIGGER_PER_POLL]);
		known = s->n >= TRIGGER_ENOUGH;
		if (known) {
			memcpy(sorted, s->values, s->n * sizeof(*sorted));
			median = stats_median(sorted, s->n);
			for (size_t i = 0; i < s->n; i++)
				sorted[i] = fabs(s->values[i] - median);
			scatter = TO_SIGMA * stats_median(sorted, s->n);
			*limit = one->kind == TRIGGER_PERCENT ? median * one->threshold / 100
							      : median + (one->below ? -1 : 1) * TRIGGER_FAR * scatter;
		}
	}
	if (!known || !(one->below ? value < *limit : value > *limit)) {
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

/* What is remembered of a device; nothing, where another one had the slot. NULL: no memory. */
static struct trigger_past *past_of(struct triggers *t, unsigned int slot, uint64_t since_ns)
{
	struct trigger_past *p = t->past[slot];

	if (p && p->since_ns == since_ns)
		return p;
	if (!p)
		p = t->past[slot] = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	json_decref(p->programs);
	*p = (struct trigger_past){.since_ns = since_ns};
	for (size_t i = 0; i < t->n; i++) {
		t->list[i].held_s[slot] = 0;
		t->list[i].fired[slot] = false;
	}
	return p;
}

/* ---- objects of watch ------------------------------------------------------------------------------------------- */

static double value_of(const json_t *o, const struct measure *m)
{
	json_t *member = json_object_get(o, m->of), *one;
	double sum = json_is_array(member) ? 0 : json_text_number(o, m->of),
	       per = m->per ? json_text_number(o, m->per) : 1;
	size_t i;

	json_array_foreach (member, i, one)
		sum += json_is_number(json_object_get(one, "packets")) ? json_text_number(one, "packets") : 0;
	return per > 0 ? m->times * sum / per : NAN;
}

/* "xdp-native drop#7, tcx-ingress x#9", of those that are not in the other list; "none". */
static const char *programs_only_in(const json_t *list, const json_t *other, char to[64])
{
	json_t *one, *same;
	size_t i, j;

	to[0] = '\0';
	json_array_foreach (list, i, one) {
		bool both = false;

		json_array_foreach (other, j, same)
			both |= json_equal(one, same);
		if (!both)
			listed_add(to, 64, ", ", "%s %s#%.0f", json_text_of(one, "hook"), json_text_of(one, "name"),
				   json_text_number(one, "id"));
	}
	return *to ? to : "none";
}

const struct trigger *triggers_object(struct triggers *t, const json_t *o, unsigned int slot, uint64_t since_ns,
				      char *words, size_t size)
{
	struct trigger_values v = {.slot = slot, .seconds = json_text_number(o, "seconds")};
	struct trigger_past *past = past_of(t, slot, since_ns);
	json_t *programs = json_object_get(o, "programs");
	const struct trigger *first = NULL;
	char was[64], now[64];
	bool held = false;
	double limit;

	if (!past || !(v.seconds > 0))
		return NULL;
	for (int i = 0; i < TRIGGER_PROGRAMS; i++)
		v.values[i] = value_of(o, &measures[i]);
	v.values[TRIGGER_PROGRAMS] = past->programs && programs && !json_equal(past->programs, programs);
	for (size_t i = 0; i < t->n; i++) {
		struct trigger *one = &t->list[i];
		const struct measure *m = &measures[one->measure];

		if (came_true(t, one, &v, &limit) && !first) {
			struct series usually = *series_of(past, one->measure, v.values[TRIGGER_PER_POLL]);
			char from[32] = "?"; /* nothing is known of the time before */

			if (usually.n)
				snprintf(from, sizeof(from), "%.6g", stats_median(usually.values, usually.n));
			first = one;
			if (one->measure == TRIGGER_PROGRAMS)
				snprintf(words, size, "%s: %s -> %s", one->name,
					 programs_only_in(past->programs, programs, was),
					 programs_only_in(programs, past->programs, now));
			else
				snprintf(words, size, "%s: %s %s -> %.6g%s, limit %.6g", one->name, m->word, from,
					 v.values[one->measure], m->per && m->times == 1 && *m->per == 's' ? "/s" : "",
					 limit);
		}
		held |= one->held_s[slot] > 0;
	}
	for (int m = 0; m < TRIGGER_MEASURES && !held; m++) {
		struct series *s = series_of(past, m, v.values[TRIGGER_PER_POLL]);

		if (isnan(v.values[m]))
			continue;
		s->values[s->next] = v.values[m];
		s->next = (s->next + 1) % TRIGGER_LEARN;
		s->n += s->n < TRIGGER_LEARN;
	}
	json_decref(past->programs);
	past->programs = json_incref(programs);
	return first;
}

int triggers_replay(struct triggers *t, const char *path, unsigned long *count, struct diag *d)
{
	FILE *f = fopen(path, "re");
	char names[WATCH_SLOTS][64] = {""}, *line = NULL, words[200];
	int err = f ? 0 : diag_set(d, -errno, "%s: %s", path, strerror(errno));
	size_t cap = 0;

	*count = 0;
	for (unsigned long n = 1; !err && getline(&line, &cap, f) > 0; n++) {
		json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		const char *schema = json_string_value(json_object_get(o, "schema"));
		const char *name = json_string_value(json_object_get(o, "device")) ?: ""; /* "": the backlog */
		char key[64];
		unsigned int slot =
			0; /* of a device, in the order in which they come; WATCH_SLOTS: there are too many */

		if (!schema)
			err = diag_set(d, -EINVAL, "%s: line %lu is no line of xdpzoom watch -f jsonl", path, n);
		if (!schema || strcmp(schema, WATCH_SCHEMA))
			slot = WATCH_SLOTS;
		snprintf(key, sizeof(key), "%s", *name ? name : "(backlog)");
		if (!strcmp(name, "(backlog)"))
			strcpy(key, "\"(backlog)\"");
		while (slot < WATCH_SLOTS && names[slot][0] && strcmp(names[slot], key))
			slot++;
		if (slot < WATCH_SLOTS)
			strcpy(names[slot], key);
		if (slot < WATCH_SLOTS && triggers_object(t, o, slot, 0, words, sizeof(words))) {
			++*count;
			printable_printf(stdout, "%8.1f %s %s\n", json_text_number(o, "time_s"), names[slot], words);
		}
		json_decref(o);
	}
	if (!err && ferror(f))
		err = diag_set(d, -EIO, "%s cannot be read", path);
	if (f)
		fclose(f);
	free(line);
	return err;
}
