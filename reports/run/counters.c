// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

const char *const counter_source_names[COUNTER_SOURCES] = {
	[COUNTER_ETHTOOL] = "ethtool",
	[COUNTER_LINK] = "link",
	[COUNTER_PAGE_POOL] = "page-pool",
};

static struct counter *find_from(const struct counters *c, size_t from, enum counter_source source, const char *name)
{
	for (size_t i = from; i < c->n; i++)
		if (c->list[i].source == source && !strcmp(c->list[i].name, name))
			return &c->list[i];
	return NULL;
}

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

/* Between two readings a few seconds apart, no counter runs through half of its range. */
static bool growth_of(uint64_t before, uint64_t after, uint64_t *growth)
{
	*growth = after - before; /* unsigned arithmetic is right for a wrap at 2^64 */
	if (after >= before || before >= UINT64_C(1) << 63)
		return true;
	if (before >= UINT64_C(1) << 31 && before <= UINT32_MAX && after < UINT64_C(1) << 31) {
		*growth += UINT64_C(1) << 32;
		return true;
	}
	*growth = 0;
	return false;
}

/* Adds to the counter of the same name if growth has it. A linear search is enough: few counters change. */
static int add_growth(struct counters *growth, const struct counter *c, uint64_t value, bool known, bool all)
{
	struct counter *same;

	if (!all && known && !value)
		return 0;
	same = all ? NULL : find_from(growth, 0, c->source, c->name);
	if (!same)
		return counters_append(growth, c->source, c->name, strlen(c->name), value, known);
	same->value += value;
	same->known &= known;
	return 0;
}

/* Looks at `place` first: a counter is almost always at the same place in both readings. */
static const struct counter *find_near(const struct counters *c, size_t place, const struct counter *like)
{
	if (place < c->n && c->list[place].source == like->source && !strcmp(c->list[place].name, like->name))
		return &c->list[place];
	return find_from(c, 0, like->source, like->name);
}

int counters_growth(struct counters *growth, const struct counters *before, const struct counters *after, bool all)
{
	int err = 0;

	memset(growth, 0, sizeof(*growth));
	for (size_t i = 0; i < after->n && !err; i++) {
		const struct counter *now = &after->list[i], *was = find_near(before, i, now);
		uint64_t value = 0;
		bool known = was && was->known && now->known && growth_of(was->value, now->value, &value);

		err = add_growth(growth, now, value, known, all);
	}
	for (size_t i = 0; i < before->n && !err; i++)
		if (!find_near(after, i, &before->list[i]))
			err = add_growth(growth, &before->list[i], 0, false, all);
	if (err)
		counters_release(growth);
	return err;
}
