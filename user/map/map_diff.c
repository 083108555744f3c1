// SPDX-License-Identifier: GPL-2.0-or-later
/* Two maps: what is there no longer, what is new, and what has another value. */
#include "user/map/map.h"

#define WORDS 2048

/* A program has another number after each load: name and tag say which it is. */
static const char *name_of(const json_t *programs, const char *id, char *name, size_t size)
{
	const json_t *o = json_object_get(programs, id);

	if (strncmp(id, "prog:", 5) || !o || !*json_text_of(o, "tag"))
		snprintf(name, size, "%s", id);
	else
		snprintf(name, size, "program %s (%s)", json_text_of(o, "name"), json_text_of(o, "tag"));
	return name;
}

__attribute__((format(printf, 3, 4))) static void fact(json_t *facts, json_t *value, const char *fmt, ...)
{
	char words[WORDS], name[WORDS + 32];
	va_list args;
	int n = 1;

	va_start(args, fmt);
	vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	/* two maps of one program may have the same name */
	snprintf(name, sizeof(name), "%s", words);
	while (json_object_get(facts, name))
		snprintf(name, sizeof(name), "%s, number %d", words, ++n);
	json_object_set(facts, name, value);
}

/* What the map says, one sentence each, and of a device its values. */
static json_t *facts_of(const json_t *map)
{
	json_t *facts = json_object(), *programs = json_object(), *o;
	char a[WORDS / 4], b[WORDS / 4];
	size_t i;

	json_array_foreach (json_object_get(map, "programs"), i, o)
		json_object_set(programs, json_text_of(o, "program"), o);
	json_array_foreach (json_object_get(map, "namespaces"), i, o)
		fact(facts, json_null(), "namespace %s", json_text_of(o, "namespace"));
	json_array_foreach (json_object_get(map, "devices"), i, o)
		fact(facts, o, "device %s", json_text_of(o, "device"));
	json_array_foreach (json_object_get(map, "attachments"), i, o)
		fact(facts, json_null(), "%s at %s of %s", name_of(programs, json_text_of(o, "program"), a, sizeof(a)),
		     json_text_of(o, "hook"), json_text_of(o, "device"));
	json_array_foreach (json_object_get(map, "edges"), i, o)
		fact(facts, json_null(), "%s: %s -> %s", json_text_of(o, "kind"),
		     name_of(programs, json_text_of(o, "from"), a, sizeof(a)),
		     name_of(programs, json_text_of(o, "to"), b, sizeof(b)));
	json_array_foreach (json_object_get(map, "hooks"), i, o)
		if (*json_text_of(o, "device"))
			fact(facts, json_null(), "%s %s of %s", json_text_of(o, "kind"), json_text_of(o, "name"),
			     json_text_of(o, "device"));
		else
			fact(facts, json_null(), "%s %s %s %s of %s", json_text_of(o, "kind"),
			     json_text_of(o, "family"), json_text_of(o, "table"), json_text_of(o, "name"),
			     json_text_of(o, "namespace"));
	json_decref(programs);
	return facts;
}

static void say(json_t *list, const char *words)
{
	json_array_append_new(list, json_text_string(words));
}

static void compare_device(json_t *changed, const char *device, json_t *before, json_t *after)
{
	/* numbers of the kernel for one and the same thing say nothing */
	static const char *const values[] = {"kind", "vlan", "up", "carrier", "mtu", "rx_queues", "tx_queues", "qdisc"};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		json_t *x = json_object_get(before, values[i]) ?: json_null(),
		       *y = json_object_get(after, values[i]) ?: json_null();
		char *a = json_dumps(x, JSON_ENCODE_ANY), *b = json_dumps(y, JSON_ENCODE_ANY), words[WORDS];

		if (!json_equal(x, y)) {
			snprintf(words, sizeof(words), "%s: %s %s -> %s", device, values[i], a ?: "", b ?: "");
			say(changed, words);
		}
		free(a);
		free(b);
	}
}

json_t *map_diff(const json_t *before, const json_t *after)
{
	json_t *was = facts_of(before), *is = facts_of(after), *gone = json_array(), *new = json_array(),
	       *changed = json_array(), *o;
	const char *words;

	json_object_foreach (was, words, o)
		if (!json_object_get(is, words))
			say(gone, words);
		else if (!json_is_null(o))
			compare_device(changed, words, o, json_object_get(is, words));
	json_object_foreach (is, words, o)
		if (!json_object_get(was, words))
			say(new, words);
	json_decref(was);
	json_decref(is);
	return json_pack("{s:s, s:o, s:o, s:o}", "schema", MAP_DIFF_SCHEMA, "gone", gone, "new", new, "changed",
			 changed);
}
