// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/plugin.h"

#include <dirent.h>
#include <sys/mman.h>

/* ---- places ---------------------------------------------------------------------------------------------- */

/* A page that has two names changed hands between the two files. Names hold for ever; those from the files follow. */
enum { PLACE_UNKNOWN, PLACE_CHANGED, PLACE_STACK, PLACE_FIRST };

struct range {
	uint64_t end, start;
	unsigned int place;
};

static struct map {
	struct range *ranges;
	size_t n;
} before, now;

#define PLACES 65536 /* the names of more are not known */

static const char *names[PLACES] = {
	[PLACE_UNKNOWN] = "not known", [PLACE_CHANGED] = "changed hands", [PLACE_STACK] = "stack"};
static unsigned int nnames = PLACE_FIRST;

bool places_read(const char *path)
{
	char line[256], name[128];
	FILE *in = guest_file_open(path);
	struct map old = before;
	unsigned int place;
	uint64_t start, end;
	struct range *r;

	before = now;
	now = old;
	now.n = 0;
	while (in && guest_file_line(line, sizeof(line), in)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %127[^\n]", &start, &end, name) != 3)
			continue;
		for (place = 0; place < nnames && strcmp(names[place], name); place++)
			;
		if (place == PLACES)
			place = PLACE_UNKNOWN;
		else if (place == nnames)
			names[nnames++] = must(strdup(name));
		r = must(array_add(&now.ranges, &now.n, sizeof(*r)));
		*r = (struct range){end, start, place};
	}
	if (in)
		fclose(in);
	return now.n > 0;
}

static unsigned int look_up(const struct map *m, uint64_t address)
{
	size_t low = count_up_to(m->ranges, m->n, sizeof(*m->ranges), address);

	return low < m->n && m->ranges[low].start <= address ? m->ranges[low].place : PLACE_UNKNOWN;
}

/* ---- device ---------------------------------------------------------------------------------------------- */

#define LINE 64

static int fd = -1; /* of the RAM; QEMU's own */
static const uint8_t *ram;
static uint8_t *copy; /* of what is a hole in the memfd there are zeros */
static uint64_t size;

/* Only what the memfd holds is read: reading a hole would fill it. */
bool device_begin(void)
{
	static const char wanted[] = "/memfd:memory-backend-memfd"; /* the name that QEMU gives the memfd of the RAM */
	off_t start = 0, end;
	struct stat st;

	if (!ram) {
		DIR *dir = opendir("/proc/self/fd");
		struct dirent *e;
		void *seen, *own;

		for (fd = -1; dir && fd < 0 && (e = readdir(dir));) {
			char name[64] = "";

			if (readlinkat(dirfd(dir), e->d_name, name, sizeof(name) - 1) > 0 &&
			    !strncmp(name, wanted, sizeof(wanted) - 1))
				fd = atoi(e->d_name);
		}
		if (dir)
			closedir(dir);
		if (fd < 0 || fstat(fd, &st))
			return false;
		size = (uint64_t)st.st_size;
		seen = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (seen == MAP_FAILED || own == MAP_FAILED)
			return false;
		ram = seen;
		copy = own;
	}
	while ((start = lseek(fd, start, SEEK_DATA)) >= 0 && (end = lseek(fd, start, SEEK_HOLE)) > start) {
		memcpy(copy + start, ram + start, (size_t)(end - start));
		start = end;
	}
	return true;
}

unsigned int device_lines(qemu_plugin_meminfo_t info, uint64_t address)
{
	const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, address);
	uint64_t start, end, last;
	unsigned int n = 0;

	if (!where || qemu_plugin_hwaddr_is_io(where))
		return 0;
	start = qemu_plugin_hwaddr_phys_addr(where);
	end = start + (1ULL << qemu_plugin_mem_size_shift(info));
	if (end > size)
		return 0;
	last = qemu_plugin_mem_is_store(info) ? end : start; /* of what the access itself changes */
	for (uint64_t line = start / LINE * LINE; line < end; line += LINE) {
		/* Did a device write the line, but for the bytes from start to last? The copy follows. */
		uint8_t seen[LINE], *then = copy + line;
		uint64_t head = start > line ? start - line : 0, tail = last > line ? last - line : 0;

		tail = tail < LINE ? tail : LINE;
		memcpy(seen, ram + line, LINE); /* a device may write meanwhile */
		n += memcmp(seen, then, head) || memcmp(seen + tail, then + tail, LINE - tail);
		memcpy(then, seen, LINE);
	}
	return n;
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

#define LINE_BITS  6
#define PAGE_LINES (1u << (PAGE_BITS - LINE_BITS))
#define PAGES      (1u << 16)
#define CELLS      (1u << 18)

struct line {
	uint64_t sharers; /* vCPUs that have accessed the line since it was written, as a mask; 0: nobody wrote it */
	uint32_t poll;    /* the last one that touched it */
	uint32_t writer;
};

struct page {
	uint64_t number;
	struct page *chain;
	uint32_t poll; /* the last one that touched it */
	bool stack;
	struct line lines[PAGE_LINES];
};

/* What a node did to a page in this window. */
struct cell {
	uint32_t node, chain, of_node; /* chain, of_node: the next one with this hash, and of this node */
	const struct page *page;
	struct tallies tallies;
};

static struct page *pages[PAGES];
static struct cell *cells; /* number 0 is none */
static uint32_t ncells, cells_room, buckets[CELLS];
static uint32_t *first_of; /* by node */
static size_t nodes_room;
static bool transfers; /* there are several vCPUs */

void memory_clear(bool several)
{
	transfers = several;
	ncells = 1;
	memset(buckets, 0, sizeof(buckets));
	memset(first_of, 0, nodes_room * sizeof(*first_of));
}

static struct tallies *cell_at(uint32_t node, const struct page *page)
{
	uint32_t *bucket = &buckets[slot(page->number ^ ((uint64_t)node << 40), CELLS)], c = *bucket;

	while (c && (cells[c].node != node || cells[c].page != page))
		c = cells[c].chain;
	if (c)
		return &cells[c].tallies;
	if (ncells >= cells_room) {
		cells_room = cells_room ? 2 * cells_room : 1 << 14;
		cells = must(realloc(cells, cells_room * sizeof(*cells)));
	}
	if (node >= nodes_room) {
		size_t room = 2 * (size_t)node + 1;

		first_of = must(realloc(first_of, room * sizeof(*first_of)));
		memset(first_of + nodes_room, 0, (room - nodes_room) * sizeof(*first_of));
		nodes_room = room;
	}
	cells[ncells] = (struct cell){.node = node, .chain = *bucket, .of_node = first_of[node], .page = page};
	*bucket = first_of[node] = ncells;
	return &cells[ncells++].tallies;
}

size_t memory_spots(uint32_t node, const struct spot **spots)
{
	static struct spot all[PLACES];
	static size_t number[PLACES]; /* of a place among the spots, + 1 */
	size_t n = 0;

	memset(number, 0, nnames * sizeof(*number));
	for (uint32_t c = node < nodes_room ? first_of[node] : 0; c; c = cells[c].of_node) {
		const struct page *page = cells[c].page;
		unsigned int place = look_up(&now, page->number << PAGE_BITS);

		if (place != look_up(&before, page->number << PAGE_BITS))
			place = PLACE_CHANGED;
		place = page->stack ? PLACE_STACK : place;

		if (!number[place]) {
			all[n] = (struct spot){.place = names[place]};
			number[place] = ++n;
		}
		for (int i = TALLY_LOADS; i < TALLIES; i++)
			all[number[place] - 1].tallies.n[i] += cells[c].tallies.n[i];
	}
	*spots = all;
	return n;
}

/* cell NULL: not in a poll that is counted. */
static void memory_count(struct vcpu *c, struct node *n, struct tallies *cell, enum tally what, unsigned int how_many)
{
	c->total.n[what] += how_many;
	if (!cell)
		return;
	n->tallies.n[what] += how_many;
	cell->n[what] += how_many;
}

void memory_access(struct vcpu *c, unsigned int cpu, const struct access *a)
{
	const uint64_t number = a->address >> PAGE_BITS;
	struct node *n = &nodes[c->node];
	struct page **p, *page;
	struct tallies *cell;
	struct line *l;
	uint64_t mine = 1ULL << cpu;
	bool moved; /* the line had to come from another vCPU */

	c->entering |= a->enters;
	if (!transfers && !n->counted && !a->pushed && !a->device) { /* most accesses */
		c->total.n[a->store ? TALLY_STORES : TALLY_LOADS] += !c->entering;
		return;
	}
	p = &pages[slot(number, PAGES)];
	while (*p && (*p)->number != number)
		p = &(*p)->chain;
	if (!*p) {
		*p = must(calloc(1, sizeof(**p)));
		(*p)->number = number;
	}
	page = *p;
	page->stack |= a->pushed;
	l = &page->lines[(a->address >> LINE_BITS) % PAGE_LINES];
	moved = l->sharers && l->writer != cpu && !(l->sharers & mine);
	l->writer = a->store ? cpu : l->writer;
	l->sharers = a->store ? mine : l->sharers ? l->sharers | mine : 0;
	if (c->entering)
		return;
	cell = n->counted ? cell_at(c->node, page) : NULL;
	memory_count(c, n, cell, a->store ? TALLY_STORES : TALLY_LOADS, 1);
	memory_count(c, n, cell, TALLY_TRANSFERS, moved);
	if (!page->stack)
		memory_count(c, n, cell, TALLY_DEVICE, a->device);
	if (!cell || l->poll == c->poll)
		return;
	memory_count(c, n, cell, TALLY_LINES, 1);
	memory_count(c, n, cell, TALLY_FOOT_LINES, !c->footprint_ended && l->poll < c->first_poll);
	memory_count(c, n, cell, TALLY_FOOT_PAGES, !c->footprint_ended && page->poll < c->first_poll);
	l->poll = page->poll = c->poll;
}
