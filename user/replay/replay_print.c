// SPDX-License-Identifier: GPL-2.0-or-later
/* A replay as text and as Markdown. replay.h has the contract. */
#include "user/replay/replay.h"

#define KNOWN        5 /* enum xdp_action */
#define MOST_NUMBERS 8 /* that are no verdicts, each in a row of its own */

static const char *const verdict_names[KNOWN] = {"XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT"};

/* "XDP_DROP", or "7 (no verdict)" in buf. */
static const char *replay_verdict(uint32_t verdict, char *buf, size_t size)
{
	if (verdict < KNOWN)
		return verdict_names[verdict];
	snprintf(buf, size, "%u (no verdict)", verdict);
	return buf;
}

/* Frames of one side with a verdict in from..to. */
static size_t replay_print_count(const struct replay *r, int side, uint64_t from, uint64_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < r->frames->n; i++)
		n += r->rows[i].side[side].verdict >= from && r->rows[i].side[side].verdict <= to;
	return n;
}

/* The smallest verdict of any frame that is not below from; more than UINT32_MAX: none. */
static uint64_t next_verdict(const struct replay *r, uint64_t from)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < r->frames->n; i++)
		for (int side = 0; side < (r->names[1] ? 2 : 1); side++) {
			uint64_t v = r->rows[i].side[side].verdict;

			next = v >= from && v < next ? v : next;
		}
	return next;
}

/* "same", "length 60 and 64", "byte 26: 0a and 0b" */
static const char *bytes_words(const struct replay_row *row, char *buf, size_t size)
{
	const struct frame *a = &row->side[0].after, *b = &row->side[1].after;

	if (!row->bytes_differ)
		return "same";
	if (a->bytes != b->bytes)
		snprintf(buf, size, "length %u and %u", a->bytes, b->bytes);
	else
		snprintf(buf, size, "byte %u: %02x and %02x", row->first_byte, a->data[row->first_byte],
			 b->data[row->first_byte]);
	return buf;
}

struct layout {
	const char *verdict_row, *pair_row; /* of the table of verdicts, with one program and with two */
	const char *heading, *row;          /* of the table of frames */
};

static const struct layout text = {
	.verdict_row = "  %-16s %10zu\n",
	.pair_row = "  %-16s %10zu %10zu\n",
	.heading = "\n   frame  bytes  %-16s %-16s %s\n",
	.row = "%8zu %6u  %-16s %-16s %s\n",
};

static const struct layout markdown = {
	.verdict_row = "| %s | %zu |\n",
	.pair_row = "| %s | %zu | %zu |\n",
	.heading = "\n| frame | bytes | %s | %s | frame afterwards |\n|---:|---:|---|---|---|\n",
	.row = "| %zu | %u | %s | %s | %s |\n",
};

static void print_count(const struct replay *r, const struct layout *l, const char *name, uint64_t from, uint64_t to,
			FILE *out)
{
	if (r->names[1])
		fprintf(out, l->pair_row, name, replay_print_count(r, 0, from, to), replay_print_count(r, 1, from, to));
	else
		fprintf(out, l->verdict_row, name, replay_print_count(r, 0, from, to));
}

static void print_verdicts(const struct replay *r, const struct layout *l, FILE *out)
{
	uint64_t v = next_verdict(r, 0);
	char name[32];

	for (int n = 0; v <= UINT32_MAX && n < KNOWN + MOST_NUMBERS; n++, v = next_verdict(r, v + 1))
		print_count(r, l, replay_verdict((uint32_t)v, name, sizeof(name)), v, v, out);
	if (v <= UINT32_MAX)
		print_count(r, l, "other numbers", v, UINT32_MAX, out);
}

static void print_frames(const struct replay *r, const struct layout *l, size_t most, FILE *out)
{
	char old[32], new[32], bytes[64];
	size_t printed = 0;

	if (r->differ)
		fprintf(out, l->heading, "old", "new", "frame afterwards");
	for (size_t i = 0; i < r->frames->n && printed < most; i++) {
		const struct replay_row *row = &r->rows[i];

		if (!row->verdicts_differ && !row->bytes_differ)
			continue;
		fprintf(out, l->row, i + 1, r->frames->list[i].bytes,
			replay_verdict(row->side[0].verdict, old, sizeof(old)),
			replay_verdict(row->side[1].verdict, new, sizeof(new)), bytes_words(row, bytes, sizeof(bytes)));
		printed++;
	}
	if (printed < r->differ)
		fprintf(out, "\n%zu more %s\n", r->differ - printed,
			r->differ - printed == 1 ? "frame differs" : "frames differ");
}

/* "1 frame", "2 frames" */
static const char *frames_words(size_t n, char words[32])
{
	snprintf(words, 32, "%zu frame%s", n, n == 1 ? "" : "s");
	return words;
}

void replay_print_text(const struct replay *r, size_t most, FILE *out)
{
	char frames[32];

	if (r->names[1])
		fprintf(out, "old: %s\nnew: %s\n%zu of %s differ\n\n  verdict %19s %10s\n", r->names[0], r->names[1],
			r->differ, frames_words(r->frames->n, frames), "old", "new");
	else
		fprintf(out, "%s: %s\n\n", r->names[0], frames_words(r->frames->n, frames));
	print_verdicts(r, &text, out);
	print_frames(r, &text, most, out);
}

void replay_print_markdown(const struct replay *r, size_t most, FILE *out)
{
	char frames[32];

	if (r->names[1])
		fprintf(out,
			"**%zu of %s differ** between `%s` (old) and `%s` (new)\n\n| verdict | old | new |\n"
			"|---|---:|---:|\n",
			r->differ, frames_words(r->frames->n, frames), r->names[0], r->names[1]);
	else
		fprintf(out, "`%s`: %s\n\n| verdict | frames |\n|---|---:|\n", r->names[0],
			frames_words(r->frames->n, frames));
	print_verdicts(r, &markdown, out);
	print_frames(r, &markdown, most, out);
}
