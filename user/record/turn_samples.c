// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/record/record.h"

/* The clock's, at napi_poll (work_clock.bpf.h). What programs of others take there is the receiver's time. */
#define CLOCK_PROGRAM "poll_ends"

/* The lines of one sample. */
struct sample {
	char *text;
	size_t n, cap;
	struct script_header head;
	const struct run_turn *turn; /* that it was taken in; NULL: in none that counts */
	size_t kept;                 /* bytes up to the end of the last frame that counts; 0: the root was not seen */
	bool excluded;               /* it was taken in the clock's own program, or in a function that does not count */
};

/*
 * Writes the sample to the text that it belongs to, if there is one: whole, to that of the variant that its task reads
 * for; or to that of the variant whose turn it was, unless another device was polled then.
 */
static void sample_end(const struct turn_samples *s, struct sample *one)
{
	const struct run_turn *turn = one->turn;
	size_t low = 0, high = s->nforeigns;
	FILE *out = NULL;

	for (size_t i = 0; i < s->nout && s->readers && one->n && !out; i++)
		if (s->readers[i] > 0 && s->readers[i] == one->head.tid)
			out = s->out[i];
	if (out) {
		one->kept = one->n;
	} else if (one->n && one->kept && !one->excluded && turn) {
		bool helps = s->helpers && s->helpers[turn->variant] && one->head.tid == s->helpers[turn->variant];

		while (low < high) { /* the first poll of another device that begins after the sample */
			size_t middle = low + (high - low) / 2;

			if (s->foreigns[middle].from_ns <= one->head.time_ns)
				low = middle + 1;
			else
				high = middle;
		}
		if (helps || ((!s->tids || one->head.tid == s->tids[turn->variant]) &&
			      !(low && one->head.time_ns < s->foreigns[low - 1].to_ns)))
			out = s->out[turn->variant];
	}
	if (out) {
		fwrite(one->text, 1, one->kept, out);
		fputc('\n', out);
	}
	one->n = one->kept = 0;
	one->excluded = false;
}

/* The head of a sample has to be its first line. */
static int turn_samples_take_line(const struct turn_samples *s, struct sample *one, const char *line, size_t len,
				  struct diag *d)
{
	const size_t clock = strlen(CLOCK_PROGRAM);
	struct script_frame f;
	bool first = !one->n;
	const char *root;

	if (len == 1) {
		sample_end(s, one);
		return 0;
	}
	if (first && !script_parse_header(&one->head, line, len - 1))
		return diag_set(d, -EINVAL, "perf script printed no sample where one should be: %.*s",
				(int)(len > 80 ? 80 : len - 1), line);
	if (first) {
		const struct run_turn *turn =
			one->head.has_time ? turns_find(s->turns, s->nturns, one->head.time_ns) : NULL;
		one->turn = turn && turn->use == TURN_PROFILE && turn->variant < s->nout ? turn : NULL;
	}
	if (!array_grow(&one->text, &one->cap, one->n, len, 1))
		return diag_set(d, -ENOMEM, "no memory");
	memcpy(one->text + one->n, line, len);
	one->n += len;
	root = s->roots && one->turn ? s->roots[one->turn->variant] : NULL;
	if (!s->roots || (one->turn && !root))
		one->kept = one->n;
	if (first || !one->turn || (!root && !s->without) || (root && one->kept) ||
	    !script_parse_frame(&f, line, len - 1, false))
		return 0;
	if ((root && f.name.len >= clock && !memcmp(f.name.s + f.name.len - clock, CLOCK_PROGRAM, clock)) ||
	    (s->without && span_begins(f.name.s, f.name.len, s->without)))
		one->excluded = true;
	else if (root && span_is(&f.name, root))
		one->kept = one->n;
	return 0;
}

int turn_samples_allot(const struct turn_samples *s, FILE *in, struct diag *d)
{
	struct sample one = {};
	size_t cap = 0;
	char *line = NULL;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &cap, in)) > 0)
		if (line[0] != '#')
			err = turn_samples_take_line(s, &one, line, (size_t)len, d);
	if (!err)
		sample_end(s, &one);
	if (!err && ferror(in))
		err = diag_set(d, -EIO, "the text of perf script cannot be read");
	for (size_t i = 0; i < s->nout && !err; i++)
		if (fflush(s->out[i]))
			err = diag_set(d, -errno, "a block's samples cannot be written: %s", strerror(errno));
	free(line);
	free(one.text);
	return err;
}
