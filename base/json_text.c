// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_text.h"

json_t *json_text_string(const char *s)
{
	json_t *j = json_string(s);
	char *copy, *c;

	if (j)
		return j;
	copy = strdup(s);
	if (!copy)
		return NULL;
	for (c = copy; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	j = json_string(copy);
	free(copy);
	return j;
}

json_t *json_text_number(double v, bool known)
{
	return known && isfinite(v) ? json_real(v) : json_null();
}

json_t *json_text_interval(const double ci95_ns[2])
{
	if (isnan(ci95_ns[0]))
		return json_null();
	return json_pack("[f,f]", ci95_ns[0], ci95_ns[1]);
}
