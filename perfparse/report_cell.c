// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "perfparse/perfparse.h"

struct span cell_trimmed(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return (struct span){from, (size_t)(to - from)};
}

bool cell_next(const char **s, const char *end, char separator, struct span *cell)
{
	const char *from, *to;

	if (separator) {
		if (*s > end)
			return false;
		to = memchr(*s, separator, (size_t)(end - *s));
		if (!to)
			to = end;
		*cell = cell_trimmed(*s, to);
		*s = to + 1;
		return true;
	}
	for (from = *s; from < end && *from == ' '; from++)
		;
	if (from >= end)
		return false;
	for (to = from; (to = memchr(to, ' ', (size_t)(end - to))); to++)
		if (to + 1 == end || to[1] == ' ')
			break;
	if (!to)
		to = end;
	*cell = (struct span){from, (size_t)(to - from)};
	*s = to;
	return true;
}

const char *cell_read_percent(const char *s, const char *end, double *pct)
{
	const char *digits = s;
	double fraction;

	s = number_read_decimal(s, end, pct);
	if (s && s < end && *s == ',' && !memchr(digits, '.', (size_t)(s - digits))) {
		digits = s + 1;
		s = number_read_decimal(digits, end, &fraction);
		if (!s || memchr(digits, '.', (size_t)(s - digits)))
			return NULL;
		*pct += fraction / pow(10, (double)(s - digits));
	}
	return s && s < end && *s == '%' ? s + 1 : NULL;
}

bool cell_read_mark(const char *s, const char *end, enum profile_space *space)
{
	static const char marks[] = ".kguH?";
	static const enum profile_space spaces[] = {SPACE_USER,       SPACE_KERNEL,     SPACE_GUEST_KERNEL,
						    SPACE_GUEST_USER, SPACE_HYPERVISOR, SPACE_UNKNOWN};
	const char *mark;

	if (end - s < 4 || s[0] != '[' || s[2] != ']' || s[3] != ' ')
		return false;
	mark = memchr(marks, s[1], sizeof(marks) - 1);
	if (!mark)
		return false;
	*space = spaces[mark - marks];
	return true;
}

bool cell_holds_row(const char *s, const char *end)
{
	enum profile_space space;
	struct span word;
	double v;

	while (span_next_word(&s, end, &word))
		if (cell_read_mark(word.s, end, &space) ||
		    cell_read_percent(word.s + (*word.s == '+' || *word.s == '-'), word.s + word.len, &v))
			return true;
	return false;
}

/* A BPF program is "bpf_prog_6deef7357e7b4530_drop"; a program of user space may be called bpf_prog_test. */
static bool lacks_tag(const char *dso, size_t len)
{
	const size_t n = strlen("bpf_prog_"), end = n + 16;
	size_t i;

	if (len < n || memcmp(dso, "bpf_prog_", n))
		return false;
	for (i = n; i < len && i < end && memchr("0123456789abcdef", dso[i], 16); i++)
		;
	return i < end;
}

enum profile_space cell_space(enum profile_space mark, const char *dso, size_t len)
{
	enum profile_space space = profile_space_of_dso(dso, len);

	if (mark == SPACE_UNKNOWN || mark == SPACE_KERNEL || mark == SPACE_GUEST_KERNEL || lacks_tag(dso, len))
		return mark;
	return space == SPACE_KERNEL || space == SPACE_GUEST_KERNEL ? space : mark;
}
