// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/gen/gen.h"

#define NUMBER_MAX 1e18 /* larger counts and times in ns are none */

/* What the scripts report. Other members are of no use, and could be anything. */
static const struct {
	const char *name;
	bool number;
} members[] = {
	{"device", false},    {"mac", false},    {"driver", false},  {"pause", false},  {"kernel", false},
	{"ssh", false},       {"threads", true}, {"queues", true},   {"sent", true},    {"errors", true},
	{"speed_mbps", true}, {"dropped", true}, {"received", true}, {"seconds", true},
};

/* Other lines than JSON come from a shell's start-up file, for instance. */
json_t *remote_lines_report(const char *text, size_t len)
{
	const char *line = text, *end;
	json_t *all = NULL, *one;

	for (; (end = memchr(line, '\n', len - (size_t)(line - text))); line = end + 1) {
		one = *line == '{' ? json_loadb(line, (size_t)(end - line), 0, NULL) : NULL;
		all = all || !json_is_object(one) ? all : json_object();
		/* The known members of a report, each of its type; a later one replaces an earlier one. */
		for (size_t i = 0; json_is_object(one) && i < sizeof(members) / sizeof(*members); i++) {
			json_t *value = json_object_get(one, members[i].name);
			const char *words = json_string_value(value);

			if (members[i].number ? json_is_number(value) : words && strlen(words) < REMOTE_MEMBER)
				json_object_set(all, members[i].name, value);
		}
		json_decref(one);
	}
	return all;
}

/* The first of the two members that the report has; -1: neither, or no count. */
static int64_t remote_lines_number_of(const json_t *report, const char *name, const char *or_name)
{
	json_t *number = json_object_get(report, name) ?: json_object_get(report, or_name);
	double v = number ? json_number_value(number) : -1;

	return v >= 0 && v < NUMBER_MAX ? (int64_t)v : -1;
}

void remote_lines_result(const json_t *report, struct gen_result *r)
{
	double seconds = json_number_value(json_object_get(report, "seconds"));

	r->sent = remote_lines_number_of(report, "sent", "sent");
	r->refused = remote_lines_number_of(report, "errors", "dropped");
	r->back = remote_lines_number_of(report, "received", "received");
	r->handed = r->sent >= 0 ? (uint64_t)r->sent : 0;
	r->elapsed_ns = seconds >= 0 && seconds < NUMBER_MAX / 1e9 ? (uint64_t)(seconds * 1e9) : 0;
}

void remote_lines_keep(char *words, size_t size, size_t *nwords, const char *part, size_t n)
{
	size_t room = size - 1, over;

	if (n > room) {
		part += n - room;
		n = room;
	}
	over = *nwords + n > room ? *nwords + n - room : 0;
	memmove(words, words + over, *nwords - over);
	memcpy(words + *nwords - over, part, n);
	*nwords += n - over;
	words[*nwords] = 0;
}

void remote_lines_last(char *words, size_t nwords, char *line, size_t size)
{
	char *rest = words, *one;

	line[0] = 0;
	for (size_t i = 0; i < nwords; i++)
		words[i] = words[i] ? words[i] : '?';
	while ((one = strsep(&rest, "\r\n")))
		if (one[0])
			snprintf(line, size, "%s", one);
}
