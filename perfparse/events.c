// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include "perfparse/events.h"

void events_add(struct events *e, const char *name, size_t len)
{
	int i;

	if (len >= sizeof(e->names[0]))
		len = sizeof(e->names[0]) - 1;
	for (i = 0; i < e->n; i++)
		if (!strncmp(e->names[i], name, len) && !e->names[i][len])
			return;
	if (e->n == EVENTS_MAX)
		return;
	memcpy(e->names[e->n], name, len);
	memset(e->names[e->n] + len, 0, sizeof(e->names[0]) - len);
	e->n++;
}

void events_add_trimmed(struct events *e, const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	if (from < to)
		events_add(e, from, (size_t)(to - from));
}

void events_list(const struct events *e, char *list, size_t size)
{
	size_t used = 0;
	int i, n;

	list[0] = '\0';
	for (i = 0; i < e->n; i++) {
		n = snprintf(list + used, size - used, "%s%s", i ? ", " : "", e->names[i]);
		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
	}
}

/* A wanted name without modifiers also matches the name with modifiers, which follow a colon. */
bool event_matches(const char *want, const char *event, size_t len)
{
	size_t n = strlen(want);

	return len >= n && !memcmp(want, event, n) && (len == n || event[n] == ':');
}

/* "kmem:kmem_cache_alloc_node", and not "cycles:ppp", whose letters are modifiers. */
static bool is_tracepoint(const char *event)
{
	const char *colon = strchr(event, ':');

	return colon && !strchr(event, '/') && colon[1 + strspn(colon + 1, "ukhGHpPSDIeWRb")];
}

bool event_is_time(const char *event)
{
	static const char *const others[] = {
		"page-faults",
		"faults",
		"minor-faults",
		"major-faults",
		"context-switches",
		"cs",
		"cpu-migrations",
		"migrations",
		"alignment-faults",
		"emulation-faults",
		"cgroup-switches",
		"bpf-output",
		"cache-references",
		"cache-misses",
		"L1-",
		"LLC-",
		"dTLB-",
		"iTLB-",
		"node-",
		"branch",
		"instructions",
		"mem-loads",
		"mem-stores",
		"stalled-cycles-",
	};
	const char *slash = strchr(event, '/'), *name = slash ? slash + 1 : event;

	if (is_tracepoint(event))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		size_t n = strlen(others[i]);

		/* A whole name, or the beginning of several. */
		if (!strncmp(name, others[i], n) &&
		    (others[i][n - 1] == '-' || !strcmp(others[i], "branch") || strchr("/,:", name[n])))
			return false;
	}
	return true;
}
