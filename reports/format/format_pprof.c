// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's profile, gzipped: samples/count and cost/picoseconds. Costs are per packet, so that -diff_base of two files
 * is the difference of two packets. With several variants each sample has a label "variant". A function's name is the
 * one that symbols are matched by, so that a BPF program's tag does not tell two apart; its system name is what perf
 * printed.
 * src: https://github.com/google/pprof/blob/main/proto/README.md; members have their numbers of pprof.proto
 */
#include <zlib.h>
#include "reports/format/format.h"

/* ---- protobuf: https://protobuf.dev/programming-guides/encoding/ ------------------------------------------------ */

struct bytes {
	unsigned char *at;
	size_t n, cap;
	bool failed; /* there was no memory */
};

static void put(struct bytes *to, const void *from, size_t n)
{
	if (n && array_grow(&to->at, &to->cap, to->n, n, 1)) {
		memcpy(to->at + to->n, from, n);
		to->n += n;
	} else {
		to->failed |= n > 0;
	}
}

static void put_varint(struct bytes *to, uint64_t v)
{
	unsigned char digits[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		digits[n++] = (unsigned char)(v | 0x80);
	digits[n++] = (unsigned char)v;
	put(to, digits, n);
}

/* The member of that number; 0 is left out. */
static void put_int(struct bytes *to, unsigned int member, uint64_t v)
{
	if (v) {
		put_varint(to, member << 3);
		put_varint(to, v);
	}
}

/* Puts a message, or integers one behind the other, and empties it. */
static void put_part(struct bytes *to, unsigned int member, struct bytes *part)
{
	put_varint(to, member << 3 | 2);
	put_varint(to, part->n);
	put(to, part->at, part->n);
	to->failed |= part->failed;
	part->n = 0;
}

/* ---- the profile ------------------------------------------------------------------------------------------------ */

/* Members of the profile, by their numbers there, and parts of the one that is being put. */
enum { SAMPLE = 2, MAPPING, LOCATION, FUNCTION, STRING, COMMENT = 13, PART, INNER, MEMBERS };

struct writer {
	struct bytes of[MEMBERS];
	struct profile symbols; /* of all variants, interned: location id = function id = index + 1 */
	const char **dsos;      /* of mappings */
	size_t nstrings, ndsos;
	uint64_t variant_key;
};

/* The index of a string that is in the table from here on. Protobuf strings are UTF-8; go tool pprof prints them. */
static uint64_t add_string(struct writer *w, const char *s)
{
	char *shown = strdup(s);

	if (shown) {
		printable_in_place(shown);
		put_varint(&w->of[STRING], STRING << 3 | 2);
		put_varint(&w->of[STRING], strlen(shown));
		put(&w->of[STRING], shown, strlen(shown));
	}
	w->of[STRING].failed |= !shown;
	free(shown);
	return w->nstrings++;
}

/* The location of a symbol, which is added, with its function, when no variant had it before. */
static uint64_t location_of(struct writer *w, const struct profile_symbol *y)
{
	size_t before = w->symbols.nsymbols, mapping = 0;
	char key[SYMKEY_BYTES];
	uint32_t index;

	if (profile_add_symbol(&w->symbols, span_of(y->name), span_of(y->dso), y->space, &index)) {
		w->of[LOCATION].failed = true;
		return 0;
	}
	if (w->symbols.nsymbols == before)
		return index + 1;
	symkey(NULL, y->name, y->dso, key);
	put_int(&w->of[PART], 1, index + 1);
	put_int(&w->of[PART], 2, add_string(w, key));
	put_int(&w->of[PART], 3, add_string(w, y->name));
	put_part(&w->of[FUNCTION], FUNCTION, &w->of[PART]);
	/* The mapping stands for its DSO; without a name, there is none: 0. */
	while (mapping < w->ndsos && strcmp(w->dsos[mapping], y->dso))
		mapping++;
	if (mapping == w->ndsos && *y->dso) {
		const char **added = array_add(&w->dsos, &w->ndsos, sizeof(*w->dsos));

		w->of[MAPPING].failed |= !added;
		if (added) {
			*added = y->dso;
			put_int(&w->of[PART], 1, w->ndsos);
			put_int(&w->of[PART], 5, add_string(w, y->dso));
			put_int(&w->of[PART], 7, true); /* it has functions: nothing is left to be looked up */
			put_part(&w->of[MAPPING], MAPPING, &w->of[PART]);
		}
	}
	put_int(&w->of[INNER], 1, index + 1);
	put_int(&w->of[PART], 1, index + 1);
	put_int(&w->of[PART], 2, mapping < w->ndsos ? mapping + 1 : 0);
	put_part(&w->of[PART], 4, &w->of[INNER]);
	put_part(&w->of[LOCATION], LOCATION, &w->of[PART]);
	return index + 1;
}

/* locations: those of symbols[], by index; variant: 0 for no label. */
static void format_pprof_add_sample(struct writer *w, const uint64_t *locations, const struct stacks_row *row,
				    long long ps, uint64_t variant)
{
	for (unsigned int i = row->depth; i--;)
		put_varint(&w->of[INNER], locations[row->frames[i]]);
	put_part(&w->of[PART], 1, &w->of[INNER]);
	put_varint(&w->of[INNER], row->samples);
	put_varint(&w->of[INNER], (uint64_t)ps);
	put_part(&w->of[PART], 2, &w->of[INNER]);
	if (variant) {
		put_int(&w->of[INNER], 1, w->variant_key);
		put_int(&w->of[INNER], 2, variant);
		put_part(&w->of[PART], 3, &w->of[INNER]);
	}
	put_part(&w->of[SAMPLE], SAMPLE, &w->of[PART]);
}

#define PIECE (1u << 30)

/* Puts all members into one profile, packs and writes it. */
static int write_profile(struct writer *w, FILE *out)
{
	unsigned char buf[16384] = {0};
	struct bytes all = {};
	uint64_t cost = 0;
	size_t left;
	int state = Z_OK, err = 0;

	for (int i = 0; i < 2; i++) {
		cost = add_string(w, i ? "cost" : "samples");
		put_int(&w->of[PART], 1, cost);
		put_int(&w->of[PART], 2, add_string(w, i ? "picoseconds" : "count"));
		put_part(&all, 1, &w->of[PART]);
	}
	for (int i = SAMPLE; i <= STRING; i++) {
		put(&all, w->of[i].at, w->of[i].n);
		all.failed |= w->of[i].failed;
	}
	put_part(&all, COMMENT, &w->of[COMMENT]);
	put_int(&all, 14, cost);
	/* 15 bits of window, and 16 for gzip's header */
	z_stream z = {.next_in = all.at};
	left = all.n;
	if (all.failed || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY))
		err = -ENOMEM;
	while (!err && state == Z_OK) {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		if (!z.avail_in) { /* zlib takes less than 4 GB at a time */
			z.avail_in = left < PIECE ? (uInt)left : PIECE;
			left -= z.avail_in;
		}
		state = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
		fwrite(buf, 1, sizeof(buf) - z.avail_out, out);
	}
	if (!err) {
		deflateEnd(&z);
		err = state == Z_STREAM_END ? render_finish(out) : -EIO;
	}
	free(all.at);
	return err;
}

int format_pprof(FILE *out, const struct document *d, const struct render_options *o)
{
	static const struct profile_symbol unattributed = {"[unattributed]", "", SPACE_UNKNOWN};
	const struct run *r = d->analysis->run;
	const uint32_t frame = 0;
	struct writer w = {};
	char line[512];
	int err;

	(void)o;
	add_string(&w, "");
	w.variant_key = add_string(&w, "variant");
	for (size_t i = 1; i < d->nsections; i++) {
		const struct analysis_variant *v = d->sections[i].measured;
		const struct stacks *s = &v->stacks;
		uint64_t *locations = v->nused ? calloc(s->nsymbols + 1, sizeof(*locations)) : NULL;
		uint64_t variant = v->nused && d->nsections > 2 ? add_string(&w, v->variant->id) : 0;
		double carry = 0, share = analysis_path_share(v->base_ns, v->unattributed_ns);

		w.of[LOCATION].failed |= v->nused && !locations;
		if (!locations)
			continue;
		for (size_t k = 0; k < s->nsymbols; k++)
			locations[k] = location_of(&w, &s->symbols[k]);
		for (size_t k = 0; k < s->nrows; k++)
			format_pprof_add_sample(&w, locations, &s->rows[k],
						folded_thousandths(s->rows[k].cost * share, &carry), variant);
		if (v->unattributed_ns > 0) {
			*locations = location_of(&w, &unattributed);
			format_pprof_add_sample(&w, locations, &(struct stacks_row){.frames = &frame, .depth = 1},
						folded_thousandths(v->unattributed_ns, &carry), variant);
		}
		free(locations);
	}
	/* What go tool pprof prints with -comments. */
	const char *const comments[][2] = {{"xdpzoom", r->version},
					   {"started", r->started},
					   {"kernel", known(r->facts.kernel)},
					   {"event", r->event}};
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++) {
		snprintf(line, sizeof(line), "%s: %s", comments[i][0], comments[i][1]);
		put_varint(&w.of[COMMENT], add_string(&w, line));
	}
	err = write_profile(&w, out);
	for (int i = 0; i < MEMBERS; i++)
		free(w.of[i].at);
	free(w.dsos);
	profile_release(&w.symbols);
	return err;
}
