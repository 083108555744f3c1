// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

/* 18 digits fit in 63 bits; dividing two exact doubles rounds once, as strtod() does. */
#define DIGITS_MAX 18

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
				       1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

static const char *read_digits(const char *s, const char *end, uint64_t *value, int *digits)
{
	for (; s < end && *s >= '0' && *s <= '9'; s++) {
		if (++*digits > DIGITS_MAX)
			return NULL;
		*value = *value * 10 + (uint64_t)(*s - '0');
	}
	return s;
}

const char *number_read(const char *s, const char *end, bool grouped, double *value)
{
	uint64_t whole = 0;
	int digits = 0, before;

	s = read_digits(s, end, &whole, &digits);
	if (!s || !digits)
		return NULL;
	/* Groups of exactly three digits follow a first one of at most three. */
	for (bool more = grouped && digits <= 3; more && s + 3 < end && *s == ',';) {
		int three = 1;

		while (three <= 4 && s + three < end && s[three] >= '0' && s[three] <= '9')
			three++;
		more = three == 4;
		if (more)
			s = read_digits(s + 1, end, &whole, &digits);
		if (!s)
			return NULL;
	}
	before = digits;
	if (s + 1 < end && *s == '.' && s[1] >= '0' && s[1] <= '9')
		s = read_digits(s + 1, end, &whole, &digits);
	if (s)
		*value = (double)whole / powers_of_ten[digits - before];
	return s;
}

int number_typed(const char *text, double *value, const char **rest)
{
	const char *digits = text + (*text == '-' || *text == '+');
	char *end;

	/* strtod() would take spaces, "inf", "nan" and hexadecimal numbers */
	if (!(*digits >= '0' && *digits <= '9') && *digits != '.')
		return -EINVAL;
	errno = 0;
	*value = strtod(text, &end);
	if (end == text || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')))
		return -EINVAL;
	*rest = end;
	return errno ? -ERANGE : 0;
}

int number_parse(const char *text, double min, double max, double *value)
{
	const char *rest;
	double v;
	int err = number_typed(text, &v, &rest);

	if (err == -EINVAL || (!err && *rest))
		return -EINVAL;
	if (err || v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}

/* What a share of samples is worth. Not in stats.c, so that programs that need no more do not need GSL. */

void stats_wilson(double p, double n, double ci[2])
{
	double z2 = STATS_Z95 * STATS_Z95, middle, half;

	ci[0] = ci[1] = NAN;
	if (!(n > 0))
		return;
	middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	half = STATS_Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
	ci[0] = p > 0 ? fmax(0, middle - half) : 0; /* exactly: rounding must not leave a speck */
	ci[1] = p < 1 ? fmin(1, middle + half) : 1;
}

double stats_unseen(double n)
{
	return n > 3 ? 3 / n : 1;
}
