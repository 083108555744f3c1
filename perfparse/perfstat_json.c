// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* Follows brackets outside of strings. */
static void follow(struct json_lines *j, const char *s, size_t len)
{
	for (const char *end = s + len; s < end; s++) {
		if (j->in_string) {
			j->in_string = j->escaped || *s != '"';
			j->escaped = !j->escaped && *s == '\\';
		} else if (*s == '"') {
			j->in_string = true;
		} else if (*s == '{' || *s == '[') {
			j->depth++;
		} else if (j->depth && (*s == '}' || *s == ']')) {
			j->depth--;
		}
	}
}

bool json_lines_add(struct json_lines *j, const char *line, size_t len)
{
	if (!array_grow(&j->text, &j->cap, j->len, len + 1, 1))
		return false;
	memcpy(j->text + j->len, line, len);
	j->len += len;
	j->text[j->len++] = '\n';
	follow(j, line, len);
	return true;
}

void json_lines_release(struct json_lines *j)
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

static void json_place(const json_t *o, struct perfstat_count *c)
{
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
}

bool json_runs(const json_t *o, double *runs)
{
	return json_object_get(o, "metric") && json_number(o, "run_cnt", runs);
}

/* "running" of "enabled" ns: another event had the counter for the rest of the time. */
static int count_of_bpftool(struct perfstat_line *l, const json_t *o)
{
	const char *metric = json_string_value(json_object_get(o, "metric"));
	double enabled, running;

	if (!metric || !json_number(o, "value", &l->count.value) || !json_number(o, "enabled", &enabled) ||
	    !json_number(o, "running", &running))
		return -EINVAL;
	l->count.running_pct = enabled > 0 ? 100 * running / enabled : 0;
	perfstat_count_set_event(&l->count, metric, strlen(metric));
	return 1;
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
	json_place(o, c);
	json_number(o, "interval", &l->interval_s);
	json_number(o, "variance", &c->variance_pct);
	json_number(o, "event-runtime", &c->runtime_ns);
	json_number(o, "pcnt-running", &c->running_pct);
	perfstat_count_set_event(c, event, strlen(event));
	return 1;
}

int json_count(struct perfstat_line *l, const json_t *o, struct diag *d)
{
	double runs;
	bool bpftool = json_runs(o, &runs);
	int found = bpftool ? count_of_bpftool(l, o) : count_of_perf(l, o);

	return found < 0 ? diag_set(d, found, "a %s that is no number", bpftool ? "value" : "counter-value") : found;
}
