// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

int events_find(const struct events *e, const char *name, size_t len)
{
	if (len >= sizeof(e->names[0]))
		len = sizeof(e->names[0]) - 1;
	for (int i = 0; i < e->n; i++)
		if (!strncmp(e->names[i], name, len) && !e->names[i][len])
			return i;
	return -1;
}

void events_add(struct events *e, const char *name, size_t len)
{
	if (len >= sizeof(e->names[0]))
		len = sizeof(e->names[0]) - 1;
	if (events_find(e, name, len) >= 0 || e->n == EVENTS_MAX)
		return;
	memcpy(e->names[e->n], name, len);
	memset(e->names[e->n] + len, 0, sizeof(e->names[0]) - len);
	e->n++;
}

void events_list(const struct events *e, char *list, size_t size)
{
	list[0] = '\0';
	for (int i = 0; i < e->n; i++)
		if (!listed_add(list, size, ", ", "%s", e->names[i]))
			return;
}

/* A wanted name without modifiers also matches the name with modifiers, which follow a colon. */
bool event_matches(const char *want, const char *event, size_t len)
{
	size_t n = strlen(want);

	return len >= n && !memcmp(want, event, n) && (len == n || event[n] == ':');
}

/* The names of clocks and cycles, by vendors. An interval of "slots" or of a counter of TSC is one of time, too. */
static const char *const clocks[] = {
	"cpu-clock",
	"task-clock",
	"cycles",
	"cpu-cycles",
	"cpu_cycles",
	"ref-cycles",
	"bus-cycles",
	"slots",
	"tsc",
	"aperf",
	"mperf",
	"ibs_op", /* without cnt_ctl=1 */
	/* Intel */
	"cpu_clk_unhalted",
	"cpu_clk_unhalted.thread*",
	"cpu_clk_unhalted.core*",
	"cpu_clk_unhalted.ref*",
	"cpu_clk_unhalted.distributed",
	"topdown.slots",
	"event=0x3c",
	"r3c",
	"r003c",
	/* AMD */
	"ls_not_halted_cyc",
	"cpu_clocks_unhalted",
	"event=0x76",
	"r76",
	"r0076",
	/* POWER */
	"pm_cyc",
	"pm_run_cyc",
};

/* "CYCLES" is one, and "cpu_clk_unhalted.thread_p", because a word ends in "*". */
static bool is_clock(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		size_t n = strlen(clocks[i]);
		bool begins = clocks[i][n - 1] == '*';

		n -= begins;
		if ((begins ? len >= n : len == n) && !strncasecmp(name, clocks[i], n))
			return true;
	}
	return false;
}

/* "cpu/event=0x3c,umask=0x0/": another mask or a threshold makes another event of it, a period or a name does not. */
static bool terms_are_plain(const char *s, const char *end)
{
	static const char *const plain[] = {"umask=0x0", "umask=0x00", "umask=0",     "period=",    "freq=",
					    "name=",     "percore",    "call-graph=", "stack-size="};

	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s)), *to = comma ? comma : end;
		bool known = false;

		for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
			known |= span_begins(s, (size_t)(to - s), plain[i]) &&
				 (plain[i][strlen(plain[i]) - 1] == '=' || strlen(plain[i]) == (size_t)(to - s));
		if (!known)
			return false;
		s = comma ? comma + 1 : end;
	}
	return true;
}

/* The modifiers behind "cycles:" or "cpu_core/cycles/": the user's part alone, as perf records it for all but root. */
static bool is_user_only(const char *modifiers)
{
	return strchr(modifiers, 'u') && !strchr(modifiers, 'k');
}

bool event_is_time(const char *event)
{
	const char *end = event + strlen(event), *slash = strchr(event, '/'), *close, *to;

	if (!slash) {
		to = strchr(event, ':');
		/* "kmem:kmem_cache_alloc_node" is a tracepoint, and the letters of "cycles:ppp" are modifiers */
		if (to && (to[1 + strspn(to + 1, "ukhGHpPSDIeWRb")] || is_user_only(to)))
			return false;
		return !*event || is_clock(event, (size_t)((to ? to : end) - event));
	}
	close = strchr(slash + 1, '/');
	close = close ? close : end;
	to = memchr(slash, ',', (size_t)(close - slash));
	to = to ? to : close;
	if (!terms_are_plain(to + (to < close), close) || is_user_only(close))
		return false;
	if (is_clock(slash + 1, (size_t)(to - slash - 1)))
		return true;
	return is_clock(event, (size_t)(slash - event)) && terms_are_plain(slash + 1, to);
}

const char *event_no_time(const char *event, bool by_weight)
{
	char whole[64];
	char *colon;

	if (by_weight)
		return "was counted by weight, as perf mem does, so its shares are no shares of time";
	if (event_is_time(event))
		return NULL;
	snprintf(whole, sizeof(whole), "%s", event);
	colon = strrchr(whole, *whole && strchr(whole, '/') ? '/' : ':');
	if (colon && is_user_only(colon)) {
		colon[strchr(whole, '/') ? 1 : 0] = '\0';
		if (event_is_time(whole))
			return "is the time of user space alone, and that of a packet is the kernel's, too; perf "
			       "records it so for all but root";
	}
	return "is no time, so its shares are no nanoseconds";
}
