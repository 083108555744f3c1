// SPDX-License-Identifier: GPL-2.0-or-later
/* The three forms in which perf stat prints a count. */
#include "perfparse/perfparse.h"

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

void perfstat_line_go_on(struct perfstat_count *c, const char *line, size_t len)
{
	struct perfstat_line l;

	perfstat_line_init(&l);
	read_parentheses(&l.count, line, line + len);
	c->running_pct = fmin(c->running_pct, l.count.running_pct);
	if (isnan(c->variance_pct))
		c->variance_pct = l.count.variance_pct;
}

static void set_unit(struct perfstat_count *c, const struct span *unit)
{
	span_copy(c->unit, sizeof(c->unit), unit->s, unit->len);
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
		set_unit(c, &(struct span){w[2].s + 1, w[2].len - 2});
	else if (n == 3)
		set_unit(c, &w[1]);
	name_clock(c, &w[0], event);
	return 1;
}

/* Finds the value from the end of the line: value, unit (may be missing), event. */
static size_t find_count(const struct span *w, size_t n)
{
	if (n >= 3 && span_is(&w[n - 3], "<not"))
		return n - 3;
	if (n >= 3 && has_digit_first(&w[n - 3]) && !has_digit_first(&w[n - 2]))
		return n - 3;
	return n >= 2 ? n - 2 : 0;
}

/* "CPU0", "S0-D0-C0", "N1", or a task: "a name-4883" */
static bool is_place(const struct span *first, const struct span *last)
{
	static const char kinds[] = "SNDC";
	const char *s = first->s, *dash = memrchr(last->s, '-', last->len);
	size_t digits = dash ? (size_t)(last->s + last->len - dash - 1) : 0;

	if (first->len > 3 && !memcmp(s, "CPU", 3) && s[3] >= '0' && s[3] <= '9')
		return true;
	if (first->len > 1 && memchr(kinds, *s, 4) && s[1] >= '0' && s[1] <= '9')
		return true;
	return digits && strspn(dash + 1, "0123456789") >= digits;
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
	return is_place(w, &w[n - 1]);
}

/* "3 000 000": a locale's blanks between thousands. */
static bool is_spaced_number(const struct span *w, size_t last)
{
	for (size_t i = 0; i <= last; i++)
		if (strspn(w[i].s, "0123456789") < w[i].len || (i ? w[i].len != 3 : w[i].len > 3))
			return false;
	return true;
}

int perfstat_line_read_text(struct perfstat_line *l, const char *line, size_t len, struct diag *d)
{
	const char *end = line + len, *hash, *s;
	struct span words[WORDS_MAX];
	size_t n = 0, at;

	end = read_parentheses(&l->count, line, end);
	hash = memchr(line, '#', (size_t)(end - line));
	for (s = line; n < WORDS_MAX && span_next_word(&s, hash ? hash : end, &words[n]); n++)
		;
	/* "cycles [cpu_core]" is one event: perf 6.12 prints the PMU in brackets. */
	if (n >= 3 && words[n - 1].s[0] == '[' && words[n - 1].s[words[n - 1].len - 1] == ']') {
		words[n - 2].len = (size_t)(words[n - 1].s + words[n - 1].len - words[n - 2].s);
		n--;
	}
	at = find_count(words, n);
	if (at && is_spaced_number(words, at))
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

static bool is_value(const struct span *w)
{
	double v;

	return word_number(w, &v) || is_foreign_number(w) || span_is(w, "<not supported>") ||
	       span_is(w, "<not counted>");
}

/* Finds the three fields value, unit (may be empty) and event. */
static int find_value(const struct span *f, size_t n)
{
	size_t i;

	for (i = 0; i + 2 < n; i++)
		if (is_value(&f[i]) && !has_digit_first(&f[i + 1]) && !(f[i + 1].len && f[i + 1].s[0] == '<') &&
		    f[i + 2].len && !has_digit_first(&f[i + 2]) && f[i + 2].s[0] != '<')
			return (int)i;
	return -1;
}

/* Reads the fields before the value: [interval] [place [counters]]. */
static bool read_prefix(struct perfstat_line *l, const struct span *f, size_t n)
{
	size_t at = read_interval(l, f, n);
	double v;
	if (at < n && !has_digit_first(&f[at])) {
		span_copy(l->count.place, sizeof(l->count.place), f[at].s, f[at].len);
		at++;
		if (at < n && word_number(&f[at], &v))
			at++;
	}
	return at == n;
}

/* Reads the fields behind the event: [variance%] run time, share of time; a metric is not read. */
static void read_suffix(struct perfstat_count *c, const struct span *f, size_t n)
{
	double v;

	if (n && f[0].len && f[0].s[f[0].len - 1] == '%') {
		if (number_read_decimal(f[0].s, f[0].s + f[0].len, &v))
			c->variance_pct = v;
		f++;
		n--;
	}
	if (n && word_number(&f[0], &v))
		c->runtime_ns = v;
	if (n > 1 && word_number(&f[1], &v))
		c->running_pct = v;
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

int perfstat_line_read_fields(struct perfstat_line *l, const char *line, size_t len, char separator, struct diag *d)
{
	struct span f[FIELDS_MAX];
	struct perfstat_count *c = &l->count;
	bool prefixed;
	size_t n;
	int at;

	if (!separator)
		separator = find_separator(line, len);
	if (!separator)
		return 0;
	n = split_fields(f, FIELDS_MAX, line, line + len, separator);
	at = find_value(f, n);
	if (at < 0)
		return 0;
	n = join_event(f, n, (size_t)at + 2);
	if ((size_t)at + 2 < n && f[at + 2].len && !perfstat_line_is_name(&f[at + 2]))
		return 0;
	prefixed = read_prefix(l, f, (size_t)at);
	/* Fields such as those of /etc/passwd: behind the name of a place stands a number */
	if (!prefixed && f[0].len && isalpha((unsigned char)f[0].s[0]) && f[1].len && !has_digit_first(&f[1]))
		return 0;
	if (!prefixed || is_foreign_number(&f[at]) || is_dotted_thousands(&f[at], f[at + 1].len))
		return refuse_number(&(struct span){f->s, (size_t)(f[at].s + f[at].len - f->s)}, d);
	if (!word_number(&f[at], &c->value)) {
		c->value = NAN;
		c->state = span_is(&f[at], "<not supported>") ? PERFSTAT_NOT_SUPPORTED : PERFSTAT_NOT_COUNTED;
	}
	set_unit(c, &f[at + 1]);
	name_clock(c, &f[at], &f[at + 2]);
	read_suffix(c, f + at + 3, n - (size_t)at - 3);
	return 1;
}
