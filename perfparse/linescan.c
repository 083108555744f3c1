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
	s->cap = s->pos = s->len = 0;
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

/* Reads one more block behind the unread text. */
static int fill(struct linescan *s, struct diag *d)
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
	s->escapes = s->escapes || memchr(s->buf + s->len, '\033', n);
	s->len += n;
	return 0;
}

int linescan_peek(struct linescan *s, const char **text, size_t *len, struct diag *d)
{
	int err = 0;

	if (s->len == s->pos && !s->eof)
		err = fill(s, d);
	*text = s->buf + s->pos;
	*len = s->len - s->pos;
	return err;
}

int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d)
{
	size_t searched = 0, n;
	char *nl = NULL;
	int err;

	for (;;) {
		if (s->len - s->pos > searched)
			nl = memchr(s->buf + s->pos + searched, '\n', s->len - s->pos - searched);
		if (nl || s->eof)
			break;
		searched = s->len - s->pos;
		err = fill(s, d);
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

size_t linescan_quote_bytes(const char *line, size_t len, bool tabs)
{
	size_t n = 0;

	while (n < len && line[n] == '>') {
		n++;
		n += n < len && line[n] == ' ';
	}
	while (tabs && n < len && line[n] == '\t')
		n++;
	return n;
}

size_t linescan_strip_colours(char *line, size_t len)
{
	char *in = line, *out = line, *end = line + len;

	while (in < end) {
		if (*in != '\033' || in + 1 == end || in[1] != '[') {
			*out++ = *in++;
			continue;
		}
		for (in += 2; in < end && !(*in >= '@' && *in <= '~'); in++)
			;
		in += in < end;
	}
	return (size_t)(out - line);
}
