// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

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

/* Returns the end of the name in "cycles [cpu_core]". */
static const char *cut_pmu(struct perfstat_count *c, const char *s, const char *end)
{
	const char *open = end > s && end[-1] == ']' ? memrchr(s, '[', (size_t)(end - s)) : NULL;

	if (!open || open == s || open[-1] != ' ')
		return end;
	span_copy(c->pmu, sizeof(c->pmu), open + 1, (size_t)(end - open - 2));
	return open - 1;
}

/* "cpu_core/cycles/k", "cpu_core/cycles:k/", "cycles:k", "cycles:k [cpu_core]" */
void perfstat_count_set_event(struct perfstat_count *c, const char *s, size_t len)
{
	const char *end = s + len, *open, *close, *colon;

	span_copy(c->event, sizeof(c->event), s, len);
	c->pmu[0] = c->modifiers[0] = '\0';
	end = cut_pmu(c, s, end);
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

static uint32_t hash_of(const struct perfstat_count *c)
{
	return (uint32_t)hash_bytes(c->place, strlen(c->place), hash_bytes(c->event, strlen(c->event), 0));
}

/* NULL: there is no such count; it gets *slot. */
static struct perfstat_count *perfstat_find(const struct reader *r, const struct perfstat_count *c, size_t *slot)
{
	const struct hash_table *t = &r->table;
	uint32_t h = hash_of(c);
	size_t i;

	for (*slot = hash_table_first(t, h, &i); t->slots[*slot]; *slot = hash_table_next(t, *slot, h, &i))
		if (!strcmp(r->s->counts[i].event, c->event) && !strcmp(r->s->counts[i].place, c->place))
			return &r->s->counts[i];
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
	to->intervals++;
	to->runtime_ns += c->runtime_ns;
	to->running_pct = fmin(to->running_pct, c->running_pct);
}

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
	struct perfstat_count *have;
	size_t slot;

	if (hash_table_reserve(&r->table, r->s->ncounts))
		return diag_set(r->d, -ENOMEM, "out of memory");
	have = perfstat_find(r, &l->count, &slot);
	if (have && isnan(l->interval_s))
		return diag_set(r->d, -EINVAL, "%s appears twice; this is more than one output of perf stat",
				l->count.event);
	if (l->count.running_pct > 100)
		return diag_set(r->d, -EINVAL, "%s was counted in %g %% of the time; no more than 100 %% can be",
				l->count.event, l->count.running_pct);
	if (follow_intervals(r, l->interval_s))
		return -EINVAL;
	if (have) {
		add_interval(have, &l->count);
		return 0;
	}
	if (r->s->ncounts == COUNTS_MAX)
		return diag_set(r->d, -EINVAL, "more than %u counts", COUNTS_MAX);
	if (!array_grow(&r->s->counts, &r->s->cap, r->s->ncounts, 1, sizeof(*r->s->counts)))
		return diag_set(r->d, -ENOMEM, "out of memory");
	hash_table_put(&r->table, slot, hash_of(&l->count), r->s->ncounts);
	r->s->counts[r->s->ncounts] = l->count;
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

/* bpftool's objects name the runs of its program, which come first, each. */
static int perfstat_add_runs(struct reader *r, const json_t *o)
{
	struct perfstat_line l;
	double runs;

	if (!json_runs(o, &runs))
		return 0;
	if (r->s->ncounts && !strcmp(r->s->counts[0].event, "run_cnt") && r->s->counts[0].value == runs)
		return 0;
	if (r->s->ncounts)
		return diag_set(r->d, -EINVAL, "counts of several runs of bpftool prog profile");
	perfstat_line_init(&l);
	l.count.value = runs;
	perfstat_count_set_event(&l.count, "run_cnt", 7);
	return perfstat_add(r, &l);
}

static int perfstat_add_object(struct reader *r, const json_t *o)
{
	struct perfstat_line l;
	int found, err = perfstat_add_runs(r, o);

	if (err)
		return err;
	perfstat_line_init(&l);
	found = json_count(&l, o, r->d);
	return found > 0 ? perfstat_add(r, &l) : found;
}

/* "[root@host ~]# perf stat" begins none. */
static bool begins_json(const char *s, size_t len)
{
	const char *end = s + len, *next = len ? span_skip_blanks(s + 1, end) : end;

	return len && (*s == '{' || (*s == '[' && (next == end || *next == '{')));
}

static int perfstat_read_line(struct reader *r, const char *line, size_t len)
{
	struct perfstat_line l;
	const char *s = line;
	int found;

	s = span_skip_blanks(s, s + len);
	len -= (size_t)(s - line);
	if (r->json.depth || begins_json(s, len)) {
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
	if (len && memchr("#([", *s, 3) && r->s->ncounts)
		perfstat_line_go_on(&r->s->counts[r->s->ncounts - 1], s, len);
	if (!len || memchr("#([", *s, 3) || read_title(r, s, len) || read_seconds(r, s, len))
		return 0;
	perfstat_line_init(&l);
	found = perfstat_line_read_fields(&l, s, len, r->separator, r->d);
	if (!found)
		found = perfstat_line_read_text(&l, s, len, r->d);
	return found > 0 ? perfstat_add(r, &l) : found;
}

/*
 * The time that the listed intervals took. Stamps of -I count from perf's start, so a text that begins in the middle
 * begins one interval before its first stamp. An interval is as long as the way from one stamp to the next; the last
 * one may be shorter. A first stamp of less than one and a half intervals is that of perf's first interval. One stamp
 * alone may be of any: NaN. So may be what lies in a step that is longer than the first.
 */
static double elapsed_of_intervals(const struct reader *r)
{
	double step = r->first_step_s;

	if (r->intervals < 2 || r->longest_s > 1.5 * step)
		return NAN;
	return r->first_interval_s < 1.5 * step ? r->last_interval_s : r->last_interval_s - r->first_interval_s + step;
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
	if (!err && r.intervals)
		s->elapsed_s = elapsed_of_intervals(&r);
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
