// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* Each chunk is twice the one before: ten thousand blocks have a small profile each. */
#define CHUNK_LEAST 2048u
#define CHUNK_MOST  65536u

struct chunk {
	struct chunk *next;
	size_t used, cap;
	char bytes[];
};

struct profile_index {
	struct hash_table symbols, stacks, dsos, lines;
	uint32_t *name_lens; /* indexed by symbol */
	const char **dso_names;
	size_t ndsos;
	size_t cap_symbols, cap_stacks, cap_frames, cap_lines, cap_rows, cap_name_lens, cap_dsos;
	struct chunk *chunks;
	struct profile_mark mark;
};

void profile_release(struct profile *p)
{
	struct profile_index *ix = p->index;

	free(p->symbols);
	free(p->stacks);
	free(p->frames);
	free(p->rows);
	free(p->lines);
	for (struct chunk *c = ix ? ix->chunks : NULL, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	if (ix) {
		hash_table_release(&ix->symbols);
		hash_table_release(&ix->stacks);
		hash_table_release(&ix->dsos);
		hash_table_release(&ix->lines);
		free(ix->name_lens);
		free(ix->dso_names);
	}
	free(ix);
	*p = (struct profile){};
}

static struct profile_index *index_of(struct profile *p)
{
	if (!p->index)
		p->index = calloc(1, sizeof(*p->index));
	return p->index;
}

static const char *copy_bytes(struct profile_index *ix, const char *s, size_t len)
{
	struct chunk *c = ix->chunks;
	size_t cap;
	char *out;

	if (!c || c->cap - c->used < len + 1) {
		cap = !c ? CHUNK_LEAST : c->cap < CHUNK_MOST / 2 ? 2 * c->cap : CHUNK_MOST;
		if (cap < len + 1)
			cap = len + 1;
		c = malloc(sizeof(*c) + cap);
		if (!c)
			return NULL;
		c->next = ix->chunks;
		c->used = 0;
		c->cap = cap;
		ix->chunks = c;
	}
	out = c->bytes + c->used;
	memcpy(out, s, len);
	out[len] = '\0';
	c->used += len + 1;
	return out;
}

/* Returns the profile's only copy of a DSO's name; NULL without memory. */
static const char *intern_dso(struct profile_index *ix, const char *dso, size_t len)
{
	uint32_t h = hash_bytes(dso, len, 0);
	struct hash_table *t = &ix->dsos;
	const char *have;
	size_t s, i;

	if (hash_table_reserve(t, ix->ndsos) ||
	    !array_grow(&ix->dso_names, &ix->cap_dsos, ix->ndsos, 1, sizeof(*ix->dso_names)))
		return NULL;
	for (s = hash_table_first(t, h, &i); t->slots[s]; s = hash_table_next(t, s, h, &i)) {
		have = ix->dso_names[i];
		if (!strncmp(have, dso, len) && !have[len])
			return have;
	}
	have = copy_bytes(ix, dso, len);
	if (!have)
		return NULL;
	ix->dso_names[ix->ndsos] = have;
	hash_table_put(t, s, h, ix->ndsos++);
	return have;
}

int profile_add_symbol(struct profile *p, struct span name, struct span dso, enum profile_space space, uint32_t *symbol)
{
	struct profile_index *ix = index_of(p);
	uint32_t h = hash_bytes(dso.s, dso.len, hash_bytes(name.s, name.len, space));
	struct profile_symbol *y;
	struct hash_table *t;
	size_t s, i, n = p->nsymbols;

	if (!ix)
		return -ENOMEM;
	t = &ix->symbols;
	if (hash_table_reserve(t, n))
		return -ENOMEM;
	for (s = hash_table_first(t, h, &i); t->slots[s]; s = hash_table_next(t, s, h, &i)) {
		y = &p->symbols[i];
		*symbol = (uint32_t)i;
		if (ix->name_lens[i] == name.len && !memcmp(y->name, name.s, name.len) && y->space == space &&
		    !strncmp(y->dso, dso.s, dso.len) && !y->dso[dso.len])
			return 0;
	}
	if (!array_grow(&p->symbols, &ix->cap_symbols, n, 1, sizeof(*p->symbols)) ||
	    !array_grow(&ix->name_lens, &ix->cap_name_lens, n, 1, sizeof(*ix->name_lens)))
		return -ENOMEM;
	y = &p->symbols[n];
	y->space = space;
	y->dso = intern_dso(ix, dso.s, dso.len);
	y->name = copy_bytes(ix, name.s, name.len);
	if (!y->dso || !y->name)
		return -ENOMEM;
	ix->name_lens[n] = name.len;
	hash_table_put(t, s, h, n);
	*symbol = n;
	p->nsymbols++;
	return 0;
}

int profile_add_stack(struct profile *p, const uint32_t *frames, unsigned int depth, uint64_t samples, double weight)
{
	struct profile_index *ix = index_of(p);
	uint32_t h = hash_bytes(frames, depth * sizeof(*frames), depth);
	struct profile_stack *k = NULL;
	struct hash_table *t;
	size_t s, i;

	if (!ix || hash_table_reserve(&ix->stacks, p->nstacks))
		return -ENOMEM;
	t = &ix->stacks;
	for (s = hash_table_first(t, h, &i); t->slots[s]; s = hash_table_next(t, s, h, &i)) {
		k = &p->stacks[i];
		if (k->depth == depth && !memcmp(p->frames + k->first, frames, depth * sizeof(*frames)))
			break;
	}
	if (!t->slots[s]) {
		if (!array_grow(&p->stacks, &ix->cap_stacks, p->nstacks, 1, sizeof(*p->stacks)) ||
		    !array_grow(&p->frames, &ix->cap_frames, p->nframes, depth, sizeof(*p->frames)))
			return -ENOMEM;
		k = &p->stacks[p->nstacks];
		*k = (struct profile_stack){.first = p->nframes, .depth = depth};
		memcpy(p->frames + p->nframes, frames, depth * sizeof(*frames));
		p->nframes += depth;
		hash_table_put(t, s, h, p->nstacks++);
	}
	p->last_stack = (uint32_t)(k - p->stacks);
	k->samples += samples;
	k->weight += weight;
	p->samples += samples;
	p->weight += weight;
	return 0;
}

int profile_add_line(struct profile *p, uint32_t symbol, const char *words, size_t len, double weight)
{
	struct profile_index *ix = index_of(p);
	uint32_t h = hash_bytes(words, len, symbol);
	struct profile_line *l = NULL;
	struct hash_table *t;
	size_t s, i;

	if (!ix || hash_table_reserve(&ix->lines, p->nlines))
		return -ENOMEM;
	t = &ix->lines;
	for (s = hash_table_first(t, h, &i); t->slots[s] && !l; s = hash_table_next(t, s, h, &i))
		if (p->lines[i].symbol == symbol && !strncmp(p->lines[i].words, words, len) && !p->lines[i].words[len])
			l = &p->lines[i];
	if (!l) {
		if (!array_grow(&p->lines, &ix->cap_lines, p->nlines, 1, sizeof(*p->lines)))
			return -ENOMEM;
		l = &p->lines[p->nlines];
		*l = (struct profile_line){.symbol = symbol, .words = copy_bytes(ix, words, len)};
		if (!l->words)
			return -ENOMEM;
		hash_table_put(t, s, h, p->nlines++);
	}
	p->last_line = (uint32_t)(l - p->lines);
	l->samples++;
	l->weight += weight;
	return 0;
}

int profile_add_row(struct profile *p, const struct profile_row *row)
{
	struct profile_index *ix = index_of(p);

	if (!ix || !array_grow(&p->rows, &ix->cap_rows, p->nrows, 1, sizeof(*p->rows)))
		return -ENOMEM;
	p->rows[p->nrows++] = *row;
	return 0;
}

struct profile_mark *profile_mark_of(const struct profile *p)
{
	return p->index ? &p->index->mark : NULL;
}

enum profile_space profile_space_of_dso(const char *dso, size_t len)
{
	/* DSO names in brackets that are nevertheless mapped into user space. */
	static const char *const users[] = {"[vdso", "[vsyscall]", "[heap]", "[stack", "[uprobes]", "[anon", "[aio"};
	static const char *const kernels[] = {"[", "bpf_prog_", "bpf_trampoline_"};
	/* Modules, and "/usr/lib/debug/boot/vmlinux" */
	static const char *const ends[] = {".ko", ".ko.xz", ".ko.gz", ".ko.zst", "vmlinux"};
	const char *slash = memrchr(dso, '/', len), *name = slash ? slash + 1 : dso;

	if (!len || span_begins(dso, len, "[unknown]"))
		return SPACE_UNKNOWN;
	if (span_begins(dso, len, "[guest"))
		return SPACE_GUEST_KERNEL;
	for (size_t i = 0; i < sizeof(users) / sizeof(*users); i++)
		if (span_begins(dso, len, users[i]))
			return SPACE_USER;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (span_begins(dso, len, kernels[i]))
			return SPACE_KERNEL;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (len >= strlen(ends[i]) && span_begins(dso + len - strlen(ends[i]), strlen(ends[i]), ends[i]))
			return SPACE_KERNEL;
	/* "vmlinux-6.1.0-49-amd64" */
	return span_begins(name, (size_t)(dso + len - name), "vmlinux") ? SPACE_KERNEL : SPACE_USER;
}

/* ---- symbol_cache ---- */

#define UNIT 16u

struct symbol_cache_text {
	uint32_t symbol;
	uint16_t len;
	uint8_t salt;
	char bytes[];
};

uint32_t symbol_cache_get(const struct symbol_cache *c, struct span bytes, uint8_t salt)
{
	uint64_t hash = hash_bytes(bytes.s, bytes.len, salt);

	for (size_t s = hash % SYMBOL_CACHE_SLOTS; c->slots[s]; s = (s + 1) % SYMBOL_CACHE_SLOTS) {
		const struct symbol_cache_text *t = (const void *)&c->texts[(c->slots[s] - 1) * UNIT];

		if (t->len == bytes.len && t->salt == salt && !memcmp(t->bytes, bytes.s, bytes.len))
			return t->symbol;
	}
	return SYMBOL_CACHE_NONE;
}

void symbol_cache_put(struct symbol_cache *c, struct span bytes, uint8_t salt, uint32_t symbol)
{
	size_t units = (offsetof(struct symbol_cache_text, bytes) + bytes.len + UNIT - 1) / UNIT;
	size_t s = hash_bytes(bytes.s, bytes.len, salt) % SYMBOL_CACHE_SLOTS;
	struct symbol_cache_text *t = (void *)&c->texts[c->used * UNIT];

	if (units > SYMBOL_CACHE_BYTES / UNIT - 1 - c->used || bytes.len > UINT16_MAX || c->n == SYMBOL_CACHE_SLOTS / 2)
		return;
	while (c->slots[s])
		s = (s + 1) % SYMBOL_CACHE_SLOTS;
	c->slots[s] = (uint16_t)(c->used + 1);
	c->used += (uint32_t)units;
	c->n++;
	t->symbol = symbol;
	t->len = (uint16_t)bytes.len;
	t->salt = salt;
	memcpy(t->bytes, bytes.s, bytes.len);
}
