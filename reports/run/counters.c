// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

const char *const counter_source_names[COUNTER_SOURCES] = {
	[COUNTER_ETHTOOL] = "ethtool",
	[COUNTER_LINK] = "link",
	[COUNTER_PAGE_POOL] = "page-pool",
};

int counters_append(struct counters *c, enum counter_source source, const char *name, size_t len, uint64_t value,
		    bool known)
{
	struct counter *new = array_add(&c->list, &c->n, sizeof(*new));

	if (!new)
		return -ENOMEM;
	*new = (struct counter){.source = source, .value = value, .known = known};
	/*
	 * Keeps printable ASCII: JSON accepts UTF-8 only, and a driver may write any bytes into its name of 32 bytes.
	 */
	char *out = new->name;
	size_t size = sizeof(new->name);
	size_t n = 0;
	while (len && *name == ' ') {
		name++;
		len--;
	}
	while (len && name[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len && name[i] && n + 1 < size; i++)
		out[n++] = name[i] > ' ' && name[i] < 0x7f ? name[i] : name[i] == ' ' ? ' ' : '?';
	out[n] = '\0';
	return 0;
}

void counters_release(struct counters *c)
{
	free(c->list);
	c->list = NULL;
	c->n = 0;
}

/* The counter of the same name; `place` first: a counter is almost always at the same place in both readings. */
static struct counter *find(const struct counters *c, size_t place, const struct counter *like)
{
	for (size_t i = 0; i <= c->n; i++) {
		size_t at = i ? i - 1 : place;

		if (at < c->n && c->list[at].source == like->source && !strcmp(c->list[at].name, like->name))
			return &c->list[at];
	}
	return NULL;
}

int counters_growth(struct counters *growth, const struct counters *before, const struct counters *after, bool all)
{
	int err = 0;

	memset(growth, 0, sizeof(*growth));
	for (size_t i = 0; i < after->n + before->n && !err; i++) {
		bool old = i >= after->n; /* of the reading before: those that are gone */
		size_t place = old ? i - after->n : i;
		const struct counter *c = old ? &before->list[place] : &after->list[place];
		const struct counter *was = find(old ? after : before, place, c);
		bool known = !old && was && was->known && c->known;
		uint64_t value = known ? c->value - was->value : 0; /* right for a wrap at 2^64, too */
		struct counter *same;

		if (old && was)
			continue;
		/* Between two readings a few seconds apart, no counter runs through half of its range. */
		if (known && c->value < was->value && was->value < UINT64_C(1) << 63) {
			known = was->value >= UINT64_C(1) << 31 && was->value <= UINT32_MAX &&
				c->value < UINT64_C(1) << 31;
			value = known ? value + (UINT64_C(1) << 32) : 0;
		}
		if (!all && known && !value)
			continue;
		/* Adds to the counter of the same name. A linear search is enough: few counters change. */
		same = all ? NULL : find(growth, 0, c);
		if (same) {
			same->value += value;
			same->known &= known;
		} else {
			err = counters_append(growth, c->source, c->name, strlen(c->name), value, known);
		}
	}
	if (err)
		counters_release(growth);
	return err;
}
