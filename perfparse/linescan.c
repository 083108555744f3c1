// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "perfparse/linescan.h"

/* How a sentence begins, for "%s%s". */
#define FROM(s) (s)->path ? (s)->path : "", (s)->path ? ": " : ""

void linescan_init(struct linescan *s, FILE *in)
{
	memset(s, 0, sizeof(*s));
	s->in = in;
}

void linescan_release(struct linescan *s)
{
	free(s->buf);
	s->buf = NULL;
	s->cap = s->pos = s->len = s->ready = 0;
}

static int too_long(const struct linescan *s, struct diag *d)
{
	return diag_set(d, -EINVAL, "%s%sline %llu is longer than %u bytes; this is no text", FROM(s),
			(unsigned long long)s->line + 1, LINESCAN_LINE_MAX_BYTES);
}

/* Makes room for a block behind the unread text, and for one more byte: the NUL behind a last line. */
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
	s->pos = 0;
	s->len = left;
	if (want <= s->cap)
		return 0;
	buf = realloc(s->buf, want);
	if (!buf)
		return diag_set(d, -ENOMEM, "%s%sout of memory", FROM(s));
	s->buf = buf;
	s->cap = want;
	return 0;
}

/* The line that ends at nl may go on in the next one. */
static bool goes_on(const char *text, const char *nl)
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

	while (nl && goes_on(text, nl))
		nl = memrchr(text, '\n', (size_t)(nl - text));
	return nl ? (size_t)(nl - text) + 1 : 0;
}

static void undress(struct linescan *s)
{
	char *text = s->buf + s->ready;
	size_t len = s->len - s->ready, whole, new;

	if (!s->worn) {
		s->ready = s->len;
		return;
	}
	whole = s->eof ? len : whole_lines(text, len);
	new = whole &&undress_wanted(s->worn, text, whole) ? undress_lines(s->worn, text, whole) : whole;
	memmove(text + new, text + whole, len - whole);
	s->len -= whole - new;
	s->ready += new;
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
			return diag_set(d, -EIO, "%s%scannot read the input: %s", FROM(s), strerror(errno));
		s->eof = true;
	}
	nul = memchr(s->buf + s->len, '\0', n);
	if (nul)
		return diag_set(d, -EINVAL,
				"%s%sNUL byte in the input after line %llu; this is no text "
				"(perf.data itself? run perf report or perf script on it)",
				FROM(s), (unsigned long long)s->line);
	s->len += n;
	undress(s);
	return 0;
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

int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d)
{
	size_t searched = 0, n;
	char *nl = NULL;
	int err;

	for (;;) {
		if (s->ready - s->pos > searched)
			nl = memchr(s->buf + s->pos + searched, '\n', s->ready - s->pos - searched);
		if (nl || s->eof)
			break;
		searched = s->ready - s->pos;
		err = linescan_fill(s, d);
		if (err)
			return err;
	}
	if (!nl && s->pos == s->len)
		return 0;
	*line = s->buf + s->pos;
	n = nl ? (size_t)(nl - *line) : s->len - s->pos;
	if (n > LINESCAN_LINE_MAX_BYTES)
		return too_long(s, d);
	s->pos += n + (nl ? 1 : 0);
	s->line++;
	if (n && (*line)[n - 1] == '\r')
		n--;
	(*line)[n] = '\0';
	*len = n;
	return 1;
}

size_t linescan_tab_bytes(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && line[n] == '\t')
		n++;
	return n;
}
