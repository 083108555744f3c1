// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* ---- a line, in the three forms in which perf stat prints a count ---- */

#define FIELDS_MAX 32
#define WORDS_MAX  16

/* Reads the whole word as a number. */
static bool word_number(const struct span *w, double *v)
{
	const char *end = w->s + w->len;

	return w->len && number_read_grouped(w->s, end, v) == end;
}

static bool has_digit_first(const struct span *w)
{
	return w->len && w->s[0] >= '0' && w->s[0] <= '9';
}

/* Refuses "0,52" and "98.571.874": LC_ALL=C does not print numbers with these separators. */
static int refuse_number(const struct span *w, struct diag *d)
{
	return diag_set(d, -EINVAL, "'%.*s' is not a number as LC_ALL=C prints it; run perf stat with LC_ALL=C",
			(int)(w->len < 40 ? w->len : 40), w->s);
}

/* True for a word of digits, "." and "," that is not a number as LC_ALL=C prints it. */
static bool is_foreign_number(const struct span *w)
{
	double v;

	return has_digit_first(w) && strspn(w->s, "0123456789.,'") >= w->len && !word_number(w, &v);
}

/* A count without a unit is whole: "1.234" was 1234, printed with a dot between thousands. */
static bool is_dotted_thousands(const struct span *value, bool has_unit)
{
	const char *dot = memchr(value->s, '.', value->len);

	return !has_unit && dot && value->s + value->len - dot == 4 && dot - value->s <= 3;
}

/* Reads the stamp of -I at the beginning of a line. */
static bool read_interval(struct perfstat_line *l, const struct span *w, size_t n)
{
	const char *dot = n ? memchr(w->s, '.', w->len) : NULL;

	if (dot && w->s + w->len - dot == 10 && word_number(w, &l->interval_s))
		return true;
	l->interval_s = NAN;
	return false;
}

/* ---- the form for people ---- */

/* Cuts "( +-  0.53% )", "(+- 0.02%)" and "(33.31%)", of old perf "[33.31%]", off the end of the line. */
static const char *read_parentheses(struct perfstat_count *c, const char *s, const char *end)
{
	const char *open, *digits;
	double v;

	for (;;) {
		while (end > s && end[-1] == ' ')
			end--;
		open = end == s         ? NULL
		       : end[-1] == ')' ? memrchr(s, '(', (size_t)(end - s))
		       : end[-1] == ']' ? memrchr(s, '[', (size_t)(end - s))
					: NULL;
		if (!open || !memchr(open, '%', (size_t)(end - open)))
			return end;
		digits = open + (span_begins(open, (size_t)(end - open), "(scaled from ") ? 13 : 1); /* perf 2.6 */
		while (digits < end && (*digits == ' ' || *digits == '+' || *digits == '-'))
			digits++;
		digits = number_read_decimal(digits, end, &v);
		if (!digits || *digits != '%' || span_skip_blanks(digits + 1, end) != end - 1)
			return end;
		if (memmem(open, (size_t)(end - open), "+-", 2))
			c->variance_pct = v;
		else
			c->running_pct = v;
		end = open;
	}
}

/* Clocks whose unit is not printed are in ms: "task-clock-msecs" in perf 2.6, "task-clock" with decimals in 3.x. */
static void name_clock(struct perfstat_count *c, const struct span *value, const struct span *event)
{
	static const char old[] = "-msecs";
	size_t n = sizeof(old) - 1, len = event->len;
	bool is_old = len > n && !memcmp(event->s + len - n, old, n);

	perfstat_count_set_event(c, event->s, is_old ? len - n : len);
	if (!c->unit[0] && memchr(value->s, '.', value->len) &&
	    (is_old || !strcmp(c->name, "task-clock") || !strcmp(c->name, "cpu-clock")))
		strcpy(c->unit, "msec");
}

/* No event begins with a quotation mark, ends in a separator, or has no letter. */
static bool perfstat_line_is_name(const struct span *w)
{
	bool letter = false;

	for (size_t i = 0; i < w->len; i++)
		letter |= isalpha((unsigned char)w->s[i]);
	return letter && w->s[0] != '"' && !memchr(",;|", w->s[w->len - 1], 3);
}

/*
 * Value, unit and event: "0.52 msec cpu-clock", "0.52 cpu-clock (msec)", "<not supported> cycles", "1,138
 * context-switches".
 */
static int read_value(struct perfstat_line *l, const struct span *w, size_t n, struct diag *d)
{
	struct perfstat_count *c = &l->count;
	const struct span *event;

	if (n == 3 && span_is(&w[0], "<not") && (span_is(&w[1], "supported>") || span_is(&w[1], "counted>"))) {
		c->state = span_is(&w[1], "supported>") ? PERFSTAT_NOT_SUPPORTED : PERFSTAT_NOT_COUNTED;
		perfstat_count_set_event(c, w[2].s, w[2].len);
		return 1;
	}
	if (n < 2 || n > 3 || !has_digit_first(&w[0]))
		return 0;
	event = &w[n - 1];
	if (event->len > 2 && event->s[0] == '(' && event->s[event->len - 1] == ')')
		event--; /* "(msec)": the unit behind the event, as perf before 4.18 prints it */
	if (event == w || !perfstat_line_is_name(event))
		return 0;
	if (is_foreign_number(&w[0]) || is_dotted_thousands(&w[0], n == 3))
		return refuse_number(&w[0], d);
	if (!word_number(&w[0], &c->value) || has_digit_first(event))
		return 0;
	if (n == 3 && event == &w[1])
		span_copy(c->unit, sizeof(c->unit), w[2].s + 1, w[2].len - 2);
	else if (n == 3)
		span_copy(c->unit, sizeof(c->unit), w[1].s, w[1].len);
	name_clock(c, &w[0], event);
	return 1;
}

/* Reads the words before the value: [interval] [place [number of counters in the place]]. */
static bool read_blank_prefix(struct perfstat_line *l, const struct span *w, size_t n)
{
	struct span place;
	double v;

	if (read_interval(l, w, n)) {
		w++;
		n--;
	}
	if (n > 1 && word_number(&w[n - 1], &v))
		n--;
	if (!n)
		return true;
	place = (struct span){w->s, (size_t)(w[n - 1].s + w[n - 1].len - w->s)};
	span_copy(l->count.place, sizeof(l->count.place), place.s, place.len);
	/* "CPU0", "S0-D0-C0", "N1", or a task: "a name-4883" */
	const struct span *last = &w[n - 1];
	static const char kinds[] = "SNDC";
	const char *s = w->s, *dash = memrchr(last->s, '-', last->len);
	size_t digits = dash ? (size_t)(last->s + last->len - dash - 1) : 0;
	if (w->len > 3 && !memcmp(s, "CPU", 3) && s[3] >= '0' && s[3] <= '9')
		return true;
	if (w->len > 1 && memchr(kinds, *s, 4) && s[1] >= '0' && s[1] <= '9')
		return true;
	return digits && strspn(dash + 1, "0123456789") >= digits;
}

int perfstat_line_read_text(struct perfstat_line *l, const char *line, size_t len, struct diag *d)
{
	const char *end = line + len, *hash, *s;
	struct span words[WORDS_MAX];
	size_t n = 0, at, spaced;

	end = read_parentheses(&l->count, line, end);
	hash = memchr(line, '#', (size_t)(end - line));
	for (s = line; n < WORDS_MAX && span_next_word(&s, hash ? hash : end, &words[n]); n++)
		;
	/* "cycles [cpu_core]" is one event: perf 6.12 prints the PMU in brackets. */
	if (n >= 3 && words[n - 1].s[0] == '[' && words[n - 1].s[words[n - 1].len - 1] == ']') {
		words[n - 2].len = (size_t)(words[n - 1].s + words[n - 1].len - words[n - 2].s);
		n--;
	}
	/* The value, from the end of the line: value, unit (may be missing), event. */
	if (n >= 3 &&
	    (span_is(&words[n - 3], "<not") || (has_digit_first(&words[n - 3]) && !has_digit_first(&words[n - 2]))))
		at = n - 3;
	else
		at = n >= 2 ? n - 2 : 0;
	/* "3 000 000": a locale's blanks between thousands. */
	for (spaced = 0; at && spaced <= at; spaced++)
		if (strspn(words[spaced].s, "0123456789") < words[spaced].len ||
		    (spaced ? words[spaced].len != 3 : words[spaced].len > 3))
			break;
	if (at && spaced > at)
		return refuse_number(&(struct span){words->s, (size_t)(words[at].s + words[at].len - words->s)}, d);
	if (!read_blank_prefix(l, words, at))
		return 0;
	return read_value(l, words + at, n - at, d);
}

/* ---- -x ---- */

static size_t split_fields(struct span *f, size_t max, const char *s, const char *end, char separator)
{
	const char *to;
	size_t n = 0;

	for (; n < max; s = to + 1) {
		to = memchr(s, separator, (size_t)(end - s));
		if (!to)
			to = end;
		while (s < to && *s == ' ')
			s++;
		f[n++] = (struct span){s, (size_t)(to - s)};
		if (to == end)
			break;
	}
	return n;
}

/* The event "cpu/event=0x3c,umask=0/" contains separators: it is one field up to its second slash. */
static size_t join_event(struct span *f, size_t n, size_t at)
{
	const char *slash, *end;

	while (at + 1 < n) {
		end = f[at].s + f[at].len;
		slash = memchr(f[at].s, '/', f[at].len);
		if (!slash || memchr(slash + 1, '/', (size_t)(end - slash - 1)))
			break;
		f[at].len = (size_t)(f[at + 1].s + f[at + 1].len - f[at].s);
		memmove(&f[at + 1], &f[at + 2], (n - at - 2) * sizeof(*f));
		n--;
	}
	return n;
}

/* Finds the three fields value, unit (may be empty) and event. */
static int find_value(const struct span *f, size_t n)
{
	double v;

	for (size_t i = 0; i + 2 < n; i++)
		if ((word_number(&f[i], &v) || is_foreign_number(&f[i]) || span_is(&f[i], "<not supported>") ||
		     span_is(&f[i], "<not counted>")) &&
		    !has_digit_first(&f[i + 1]) && !(f[i + 1].len && f[i + 1].s[0] == '<') && f[i + 2].len &&
		    !has_digit_first(&f[i + 2]) && f[i + 2].s[0] != '<')
			return (int)i;
	return -1;
}

static char find_separator(const char *line, size_t len)
{
	static const char candidates[] = ",;|\t~:";
	struct span f[FIELDS_MAX];
	const char *s;
	size_t n;

	for (s = candidates; *s; s++) {
		if (!memchr(line, *s, len))
			continue;
		n = split_fields(f, FIELDS_MAX, line, line + len, *s);
		if (n >= 5 && find_value(f, n) >= 0)
			return *s;
	}
	return 0;
}

/* [interval] [place [counters]], value, unit, event, [variance%] run time, share of time; a metric is not read. */
int perfstat_line_read_fields(struct perfstat_line *l, const char *line, size_t len, char separator, struct diag *d)
{
	struct span f[FIELDS_MAX];
	struct perfstat_count *c = &l->count;
	size_t n, at, before;
	int value;
	double v;

	if (!separator)
		separator = find_separator(line, len);
	if (!separator)
		return 0;
	n = split_fields(f, FIELDS_MAX, line, line + len, separator);
	value = find_value(f, n);
	if (value < 0)
		return 0;
	at = (size_t)value;
	n = join_event(f, n, at + 2);
	if (at + 2 < n && f[at + 2].len && !perfstat_line_is_name(&f[at + 2]))
		return 0;
	before = read_interval(l, f, at);
	if (before < at && !has_digit_first(&f[before])) {
		span_copy(c->place, sizeof(c->place), f[before].s, f[before].len);
		before++;
		before += before < at && word_number(&f[before], &v);
	}
	/* Fields such as those of /etc/passwd: behind the name of a place stands a number */
	if (before != at && f[0].len && isalpha((unsigned char)f[0].s[0]) && f[1].len && !has_digit_first(&f[1]))
		return 0;
	if (before != at || is_foreign_number(&f[at]) || is_dotted_thousands(&f[at], f[at + 1].len))
		return refuse_number(&(struct span){f->s, (size_t)(f[at].s + f[at].len - f->s)}, d);
	if (!word_number(&f[at], &c->value)) {
		c->value = NAN;
		c->state = span_is(&f[at], "<not supported>") ? PERFSTAT_NOT_SUPPORTED : PERFSTAT_NOT_COUNTED;
	}
	span_copy(c->unit, sizeof(c->unit), f[at + 1].s, f[at + 1].len);
	name_clock(c, &f[at], &f[at + 2]);
	at += 3;
	if (at < n && f[at].len && f[at].s[f[at].len - 1] == '%') {
		if (number_read_decimal(f[at].s, f[at].s + f[at].len, &v))
			c->variance_pct = v;
		at++;
	}
	if (at < n && word_number(&f[at], &v))
		c->runtime_ns = v;
	if (at + 1 < n && word_number(&f[at + 1], &v))
		c->running_pct = v;
	return 1;
}

/* ---- JSON ---- */

/* JSON that may go on over several lines, as jq and bpftool -p lay it out. */
struct json_lines {
	char *text;
	size_t len, cap;
	size_t depth; /* of open brackets; 0 behind the last line */
	bool in_string, escaped;
};

static bool json_lines_add(struct json_lines *j, const char *line, size_t len)
{
	if (!array_grow(&j->text, &j->cap, j->len, len + 1, 1))
		return false;
	memcpy(j->text + j->len, line, len);
	j->len += len;
	j->text[j->len++] = '\n';
	/* Follows brackets outside of strings. */
	for (const char *end = line + len; line < end; line++) {
		if (j->in_string) {
			j->in_string = j->escaped || *line != '"';
			j->escaped = !j->escaped && *line == '\\';
		} else if (*line == '"') {
			j->in_string = true;
		} else if (*line == '{' || *line == '[') {
			j->depth++;
		} else if (j->depth && (*line == '}' || *line == ']')) {
			j->depth--;
		}
	}
	return true;
}

static void json_lines_release(struct json_lines *j)
{
	free(j->text);
	*j = (struct json_lines){};
}

/* Versions of perf differ: a number may be printed as a JSON string. */
static bool json_number(const json_t *o, const char *key, double *v)
{
	const json_t *j = json_object_get(o, key);
	const char *s = json_string_value(j);

	if (json_is_number(j))
		*v = json_number_value(j);
	return json_is_number(j) || (s && *s && number_read_grouped(s, s + strlen(s), v) == s + strlen(s));
}

static void json_text(const json_t *o, const char *key, char *to, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (s)
		span_copy(to, size, s, strlen(s));
}

static int count_of_perf(struct perfstat_line *l, const json_t *o)
{
	const char *event = json_string_value(json_object_get(o, "event"));
	const char *value = json_string_value(json_object_get(o, "counter-value"));
	struct perfstat_count *c = &l->count;

	if (!event || !json_object_get(o, "counter-value"))
		return 0;
	if (value && *value == '<')
		c->state = strcmp(value, "<not supported>") ? PERFSTAT_NOT_COUNTED : PERFSTAT_NOT_SUPPORTED;
	else if (!json_number(o, "counter-value", &c->value))
		return -EINVAL;
	json_text(o, "unit", c->unit, sizeof(c->unit));
	static const char *const keys[] = {"core", "socket", "die", "node", "cluster", "cache", "thread"};
	char cpu[16] = "";
	double v;
	size_t i;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_text(o, keys[i], c->place, sizeof(c->place));
	if (json_number(o, "cpu", &v) && v >= 0 && v < 1e6) {
		snprintf(cpu, sizeof(cpu), "CPU%d", (int)v);
		memcpy(c->place, cpu, sizeof(cpu));
	}
	json_number(o, "interval", &l->interval_s);
	json_number(o, "variance", &c->variance_pct);
	json_number(o, "event-runtime", &c->runtime_ns);
	json_number(o, "pcnt-running", &c->running_pct);
	perfstat_count_set_event(c, event, strlen(event));
	return 1;
}

/* ---- a text ---- */

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
	l->count.value = l->count.variance_pct = l->count.runtime_ns = NAN;
	l->count.running_pct = 100;
}

/* "cpu_core/cycles/k", "cpu_core/cycles:k/", "cycles:k", "cycles:k [cpu_core]" */
void perfstat_count_set_event(struct perfstat_count *c, const char *s, size_t len)
{
	const char *end = s + len, *open = len && end[-1] == ']' ? memrchr(s, '[', len) : NULL, *close, *colon;

	span_copy(c->event, sizeof(c->event), s, len);
	c->pmu[0] = c->modifiers[0] = '\0';
	if (open && open > s && open[-1] == ' ') {
		span_copy(c->pmu, sizeof(c->pmu), open + 1, (size_t)(end - open - 2));
		end = open - 1;
	}
	open = memchr(s, '/', (size_t)(end - s));
	close = open ? memchr(open + 1, '/', (size_t)(end - open - 1)) : NULL;
	if (close) {
		span_copy(c->pmu, sizeof(c->pmu), s, (size_t)(open - s));
		colon = close + 1 < end && close[1] == ':' ? close + 2 : close + 1;
		span_copy(c->modifiers, sizeof(c->modifiers), colon, (size_t)(end - colon));
		s = open + 1;
		end = close;
	}
	/*
	 * Modifiers follow the last colon. A tracepoint ("napi:napi_poll") has a colon without modifiers behind
	 * it.
	 */
	colon = memrchr(s, ':', (size_t)(end - s));
	if (colon && end - colon <= 6 && strspn(colon + 1, "ukhGHpPSDeWIb") >= (size_t)(end - colon - 1)) {
		span_copy(c->modifiers, sizeof(c->modifiers), colon + 1, (size_t)(end - colon - 1));
		end = colon;
	}
	span_copy(c->name, sizeof(c->name), s, (size_t)(end - s));
}

struct reader {
	struct perfstat *s;
	struct hash_table table; /* of the counts, by event and place */
	struct diag *d;
	char separator;
	unsigned int outputs;
	double first_interval_s, last_interval_s; /* time stamps of -I; NaN: none */
	double first_step_s, longest_s;           /* ways from one stamp to the next */
	size_t intervals;
	struct json_lines json; /* the lines so far of a value that goes on */
};

/* Follows the time stamps of -I. */
static int follow_intervals(struct reader *r, double stamp_s)
{
	double step = stamp_s - r->last_interval_s;

	if (isnan(stamp_s) || stamp_s == r->last_interval_s)
		return 0;
	if (step < 0)
		return diag_set(r->d, -EINVAL, "%g s stands behind %g s; this is more than one output of perf stat",
				stamp_s, r->last_interval_s);
	if (!r->intervals++)
		r->first_interval_s = stamp_s;
	if (r->intervals == 2)
		r->first_step_s = step;
	r->longest_s = r->intervals > 1 ? fmax(r->longest_s, step) : 0;
	r->last_interval_s = stamp_s;
	return 0;
}

static int perfstat_add(struct reader *r, const struct perfstat_line *l)
{
	const struct perfstat_count *c = &l->count;
	uint32_t h = (uint32_t)hash_bytes(c->place, strlen(c->place), hash_bytes(c->event, strlen(c->event), 0));
	struct perfstat_count *have = NULL;
	struct hash_table *t = &r->table;
	size_t slot, i;

	if (hash_table_reserve(t, r->s->ncounts))
		return diag_set(r->d, -ENOMEM, "out of memory");
	for (slot = hash_table_first(t, h, &i); t->slots[slot] && !have; slot = hash_table_next(t, slot, h, &i))
		if (!strcmp(r->s->counts[i].event, c->event) && !strcmp(r->s->counts[i].place, c->place))
			have = &r->s->counts[i];
	if (have && isnan(l->interval_s))
		return diag_set(r->d, -EINVAL, "%s appears twice; this is more than one output of perf stat", c->event);
	if (c->running_pct > 100)
		return diag_set(r->d, -EINVAL, "%s was counted in %g %% of the time; no more than 100 %% can be",
				c->event, c->running_pct);
	if (follow_intervals(r, l->interval_s))
		return -EINVAL;
	/* A later interval of the same count. Where one interval was not counted, the sum is not counted. */
	if (have && (c->state != PERFSTAT_COUNTED || have->state != PERFSTAT_COUNTED)) {
		have->state = have->state != PERFSTAT_COUNTED ? have->state : c->state;
		have->value = NAN;
	} else if (have) {
		have->value += c->value;
		have->intervals++;
		have->runtime_ns += c->runtime_ns;
		have->running_pct = fmin(have->running_pct, c->running_pct);
	}
	if (have)
		return 0;
	if (r->s->ncounts == COUNTS_MAX)
		return diag_set(r->d, -EINVAL, "more than %u counts", COUNTS_MAX);
	if (!array_grow(&r->s->counts, &r->s->cap, r->s->ncounts, 1, sizeof(*r->s->counts)))
		return diag_set(r->d, -ENOMEM, "out of memory");
	hash_table_put(t, slot, h, r->s->ncounts);
	r->s->counts[r->s->ncounts] = *c;
	r->s->counts[r->s->ncounts++].intervals = !isnan(l->interval_s);
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
	const char *behind;
	double v;

	if (!memmem(line, len, " seconds ", 9))
		return false;
	behind = memmem(line, len, "time elapsed", 12) ? number_read_grouped(line, line + len, &v) : NULL;
	if (behind && *behind == ' ')
		r->s->elapsed_s = v;
	return true;
}

static int perfstat_add_object(struct reader *r, const json_t *o)
{
	const struct perfstat_count *first = r->s->ncounts ? r->s->counts : NULL;
	const char *metric = json_string_value(json_object_get(o, "metric"));
	double runs, enabled, running;
	bool bpftool = json_object_get(o, "metric") && json_number(o, "run_cnt", &runs);
	struct perfstat_line l;
	int found = -EINVAL;

	/* bpftool's objects name the runs of its program, which come first, each. */
	if (bpftool && !(first && !strcmp(first->event, "run_cnt") && first->value == runs)) {
		if (first)
			return diag_set(r->d, -EINVAL, "counts of several runs of bpftool prog profile");
		perfstat_line_init(&l);
		l.count.value = runs;
		perfstat_count_set_event(&l.count, "run_cnt", 7);
		found = perfstat_add(r, &l);
		if (found)
			return found;
		found = -EINVAL;
	}
	perfstat_line_init(&l);
	if (!bpftool) {
		found = count_of_perf(&l, o);
	} else if (metric && json_number(o, "value", &l.count.value) && json_number(o, "enabled", &enabled) &&
		   json_number(o, "running", &running)) {
		/* "running" of "enabled" ns: another event had the counter for the rest of the time. */
		l.count.running_pct = enabled > 0 ? 100 * running / enabled : 0;
		perfstat_count_set_event(&l.count, metric, strlen(metric));
		found = 1;
	}
	if (found < 0)
		return diag_set(r->d, found, "a %s that is no number", bpftool ? "value" : "counter-value");
	return found ? perfstat_add(r, &l) : 0;
}

static int perfstat_read_line(struct reader *r, const char *line, size_t len)
{
	struct perfstat_line l;
	const char *s = span_skip_blanks(line, line + len), *end = line + len, *next = s < end ? s + 1 : s;
	int found;

	len -= (size_t)(s - line);
	next = span_skip_blanks(next, end);
	/* "[root@host ~]# perf stat" begins no JSON. */
	if (r->json.depth || (len && (*s == '{' || (*s == '[' && (next == end || *next == '{'))))) {
		/* An object, or a list of them, in one line or in several. */
		json_t *value, *o;
		int err = 0;
		size_t i;

		if (!json_lines_add(&r->json, s, len))
			return diag_set(r->d, -ENOMEM, "out of memory");
		if (r->json.depth)
			return 0;
		value = json_loadb(r->json.text, r->json.len, JSON_DISABLE_EOF_CHECK, NULL);
		json_lines_release(&r->json);
		if (!value)
			return diag_set(r->d, -EINVAL,
					"not JSON: '%.*s'; a locale's decimal comma? run perf stat with LC_ALL=C",
					(int)(len < 60 ? len : 60), s);
		if (!json_is_array(value))
			err = perfstat_add_object(r, value);
		json_array_foreach (value, i, o)
			if (!err)
				err = perfstat_add_object(r, o);
		json_decref(value);
		return err;
	}
	perfstat_line_init(&l);
	if (len && memchr("#([", *s, 3) && r->s->ncounts) { /* the line of the count above goes on */
		struct perfstat_count *c = &r->s->counts[r->s->ncounts - 1];

		read_parentheses(&l.count, s, end);
		c->running_pct = fmin(c->running_pct, l.count.running_pct);
		c->variance_pct = isnan(c->variance_pct) ? l.count.variance_pct : c->variance_pct;
	}
	if (!len || memchr("#([", *s, 3) || read_title(r, s, len) || read_seconds(r, s, len))
		return 0;
	found = perfstat_line_read_fields(&l, s, len, r->separator, r->d);
	if (!found)
		found = perfstat_line_read_text(&l, s, len, r->d);
	return found > 0 ? perfstat_add(r, &l) : found;
}

static int perfstat_by_place(const void *a, const void *b)
{
	const struct perfstat_count *const *x = a, *const *y = b;

	return strcmp((*x)->place, (*y)->place) ?: strcmp((*x)->pmu, (*y)->pmu)
						?: strcmp((*x)->modifiers, (*y)->modifiers);
}

/* Equal places are in the order of the counts. */
static int by_place_and_number(const void *a, const void *b)
{
	const struct perfstat_count *const *x = a, *const *y = b;

	return perfstat_by_place(a, b) ?: ORDER(*x, *y);
}

/* Finds the first cycles of the same place for the instructions of each. */
static int find_cycles(struct perfstat *s)
{
	const struct perfstat_count **cycles = calloc(s->ncounts + 1, sizeof(*cycles)), **found;
	size_t n = 0;

	if (!cycles)
		return -ENOMEM;
	for (size_t i = 0; i < s->ncounts; i++)
		if ((!strcmp(s->counts[i].name, "cycles") || !strcmp(s->counts[i].name, "cpu-cycles")) &&
		    s->counts[i].state == PERFSTAT_COUNTED && s->counts[i].value > 0)
			cycles[n++] = &s->counts[i];
	qsort(cycles, n, sizeof(*cycles), by_place_and_number);
	for (size_t i = 0; i < s->ncounts; i++) {
		struct perfstat_count *c = &s->counts[i];
		const struct perfstat_count *key = c;

		if (strcmp(c->name, "instructions") != 0 || c->state != PERFSTAT_COUNTED)
			continue;
		found = bsearch(&key, cycles, n, sizeof(*cycles), perfstat_by_place);
		while (found && found > cycles && !perfstat_by_place(found - 1, found))
			found--; /* "cycles" and "cpu-cycles", in several spellings */
		c->cycles = found ? (size_t)(*found - s->counts) + 1 : 0;
	}
	free(cycles);
	return 0;
}

double perfstat_program_runs(const struct perfstat *s)
{
	return s->ncounts && !strcmp(s->counts[0].event, "run_cnt") ? fmax(s->counts[0].value, 0) : 0;
}

int perfstat_read(struct perfstat *s, struct linescan *lines, char separator, struct diag *d)
{
	struct reader r = {.s = s, .d = d, .separator = separator, .last_interval_s = NAN};
	int more, err = 0;
	char *line;
	size_t len;

	perfstat_init(s);
	while (!err && (more = linescan_next(lines, &line, &len, d))) {
		err = more < 0 ? more : perfstat_read_line(&r, line, len);
		if (!err && r.outputs > 1)
			err = diag_set(d, -EINVAL, "line %llu: a second output of perf stat; give one at a time",
				       (unsigned long long)lines->line);
	}
	if (!err && r.json.depth)
		err = diag_set(d, -EINVAL, "its JSON is cut short");
	/*
	 * The time that the listed intervals took. Stamps of -I count from perf's start, so a text that begins in the
	 * middle begins one interval before its first stamp. An interval is as long as the way from one stamp to the
	 * next; the last one may be shorter. A first stamp of less than one and a half intervals is that of perf's
	 * first interval. One stamp alone may be of any: NaN. So may be what lies in a step that is longer than the
	 * first.
	 */
	if (!err && r.intervals) {
		s->elapsed_s = r.last_interval_s;
		if (r.intervals < 2 || r.longest_s > 1.5 * r.first_step_s)
			s->elapsed_s = NAN;
		else if (!(r.first_interval_s < 1.5 * r.first_step_s))
			s->elapsed_s = r.last_interval_s - r.first_interval_s + r.first_step_s;
	}
	/* Each count has to be there in each interval, or its sum is not that of the time. */
	for (size_t i = 0; i < s->ncounts && !err; i++) {
		const struct perfstat_count *c = &s->counts[i];

		if (c->state == PERFSTAT_COUNTED && c->intervals && c->intervals != r.intervals)
			err = diag_set(d, -EINVAL, "%s is in %zu of %zu intervals; leave the others out", c->event,
				       c->intervals, r.intervals);
	}
	/* bpftool prog profile prints what it counted; perf what it would have counted in the whole time. */
	for (size_t i = 1; !err && perfstat_program_runs(s) && i < s->ncounts; i++) {
		struct perfstat_count *c = &s->counts[i];

		if (c->running_pct > 0) {
			c->value *= 100 / c->running_pct;
		} else {
			c->state = PERFSTAT_NOT_COUNTED;
			c->value = NAN;
		}
	}
	if (!err && find_cycles(s))
		err = diag_set(d, -ENOMEM, "out of memory");
	if (!err && !s->ncounts)
		err = diag_set(d, -EINVAL, "no counts; this is not the text of perf stat");
	if (err)
		perfstat_release(s);
	hash_table_release(&r.table);
	json_lines_release(&r.json);
	return err;
}

double perfstat_ipc(const struct perfstat *s, const struct perfstat_count *instructions)
{
	return instructions->cycles ? instructions->value / s->counts[instructions->cycles - 1].value : NAN;
}
