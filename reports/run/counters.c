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

/* Adds to the counter of the same name if growth has it. A linear search is enough: few counters change. */
static int add_growth(struct counters *growth, const struct counter *c, uint64_t value, bool known, bool all)
{
	struct counter *same;

	if (!all && known && !value)
		return 0;
	same = all ? NULL : find(growth, 0, c);
	if (!same)
		return counters_append(growth, c->source, c->name, strlen(c->name), value, known);
	same->value += value;
	same->known &= known;
	return 0;
}

int counters_growth(struct counters *growth, const struct counters *before, const struct counters *after, bool all)
{
	int err = 0;

	memset(growth, 0, sizeof(*growth));
	for (size_t i = 0; i < after->n && !err; i++) {
		const struct counter *now = &after->list[i], *was = find(before, i, now);
		bool known = was && was->known && now->known;
		uint64_t value = known ? now->value - was->value : 0; /* right for a wrap at 2^64, too */

		/* Between two readings a few seconds apart, no counter runs through half of its range. */
		if (known && now->value < was->value && was->value < UINT64_C(1) << 63) {
			known = was->value >= UINT64_C(1) << 31 && was->value <= UINT32_MAX &&
				now->value < UINT64_C(1) << 31;
			value = known ? value + (UINT64_C(1) << 32) : 0;
		}
		err = add_growth(growth, now, value, known, all);
	}
	for (size_t i = 0; i < before->n && !err; i++)
		if (!find(after, i, &before->list[i]))
			err = add_growth(growth, &before->list[i], 0, false, all);
	if (err)
		counters_release(growth);
	return err;
}
