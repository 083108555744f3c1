// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's profile, gzipped: samples/count and cost/picoseconds. Costs are per packet, so that -diff_base of two files
 * is the difference of two packets. With several variants each sample has a label "variant". A function's name is the
 * one that symbols are matched by, so that a BPF program's tag does not tell two apart; its system name is what perf
 * printed.
 * src: https://github.com/google/pprof/blob/main/proto/README.md
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/base.h"
#include "perfparse/perfparse.h"
#include "base/printable.h"
#include "reports/format/pprof.pb-c.h"
#include "reports/format/format.h"
#include "base/sheet/sheet.h"

/* A repeated member of a message that grows: protobuf-c wants an array of pointers, each element its own. */
struct list {
	void **items;
	size_t n, cap;
};

struct writer {
	struct list strings, mappings, locations, functions, samples, comments;
	struct profile symbols; /* of all variants, interned: location id = function id = index + 1 */
	int64_t variant_key;
	bool failed;
};

static void *list_add(struct writer *w, struct list *l, void *item)
{
	if (!item || !array_grow(&l->items, &l->cap, l->n, 1, sizeof(void *))) {
		free(item);
		w->failed = true;
		return NULL;
	}
	l->items[l->n++] = item;
	return item;
}

static void list_release(struct list *l, void (*free_item)(void *))
{
	for (size_t i = 0; i < l->n; i++)
		free_item(l->items[i]);
	free(l->items);
}

#define NEW(type, initial) new_message(&(type)initial, sizeof(type))

static void *new_message(const void *initial, size_t size)
{
	void *m = malloc(size);

	return m ? memcpy(m, initial, size) : NULL;
}

/* The index of a string that is in the table from here on. Protobuf strings are UTF-8; go tool pprof prints them. */
static int64_t add_string(struct writer *w, const char *s)
{
	char *shown = strdup(s);
	void *added;

	if (shown)
		printable_in_place(shown);
	added = list_add(w, &w->strings, shown);
	return added ? (int64_t)w->strings.n - 1 : 0;
}

/* The id of the mapping that stands for a DSO; 0, none, without a name. */
static uint64_t mapping_of(struct writer *w, const char *dso)
{
	Pprof__Mapping *m;

	for (size_t i = 0; i < w->mappings.n; i++) {
		m = w->mappings.items[i];
		if (!strcmp(w->strings.items[m->filename], dso))
			return m->id;
	}
	if (!*dso)
		return 0;
	m = list_add(w, &w->mappings, NEW(Pprof__Mapping, PPROF__MAPPING__INIT));
	if (!m)
		return 0;
	m->id = w->mappings.n;
	m->has_functions = 1;
	m->filename = add_string(w, dso);
	return m->id;
}

static void add_location(struct writer *w, const struct profile_symbol *y)
{
	Pprof__Function *f = list_add(w, &w->functions, NEW(Pprof__Function, PPROF__FUNCTION__INIT));
	Pprof__Location *l = list_add(w, &w->locations, NEW(Pprof__Location, PPROF__LOCATION__INIT));
	char key[SYMKEY_BYTES];

	if (!f || !l)
		return;
	f->id = l->id = w->locations.n;
	symkey(NULL, y->name, y->dso, key);
	f->name = add_string(w, key);
	f->system_name = add_string(w, y->name);
	l->mapping_id = mapping_of(w, y->dso);
	l->line = calloc(1, sizeof(*l->line));
	if (l->line)
		l->line[0] = NEW(Pprof__Line, PPROF__LINE__INIT);
	if (!l->line || !l->line[0]) {
		w->failed = true;
		return;
	}
	l->n_line = 1;
	l->line[0]->function_id = f->id;
}

/* The location of a symbol, added when no variant had it before; 0 without memory. */
static uint64_t location_of(struct writer *w, const struct profile_symbol *y)
{
	size_t before = w->symbols.nsymbols;
	uint32_t index;

	if (profile_add_symbol(&w->symbols, y->name, strlen(y->name), y->dso, strlen(y->dso), y->space, &index)) {
		w->failed = true;
		return 0;
	}
	if (w->symbols.nsymbols > before)
		add_location(w, y);
	return index + 1;
}

static void add_label(struct writer *w, Pprof__Sample *s, int64_t variant)
{
	s->label = calloc(1, sizeof(*s->label));
	if (s->label)
		s->label[0] = NEW(Pprof__Label, PPROF__LABEL__INIT);
	if (!s->label || !s->label[0]) {
		w->failed = true;
		return;
	}
	s->n_label = 1;
	s->label[0]->key = w->variant_key;
	s->label[0]->str = variant;
}

/* locations: those of symbols[], by index; variant: 0 for no label. */
static void format_pprof_add_sample(struct writer *w, const uint64_t *locations, const struct stacks_row *row,
				    long long ps, int64_t variant)
{
	Pprof__Sample *s = list_add(w, &w->samples, NEW(Pprof__Sample, PPROF__SAMPLE__INIT));

	if (!s)
		return;
	s->location_id = calloc(row->depth, sizeof(*s->location_id));
	s->value = calloc(2, sizeof(*s->value));
	if (!s->location_id || !s->value) {
		w->failed = true;
		return;
	}
	s->n_location_id = row->depth;
	for (unsigned int i = 0; i < row->depth; i++)
		s->location_id[i] = locations[row->frames[row->depth - 1 - i]];
	s->n_value = 2;
	s->value[0] = (int64_t)row->samples;
	s->value[1] = ps;
	if (variant)
		add_label(w, s, variant);
}

static void add_unattributed(struct writer *w, double ns, double *carry, int64_t variant)
{
	static const struct profile_symbol symbol = {"[unattributed]", "", SPACE_UNKNOWN};
	const uint32_t frame = 0;
	uint64_t location = location_of(w, &symbol);

	format_pprof_add_sample(w, &location, &(struct stacks_row){.frames = &frame, .depth = 1},
				folded_thousandths(ns, carry), variant);
}

static void format_pprof_add_variant(struct writer *w, const struct analysis_variant *v, bool labelled)
{
	uint64_t *locations = calloc(v->stacks.nsymbols + 1, sizeof(*locations));
	int64_t variant = labelled ? add_string(w, v->variant->id) : 0;
	double carry = 0, share = analysis_path_share(v->base_ns, v->unattributed_ns);

	if (!locations) {
		w->failed = true;
		return;
	}
	for (size_t i = 0; i < v->stacks.nsymbols; i++)
		locations[i] = location_of(w, &v->stacks.symbols[i]);
	for (size_t i = 0; i < v->stacks.nrows && !w->failed; i++)
		format_pprof_add_sample(w, locations, &v->stacks.rows[i],
					folded_thousandths(v->stacks.rows[i].cost * share, &carry), variant);
	if (v->unattributed_ns > 0)
		add_unattributed(w, v->unattributed_ns, &carry, variant);
	free(locations);
}

static void add_comment(struct writer *w, const char *what, const char *text)
{
	int64_t *index = malloc(sizeof(*index));
	char line[512];

	snprintf(line, sizeof(line), "%s: %s", what, text);
	if (index)
		*index = add_string(w, line);
	list_add(w, &w->comments, index);
}

/* What go tool pprof prints with -comments. */
static void add_comments(struct writer *w, const struct run *r)
{
	add_comment(w, "xdpzoom", r->version);
	add_comment(w, "started", r->started);
	add_comment(w, "kernel", known(r->facts.kernel));
	add_comment(w, "event", r->event);
}

#define PIECE (1u << 30)

static int deflate_to(FILE *out, unsigned char *bytes, size_t size)
{
	unsigned char buf[16384] = {0};
	z_stream z = {.next_in = bytes};
	int state = Z_OK;

	/* 15 bits of window, and 16 for gzip's header */
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY))
		return -ENOMEM;
	while (state == Z_OK) {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		if (!z.avail_in) { /* zlib takes less than 4 GB at a time */
			z.avail_in = size < PIECE ? (uInt)size : PIECE;
			size -= z.avail_in;
		}
		state = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(buf, 1, sizeof(buf) - z.avail_out, out);
	}
	deflateEnd(&z);
	return state == Z_STREAM_END ? render_finish(out) : -EIO;
}

/* Puts the lists into the message, packs and writes it. */
static int write_profile(struct writer *w, FILE *out)
{
	Pprof__ValueType types[2] = {PPROF__VALUE_TYPE__INIT, PPROF__VALUE_TYPE__INIT};
	Pprof__ValueType *type_list[] = {&types[0], &types[1]};
	Pprof__Profile p = PPROF__PROFILE__INIT;
	int64_t *comments = calloc(w->comments.n + 1, sizeof(*comments));
	unsigned char *bytes;
	int err = -ENOMEM;

	types[0].type = add_string(w, "samples");
	types[0].unit = add_string(w, "count");
	types[1].type = p.default_sample_type = add_string(w, "cost");
	types[1].unit = add_string(w, "picoseconds");
	p.n_sample_type = 2, p.sample_type = type_list;
	p.n_sample = w->samples.n, p.sample = (Pprof__Sample **)w->samples.items;
	p.n_mapping = w->mappings.n, p.mapping = (Pprof__Mapping **)w->mappings.items;
	p.n_location = w->locations.n, p.location = (Pprof__Location **)w->locations.items;
	p.n_function = w->functions.n, p.function = (Pprof__Function **)w->functions.items;
	p.n_string_table = w->strings.n, p.string_table = (char **)w->strings.items;
	p.n_comment = w->comments.n, p.comment = comments;
	for (size_t i = 0; comments && i < w->comments.n; i++)
		comments[i] = *(int64_t *)w->comments.items[i];
	bytes = w->failed || !comments ? NULL : malloc(pprof__profile__get_packed_size(&p) + 1);
	if (bytes)
		err = deflate_to(out, bytes, pprof__profile__pack(&p, bytes));
	free(bytes);
	free(comments);
	return err;
}

static void free_sample(void *item)
{
	Pprof__Sample *s = item;

	if (s->label)
		free(s->label[0]);
	free(s->label);
	free(s->location_id);
	free(s->value);
	free(s);
}

static void free_location(void *item)
{
	Pprof__Location *l = item;

	if (l->line)
		free(l->line[0]);
	free(l->line);
	free(l);
}

static void writer_release(struct writer *w)
{
	list_release(&w->samples, free_sample);
	list_release(&w->locations, free_location);
	list_release(&w->functions, free);
	list_release(&w->mappings, free);
	list_release(&w->strings, free);
	list_release(&w->comments, free);
	profile_release(&w->symbols);
}

int format_pprof(FILE *out, const struct document *d, const struct render_options *o)
{
	struct writer w = {};
	int err;

	(void)o;
	add_string(&w, "");
	w.variant_key = add_string(&w, "variant");
	for (size_t i = 1; i < d->nsections; i++)
		if (d->sections[i].measured->nused)
			format_pprof_add_variant(&w, d->sections[i].measured, d->nsections > 2);
	add_comments(&w, d->analysis->run);
	err = write_profile(&w, out);
	writer_release(&w);
	return err;
}
