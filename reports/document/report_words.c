// SPDX-License-Identifier: GPL-2.0-or-later
/* Sentences about runs and their variants. */
#include "reports/document/document.h"

/* What an import was not told is left out, and named at the end. */
void run_words(const struct run *r, char *line, size_t size)
{
	char rate[32] = "", blocks[600], missing[64] = "";

	const struct {
		const char *name, *before, *text, *after;
	} facts[] = {{"device", "", r->facts.device, ""},
		     {"driver", "(", r->facts.driver, ")"},
		     {"kernel", "Linux ", r->facts.kernel, ""},
		     {"CPU", "", r->facts.cpu_model, ""},
		     {"event", "", r->event, rate},
		     {"", "", blocks, ""},
		     {"date", "", r->started, ""}};

	if (!isnan(r->sample_hz))
		snprintf(rate, sizeof(rate), " at %.0f Hz", r->sample_hz);
	snprintf(blocks, sizeof(blocks), "%zu block%s%s%s", r->nblocks, r->nblocks == 1 ? "" : "s",
		 r->view_why[0] ? " and no turns: " : "", r->view_why);
	line[0] = '\0';
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!strcmp(known(facts[i].text), NOT_KNOWN))
			listed_add(missing, sizeof(missing), ", ", "%s", facts[i].name);
		else
			listed_add(line, size, i == 1 ? " " : ", ", "%s%s%s", facts[i].before, facts[i].text,
				   facts[i].after);
	if (*missing)
		listed_add(line, size, "; not known: ", "%s", missing);
}

void stage_words(const struct analysis_variant *v, char *line, size_t size)
{
	const struct analysis_stage *s = &v->stage;
	char ns[64], sampled[64], overhead[64];

	if (isnan(s->ns))
		snprintf(line, size, "%s; what it costs is not known, and in the base as far as it ran on the RX CPU",
			 v->variant->stage_text);
	else
		snprintf(line, size, "%s ns per frame%s: %s", digits_interval(s->ns, s->half_ns, ns, sizeof(ns)),
			 s->by_task ? "" : ", excluded from the RX CPU's time", v->variant->stage_text);
	if (s->task && s->task->nsymbols && !isnan(s->ns))
		snprintf(line + strlen(line), size - strlen(line),
			 "; sampling makes it %s %% slower, and the samples account for %s %% of that time",
			 digits_interval(s->task->overhead_pct, s->task->overhead_half_pct, overhead, sizeof(overhead)),
			 digits_interval(s->task->sampled_busy_pct, s->task->sampled_busy_half_pct, sampled,
					 sizeof(sampled)));
	if (!isnan(s->dropped_pct))
		snprintf(line + strlen(line), size - strlen(line), "; %.2g %% of the frames dropped before it",
			 s->dropped_pct);
}

static void report_words_add_words(char *line, size_t size, const char *name, const char *base, const char *new)
{
	size_t used = strlen(line);

	snprintf(line + used, size - used, "%s%s %s and %s", used ? ", " : "", name, base, new);
}

/* The word of a parameter in "init_on_alloc=1", "nosmt"; NULL: it was not given. */
static const char *find_parameter(json_t *list, const char *word)
{
	size_t len = strcspn(word, "="), i;
	json_t *one;

	json_array_foreach (list, i, one) {
		const char *s = json_string_value(one);

		if (s && strcspn(s, "=") == len && !memcmp(s, word, len))
			return s;
	}
	return NULL;
}

/* Parameters of `list` that `other` has not, or with another value. A value that both have is told once. */
static void add_parameters(char *line, size_t size, json_t *list, json_t *other, bool swapped)
{
	json_t *one;
	size_t i;

	json_array_foreach (list, i, one) {
		const char *a = json_string_value(one), *b = a ? find_parameter(other, a) : NULL;

		if (!a || (b && (swapped || !strcmp(a, b))))
			continue;
		b = b ? b : "not given";
		report_words_add_words(line, size, "boot parameter", swapped ? b : a, swapped ? a : b);
	}
}

bool config_words(const struct run *base, const struct run *new, char *line, size_t size)
{
	json_t *was_booted = json_object_get(base->environment, "boot"), *is_booted;
	json_t *was = json_object_get(base->environment, "config"), *is = json_object_get(new->environment, "config");
	const char *mode_was = json_string_value(json_object_get(base->environment, "preempt_mode"));
	const char *mode_is = json_string_value(json_object_get(new->environment, "preempt_mode"));
	const char *name;
	json_t *value;

	line[0] = '\0';
	is_booted = json_object_get(new->environment, "boot");
	if (json_is_object(was) && json_is_object(is)) {
		json_object_foreach (was, name, value) {
			const char *a = json_string_value(value), *b = json_string_value(json_object_get(is, name));

			if (a && strcmp(a, b ? b : "n"))
				report_words_add_words(line, size, name, a, b ? b : "n");
		}
		json_object_foreach (is, name, value) {
			const char *b = json_string_value(value);

			if (b && !json_object_get(was, name) && strcmp(b, "n"))
				report_words_add_words(line, size, name, "n", b);
		}
	}
	if (mode_was && mode_is && strcmp(mode_was, mode_is))
		report_words_add_words(line, size, "preemption", mode_was, mode_is);
	if (json_is_array(was_booted) && json_is_array(is_booted)) {
		add_parameters(line, size, was_booted, is_booted, false);
		add_parameters(line, size, is_booted, was_booted, true);
	}
	return line[0];
}

void exact_words(const struct exact *e, char *line, size_t size)
{
	snprintf(line, size, "%s, Linux %s%s%s%s%s%s, counted by QEMU %s, %s", e->nic, e->kernel,
		 e->source[0] ? " (" : "", e->source, e->source[0] ? ")" : "", e->append[0] ? ", booted with " : "",
		 e->append, e->emulator, e->time);
}

void made_rows_put(struct rows *r, const struct made *m)
{
	char line[MADE_DIFFERS_BYTES];

	if (m->program.tag[0])
		rows_words(r, "program_tag", "%s", m->program.tag);
	rows_value(r, "program_instructions", m->program.instructions < 0 ? NAN : m->program.instructions);
	rows_value(r, "program_bytes", m->program.bytes < 0 ? NAN : m->program.bytes);
	if (made_words(m, line, sizeof(line)))
		rows_words(r, "made_words", "%s", line);
}

bool made_rows_change(struct rows *r, const struct made *base, const char *base_id, const struct made *new,
		      const char *new_id)
{
	char line[MADE_DIFFERS_BYTES];

	bool differs = made_differs(base, base_id, new, new_id, line, sizeof(line));

	if (differs)
		rows_words(r, "made_words", "not the same: %s", line);
	return differs;
}
