// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/base.h"
#include "perfparse/pprof.pb-c.h"

#define MOST_BYTES        (256u << 20) /* of the file, compressed or not */
#define MOST_MEMORY_BYTES (1u << 30)   /* of its message: a sample of two bytes takes a hundred */
#define MOST_FRAMES       (32u << 20)  /* of all different stacks */
#define DEPTH_MAX         4096
#define KERNEL_FROM       0xffff000000000000

/* The symbols of a location, innermost first: symbols[first .. first + n). */
struct place {
	uint64_t id;
	size_t first, n;
};

struct reader {
	struct profile *p;
	const struct script_filter *f;
	struct diag *d;
	Pprof__Profile *file;
	size_t weights;   /* which value of a sample is its weight */
	ptrdiff_t counts; /* which one says how many samples it stands for; -1: none */
	double scale;     /* of the weights: the period of what only counts samples */
	struct place *places;
	uint32_t *symbols;
	size_t nsymbols, cap_symbols;
	uint32_t frames[DEPTH_MAX]; /* of one sample */
	const char *variant;        /* of the samples so far; NULL: they have none */
	bool labelled;              /* a sample has a label that the filter asks for */
};

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* A message begins with a sample type; times may stand before it, each the number of a member and an integer. */
static bool begins_message(const unsigned char *s, const unsigned char *end)
{
	while (s < end && memchr("\x48\x50\x60\x70", *s, 4)) {
		while (++s < end && *s >= 0x80)
			;
		s += s < end;
	}
	return end - s >= 3 && s[0] == '\n' && s[1] >= 2 && s[1] <= 22 && s[2] == 0x08;
}

bool pprof_begins(FILE *in)
{
	unsigned char head[48];
	int c, n = 0;

	while (n < (int)sizeof(head) && (c = getc(in)) != EOF)
		head[n++] = (unsigned char)c;
	for (int i = n; i > 0; i--)
		ungetc(head[i - 1], in);
	return (n > 1 && head[0] == 0x1f && head[1] == 0x8b) || begins_message(head, head + n);
}

static int pprof_read_all(FILE *in, unsigned char **bytes, size_t *len, struct diag *d)
{
	size_t cap = 0, got;

	*len = 0;
	do {
		if (!array_grow(bytes, &cap, *len, 65536, 1))
			return diag_set(d, -ENOMEM, "out of memory");
		got = fread(*bytes + *len, 1, cap - *len, in);
		*len += got;
	} while (got && *len <= MOST_BYTES);
	if (ferror(in))
		return diag_set(d, -EIO, "it cannot be read");
	return *len <= MOST_BYTES ? 0 : diag_set(d, -EFBIG, "it is larger than 256 MiB");
}

/* What gzip compressed, in one piece or in several. */
static int gunzip_pieces(z_stream *z, unsigned char **bytes, size_t *len, struct diag *d)
{
	size_t cap = 0;
	int state = Z_OK;

	*len = 0;
	while (state == Z_OK) {
		if (!array_grow(bytes, &cap, *len, 65536, 1))
			return diag_set(d, -ENOMEM, "out of memory");
		z->next_out = *bytes + *len;
		z->avail_out = (uInt)(cap - *len);
		state = inflate(z, Z_NO_FLUSH);
		*len = cap - z->avail_out;
		if (*len > MOST_BYTES)
			return diag_set(d, -EFBIG, "it is larger than 256 MiB");
		if (state == Z_STREAM_END && z->avail_in)
			state = inflateReset(z);
	}
	return state == Z_STREAM_END ? 0 : diag_set(d, -EINVAL, "what gzip compressed is damaged or cut short");
}

static int gunzip(unsigned char **bytes, size_t *len, struct diag *d)
{
	z_stream z = {.next_in = *bytes, .avail_in = (uInt)*len};
	unsigned char *plain = NULL;
	int err;

	if (*len < 2 || (*bytes)[0] != 0x1f || (*bytes)[1] != 0x8b)
		return 0;
	if (inflateInit2(&z, 15 + 16)) /* 15 bits of window, and 16 for gzip's header */
		return diag_set(d, -ENOMEM, "out of memory");
	err = gunzip_pieces(&z, &plain, len, d);
	inflateEnd(&z);
	free(*bytes);
	*bytes = plain;
	return err;
}

/* ---- the message ------------------------------------------------------------------------------------------------- */

static void *take_memory(void *left, size_t size)
{
	size_t *bytes = left;

	if (size > *bytes)
		return NULL;
	*bytes -= size;
	return malloc(size);
}

static void give_memory(void *left, void *memory)
{
	(void)left;
	free(memory);
}

static int damaged(struct reader *r)
{
	return diag_set(r->d, -EINVAL, "this profile of pprof is damaged: it names what it does not have");
}

static int pprof_no_memory(struct reader *r)
{
	return diag_set(r->d, -ENOMEM, "out of memory");
}

/* "" for an index beyond the table. */
static const char *string_of(const struct reader *r, int64_t index)
{
	return index >= 0 && (uint64_t)index < r->file->n_string_table ? r->file->string_table[index] : "";
}

#define COMPARE_IDS(name, type)                                                                                        \
	static int name(const void *a, const void *b)                                                                  \
	{                                                                                                              \
		const Pprof__##type *x = *(Pprof__##type *const *)a, *y = *(Pprof__##type *const *)b;                  \
                                                                                                                       \
		return ORDER(x->id, y->id);                                                                            \
	}

COMPARE_IDS(compare_mappings, Mapping)
COMPARE_IDS(compare_locations, Location)
COMPARE_IDS(compare_functions, Function)

/* The name of a line's function; NULL: there is none. */
static const char *line_name(const struct reader *r, const Pprof__Line *line)
{
	const Pprof__Function key = {.id = line->function_id}, *const wanted = &key;
	Pprof__Function **f = r->file->n_function ? bsearch(&wanted, r->file->function, r->file->n_function,
							    sizeof(*r->file->function), compare_functions)
						  : NULL;
	const char *name = f ? string_of(r, (*f)->name) : NULL;

	return f && !*name ? string_of(r, (*f)->system_name) : name;
}

static int add_frame(struct reader *r, const Pprof__Location *l, const char *name)
{
	const Pprof__Mapping key = {.id = l->mapping_id}, *const wanted = &key;
	Pprof__Mapping **m = r->file->n_mapping ? bsearch(&wanted, r->file->mapping, r->file->n_mapping,
							  sizeof(*r->file->mapping), compare_mappings)
						: NULL;
	const char *dso = m ? string_of(r, (*m)->filename) : "";
	enum profile_space space = profile_space_of_dso(dso, strlen(dso));
	char address[24];

	if (l->address >= KERNEL_FROM && (space == SPACE_USER || space == SPACE_UNKNOWN))
		space = SPACE_KERNEL;
	snprintf(address, sizeof(address), l->address ? "0x%llx" : "[unknown]", (unsigned long long)l->address);
	if (!name || !*name)
		name = address;
	if (!array_grow(&r->symbols, &r->cap_symbols, r->nsymbols, 1, sizeof(*r->symbols)) ||
	    profile_add_symbol(r->p, name, strlen(name), dso, strlen(dso), space, &r->symbols[r->nsymbols]))
		return pprof_no_memory(r);
	r->nsymbols++;
	return 0;
}

static int add_place(struct reader *r, struct place *at, const Pprof__Location *l)
{
	int err = 0;

	*at = (struct place){.id = l->id, .first = r->nsymbols};
	for (size_t i = 0; i < l->n_line && !err; i++) {
		const char *name = line_name(r, l->line[i]);

		err = name || !l->line[i]->function_id ? add_frame(r, l, name) : damaged(r);
	}
	if (!l->n_line)
		err = add_frame(r, l, NULL);
	at->n = r->nsymbols - at->first;
	return err;
}

static int add_places(struct reader *r)
{
	Pprof__Profile *f = r->file;
	int err = 0;

	r->places = calloc(f->n_location + 1, sizeof(*r->places));
	if (!r->places)
		return pprof_no_memory(r);
	if (f->n_mapping)
		qsort(f->mapping, f->n_mapping, sizeof(*f->mapping), compare_mappings);
	if (f->n_function)
		qsort(f->function, f->n_function, sizeof(*f->function), compare_functions);
	if (f->n_location)
		qsort(f->location, f->n_location, sizeof(*f->location), compare_locations);
	for (size_t i = 0; i < f->n_location && !err; i++)
		err = i && f->location[i]->id == f->location[i - 1]->id ? damaged(r)
									: add_place(r, &r->places[i], f->location[i]);
	return err;
}

/* ---- the sample type --------------------------------------------------------------------------------------------- */

struct sample_type {
	char name[64], event[64]; /* "cycles_event/count", "cycles" */
	const char *type;
	bool counts; /* samples, and not what they stand for */
};

static void pprof_describe(const struct reader *r, const Pprof__ValueType *t, struct sample_type *s)
{
	const Pprof__ValueType *period = r->file->period_type;
	const char *unit = string_of(r, t->unit), *end;
	size_t len;

	s->type = string_of(r, t->type);
	len = strlen(s->type);
	snprintf(s->name, sizeof(s->name), "%s/%s", s->type, unit);
	memcpy(s->event, s->name, sizeof(s->event));
	if (strcmp(unit, "count"))
		return;
	s->counts = !strcmp(s->type, "samples") || !strcmp(s->type, "sample");
	if (s->counts && period && *string_of(r, period->type))
		snprintf(s->event, sizeof(s->event), "%s/%s", string_of(r, period->type), string_of(r, period->unit));
	end = s->type + len;
	if (len > 7 && (!strcmp(end - 7, "_sample") || !strcmp(end - 6, "_event"))) { /* of perf_to_profile */
		s->counts = end[-7] == '_';
		snprintf(s->event, sizeof(s->event), "%.*s", (int)(len - (s->counts ? 7 : 6)), s->type);
	}
}

static bool is_wanted(const struct reader *r, const struct sample_type *s)
{
	const char *want = r->f->event;

	return !want || !strcmp(want, s->type) || !strcmp(want, s->name) ||
	       event_matches(want, s->event, strlen(s->event));
}

/* The event of what is wanted, with only_time of that which is time. Returns how many there are. */
static int pick_event(const struct reader *r, const struct sample_type *types, bool only_time, const char **event)
{
	int n = 0;

	*event = "";
	for (size_t i = 0; i < r->file->n_sample_type; i++) {
		if (!is_wanted(r, &types[i]) || (only_time && !event_is_time(types[i].event)) ||
		    (n && !strcmp(*event, types[i].event)))
			continue;
		*event = types[i].event;
		n++;
	}
	return n;
}

static int choose_type(struct reader *r, const struct sample_type *types)
{
	double period = (double)r->file->period;
	const char *event;
	int n = pick_event(r, types, !r->f->event, &event);
	ptrdiff_t weights = -1;

	if (!n)
		n = pick_event(r, types, false, &event);
	if (n != 1) {
		struct events all = {};
		char list[256];

		for (size_t i = 0; i < r->file->n_sample_type; i++)
			events_add(&all, types[i].name, strlen(types[i].name));
		events_list(&all, list, sizeof(list));
		return diag_set(r->d, -EINVAL,
				n ? "the profile has several values: %s; pick one with --event"
				  : "the profile has no such values; it has: %s",
				list);
	}
	r->counts = -1;
	for (size_t i = 0; i < r->file->n_sample_type; i++) {
		bool same = !strcmp(types[i].event, event);

		if (types[i].counts && (same || !strcmp(types[i].event, types[i].name))) /* of whatever is recorded */
			r->counts = (ptrdiff_t)i;
		else if (same && is_wanted(r, &types[i]))
			weights = (ptrdiff_t)i;
	}
	r->weights = (size_t)(weights >= 0 ? weights : r->counts);
	r->scale = weights < 0 && period > 0 ? period : 1;
	r->p->weightless = weights < 0 && !(period > 0);
	snprintf(r->p->event, sizeof(r->p->event), "%s", event);
	return 0;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Does a label with one of these names have this number, as a number or in words? */
static bool label_is(struct reader *r, const Pprof__Sample *s, const char *const names[2], int number)
{
	char words[16];

	snprintf(words, sizeof(words), "%d", number);
	for (size_t i = 0; i < s->n_label; i++) {
		const Pprof__Label *l = s->label[i];
		const char *key = string_of(r, l->key);

		if (strcmp(key, names[0]) && strcmp(key, names[1]))
			continue;
		r->labelled = true;
		return l->str ? !strcmp(string_of(r, l->str), words) : l->num == number;
	}
	return false;
}

static bool is_kept(struct reader *r, const Pprof__Sample *s)
{
	static const char *const cpu[2] = {"cpu", "cpu_id"}, *const tid[2] = {"tid", "thread_id"};

	return (r->f->cpu < 0 || label_is(r, s, cpu, r->f->cpu)) && (r->f->tid < 0 || label_is(r, s, tid, r->f->tid));
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return ORDER(x->id, y->id);
}

/* The frames of a sample, innermost first; < 0: an error. */
static int take_frames(struct reader *r, const Pprof__Sample *s)
{
	int depth = 0;

	for (size_t i = 0; i < s->n_location_id; i++) {
		const struct place key = {.id = s->location_id[i]},
				   *at = bsearch(&key, r->places, r->file->n_location, sizeof(key), compare_places);

		if (!at)
			return damaged(r);
		for (size_t k = 0; k < at->n && depth < DEPTH_MAX; k++)
			r->frames[depth++] = r->symbols[at->first + k];
	}
	if (!depth && profile_add_symbol(r->p, "[unknown]", 9, "", 0, SPACE_UNKNOWN, &r->frames[depth++]))
		return pprof_no_memory(r);
	return depth;
}

static int pprof_add_sample(struct reader *r, const Pprof__Sample *s)
{
	int64_t count = 0, value;
	int depth;

	if (s->n_value != r->file->n_sample_type)
		return damaged(r);
	for (size_t i = 0; i < s->n_value; i++)
		if (s->value[i] < 0)
			return diag_set(r->d, -EINVAL,
					"the profile has negative values: it is the difference of two profiles");
	value = s->value[r->weights];
	count = r->counts >= 0 ? s->value[r->counts] : 0;
	if (!value || !is_kept(r, s))
		return 0;
	depth = take_frames(r, s);
	if (depth < 0)
		return depth;
	if (r->p->nframes > MOST_FRAMES)
		return diag_set(r->d, -EFBIG, "its stacks have more than %u frames", MOST_FRAMES);
	if (profile_add_stack(r->p, r->frames, (unsigned int)depth, (uint64_t)count, (double)value * r->scale))
		return pprof_no_memory(r);
	/* Costs of several variants, each of a packet, are no cost of a packet. */
	for (size_t i = 0; i < s->n_label; i++) {
		const char *variant = string_of(r, s->label[i]->str);

		if (strcmp(string_of(r, s->label[i]->key), "variant"))
			continue;
		if (r->variant && strcmp(r->variant, variant))
			return diag_set(r->d, -EINVAL,
					"the profile is of several variants (%s, %s): write one, by DIR:VARIANT",
					r->variant, variant);
		r->variant = variant;
	}
	return 0;
}

static int pprof_add_samples(struct reader *r)
{
	bool filtered = r->f->cpu >= 0 || r->f->tid >= 0;
	int err = 0;

	for (size_t i = 0; i < r->file->n_sample && !err; i++)
		err = pprof_add_sample(r, r->file->sample[i]);
	if (!err && filtered && !r->labelled)
		err = diag_set(r->d, -EINVAL, "its samples have no labels of %s",
			       r->f->cpu >= 0 ? "CPUs (cpu)" : "tasks (tid, thread_id)");
	if (!err && !r->p->nstacks)
		err = diag_set(r->d, -EINVAL, filtered ? "no samples of that CPU or task" : "no samples");
	return err;
}

static int read_message(struct reader *r)
{
	struct sample_type *types = calloc(r->file->n_sample_type + 1, sizeof(*types));
	int err = types ? 0 : pprof_no_memory(r);

	for (size_t i = 0; i < r->file->n_sample_type && !err; i++)
		pprof_describe(r, r->file->sample_type[i], &types[i]);
	if (!err)
		err = choose_type(r, types) ?: add_places(r) ?: pprof_add_samples(r);
	free(types);
	free(r->places);
	free(r->symbols);
	return err;
}

int pprof_read(struct profile *p, FILE *in, const struct script_filter *f, struct diag *d)
{
	size_t left = MOST_MEMORY_BYTES, len;
	ProtobufCAllocator memory = {take_memory, give_memory, &left};
	unsigned char *bytes = NULL;
	struct reader *r = calloc(1, sizeof(*r));
	int err = r ? 0 : diag_set(d, -ENOMEM, "out of memory");

	*p = (struct profile){};
	if (!err)
		err = pprof_read_all(in, &bytes, &len, d) ?: gunzip(&bytes, &len, d);
	if (!err) {
		*r = (struct reader){.p = p, .f = f, .d = d, .file = pprof__profile__unpack(&memory, len, bytes)};
		if (!r->file || !r->file->n_sample_type)
			err = diag_set(d, -EINVAL, "this is no profile of pprof, or one beyond 1 GiB of memory");
		if (!err)
			err = read_message(r);
		if (r->file)
			pprof__profile__free_unpacked(r->file, &memory);
	}
	free(bytes);
	free(r);
	if (err)
		profile_release(p);
	return err;
}
