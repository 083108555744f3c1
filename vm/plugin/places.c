// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/places.h"

#include <inttypes.h>
#include <string.h>
#include "vm/plugin/guest_file.h"
#include "vm/plugin/table.h"

struct range {
	uint64_t start, end;
	unsigned int place;
};

static struct map {
	struct range *ranges;
	size_t n, room;
} before, now;

static const char **names;
static size_t nnames;

static unsigned int places_add_name(const char *name)
{
	names = must(realloc(names, (nnames + 1) * sizeof(*names)));
	names[nnames] = must(strdup(name));
	return (unsigned int)nnames++;
}

static unsigned int places_number_of(const char *name)
{
	static const char *const fixed[PLACE_FIRST] = {
		[PLACE_UNKNOWN] = "not known", [PLACE_CHANGED] = "changed hands", [PLACE_STACK] = "stack"};

	for (size_t i = 0; i < PLACE_FIRST && nnames < PLACE_FIRST; i++)
		places_add_name(fixed[i]);
	for (size_t i = 0; i < nnames; i++)
		if (!strcmp(names[i], name))
			return (unsigned int)i;
	return places_add_name(name);
}

bool places_read(const char *path)
{
	char line[256], name[128];
	FILE *in = guest_file_open(path);
	struct map old = before;
	struct range r;

	before = now;
	now = old;
	now.n = 0;
	while (in && guest_file_line(line, sizeof(line), in)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %127[^\n]", &r.start, &r.end, name) != 3)
			continue;
		if (now.n == now.room) {
			now.room = now.room ? 2 * now.room : 1 << 12;
			now.ranges = must(realloc(now.ranges, now.room * sizeof(*now.ranges)));
		}
		r.place = places_number_of(name);
		now.ranges[now.n++] = r;
	}
	if (in)
		fclose(in);
	return now.n > 0;
}

static unsigned int look_up(const struct map *m, uint64_t address)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->n && m->ranges[low].start <= address ? m->ranges[low].place : PLACE_UNKNOWN;
}

unsigned int place_at(uint64_t address)
{
	unsigned int place = look_up(&now, address);

	return look_up(&before, address) == place ? place : PLACE_CHANGED;
}

const char *place_name(unsigned int place)
{
	places_number_of("stack"); /* the names that no file has */
	return names[place];
}

size_t places_count(void)
{
	places_number_of("stack");
	return nnames;
}
