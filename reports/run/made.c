// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

void made_compiler(const char *version, char *compiler, size_t size)
{
	const char *s = strchr(version, '('), *end;

	compiler[0] = '\0';
	/* The first group in brackets is who built it, and where; the compiler is the second one, up to its comma. */
	for (int group = 0; s && group < 2; group++) {
		int depth = 0;

		for (end = s + 1; *end; end++) {
			if (*end == ')' && !depth--)
				break;
			if (*end == '(')
				depth++;
			if (group && *end == ',' && !depth)
				break;
		}
		if (group && *end)
			snprintf(compiler, size, "%.*s", (int)(end - s - 1), s + 1);
		s = strstr(end, " (");
		s = s ? s + 1 : NULL;
	}
}

/* What a cross compiler is called says what it compiles for: "x86_64-linux-gnu-gcc-12" is "gcc-12". */
bool made_other_compiler(const char *a, const char *b)
{
	const char *names[] = {a, b};

	for (int i = 0; i < 2; i++) {
		const char *gcc = strstr(names[i], "-gcc"), *word = strchr(names[i], ' ');

		names[i] = gcc && (!word || gcc < word) ? gcc + 1 : names[i];
	}
	return a[0] && b[0] && strcmp(names[0], names[1]) != 0;
}

bool made_is_option(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return n && text[n] == '=' && text[n + 1] &&
	       strspn(text + n + 1, "-0123456789abcdefxyn") == strlen(text + n + 1);
}

size_t made_config_differs(const char *base, const char *new, char *line, size_t size)
{
	const char *a = or_empty(base), *b = or_empty(new);
	size_t n = 0, differing = 0, left_out = 0;

	line[0] = '\0';
	while (*a && *b) {
		size_t a_name = strcspn(a, "="), b_name = strcspn(b, "="), a_len = strcspn(a, "\n"),
		       b_len = strcspn(b, "\n");
		int c = strncmp(a, b, a_name < b_name ? a_name : b_name) ?: ORDER(a_name, b_name), name = (int)a_name;
		const char *was = a + name + 1, *is = b + name + 1;
		int old = (int)a_len - name - 1, value = c ? 0 : (int)b_len - name - 1;

		if (!c && (old != value || strncmp(was, is, (size_t)value) != 0)) {
			differing++;
			if (n + (size_t)(name + old + value) + 40 < size)
				n += (size_t)sprintf(line + n, "%s%.*s %.*s and %.*s", n ? ", " : "", name, a, old, was,
						     value, is);
			else
				left_out++;
		}
		if (c <= 0)
			a += a_len + (a[a_len] == '\n');
		if (c >= 0)
			b += b_len + (b[b_len] == '\n');
	}
	if (left_out)
		snprintf(line + n, size - n, "%s%zu more", n ? ", and " : "", left_out);
	return differing;
}

char *made_mitigations(const json_t *object)
{
	const char *name, *next, *last = "";
	const json_t *state;
	size_t bytes = 1;
	char *text;

	json_object_foreach ((json_t *)object, name, state)
		bytes += strlen(name) + json_string_length(state) + 2;
	text = json_object_size(object) ? calloc(1, bytes) : NULL;
	for (size_t i = 0; text && i < json_object_size(object); i++, last = next) {
		next = NULL;
		json_object_foreach ((json_t *)object, name, state)
			if (strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0))
				next = name;
		state = json_object_get(object, next);
		if (json_is_string(state))
			sprintf(text + strlen(text), "%s=%s\n", next, json_string_value(state));
	}
	return text;
}

static void program_words(const struct made_program *p, char *line, size_t size)
{
	int n = snprintf(line, size, "%s", p->tag[0] ? p->tag : NOT_KNOWN);

	if (p->instructions >= 0)
		snprintf(line + n, size - (size_t)n, " of %d BPF instructions", p->instructions);
	n = (int)strlen(line);
	if (p->bytes > 0)
		snprintf(line + n, size - (size_t)n, " and %d bytes of machine code", p->bytes);
	else if (!p->bytes)
		snprintf(line + n, size - (size_t)n, ", interpreted");
}

bool made_words(const struct made *m, char *line, size_t size)
{
	char program[120] = "";

	if (!or_empty(m->compiler)[0] && m->program.instructions < 0)
		return false;
	program_words(&m->program, program, sizeof(program));
	snprintf(line, size, "kernel by %s; program %s", known(m->compiler), program);
	return true;
}

bool made_differs(const struct made *base, const char *base_id, const struct made *new, const char *new_id, char *line,
		  size_t size)
{
	const struct made_program *p = &base->program, *q = &new->program;
	const char *const kernels[] = {base->kernel, new->kernel};
	enum { HASH_UNKNOWN, HASH_SHA1, HASH_SHA256 } hash[2] = {HASH_UNKNOWN, HASH_UNKNOWN};
	unsigned int major, minor;
	char a[120], b[120], config[MADE_CONFIG_BYTES];
	size_t name = strcspn(base_id, "@"); /* drop/no-touch@native and drop/no-touch@skb run one program */
	for (int i = 0; i < 2; i++)
		if (kernels[i] && sscanf(kernels[i], "%u.%u", &major, &minor) == 2)
			hash[i] = major > 6 || (major == 6 && minor >= 18) ? HASH_SHA256 : HASH_SHA1;
	bool tags = hash[0] != HASH_UNKNOWN && hash[0] == hash[1] && p->tag[0] && q->tag[0];
	bool differs = (tags && strcmp(p->tag, q->tag)) ||
		       (p->instructions >= 0 && q->instructions >= 0 && p->instructions != q->instructions) ||
		       (p->bytes >= 0 && q->bytes >= 0 && p->bytes != q->bytes);

	line[0] = '\0';
	if (made_other_compiler(or_empty(base->compiler), or_empty(new->compiler)))
		snprintf(line, size, "kernel by %s and %s", base->compiler, new->compiler);
	if (made_config_differs(base->config, new->config, config, sizeof(config)))
		listed_add(line, size, "; ", "kernel with %s", config);
	if (made_config_differs(base->mitigations, new->mitigations, config, sizeof(config)))
		listed_add(line, size, "; ", "mitigations: %s", config);
	if (differs && name == strcspn(new_id, "@") && !strncmp(base_id, new_id, name)) {
		program_words(p, a, sizeof(a));
		program_words(q, b, sizeof(b));
		listed_add(line, size, "; ", "program %s, and %s", a, b);
	}
	return line[0];
}
