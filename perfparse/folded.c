// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

void folded_name(FILE *out, const char *s)
{
	char c[PRINTABLE_BYTES];

	while (*s) {
		printable_next(&s, c);
		fputs(*c == ';' ? ":" : *c == ' ' ? "_" : c, out);
	}
}

long long folded_thousandths(double cost, double *carry)
{
	double thousandths = cost * 1000 + *carry, whole = floor(thousandths + 0.5);

	if (!(fabs(whole) < 0x1p63))
		return 0;
	*carry = thousandths - whole;
	return (long long)whole;
}

/* The count at the end of a line; NULL: there is none, else the end of the stack. */
static const char *read_count(const char *s, size_t len, double *count)
{
	const char *blank = memrchr(s, ' ', len);

	if (!blank || blank == s || number_read_decimal(blank + 1, s + len, count) != s + len)
		return NULL;
	while (blank > s && blank[-1] == ' ')
		blank--;
	return blank;
}

bool folded_is_line(const char *s, size_t len)
{
	double count;
	const char *end = read_count(s, len, &count), *semicolon = end ? memchr(s, ';', (size_t)(end - s)) : NULL;

	return semicolon && semicolon > s && semicolon + 1 < end;
}

/* The frames of a line, innermost first. */
static int folded_add_line(struct profile *p, const char *s, const char *end, double count, uint32_t **frames,
			   size_t *cap)
{
	static const char mark[] = "_[k]"; /* of stackcollapse-perf.pl --kernel */
	size_t depth = 0;

	for (const char *to = end, *semicolon, *from; to > s; to = semicolon ? semicolon : s) {
		semicolon = memrchr(s, ';', (size_t)(to - s));
		from = semicolon ? semicolon + 1 : s;
		if (from == to) /* an empty frame */
			continue;
		bool kernel = to - from > 4 && !memcmp(to - 4, mark, 4);

		if (!array_grow(frames, cap, depth, 1, sizeof(**frames)) ||
		    profile_add_symbol(p, (struct span){from, (size_t)(to - from) - (kernel ? 4 : 0)}, span_of(""),
				       kernel ? SPACE_KERNEL : SPACE_UNKNOWN, &(*frames)[depth]))
			return -ENOMEM;
		depth++;
	}
	return depth && count > 0 ? profile_add_stack(p, *frames, (unsigned int)depth, 0, count) : 0;
}

int folded_read(struct profile *p, struct linescan *lines, struct diag *d)
{
	uint32_t *frames = NULL;
	size_t cap = 0, had, len;
	const char *end;
	bool blank = false, pairs = true;
	int more, err = 0;
	double count, other;
	char *line;

	*p = (struct profile){};
	while (!err && (more = linescan_next(lines, &line, &len, d)) > 0) {
		while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
			len--;
		blank |= !len && p->nstacks;
		if (!len || *line == '#')
			continue;
		end = read_count(line, len, &count);
		pairs &= end && read_count(line, (size_t)(end - line), &other);
		had = p->nstacks;
		if (!end)
			err = diag_set(d, -EINVAL, "line %llu is no folded stack: frames divided by ';', and a count",
				       (unsigned long long)lines->line);
		else if (folded_add_line(p, line, end, count, &frames, &cap))
			err = diag_set(d, -ENOMEM, "out of memory");
		else if (blank && count > 0 && p->nstacks == had)
			err = diag_set(
				d, -EINVAL,
				"line %llu: this stack is above the blank line, too; leave one of the two lists out",
				(unsigned long long)lines->line);
	}
	if (!err)
		err = more;
	if (!err && !p->nstacks)
		err = diag_set(d, -EINVAL, "no stacks");
	if (!err && pairs)
		err = diag_set(d, -EINVAL, "two counts in each line are those of two profiles; give one of them");
	free(frames);
	if (err)
		profile_release(p);
	return err;
}
