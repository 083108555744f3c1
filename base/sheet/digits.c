// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"

#include <math.h>
#include <string.h>

int digits_of_interval(double half)
{
	if (half >= 9.5)
		return 0;
	return half < 0.095 ? 2 : 1;
}

int digits_of_event(double value)
{
	return fabs(value) >= 100 ? 1 : fabs(value) >= 1 ? 2 : 4;
}

const char *digits_number(double value, int decimals, bool sign, char *buf, size_t size)
{
	if (isnan(value)) {
		snprintf(buf, size, "-");
		return buf;
	}
	if (fabs(value) < 0.5 * pow(10, -decimals))
		value = 0;
	snprintf(buf, size, sign ? "%+.*f" : "%.*f", decimals, value);
	return buf;
}

const char *digits_count(double count, char *buf, size_t size)
{
	char digits[40];
	size_t n, at = 0;

	if (isnan(count))
		return digits_number(count, 0, false, buf, size);
	snprintf(digits, sizeof(digits), "%.0f", fabs(count) < 1e30 ? count : 0);
	n = strlen(digits);
	for (size_t i = 0; i < n && at + 2 < size; i++) {
		buf[at++] = digits[i];
		if (i + 1 < n && (n - i) % 3 == 1 && digits[i] != '-')
			buf[at++] = ',';
	}
	buf[at] = '\0';
	return buf;
}

const char *digits_interval(double value, double half, char *buf, size_t size)
{
	int decimals = digits_of_interval(half);
	size_t len;

	digits_number(value, decimals, false, buf, size);
	len = strlen(buf);
	if (!isnan(value) && !isnan(half))
		snprintf(buf + len, size - len, " ± %.*f", decimals, half);
	return buf;
}
