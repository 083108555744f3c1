// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* How a sentence begins, for "%s%s". */
#define TABLE_FROM(s) (s)->path ? (s)->path : "", (s)->path ? ": " : ""

void linescan_init(struct linescan *s, FILE *in)
{
	memset(s, 0, sizeof(*s));
	s->in = in;
}

void linescan_release(struct linescan *s)
{
	free(s->buf);
	free(s->ends);
	s->buf = NULL;
	s->ends = NULL;
	s->cap = s->pos = s->len = s->ready = s->nends = s->next = s->cap_ends = 0;
}

static int too_long(const struct linescan *s, struct diag *d)
{
	return diag_set(d, -EINVAL, "%s%sline %llu is longer than %u bytes; this is no text", TABLE_FROM(s),
			(unsigned long long)s->line + 1, LINESCAN_LINE_MAX_BYTES);
}

/*
 * Makes room for a block behind the unread text, and for one more byte: the end of a last line. That text has no whole
 * line that is ready.
 */
static int make_room(struct linescan *s, struct diag *d)
{
	size_t left = s->len - s->pos;
	size_t want = left + LINESCAN_BLOCK_BYTES + 1;
	char *buf;

	if (left > LINESCAN_LINE_MAX_BYTES)
		return too_long(s, d);
	if (left && s->pos)
		memmove(s->buf, s->buf + s->pos, left);
	s->ready -= s->pos;
	s->pos = s->nends = s->next = 0;
	s->len = left;
	if (want <= s->cap)
		return 0;
	buf = realloc(s->buf, want);
	if (!buf)
		return diag_set(d, -ENOMEM, "%s%sout of memory", TABLE_FROM(s));
	s->buf = buf;
	s->cap = want;
	return 0;
}

/* The line that ends at nl may go on in the next one. */
static bool linescan_goes_on(const char *text, const char *nl)
{
	const char *begin = memrchr(text, '\n', (size_t)(nl - text));

	if (nl > text && (nl[-1] == '=' || (nl[-1] == '\r' && nl - text > 1 && nl[-2] == '=')))
		return true;
	begin = begin ? begin + 1 : text;
	while (begin < nl && memchr("> |\t", *begin, 4)) /* marks of a quote are not taken away yet */
		begin++;
	return undress_unfinished(begin, (size_t)(nl - begin));
}

/* The bytes of the whole lines at the beginning of a text. */
static size_t whole_lines(const char *text, size_t len)
{
	const char *nl = memrchr(text, '\n', len);

	while (nl && linescan_goes_on(text, nl))
		nl = memrchr(text, '\n', (size_t)(nl - text));
	return nl ? (size_t)(nl - text) + 1 : 0;
}

/* Adds the ends of the lines in buf[from .. ready). */
static int add_ends(struct linescan *s, size_t from, struct diag *d)
{
	const char *nl;

	for (; (nl = memchr(s->buf + from, '\n', s->ready - from)); from = (size_t)(nl - s->buf) + 1) {
		if (s->nends == s->cap_ends && !array_grow(&s->ends, &s->cap_ends, s->nends, 1, sizeof(*s->ends)))
			return diag_set(d, -ENOMEM, "%s%sout of memory", TABLE_FROM(s));
		s->ends[s->nends++] = (uint32_t)(nl - s->buf);
	}
	return 0;
}

/* Makes buf[ready .. ) ready, but for a line whose end is not there. */
static int make_ready(struct linescan *s, struct diag *d)
{
	size_t from = s->ready, whole;
	bool wanted;
	int err;

	whole = s->eof || !s->worn ? s->len - from : whole_lines(s->buf + from, s->len - from);
	s->ready = from + whole;
	err = add_ends(s, from, d);
	if (err || !s->worn)
		return err;
	/* What came before is read: the text begins at 0. */
	wanted = whole && (undress_wanted(s->worn, s->buf, whole) || undress_wrapped(s->buf, whole, s->ends, s->nends));
	if (wanted)
		s->ready = undress_lines(s->worn, s->buf, whole);
	s->worn->begun |= whole > 0;
	if (!wanted)
		return 0;
	memmove(s->buf + s->ready, s->buf + whole, s->len - whole);
	s->len -= whole - s->ready;
	s->nends = 0;
	return add_ends(s, 0, d);
}

/* Reads one more block behind the unread text. */
static int linescan_fill(struct linescan *s, struct diag *d)
{
	const char *nul;
	size_t n;
	int err;

	err = make_room(s, d);
	if (err)
		return err;
	n = fread(s->buf + s->len, 1, LINESCAN_BLOCK_BYTES, s->in);
	if (n < LINESCAN_BLOCK_BYTES) {
		if (ferror(s->in))
			return diag_set(d, -EIO, "%s%scannot read the input: %s", TABLE_FROM(s), strerror(errno));
		s->eof = true;
	}
	nul = memchr(s->buf + s->len, '\0', n);
	if (nul)
		return diag_set(
			d, -EINVAL,
			"%s%sNUL byte in the input after line %llu; this is no text "
			"(perf.data: run perf report or perf script on it; pprof: give its samples as folded stacks)",
			TABLE_FROM(s), (unsigned long long)s->line);
	s->len += n;
	err = make_ready(s, d);
	if (err || !s->eof || !s->len || s->buf[s->len - 1] == '\n')
		return err;
	s->buf[s->len++] = '\n'; /* a last line that does not end ends here */
	s->ready = s->len;
	return add_ends(s, s->len - 1, d);
}

int linescan_peek(struct linescan *s, const char **text, size_t *len, struct diag *d)
{
	int err = 0;

	while (!err && s->ready == s->pos && !s->eof)
		err = linescan_fill(s, d);
	*text = s->buf + s->pos;
	*len = s->ready - s->pos;
	return err;
}

/* Apart from linescan_next(), so that most lines do not pay for what few need. */
__attribute__((noinline)) static int fill_and_go_on(struct linescan *s, char **line, size_t *len, struct diag *d)
{
	int err;

	while (s->next == s->nends) {
		if (s->eof)
			return 0;
		err = linescan_fill(s, d);
		if (err)
			return err;
	}
	return linescan_next(s, line, len, d);
}

int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d)
{
	char *from = s->buf + s->pos, *to;

	if (s->next == s->nends)
		return fill_and_go_on(s, line, len, d);
	to = s->buf + s->ends[s->next++];
	if (to - from > LINESCAN_LINE_MAX_BYTES)
		return too_long(s, d);
	s->pos = (size_t)(to - s->buf) + 1;
	s->line++;
	while (to > from && to[-1] == '\r')
		to--;
	*to = '\0';
	*line = from;
	*len = (size_t)(to - from);
	return 1;
}

size_t linescan_tab_bytes(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && line[n] == '\t')
		n++;
	return n;
}
